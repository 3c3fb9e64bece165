"""What hangs on roles, levels and grants; and records that an administrator does not see."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from entities.access import Scope, combine_for_workspace, grant_entity
from entities.actions import create_entity
from entities.models import (
    AuditEntry,
    Classification,
    ClassificationGrant,
    EntityRoleGrant,
    EntityUserGrant,
    FieldParagraph,
    Role,
)
from entities.models.classification import FINANCIAL, PII, SECRET
from entities.rag import VERBS
from entities.types import Contract
from tests.conftest import Person


def test_grants_on_hidden_records_do_not_exist_in_admin(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    with service.open():
        hidden = create_entity(
            scope=service, model=Contract, fields={"name": "H", "counterparty": "x"}, visibility="restricted"
        )
        grant_entity(hidden, viewer.user.pk)
        theirs = EntityUserGrant.objects.filter(content_object=hidden.pk).first()
        assert theirs is not None
    admin = f"{alice.base}admin/entities/entityusergrant/"
    assert str(hidden.pk) not in alice.client.get(admin).content.decode()
    assert "Quay lease" in alice.client.get(admin).content.decode()
    assert alice.client.get(f"{admin}{theirs.pk}/change/").status_code == 302
    fields: dict[str, Any] = {
        "permission": Permission.objects.get(codename="view_entity").pk, "user": alice.user.pk,
        "expires_at_0": "", "expires_at_1": "",
    }  # fmt: skip
    said = [
        alice.client.post(f"{admin}add/", {**fields, "content_object": pk})
        .content.decode()
        .count("Select a valid choice")
        for pk in (hidden.pk, "00000000-0000-4000-8000-000000000000")
    ]
    assert said == [1, 1]
    assert alice.api.get(f"/api/entities/contract/{hidden.pk}/").status_code == 404
    granted = {**fields, "content_object": contract.pk, "user": viewer.user.pk}
    assert alice.client.post(f"{admin}add/", granted).status_code == 302
    with service.open():
        role = Role.objects.get(name="viewer role")
        group = role.group_id
    granted = {**fields, "content_object": contract.pk, "group": group}
    assert alice.client.post(f"{alice.base}admin/entities/entityrolegrant/add/", granted).status_code == 302
    given = {"entity": str(contract.pk), "verb": "view", "expires_at": None}
    with service.open():
        noted = AuditEntry.objects.filter(action__endswith="grant.added").order_by("pk")
        assert [entry.detail for entry in noted] == [given | {"user": viewer.user.pk}, given | {"role": role.pk}]


def test_a_grant_that_ended_makes_room_for_a_new_one(
    alice: Person, viewer: Person, restricted: Contract, service: Scope
) -> None:
    with service.open():
        grant_entity(restricted, viewer.user.pk, ["view"], expires_at=timezone.now() - timedelta(days=1))
    where = f"/api/entities/contract/{restricted.pk}/"
    assert viewer.api.get(where).status_code == 404
    with alice.scope.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    assert viewer.api.get(where).status_code == 200


def test_a_role_goes_with_its_grants(alice: Person, restricted: Contract, service: Scope) -> None:
    with service.open():
        role = Role.objects.get(name="Editor")
        grant_entity(restricted, -role.pk, ["view"])
    admin = f"{alice.base}admin/entities/role/"
    assert alice.client.post(f"{admin}add/", {"name": "Admin"}).status_code == 200
    assert alice.client.post(f"{admin}{role.pk}/delete/", {"post": "yes"}).status_code == 302
    with service.open():
        assert not EntityRoleGrant.objects.filter(content_object=restricted.pk).exists()


@pytest.mark.parametrize("used", [True, False])
def test_a_level_goes_with_its_compounds_unless_text_has_one(
    alice: Person, contract: Contract, service: Scope, used: bool
) -> None:
    with service.open():
        level = Classification.objects.create(workspace_id=service.workspace, value=7, label="Own", components=[7])
        both = combine_for_workspace(service.workspace, 7, 5)
        if used:
            FieldParagraph.objects.create(
                workspace_id=service.workspace, entity_id=contract.pk, field="notes", position=1, text="x", digest="x",
                data_classification=both,
            )  # fmt: skip
    answer = alice.client.post(f"{alice.base}admin/entities/classification/{level.pk}/delete/", {"post": "yes"})
    assert answer.status_code == (403 if used else 302)
    with service.open():
        left = Classification.objects.filter(value__in=[7, both]).count()
    assert left == (2 if used else 0)


def test_the_date_moves_with_what_needs_no_clearance_only(alice: Person, viewer: Person, contract: Contract) -> None:
    where = f"/api/entities/contract/{contract.pk}/"
    before = viewer.api.get(where).json()["updated_at"]
    assert alice.api.patch(where, {"value": "5"}, format="json").json()["value"] == "5.00"
    assert viewer.api.get(where).json()["updated_at"] == before
    alice.api.patch(where, {"status": "active"}, format="json")
    assert viewer.api.get(where).json()["updated_at"] > before


def test_addresses_of_grants_count_nothing(alice: Person, viewer: Person, contract: Contract, service: Scope) -> None:
    """A number of the installation would tell, by its gaps, how many grants there are that one does not see."""
    with service.open():
        grant_entity(contract, -Role.objects.get(name="viewer role").pk, ["view"])
    for table, held in (("entityusergrant", len(VERBS)), ("entityrolegrant", 1)):
        page = alice.client.get(f"{alice.base}admin/entities/{table}/").content.decode()
        keys = set(re.findall(rf'admin/entities/{table}/([^/"]+)/change/', page))
        assert len(keys) == held
        for key in keys:
            assert UUID(key).version == 4
            assert alice.client.get(f"{alice.base}admin/entities/{table}/{key}/change/").status_code == 200


def test_clearances_of_a_role_are_kept_taken_and_given_in_its_form(alice: Person, viewer: Person) -> None:
    """By random keys too, which the form carries."""
    with alice.scope.open():
        role = Role.objects.get(name="viewer role")
        atoms = {c.value: c.pk for c in Classification.objects.all()}
    address = f"{alice.base}admin/entities/role/{role.pk}/change/"

    def save(*rows: dict[str, Any]) -> None:
        prefix = "classification_grants"
        fields = {f"{prefix}-{n}-{name}": value for n, row in enumerate(rows) for name, value in row.items()}
        held = sum(bool(row.get("id")) for row in rows)
        counts = {f"{prefix}-TOTAL_FORMS": len(rows), f"{prefix}-INITIAL_FORMS": held}
        assert alice.client.post(address, {"name": role.name, **counts, **fields}).status_code == 302

    def keys() -> list[str]:
        page = alice.client.get(address).content.decode()
        return re.findall(r'name="classification_grants-\d+-id" value="([^"]+)"', page)

    new = {"id": "", "role": role.pk}
    save({**new, "classification": atoms[PII]}, {**new, "classification": atoms[FINANCIAL]})
    shown = keys()
    assert [UUID(key).version for key in shown] == [4, 4]
    with alice.scope.open():
        held = {str(g.pk): g.classification.value for g in ClassificationGrant.objects.filter(role=role)}
    assert sorted(held) == sorted(shown)
    assert sorted(held.values()) == [PII, FINANCIAL]
    first, second = ({"id": key, "role": role.pk, "classification": atoms[held[key]]} for key in shown)
    save({**first, "DELETE": "on"}, second, {**new, "classification": atoms[SECRET]})
    with alice.scope.open():
        now = {g.classification.value: str(g.pk) for g in ClassificationGrant.objects.filter(role=role)}
    assert sorted(now) == sorted([held[shown[1]], SECRET])
    assert now[held[shown[1]]] == shown[1]
