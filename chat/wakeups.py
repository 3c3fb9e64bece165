"""One LISTEN connection a process wakes everything in it that waits for news of a turn. Payloads are ids, nothing else.

It is a quickening, not a promise: whoever waits looks again after its own time-out, so a lost connection costs latency
only.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import UUID

import psycopg
from django.conf import settings

from chat.log import CHANNEL, EVENT

logger = logging.getLogger(__name__)

RETRY_SECONDS = 2.0

_waiting: dict[str, set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}


@contextmanager
def subscribed(turn: UUID, kind: str = EVENT) -> Iterator[asyncio.Event]:
    """An event that is set when a turn's log has grown (EVENT) or somebody wants it stopped (STOP). Whoever waits
    clears it.
    """
    key = f"{kind} {turn}"
    entry = (asyncio.get_running_loop(), asyncio.Event())
    _waiting.setdefault(key, set()).add(entry)
    try:
        yield entry[1]
    finally:
        entries = _waiting[key]
        entries.discard(entry)
        if not entries:
            del _waiting[key]


async def wait(news: asyncio.Event, seconds: float) -> bool:
    """Until there is news, or `seconds` have passed. Does not clear the event."""
    with suppress(TimeoutError):
        await asyncio.wait_for(news.wait(), seconds)
    return news.is_set()


def wake(payload: str) -> None:
    """Wake who waits for it in this process. From any thread."""
    for loop, event in list(_waiting.get(payload, ())):
        with suppress(RuntimeError):  # a loop that has ended waits for nothing
            loop.call_soon_threadsafe(event.set)


async def listen() -> None:
    """Pass notifications on, for ever; takes a lost connection up again."""
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(settings.DATABASE_URL, autocommit=True) as connection:
                await connection.execute(f"LISTEN {CHANNEL}")
                async for notification in connection.notifies():
                    wake(notification.payload)
        except psycopg.Error as error:
            logger.warning("the connection that listens for news of turns was lost: %s", type(error).__name__)
        await asyncio.sleep(RETRY_SECONDS)
