"""Access rules of routes. Every callback that a URL reaches declares one; `entities.E020` fails the build otherwise."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.utils.translation import gettext

from entities.access.objects import load_roles
from entities.access.scope import NoWorkspace, Scope, ScopeKind, has_open_scope
from entities.errors import PASSWORD_FIRST, build_not_signed_in, build_payload, conflict, not_found

SIGN_IN = "/sign-in/"
OWN_PASSWORD = "/account/password/"  # noqa: S105  an address


@dataclass(frozen=True)
class Rule:
    """Who may reach a route at all. What they then see is the business of `visible_to` and `readable_by`."""

    name: str
    description: str


PUBLIC_ROUTE = Rule("public", "anybody, signed in or not; touches no workspace data")
SIGNED_IN = Rule("signed in", "a signed-in user, with no workspace open")
OWN_ACCOUNT = Rule("own account", "a signed-in user, also one whose password somebody else chose")
MEMBER = Rule("member", "a member of the workspace, in their scope")
STEWARD = Rule("steward", "a member with a role that may relabel")
ADMIN = Rule("admin", "a member with a role that administers the workspace")
STEWARD_OR_ADMIN = Rule("steward or admin", "a member with a role that may relabel or administers the workspace")


# What `requires` has wrapped. Weak, or views that tests make would never be collected.
_guarded: WeakKeyDictionary[Callable[..., HttpResponseBase], Rule] = WeakKeyDictionary()


def open_scope_satisfies(scope: Scope, rule: Rule) -> bool:
    """Whether the open `scope` satisfies a workspace rule: with none open, and for a role, that of a member alone."""
    if rule is MEMBER:
        return True
    if scope.kind is not ScopeKind.USER or not has_open_scope():
        return False
    roles = load_roles(scope.principal)
    either = roles.is_steward or roles.is_admin
    return {STEWARD: roles.is_steward, ADMIN: roles.is_admin, STEWARD_OR_ADMIN: either}[rule]


def scope_satisfies(scope: Scope, rule: Rule) -> bool:
    """`open_scope_satisfies`, also for a view that opens its scope itself. Raises: NoWorkspace."""
    if rule is MEMBER or has_open_scope():
        return open_scope_satisfies(scope, rule)
    with scope.open():
        return open_scope_satisfies(scope, rule)


def requires(rule: Rule) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Declare and enforce the rule of a view. Non-members get the 404 of a workspace that does not exist."""

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if rule is not PUBLIC_ROUTE:
                if not request.user.is_authenticated:
                    # Here and not in the view: no view has to remember it.
                    return (
                        build_not_signed_in()
                        if is_api(request)
                        else redirect_to_login(request.get_full_path(), SIGN_IN)
                    )
                if rule is not OWN_ACCOUNT and request.user.password_by_other:
                    return password_first(request)
                if rule not in (SIGNED_IN, OWN_ACCOUNT):
                    scope = getattr(request, "access_scope", None)
                    if scope is None:
                        raise Http404("Not found.")
                    if not scope_satisfies(scope, rule):
                        raise PermissionDenied(gettext("None of your roles here allows this."))
            return view(request, *args, **kwargs)

        _guarded[guarded] = rule
        return guarded

    return decorate


def password_first(request: HttpRequest) -> HttpResponseBase:
    """Whoever chose the password could be who asks."""
    if is_api(request):
        return JsonResponse(build_payload("password_first", PASSWORD_FIRST), status=403)
    return redirect_to_login(request.get_full_path() if request.method == "GET" else "/", OWN_PASSWORD)


def is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


# What `opens_own_scope` has marked.
_own_scope: WeakSet[Callable[..., HttpResponseBase]] = WeakSet()


def opens_own_scope(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Outermost on a view that opens `request.access_scope` itself, as often as it needs, so that none is open while a
    model runs (design §9), or that answers with what came of it when the scope was closed. What reads the database to
    be rendered is rendered in an open scope too.
    """

    @wraps(view)
    def opening(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except NoWorkspace:
            return not_found(request)  # the membership ended meanwhile
        except IntegrityError:
            return conflict(request)  # as `ScopeMiddleware` answers it

    _own_scope.add(opening)
    return opening


# What `declare_attachment_views` has marked.
_attachments: WeakSet[Callable[..., HttpResponseBase]] = WeakSet()


def declare_attachment_views(*views: Callable[..., Any]) -> None:
    """Views whose scope finds the caller's own files in conversations (`Scope.attachments`): conversations, and what a
    citation there leads to. Everywhere else these are not there, for who sent them neither.
    """
    _attachments.update(views)


def is_finding_attachments(callback: Any) -> bool:
    return callback in _attachments


# What `declare_sender_views` has marked.
_senders: WeakSet[Callable[..., HttpResponseBase]] = WeakSet()


def declare_sender_views(*views: Callable[..., Any]) -> None:
    """Views that show text to who asks and make nothing of it for others: their scope reads the caller's own files
    while these rest (`Scope.sent`).
    """
    _senders.update(views)


def is_for_senders(callback: Any) -> bool:
    return callback in _senders


def opens_its_own(callback: Any) -> bool:
    return callback in _own_scope


def find_rule(callback: Any) -> Rule | None:
    """The rule that `requires` enforces around a resolved callback, also under decorators that keep `__wrapped__`.

    Asked of the wrapper itself and not of an attribute, which anybody can set and which guards nothing.
    """
    while callback is not None:
        if callback in _guarded:
            return _guarded[callback]
        callback = getattr(callback, "__wrapped__", None)
    return None
