"""What a turn writes down of what it was drawn from is bounded by what it was newly given, however long the
conversation is; and everything behind it is asked for all the same.
"""

import os
import time
from importlib import import_module
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

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
from entities.models import Source, Weight
from entities.models.classification import FINANCIAL
from tests.chat.conftest import Chat

PASSAGES = 12
"""That each turn is given of its own."""
LONG = int(os.environ.get("CLEARANCE_LONG_TURNS", "0"))


def say(who, session, record, service, text="What now?", passages=None, counted=()):
    """A turn as the product runs it, without a model: the question, its prompt, passages of its own, the answer."""
    passages = passages or [uuid4() for _ in range(PASSAGES)]
    own = {"workspace_id": session.workspace_id, "audience": session.audience, "owner": who.scope.principal}
    with who.scope.open():
        turn = Turn(**own, session_id=session.pk, lease_until=log.timezone.now() + log.LEASE)
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


@pytest.mark.skipif(not LONG, reason="a measurement: CLEARANCE_LONG_TURNS says of how many turns")
@pytest.mark.parametrize("shared", [True, False])
def test_measure(alice, viewer, contract, share, start, service, shared):
    chat, session = begin(alice, None, share) if shared else begin(alice, contract, start)
    began = time.perf_counter()
    for n in range(LONG):
        at = time.perf_counter()
        say([alice, viewer][n % 2] if shared else alice, session, contract, service)
        last = time.perf_counter() - at
    wrote = time.perf_counter() - began
    with service.open():
        rows = Source.objects.count()
    print(f"\nshared={shared} turns={LONG} rows={rows} written in {wrote:.1f} s, the last {1000 * last:.0f} ms")
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
            with Clock() as clock, connection.execute_wrapper(clock):
                at = time.perf_counter()
                assert client.get(path).status_code == 200
                took.append(time.perf_counter() - at)
            sql.append(clock.took)
        print(f"{name} {1000 * min(took):.0f} ms, of it the database {1000 * min(sql):.0f} ms")


class Clock:
    """Seconds that statements took."""

    def __init__(self):
        self.took = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        pass

    def __call__(self, execute, *statement):
        at = time.perf_counter()
        try:
            return execute(*statement)
        finally:
            self.took += time.perf_counter() - at
