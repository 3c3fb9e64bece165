"""Opens the caller's scope around a whole request, rendering included (a lazy queryset read later would be empty)."""

import re
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse
from django.urls import Resolver404, get_script_prefix, resolve, set_script_prefix

from entities.access import NoWorkspace, Scope, open_token
from entities.access.routes import is_finding_attachments, is_for_senders, opens_its_own
from entities.errors import conflict, not_found, too_many_requests
from entities.models import User
from entities.passwords import TooManyHashes

SLUG = re.compile(r"[-\w]{1,50}", re.ASCII)
SAFE = ("GET", "HEAD", "OPTIONS")
WORKSPACE_URLS = "config.workspace_urls"
OPENS_ITS_OWN = "/api/token/"  # takes the workspace from its body and opens the scope itself, whoever asks


class ScopeMiddleware:
    """`/w/<slug>/…` and `/api/…` run in the scope of (user, workspace); everything else runs with none, as does a view
    that opens that scope itself (`entities.access.opens_own_scope`).

    Under `/w/<slug>/` the prefix becomes the script prefix, so `reverse` and `{% url %}` stay in the workspace. The API
    takes the workspace from its token, or for a browser session from `X-Workspace`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        prefix = get_script_prefix()
        try:
            response = self.answer(request)
            # No browser or proxy keeps what somebody might read: "Back" asks again, under what holds by then.
            response.headers.setdefault("Cache-Control", "private, no-store")
            return response
        finally:
            # The prefix is the thread's: what the thread does next does not happen in this workspace.
            set_script_prefix(prefix)

    def answer(self, request: HttpRequest) -> HttpResponse:
        request.access_scope = None  # type: ignore[attr-defined]
        slug = self.enter_workspace(request) if request.path_info.startswith("/w/") else requested_slug(request)
        if slug is None or request.path_info == OPENS_ITS_OWN or not request.user.is_authenticated:
            return self.get_response(request)
        try:
            if not SLUG.fullmatch(slug):
                raise NoWorkspace(slug)
            scope, view = Scope.for_user(request.user, slug, **self.collect_credentials(request)), resolve_view(request)
            scope = scope.with_attachments() if is_finding_attachments(view) else scope
            scope = scope.add_sent() if is_for_senders(view) else scope
            request.access_scope = scope  # type: ignore[attr-defined]
            if opens_its_own(view):
                return self.get_response(request)
            return answer_in_scope(request, self.get_response)
        except NoWorkspace:
            return not_found(request)
        except IntegrityError:
            # Links are checked at the commit, when the view has answered: their other end is gone by now.
            return conflict(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return too_many_requests(request, str(exception)) if isinstance(exception, TooManyHashes) else None

    def collect_credentials(self, request: HttpRequest) -> dict[str, str]:
        """What the transaction asks for once more: it may have ended since it was looked up."""
        token = getattr(request, "token_digest", "")
        return {"token": token} if token else {"sign_in": request.session.session_key or ""}

    def enter_workspace(self, request: HttpRequest) -> str:
        slug, request.path_info = split_workspace(request.path_info)
        prefix = get_script_prefix().rstrip("/")
        set_script_prefix(f"{prefix}/w/{slug}/")
        request.urlconf = WORKSPACE_URLS  # type: ignore[attr-defined]
        return slug


def split_workspace(path: str) -> tuple[str, str]:
    """(slug, path inside) of a path that begins with `/w/`."""
    _, _, slug, rest = (path + "/").split("/", 3)
    return slug, "/" + rest.removesuffix("/") if not path.endswith("/") else "/" + rest[:-1]


def requested_slug(request: HttpRequest) -> str | None:
    """The workspace that a request to `/api/…` is for; with a token `request.user` becomes the token's."""
    if not request.path_info.startswith("/api/"):
        return None
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "token" and secret:
        request.token_digest = sha256(secret.strip().encode()).hexdigest()  # type: ignore[attr-defined]
        found = open_token(request.token_digest)  # type: ignore[attr-defined]
        request.token_user = None  # type: ignore[attr-defined]
        request.user = AnonymousUser()  # a token that does not hold is not made good by a cookie
        if found is None:
            return None
        user = User.objects.filter(pk=found[0], is_active=True).first()
        if user is None:
            return None
        request.user = request.token_user = user  # type: ignore[attr-defined]
        return found[1]
    return request.headers.get("X-Workspace") or None


def is_signed_in(request: HttpRequest) -> bool:
    """Whether a session or token that holds came with a request that no middleware has handled."""
    engine = import_module(settings.SESSION_ENGINE)
    request.session = engine.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    request.user = get_user(request)
    requested_slug(request)
    return request.user.is_authenticated


def answer_in_scope(request: HttpRequest, get_response: Callable[[HttpRequest], HttpResponse]) -> HttpResponse:
    """The response, rendered in the caller's scope. Raises: NoWorkspace, IntegrityError."""
    with request.access_scope.open():  # type: ignore[attr-defined]
        response = get_response(request)
        if isinstance(response, SimpleTemplateResponse):
            response.render()
        if response.status_code >= (500 if request.method in SAFE else 400):
            # A refused request leaves nothing behind, not even the half of a batch that was fine.
            transaction.set_rollback(True)
    return response


def resolve_view(request: HttpRequest) -> Any:
    """What will answer, as Django will resolve it; None for an address that leads nowhere."""
    try:
        return resolve(request.path_info, getattr(request, "urlconf", None)).func
    except Resolver404:
        return None
