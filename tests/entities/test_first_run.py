"""The page on which an installation is begun: by whom, once, and what the founder then has."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from entities.access import Scope, load_granted_atoms
from entities.actions import add_member, create_entity, create_workspace
from entities.first_run import make_code
from entities.models import AuditEntry, ClassificationGrant, Role, User, Workspace, WorkspaceSettings
from entities.models.classification import STEWARDS
from entities.registry import list_entity_types
from entities.types import Project
from tests.conftest import ALL, Person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def private(settings: LazySettings) -> None:
    """Only this machine reaches the installation."""
    settings.ALLOWED_HOSTS = ["localhost"]


def open_browser() -> Client:
    return Client(SERVER_NAME="localhost")


FOUNDER = {
    "username": "maria",
    "password": "a long pass phrase",
    "name": "Quay & Sons Ltd.",
    "kinds": ["project", "contract"],
    "languages": "several",
    "resting": "0",
    "reads_all": "on",
    "steward": "on",
}


def begin(client: Client, **changes: Any) -> Any:
    return client.post("/begin/", {name: value for name, value in (FOUNDER | changes).items() if value is not None})


def test_text_may_rest_with_stewards_and_its_sender_where_there_is_a_steward() -> None:
    client = open_browser()
    assert "Stewards and its sender alone" in client.get("/begin/").content.decode()
    refused = begin(client, resting=str(STEWARDS), steward=None)
    assert refused.status_code == 422
    assert "nobody could judge new text" in refused.content.decode()
    assert begin(client, resting=str(STEWARDS)).status_code == 302
    with Scope.for_user(User.objects.get(username="maria"), "quay-sons-ltd").open():
        assert WorkspaceSettings.objects.get().resting == STEWARDS
        assert STEWARDS in load_granted_atoms()
        cleared = ClassificationGrant.objects.filter(classification__value=STEWARDS)
        assert set(cleared.values_list("role__name", flat=True)) == {"Steward"}


def test_who_begins_goes_in_and_holds_everything() -> None:
    client = open_browser()
    assert client.get("/sign-in/")["Location"] == "/begin/"
    assert client.get("/begin/").status_code == 200
    answer = begin(client)
    assert (answer.status_code, answer["Location"]) == (302, "/w/quay-sons-ltd/model/?first")
    home = client.get("/w/quay-sons-ltd/").content.decode()
    assert "Quay &amp; Sons Ltd." in home
    assert "Add your first project" in home
    maria = User.objects.get(username="maria")
    with Scope.for_user(maria, "quay-sons-ltd").open():
        assert set(load_granted_atoms()) == set(ALL)
        held = set(Role.objects.filter(group__user=maria.pk).values_list("name", flat=True))
        assert held == {"Admin", "Editor", "Steward", "Founder"}
    with Scope.for_service(Workspace.objects.get().pk).open():
        assert set(AuditEntry.objects.values_list("action", flat=True)) == {"role.added", "membership.added"}


def test_who_declines_reads_public_text_and_decides_nothing() -> None:
    begin(open_browser(), reads_all=None, steward=None)
    maria = User.objects.get(username="maria")
    with Scope.for_user(maria, "quay-sons-ltd").open():
        assert set(load_granted_atoms()) == set()
        assert set(Role.objects.filter(group__user=maria.pk).values_list("name", flat=True)) == {"Admin", "Editor"}


def test_the_menus_have_the_kinds_that_were_chosen_and_the_others_are_still_there() -> None:
    client = open_browser()
    begin(client)
    home = client.get("/w/quay-sons-ltd/").content.decode()
    assert "/records/project/" in home
    assert "/records/risk/" not in home
    assert client.get("/w/quay-sons-ltd/records/risk/").status_code == 200
    changed = {"kinds": "1", "project-shown": "on", "risk-shown": "on"}
    changed |= {f"{key}-place": "1" for key in list_entity_types()}
    assert client.post("/w/quay-sons-ltd/workspace/", changed).status_code == 302
    home = client.get("/w/quay-sons-ltd/").content.decode()
    assert "/records/risk/" in home
    assert "/records/contract/" not in home


def test_the_first_record_takes_the_place_of_what_to_do_first() -> None:
    client = open_browser()
    begin(client)
    scope = Scope.for_user(User.objects.get(username="maria"), "quay-sons-ltd")
    with scope.open():
        create_entity(scope=scope, model=Project, fields={"name": "Pier"})
    home = client.get("/w/quay-sons-ltd/").content.decode()
    assert "Pier" in home
    assert "Add your first" not in home


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"password": "password"}, "too common"),
        ({"password": "short"}, "too short"),
        ({"username": "two words"}, "valid username"),
        ({"name": ""}, "required"),
        ({"kinds": []}, "required"),
        ({"kinds": ["dragon"]}, "valid choice"),
    ],
)
def test_what_will_not_do_is_said_at_its_field(changes: dict[str, Any], word: str) -> None:
    answer = begin(open_browser(), **changes)
    assert answer.status_code == 422
    assert word in answer.content.decode()
    assert not User.objects.exists()
    assert not Workspace.objects.exists()


def test_it_is_closed_once_somebody_is_there() -> None:
    begin(open_browser())
    client = open_browser()
    assert client.get("/begin/").status_code == 404
    assert begin(client, username="eve", name="Mine").status_code == 404
    assert User.objects.count() == 1
    assert "Begin with your own data" not in client.get("/sign-in/").content.decode()


def test_it_is_closed_where_people_came_by_another_door(alice: Person) -> None:
    assert open_browser().get("/begin/").status_code == 404


def test_on_a_public_address_it_asks_for_the_code(settings: LazySettings) -> None:
    settings.CLEARANCE_BIND = "0.0.0.0"
    client = open_browser()
    for code in (None, "", "0" * 32, make_code()[:-1]):
        answer = client.get("/begin/", {} if code is None else {"code": code})
        assert answer.status_code == 403
        assert "make up" in answer.content.decode()
        assert begin(client, code=code).status_code == 403
    assert not User.objects.exists()
    assert client.get("/begin/", {"code": make_code()}).status_code == 200
    assert begin(client, code=make_code()).status_code == 302


@pytest.fixture
def demo() -> dict[str, User]:
    """Two of the demo's people, in the demo workspace, with the record that a question is about."""
    workspace = create_workspace(slug="demo", name="Harbour & Vale Engineering")
    people = {name: User.objects.create_user(name, password="demo") for name in ("cfo", "viewer")}
    with Scope.for_service(workspace.pk).open():
        for user in people.values():
            add_member(workspace, user)
        scope = Scope.for_service(workspace.pk)
        create_entity(scope=scope, model=Project, fields={"name": "Quay 7 Warehouse Renovation"})
    return people


def test_the_demo_says_what_it_is_and_makes_one_somebody_else_at_a_click(demo: dict[str, User]) -> None:
    client = open_browser()
    client.force_login(demo["viewer"])
    home = client.get("/w/demo/").content.decode()
    assert "This is a sample company" in home
    assert "Why is the harbour works permit late?" in home
    assert "Brannock" not in home  # its contract is not there, so nobody could answer
    assert 'href="/begin/"' in home
    assert 'value="cfo"' in home
    assert 'value="viewer"' not in home
    assert client.post("/become/", {"name": "cfo"})["Location"] == "/w/demo/"
    assert client.get("/w/demo/").context["shell"].user_name == "cfo"


def test_nobody_becomes_who_chose_a_password_or_is_not_of_the_demo(demo: dict[str, User]) -> None:
    maria = User.objects.create_user("maria", password="demo")
    demo["cfo"].set_password("a long pass phrase")
    demo["cfo"].save()
    client = open_browser()
    client.force_login(demo["viewer"])
    assert [client.post("/become/", {"name": name}).status_code for name in ("cfo", "maria", "")] == [404, 404, 404]
    assert 'href="/begin/"' not in client.get("/w/demo/").content.decode()
    client.force_login(maria)
    assert client.post("/become/", {"name": "viewer"}).status_code == 404


def test_nobody_becomes_somebody_else_without_the_demo(alice: Person, viewer: Person) -> None:
    client = open_browser()
    assert client.post("/become/", {"name": "alice"}).status_code == 302  # to sign in
    client.force_login(viewer.user)
    assert client.post("/become/", {"name": "alice"}).status_code == 404
    assert client.get("/w/acme/").context["shell"].user_name == "viewer"
