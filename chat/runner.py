"""Where turns run: as tasks of the web server's event loop, or in a thread of their own where there is none."""

import asyncio
import contextvars
import logging
import threading
from concurrent.futures import Future
from uuid import UUID

from chat.turn import run_turn

logger = logging.getLogger(__name__)

_loop: asyncio.AbstractEventLoop | None = None
_running: set["Future[None]"] = set()
_threads: set[threading.Thread] = set()


def use_loop(loop: asyncio.AbstractEventLoop | None) -> None:
    """Run turns in `loop` from now on; None: in threads."""
    global _loop
    _loop = loop


def start(workspace: int, turn: UUID) -> None:
    """Begin to work on a turn that has been committed. From any thread; returns at once."""
    if _loop is not None:
        # In a context of its own: the request's names a thread that is gone when the request is.
        future = contextvars.Context().run(asyncio.run_coroutine_threadsafe, run_turn(workspace, turn), _loop)
        _running.add(future)
        future.add_done_callback(_ended)
    else:
        thread = threading.Thread(target=_run_alone, args=(workspace, turn), name=f"turn-{turn}", daemon=True)
        _threads.add(thread)
        thread.start()


def _ended(future: "Future[None]") -> None:
    _running.discard(future)
    if not future.cancelled() and (error := future.exception()) is not None:
        logger.error("a turn broke off", exc_info=error)


def _run_alone(workspace: int, turn: UUID) -> None:
    try:
        asyncio.run(run_turn(workspace, turn))
    except Exception:
        logger.exception("a turn broke off")
    finally:
        _threads.discard(threading.current_thread())


def wait_until_idle(seconds: float = 30.0) -> None:
    """Until the turns that run in threads have ended. Raises: TimeoutError."""
    for thread in list(_threads):
        thread.join(seconds)
        if thread.is_alive():
            raise TimeoutError(thread.name)


async def shut_down(seconds: float = 5.0) -> None:
    """Stop the turns that run in the loop; each says that it was interrupted."""
    futures = [asyncio.wrap_future(future) for future in list(_running)]
    for future in list(_running):
        future.cancel()
    if futures:
        await asyncio.wait(futures, timeout=seconds)
