"""Who joins a workspace and who leaves it: nothing is told of other people's accounts, and leaving binds at once."""

import time
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.core.signing import TimestampSigner
from django.db import IntegrityError, connection, transaction
from django.test import Client

from entities.access import NoWorkspace, Scope, grant_entity
from entities.actions import create_entity
from entities.join_codes import LIFE, build_code, end_codes, find_user_by_code
from entities.models import Entity, Membership, Role, User
from entities.tokens import issue_token
from entities.types import Contract
from tests.conftest import Person

PASSWORD = "a long pass phrase"
NOT_VALID = "This code is not for this workspace"


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


def test_the_form_names_this_workspace_only(alice: Person, outsider: Person) -> None:
    pages = {}
    for person, slug in ((outsider, "other"), (alice, "acme")):
        pages[slug] = person.client.get(f"{person.base}admin/entities/membership/add/").content.decode()
        assert f"They sign in as name@{slug}." in pages[slug]
    assert "@other" not in pages["acme"]
    with outsider.scope.open():
        mine = Membership.objects.get(user=outsider.user)
    change = outsider.client.get(f"{outsider.base}admin/entities/membership/{mine.pk}/change/").content.decode()
    assert "They sign in as" not in change


def test_somebody_with_an_account_joins_by_their_own_code(alice: Person, outsider: Person) -> None:
    assert "code" not in outsider.client.get("/join/").context, "asked for by nobody, shown to nobody"
    page = outsider.client.post("/join/", {"workspace": "acme"})
    code = page.context["code"]
    assert code in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    assert outsider.client.get("/w/acme/").status_code == 404
    assert add(alice, code=code).status_code == 302
    assert outsider.client.get("/w/acme/").status_code == 200


def test_asking_for_a_code_tells_nothing_of_workspaces(viewer: Person, outsider: Person) -> None:
    """Of one's own, of somebody else's and of none."""
    for slug in ("acme", "other", "nowhere"):
        page = viewer.client.post("/join/", {"workspace": slug})
        assert (page.status_code, page.context["slug"]) == (200, slug)
    for bad in ("", "a b", "x" * 51, "acme:1", "n\x00"):
        page = viewer.client.post("/join/", {"workspace": bad})
        assert page.status_code == 422
        assert "code" not in page.context
        assert "slug" not in page.content.decode().split("<main", 1)[1]


def test_a_code_is_for_one_workspace(alice: Person, outsider: Person, viewer: Person) -> None:
    """An administrator who is given one cannot take the person along to another workspace that they administer."""
    code = build_code(viewer.user, "acme")
    assert NOT_VALID in add(outsider, code=code).content.decode()
    assert "viewer" not in members(outsider)
    assert add(outsider, code=build_code(viewer.user, "other")).status_code == 302
    assert "viewer" in members(outsider)


def test_a_code_is_good_once_and_not_after_the_membership_ended(alice: Person, outsider: Person) -> None:
    first = build_code(outsider.user, "acme")
    assert add(alice, code=first).status_code == 302
    outsider.user.refresh_from_db()
    second = build_code(outsider.user, "acme")
    with alice.scope.open():
        membership = Membership.objects.get(user=outsider.user)
    gone = alice.client.post(f"{alice.base}admin/entities/membership/{membership.pk}/delete/", {"post": "yes"})
    assert gone.status_code == 302
    for code in (first, second):
        assert NOT_VALID in add(alice, code=code).content.decode()
    assert "outsider" not in members(alice)
    outsider.user.refresh_from_db()
    assert add(alice, code=build_code(outsider.user, "acme")).status_code == 302
    assert "outsider" in members(alice)


def test_a_code_that_two_requests_use_at_once_serves_one(outsider: Person) -> None:
    one, two = (User.objects.get(pk=outsider.user.pk) for _ in range(2))
    assert end_codes(one)
    assert not end_codes(two)


def test_codes_that_are_made_up_old_or_of_nobody_are_one_answer(
    alice: Person, outsider: Person, monkeypatch: Any
) -> None:
    signer = TimestampSigner(salt="clearance.joining")
    started = time.time()
    with monkeypatch.context() as past:
        past.setattr("time.time", lambda: started - LIFE - 1)
        old = build_code(outsider.user, "acme")
    gone = User.objects.create_user("gone", is_active=False)
    pk = outsider.user.pk
    forged = ["99999999:acme:0", "x:acme:0", f"{pk}", f"{pk}:acme:1", f"{pk}:acme:{10**30}"]
    for code in (old, f"{pk}:acme:0:x:y", "x", *map(signer.sign, forged), build_code(gone, "acme")):
        assert find_user_by_code(code, "acme") is None
        assert NOT_VALID in add(alice, code=code).content.decode()
    assert "outsider" not in members(alice)


def test_bad_members_are_refused_with_a_sentence(subtests: pytest.Subtests, alice: Person) -> None:
    for fields in [
        {},
        {"username": "x", "code": "y"},
        {"username": "x" * 200, "password": PASSWORD},
        {"username": "weak", "password": "1"},
        {"username": "spa ce", "password": PASSWORD},
        {"username": "n\x00", "password": PASSWORD},
    ]:
        with subtests.test(fields=fields):
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


def may(who: Person, record: Entity) -> tuple[int, int]:
    """What reading and what changing a contract answers."""
    address = f"/api/entities/contract/{record.pk}/"
    return who.api.get(address).status_code, who.api.patch(address, {"counterparty": "New"}, format="json").status_code


def test_who_leaves_and_joins_again_has_no_grants_on_records(
    transactional_db: None, alice: Person, staff: Person, viewer: Person, restricted: Contract, service: Scope
) -> None:
    """Neither those that somebody gave them, nor those that they had as its creator; others keep theirs."""
    with staff.scope.open():
        fields = {"name": "Berth", "counterparty": "Port"}
        made = create_entity(scope=staff.scope, model=Contract, fields=fields, visibility="restricted")
        own = create_entity(scope=staff.scope, model=Contract, fields=fields, visibility="private")
    with service.open():
        for who in (staff, viewer):
            grant_entity(restricted, who.user.pk)
        pk = Membership.objects.get(user=staff.user).pk
    records = (restricted, made, own)
    assert [may(staff, record) for record in records] == [(200, 200)] * 3
    gone = alice.client.post(f"{alice.base}admin/entities/membership/{pk}/delete/", {"post": "yes"})
    assert gone.status_code == 302
    staff.user.refresh_from_db()
    assert add(alice, code=build_code(staff.user, "acme"), roles=[]).status_code == 302
    with service.open():
        token = issue_token(Membership.objects.get(user=staff.user))
    staff.api.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    assert [may(staff, record) for record in records] == [(404, 404), (404, 404), (200, 200)], "private: nobody else's"
    assert may(viewer, restricted) == (200, 200)
    # Nobody is left who sees what they made. Whoever keeps the installation gives it to a member.
    assert may(alice, made) == (404, 404)
    for record, name in ((uuid4(), "alice"), (made.pk, "outsider"), (own.pk, "alice")):
        with pytest.raises(CommandError):
            call_command("grant_record", "acme", str(record), name)
    call_command("grant_record", "acme", str(made.pk), "alice")
    assert may(alice, made) == (200, 200)
    assert may(viewer, made) == (404, 404)
    (row,) = alice.api.get("/api/audit/?action=entity.granted").json()["results"]
    assert (row["object"]["id"], row["detail"]["user"]) == (str(made.pk), alice.user.pk)


def test_a_grant_is_to_a_member(alice: Person, outsider: Person, contract: Contract, service: Scope) -> None:
    with service.open(), transaction.atomic(), connection.cursor() as cursor:
        grant_entity(contract, outsider.user.pk)
        with pytest.raises(IntegrityError):
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)
