"""What a turn writes down of what it was drawn from is bounded by what it was newly given, however long the
conversation is; and everything behind it is asked for all the same.
"""

from importlib import import_module
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, transaction

from chat.message_sources import BLOCK, get_block, select_message_sources
from chat.models import Message, Role, Title, Turn
from entities.access import grant_entity, raise_labels
from entities.actions import create_entity
from entities.models import Entity, Source
from entities.models.classification import FINANCIAL
from entities.models.entity import Visibility
from entities.types import Contract
from tests.chat.conftest import Chat
from tests.chat.recorded_turns import PASSAGES, begin_session, count_texts, record_turn


def list_source_passages(turn: UUID, role: Role) -> set[UUID]:
    found = list(
        select_message_sources(Turn.objects.get(pk=turn), role)
        .filter(passage__isnull=False)
        .values_list("passage", flat=True)
    )
    assert len(found) == len(set(found))
    return set(found)


def count_rows():
    return Source.objects.count()


@pytest.mark.parametrize("shared", [True, False])
def test_rows_of_a_turn_are_bounded_and_everything_stands_behind_it(
    alice, viewer, contract, share, start, service, superuser_connection, shared
):
    chat, session = begin_session(alice, None, share) if shared else begin_session(alice, contract, start)
    known: set[UUID] = set()
    with service.open():
        before = count_rows()
    for n in range(5):
        passages = [uuid4() for _ in range(PASSAGES)]
        again = sorted(known)[:PASSAGES]  # what another turn was given is there already
        who = [alice, viewer][n % 2] if shared else alice
        turn = record_turn(who, session, contract, service, passages + again, counted=[contract.pk] if n == 1 else [])
        with service.open():
            assert count_rows() - before <= (PASSAGES + 1) * (n + 1) + 1
            assert list_source_passages(turn.pk, Role.USER) == (known if shared else set())
            known |= set(passages)
            assert list_source_passages(turn.pk, Role.ASSISTANT) == known
    with service.open():
        turn = Turn.objects.get(pk=turn.pk)
        assert len(turn.answer_from) == 1, "one range, however long it is"
        assert Source.objects.filter(derived__in=Title.objects.values("pk")).count() == 0
    assert count_texts(chat) == 10
    assert chat.turn(str(turn.pk))["drew_on"]["passages"] in (len(known), len(known) + 1)  # or the record's own fields

    # As it was written before, and changed by the migration; and back.
    migration = import_module("chat.migrations.0011_message_sources")
    with service.open():
        turns = list(Turn.objects.order_by("number"))
        behind = {(t.pk, role): list_source_passages(t.pk, role) for t in turns for role in Role}
        rows = count_rows()
    shown = [chat.turn(str(t.pk))["drew_on"] for t in turns]
    run = superuser_connection.execute
    run("ALTER TABLE chat_turn DISABLE TRIGGER keep_drawn")
    try:
        for step, most in (("COPY", 0), ("SHARE", rows), ("COPY", 0), ("SHARE", rows)):
            with superuser_connection.transaction():
                run(getattr(migration, step))
            with service.open():
                assert {(t.pk, role): list_source_passages(t.pk, role) for t in turns for role in Role} == behind
                assert Source.objects.filter(number=None).exists() == (step == "COPY")
                assert not most or count_rows() == most
                assert len(Turn.objects.get(pk=turn.pk).answer_from) == (step == "SHARE")
            assert [chat.turn(str(t.pk))["drew_on"] for t in turns] == shown
    finally:
        run("ALTER TABLE chat_turn ENABLE TRIGGER keep_drawn")
    later = record_turn(alice, session, contract, service)
    with service.open():
        assert list_source_passages(later.pk, Role.ASSISTANT) > known


def test_what_is_behind_a_message_binds_it_through_others(
    alice, viewer, contract, restricted, share, service, superuser_connection
):
    """Hidden, raised and deleted with what only an earlier turn was given, and with nothing else."""
    chat, session = begin_session(alice, None, share)
    theirs = Chat(viewer, chat.session)
    secret = uuid4()
    turns = [
        record_turn(alice, session, contract, service),
        record_turn(alice, session, restricted, service, passages=[secret]),
    ]
    turns += [record_turn(alice, session, contract, service) for _ in range(2)]
    assert (count_texts(chat), count_texts(theirs)) == (8, 3)
    beside = record_turn(viewer, session, contract, service)
    assert (count_texts(chat), count_texts(theirs)) == (10, 5)
    absent = viewer.api.get(f"/api/chat/turns/{uuid4()}/").content
    for turn in turns[2:]:
        assert viewer.api.get(f"/api/chat/turns/{turn.pk}/").content == absent
    assert viewer.api.get("/api/chat/sessions/?q=So it is").json()["count"] == 1
    with service.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    assert count_texts(theirs) == 10
    sources = alice.api.get(f"/api/chat/turns/{turns[3].pk}/context/").json()["sources"]
    assert {one["entity"]["id"] for one in sources} == {str(contract.pk), str(restricted.pk)}

    # Nobody makes less of what a text was drawn from, and its asker says it once.
    mine = Turn.objects.filter(pk=turns[3].pk)
    for who, values in (
        (service, {"answer_from": "{}"}),
        (service, {"question_from": "{[1,2)}"}),
        (alice.scope, {"question_from": "{[0,99999999999)}"}),
        (alice.scope, {"answer_from": "{[0,99999999999)}"}),
        (alice.scope, {"answer_from": "{}"}),
    ):
        with who.open(), pytest.raises(DatabaseError, match="settled"), transaction.atomic():
            mine.update(**values)
    with viewer.scope.open():
        assert mine.update(question_from="{[0,99999999999)}") == 0
        assert Source.objects.filter(derived=session.pk)._raw_delete("default") == 0

    with service.open():
        # The answer that had it, and what was typed and answered below by who read it.
        assert raise_labels({secret: FINANCIAL}) == 5
        labels = dict(Message.objects.values_list("pk", "data_classification"))
    assert [labels[t.answer] for t in turns] == [0, FINANCIAL, FINANCIAL, FINANCIAL]
    assert (labels[turns[1].question], labels[beside.question], labels[beside.answer]) == (0, 0, 0)

    assert alice.api.delete(f"/api/entities/contract/{restricted.pk}/?forever=1").status_code == 204
    with service.open():
        left = set(Message.objects.values_list("pk", flat=True))
        gone = {t.answer for t in turns[1:]} | {t.question for t in turns[2:]}
        assert left == {turns[0].question, turns[0].answer, turns[1].question, beside.question, beside.answer}
        assert not left & gone
    assert alice.api.delete(chat.url).status_code == 204
    with service.open():
        assert not Source.objects.filter(derived=session.pk).exists()


def test_what_a_member_adds_to_the_sources_of_a_conversation_stands_in_for_nothing(
    alice, viewer, contract, restricted, share, service, superuser_connection
):
    """Nor does it hide anything. Numbers are given by the service, and by who asks in the block of their question."""
    chat, session = begin_session(alice, None, share)
    theirs = Chat(viewer, chat.session)
    record_turn(alice, session, contract, service)
    record_turn(viewer, session, contract, service)
    own = {"workspace_id": session.workspace_id, "derived": session.pk}
    for number in (
        get_block(3, Role.ASSISTANT) + BLOCK - 1,
        get_block(3, Role.USER),
        get_block(2, Role.USER),  # their own, of which it is said what is behind it
        get_block(2, Role.ASSISTANT),
        -1,
    ):
        with viewer.scope.open(), pytest.raises(DatabaseError, match="settled"), transaction.atomic():
            Source.objects.create(**own, entity_id=contract.pk, number=number)
    secret = uuid4()
    with viewer.scope.open():
        Source.objects.create(**own, entity_id=restricted.pk, passage=secret)
        Source.objects.create(**own, entity_id=contract.pk, passage=secret)
    assert (count_texts(chat), count_texts(theirs)) == (4, 4)
    turn = record_turn(alice, session, restricted, service, passages=[secret])
    assert (count_texts(chat), count_texts(theirs)) == (6, 5)
    with service.open():
        assert list_source_passages(turn.pk, Role.ASSISTANT) >= {secret}
        assert raise_labels({secret: FINANCIAL}) == 1

        # As many as a block has, and not one more: it would be in no set.
        last = Source.objects.create(**own, entity_id=contract.pk, number=get_block(4, Role.ASSISTANT) + BLOCK - 1)
    with pytest.raises(OverflowError):
        record_turn(alice, session, restricted, service)
    with service.open():
        last.delete()
        Entity.objects.filter(pk=restricted.pk)._raw_delete("default")
        assert not Message.objects.filter(pk=turn.answer).exists()


def test_a_number_in_several_lists_goes_with_the_last_record_that_it_counts(
    alice, viewer, contract, share, service, superuser_connection
):
    """An answer that repeats two numbers stays while somebody is left of either, and is one list to its reader."""
    with alice.scope.open():
        lots = [create_entity(scope=alice.scope, model=Contract, fields={"name": f"Lot {n}"}).pk for n in range(4)]
    chat, session = begin_session(alice, None, share)
    first = record_turn(alice, session, contract, service, counted=lots[:2])
    second = record_turn(alice, session, contract, service, counted=lots[1:3])
    with service.open():
        lists = Source.objects.filter(derived=session.pk, counted__isnull=False).order_by("number")
        assert [set(one.counted) for one in lists] == [set(lots[:2]), {lots[2]}]
    assert chat.turn(str(second.pk))["drew_on"]["counts"] == 1
    listed = [one["listed"] for one in alice.api.get(f"/api/chat/turns/{second.pk}/context/").json()["sources"]]
    assert sum(listed) == 3
    with service.open():
        Contract.objects.filter(pk=lots[2])._raw_delete("default")
        assert Message.objects.filter(pk=second.answer).exists(), "of the other list two are left"
        Contract.objects.filter(pk=lots[0])._raw_delete("default")
        assert Message.objects.filter(pk=first.answer).exists()
    hide = Entity.objects.filter(pk=lots[1])
    with service.open():
        hide.update(visibility=Visibility.RESTRICTED)
    assert count_texts(Chat(viewer, chat.session)) == 1
    with service.open():
        hide._raw_delete("default")
        assert not Message.objects.filter(pk__in=[first.answer, second.answer]).exists(), "nobody is left"
