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
from chat.events import identify as original_identify
from chat.models import Event, EventKind, State, Turn
from chat.steps import in_thread
from entities.access.scope import _set as original_set
from entities.models import Token
from entities.models.classification import SECRET
from tests.oracle.known_worlds import RICH
from tests.oracle.planting import Everything
from tests.prove.revocations import REVOCATIONS, SIGN_INS, TOKENS, WHO, Revocation, of_service, plant_rich  # noqa: F401  fixture
from tests.prove.size import sample

pytestmark = [pytest.mark.prove]
BACKLOG = 6
LABELS = ("a label of a role", "a role")
"""What takes clearances only: every second event needs none."""
RISES = "a label, raised"
"""Of the events themselves here, as `chat.log` raises them."""


@dataclass(frozen=True)
class Listening:
    """A turn of ben's conversation about record1 that is running, with `BACKLOG` events in its log."""

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
            Event.objects.create(
                workspace_id=row.workspace_id, audience=row.audience, turn=row, seq=seq, kind=kind,
                data={"text": f"event{seq}"}, data_classification=label,
            )  # fmt: skip
        wakeups.wake(f"{log.EVENT} {self.turn}")


@pytest.fixture
def listening(rich: Everything, owner_connection: psycopg.Connection) -> Iterator[Listening]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chat.events.AT_ONCE", 2, raising=False)
        ben = next(p for p in RICH.people if p.name == WHO)
        planted = rich.planted
        api, client = planted.api(ben), planted.client(ben)
        SIGN_INS.clear()
        SIGN_INS[client.session.session_key] = client.session.encode(dict(client.session.items()))
        with planted.service.open():
            TOKENS[rich.citing] = Token.objects.get(membership__user=planted.users[WHO]).digest
            session = rich.sessions[WHO, "record1"]
            turn = Turn.objects.filter(session=session).order_by("number")[0]
            lease = timezone.now() + timedelta(hours=1)
            Turn.objects.filter(pk=turn.pk).update(state=State.RUNNING, lease_until=lease)
        made = Listening(
            rich, turn.pk, api._credentials["HTTP_AUTHORIZATION"], client.session.session_key, owner_connection
        )
        for seq in range(1, BACKLOG + 1):
            made.write(seq, label=5 if seq % 2 else 0)
        yield made


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
                await in_thread(take)
            pieces += 1

    def take() -> None:
        if revocation.name == RISES:
            of_service(lambda e: log.raise_events(listening.turn, SECRET))(listening.everything)
        else:
            revocation.revoke(listening.everything)
        labelled = SECRET if revocation.name == RISES else 5 if revocation.name in LABELS else 0
        listening.write(BACKLOG + 1, label=labelled)
        listening.write(BACKLOG + 2, EventKind.DONE, label=labelled)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    headers = [(k.encode(), v.encode()) for k, v in listening.headers(revocation).items()]
    path = f"/api/chat/turns/{listening.turn}/events/"
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    application: Callable[..., Awaitable[None]] = events.application

    async def listen() -> None:
        task = asyncio.ensure_future(application(scope, receive, send))
        await asyncio.wait({task}, timeout=3)  # where the label is what was taken, the stream stays open
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


TAKEN = [r for r in REVOCATIONS if r.name not in ("an open record", "sight of what is concealed")]
CASES = [(revocation, piece) for revocation in TAKEN for piece in range(3)]


def hidden(revocation: Revocation, sent: list[str]) -> list[str]:
    """Of what was sent, what had been taken. Who loses a label still gets what needs none."""
    if revocation.name in LABELS:
        return [event for event in sent if int(event.removeprefix("event")) % 2]
    return sent


def test_no_event_is_sent_after_the_commit(listening: Listening) -> None:
    wrong = {}
    for revocation, piece in sample(CASES, len(TAKEN), "streams"):
        found = hidden(revocation, words_after(listening, revocation, piece))
        if found:
            wrong[revocation.name, piece] = found
    assert wrong == {}


def nothing(everything: Everything) -> None:
    pass


def test_what_is_not_taken_is_sent(listening: Listening) -> None:
    """The twin: the same stream, and nobody takes anything."""
    sent = words_after(listening, Revocation("nothing", nothing, nothing, ()), 0)
    assert sent == [f"event{n}" for n in range(3, BACKLOG + 3)]


def remembered(slug: str | None, headers: dict[str, str]) -> Any:
    """Who asks, as it was once."""
    key = headers.get("authorization", "")
    if key not in KNOWN:
        KNOWN[key] = original_identify(slug, headers)
    return KNOWN[key]


KNOWN: dict[str, Any] = {}


async def once_and_for_all(who: events.Who, turn: UUID, after: int) -> Any:
    """As streams were sent once: what one look finds, piece by piece."""
    found = await in_thread(events.look_as, who, turn, after)
    for chunk in found.chunks:
        yield chunk


def test_a_broken_build_is_found(listening: Listening, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: streams that trust an earlier look, or an earlier answer to who is asking."""
    grant, sign_in = (next(r for r in REVOCATIONS if r.name == name) for name in ("a grant", "a token"))
    with monkeypatch.context() as patch:
        patch.setattr("chat.events.AT_ONCE", 50)
        patch.setattr("chat.events.tail", once_and_for_all)
        assert words_after(listening, grant, 0)
    with monkeypatch.context() as patch:
        patch.setattr("entities.access.scope._set", lambda *given: original_set(*given[:5]))
        patch.setattr("chat.events.identify", remembered)
        assert words_after(listening, sign_in, 0)
