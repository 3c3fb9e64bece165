"""The demo workspace: what `make up` loads."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from entities.access import Scope, has_permission, load_granted_atoms
from entities.models import Entity, Role, User, Workspace
from ingestion.models import File, FileRevision

CLEARANCES = {
    "hr": {3},
    "cfo": {5},
    "staff": {1},
    "viewer": set(),
    "admin": {1, 2, 3, 4, 5, 6},
    "steward": {1, 2, 3, 4, 5, 6},
}


@pytest.fixture
def demo(db: None) -> Workspace:
    call_command("load_demo", stdout=StringIO())
    return Workspace.objects.get(slug="demo")


def scope_of(name: str) -> Scope:
    return Scope.for_user(User.objects.get(username=name), "demo")


def test_people_have_the_clearances_of_the_contract(demo: Workspace) -> None:
    for name, atoms in CLEARANCES.items():
        assert User.objects.get(username=name).check_password("demo")
        with scope_of(name).open():
            assert load_granted_atoms() == atoms, name
    with Scope.for_service(demo.pk).open():
        stewards = Role.objects.filter(is_steward=True, group__user__username="steward")
        assert stewards.exists()
        assert Role.objects.filter(name="pulse-service").exists()


def test_restricted_records_exist_for_some_only(demo: Workspace) -> None:
    seen = {}
    for name in CLEARANCES:
        scope = scope_of(name)
        with scope.open():
            seen[name] = set(Entity.objects.visible_to(scope).values_list("source_id", flat=True))
    assert len(seen["admin"]) >= 12
    assert "contract-gannet" in seen["cfo"] & seen["admin"]
    assert not any("contract-gannet" in seen[name] for name in ("hr", "staff", "viewer", "steward"))
    assert {key for key in seen["hr"] if key.startswith("employee-")}
    assert not {key for key in seen["steward"] | seen["viewer"] | seen["cfo"] if key.startswith("employee-")}


def test_loading_again_changes_nothing(demo: Workspace) -> None:
    def counts() -> list[int]:
        with Scope.for_service(demo.pk).open():
            return [model._default_manager.count() for model in (Entity, File, FileRevision, Role)]

    before = counts()
    assert before[1] >= 10
    call_command("load_demo", stdout=StringIO())
    assert counts() == before
    assert User.objects.filter(username="admin").count() == 1


def test_staff_may_upload_and_viewers_may_not(demo: Workspace) -> None:
    for name, expected in (("admin", True), ("staff", True), ("viewer", False), ("steward", False)):
        scope = scope_of(name)
        with scope.open():
            contract = Entity.objects.get(source_id="contract-quay7-main")
            assert has_permission(scope, contract, "upload") is expected


def test_it_is_not_loaded_where_others_can_reach_it(db: None, settings) -> None:
    settings.CLEARANCE_BIND = "0.0.0.0"
    with pytest.raises(CommandError, match="known to everybody"):
        call_command("load_demo")
    assert not Workspace.objects.filter(slug="demo").exists()
