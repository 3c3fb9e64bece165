"""What long conversations take, measured on demand."""

import os
import time
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from chat.message_sources import BLOCK
from chat.models import Message, Role, State, Title, Turn
from entities.models import Source
from tests.chat.recorded_turns import PASSAGES, RecordedTurn, begin_session, record_turn

LONG = int(os.environ.get("CLEARANCE_LONG_TURNS", "0"))


@pytest.mark.skipif(not LONG, reason="a measurement: CLEARANCE_LONG_TURNS says of how many turns")
@pytest.mark.parametrize("shared", [True, False])
def test_measure(alice, viewer, contract, share, start, service, shared):
    chat, session = begin_session(alice, None, share) if shared else begin_session(alice, contract, start)
    plant(session, [alice.user.pk, viewer.user.pk] if shared else [alice.user.pk], contract, service)
    took = []
    for _ in range(2):
        at = time.perf_counter()
        last = record_turn(alice, session, contract, service)
        took.append(time.perf_counter() - at)
    writing = RecordedTurn(alice, session, service)
    writing.give_prompt()
    writes = []
    for _ in range(5):
        at = time.perf_counter()
        writing.write("So ")
        writes.append(time.perf_counter() - at)
    writing.finish()
    with service.open():
        rows = Source.objects.count()
    print(f"\nshared={shared} turns={LONG} rows={rows} a turn {1000 * min(took):.0f} ms")
    print(f"a write of an answer {1000 * min(writes):.0f} ms")
    who = viewer if shared else alice
    for name, client, path in (
        ("list", who.api, "/api/chat/sessions/"),
        ("messages", who.api, f"{chat.url}messages/?page_size=200"),
        ("page", who.client, f"{who.base}chat/{chat.session}/"),
        ("search", who.api, "/api/chat/sessions/?q=So it is"),
        ("turn", who.api, f"/api/chat/turns/{last.pk}/"),
        ("inspector", alice.api, f"/api/chat/turns/{last.pk}/context/"),
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
    at = time.perf_counter()
    assert alice.api.delete(chat.url).status_code == 204
    print(f"deleted in {1000 * (time.perf_counter() - at):.0f} ms")


def plant(session, askers, record, service):
    """Turns as `record_turn` leaves them."""
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
        Title.objects.create(
            workspace_id=session.workspace_id,
            audience=session.audience,
            owner=session.owner,
            session_id=session.pk,
            text="What now?",
            data_classification=0,
        )
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
