"""A paragraph is raised while an answer is drawn from it: before, beside and after its writes."""

import asyncio
from functools import partial

import pytest
from django.db.models.functions import Now

from chat import log
from chat.derivation import SourceLabel
from chat.models import Event, EventKind, Message, Role, Turn
from chat.running import Run
from chat.steps import Asker
from entities.access import combine_many, list_atoms, raise_labels
from entities.models import Entity, FieldParagraph
from entities.models.classification import FINANCIAL, PII, SECRET
from entities.text import write_text
from entities.types import Contract
from ingestion.models import File, Paragraph, RecordIndex, RowParagraph
from ingestion.records import index_record
from ingestion.relabelling import apply_decision, build_decision
from tests.chat.conftest import is_somebody_waiting
from tests.chat.recorded_turns import RecordedTurn, begin_session
from tests.chat.test_overlapping import OverlappingWork


@pytest.fixture
def heron(contract, index, service):
    """The id of a paragraph that everybody reads, whose index row says nothing of it."""
    file = index.file(contract, "plain.txt")
    index.row(contract, "The heron password is tangerine.", file=file)
    with service.open():
        pk = Paragraph.objects.get(file=file.pk).pk
        RowParagraph.objects.filter(paragraph=pk).delete()
    return pk


@pytest.fixture
def typed(contract, service):
    """The id of a paragraph of a field."""
    own = {"workspace_id": service.workspace, "entity_id": contract.pk, "field": "notes", "position": 0}
    text = "The heron password is tangerine."
    with service.open():
        return FieldParagraph.objects.create(**own, text=text, digest="x", data_classification=0).pk


def raise_paragraph(service, paragraph, model=Paragraph, then=lambda: None):
    with service.open():
        found = [{"source": "rules", "labels": [SECRET], "reason": ""}]
        model.objects.filter(pk=paragraph).update(data_classification=SECRET, votes=found)
        raise_labels({paragraph: SECRET})
        then()


@pytest.fixture
def run(viewer, contract, start, service, heron, typed):
    """A turn whose model has been given both, as the runner keeps it."""
    _, session = begin_session(viewer, contract, start)
    turn = RecordedTurn(viewer, session, service)
    turn.give_prompt([SourceLabel(contract.pk, 0, (heron, typed))])
    with service.open():
        row = Turn.objects.get(pk=turn.pk)
    asker = Asker(service.workspace, viewer.user.pk, viewer.scope.slug, session.pk)
    return Run(asker, turn.pk, session, turn.holder, row, manifest={"passages": []})


def write(run, text):
    run.say(EventKind.TOKEN, text=text)
    asyncio.run(run.flush())


def list_written_atoms(service, run):
    with service.open():
        rows = Event.objects.filter(turn=run.turn, kind="token").values_list("data_classification", flat=True)
        return [{*list_atoms(label)} for label in rows]


def test_what_is_said_while_a_write_finds_a_raise_rises_with_the_next(service, typed, run, monkeypatch):
    append = log.append

    def say_meanwhile(*given):
        found = append(*given)
        run.say(EventKind.TOKEN, text="is tangerine")
        return found

    raise_paragraph(service, typed, FieldParagraph)
    with monkeypatch.context() as patch:
        patch.setattr(log, "append", say_meanwhile)
        write(run, "The password ")
    write(run, ", he said.")
    assert list_written_atoms(service, run) == [{SECRET}] * 3


def test_what_was_written_before_more_was_given_rises(contract, service, heron, run):
    """Also to levels that the answer has already, from what was given since."""
    write(run, "The password is tangerine")
    asyncio.run(run.give([SourceLabel(contract.pk, SECRET)]))
    raise_paragraph(service, heron)
    write(run, ", he said.")
    assert list_written_atoms(service, run) == [{SECRET}] * 2


def test_an_edit_waits_for_who_raises_what_it_replaces(alice, contract, service, typed, wait_for, superuser_connection):
    """The new text is not below the label that the old one has by then."""
    beside = []

    def edit():
        with alice.scope.open():
            write_text(alice.scope, Contract.objects.get(pk=contract.pk), "notes", "The heron password is orange.")

    def edit_meanwhile():
        beside.append(OverlappingWork(edit))
        wait_for(is_somebody_waiting)

    raise_paragraph(service, typed, FieldParagraph, edit_meanwhile)
    assert beside[0].end() is None
    with service.open():
        assert [{*list_atoms(p.floor)} for p in FieldParagraph.objects.filter(entity=contract.pk)] == [{SECRET}]


def test_a_text_is_edited_while_its_paragraphs_get_their_labels(
    alice, contract, service, typed, wait_for, superuser_connection
):
    """Both take the record first: or labelling would hold paragraphs, and the edit the record, that the other needs."""
    with service.open():
        FieldParagraph.objects.filter(pk=typed).update(data_classification=None)
        RecordIndex.objects.filter(entity=contract.pk).update(stale_since=Now(), claim=None, claimed_until=None)
    with alice.scope.open():
        list(Entity.objects.select_for_update(no_key=True).filter(pk=contract.pk).order_by().values_list("pk"))
        labelling = OverlappingWork(partial(index_record, service.workspace, contract.pk))
        wait_for(is_somebody_waiting)
        write_text(alice.scope, Contract.objects.get(pk=contract.pk), "notes", "The heron is fed at noon.")
    assert labelling.end() is None
    with service.open():
        assert [p.text for p in FieldParagraph.objects.filter(entity=contract.pk)] == ["The heron is fed at noon."]


def test_the_end_of_an_answer_locks_no_file(viewer, contract, start, service, heron, wait_for, superuser_connection):
    """Publishing, and a decision, lock the file and then its paragraphs: both would wait for each other."""
    _, session = begin_session(viewer, contract, start)
    turn = RecordedTurn(viewer, session, service)
    turn.give_prompt([SourceLabel(contract.pk, 0, (heron,))])
    with service.open():
        list(File.objects.select_for_update().filter(pk__in=Paragraph.objects.filter(pk=heron).values("file")))
        ending = OverlappingWork(turn.finish)
        ending.join(10)
        list(Paragraph.objects.select_for_update().filter(pk=heron))
    assert ending.end() is None


def test_who_waits_for_it_reads_its_new_label(
    alice, viewer, contract, start, service, heron, wait_for, superuser_connection
):
    """The end of an answer that was drawn from it, and then somebody else's decision on it."""
    chat, session = begin_session(viewer, contract, start)
    turn = RecordedTurn(viewer, session, service)
    turn.give_prompt([SourceLabel(contract.pk, 0, (heron,))])
    with alice.scope.open():
        decision = build_decision(alice.scope, Paragraph.objects.get(pk=heron), frozenset({PII}), "People", "")
    for other, work in ((FINANCIAL, turn.finish), (PII, partial(apply_decision, decision))):
        with service.open():
            Paragraph.objects.select_for_update().get(pk=heron)
            label = combine_many([SECRET, other])
            Paragraph.objects.filter(pk=heron).update(data_classification=label)
            raise_labels({heron: label})
            waiting = OverlappingWork(work)
            wait_for(is_somebody_waiting)
        assert waiting.end() is None
    with service.open():
        answer = Message.objects.get(turn=turn.pk, role=Role.ASSISTANT)
        assert {*list_atoms(answer.data_classification)} >= {SECRET, FINANCIAL}
    assert [message.get("content") for message in chat.messages()] == ["What now?", None]
