"""What calls of a model need of the web server's life."""

import asyncio
from importlib import import_module


async def on_startup() -> None:
    """The SDK is imported beside what is served, so that nobody's first question waits for it."""
    asyncio.get_running_loop().run_in_executor(None, import_module, "anthropic")
