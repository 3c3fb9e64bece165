"""Where turns run: as tasks of the web server's event loop, or in a thread of their own where there is none."""

import asyncio
import contextvars
import logging
import threading
from collections.abc import Coroutine
from typing import Any
from uuid import UUID

from chat.summaries import summarise
from chat.turn import run_turn

logger = logging.getLogger(__name__)

FINISH_SECONDS = 20.0
"""That a server which is stopped waits for answers that are being written; the supervisor waits for it longer."""

_loop: asyncio.AbstractEventLoop | None = None
_tasks: "set[asyncio.Task[Any]]" = set()
_summaries: "set[asyncio.Task[Any]]" = set()
"""Made after turns; a server that is stopped waits for none."""
_threads: set[threading.Thread] = set()
_gate = threading.Lock()
_is_closed = False
"""The server is about to end and waits for no turn any more. Changed with the gate held, as turns are begun."""


def use_loop(loop: asyncio.AbstractEventLoop | None) -> None:
    """Run turns in `loop` from now on; None: in threads."""
    global _loop, _is_closed
    with _gate:
        _loop, _is_closed = loop, False


def start(workspace: int, turn: UUID) -> None:
    """Begin to work on a turn that has been committed. From any thread; returns at once.

    Where it cannot begin, as in a server that is about to end, the sweep will say so: the turn is on record.
    """
    with _gate:
        if _is_closed:
            logger.warning("turn %s was not begun: the server is being stopped", turn)
        elif _loop is not None and not _loop.is_closed():
            # In a context of its own: the request's names a thread that is gone when the request is.
            _loop.call_soon_threadsafe(_begin, workspace, turn, context=contextvars.Context())
        else:
            thread = threading.Thread(target=_run_alone, args=(workspace, turn), name=f"turn-{turn}", daemon=True)
            _threads.add(thread)
            thread.start()


def _begin(workspace: int, turn: UUID) -> None:
    _add_task(_tasks, _run(workspace, turn))


def _add_task(tasks: "set[asyncio.Task[Any]]", work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
    task = asyncio.get_running_loop().create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


async def _run(workspace: int, turn: UUID) -> "asyncio.Task[Any] | None":
    """Returns the task that has a summary made, where there is one."""
    try:
        run = await run_turn(workspace, turn)
    except Exception:
        logger.exception("a turn broke off")
        return None
    return _add_task(_summaries, summarise(run.asker, run.session, run.row)) if run else None


async def _run_with_summary(workspace: int, turn: UUID) -> None:
    if summary := await _run(workspace, turn):
        await summary


def _run_alone(workspace: int, turn: UUID) -> None:
    try:
        asyncio.run(_run_with_summary(workspace, turn))
    finally:
        _threads.discard(threading.current_thread())


def wait_until_idle(seconds: float = 30.0) -> None:
    """Until the turns that run in threads have ended. Raises: TimeoutError."""
    for thread in list(_threads):
        thread.join(seconds)
        if thread.is_alive():
            raise TimeoutError(thread.name)


async def shut_down(finish: float = FINISH_SECONDS, seconds: float = 5.0) -> None:
    """Let the turns that run in this loop come to their end for `finish` seconds, those that begin meanwhile too, and
    stop the others: each says that it was interrupted, for which it has `seconds`. After that none begins.
    """
    global _is_closed
    loop = asyncio.get_running_loop()
    deadline = loop.time() + finish
    while True:
        with _gate:
            is_late = loop.time() >= deadline
            _is_closed = is_late or not _list_tasks(loop)
        await asyncio.sleep(0)  # what was let in before the gate closed is a task now
        tasks = _list_tasks(loop)
        if is_late or _is_closed and not tasks:
            break
        if tasks:
            await asyncio.wait(tasks, timeout=max(0.0, deadline - loop.time()))
    tasks |= {task for task in set(_summaries) if task.get_loop() is loop}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)


def _list_tasks(loop: asyncio.AbstractEventLoop) -> "set[asyncio.Task[Any]]":
    return {task for task in _tasks if task.get_loop() is loop}
