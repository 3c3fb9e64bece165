"""Answers and the searches behind them are on record, under labels that the asker's own conversation does not need."""

from collections.abc import Callable
from typing import Any

from chat import log
from chat.audit import note_answer
from chat.models import Message, State, Turn
from entities.access import Scope, list_atoms
from entities.models import AuditEntry
from entities.models.classification import FINANCIAL, INTERNAL, PII
from entities.types import Contract
from tests.chat.conftest import CAP, SALARY, Chat, Model
from tests.conftest import Person

JANE = "Does Jane Miller earn a salary of 91,000 euros?"


def rows(service: Scope, action: str) -> list[tuple[AuditEntry, tuple[int, ...] | None]]:
    with service.open():
        found = list(AuditEntry.objects.select_related("text").filter(action=action).order_by("pk"))
        labels = [entry.text.data_classification for entry in found]
        return [
            (entry, None if label is None else list_atoms(label)) for entry, label in zip(found, labels, strict=True)
        ]


def test_a_turn_leaves_its_searches_and_its_answer(
    index: Any,
    contract: Contract,
    viewer: Person,
    cfo: Person,
    service: Scope,
    start: Callable[..., Chat],
    model: Model,
) -> None:
    row = index.row(contract, CAP)
    index.row(contract, SALARY, label=(PII, FINANCIAL))
    model.says(tool_use=("search_knowledge", {"query": "liability cap"}))
    model.says(text="Two million euros [1].")
    turn = start(viewer, contract).ask(JANE)
    ((search, searched),) = rows(service, "search")
    assert (search.object_id, search.actor) == (turn["id"], viewer.user.pk)
    assert search.detail["door"] == "chat"
    assert search.text.text == "liability cap"
    assert search.text.retrieved == [[str(row), str(contract.pk)]]
    assert str(contract.pk) in search.text.within["entities"]
    assert searched == (INTERNAL, PII, FINANCIAL), "made from the question, whose words the asker does not hold"
    ((answer, answered),) = rows(service, "answer")
    assert (answer.object_kind, answer.object_id, answer.actor) == ("turn", turn["id"], viewer.user.pk)
    assert answer.text.text == JANE
    assert answered == (INTERNAL, PII, FINANCIAL)
    assert answer.text.retrieved == [[str(row), str(contract.pk)]]
    detail = answer.detail
    assert (detail["state"], detail["searches"]) == ("done", 1)
    assert detail["model"]
    assert detail["tokens"]["output"] > 0
    assert detail["latency_ms"] > 0
    assert float(detail["cost"]) >= 0
    with service.open():
        question = Message.objects.get(role="user")
        assert list_atoms(question.data_classification or 0) == (), "in their own conversation they read it"


def test_stopped_failed_and_unlabelled_turns_are_on_record_too(
    contract: Contract, viewer: Person, service: Scope, start: Callable[..., Chat], model: Model
) -> None:
    chat = start(viewer, contract)
    model.says(text="")
    assert chat.ask("Anything?")["state"] == "failed"
    ((failed, label),) = rows(service, "answer")
    assert (failed.detail["state"], failed.text.text, label) == ("failed", "Anything?", (INTERNAL,))
    with service.open():
        turn = Turn.objects.get()
        Message.objects.filter(pk=turn.question).update(data_classification=None)
        log.end(turn, log.TurnEnding(log.State.INTERRUPTED))
    ended, label = rows(service, "answer")[-1]
    assert (ended.detail["state"], label) == ("interrupted", None)


def test_a_deleted_conversation_stays_in_the_audit(
    contract: Contract, viewer: Person, service: Scope, start: Callable[..., Chat], model: Model
) -> None:
    chat = start(viewer, contract)
    model.says(text="Nothing is known of it.")
    chat.ask("How long?")
    assert viewer.api.delete(chat.url).status_code == 204
    ((answer, _),) = rows(service, "answer")
    assert answer.text.text == "How long?"


def test_a_turn_ends_when_what_its_question_held_is_no_classification_any_more(
    contract: Contract, viewer: Person, service: Scope, start: Callable[..., Chat], model: Model
) -> None:
    model.says(text="Nothing.")
    start(viewer, contract).ask("Anything?")
    with service.open():
        turn = Turn.objects.get()
        for found in ([PII], [PII, 77]):
            Message.objects.filter(pk=turn.question).update(found=found)
            note_answer(turn, State.DONE, {}, INTERNAL)
    _, known, gone = rows(service, "answer")
    assert (known[1], gone[1]) == ((INTERNAL, PII), None), "of words without a label nobody is told but stewards"
