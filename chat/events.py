"""The events of a turn as server-sent events: plain ASGI beside Django, because Django spends a thread on every stream.

Before events are sent, whoever opened the stream is identified anew (a sign-out or a revoked token ends it), and each
event is checked against today's labels and permissions. What one look finds is sent in one piece, and the next look
waits until the client can take more: nothing lies waiting that was allowed when it was found and is not any more. A
stream looks when it is told of news (`chat.wakeups`), and seldom without; tabs of one sign-in that follow the same turn
look together. No database connection is held between looks. `?after=n`, or the browser's Last-Event-ID, takes a stream
up again.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

from django.http import Http404, HttpResponse

from chat import wakeups
from chat.access import find_readable_answers, find_removed, load_events_after, load_known_turns
from chat.callers import NotSignedIn, Who, read_caller
from chat.log import END_KINDS
from chat.models import ENDS, OPEN, Event, EventKind, State, Turn
from chat.steps import run_in_look_thread
from entities.access import NoWorkspace, Scope
from entities.errors import NOT_FOUND, build_not_signed_in, build_payload

HEARTBEAT_SECONDS = 15.0
RETRY_MS = 1000
OTHERS_SECONDS = 1.0
"""Between two looks at somebody else's turn."""
AT_ONCE = 100
"""Events that one look gives at most."""
AT_A_TIME = 20
"""Turns of which is asked at once whether they may be known of."""
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True)
class News:
    """What a look at the log gives: events as they are sent, the last one's number, whether another look at once would
    find more, and whether there will be no more. reader, sign_in: whose look it was, as in `Scope`. is_own: the turn is
    the reader's.
    """

    chunks: tuple[bytes, ...]
    last: int
    more: bool
    ended: bool
    reader: int = 0
    sign_in: str = field(default="", repr=False)
    is_own: bool = True


Key = tuple[UUID, int]
"""A turn, and the last event that the client has of it."""
Asked = dict[Key, "asyncio.Future[News]"]
_looking: "set[asyncio.Task[None]]" = set()
_gate = threading.Lock()
_to_begin: dict[tuple[asyncio.AbstractEventLoop, Who], Asked] = {}
"""Looks that have been asked for and not begun, by who asks. Touched under `_gate`."""


def look(scope: Scope, row: Turn, after: int, events: Sequence[Event], removed: bool, readable: bool) -> News:
    """The first events after `after` of a turn from `load_known_turns` that the caller may see now: of somebody else's
    that it has ended. events: of `load_events_after`, from there or earlier on. removed: as of `find_removed`; the end
    says so. readable: as of `find_readable_answers`; else the end does not tell how sure the answer was.
    """
    if row.owner != scope.principal:
        return _look_for_end(scope, row, after, removed)
    rows = [event for event in events if event.seq > after]
    gone: dict[str, Any] = {} if readable else {"confidence": None}
    gone |= {"message": None, "removed_with_source": True} if removed else {}
    chunks = tuple(encode(e.seq, e.kind, e.data | gone if e.kind in ENDS else e.data) for e in rows)
    last = rows[-1].seq if rows else after
    more = len(events) == AT_ONCE
    ended = bool(rows and rows[-1].kind in ENDS) or (row.state not in OPEN and not more)
    return News(chunks, last, more, ended, scope.principal, scope.sign_in)


def has_news(row: Turn, after: int) -> bool:
    """Whether there may be events after that number: most looks at an open turn find none."""
    return row.last_seq > after or row.state not in OPEN


def _look_for_end(scope: Scope, row: Turn, after: int, removed: bool) -> News:
    """Others read an answer when it is whole. How many events it took, and why it broke off, is its asker's."""
    if row.state in OPEN:
        return News((), after, False, False, scope.principal, scope.sign_in, is_own=False)
    data = {"state": row.state, "message": None} | ({"removed_with_source": True} if removed else {})
    end = encode(after + 1, END_KINDS.get(State(row.state), EventKind.APPROVAL), data)
    return News((end,), after + 1, False, True, scope.principal, scope.sign_in)


def encode(seq: int, kind: str, data: dict[str, Any]) -> bytes:
    return f"id: {seq}\nevent: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def look_as(who: Who, turn: UUID, after: int) -> News:
    """`look` as the person that this moment finds. Raises: NotSignedIn; NoWorkspace; Http404."""
    found: list[News | Http404] = []
    look_at_all(who, [(turn, after)], lambda key, news: found.append(news))
    if isinstance(found[0], Http404):
        raise found[0]
    return found[0]


def look_at_all(who: Who, wanted: Sequence[Key], tell: Callable[[Key, News | Http404], None]) -> None:
    """`look` for each of several turns, in a scope of the person that this moment finds; each is told as it is found.

    What may be told of the turns is asked anew for every few. Raises: NotSignedIn; NoWorkspace.
    """
    scope = who.scope()
    with scope.open():
        for begin in range(0, len(wanted), AT_A_TIME):
            few = wanted[begin : begin + AT_A_TIME]
            rows = load_known_turns(scope, [turn for turn, _ in few])
            removed = find_removed(scope, rows.values())
            # The states are read first: an event written between the two is then seen by the next look.
            begins = {pk: min(after for turn, after in few if turn == pk) for pk in rows}
            own = {
                pk: begins[pk] for pk, row in rows.items() if row.owner == scope.principal and has_news(row, begins[pk])
            }
            events = load_events_after(scope, own, AT_ONCE)
            ended = [pk for pk, found in events.items() if any(event.kind in ENDS for event in found)]
            readable = find_readable_answers(scope, ended)
            for turn, after in few:
                known, said = rows.get(turn), events.get(turn, [])
                news = look(scope, known, after, said, turn in removed, turn in readable) if known else None
                tell((turn, after), news or Http404("Not found."))


async def look_together(who: Who, turn: UUID, after: int) -> News:
    """`look_as`, in one scope with all that is asked for by the same sign-in or token and has not begun.

    Nobody is given what was looked up for another reader, or before they asked. Raises: as `look_as`.
    """
    loop = asyncio.get_running_loop()
    with _gate:
        if (loop, who) not in _to_begin:
            _to_begin[loop, who] = {}
            looking = loop.create_task(run_in_look_thread(partial(_look_at_asked, loop, who)))
            _looking.add(looking)
            looking.add_done_callback(_looking.discard)
        asked = _to_begin[loop, who]
        if (turn, after) not in asked:
            asked[turn, after] = loop.create_future()
            asked[turn, after].add_done_callback(lambda done: done.cancelled() or done.exception())
        found = asked[turn, after]
    return await asyncio.shield(found)  # who leaves does not take it from the others


def _look_at_asked(loop: asyncio.AbstractEventLoop, who: Who) -> None:
    with _gate:
        asked = _to_begin.pop((loop, who))

    def tell(key: Key, found: News | Exception) -> None:
        loop.call_soon_threadsafe(_settle, asked[key], found)

    try:
        look_at_all(who, list(asked), tell)
    except Exception as problem:
        for key in asked:
            tell(key, problem)


def _settle(waited_for: "asyncio.Future[News]", found: News | Exception) -> None:
    if waited_for.done():
        return
    if isinstance(found, Exception):
        waited_for.set_exception(found)
    else:
        waited_for.set_result(found)


async def follow_events(who: Who, turn: UUID, after: int) -> AsyncIterator[bytes]:
    """Events from `after` on, as they come, until the turn ends or the asker may see it no longer.

    Each piece is what has been looked up just now; the next look is made when the next piece is asked for. Raises:
    NotSignedIn, NoWorkspace, Http404 in place of the first piece.
    """
    news, begun, sent = asyncio.Event(), False, time.monotonic()
    with wakeups.subscribed(turn, news=news), ExitStack() as ends:
        while True:
            news.clear()
            ends_before = wakeups.count_ends()
            try:
                found = await look_together(who, turn, after)
            except (NotSignedIn, NoWorkspace, Http404):
                if begun:
                    return
                raise
            chunks = found.chunks
            if not begun:
                begun, chunks = True, (f"retry: {RETRY_MS}\n\n".encode(), *chunks)
                ends.enter_context(wakeups.subscribed_to_end(found.reader, found.sign_in, news))
                if wakeups.count_ends() != ends_before:
                    news.set()  # somebody's access ended since that look began, which told nobody here: look once more
            if chunks:
                yield b"".join(chunks)
                sent = time.monotonic()
            after = found.last
            if found.ended:
                return
            if not found.is_own:
                await asyncio.sleep(OTHERS_SECONDS)  # of all news only the end is theirs
            until = 0.0 if found.more else time.monotonic() + wakeups.choose_patience_seconds()
            while not news.is_set() and time.monotonic() < until:
                beat = sent + HEARTBEAT_SECONDS
                await wakeups.wait(news, max(0.0, min(until, beat) - time.monotonic()))
                if not news.is_set() and time.monotonic() >= beat:
                    sent = time.monotonic()
                    yield b": still here\n\n"


async def follow(who: Who, turn: UUID, after: int) -> AsyncIterator[bytes]:
    """`follow_events` for a response that has begun: it ends where nothing may be sent any more."""
    try:
        async for piece in follow_events(who, turn, after):
            yield piece
    except (NotSignedIn, NoWorkspace, Http404):
        return


async def serve_events(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """`GET …/api/chat/turns/<id>/events/`."""
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    parts = scope["path"].strip("/").split("/")
    try:
        turn = UUID(parts[parts.index("turns") + 1])
        after = parse_last_event(scope.get("query_string", b"").decode("latin-1"), headers)
        pieces = follow_events(read_caller(scope["path"], headers), turn, after)
        first = await anext(pieces)
    except NotSignedIn:
        await answer(send, build_not_signed_in())
    except (NoWorkspace, Http404, ValueError):
        await answer(send, build_not_found())
    else:
        await stream(first, pieces, receive, send)


async def stream(first: bytes, pieces: AsyncIterator[bytes], receive: Receive, send: Send) -> None:
    """Send until the end, or until the client has gone."""
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    gone = asyncio.create_task(wait_for_disconnect(receive))
    sending = asyncio.create_task(send_all(first, pieces, send))
    try:
        await asyncio.wait({gone, sending}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        sending.cancel()
        results = await asyncio.gather(gone, sending, return_exceptions=True)
    if isinstance(results[1], Exception) and not isinstance(results[1], OSError):
        raise results[1]


async def send_all(first: bytes, pieces: AsyncIterator[bytes], send: Send) -> None:
    await send_piece(first, send)
    async for piece in pieces:
        await send_piece(piece, send)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def send_piece(piece: bytes, send: Send) -> None:
    await send({"type": "http.response.body", "body": piece, "more_body": True})
    # The server lets go of this only when a slow client has taken what came before: then the log is looked at.
    await send({"type": "http.response.body", "body": b"", "more_body": True})


async def wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def answer(send: Send, response: HttpResponse) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})


def build_not_found() -> HttpResponse:
    """The 404 of the API's other routes, byte for byte."""
    body = json.dumps(build_payload("not_found", NOT_FOUND), ensure_ascii=False, separators=(",", ":"))
    return HttpResponse(body, status=404, content_type="application/json")


def parse_last_event(query: str, headers: dict[str, str]) -> int:
    """The number of the last event that the client has. Nonsense counts as none."""
    given = parse_qs(query).get("after", [headers.get("last-event-id", "")])[-1]
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
