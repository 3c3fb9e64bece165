"""Request bodies that are too large are refused before anything of them reaches the disk.

Django spools every body, whatever its method and route, before it looks at either. So the limit of a request is found
here: large bodies are for routes that take files, and for people who are signed in.
"""

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.handlers.asgi import ASGIRequest
from django.db import connection
from django.http import HttpResponse, JsonResponse
from django.urls import Resolver404, resolve

from entities.access.routes import SIGN_IN
from entities.errors import TOO_MUCH, build_not_signed_in, build_payload
from entities.formats import format_size
from entities.middleware import WORKSPACE_URLS, is_signed_in, split_workspace

Scope = MutableMapping[str, Any]

UPLOAD_ROUTES = frozenset(
    {
        "ingestion:upload",
        "ingestion_api:entity_files",
        "chat:attach",
        "chat:attach_to_workspace",
        "chat_api:attachments",
    }
)
"""Names of the URLs to which files are posted."""
# Multipart boundaries, headers and form fields around the file.
ALLOWANCE = 1024 * 1024
# A browser that still sends when the answer comes reports a broken connection instead of showing it, so bodies up to
# this many bytes are read to their end and thrown away.
DRAINED = 2 * 1024**3


@dataclass(frozen=True)
class Limit:
    """The largest body of a request, and what makes the answer to a larger one."""

    size: int  # bytes
    refuse: Callable[[], HttpResponse]


def limit_bodies(app: Any) -> Any:
    """ASGI middleware: 413 with a sentence for a body larger than the limit of its route."""

    async def handle_limited(scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        length = read_declared_length(scope)
        limit = await get_limit(scope, length)
        if length is not None and length > limit.size:
            if length <= DRAINED:
                await drain_body(receive)
            await send_response(limit.refuse(), send)
            return
        received = 0
        refused = False

        async def receive_counted() -> MutableMapping[str, Any]:
            """A body of undeclared length is cut off at the limit; the application then sees a client that left."""
            nonlocal received, refused
            message: MutableMapping[str, Any] = await receive()
            received += len(message.get("body", b""))
            if received > limit.size:
                refused = True
                return {"type": "http.disconnect"}
            return message

        started = False

        async def send_tracked(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            started = True
            await send(message)

        await app(scope, receive_counted, send_tracked)
        if refused and not started:
            await send_response(limit.refuse(), send)

    return handle_limited


async def get_limit(scope: Scope, length: int | None) -> Limit:
    """The limit of a request whose body has `length` bytes, or an undeclared number of them."""
    small = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    request = upload_request(scope) if length is None or length > small else None
    if request is None:
        return Limit(small, partial(build_too_large, scope, str(TOO_MUCH)))
    if not await sync_to_async(is_known_caller, thread_sensitive=False)(request):
        is_api = "/api/" in request.path
        return Limit(
            small, build_not_signed_in if is_api else partial(redirect_to_login, request.get_full_path(), SIGN_IN)
        )
    most = format_size(settings.CLEARANCE_MAX_UPLOAD)
    sentence = f"The upload is larger than the limit of {most}. Split the file or ask an administrator."
    return Limit(settings.CLEARANCE_MAX_UPLOAD + ALLOWANCE, partial(build_too_large, scope, sentence))


def upload_request(scope: Scope) -> ASGIRequest | None:
    """The request without its body, where its route takes files."""
    if scope["method"] != "POST":
        return None
    try:
        request = ASGIRequest(scope, BytesIO())
        path, urlconf = request.path_info, settings.ROOT_URLCONF
        if path.startswith("/w/"):
            (_, path), urlconf = split_workspace(path), WORKSPACE_URLS
        return request if resolve(path, urlconf).view_name in UPLOAD_ROUTES else None
    except (Resolver404, UnicodeDecodeError):
        return None


def is_known_caller(request: ASGIRequest) -> bool:
    """`is_signed_in`, in a thread of the event loop's, which keeps no connection."""
    try:
        return is_signed_in(request)
    finally:
        connection.close()


def read_declared_length(scope: Scope) -> int | None:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return None


async def drain_body(receive: Any) -> None:
    while (message := await receive())["type"] == "http.request" and message.get("more_body"):
        pass


def build_too_large(scope: Scope, detail: str) -> HttpResponse:
    """The API's error shape for programs and scripts, a plain sentence for a form."""
    if "/api/" in scope["path"] or b"json" in dict(scope["headers"]).get(b"accept", b""):
        return JsonResponse(build_payload("too_large", detail), status=413)
    return HttpResponse(detail, content_type="text/plain; charset=utf-8", status=413)


async def send_response(response: HttpResponse, send: Any) -> None:
    headers = {**response.headers, "Content-Length": str(len(response.content)), "Connection": "close"}
    encoded = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": encoded})
    await send({"type": "http.response.body", "body": response.content})
