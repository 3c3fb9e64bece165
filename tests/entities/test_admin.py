"""Administrators create levels, roles, members and grants in Django admin; the next request obeys."""

import re
from typing import Any

from django.test import Client

from entities.access import Scope, combine_for_workspace
from entities.models import AuditEntry, Classification, FieldParagraph, Role, User
from entities.text import compute_digest
from entities.types import Contract
from tests.conftest import Person


def form_of(client: Client, url: str) -> dict[str, str]:
    """The hidden fields and management forms of an admin page."""
    page = client.get(url).content.decode()
    return dict(re.findall(r'<input type="hidden" name="([^"]+)"[^>]*? value="([^"]*)"', page))


def test_a_new_level_role_and_grant_bind_the_next_request(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    admin = f"{alice.base}admin/entities/"
    new_level = {"label": "Export Controlled", "icon": "world", "color": "red", "description": "ITAR and EAR"}
    assert alice.client.post(f"{admin}classification/add/", new_level).status_code == 302
    with service.open():
        level = Classification.objects.get(label="Export Controlled")
        assert (level.value, level.components) == (7, [7])
        text = "The winch drawings fall under export control."
        FieldParagraph.objects.create(
            workspace_id=service.workspace, entity_id=contract.pk, field="notes", position=1, text=text,
            digest=compute_digest(text), data_classification=combine_for_workspace(service.workspace, 7, 5),
        )  # fmt: skip

    where = f"/api/entities/contract/{contract.pk}/"
    needs = [b["requires"] for b in viewer.api.get(where).json()["notes"]]
    assert needs == [[{"value": 5, "label": "Financial"}, {"value": 7, "label": "Export Controlled"}]]

    with service.open():
        financial = Classification.objects.get(value=5)
    new_role = {
        "name": "Compliance",
        **form_of(alice.client, f"{admin}role/add/"),
        "classification_grants-TOTAL_FORMS": "2",
        "classification_grants-INITIAL_FORMS": "0",
        "classification_grants-0-classification": str(level.pk),
        "classification_grants-1-classification": str(financial.pk),
    }
    response = alice.client.post(f"{admin}role/add/", new_role)
    assert response.status_code == 302, re.findall(r"errorlist.*?</ul>", response.content.decode(), re.DOTALL)
    assert [b["type"] for b in viewer.api.get(where).json()["notes"]] == ["placeholder"]

    with service.open():
        role = Role.objects.get(name="Compliance")
        membership = viewer.user.memberships.get()
        held = Role.objects.filter(group__user=viewer.user).values_list("pk", flat=True)
        roles = [str(pk) for pk in [*held, role.pk]]
    assert alice.client.post(f"{admin}membership/{membership.pk}/change/", {"roles": roles}).status_code == 302
    assert [b["text"] for b in viewer.api.get(where).json()["notes"]] == [text]
    assert viewer.api.get(where).json()["value"] == "1200000.00"

    assert alice.client.post(f"{admin}membership/{membership.pk}/change/", {"roles": roles[:-1]}).status_code == 302
    assert [b["type"] for b in viewer.api.get(where).json()["notes"]] == ["placeholder"]
    with service.open():
        noted = {entry.action: entry.detail for entry in AuditEntry.objects.order_by("pk")}
        assert noted["classification.added"] == {"value": 7, "conceal": False}
        assert noted["role.added"] == {"labels": [5, 7], "is_admin": False, "is_steward": False}
        assert noted["membership.changed"] == {"user": viewer.user.pk, "roles": list(map(int, roles[:-1]))}


def test_a_new_member_signs_in(alice: Person, contract: Contract) -> None:
    added = {"username": "newcomer", "password": "a long pass phrase", "roles": []}
    assert alice.client.post(f"{alice.base}admin/entities/membership/add/", added).status_code == 302
    client = Client()
    assert not client.login(username="newcomer", password="a long pass phrase"), "names stand under their workspace"
    assert client.login(username="newcomer@acme", password="a long pass phrase")
    assert client.get(alice.base)["Location"].startswith("/account/password/")
    own = {"old_password": "a long pass phrase", "new_password1": "one of my own", "new_password2": "one of my own"}
    assert client.post("/account/password/", own).status_code == 302
    assert client.get(alice.base).status_code == 200


def test_administration_of_one_workspace_does_not_reach_another(
    alice: Person, outsider: Person, contract: Contract
) -> None:
    """Another workspace's administrator sees none of this one's roles, members, grants or records."""
    for table in ("role", "membership", "classification", "entity", "entityusergrant", "auditentry"):
        page = outsider.client.get(f"{outsider.base}admin/entities/{table}/").content.decode()
        for secret in ("alice", "Quay lease", str(contract.pk)):
            assert secret not in page, (table, secret)
    assert outsider.client.get(f"{alice.base}admin/").status_code == 404


def test_superuser_and_staff_flags_grant_nothing(viewer: Person, contract: Contract, restricted: Contract) -> None:
    User.objects.filter(pk=viewer.user.pk).update(is_superuser=True, is_staff=True)
    assert viewer.client.get(f"{viewer.base}admin/").status_code == 403
    assert viewer.client.get(f"{viewer.base}entities/{restricted.pk}/").status_code == 404
    answer: Any = viewer.api.get(f"/api/entities/contract/{contract.pk}/").json()
    assert "value" not in answer
