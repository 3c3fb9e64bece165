"""New roles are cleared for the level of text that nobody has judged, unless whoever makes them declines."""

from typing import Any

import pytest

from entities.access import Scope, load_granted_atoms
from entities.actions import add_member, create_role
from entities.founding import found_workspace
from entities.models import AuditEntry, Role, User, Workspace, WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PUBLIC, SECRET, STEWARDS
from entities.stewards_level import make_stewards_level
from tests.conftest import Person, person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("closed")]
GRANTS = {"classification_grants-TOTAL_FORMS": "0", "classification_grants-INITIAL_FORMS": "0"}


def list_levels(service: Scope, name: str) -> list[int]:
    with service.open():
        levels = Role.objects.get(name=name).classification_grants.order_by("classification__value")
        return list(levels.values_list("classification__value", flat=True))


def make_role(who: Person, name: str, **fields: str) -> Any:
    return who.client.post(f"{who.base}admin/entities/role/add/", {"name": name, **GRANTS, **fields})


def test_the_form_has_the_resting_level_ticked_and_it_can_be_declined(
    alice: Person, viewer: Person, service: Scope
) -> None:
    page = alice.client.get(f"{alice.base}admin/entities/role/add/").content.decode()
    assert "Reads new text that nobody has judged yet: cleared for Internal" in page
    (tick,) = (part.split(">")[0] for part in page.split("<input")[1:] if 'name="reads_resting"' in part.split(">")[0])
    assert "checked" in tick
    assert make_role(alice, "Readers", reads_resting="on").status_code == 302
    assert make_role(alice, "Judges", reads_resting="on", is_steward="on").status_code == 302
    assert make_role(alice, "Visitors").status_code == 302
    assert [list_levels(service, name) for name in ("Readers", "Judges", "Visitors")] == [[INTERNAL], [INTERNAL], []]
    with service.open():
        noted = AuditEntry.objects.filter(action="role.added").order_by("-pk")[:3]
        assert [entry.detail["labels"] for entry in noted] == [[], [INTERNAL], [INTERNAL]]
        role = Role.objects.get(name="Visitors")
    change = alice.client.get(f"{alice.base}admin/entities/role/{role.pk}/change/").content.decode()
    assert "reads_resting" not in change, "what a role has already is in its list of levels"
    assert make_role(viewer, "Mine", reads_resting="on").status_code == 403


def test_what_is_named_besides_is_given_once(alice: Person, service: Scope) -> None:
    with service.open():
        levels = {one: Workspace.objects.get().classification_set.get(value=one).pk for one in (INTERNAL, FINANCIAL)}
    named = {
        "classification_grants-TOTAL_FORMS": "2",
        "classification_grants-0-classification": str(levels[INTERNAL]),
        "classification_grants-1-classification": str(levels[FINANCIAL]),
    }
    assert make_role(alice, "Buyers", reads_resting="on", **named).status_code == 302
    assert list_levels(service, "Buyers") == [INTERNAL, FINANCIAL]


def test_a_level_that_everybody_or_nobody_reads_is_not_offered(alice: Person, service: Scope) -> None:
    for resting in (PUBLIC, STEWARDS):
        with service.open():
            make_stewards_level()
            WorkspaceSettings.objects.update(resting=resting)
        assert "reads_resting" not in alice.client.get(f"{alice.base}admin/entities/role/add/").content.decode()
        assert make_role(alice, f"Readers {resting}", reads_resting="on").status_code == 302
        assert list_levels(service, f"Readers {resting}") == []


def test_a_program_that_names_levels_gets_those_alone(workspace: Workspace, service: Scope) -> None:
    with service.open():
        WorkspaceSettings.objects.update(resting=CONFIDENTIAL)
        create_role(workspace, "Given none")
        create_role(workspace, "Given others", [SECRET])
        create_role(workspace, "Given an empty list", [])
    names = ("Given none", "Given others", "Given an empty list")
    assert [list_levels(service, name) for name in names] == [[CONFIDENTIAL], [SECRET], []]


def test_a_group_clears_for_nothing(alice: Person, service: Scope) -> None:
    assert alice.client.post(f"{alice.base}people/groups/new/", {"name": "Crane team"}).status_code == 302
    assert list_levels(service, "Crane team") == []


@pytest.mark.parametrize(("levels", "held"), [([INTERNAL, FINANCIAL], {INTERNAL}), ([FINANCIAL], set()), ([], set())])
def test_roles_of_a_new_workspace_have_it_where_their_founder_has_it(levels: list[int], held: set[int]) -> None:
    founder = User.objects.create_user("maria")
    workspace = found_workspace(slug="legal", name="Legal", founder=founder, levels=levels)
    with Scope.for_user(founder, "legal").open():
        assert set(load_granted_atoms()) == set(levels)
    for name in ("Admin", "Editor", "Steward"):
        member = person(workspace, name.lower(), [], (name,))
        with member.scope.open():
            assert set(load_granted_atoms()) == held
    with Scope.for_service(workspace.pk).open():
        add_member(workspace, bare := User.objects.create_user("bare"))
    with Scope.for_user(bare, "legal").open():
        assert not load_granted_atoms()
