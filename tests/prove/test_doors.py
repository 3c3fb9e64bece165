"""Every door answers what is foreign, hidden or absent alike, to everybody, byte for byte (docs/proof.md, part 2)."""

import logging
import re
from itertools import groupby
from operator import itemgetter
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import get_resolver
from rest_framework.exceptions import APIException

from chat.access import get_session_or_404, select_sessions
from entities.access import MEMBER, requires
from entities.checks import list_routes
from ingestion.access import get_file_or_404
from ingestion.models import File, FileRevision
from ingestion.remainder import Remainder
from tests.prove.conftest import broken
from tests.prove.door_probes import EVERYBODY, Case, asked_by, cases, findings, findings_inside, guest, named_case
from tests.prove.doors import WRITES, Unknown, ask, doors, kind_of, things_of
from tests.prove.inside import insides
from tests.prove.size import FACTOR
from tests.prove.twin_worlds import make
from tests.prove.world import HIDDEN_WORD, READERS, World

pytestmark = pytest.mark.prove


@pytest.fixture(scope="module")
def world(breakable: None) -> World:
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    world = make(1, 1, hidden=True)
    with world.service.open():  # or a steward would have nothing to decide on in a file
        FileRevision.objects.update(remainder=Remainder(("media",)).to_json())
    return world


@pytest.mark.parametrize("who", EVERYBODY)
def test_what_is_hidden_answers_as_what_is_absent(world: World, who: str) -> None:
    asked = asked_by(who)
    assert len(asked) > 20
    assert list(findings(world, who, asked)) == []


def test_each_way_is_asked_and_each_state_at_each_door(world: World) -> None:
    """What factor 1 leaves out is who asks: of each door all cases are asked by somebody whom it is for."""
    asked = {who: set(map(named_case, asked_by(who))) for who in EVERYBODY}
    for number, (door, of_door) in enumerate(groupby(cases(doors()), key=itemgetter(0))):
        assert set(map(named_case, of_door)) <= asked[guest(door, number)], door
    for who in EVERYBODY:
        assert len({route for route, *_ in asked[who]}) > 20, who


@pytest.mark.parametrize("who", ["bare", "creator", "admin", "steward"])
def test_also_where_the_request_names_it_inside(world: World, who: str) -> None:
    """At factor 1 each is asked by one of them, for half of everything; what is for stewards, by the steward."""
    found = insides(world)
    assert len(found) > 30
    others = ["bare", "creator", "admin"]
    asked = [
        inside
        for n, inside in enumerate(found)
        if FACTOR > 1 or who == ("steward" if "desk/" in inside.path else others[n % len(others)])
    ]
    assert asked
    assert list(findings_inside(world, who, asked)) == []


@pytest.mark.parametrize("who", READERS)
def test_pages_of_no_one_thing_tell_of_nothing_hidden(world: World, who: str) -> None:
    """At factor 1 each is asked by two readers, or by the one whom it is for and one other."""
    asked = [door for door in doors() if not door.kind and "audit" not in door.route]
    assert len(asked) > 30
    place, apart = READERS.index(who), 3 if FACTOR == 1 else 1
    for n, door in enumerate(asked):
        if (n + place) % apart and who != door.rule:
            continue
        answer = ask(world, who, "GET", door.path(""))
        assert answer.status < 500, (door.route, answer.body[:500])
        assert HIDDEN_WORD.encode() not in answer.body, door.route
    for query in ("search/?q=berth", "search/suggest/?q=Con", "api/search/?q=berth&limit=50", "api/suggest/?q=Con"):
        assert HIDDEN_WORD.encode() not in ask(world, who, "GET", query).body, query


def test_everything_is_there_for_who_holds_everything(world: World) -> None:
    """Or what is compared above would be absent in truth. At factor 1 with a body where there is one."""
    found = cases(doors())
    filled = {(door.route, method) for door, method, body in found if body and FACTOR == 1}
    for door, method, body in found:
        empty = body is None and (door.route, method) in filled
        names_another = re.search("api/chat|<uuid:file>", door.route)  # of which there is none
        if method in ("GET", *WRITES) and not empty and not names_another:
            for name, pk in list(things_of(world, door.kind, "creator"))[:1]:
                who = "creator" if door.kind in ("session", "turn") else "keeper"
                answer = ask(world, who, method, door.path(pk), pk, body)
                wrong = door.of_type not in ("", "contract")
                assert wrong or answer.status not in (404, 500), (who, method, door.route, name, answer)
                if body and answer.status != 405 and not re.search("references/new|review/", door.route):
                    assert wrong or answer.status < 400, (method, door.route, answer)


# Controls


def only(pattern: str, method: str = "GET") -> list[Case]:
    found = [case for case in cases(doors()) if re.match(pattern, case[0].route) and case[1] == method]
    assert found
    return found


def test_control_a_lookup_past_the_gate(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from entities.models import Entity
    from references import api

    asked = only(r"api/entities/<uuid:pk>/graph/")
    assert not list(findings(world, "bare", asked, every=True))
    monkeypatch.setattr(api, "get_entity_or_404", lambda scope, pk, *_: Entity.objects.get(pk=pk).specific(scope))
    assert list(findings(world, "bare", asked, every=True))


def test_control_a_refusal_of_its_own(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingestion import api

    def another(scope: Any, pk: Any) -> Any:
        if File.objects.filter(pk=pk).exists():
            raise PermissionDenied("This file is not for you.")
        return get_file_or_404(scope, pk)

    asked = only(r"api/files/<uuid:pk>/reader/")
    assert not list(findings(world, "bare", asked, every=True))
    monkeypatch.setattr(api, "get_file_or_404", another)
    assert list(findings(world, "bare", asked, every=True))


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
    assert not list(findings(world, who, asked, every=True))
    with broken(statement):
        assert list(findings(world, who, asked, every=True))


def test_control_a_route_that_nobody_thought_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind_of("api/entities/<uuid:pk>/secrets/") == "entity"
    for route in ("api/secrets/<uuid:pk>/", "secrets/<slug:name>/"):
        found = [*list_routes(get_resolver("config.workspace_urls").url_patterns), (route, requires(MEMBER)(print))]
        monkeypatch.setattr("tests.prove.doors.list_routes", lambda patterns, found=found: found)
        with pytest.raises(Unknown):
            doors()


class NoLonger(APIException):
    status_code = 404
    default_detail = "You may no longer see its record."


def test_control_a_404_with_another_detail(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from chat import api
    from chat.models import Session

    def another(scope: Any, pk: Any) -> Any:
        if Session.objects.filter(pk=pk, audience=scope.principal).exists() and not select_sessions(scope).filter(
            pk=pk
        ):
            raise NoLonger
        return get_session_or_404(scope, pk)

    asked = only(r"api/chat/sessions/<uuid:pk>/$")
    assert not list(findings(world, "bare", asked, every=True))
    monkeypatch.setattr(api, "get_session_or_404", another)
    assert list(findings(world, "bare", asked, every=True))
