"""Access rules of routes. Every callback that a URL reaches declares one; `entities.E020` fails the build otherwise."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase

from entities.access.scope import Scope


@dataclass(frozen=True)
class Rule:
    """Who may reach a route at all. What they then see is the business of `visible_to` and `readable_by`."""

    name: str
    description: str


PUBLIC_ROUTE = Rule("public", "anybody, signed in or not; touches no workspace data")
SIGNED_IN = Rule("signed in", "a signed-in user, with no workspace open")
MEMBER = Rule("member", "a member of the workspace, in their scope")
STEWARD = Rule("steward", "a member with a role that may relabel")
ADMIN = Rule("admin", "a member with a role that administers the workspace")


def holds(scope: Scope, rule: Rule) -> bool:
    """Whether the open `scope` satisfies a workspace rule."""
    from entities.models import Role

    if rule is MEMBER:
        return True
    column = {"steward": "is_steward", "admin": "is_admin"}[rule.name]
    return Role.objects.filter(group__user=scope.principal, **{column: True}).exists()


def requires(rule: Rule) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Declare and enforce the rule of a view. Non-members get the 404 of a workspace that does not exist."""

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if rule is not PUBLIC_ROUTE:
                if not request.user.is_authenticated and not is_api(request):
                    return redirect_to_login(request.get_full_path(), "/sign-in/")
                if rule is not SIGNED_IN:
                    scope = getattr(request, "access_scope", None)
                    if scope is None and request.user.is_authenticated:
                        raise Http404("Not found.")
                    if scope is not None and not holds(scope, rule):
                        raise PermissionDenied(f"This needs the {rule.name}'s role.")
            return view(request, *args, **kwargs)

        guarded.access_rule = rule  # type: ignore[attr-defined]
        return guarded

    return decorate


def is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


def rule_of(callback: Any) -> Rule | None:
    """The rule that a resolved callback declares, on the function, its class or the class it wraps."""
    for holder in (callback, getattr(callback, "cls", None), getattr(callback, "view_class", None)):
        rule = getattr(holder, "access_rule", None)
        if rule is not None:
            return rule  # type: ignore[no-any-return]
    return None
