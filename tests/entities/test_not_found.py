"""Absent, foreign and restricted things answer the same bytes and headers, on every route that names one.

`tests/prove/test_doors.py` asks the same with every method and body, of things of each state, as nine readers.
"""

import re
from collections.abc import Iterator
from typing import Any

from django.test import Client
from django.urls import get_resolver

from entities.access import ADMIN, STEWARD, find_rule
from entities.checks import list_routes
from entities.types import Contract
from tests.conftest import Person

ABSENT = "00000000-0000-4000-8000-000000000000"
METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]


def named(urlconf: str) -> Iterator[tuple[str, Any]]:
    for route, callback in list_routes(get_resolver(urlconf).url_patterns):
        if "<uuid:" in route and not route.startswith("admin"):
            yield re.sub(r"<int:\w+>", "1", re.sub(r"<slug:\w+>|<str:\w+>", "documents", route)), callback


def answer(person: Person, method: str, route: str, pk: object) -> tuple[int, dict[str, str], list[str], bytes]:
    path = re.sub(r"<uuid:\w+>", str(pk), route)
    if path.startswith("api/"):
        response = person.api.generic(method, f"/{path}", "" if method in ("GET", "HEAD") else "{}")
    else:
        response = person.client.generic(method, person.base + path)
    body = b"".join(response) if response.streaming else response.content
    return response.status_code, dict(response.headers), sorted(response.cookies), body


def test_every_route_answers_absent_foreign_and_restricted_alike(
    alice: Person, viewer: Person, outsider: Person, contract: Contract, restricted: Contract
) -> None:
    compared = 0
    for route, callback in named("config.workspace_urls"):
        for method in ("GET", "POST"):
            absent = answer(viewer, method, route, ABSENT)
            assert answer(viewer, method, route, restricted.pk) == absent, (method, route)
            expected = {404, 405} | ({403} if find_rule(callback) in (STEWARD, ADMIN) else set())
            assert absent[0] in expected, (method, route)
            assert answer(outsider, method, route, contract.pk) == answer(outsider, method, route, ABSENT)
            compared += absent[0] == 404
    assert compared > 40
    assert alice.client.get(f"{alice.base}entities/{restricted.pk}/").status_code == 200


def test_a_workspace_one_is_not_in_answers_as_one_that_does_not_exist(outsider: Person, contract: Contract) -> None:
    for path in ("", "records/contract/", f"entities/{contract.pk}/", "admin/", "api/me/"):
        theirs, nobodys = (outsider.client.get(f"/w/{slug}/{path}") for slug in ("acme", "nosuch"))
        assert theirs.status_code == nobodys.status_code == 404
        assert (theirs.content, theirs.headers) == (nobodys.content, nobodys.headers)
    theirs, nobodys = (outsider.client.get("/api/me/", headers={"X-Workspace": slug}) for slug in ("acme", "nosuch"))
    assert (theirs.status_code, theirs.content, theirs.headers) == (404, nobodys.content, nobodys.headers)


def test_nobody_gets_anywhere_without_signing_in(alice: Person, contract: Contract) -> None:
    """Every route but the public ones asks who is there, by itself, whatever its view does."""
    open_to_all = set()
    for urlconf, prefix in (("config.urls", "/"), ("config.workspace_urls", alice.base)):
        for route, callback in list_routes(get_resolver(urlconf).url_patterns):
            path = re.sub(r"<int:\w+>", "1", re.sub(r"<uuid:\w+>", str(contract.pk), route))
            path = prefix + re.sub(r"<[^>]+>|\(.*", "contract", path)
            for method in METHODS:
                response = Client().generic(method, path)
                if find_rule(callback).name == "public":  # type: ignore[union-attr]
                    open_to_all.add(route)
                elif path.startswith(("/api/", f"{alice.base}api/")):
                    assert response.status_code == 401, (method, path)
                else:
                    assert (response.status_code, response["Location"][:9]) == (302, "/sign-in/"), (method, path)
    known = {"healthz", "readyz", "favicon.ico", "sign-in/", "sign-out/", "api/token/"}
    assert open_to_all == known | {"begin/", "invited/<slug:slug>/<str:secret>/"}


def test_a_token_that_does_not_hold_is_not_made_good_by_a_cookie(alice: Person, contract: Contract) -> None:
    assert alice.client.get("/api/me/", headers={"X-Workspace": "acme"}).status_code == 200
    wrong = {"X-Workspace": "acme", "Authorization": "Token nonsense"}
    assert alice.client.get("/api/me/", headers=wrong).status_code == 401


def test_the_schema_names_no_classification_and_is_for_who_signs_in(alice: Person, service: Any) -> None:
    from entities.models import Classification

    with service.open():
        Classification.objects.create(workspace_id=service.workspace, value=7, label="Merger Blue", components=[7])
    for path in ("/api/schema/", "/api/docs/", f"{alice.base}api/schema/"):
        assert Client().get(path).status_code == 401
        assert b"Merger Blue" not in alice.client.get(path).content
    assert b"counterparty" in alice.client.get("/api/schema/").content
    for way in ({}, {"X-Workspace": "acme"}):
        assert alice.client.get("/api/docs/", headers=way).status_code == 200
    assert alice.api.get("/api/docs/").status_code == 200
