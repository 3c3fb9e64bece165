"""One LISTEN connection a process wakes everything in it that waits for news of a turn. Payloads are ids and digests,
nothing else.

It is a quickening, not a promise: whoever waits looks again after `choose_patience_seconds`. That is long only while it
is known that notifications arrive: a probe is sent every 15 s by the way that turns are written, and has to be heard.
Behind a pooler that pools transactions LISTEN succeeds and nothing ever comes; the probe finds that.
"""

import asyncio
import logging
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from uuid import UUID, uuid4

import psycopg
from django.conf import settings
from django.db import Error, connection

from chat.log import CHANNEL, EVENT
from chat.steps import run_in_thread

logger = logging.getLogger(__name__)

RETRY_SECONDS = 2.0
PROBE_SECONDS = 15.0
PROBE_PATIENCE_SECONDS = 5.0
POLL_SECONDS = 1.0
"""Between two looks while nobody is known to listen."""
FALLBACK_SECONDS = 15.0
"""Between two looks while notifications arrive, give or take a third: streams opened at once look at other times."""
PROBE, READER, SIGN_IN = "probe", "reader", "sign_in"
DEAF = (
    "Notifications of the database do not arrive, so streams look once a second. Where a pooler that pools transactions"
    " stands before it, give a direct address in CLEARANCE_LISTEN_URL."
)

_waiting: dict[str, set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}
_live = False
_ends_heard = 0


class NotHeard(Exception):
    """A probe was sent and did not arrive."""


@contextmanager
def subscribed(turn: UUID, kind: str = EVENT, news: asyncio.Event | None = None) -> Iterator[asyncio.Event]:
    """An event (`news`, or a new one) that is set when a turn's log has grown (EVENT) or somebody wants it stopped
    (STOP). Whoever waits clears it.
    """
    news = news or asyncio.Event()
    with subscribed_to(f"{kind} {turn}", news):
        yield news


@contextmanager
def subscribed_to(payload: str, news: asyncio.Event) -> Iterator[None]:
    """Set `news` at every notification of `payload`."""
    entry = (asyncio.get_running_loop(), news)
    _waiting.setdefault(payload, set()).add(entry)
    try:
        yield
    finally:
        entries = _waiting[payload]
        entries.discard(entry)
        if not entries:
            del _waiting[payload]


@contextmanager
def subscribed_to_end(reader: int, sign_in: str, news: asyncio.Event) -> Iterator[None]:
    """Set `news` when a person loses a membership, a role or a token, or the browser's session of this key ends."""
    with ExitStack() as stack:
        stack.enter_context(subscribed_to(f"{READER} {reader}", news))
        if sign_in:
            stack.enter_context(subscribed_to(f"{SIGN_IN} {sha256(sign_in.encode()).hexdigest()}", news))
        yield


def count_ends() -> int:
    """How many ends of anybody's access this process has heard of: whoever counts before a look and once more when they
    are `subscribed_to_end` knows whether one came between.
    """
    return _ends_heard


async def wait(news: asyncio.Event, seconds: float) -> bool:
    """Until there is news, or `seconds` have passed. Does not clear the event."""
    with suppress(TimeoutError):
        await asyncio.wait_for(news.wait(), seconds)
    return news.is_set()


def wake(payload: str) -> None:
    """Wake who waits for it in this process. From any thread."""
    global _ends_heard
    if payload.startswith((f"{READER} ", f"{SIGN_IN} ")):
        _ends_heard += 1
    for loop, event in list(_waiting.get(payload, ())):
        with suppress(RuntimeError):  # a loop that has ended waits for nothing
            loop.call_soon_threadsafe(event.set)


def choose_patience_seconds() -> float:
    """How long to wait for news before looking without any."""
    return FALLBACK_SECONDS * random.uniform(2 / 3, 4 / 3) if _live else POLL_SECONDS


def is_live() -> bool:
    """Whether notifications are known to arrive in this process."""
    return _live


def set_live(live: bool) -> None:
    """Note whether notifications arrive. Whoever waited in trust of them looks at once when they do not."""
    global _live
    if _live and not live:
        for payload in list(_waiting):
            wake(payload)
    _live = live


async def listen() -> None:
    """Pass notifications on, for ever; takes a lost connection up again."""
    last = ""
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(settings.LISTEN_URL, autocommit=True) as listening:
                await listening.execute(f"LISTEN {CHANNEL}")
                async with asyncio.TaskGroup() as group:
                    group.create_task(forward_wakeups(listening))
                    group.create_task(probe())
        except* (psycopg.Error, Error) as lost:
            problem = f"the connection that listens for news of turns was lost: {type(lost.exceptions[0]).__name__}"
        except* NotHeard:
            problem = DEAF
        finally:
            was_live = _live
            set_live(False)
        if was_live or problem != last:
            logger.warning(problem)
        last = problem
        await asyncio.sleep(RETRY_SECONDS if was_live else PROBE_SECONDS)


async def forward_wakeups(listening: "psycopg.AsyncConnection[object]") -> None:
    async for notification in listening.notifies():
        wake(notification.payload)
    raise psycopg.OperationalError("the server has closed the connection")


async def probe() -> None:
    """Send notifications to this process by the way that turns are written. Raises: NotHeard; Error."""
    while True:
        payload, heard = f"{PROBE} {uuid4()}", asyncio.Event()
        with subscribed_to(payload, heard):
            await run_in_thread(notify, payload)
            if not await wait(heard, PROBE_PATIENCE_SECONDS):
                raise NotHeard
        if not _live:
            logger.info("notifications of the database arrive")
        set_live(True)
        await asyncio.sleep(PROBE_SECONDS)


def notify(payload: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, payload])
