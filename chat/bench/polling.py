"""The other side of `bench streams`: a look a second for every stream, in the threads that turns write in."""

from importlib import import_module
from uuid import UUID

application = import_module("config.asgi").application

from chat import callers, events, steps, wakeups  # noqa: E402  they need the settings that the application has set up


async def look_alone(who: callers.Who, turn: UUID, after: int) -> events.News:
    return await steps.run_in_thread(events.look_as, who, turn, after)


events.look_together = look_alone
wakeups.choose_patience_seconds = lambda: wakeups.POLL_SECONDS
