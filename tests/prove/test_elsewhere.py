"""Other workspaces, and their rows that go by number, answer as what is absent (docs/proof.md, part 2)."""

import logging
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test import Client

from config.roles import APP
from entities.access import NoWorkspace, Scope, grant_entity
from entities.actions import create_role, create_workspace, record_action
from entities.admin_site import site
from entities.models import AuditEntry, Classification
from entities.types import Contract
from ingestion.models import VectorModel, WorkspaceModel
from llm.models import Budget, ModelCall
from retrieval.models import RankingSettings
from tests.conftest import ALL, person
from tests.prove.conftest import broken
from tests.prove.doors import METHODS, Answer, Door, ask, difference, doors, methods_of, told
from tests.prove.size import FACTOR
from tests.prove.twin_worlds import make
from tests.prove.world import READERS, World

pytestmark = pytest.mark.prove

FIRST, ABSENT = 712_345, 798_765
"""Numbers that stand nowhere else on a page."""
COUNTED = {b"entities/role", b"entities/membership", b"entities/user"}
"""Numbers that the installation counts on for all workspaces (docs/adr/0023)."""
SLUG, NO_SLUG = "qzelsewhere", "qznowhere00"
"""Slugs that stand nowhere else on a page, of one length."""
NUMBER_ON = """
DO $$ DECLARE s record; BEGIN
  FOR s IN SELECT schemaname, sequencename FROM pg_sequences WHERE schemaname = 'public' AND max_value > {0} LOOP
    PERFORM setval(quote_ident(s.sequencename), {0}); END LOOP; END $$
"""


@pytest.fixture(scope="module")
def world(breakable: None) -> World:
    """With one more workspace, whose rows have numbers above FIRST."""
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    made = make(1, 1, hidden=True)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute("RESET ROLE")
        cursor.execute(NUMBER_ON.format(FIRST))
        cursor.execute(f"SET ROLE {APP}")
    workspace = create_workspace(slug=SLUG, name="Elsewhere")
    keeper = person(workspace, "stranger", ALL, ("Admin",))
    service = Scope.for_service(workspace.pk)
    with service.open():
        role = create_role(workspace, "Guests")
        contract = Contract.objects.create(workspace=workspace, name="There", created_by=keeper.user.pk)
        grant_entity(contract, keeper.user.pk)
        grant_entity(contract, -role.pk)
        add_settings(service)
    with made.service.open():
        add_settings(made.service)
    return made


def add_settings(service: Scope) -> None:
    """What a workspace has of itself, in its open scope."""
    RankingSettings.objects.get_or_create(workspace_id=service.workspace)
    if not WorkspaceModel.objects.exists():
        model = VectorModel.objects.all()[0]
        WorkspaceModel.objects.create(workspace_id=service.workspace, model=model, state="beside")
    Budget.objects.create(workspace_id=service.workspace, monthly_cap=1)
    ModelCall.objects.create(workspace_id=service.workspace, principal=0, feature="x", model="x", outcome="ok")
    record_action(service, "entity.changed")


def numbers_there(world: World) -> dict[str, int]:
    """table of the administration -> the number of a row of the other workspace"""
    with Scope.for_service(workspace_of(SLUG)).open():
        found = {
            f"{model._meta.app_label}/{model._meta.model_name}": model._default_manager.order_by("-pk").first()
            for model in site._registry
        }
    return {name: row.pk for name, row in found.items() if row is not None and isinstance(row.pk, int)}


def workspace_of(slug: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM entities_workspace WHERE slug = %s", [slug])
        return int(cursor.fetchone()[0])


def without(answer: Answer, name: object) -> Answer:
    """The answer with `name`, which was asked for, taken out."""
    headers = tuple((header, value.replace(str(name), "NAME")) for header, value in answer.headers)
    cookies = tuple(cookie.replace(str(name), "NAME") for cookie in answer.cookies)
    return replace(answer, headers=headers, cookies=cookies, body=answer.body.replace(str(name).encode(), b"NAME"))


def findings_by_number(world: World, who: str, asked: list[Door]) -> Iterator[str]:
    there = numbers_there(world)
    for door in asked:
        number = there["/".join(door.route.split("/")[1:3])]
        assert number > FIRST
        for method in methods_of(door):
            answers = [without(ask(world, who, method, door.path(pk)), pk) for pk in (ABSENT, number)]
            if found := difference(*answers):
                yield f"{who} {method} {door.route}: {found}"


def findings_by_slug(world: World, who: str, asked: list[Door]) -> Iterator[str]:
    """At factor 1 each door is asked to read and in one other way."""
    for door in asked:
        others = METHODS[1:] if FACTOR > 1 else [METHODS[1 + len(door.route) % (len(METHODS) - 1)]]
        for method in ("GET", *others):
            answers = [ask_in(world, who, method, slug, door.path("")) for slug in (NO_SLUG, SLUG)]
            if found := difference(*answers):
                yield f"{who} {method} {door.route} of {SLUG}: {found}"


def ask_in(world: World, who: str, method: str, slug: str, path: str) -> Answer:
    """Under the address of a workspace, or of the API with the workspace's name in a header."""
    client = Client(raise_request_exception=False)
    if who in world.people:
        client.cookies = world.people[who].client.cookies.copy()
    api = path.startswith("api/")
    response = client.generic(method, f"/{path}" if api else f"/w/{slug}/{path}", headers={"x-workspace": slug})
    content = b"".join(response) if response.streaming else response.content  # type: ignore[attr-defined]
    return without(told(response, content, ""), slug)


@pytest.mark.parametrize(("who", "part", "parts"), [("admin", 0, 2), ("keeper", 1, 2), ("bare", 0, 8)])
def test_rows_of_another_workspace_are_absent_by_number(world: World, who: str, part: int, parts: int) -> None:
    """At factor 1 each administrator asks half of the doors; who is none, a few of those that stay shut."""
    asked = [door for door in doors() if door.kind == "number"]
    assert len(asked) > 30
    assert list(findings_by_number(world, who, asked[part::parts] if FACTOR == 1 else asked)) == []


def test_addresses_of_the_administration_count_nothing_of_others(world: World) -> None:
    """But for accounts, roles, memberships and workspaces (docs/adr/0023)."""
    own = world.workspace.pk
    with world.service.open():
        values = Classification.objects.values_list("value", flat=True)
        known = {own, *(own * 2**32 + value for value in values)}
        rows = {model: model._default_manager.order_by("-pk").first() for model in site._registry}
    told, pages = {}, 0
    for model, row in rows.items():
        name = f"{model._meta.app_label}/{model._meta.model_name}"
        body = ask(world, "admin", "GET", f"admin/{name}/").body
        links = re.findall(rb"/admin/([a-z]+/[a-z]+)/(\d+)/", body)
        found = {int(number) for of, number in links if of not in COUNTED}
        pages += bool(links)
        if found - known:
            told[name] = found - known
        if model in (AuditEntry, ModelCall, WorkspaceModel):
            answers = [without(ask(world, "admin", "GET", f"admin/{name}/{n}/change/"), n) for n in (ABSENT, row.pk)]
            assert not difference(*answers), f"{name}: their numbers can be tried"
    assert told == {}
    assert pages > 4


@pytest.mark.parametrize("who", [*READERS, "keeper", "former", "anonymous"])
def test_another_workspace_is_none(world: World, who: str) -> None:
    """At factor 1 one of nine doors each, other ones for each person."""
    asked = [door for door in doors() if not door.kind]
    stride = max(1, 9 // FACTOR)
    start = [*READERS, "keeper", "former", "anonymous"].index(who) % stride
    assert len(asked) > 30
    assert list(findings_by_slug(world, who, asked[start::stride])) == []


@pytest.mark.parametrize("table", ["entities_role", "entities_membership", "llm_budget"])
def test_control_rows_that_a_policy_lets_through(world: World, table: str) -> None:
    name = table.replace("_", "/")
    asked = [door for door in doors() if door.kind == "number" and door.route.startswith(f"admin/{name}/")]
    with broken(f"CREATE POLICY more ON {table} USING (true)"):
        assert list(findings_by_number(world, "admin", asked))


def test_control_a_refusal_of_a_workspace_that_there_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Scope.for_user

    def another(user: object, slug: str, **let_in_by: str) -> Scope:
        try:
            return plain(user, slug, **let_in_by)  # type: ignore[arg-type]
        except NoWorkspace:
            if slug == SLUG:
                raise PermissionDenied("You are no member.") from None
            raise

    asked = [door for door in doors() if door.route == "search/"]
    assert not list(findings_by_slug(world, "bare", asked))
    monkeypatch.setattr(Scope, "for_user", another)
    assert list(findings_by_slug(world, "bare", asked))
