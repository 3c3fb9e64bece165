"""What a turn writes down of what it was drawn from is bounded by what it was newly given, however long the
conversation is; and everything behind it is asked for all the same.
"""

import os
import time
from importlib import import_module
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from chat import log
from chat.actions import add_turn
from chat.context import assemble
from chat.derivation import SourceLabel, hold_records, record_sources
from chat.drawn import BLOCK, select_message_sources
from chat.labelling import label_question
from chat.log import TurnEnding
from chat.models import Message, Role, Session, State, Title, Turn
from chat.typed import read_derivation
from entities.access import grant_entity, raise_labels
from entities.actions import create_entity
from entities.models import Entity, Source, Weight
from entities.models.classification import FINANCIAL
from entities.models.entity import Visibility
from entities.types import Contract
from tests.chat.conftest import Chat

PASSAGES = 12
"""That each turn is given of its own."""
LONG = int(os.environ.get("CLEARANCE_LONG_TURNS", "0"))


def say(who, session, record, service, text="What now?", passages=None, counted=()):
    """A turn as the product runs it, without a model: the question, its prompt, passages of its own, the answer."""
    passages = passages or [uuid4() for _ in range(PASSAGES)]
    own = {"workspace_id": session.workspace_id, "audience": session.audience, "owner": who.scope.principal}
    with who.scope.open():
        turn = Turn(**own, session_id=session.pk, lease_until=timezone.now() + log.LEASE)
        assert add_turn(who.scope, turn)
        behind = read_derivation(who.scope, session, text)
        Message(
            **own,
            pk=turn.question,
            session_id=session.pk,
            turn_id=turn.pk,
            role=Role.USER,
            content=text,
            found=sorted(behind.atoms),
        ).save(force_insert=True)
        hold_records(session, behind.sources)
        record_sources(session, turn, Role.USER, behind.sources)
    holder = uuid4()
    with service.open():
        assert log.claim(service, turn.pk, holder)
        label_question(service, turn.pk, 0, frozenset())
    with who.scope.open():
        context = assemble(who.scope, session, Turn.objects.get(pk=turn.pk), text)
    given = [*context.given, SourceLabel(record.pk, 0, tuple(passages))]
    given += [SourceLabel(pk, 0, weight=Weight.COUNT) for pk in counted]
    with service.open():
        log.record_prompt_sources(service, turn.pk, holder, given, {"passages": []}, context.label)
        log.finish(service, turn.pk, holder, [], TurnEnding(State.DONE, "So it is.", context.label))
    return turn


def begin(who, entity, share):
    chat = share(who, entity)
    with who.scope.open():
        return chat, Session.objects.get(pk=chat.session)


def count_texts(chat):
    return sum(message["type"] == "text" for message in chat.messages())


def passages_behind(turn: UUID, role: Role) -> set[UUID]:
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
    chat, session = begin(alice, None, share) if shared else begin(alice, contract, start)
    known: set[UUID] = set()
    with service.open():
        before = count_rows()
    for n in range(5):
        passages = [uuid4() for _ in range(PASSAGES)]
        again = sorted(known)[:PASSAGES]  # what another turn was given is there already
        turn = say([alice, viewer][n % 2] if shared else alice, session, contract, service, passages=passages + again)
        with service.open():
            assert count_rows() - before <= (PASSAGES + 1) * (n + 1)
            assert passages_behind(turn.pk, Role.USER) == (known if shared else set())
            known |= set(passages)
            assert passages_behind(turn.pk, Role.ASSISTANT) == known
    with service.open():
        turn = Turn.objects.get(pk=turn.pk)
        assert len(turn.answer_from) == 1, "one range, however long it is"
        assert Source.objects.filter(derived__in=Title.objects.values("pk")).count() == 0
    assert count_texts(chat) == 10
    assert chat.turn(str(turn.pk))["drew_on"]["passages"] in (len(known), len(known) + 1)  # or the record's own fields

    # As it was written before, and changed by the migration; and back.
    migration = import_module("chat.migrations.0011_drawn")
    with service.open():
        turns = list(Turn.objects.order_by("number"))
        behind = {(t.pk, role): passages_behind(t.pk, role) for t in turns for role in Role}
        rows = count_rows()
    shown = [chat.turn(str(t.pk))["drew_on"] for t in turns]
    run = superuser_connection.execute
    run("ALTER TABLE chat_turn DISABLE TRIGGER keep_drawn")
    try:
        for step, most in (("COPY", 0), ("SHARE", rows), ("COPY", 0), ("SHARE", rows)):
            with superuser_connection.transaction():
                run(getattr(migration, step))
            with service.open():
                assert {(t.pk, role): passages_behind(t.pk, role) for t in turns for role in Role} == behind
                assert Source.objects.filter(number=None).exists() == (step == "COPY")
                assert not most or count_rows() == most
                assert len(Turn.objects.get(pk=turn.pk).answer_from) == (step == "SHARE")
            assert [chat.turn(str(t.pk))["drew_on"] for t in turns] == shown
    finally:
        run("ALTER TABLE chat_turn ENABLE TRIGGER keep_drawn")
    later = say(alice, session, contract, service)
    with service.open():
        assert passages_behind(later.pk, Role.ASSISTANT) > known


def test_what_is_behind_a_message_binds_it_through_others(
    alice, viewer, contract, restricted, share, service, superuser_connection
):
    """Hidden, raised and deleted with what only an earlier turn was given, and with nothing else."""
    chat, session = begin(alice, None, share)
    theirs = Chat(viewer, chat.session)
    secret = uuid4()
    turns = [say(alice, session, contract, service), say(alice, session, restricted, service, passages=[secret])]
    turns += [say(alice, session, contract, service) for _ in range(2)]
    assert (count_texts(chat), count_texts(theirs)) == (8, 3)
    beside = say(viewer, session, contract, service)
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


def test_a_number_in_several_lists_goes_with_the_last_record_that_it_counts(
    alice, viewer, contract, share, service, superuser_connection
):
    """An answer that repeats two numbers stays while somebody is left of either, and is one list to its reader."""
    with alice.scope.open():
        lots = [create_entity(scope=alice.scope, model=Contract, fields={"name": f"Lot {n}"}).pk for n in range(4)]
    chat, session = begin(alice, None, share)
    first = say(alice, session, contract, service, counted=lots[:2])
    second = say(alice, session, contract, service, counted=lots[1:3])
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


@pytest.mark.skipif(not LONG, reason="a measurement: CLEARANCE_LONG_TURNS says of how many turns")
@pytest.mark.parametrize("shared", [True, False])
def test_measure(alice, viewer, contract, share, start, service, shared):
    chat, session = begin(alice, None, share) if shared else begin(alice, contract, start)
    plant(session, [alice.user.pk, viewer.user.pk] if shared else [alice.user.pk], contract, service)
    took = []
    for _ in range(2):
        at = time.perf_counter()
        say(alice, session, contract, service)
        took.append(time.perf_counter() - at)
    with service.open():
        rows = Source.objects.count()
    print(f"\nshared={shared} turns={LONG} rows={rows} a turn {1000 * min(took):.0f} ms")
    who = viewer if shared else alice
    for name, client, path in (
        ("list", who.api, "/api/chat/sessions/"),
        ("messages", who.api, f"{chat.url}messages/?page_size=200"),
        ("page", who.client, f"{who.base}chat/{chat.session}/"),
        ("search", who.api, "/api/chat/sessions/?q=So it is"),
        ("export", who.api, f"{chat.url}export/"),
    ):
        took, sql = [], []
        for _ in range(4):
            clock = Clock()
            with connection.execute_wrapper(clock):
                at = time.perf_counter()
                assert client.get(path).status_code == 200
                took.append(time.perf_counter() - at)
            sql.append(sum(took for took, _ in clock.took))
        print(f"{name} {1000 * min(took):.0f} ms, of it the database {1000 * min(sql):.0f} ms")
        for seconds, statement in sorted(clock.took, reverse=True)[:3]:
            print(f"  {1000 * seconds:.0f} ms {statement[:150]} … {statement[-150:]}")


def plant(session, askers, record, service):
    """Turns as `say` leaves them."""
    texts, sources = [], []
    turns = [
        Turn(
            workspace_id=session.workspace_id,
            audience=session.audience,
            owner=askers[n % len(askers)],
            session_id=session.pk,
            number=n,
            state=State.DONE,
            lease_until=timezone.now(),
            question_from=f"{{[{2 * BLOCK if session.audience == 0 else 2 * n * BLOCK},{(2 * n + 1) * BLOCK})}}",
            answer_from=f"{{[{2 * BLOCK},{(2 * n + 2) * BLOCK})}}",
        )
        for n in range(1, LONG + 1)
    ]
    for turn in turns:
        own = {"workspace_id": session.workspace_id, "audience": session.audience, "owner": turn.owner}
        own |= {"session_id": session.pk, "turn": turn, "data_classification": 0}
        texts += [
            Message(**own, pk=turn.question, role=Role.USER, content="What now?"),
            Message(**own, pk=turn.answer, role=Role.ASSISTANT, content="So it is."),
        ]
        sources += [
            Source(
                workspace_id=session.workspace_id,
                derived=session.pk,
                number=(2 * turn.number + 1) * BLOCK + n,
                entity_id=record.pk,
                passage=uuid4(),
            )
            for n in range(PASSAGES)
        ]
    with service.open():
        Turn.objects.bulk_create(turns)
        Message.objects.bulk_create(texts, batch_size=2000)
        Source.objects.bulk_create(sources, batch_size=2000)


class Clock:
    """Seconds that each statement took."""

    def __init__(self):
        self.took = []

    def __call__(self, execute, sql, *more):
        at = time.perf_counter()
        try:
            return execute(sql, *more)
        finally:
            self.took.append((time.perf_counter() - at, sql))
