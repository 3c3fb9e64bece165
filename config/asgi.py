"""The ASGI application: Django, with the event streams of chat beside it and request bodies limited in front of both.

Django spends a thread on every open stream (measured: docs/deployment.md), so `/api/chat/turns/<id>/events/`, with or
without a workspace in front, goes to the plain ASGI application `chat.events.serve_events`. Code that needs the
server's event loop for its whole life (a LISTEN connection) registers with `on_startup` and `on_shutdown`.
"""

import logging
import os
import re
import warnings
from collections.abc import Awaitable, Callable, MutableMapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.core.asgi import get_asgi_application

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Hook = Callable[[], Awaitable[None]]

# WhiteNoise's file responses are synchronous iterators; they are small and meant to be collected.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

logger = logging.getLogger(__name__)
django: Any = get_asgi_application()

# These need settings and loaded apps.
from chat.events import serve_events as streams  # noqa: E402
from config.bodies import limit_bodies  # noqa: E402

EVENTS = re.compile(r"^(/w/[^/]+)?/api/chat/turns/[^/]+/events/?$")


def load_hooks(name: str) -> list[Hook]:
    """`on_startup` or `on_shutdown` of the apps' `lifespan.py`, bottom layer first."""
    from django.conf import settings

    found = []
    for app in reversed(settings.LAYERS):
        if find_spec(f"{app}.lifespan") and hasattr(module := import_module(f"{app}.lifespan"), name):
            found.append(getattr(module, name))
    return found


async def serve_lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            try:
                for hook in load_hooks("on_startup"):
                    await hook()
            except Exception:
                logger.exception("start-up failed")
                await send({"type": "lifespan.startup.failed", "message": "start-up failed: see the log"})
                return
            await send({"type": "lifespan.startup.complete"})
        else:
            for hook in reversed(load_hooks("on_shutdown")):
                try:
                    await hook()
                except Exception:
                    logger.exception("shutdown hook failed")
            await send({"type": "lifespan.shutdown.complete"})
            return


async def route_request(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await serve_lifespan(receive, send)
    elif scope["type"] == "http":
        target = streams if scope["method"] == "GET" and EVENTS.match(scope["path"]) else django
        await target(scope, receive, send)


application = limit_bodies(route_request)
