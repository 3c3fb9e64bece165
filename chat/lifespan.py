"""What chat needs of the web server's life: its event loop, one LISTEN connection, and to clear up after a crash."""

import asyncio
import logging

from chat import runner, wakeups
from chat.steps import run_in_thread
from chat.sweep import sweep_all

logger = logging.getLogger(__name__)

_listening: "asyncio.Task[None] | None" = None


async def on_startup() -> None:
    global _listening
    runner.use_loop(asyncio.get_running_loop())
    _listening = asyncio.create_task(wakeups.listen())
    try:
        await run_in_thread(sweep_all)
    except Exception:
        logger.exception("turns left behind could not be looked for; beat will")


async def on_shutdown() -> None:
    global _listening
    await runner.shut_down()
    if _listening is not None:
        _listening.cancel()
        _listening = None
