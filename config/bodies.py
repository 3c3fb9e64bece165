"""Request bodies that are too large are refused before anything of them reaches the disk."""

import json
from collections.abc import MutableMapping
from typing import Any

from django.conf import settings

from entities.formats import format_size

# Multipart boundaries, headers and form fields around the file.
ALLOWANCE = 1024 * 1024
# A browser that still sends when the answer comes reports a broken connection instead of showing it, so bodies up to
# this many bytes are read to their end and thrown away.
DRAINED = 2 * 1024**3


def limit_bodies(app: Any) -> Any:
    """ASGI middleware: 413 with a sentence for a body larger than CLEARANCE_MAX_UPLOAD."""

    async def limited(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await app(scope, receive, send)
            return
        limit = settings.CLEARANCE_MAX_UPLOAD + ALLOWANCE
        length = declared_length(scope)
        if length is not None and length > limit:
            if length <= DRAINED:
                await drain(receive)
            await refuse(scope, send)
            return
        seen = 0
        refused = False

        async def counted() -> MutableMapping[str, Any]:
            """A body of undeclared length is cut off at the limit; the application then sees a client that left."""
            nonlocal seen, refused
            message: MutableMapping[str, Any] = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                refused = True
                return {"type": "http.disconnect"}
            return message

        started = False

        async def tracked(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            started = True
            await send(message)

        await app(scope, counted, tracked)
        if refused and not started:
            await refuse(scope, send)

    return limited


def declared_length(scope: MutableMapping[str, Any]) -> int | None:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return None


async def drain(receive: Any) -> None:
    while (message := await receive())["type"] == "http.request" and message.get("more_body"):
        pass


async def refuse(scope: MutableMapping[str, Any], send: Any) -> None:
    """The API's error shape for programs and scripts, a plain sentence for a form."""
    limit = format_size(settings.CLEARANCE_MAX_UPLOAD)
    detail = f"The upload is larger than the limit of {limit}. Split the file or ask an administrator."
    headers = dict(scope["headers"])
    as_json = "/api/" in scope["path"] or b"json" in headers.get(b"accept", b"")
    body = json.dumps({"error": {"code": "too_large", "detail": detail}}) if as_json else detail
    kind = b"application/json" if as_json else b"text/plain; charset=utf-8"
    content = body.encode()
    await send(
        {
            "type": "http.response.start",
            "status": 413,
            "headers": [
                (b"content-type", kind),
                (b"content-length", str(len(content)).encode()),
                (b"connection", b"close"),
            ],
        }
    )
    await send({"type": "http.response.body", "body": content})
