"""A label that rises, or a record that goes, while an answer is written or after: the text follows."""

import json
import threading
from uuid import uuid4

import pytest
from django.db import connection

from chat import runner
from chat.models import Event, Message, Session, Turn
from chat.passage_names import load_name_labels
from entities.access import grant_entity, list_atoms, raise_labels, revoke_entity
from entities.actions import delete_entity
from entities.models import Source
from entities.models.classification import FINANCIAL, SECRET
from ingestion.models import ContextRow, Kind, Paragraph, RowParagraph
from ingestion.relabelling import Decision, apply_decision
from tests.chat.conftest import is_somebody_waiting, text_of
from tests.ingestion.helpers import ready

HERON = "The heron password is tangerine, said the harbour master."


@pytest.fixture
def heron(contract, index, service):
    """A paragraph of a file, found by a search."""
    file = index.file(contract, "plain.txt")
    index.row(contract, HERON, file=file)
    with service.open():
        return Paragraph.objects.get(file=file.pk)


def ask_about_heron(viewer, contract, start, model, **answer):
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "heron password"}))
    model.says(**answer)
    return chat, chat.post("What is the heron password?")


def raise_to_secret(alice, paragraph):
    answer = alice.api.patch(
        f"/api/paragraphs/{paragraph.pk}/", {"labels": [SECRET], "reason": "secret"}, format="json"
    )
    assert answer.status_code == 200, answer.content


def tokens(scope, turn):
    with scope.open():
        return list(Event.objects.filter(turn=turn, kind="token").values_list("data", "data_classification"))


def test_a_label_raised_in_mid_stream_takes_what_was_sent_and_what_comes(
    alice, viewer, contract, heron, start, model, service, wait_for
):
    hold = threading.Event()
    chat, turn = ask_about_heron(
        viewer, contract, start, model, chunks=["The password is tangerine, ", "tangerine I say [1]."], hold=hold
    )
    wait_for(lambda: tokens(viewer.scope, turn))
    raise_to_secret(alice, heron)
    try:
        wait_for(lambda: tokens(service, turn) and not tokens(viewer.scope, turn))
    finally:
        hold.set()
    runner.wait_until_idle()
    assert [label for _, label in tokens(service, turn)] == [SECRET] * len(tokens(service, turn))
    assert text_of(chat.events(turn)) == ""
    assert "tangerine" not in json.dumps(chat.turn(turn))


def test_nothing_raised_nothing_hidden(viewer, contract, heron, start, model):
    chat, turn = ask_about_heron(viewer, contract, start, model, text="The password is tangerine [1].")
    runner.wait_until_idle()
    assert text_of(chat.events(turn)) == "The password is tangerine [citation:1]."
    assert "tangerine" in json.dumps(chat.turn(turn))


def test_a_label_that_is_being_raised_while_the_answer_ends_is_waited_for(
    alice, viewer, contract, heron, start, model, service, wait_for
):
    hold = threading.Event()
    chat, turn = ask_about_heron(viewer, contract, start, model, text="The password is tangerine [1].", hold=hold)

    def over_or_waiting():
        return is_somebody_waiting() or Turn.objects.filter(pk=turn, state="done").exists()

    with service.open():
        wait_for(lambda: Turn.objects.exclude(manifest={}).filter(pk=turn, manifest__searches=1).exists())
        RowParagraph.objects.filter(paragraph=heron.pk).delete()  # as when a decision is carried out
        Paragraph.objects.filter(pk=heron.pk).update(data_classification=SECRET, floor=SECRET)
        hold.set()
        wait_for(over_or_waiting)
    runner.wait_until_idle()
    with service.open():
        assert Message.objects.get(turn=turn, role="assistant").data_classification == SECRET
    assert "tangerine" not in json.dumps(chat.turn(turn))
    assert text_of(chat.events(turn)) == ""


def test_two_paragraphs_behind_an_answer_that_rise_at_the_same_time_both_raise_it(
    viewer, contract, heron, start, model, service, wait_for
):
    """The second waits for the first, and then finds the answer with another label than it had."""
    chat, turn = ask_about_heron(viewer, contract, start, model, text="The password is tangerine [1].")
    runner.wait_until_idle()
    passages = [uuid4(), uuid4()]
    with service.open():
        answer = Message.objects.get(turn=turn, role="assistant")
        Source.objects.bulk_create(
            Source(workspace_id=service.workspace, derived=answer.pk, entity_id=contract.pk, passage=passage)
            for passage in passages
        )

    def raise_second():
        with service.open():
            raise_labels({passages[1]: SECRET})
        connection.close()

    second = threading.Thread(target=raise_second, daemon=True)
    with service.open():
        assert raise_labels({passages[0]: FINANCIAL}) == 1
        second.start()
        wait_for(is_somebody_waiting)
    second.join(30)
    with service.open():
        answer.refresh_from_db()
        assert {*list_atoms(answer.data_classification)} == {FINANCIAL, SECRET}


def test_a_decision_after_the_end_finds_the_answer(alice, viewer, contract, heron, start, model, service):
    chat, turn = ask_about_heron(viewer, contract, start, model, text="The password is tangerine [1].")
    runner.wait_until_idle()
    assert "tangerine" in json.dumps(chat.turn(turn))
    apply_decision(Decision(service.workspace, heron.pk, True, frozenset({SECRET}), "secret", alice.user.pk))
    assert "tangerine" not in json.dumps(chat.turn(turn))


def test_an_answer_from_a_summary_rises_with_the_paragraph_that_was_summarised(
    alice, viewer, contract, index, start, model, service
):
    file = index.file(contract, "birds.txt")
    index.row(contract, "Of birds.", file=file, position=0)
    index.row(contract, "Of the harbour's fences.", file=file, position=1)
    summary = index.row(contract, HERON, kind=Kind.FILE_SUMMARY)
    with service.open():
        ContextRow.objects.filter(file=file.pk).delete()  # so that the search finds the summary alone
        birds, fences = Paragraph.objects.filter(file=file.pk).order_by("position")
        Source.objects.create(workspace_id=service.workspace, derived=summary, entity_id=contract.pk, passage=birds.pk)
    chat, turn = ask_about_heron(viewer, contract, start, model, text="The password is tangerine.")
    runner.wait_until_idle()
    raise_to_secret(alice, fences)
    assert "tangerine" in json.dumps(chat.turn(turn))
    raise_to_secret(alice, birds)
    assert "tangerine" not in json.dumps(chat.turn(turn))
    assert text_of(chat.events(turn)) == ""


@pytest.fixture
def settlement(alice, viewer, restricted, index, service):
    """A record that viewer may see for now, with a passage."""
    with service.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    index.row(restricted, "The settlement sum was paid to Ms Olufsen in March.")
    return restricted


def ask_about_settlement(viewer, contract, start, model, **answer):
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "settlement sum Olufsen", "scope": "workspace"}))
    model.says(**answer)
    return chat, chat.post("Who got the settlement?")


def test_a_deleted_record_does_not_bring_back_the_answers_drawn_from_it(
    alice, viewer, contract, settlement, start, model, service
):
    chat, turn = ask_about_settlement(viewer, contract, start, model, text="It was paid to Ms Olufsen [1].")
    runner.wait_until_idle()
    assert "Olufsen" in json.dumps(chat.messages())
    with service.open():
        revoke_entity(settlement, viewer.user.pk)
    assert "Olufsen" not in json.dumps(chat.messages())
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=settlement)
    assert "Olufsen" not in json.dumps(chat.messages())
    assert text_of(chat.events(turn)) == ""
    assert tokens(service, turn) == []


def test_answers_drawn_from_other_records_stay(alice, viewer, contract, settlement, heron, start, model):
    chat, turn = ask_about_heron(viewer, contract, start, model, text="The password is tangerine [1].")
    runner.wait_until_idle()
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=settlement)
    assert "tangerine" in json.dumps(chat.messages())
    assert text_of(chat.events(turn))


def test_a_record_deleted_while_the_answer_is_written_ends_it_without_text(
    alice, viewer, contract, settlement, start, model, service, wait_for
):
    hold = threading.Event()
    chat, turn = ask_about_settlement(
        viewer, contract, start, model, chunks=["It was paid to ", "Ms Olufsen [1]."], hold=hold
    )
    wait_for(lambda: tokens(viewer.scope, turn))
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=settlement)
    hold.set()
    runner.wait_until_idle()
    ended = chat.turn(turn)
    assert (ended["state"], ended["message"]) == ("failed", None)
    assert "was deleted" in ended["error"]["detail"]
    assert tokens(service, turn) == []
    model.says(text="Fine.")
    assert chat.ask("And now?")["state"] == "done"


def test_a_number_is_cited_only_where_it_stood_in_the_prompt(viewer, contract, index, start, model):
    index.row(contract, "The quay opens in May for barges of any size.")
    index.row(contract, "The crane was inspected by Lloyds in June last year.")
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "quay crane"}))
    model.says(text="The quay opens in May [1].")
    assert "[citation:1]" in chat.ask("When does the quay open?")["message"]["content"]
    model.says(text="The mayor resigned [2]. The quay opens in May [1].")
    content = chat.ask("What about the mayor?")["message"]["content"]
    assert content == "The mayor resigned. The quay opens in May [citation:1]."


def test_a_number_of_a_record_that_is_hidden_now_neither_cites_nor_hides_the_answer(
    viewer, contract, settlement, start, model, service
):
    chat, turn = ask_about_settlement(viewer, contract, start, model, text="It was paid [1].")
    runner.wait_until_idle()
    with service.open():
        revoke_entity(settlement, viewer.user.pk)
    model.says(text="Nothing is known [1].")
    answer = chat.ask("And now?")["message"]
    assert answer["content"] == "Nothing is known."
    with service.open():
        assert Session.objects.filter(pk=chat.session).exists()


def test_the_inspector_measures_nothing_of_an_answer_that_is_hidden_now(alice, viewer, contract, heron, start, model):
    chat, turn = ask_about_heron(viewer, contract, start, model, text="The password is tangerine [1].")
    runner.wait_until_idle()
    api, page = f"/api/chat/turns/{turn}/context/", f"{viewer.base}chat/turns/{turn}/context/"
    before = viewer.api.get(api).json()
    assert before["tokens"] == sum(layer["tokens"] for layer in before["layers"]) > 0
    assert before["usage"]["input"] > 0
    assert "tokens, estimated" in viewer.client.get(page).content.decode()
    raise_to_secret(alice, heron)
    assert {key: value for key, value in viewer.api.get(api).json().items() if value} == {}
    shown = viewer.client.get(page).content.decode()
    assert "tokens, estimated" not in shown
    assert "Secret" not in shown.split("<main", 1)[1]


def test_an_answer_rises_with_a_heading_that_was_told_with_its_passage(
    alice, cfo, contract, start, model, service, monkeypatch
):
    """It stands in no passage of its own that was found; only the path of another named it."""
    body = "# Cranes of T. Wrona\n\n" + "The hire of the crane comes to 40,000 pounds. " * 8
    body += "\n\n# Fenders of P. Havel\n\n" + "The lease of a fender is 9,000 euros. " * 8
    ready(alice, contract, "cranes.md", body.encode())
    with service.open():
        heading, other = Paragraph.objects.filter(kind="heading").order_by("position")
        headings = [heading.pk, other.pk]
        ContextRow.objects.filter(paragraph_links__paragraph__in=headings)._raw_delete("default")
    assert heading.data_classification == 0
    chat = start(cfo, contract)
    model.says(tool_use=("search_knowledge", {"query": "hire of the crane"}))
    model.says(text="It is told among the cranes of T. Wrona [1].")
    turn = chat.post("What does the crane cost?")
    runner.wait_until_idle()
    assert "Cranes of T. Wrona" in model.requests[1].text
    assert "Wrona" in json.dumps(chat.turn(turn))
    raise_to_secret(alice, heading)
    assert "Wrona" not in json.dumps(chat.turn(turn))

    def raise_meanwhile(results):
        raising = threading.Thread(target=lambda: (raise_to_secret(alice, other), connection.close()))
        raising.start()
        raising.join()
        return load_name_labels(results)

    for told in (True, False):
        if not told:  # it rises after the passages were read, before their headings are
            monkeypatch.setattr("chat.tools.load_name_labels", raise_meanwhile)
        model.says(tool_use=("search_knowledge", {"query": "lease of a fender"}))
        model.says(text="9,000 euros.")
        chat.ask("What does the fender cost?")
        assert "The lease of a fender" in model.requests[-1].text
        assert ("Fenders of P. Havel" in model.requests[-1].text) is told
