"""Taking something away while a stream of events is open: no event is sent after the commit.

The stream's own `send` is the barrier: in the middle of sending a piece the other transaction commits, more is written
to the log, and the stream is woken. Nothing that is sent afterwards may hold words.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.utils import timezone

from chat import events, log, wakeups
from chat.callers import Who
from chat.callers import identify as original_identify
from chat.models import Event, EventKind, State, Turn
from chat.steps import run_in_thread
from config.postgres import Cluster
from config.roles import OWNER
from entities.access.scope import _apply_settings as original_set
from entities.models import Token
from entities.models.classification import SECRET
from tests.oracle.known_worlds import RICH
from tests.oracle.planted_world import Everything
from tests.prove.revocations import (
    CLEARED,
    ENDS,
    REVOCATIONS,
    SIGN_INS,
    TOKENS,
    WHO,
    Revocation,
    of_service,
)
from tests.prove.size import FACTOR

pytestmark = [pytest.mark.prove]
BACKLOG = 6
LAST = BACKLOG + 4
"""An end that needs no clearance, for streams that stay open."""
PATIENCE = 60
"""Seconds; streams that obey end by themselves."""
LABELS = ("a label of a role", "a role", "a clearance of one's own", ENDS)
"""What takes clearances only: every second event needs none."""
RISES = "a label, raised"
"""Of the events themselves here, as `chat.log` raises them."""


@dataclass(frozen=True)
class Listening:
    """A turn of somebody's conversation that is running, with `BACKLOG` events in its log."""

    everything: Everything
    turn: UUID
    token: str
    cookie: str
    owner: psycopg.Connection

    def headers(self, revocation: Revocation) -> dict[str, str]:
        if revocation.name == "a sign-in":
            slug = self.everything.planted.workspace.slug
            return {"host": "localhost", "cookie": f"clearance_session={self.cookie}", "x-workspace": slug}
        return {"host": "localhost", "authorization": self.token}

    def write(self, seq: int, kind: EventKind = EventKind.TOKEN, label: int = 0) -> None:
        with self.everything.planted.service.open():
            row = Turn.objects.get(pk=self.turn)
            Turn.objects.filter(pk=self.turn).update(last_seq=seq)  # as `chat.log` does
            Event.objects.create(
                workspace_id=row.workspace_id, audience=row.audience, turn=row, seq=seq, kind=kind,
                data={"text": f"event{seq}"}, data_classification=label,
            )  # fmt: skip
        wakeups.wake(f"{log.EVENT} {self.turn}")


RECORDS = {WHO: "record1", CLEARED: "record0"}
"""What the conversations are about, by who has them."""


@pytest.fixture(scope="module")
def listening(rich: Everything, cluster: Cluster) -> Iterator[dict[str, Listening]]:
    """By who listens."""
    with (
        pytest.MonkeyPatch.context() as patch,
        psycopg.connect(cluster.url(OWNER), autocommit=True) as owner,
    ):
        patch.setattr("chat.events.AT_ONCE", 2, raising=False)
        yield {who: begin_listening(rich, who, record, owner) for who, record in RECORDS.items()}


def begin_listening(rich: Everything, who: str, record: str, owner: psycopg.Connection) -> Listening:
    """ben's token and sign-in are noted, so that they can be restored."""
    planted = rich.planted
    person = next(p for p in RICH.people if p.name == who)
    api, client = planted.api(person), planted.client(person)
    with planted.service.open():
        if who == WHO:
            SIGN_INS.clear()
            SIGN_INS[client.session.session_key] = client.session.encode(dict(client.session.items()))
            TOKENS[rich.citing] = Token.objects.get(membership__user=planted.users[WHO]).digest
        turn = Turn.objects.filter(session=rich.sessions[who, record]).order_by("number")[0]
        lease = timezone.now() + timedelta(hours=1)
        Turn.objects.filter(pk=turn.pk).update(state=State.RUNNING, lease_until=lease)
    made = Listening(rich, turn.pk, api._credentials["HTTP_AUTHORIZATION"], client.session.session_key, owner)
    for seq in range(1, BACKLOG + 1):
        made.write(seq, label=5 if seq % 2 else 0)
    return made


def words_after(listening: Listening, revocation: Revocation, piece: int) -> list[str]:
    """The events that are sent after something was taken while piece `piece` was being sent, counted from 0.

    Restores it, and tries the stream's patience: one more event is written, and an end that anybody may be told.
    """
    pieces = 0
    sent: list[str] = []

    async def send(message: Any) -> None:
        nonlocal pieces
        found = re.findall(r"event\d+", message.get("body", b"").decode())
        if pieces > piece:
            sent.extend(found)
        if found:
            if pieces == piece:
                await run_in_thread(take)
            pieces += 1

    def take() -> None:
        if revocation.name == RISES:
            of_service(lambda e: log.raise_events(listening.turn, SECRET))(listening.everything)
        else:
            revocation.revoke(listening.everything)
        labelled = SECRET if revocation.name == RISES else 5 if revocation.name in LABELS else 0
        listening.write(BACKLOG + 1, label=labelled)
        listening.write(BACKLOG + 2, EventKind.DONE, label=labelled)
        if labelled:
            listening.write(LAST, EventKind.DONE)  # this end is for everybody

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    headers = [(k.encode(), v.encode()) for k, v in listening.headers(revocation).items()]
    path = f"/api/chat/turns/{listening.turn}/events/"
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    application: Callable[..., Awaitable[None]] = events.serve_events

    async def listen() -> None:
        task = asyncio.ensure_future(application(scope, receive, send))
        await asyncio.wait({task}, timeout=PATIENCE)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    try:
        asyncio.run(listen())
    finally:
        restore(listening, revocation)
    assert pieces > piece, f"piece {piece} was never sent"
    return sent


def restore(listening: Listening, revocation: Revocation) -> None:
    if revocation.name != RISES:
        revocation.restore(listening.everything)
    # The application appends to a log, and nothing else.
    listening.owner.execute("DELETE FROM chat_event WHERE turn_id = %s", [listening.turn])
    for seq in range(1, BACKLOG + 1):
        listening.write(seq, label=5 if seq % 2 else 0)


OF_OTHER_TEXT = ("an open record", "sight of what is concealed", "a record, into the bin", "a file, into the bin")
TAKEN = [r for r in REVOCATIONS if r.who in RECORDS and r.name not in OF_OTHER_TEXT]
PIECES = range(3)
CASES = [(revocation, PIECES[(n + late) % len(PIECES)]) for late in PIECES for n, revocation in enumerate(TAKEN)]
"""At factor 1 each once, in the middle of another piece; then all."""


def hidden(revocation: Revocation, sent: list[str]) -> list[str]:
    """Of what was sent, what had been taken. Who loses a label still gets what needs none."""
    if revocation.name in LABELS:
        return [event for event in sent if int(event.removeprefix("event")) % 2]
    return [event for event in sent if event != f"event{LAST}"]


def test_no_event_is_sent_after_the_commit(listening: dict[str, Listening]) -> None:
    wrong = {}
    for revocation, piece in CASES if FACTOR > 1 else CASES[: len(TAKEN)]:
        found = hidden(revocation, words_after(listening[revocation.who], revocation, piece))
        if found:
            wrong[revocation.name, piece] = found
    assert wrong == {}


def nothing(everything: Everything) -> None:
    pass


def test_what_is_not_taken_is_sent(listening: dict[str, Listening]) -> None:
    """The twin: the same stream, and nobody takes anything."""
    sent = words_after(listening[WHO], Revocation("nothing", nothing, nothing, ()), 0)
    assert sent == [f"event{n}" for n in range(3, BACKLOG + 3)]


def remembered(slug: str | None, headers: dict[str, str]) -> Any:
    """Who asks, as it was once."""
    key = headers.get("authorization", "")
    if key not in KNOWN:
        KNOWN[key] = original_identify(slug, headers)
    return KNOWN[key]


KNOWN: dict[str, Any] = {}


async def once_and_for_all(who: Who, turn: UUID, after: int) -> Any:
    """As streams were sent once: what one look finds, piece by piece."""
    found = await run_in_thread(events.look_as, who, turn, after)
    for chunk in found.chunks:
        yield chunk


def test_a_broken_build_is_found(listening: dict[str, Listening], monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: streams that trust an earlier look, or an earlier answer to who is asking."""
    grant, sign_in, own = (next(r for r in REVOCATIONS if r.name == name) for name in ("a grant", "a token", ENDS))
    with monkeypatch.context() as patch:
        patch.setattr("chat.events.AT_ONCE", 50)
        patch.setattr("chat.events.follow_events", once_and_for_all)
        assert words_after(listening[WHO], grant, 0)
        assert hidden(own, words_after(listening[CLEARED], own, 0))
    with monkeypatch.context() as patch:
        patch.setattr("entities.access.scope._apply_settings", lambda *given: original_set(*given[:5]))
        patch.setattr("chat.callers.identify", remembered)
        assert words_after(listening[WHO], sign_in, 0)
