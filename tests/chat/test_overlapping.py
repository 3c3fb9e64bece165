"""What a text repeats is deleted or raised while it is written: whichever comes first, and the other one waits."""

import threading
from functools import partial
from uuid import uuid4

import pytest
from django.db import connection

from chat.derivation import SourceLabel, hold_records
from chat.log import RecordForgotten
from chat.models import Message, Role, Turn
from entities.access import get_entity_or_404, list_atoms, raise_labels
from entities.actions import create_entity, delete_entity
from entities.models.classification import FINANCIAL, SECRET
from entities.types import Contract
from ingestion.models import Paragraph, RowParagraph
from tests.chat.said import Said, begin, say


class Beside(threading.Thread):
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


def is_somebody_waiting():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0


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
    chat, session = begin(alice, None, share) if shared else begin(alice, contract, start)
    for order in ("over", "first", "second"):
        with alice.scope.open():
            secret = create_entity(scope=alice.scope, model=Contract, fields={"name": "Settlement"})
            again = [SourceLabel(secret.pk, 0, (uuid4(),))]
        say(alice, session, secret, service)
        turn = Said(alice, session, service)
        if order == "second":  # the text is recorded, and the deletion waits
            turn.give()
            beside = []

            def delete_meanwhile(secret=secret, beside=beside):
                beside.append(Beside(partial(delete_record, alice, secret)))
                wait_for(is_somebody_waiting)

            turn.give(again, delete_meanwhile)
            assert [one.end() for one in beside] == [None]
        elif order == "first":  # the deletion is not over, and the text waits
            with alice.scope.open():
                delete_entity(scope=alice.scope, entity=get_entity_or_404(alice.scope, secret.pk))
                other = Beside(partial(turn.give, again))
                wait_for(is_somebody_waiting)
            assert isinstance(other.end(), RecordForgotten)
        else:
            delete_record(alice, secret)
            with pytest.raises(RecordForgotten):
                turn.give(again)
        turn.finish()
        with service.open():
            assert not Message.objects.filter(pk=turn.answer).exists(), order


def test_a_question_is_refused_below_what_was_deleted_since_it_was_read(
    alice, contract, share, service, superuser_connection, monkeypatch
):
    chat, session = begin(alice, None, share)
    say(alice, session, contract, service)

    def delete_first(*given):
        assert Beside(partial(delete_record, alice, contract)).end() is None
        hold_records(*given)

    monkeypatch.setattr("chat.derivation.hold_records", delete_first)
    assert alice.api.post(f"{chat.url}messages/", {"content": "So it is?"}).status_code == 400
    with service.open():
        assert Turn.objects.count() == 1
        assert not Message.objects.filter(content="So it is?").exists()


def test_a_paragraph_that_is_raised_as_it_is_repeated_raises_the_text(
    alice, contract, index, start, service, superuser_connection, wait_for
):
    """Whichever comes first; the other one waits. Only an earlier message names the paragraph."""
    chat, session = begin(alice, contract, start)
    file = index.file(contract, "plain.txt")
    index.row(contract, "The heron password is tangerine.", file=file)
    with service.open():
        heron = Paragraph.objects.get(file=file.pk).pk
        RowParagraph.objects.filter(paragraph=heron).delete()  # as when a decision is carried out
    first = say(alice, session, contract, service, passages=[heron])

    def raise_to(level, then=lambda: None):
        with service.open():
            Paragraph.objects.filter(pk=heron).update(data_classification=level)
            then()
            raise_labels({heron: level})

    def get_labels(*turns):
        with service.open():
            found = dict(Message.objects.filter(role=Role.ASSISTANT).values_list("turn", "data_classification"))
        return {found[turn.pk] for turn in turns}

    second = Said(alice, session, service)
    second.give()
    beside = []

    def meanwhile(work):
        beside.append(Beside(work))
        wait_for(is_somebody_waiting)

    raise_to(FINANCIAL, lambda: meanwhile(second.finish))
    assert [one.end() for one in beside] == [None]
    assert get_labels(first, second) == {FINANCIAL}
    third = Said(alice, session, service)
    third.give()
    third.finish(lambda: meanwhile(partial(raise_to, SECRET)))
    assert [one.end() for one in beside] == [None, None]
    (label,) = get_labels(first, second, third)
    with service.open():
        assert {*list_atoms(label)} == {FINANCIAL, SECRET}
