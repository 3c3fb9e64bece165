"""When a summary is asked for, by whom, and which answers of a model are one."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.conf import LazySettings

from chat import runner
from chat.models import Session, Summary, SummaryLease
from chat.summaries import load_inputs, write_summary
from entities.access import Scope
from entities.models import Entity
from tests.chat.conftest import Chat, Model, is_somebody_waiting
from tests.chat.test_memory import chatter, say
from tests.chat.test_overlapping import OverlappingWork
from tests.chat.test_summaries import end, is_summary, stored, summaries
from tests.conftest import Person

Start = Callable[[Person, Entity], Chat]


def ask(chat: Chat, model: Model, **answer: Any) -> None:
    """One turn, after which a model that is asked for a summary answers so."""
    if answer:
        model.script.push(when=is_summary, **answer)
    model.says(text="Yes.")
    chat.ask("Is it raining?")


def read_text(service: Scope) -> str:
    with service.open():
        return next(iter(Summary.objects.values_list("text", flat=True)), "")


def read_lease(service: Scope) -> tuple[int, datetime] | None:
    """Failures, and until when it holds."""
    with service.open():
        return SummaryLease.objects.values_list("failures", "until").first()


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"text": "<think>They [1] argued.</think>\nThey agreed."}, "They agreed."),
        ({"text": "They argued. So what?</think> They agreed."}, "They agreed."),
        ({"text": "<think>Well.</think> They agreed. Then", "stop_reason": "max_tokens"}, "They agreed."),
        ({"text": "<think>They argued. They", "stop_reason": "max_tokens"}, ""),
        ({"text": "<think>They argued."}, ""),
        ({"text": "<think>They argued.</think>"}, ""),
        ({"text": "They argued.", "truncate": True}, ""),
        ({"text": "They agreed.", "usage": (9, 9, 0)}, ""),
        ({"text": "They agreed.", "usage": (9_000, 9, 0)}, "They agreed."),
        ({"text": "They agreed.", "usage": (9, 9, 9_000)}, "They agreed."),
        ({"text": "They agreed.", "usage": (0, 9, 0)}, "They agreed."),
        ({"error": 503}, ""),
    ],
)
def test_only_a_whole_answer_to_a_whole_prompt_is_stored_without_thoughts(
    answer: dict[str, Any], text: str, viewer: Person, contract: Entity, start: Start, model: Model, service: Scope,
    settings: LazySettings,
) -> None:  # fmt: skip
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"  # a server that may cut prompts off, and count what is left
    chat = start(viewer, contract)
    chatter(service, chat, 9)
    ask(chat, model, **answer)
    assert read_text(service) == text
    assert (read_lease(service) is None) is bool(text)


def test_where_nobody_can_cut_a_prompt_off_its_count_is_not_asked_for(
    viewer: Person, contract: Entity, start: Start, model: Model, service: Scope
) -> None:
    chat = start(viewer, contract)
    chatter(service, chat, 9)
    ask(chat, model, text="They agreed.", usage=(9, 9, 0))
    assert read_text(service) == "They agreed."


def test_one_that_was_missed_is_made_after_the_next_turn(
    viewer: Person, contract: Entity, start: Start, model: Model, service: Scope
) -> None:
    chat = start(viewer, contract)
    chatter(service, chat, 9)
    ask(chat, model, text="They agreed.")
    chatter(service, chat, 4)
    model.says(text="Yes, it is.", truncate=True)
    assert chat.ask("Is it raining?")["state"] != "done"
    assert len(summaries(model)) == 1
    ask(chat, model, text="They agreed again.")
    assert read_text(service) == "They agreed again."
    assert "They agreed." in summaries(model)[-1]
    ask(chat, model)
    assert len(summaries(model)) == 2, "not once a turn"


def test_one_that_reaches_further_is_not_replaced(
    viewer: Person, contract: Entity, start: Start, model: Model, service: Scope
) -> None:
    chat = start(viewer, contract)
    chatter(service, chat, 12)
    with service.open():
        session = Session.objects.get(pk=chat.session)
    with viewer.scope.open():
        inputs = load_inputs(viewer.scope, session, 5)
    assert inputs is not None

    def write(last: int, text: str) -> bool:
        with service.open():
            return write_summary(service, session, viewer.user.pk, replace(inputs, last_turn=last), text)

    assert write(10, "Ten.")
    assert not write(5, "Five.")
    assert read_text(service) == "Ten."
    assert write(11, "Eleven.")
    assert read_text(service) == "Eleven."


def test_a_conversation_that_is_deleted_as_one_is_stored_waits_for_it_and_takes_it_along(
    viewer: Person, contract: Entity, start: Start, model: Model, service: Scope, wait_for: Any
) -> None:
    chat = start(viewer, contract)
    chatter(service, chat, 9)
    ask(chat, model, text="They agreed.")
    with service.open():
        session = Session.objects.get(pk=chat.session)
        old = Summary.objects.get()
        Summary.objects.all().delete()
    with viewer.scope.open():
        inputs = load_inputs(viewer.scope, session, 5)
    assert inputs is not None
    with service.open():
        old.save(force_insert=True)
    statuses: list[int] = []

    def delete() -> None:
        statuses.append(viewer.api.delete(chat.url).status_code)

    with service.open():
        assert write_summary(service, session, viewer.user.pk, inputs, "They agreed again.")
        other = OverlappingWork(delete)
        wait_for(is_somebody_waiting)
    assert other.end() is None
    assert (statuses, stored(service)) == ([204], 0)
    with service.open():
        assert not write_summary(service, session, viewer.user.pk, inputs, "Too late.")


def test_a_summary_that_is_too_long_ends_with_a_sentence(
    viewer: Person, contract: Entity, start: Start, model: Model, service: Scope
) -> None:
    chat = start(viewer, contract)
    for n in range(9):
        say(service, chat, f"Is berth {n} free?", f"Berth {n} is free from Monday.")
    model.script.push(text="They agreed on 1.5 million. Then they", stop_reason="max_tokens", when=is_summary)
    model.says(text="Yes.")
    chat.ask("Is it raining?")
    with service.open():
        assert Summary.objects.get().text == "They agreed on 1.5 million."


def test_a_server_that_is_stopped_waits_for_none(
    viewer: Person, contract: Entity, start: Start, model: Model, service: Scope, wait_for: Any
) -> None:
    chat, hold = start(viewer, contract), threading.Event()
    for n in range(9):
        say(service, chat, f"Is berth {n} free?", f"Berth {n} is free from Monday.")
    model.script.push(chunks=["They agreed", " on nothing."], hold=hold, when=is_summary)
    model.says(text="Yes.")
    loop = asyncio.new_event_loop()
    server = threading.Thread(target=loop.run_forever, daemon=True)
    server.start()
    runner.use_loop(loop)
    try:
        turn = chat.post("Is it raining?")
        wait_for(lambda: summaries(model))
        assert chat.turn(turn)["state"] == "done"
        asyncio.run_coroutine_threadsafe(runner.shut_down(), loop).result(10)
    finally:
        runner.use_loop(None)
        hold.set()
        loop.call_soon_threadsafe(loop.stop)
        server.join()
    assert stored(service) == 0


@pytest.mark.parametrize("is_whole", [True, False])
def test_only_after_a_whole_answer_one_is_made(
    is_whole: bool, viewer: Person, contract: Entity, start: Start, model: Model, service: Scope
) -> None:
    chat = start(viewer, contract)
    for n in range(9):
        say(service, chat, f"Is berth {n} free?", f"Berth {n} is free from Monday.")
    model.script.push(text="They agreed.", when=is_summary)
    model.says(text="Yes, it is.", truncate=not is_whole)
    assert (chat.ask("Is it raining?")["state"] == "done") is is_whole
    assert len(summaries(model)) == stored(service) == is_whole


def test_nobody_pays_again_for_one_that_cannot_be_stored_or_is_not_due(
    viewer: Person, contract: Entity, start: Start, model: Model, service: Scope
) -> None:
    old, chat = start(viewer, contract), start(viewer, contract)
    say(service, old, "Is it wet?", "It is.", sources=[contract])  # as an older version wrote it
    say(service, chat, "Is it wet?", "It is.")
    for one in (old, chat):
        for n in range(8):
            say(service, one, f"Is berth {n} free?", f"Berth {n} is free from Monday.")
    for _ in range(2):
        model.says(text="Yes.")
        old.ask("Is it raining?")
    assert summaries(model) == []
    for _ in range(2):
        end(chat, model)
    assert len(summaries(model)) == 1
