"""What a text repeats is deleted or raised while it is written: whichever comes first, and the other one waits."""

import threading
from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest
from django.db import connection

from chat import log
from chat.derivation import SourceLabel, hold_records
from chat.log import RecordForgotten
from chat.models import Event, Message, Role, Title, Turn
from entities.access import get_entity_or_404, list_atoms, raise_labels
from entities.actions import create_entity, delete_entity
from entities.models.classification import FINANCIAL, SECRET
from entities.types import Contract, Project, Task
from ingestion.models import File, Paragraph, RowParagraph
from tests.chat.conftest import is_somebody_waiting
from tests.chat.recorded_turns import RecordedTurn, begin_session, record_turn


class OverlappingWork(threading.Thread):
    """Something on a connection of its own. problem: what it ended with."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.problem = work, None
        self.start()

    def run(self):
        try:
            self.work()
        except Exception as problem:
            self.problem = problem
        finally:
            connection.close()

    def end(self):
        self.join(30)
        assert not self.is_alive()
        return self.problem


def delete_record(who, record, then=lambda: None):
    with who.scope.open():
        delete_entity(scope=who.scope, entity=get_entity_or_404(who.scope, record.pk))
        then()


@pytest.mark.parametrize("shared", [True, False])
def test_a_record_that_is_deleted_as_it_is_repeated_takes_the_text_with_it(
    alice, contract, share, start, service, superuser_connection, wait_for, shared
):
    """Whichever comes first; the other one waits. What is behind the text is named by an earlier message alone, and the
    record is given once more.
    """
    chat, session = begin_session(alice, None, share) if shared else begin_session(alice, contract, start)
    for order in ("over", "first", "second"):
        with alice.scope.open():
            secret = create_entity(scope=alice.scope, model=Contract, fields={"name": "Settlement"})
            again = [SourceLabel(secret.pk, 0, (uuid4(),))]
        record_turn(alice, session, secret, service)
        turn = RecordedTurn(alice, session, service)
        if order == "second":  # the text is recorded, and the deletion waits
            turn.give_prompt()
            beside = []

            def delete_meanwhile(secret=secret, beside=beside):
                beside.append(OverlappingWork(partial(delete_record, alice, secret)))
                wait_for(is_somebody_waiting)

            turn.give_prompt(again, delete_meanwhile)
            assert [one.end() for one in beside] == [None]
        elif order == "first":  # the deletion is not over, and the text waits
            with alice.scope.open():
                delete_entity(scope=alice.scope, entity=get_entity_or_404(alice.scope, secret.pk))
                other = OverlappingWork(partial(turn.give_prompt, again))
                wait_for(is_somebody_waiting)
            assert isinstance(other.end(), RecordForgotten)
        else:
            delete_record(alice, secret)
            with pytest.raises(RecordForgotten):
                turn.give_prompt(again)
        turn.finish()
        with service.open():
            assert not Message.objects.filter(pk=turn.answer).exists(), order


def test_a_question_is_refused_below_what_was_deleted_since_it_was_read(
    alice, contract, share, service, superuser_connection, monkeypatch
):
    chat, session = begin_session(alice, None, share)
    record_turn(alice, session, contract, service)

    def delete_first(*given):
        assert OverlappingWork(partial(delete_record, alice, contract)).end() is None
        hold_records(*given)

    monkeypatch.setattr("chat.derivation.hold_records", delete_first)
    assert alice.api.post(f"{chat.url}messages/", {"content": "So it is?"}).status_code == 400
    with service.open():
        assert Turn.objects.count() == 1
        assert not Message.objects.filter(content="So it is?").exists()


def test_a_name_is_not_written_above_what_was_deleted_since_it_was_typed(
    alice, contract, share, service, superuser_connection, monkeypatch
):
    """Of a message that is gone there are no sources to copy."""
    chat, session = begin_session(alice, None, share)
    record_turn(alice, session, contract, service)

    def delete_first(*given):
        assert OverlappingWork(partial(delete_record, alice, contract)).end() is None
        hold_records(*given)

    monkeypatch.setattr("chat.session_actions.hold_records", delete_first)
    assert alice.api.patch(chat.url, {"title": "As the settlement says"}).status_code == 200
    with service.open():
        assert not Title.objects.filter(text="As the settlement says").exists()


def test_records_that_go_together_are_waited_for_in_the_order_in_which_a_text_holds_them(
    alice, share, service, superuser_connection, wait_for, monkeypatch
):
    """One of them was given before, and another is given now, as both are deleted with what they belong to."""
    chat, session = begin_session(alice, None, share)
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay"})
        tasks = [
            create_entity(scope=alice.scope, model=Task, fields={"name": f"Task {n}", "project": project})
            for n in range(2)
        ]
    turn = RecordedTurn(alice, session, service)
    turn.give_prompt([SourceLabel(tasks[0].pk, 0)])
    turn.context = replace(turn.context, given=())  # what was given before is behind the answer already
    beside = []

    def renew_lease(*given):
        if not beside:  # the record given is held, the turn is not yet
            beside.append(OverlappingWork(partial(delete_record, alice, project)))
            wait_for(is_somebody_waiting)
        return take(*given)

    take = log._renew_lease
    monkeypatch.setattr(log, "_renew_lease", renew_lease)
    turn.give_prompt([SourceLabel(tasks[1].pk, 0)])
    assert beside[0].end() is None
    with service.open():
        assert not Message.objects.filter(pk=turn.answer).exists()


def test_a_file_that_is_deleted_as_it_is_repeated_takes_the_text_with_it(
    alice, contract, index, start, service, superuser_connection, wait_for
):
    """Whichever comes first; the other one waits. Only an earlier message names the file, by what came in it."""
    chat, session = begin_session(alice, contract, start)
    for order in ("first", "second"):
        message, file = (index.file(contract, f"{order}{n}.txt") for n in range(2))
        index.row(contract, f"The heron password is {order}.", file=file)
        with service.open():
            File.objects.filter(pk=file.pk).update(origin=message.pk, part=1)
            heron = Paragraph.objects.get(file=file.pk).pk
        first = record_turn(alice, session, contract, service, passages=[heron])
        turn = RecordedTurn(alice, session, service)

        def delete_file(then=lambda: None, message=message):
            with service.open():
                File.objects.filter(pk=message.pk)._raw_delete("default")
                then()

        beside = []

        def meanwhile(work, beside=beside):
            beside.append(OverlappingWork(work))
            wait_for(is_somebody_waiting)

        if order == "second":  # the text is recorded, and the deletion waits
            turn.give_prompt((), partial(meanwhile, delete_file))
            assert beside[0].end() is None
        else:
            delete_file(partial(meanwhile, turn.give_prompt))
            assert isinstance(beside[0].end(), RecordForgotten)
        turn.finish()
        with service.open():
            assert not Message.objects.filter(pk__in=[first.answer, turn.answer]).exists(), order


def test_a_paragraph_that_is_raised_as_it_is_repeated_raises_the_text(
    alice, contract, index, start, service, superuser_connection, wait_for
):
    """Whichever comes first; the other one waits. Only an earlier message names the paragraph."""
    chat, session = begin_session(alice, contract, start)
    file = index.file(contract, "plain.txt")
    index.row(contract, "The heron password is tangerine.", file=file)
    with service.open():
        heron = Paragraph.objects.get(file=file.pk).pk
        RowParagraph.objects.filter(paragraph=heron).delete()  # as when a decision is carried out
    first = record_turn(alice, session, contract, service, passages=[heron])

    def raise_to(level, then=lambda: None):
        with service.open():
            Paragraph.objects.filter(pk=heron).update(data_classification=level)
            then()
            raise_labels({heron: level})

    def get_labels(*turns):
        with service.open():
            found = dict(Message.objects.filter(role=Role.ASSISTANT).values_list("turn", "data_classification"))
        return {found[turn.pk] for turn in turns}

    second = RecordedTurn(alice, session, service)
    second.give_prompt()
    beside = []

    def meanwhile(work):
        beside.append(OverlappingWork(work))
        wait_for(is_somebody_waiting)

    raise_to(FINANCIAL, lambda: meanwhile(second.finish))
    assert [one.end() for one in beside] == [None]
    assert get_labels(first, second) == {FINANCIAL}
    third = RecordedTurn(alice, session, service)
    third.give_prompt()
    third.finish(lambda: meanwhile(partial(raise_to, SECRET)))
    assert [one.end() for one in beside] == [None, None]
    (label,) = get_labels(first, second, third)
    with service.open():
        assert {*list_atoms(label)} == {FINANCIAL, SECRET}


def test_a_write_waits_for_no_raise_and_the_next_one_raises_what_was_written(
    alice, contract, index, start, service, superuser_connection, wait_for
):
    """Only an earlier message names the paragraph. The end waits: `test_a_paragraph_that_is_raised_as_it_is_…`."""
    chat, session = begin_session(alice, contract, start)
    file = index.file(contract, "plain.txt")
    index.row(contract, "The heron password is tangerine.", file=file)
    with service.open():
        heron = Paragraph.objects.get(file=file.pk).pk
        RowParagraph.objects.filter(paragraph=heron).delete()  # as when a decision is carried out
    record_turn(alice, session, contract, service, passages=[heron])
    turn = RecordedTurn(alice, session, service)
    turn.give_prompt()

    def read_labels():
        with service.open():
            events = Event.objects.filter(turn=turn.pk, kind="token").order_by("seq")
            return list(events.values_list("data_classification", flat=True))

    before = turn.context.label
    assert turn.write("The password ").label == before
    with service.open():
        Paragraph.objects.filter(pk=heron).update(data_classification=SECRET)
        raise_labels({heron: SECRET})
        assert OverlappingWork(partial(turn.write, "is ")).end() is None, "it is over while the raise is not"
    assert read_labels() == [before] * 2, "it came before the raise"
    raised = turn.write("tangerine.").label
    with service.open():
        assert {*list_atoms(raised)} == {*list_atoms(before), SECRET}
    assert read_labels() == [raised] * 3
    turn.finish()
    with service.open():
        assert Message.objects.get(turn=turn.pk, role=Role.ASSISTANT).data_classification == raised
