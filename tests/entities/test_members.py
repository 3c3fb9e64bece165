"""Who joins a workspace and who leaves it: nothing is told of other people's accounts, and leaving binds at once."""

import time
from typing import Any

import pytest
from django.core.signing import TimestampSigner
from django.test import Client

from entities.access import NoWorkspace, Scope
from entities.joining import LIFE, code_of, user_of_code
from entities.models import Entity, Membership, Role, User
from entities.types import Contract
from tests.conftest import Person

PASSWORD = "a long pass phrase"


def add(person: Person, **fields: Any) -> Any:
    return person.client.post(f"{person.base}admin/entities/membership/add/", fields)


def members(person: Person) -> set[str]:
    with person.scope.open():
        return set(User.objects.filter(memberships__in=Membership.objects.all()).values_list("username", flat=True))


def test_a_name_tells_nothing_of_other_workspaces_accounts(alice: Person, outsider: Person) -> None:
    for name in ("outsider", "nobody"):
        assert add(alice, username=name, password=PASSWORD).status_code == 302
    assert {"outsider@acme", "nobody@acme"} <= members(alice)
    assert "outsider" not in members(alice)
    again = add(alice, username="nobody", password=PASSWORD)
    assert "has or had a member of this name" in again.content.decode()
    assert outsider.client.login(username="outsider", password="pass"), "their own account is as it was"


def test_somebody_with_an_account_joins_by_their_own_code(alice: Person, outsider: Person) -> None:
    page = outsider.client.get("/join/")
    code = code_of(outsider.user)
    assert code.split(":")[0] in page.content.decode()
    assert page["Cache-Control"] == "no-store"
    assert outsider.client.get("/w/acme/").status_code == 404
    assert add(alice, code=code).status_code == 302
    assert outsider.client.get("/w/acme/").status_code == 200


def test_codes_that_are_made_up_old_or_of_nobody_are_one_answer(
    alice: Person, outsider: Person, monkeypatch: Any
) -> None:
    signer = TimestampSigner(salt="clearance.joining")
    started = time.time()
    with monkeypatch.context() as past:
        past.setattr("time.time", lambda: started - LIFE - 1)
        old = code_of(outsider.user)
    User.objects.create_user("gone", is_active=False)
    for code in (old, f"{outsider.user.pk}:x:y", "x", signer.sign("99999999"), signer.sign("x"),
                 code_of(User.objects.get(username="gone"))):  # fmt: skip
        assert user_of_code(code) is None
        assert "This code is not valid" in add(alice, code=code).content.decode()
    assert "outsider" not in members(alice)


@pytest.mark.parametrize(
    "fields",
    [{}, {"username": "x", "code": "y"}, {"username": "x" * 200, "password": PASSWORD},
     {"username": "weak", "password": "1"}, {"username": "spa ce", "password": PASSWORD},
     {"username": "n\x00", "password": PASSWORD}],
)  # fmt: skip
def test_bad_members_are_refused_with_a_sentence(alice: Person, fields: dict[str, str]) -> None:
    before = members(alice)
    response = add(alice, **fields)
    assert response.status_code == 200
    page = response.content.decode()
    assert "errorlist" in page or "Give either a new person" in page
    assert members(alice) == before


def test_a_workspace_keeps_an_administrator(alice: Person, viewer: Person) -> None:
    admin = f"{alice.base}admin/entities/"
    with alice.scope.open():
        mine, theirs = (Membership.objects.get(user=p.user) for p in (alice, viewer))
        role = Role.objects.get(name="Admin")
    attempts = (
        (f"membership/{mine.pk}/change/", {"roles": []}),
        (f"membership/{mine.pk}/delete/", {"post": "yes"}),
        (f"role/{role.pk}/delete/", {"post": "yes"}),
    )
    for path, fields in attempts:
        refused = alice.client.post(admin + path, fields)
        assert refused.status_code == 403, path
        assert "nobody could administer" in refused.content.decode()
    assert alice.client.get(admin).status_code == 200
    assert alice.client.post(f"{admin}membership/{theirs.pk}/change/", {"roles": [role.pk]}).status_code == 302
    assert alice.client.post(admin + attempts[0][0], attempts[0][1]).status_code == 302
    assert alice.client.get(admin).status_code == 403
    assert viewer.client.get(f"{viewer.base}admin/").status_code == 200


@pytest.mark.parametrize("how", ["removed", "deactivated"])
def test_who_left_can_do_nothing_with_what_they_still_hold(
    viewer: Person, contract: Contract, service: Scope, how: str
) -> None:
    """Their session, their token, and a scope that was made while they were a member."""
    with viewer.scope.open():
        assert Entity.objects.visible_to(viewer.scope).count() == 1
    with service.open():
        if how == "removed":
            Membership.objects.filter(user=viewer.user).delete()
        else:
            User.objects.filter(pk=viewer.user.pk).update(is_active=False)
    with pytest.raises(NoWorkspace), viewer.scope.open():
        pass
    assert viewer.api.get("/api/me/").status_code == 401
    assert viewer.client.get(viewer.base).status_code == (404 if how == "removed" else 302)
    with pytest.raises(NoWorkspace):
        Scope.for_user(viewer.user, "acme")
    assert Client().login(username="viewer", password="pass") is (how == "removed")
