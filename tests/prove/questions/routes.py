"""Routes: whom each rule lets through."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.test import RequestFactory

from entities.access import (
    ADMIN,
    MEMBER,
    OWN_ACCOUNT,
    PUBLIC_ROUTE,
    SIGNED_IN,
    STEWARD,
    STEWARD_OR_ADMIN,
    NoWorkspace,
    find_rule,
    requires,
)
from entities.access.routes import OWN_PASSWORD, opens_its_own, opens_own_scope
from entities.models import Role
from tests.oracle.planted_world import Everything


def routes_ask_who(e: Everything) -> None:
    """Each rule against nobody, somebody with no workspace, a member, a steward and an administrator."""
    planted = e.planted

    def view(request: Any) -> HttpResponse:
        return HttpResponse("in")

    def status(rule: Any, request: Any) -> int:
        try:
            return requires(rule)(view)(request).status_code
        except Http404:
            return 404
        except PermissionDenied:
            return 403

    class Nobody:
        is_authenticated = False

    rules = (PUBLIC_ROUTE, SIGNED_IN, OWN_ACCOUNT, MEMBER, STEWARD, ADMIN, STEWARD_OR_ADMIN)
    factory = RequestFactory()
    for path, nobody in (("/x/", 302), ("/api/x/", 401)):
        request: Any = factory.get(path)
        request.user = Nobody()
        assert [status(rule, request) for rule in rules] == [200, *[nobody] * 6]
    request = factory.get("/api/x/")
    request.user = planted.users["ann"]
    assert [status(rule, request) for rule in rules] == [200, 200, 200, 404, 404, 404, 404]
    for path, first in (("/x/", 302), ("/api/x/", 403)):
        request = factory.get(path)
        request.user = type("Given", (), {"is_authenticated": True, "password_by_other": True})()
        assert [status(rule, request) for rule in rules] == [200, first, 200, first, first, first, first]
    # Where they go on to after choosing one: to the page, or where a form stood, to the first.
    for method, onward in (("get", "/x/%3Fa%3D1"), ("post", "/")):
        request = getattr(factory, method)("/x/?a=1")
        request.user = type("Given", (), {"is_authenticated": True, "password_by_other": True})()
        assert requires(MEMBER)(view)(request)["Location"] == f"{OWN_PASSWORD}?next={onward}"
    with planted.service.open():
        admin = Role.objects.filter(name="Admin", is_admin=True).exists()
    for person in e.world.people:
        request = factory.post("/x/")
        request.user = planted.users[person.name]
        request.access_scope = planted.scope(person)
        with request.access_scope.open():
            allowed = 200 if "Admin" in person.roles else 403  # the only role that is a steward's here
            administers = 200 if "Admin" in person.roles and admin else 403
            expected = [200, 200, 200, 200, allowed, administers, min(allowed, administers)]
            assert [status(rule, request) for rule in rules] == expected
        # A view that opens its scope itself is asked before.
        assert [status(rule, request) for rule in rules] == expected
    guarded = requires(ADMIN)(view)
    assert find_rule(guarded) is ADMIN
    assert find_rule(view) is None

    def around(request: Any) -> None: ...

    around.__wrapped__ = guarded  # type: ignore[attr-defined]
    assert find_rule(around) is ADMIN


def views_that_open_their_own_scope_are_marked(e: Everything) -> None:
    """And what they find when the membership has ended meanwhile is nothing."""

    def view(request: Any) -> HttpResponse:
        raise NoWorkspace

    opening = opens_own_scope(view)
    assert (opens_its_own(opening), opens_its_own(view)) == (True, False)
    assert opening(RequestFactory().get("/api/x/")).status_code == 404
