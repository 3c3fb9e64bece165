"""The demo's Sensitive risk is for the roles that a rule of its type names, by the value of a field: every door, for
each of the demo's six people. Beside it stands a risk of the same project that is for everybody.
"""

from uuid import UUID

import pytest
from rest_framework.test import APIClient

from chat.models import Session
from chat.record_lists import list_knowledge, read_query
from entities.access import Scope, get_entity_or_404
from entities.actions import add_member, create_entity, create_role, create_workspace
from entities.models import Membership, User, Workspace
from entities.models.classification import INTERNAL
from entities.tokens import issue_token
from entities.types import Risk
from ingestion.demo import load
from ingestion.inline import process_all_waiting
from references.actions import add_reference
from references.kinds import Kind
from tests.conftest import Person
from tests.conftest import person as make_person
from tests.pulse.conftest import Work, work  # noqa: F401  fixture

SENSITIVE, ORDINARY = "Dependence on Brannock Steelworks", "Winter storms on the open roof"
BASE = "/w/demo/"


@pytest.fixture
def service(db: None) -> Scope:
    return Scope.for_service(create_workspace(slug="demo", name="Harbour & Vale").pk)


@pytest.fixture
def keys(service: Scope, work: Work) -> dict[str, UUID]:  # noqa: F811
    """The demo's people, contracts, projects and risks, without its documents; indexed, and with their Pulses."""
    workspace = load.open_workspace(company := load.load_company())
    with service.open():
        load.load_roles(workspace)
        load.load_people(workspace)
    admin, keys = Scope.for_user(User.objects.get(username="admin"), "demo"), {}
    for given in company["entities"]:
        if given["type"] in ("contract", "project", "risk"):
            with admin.open():
                keys[given["key"]] = load.load_entity(admin, given, keys)
    with admin.open():
        project = get_entity_or_404(admin, keys["project-quay7"])
        for key in ("risk-brannock", "risk-storm"):
            risk = get_entity_or_404(admin, keys[key])
            add_reference(scope=admin, source=project, target=risk, kind=Kind.CROSS_REFERENCE)
    process_all_waiting(workspace.pk)
    return keys


@pytest.fixture
def person(request: pytest.FixtureRequest, keys: dict[str, UUID], service: Scope) -> Person:
    user = User.objects.get(username=request.param)
    with service.open():
        secret = issue_token(Membership.objects.get(user=user))
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return Person(user, Scope.for_user(user, "demo"), api, BASE)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("person", "sees"),
    [("admin", True), ("staff", True), ("steward", True), ("hr", False), ("cfo", False), ("viewer", False)],
    indirect=["person"],
)
def test_who_sees_it(
    person: Person,
    sees: bool,
    keys: dict[str, UUID],
    work: Work,  # noqa: F811
    subtests: pytest.Subtests,
) -> None:
    sensitive, ordinary, project = (keys[key] for key in ("risk-brannock", "risk-storm", "project-quay7"))

    def check(door: str, said: str) -> None:
        with subtests.test(door=door):
            assert (ORDINARY in said, SENSITIVE in said, str(sensitive) in said) == (True, sees, sees)

    def read(address: str) -> str:
        answer = person.client.get(f"{BASE}{address}")
        assert answer.status_code == 200, (address, answer.content)
        return str(answer.content.decode()).replace("&amp;", "&")

    def ask(address: str, **given: str) -> str:
        answer = person.api.get(f"/api/{address}", given)
        assert answer.status_code == 200, (address, answer.content)
        return str(answer.content.decode())

    check("list", read("records/risk/"))
    check("API list", ask("entities/risk/"))
    check("search page", read("search/?q=Brannock dependence and winter storms"))
    check("search", ask("search/", q="Brannock dependence and winter storms", limit="50"))
    check("suggestions", ask("suggest/", q="o") + ask("suggest/", q="Winter") + ask("suggest/", q="Dependence"))
    check("graph", ask(f"entities/{project}/graph/"))
    check("references", read(f"entities/{project}/references/"))
    status = 200 if sees else 404
    for address in (f"{BASE}entities/{sensitive}/", f"{BASE}entities/{sensitive}/pulse/"):
        with subtests.test(door=address):
            assert person.client.get(address).status_code == status
    for address in (f"entities/risk/{sensitive}/", f"entities/{sensitive}/pulse/", f"entities/{sensitive}/graph/"):
        with subtests.test(door=address):
            assert person.api.get(f"/api/{address}").status_code == status
            assert person.api.get(f"/api/{address.replace(str(sensitive), str(ordinary))}").status_code == 200
    with subtests.test(door="text"):
        said = read(f"entities/{sensitive}/") if sees else ""
        held = person.user.username in ("admin", "staff", "steward")
        assert ("should not press the claim" in said) is held
    ask(f"entities/{project}/pulse/")
    work()
    with subtests.test(door="Pulse"):
        assert SENSITIVE not in ask(f"entities/{project}/pulse/"), "a Pulse is drawn from what is open to everybody"
    with subtests.test(door="chat"):
        session = person.api.post("/api/chat/sessions/", {"entity": str(project)}).json()["id"]
        with person.scope.open():
            query = read_query(person.scope, {"type": "risk", "limit": 50})
            found = list_knowledge(person.scope, Session.objects.get(pk=session), query)
        assert (ORDINARY in found.text, SENSITIVE in found.text) == (True, sees)
        assert f"{8 if sees else 7} risks" in found.text


@pytest.mark.django_db(transaction=True)
def test_where_nobody_made_that_role_a_restricted_risk_stays_its_makers(alice: Person, workspace: Workspace) -> None:
    with Scope.for_service(workspace.pk).open():
        create_role(workspace, "Staff", [INTERNAL])
    other = make_person(workspace, "other", [INTERNAL], ("Admin", "Staff", "Steward"))
    with alice.scope.open():
        fields = {"name": SENSITIVE, "category": "sensitive"}
        risk = create_entity(scope=alice.scope, model=Risk, fields=fields, visibility="restricted")

    def get_statuses() -> list[int]:
        return [who.api.get(f"/api/entities/risk/{risk.pk}/").status_code for who in (alice, other)]

    assert get_statuses() == [200, 404]
    with Scope.for_service(workspace.pk).open():
        add_member(workspace, other.user, [create_role(workspace, "Risk board", [])])
    assert get_statuses() == [200, 200]
