"""Every door answers what is foreign, hidden or absent alike, to everybody, byte for byte (docs/proof.md, part 2)."""

import logging
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import get_resolver
from rest_framework.exceptions import APIException

from chat.access import get_session_or_404, sessions_of
from entities.access import MEMBER, requires
from entities.checks import routes
from ingestion.access import get_file_or_404
from ingestion.models import File
from tests.prove.conftest import broken
from tests.prove.doors import (
    ABSENT,
    METHODS,
    WRITES,
    Answer,
    Door,
    Unknown,
    ask,
    difference,
    doors,
    is_hidden,
    kind_of,
    things_of,
)
from tests.prove.inside import Inside, insides
from tests.prove.making import make
from tests.prove.size import FACTOR
from tests.prove.world import HIDDEN_WORD, READERS, World, named

pytestmark = pytest.mark.prove

EVERYBODY = [*READERS, "anonymous", "outsider", "former"]
STRIDE = max(1, len(READERS) // FACTOR)
"""At factor 1 each reader asks another part of the cases, together all of them; at a factor of 6 everybody asks all."""
BODIES: dict[str, dict[str, Any]] = {
    r"api/entities/\w+/<uuid:pk>/$": {"name": "New"},
    r"entities/<uuid:pk>/edit/": {"name": "New", "counterparty": "Port", "currency": "EUR", "status": "draft"},
    r"(api/)?entities/<uuid:pk>/files/": {"file": ""},
    r"entities/<uuid:pk>/references/new/": {"kind": "CrossReference", "label": "Same quay"},
    r"entities/<uuid:pk>/chat/ask/": {"content": "What of it?"},
    r"api/chat/sessions/<uuid:pk>/messages/": {"content": "What of it?"},
    r"api/chat/sessions/<uuid:pk>/$": {"title": "New"},
    r"chat/<uuid:pk>/change/": {"do": "rename", "title": "New"},
    r"api/references/<uuid:pk>/": {"reason": "New"},
    r"api/paragraphs/<uuid:pk>/": {"labels": [1], "reason": "New"},
    r"api/access-requests/<uuid:pk>/": {"state": "refused", "reason": "New"},
    r"access-requests/<uuid:pk>/": {"state": "refused", "reason": "New"},
    r"desk/paragraphs/<uuid:pk>/decide/": {"labels": ["1"], "reason": "New"},
}
"""What a write sends beside an empty body, where it needs something to go through."""


@pytest.fixture(scope="module")
def world(breakable: None) -> World:
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    return make(1, 1, hidden=True)


def cases(found: list[Door]) -> list[tuple[Door, str, Any]]:
    return [
        (door, method, body)
        for door in found
        if door.kind not in ("", "number")
        for method in METHODS
        for body in [None, *(b for pattern, b in BODIES.items() if method in WRITES and re.match(pattern, door.route))]
    ]


def findings(
    world: World, who: str, asked: list[tuple[Door, str, Any]], *, share: int = 1 if FACTOR > 1 else 3
) -> Iterator[str]:
    """What `who` learns, asking in these ways for what is hidden from them.

    share: 1 for every thing; else what is foreign and one of so many of the others, other ones at each door.
    """
    for n, (door, method, body) in enumerate(asked):
        absent = ask(world, who, method, door.path(ABSENT), ABSENT, body)
        things = [
            thing
            for i, thing in enumerate(things_of(world, door.kind, who))
            if thing[0] == "foreign" or (i + n) % share == 0
        ]
        if absent.status == 405:
            things = things[-1:]
        for name, pk in things:
            answer = ask(world, who, method, door.path(pk), pk, body)
            hidden = is_hidden(who, door.kind, name, door.route, door.of_type)
            where = f"{who} {method} {door.route} of {name}{' with a body' if body else ''}:"
            yield from judged(where, absent, answer, hidden=hidden)
            if not hidden and method == "GET" and answer.status == absent.status == 404:
                yield f"{where} is shown to nobody"


def judged(where: str, absent: Answer, answer: Answer, *, hidden: bool) -> Iterator[str]:
    if answer.status >= 500:
        yield f"{where} breaks"
    if hidden and (found := difference(absent, answer)):
        yield f"{where} {found}"
    if HIDDEN_WORD.encode() in answer.body and not where.startswith("outsider"):
        yield f"{where} tells what is hidden"


def findings_inside(world: World, who: str, asked: list[Inside]) -> Iterator[str]:
    for inside in asked:
        absent = told_inside(world, who, inside, ABSENT)
        for name, pk in things_inside(world, inside.kind, who):
            answer = told_inside(world, who, inside, pk)
            where = f"{who} {inside.method} {inside.path} naming {name} as {inside.name}:"
            yield from judged(where, absent, answer, hidden=is_hidden(who, inside.kind, name, inside.path))


def told_inside(world: World, who: str, inside: Inside, pk: UUID) -> Answer:
    url, body = inside.request(pk)
    return ask(world, who, inside.method, url, pk, body)


def things_inside(world: World, kind: str, who: str) -> list[tuple[str, UUID]]:
    if kind != "row":
        return list(things_of(world, kind, who))
    paragraphs = things_of(world, "paragraph", who)
    return [(name, named(f"row {pk}")) for name, pk in paragraphs]


@pytest.mark.parametrize("who", EVERYBODY)
def test_what_is_hidden_answers_as_what_is_absent(world: World, who: str) -> None:
    offset = EVERYBODY.index(who)
    asked = [case for n, case in enumerate(cases(doors())) if (n + offset) % STRIDE == 0]
    assert len(asked) > 50
    assert list(findings(world, who, asked)) == []


@pytest.mark.parametrize("who", ["bare", "creator", "admin"])
def test_also_where_the_request_names_it_inside(world: World, who: str) -> None:
    found = insides(world)
    assert len(found) > 30
    assert list(findings_inside(world, who, found)) == []


@pytest.mark.parametrize("who", READERS)
def test_pages_of_no_one_thing_tell_of_nothing_hidden(world: World, who: str) -> None:
    asked = [door for door in doors() if not door.kind and "audit" not in door.route]
    assert len(asked) > 30
    for door in asked:
        answer = ask(world, who, "GET", door.path(""))
        assert answer.status < 500, (door.route, answer.body[:500])
        assert HIDDEN_WORD.encode() not in answer.body, door.route
    for query in ("search/?q=berth", "search/suggest/?q=Con", "api/search/?q=berth&limit=50", "api/suggest/?q=Con"):
        assert HIDDEN_WORD.encode() not in ask(world, who, "GET", query).body, query


def test_everything_is_there_for_who_holds_everything(world: World) -> None:
    """Or what is compared above would be absent in truth."""
    for door, method, body in cases(doors()):
        if method in ("GET", *WRITES) and "api/chat" not in door.route:
            for name, pk in list(things_of(world, door.kind, "creator"))[:1]:
                who = "creator" if door.kind in ("session", "turn") else "keeper"
                answer = ask(world, who, method, door.path(pk), pk, body)
                wrong = door.of_type not in ("", "contract")
                assert wrong or answer.status not in (404, 500), (who, method, door.route, name, answer)
                if body and answer.status != 405 and "references/new" not in door.route:
                    assert wrong or answer.status < 400, (method, door.route, answer)


# Controls


def only(pattern: str, method: str = "GET") -> list[tuple[Door, str, Any]]:
    found = [case for case in cases(doors()) if re.match(pattern, case[0].route) and case[1] == method]
    assert found
    return found


def test_control_a_lookup_past_the_gate(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from entities.models import Entity
    from references import api

    asked = only(r"api/entities/<uuid:pk>/graph/")
    assert not list(findings(world, "bare", asked, share=1))
    monkeypatch.setattr(api, "get_entity_or_404", lambda scope, pk, *_: Entity.objects.get(pk=pk).specific(scope))
    assert list(findings(world, "bare", asked, share=1))


def test_control_a_refusal_of_its_own(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingestion import api

    def another(scope: Any, pk: Any) -> Any:
        if File.objects.filter(pk=pk).exists():
            raise PermissionDenied("This file is not for you.")
        return get_file_or_404(scope, pk)

    asked = only(r"api/files/<uuid:pk>/reader/")
    assert not list(findings(world, "bare", asked, share=1))
    monkeypatch.setattr(api, "get_file_or_404", another)
    assert list(findings(world, "bare", asked, share=1))


IN_WORKSPACE = "USING (workspace_id = (SELECT app_workspace()))"


@pytest.mark.parametrize(
    ("who", "method", "pattern", "statement"),
    [
        ("creator", "PATCH", r"api/references/", f"ALTER POLICY scope ON references_reference {IN_WORKSPACE}"),
        ("steward", "PATCH", r"api/paragraphs/", f"ALTER POLICY scope ON ingestion_paragraph {IN_WORKSPACE}"),
        ("bare", "GET", r"api/citations/", f"ALTER POLICY scope ON pulse_pulse {IN_WORKSPACE}"),
        (
            "bare",
            "GET",
            r"api/entities/contract/<uuid:pk>/",
            "CREATE POLICY more ON entities_entity USING (true); CREATE POLICY more ON entities_contract USING (true)",
        ),
    ],
)
def test_control_a_policy_taken_away(world: World, who: str, method: str, pattern: str, statement: str) -> None:
    asked = only(pattern, method)
    assert not list(findings(world, who, asked, share=1))
    with broken(statement):
        assert list(findings(world, who, asked, share=1))


def test_control_a_route_that_nobody_thought_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind_of("api/entities/<uuid:pk>/secrets/") == "entity"
    for route in ("api/secrets/<uuid:pk>/", "secrets/<slug:name>/"):
        found = [*routes(get_resolver("config.workspace_urls").url_patterns), (route, requires(MEMBER)(print))]
        monkeypatch.setattr("tests.prove.doors.routes", lambda patterns, found=found: found)
        with pytest.raises(Unknown):
            doors()


class NoLonger(APIException):
    status_code = 404
    default_detail = "You may no longer see its record."


def test_control_a_404_with_another_detail(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from chat import api
    from chat.models import Session

    def another(scope: Any, pk: Any) -> Any:
        if Session.objects.filter(pk=pk, audience=scope.principal).exists() and not sessions_of(scope).filter(pk=pk):
            raise NoLonger
        return get_session_or_404(scope, pk)

    asked = only(r"api/chat/sessions/<uuid:pk>/$")
    assert not list(findings(world, "bare", asked, share=1))
    monkeypatch.setattr(api, "get_session_or_404", another)
    assert list(findings(world, "bare", asked, share=1))
