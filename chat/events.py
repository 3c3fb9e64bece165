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
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.http import Http404, HttpRequest, HttpResponse

from chat import wakeups
from chat.access import events_after, get_turn_or_404
from chat.models import ENDS, OPEN
from chat.steps import in_look_thread
from entities.access import NoWorkspace, Scope, open_token
from entities.errors import NOT_FOUND, not_signed_in, payload
from entities.models import User

HEARTBEAT_SECONDS = 15.0
RETRY_MS = 1000
AT_ONCE = 100
"""Events that one look gives at most."""
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
CREDENTIALS = ("authorization", "cookie", "x-workspace")
"""Headers that say who asks."""


@dataclass(frozen=True)
class News:
    """What a look at the log gives: events as they are sent, the last one's number, whether another look at once would
    find more, and whether there will be no more. reader, sign_in: whose look it was, as in `Scope`.
    """

    chunks: tuple[bytes, ...]
    last: int
    more: bool
    ended: bool
    reader: int = 0
    sign_in: str = field(default="", repr=False)


class NotSignedIn(Exception):
    """Nobody, or nobody any more."""


@dataclass(frozen=True)
class Who:
    """Who asks, as the request says: slug: of the workspace in the address. headers: those of CREDENTIALS."""

    slug: str | None
    headers: tuple[tuple[str, str], ...] = field(repr=False)

    def scope(self) -> Scope:
        """Their scope, looked up at every call. Raises: NotSignedIn; NoWorkspace."""
        return identify(self.slug, dict(self.headers))


Look = tuple[asyncio.AbstractEventLoop, Who, UUID, int]
_to_begin: "dict[Look, asyncio.Future[News]]" = {}
"""Looks that have been asked for and not begun."""


def look(scope: Scope, turn: UUID, after: int) -> News:
    """The first events after `after` that the caller may see now. Raises: Http404."""
    row = get_turn_or_404(scope, turn)
    # The state is read first: an event written between the two reads is then seen by the next look.
    rows = list(events_after(scope, row, after).values_list("seq", "kind", "data")[:AT_ONCE])
    chunks = tuple(encode(seq, kind, data) for seq, kind, data in rows)
    last = rows[-1][0] if rows else after
    more = len(rows) == AT_ONCE
    ended = bool(rows and rows[-1][1] in ENDS) or (row.state not in OPEN and not more)
    return News(chunks, last, more, ended, scope.principal, scope.sign_in)


def encode(seq: int, kind: str, data: dict[str, Any]) -> bytes:
    return f"id: {seq}\nevent: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def look_as(who: Who, turn: UUID, after: int) -> News:
    """`look` as the person that this moment finds. Raises: NotSignedIn; NoWorkspace; Http404."""
    scope = who.scope()
    with scope.open():
        return look(scope, turn, after)


async def look_together(who: Who, turn: UUID, after: int) -> News:
    """`look_as`, one look for all who ask the same of the same sign-in or token before it has begun.

    Nobody is given what was looked up for another reader, or before they asked. Raises: as `look_as`.
    """
    key = (asyncio.get_running_loop(), who, turn, after)
    looking = _to_begin.get(key)
    if looking is None:

        def run() -> News:
            _to_begin.pop(key, None)
            return look_as(who, turn, after)

        looking = asyncio.ensure_future(in_look_thread(run))
        _to_begin[key] = looking
        looking.add_done_callback(partial(_forget_look, key))
    return await asyncio.shield(looking)  # who leaves does not take it from the others


def _forget_look(key: Look, done: "asyncio.Future[News]") -> None:
    if _to_begin.get(key) is done:
        del _to_begin[key]
    if not done.cancelled():
        done.exception()  # the last who asked may have left


async def tail(who: Who, turn: UUID, after: int) -> AsyncIterator[bytes]:
    """Events from `after` on, as they come, until the turn ends or the asker may see it no longer.

    Each piece is what has been looked up just now; the next look is made when the next piece is asked for. Raises:
    NotSignedIn, NoWorkspace, Http404 in place of the first piece.
    """
    news, begun, sent = asyncio.Event(), False, time.monotonic()
    with wakeups.subscribed(turn, news=news), ExitStack() as ends:
        while True:
            news.clear()
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
            if chunks:
                yield b"".join(chunks)
                sent = time.monotonic()
            after = found.last
            if found.ended:
                return
            until = 0.0 if found.more else time.monotonic() + wakeups.patience_seconds()
            while not news.is_set() and time.monotonic() < until:
                beat = sent + HEARTBEAT_SECONDS
                await wakeups.wait(news, max(0.0, min(until, beat) - time.monotonic()))
                if not news.is_set() and time.monotonic() >= beat:
                    sent = time.monotonic()
                    yield b": still here\n\n"


async def application(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """`GET …/api/chat/turns/<id>/events/`."""
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    parts = scope["path"].strip("/").split("/")
    try:
        turn = UUID(parts[parts.index("turns") + 1])
        after = after_of(scope.get("query_string", b"").decode("latin-1"), headers)
        pieces = tail(who_of(scope["path"], headers), turn, after)
        first = await anext(pieces)
    except NotSignedIn:
        await answer(send, not_signed_in())
    except (NoWorkspace, Http404, ValueError):
        await answer(send, absent())
    else:
        await stream(first, pieces, receive, send)


async def stream(first: bytes, pieces: AsyncIterator[bytes], receive: Receive, send: Send) -> None:
    """Send until the end, or until the client has gone."""
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    gone = asyncio.create_task(disconnected(receive))
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


async def disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def answer(send: Send, response: HttpResponse) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})


def absent() -> HttpResponse:
    """The 404 of the API's other routes, byte for byte."""
    body = json.dumps(payload("not_found", NOT_FOUND), ensure_ascii=False, separators=(",", ":"))
    return HttpResponse(body, status=404, content_type="application/json")


def after_of(query: str, headers: dict[str, str]) -> int:
    """The number of the last event that the client has. Nonsense counts as none."""
    given = parse_qs(query).get("after", [headers.get("last-event-id", "")])[-1]
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0


def who_of(path: str, headers: dict[str, str]) -> Who:
    """Who asks by a request of this path with these headers (names in lower case)."""
    parts = path.strip("/").split("/")
    slug = parts[1] if parts[0] == "w" and len(parts) > 1 else None
    return Who(slug, tuple((name, headers[name]) for name in CREDENTIALS if name in headers))


def identify(slug: str | None, headers: dict[str, str]) -> Scope:
    """Who asks, in which workspace, as `entities.middleware` finds it. Raises: NotSignedIn; NoWorkspace."""
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "token" and secret:
        # Under a workspace's address the API takes no token, and it is not made good by a cookie.
        digest = sha256(secret.strip().encode()).hexdigest()
        found = open_token(digest) if slug is None else None
        user = User.objects.filter(pk=found[0], is_active=True).first() if found else None
        if found is None or user is None:
            raise NotSignedIn
        let_in = {"token": digest}
        slug = found[1]
    else:
        user, key = session_user(headers.get("cookie", ""))
        let_in = {"sign_in": key}
        slug = slug or headers.get("x-workspace", "")
    if user.password_by_other:
        raise NotSignedIn
    return Scope.for_user(user, slug, **let_in)


def session_user(cookies: str) -> tuple[User, str]:
    """The user of a browser's session, and its key. Raises: NotSignedIn."""
    try:
        morsel = SimpleCookie(cookies).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        morsel = None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(morsel.value if morsel else None)
    user = get_user(request)
    if not isinstance(user, User) or not user.is_active:
        raise NotSignedIn
    return user, request.session.session_key or ""
