"""Where turns run: as tasks of the web server's event loop, or in a thread of their own where there is none."""

import asyncio
import contextvars
import logging
import threading
from uuid import UUID

from chat.turn import run_turn

logger = logging.getLogger(__name__)

FINISH_SECONDS = 20.0
"""That a server which is stopped waits for answers that are being written; the supervisor waits for it longer."""

_loop: asyncio.AbstractEventLoop | None = None
_tasks: "set[asyncio.Task[None]]" = set()
_threads: set[threading.Thread] = set()


def use_loop(loop: asyncio.AbstractEventLoop | None) -> None:
    """Run turns in `loop` from now on; None: in threads."""
    global _loop
    _loop = loop


def start(workspace: int, turn: UUID) -> None:
    """Begin to work on a turn that has been committed. From any thread; returns at once.

    Where it cannot begin, the sweep will say so: the turn is on record.
    """
    if _loop is not None and not _loop.is_closed():
        # In a context of its own: the request's names a thread that is gone when the request is.
        contextvars.Context().run(asyncio.run_coroutine_threadsafe, _run(workspace, turn), _loop)
    else:
        thread = threading.Thread(target=_run_alone, args=(workspace, turn), name=f"turn-{turn}", daemon=True)
        _threads.add(thread)
        thread.start()


async def _run(workspace: int, turn: UUID) -> None:
    task = asyncio.current_task()
    assert task is not None
    _tasks.add(task)
    try:
        await run_turn(workspace, turn)
    except Exception:
        logger.exception("a turn broke off")
    finally:
        _tasks.discard(task)


def _run_alone(workspace: int, turn: UUID) -> None:
    try:
        asyncio.run(_run(workspace, turn))
    finally:
        _threads.discard(threading.current_thread())


def wait_until_idle(seconds: float = 30.0) -> None:
    """Until the turns that run in threads have ended. Raises: TimeoutError."""
    for thread in list(_threads):
        thread.join(seconds)
        if thread.is_alive():
            raise TimeoutError(thread.name)


async def shut_down(finish: float = FINISH_SECONDS, seconds: float = 5.0) -> None:
    """Let the turns that run in this loop come to their end for `finish` seconds, and stop the others: each says that
    it was interrupted, for which it has `seconds`.
    """
    tasks = {task for task in _tasks if task.get_loop() is asyncio.get_running_loop()}
    if tasks:
        _, tasks = await asyncio.wait(tasks, timeout=finish)
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)
