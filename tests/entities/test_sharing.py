"""A record's page of who can see it and why: giving, taking, restricting, and by whom."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from entities.access import Scope, grant_entity
from entities.models import AuditEntry, Entity, EntityUserGrant, Role
from entities.types import Contract
from tests.conftest import Person

pytestmark = pytest.mark.django_db


def share(who: Person, record: Entity, **given: Any) -> Any:
    return who.client.post(f"{who.base}entities/{record.pk}/share/", given, follow=True)


def reach(who: Person, record: Entity) -> int:
    return int(who.client.get(f"{who.base}entities/{record.pk}/").status_code)


def test_access_is_given_by_name_and_taken_away_and_both_are_obeyed_at_once(
    alice: Person, viewer: Person, cfo: Person, restricted: Contract
) -> None:
    assert reach(viewer, restricted) == 404
    page = share(alice, restricted, act="give", holder=viewer.user.pk, level="view", days="7").content.decode()
    assert "viewer may see it for a week." in page
    row = page[page.index('<th scope="row">viewer') :]
    assert "was given access" in row
    assert "until" in row
    assert (reach(viewer, restricted), reach(cfo, restricted)) == (200, 404)
    assert viewer.client.post(f"{viewer.base}entities/{restricted.pk}/edit/", {}).status_code == 403
    assert "no longer has access" in share(alice, restricted, act="take", holder=viewer.user.pk).content.decode()
    assert reach(viewer, restricted) == 404
    with alice.scope.open():
        rows = AuditEntry.objects.filter(object_id=restricted.pk, action__in=["entity.granted", "entity.revoked"])
        assert [(row.action, row.detail["user"]) for row in rows.order_by("pk")] == [
            ("entity.granted", viewer.user.pk),
            ("entity.revoked", viewer.user.pk),
        ]


def test_who_is_given_less_has_less(alice: Person, staff: Person, restricted: Contract) -> None:
    share(alice, restricted, act="give", holder=staff.user.pk, level="share")
    with staff.scope.open():
        assert EntityUserGrant.objects.filter(user=staff.user.pk).count() == 5
    share(alice, restricted, act="give", holder=staff.user.pk, level="view")
    with staff.scope.open():
        assert EntityUserGrant.objects.filter(user=staff.user.pk).count() == 1


def test_a_role_is_given_access_for_all_who_have_it(
    alice: Person, hr: Person, cfo: Person, restricted: Contract
) -> None:
    with alice.scope.open():
        role = Role.objects.get(name="HR").pk
    page = share(alice, restricted, act="give", holder=-role, level="change").content.decode()
    row = page[page.index("Role HR<br>") : page.index("</tr>", page.index("Role HR<br>"))]
    assert ">hr<" in row
    assert "see, change, add files" in row
    assert "PII" in row  # what the role reads, for who administers
    assert (reach(hr, restricted), reach(cfo, restricted)) == (200, 404)


def test_a_record_is_restricted_in_one_act_and_who_did_it_keeps_it(
    alice: Person, viewer: Person, steward: Person, contract: Contract, service: Scope
) -> None:
    assert reach(viewer, contract) == 200
    assert "Everybody in the workspace" in share(alice, contract).content.decode()
    with service.open():
        EntityUserGrant.objects.all().delete()
    share(alice, contract, act="visibility", visibility="restricted")
    assert (reach(alice, contract), reach(viewer, contract), reach(steward, contract)) == (200, 404, 404)
    share(alice, contract, act="visibility", visibility="workspace")
    assert reach(viewer, contract) == 200
    share(alice, contract, act="visibility", visibility="private")
    assert reach(viewer, contract) == 404


def test_what_cannot_be_is_refused_with_a_sentence(
    subtests: pytest.Subtests, alice: Person, outsider: Person, restricted: Contract
) -> None:
    for given, word in [
        ({"act": "take", "holder": "me"}, "You cannot take your own access"),
        ({"act": "take", "holder": "x"}, "no longer had access of their own"),
        ({"act": "take", "holder": "-999999"}, "no longer had access of their own"),
        ({"act": "take", "holder": "--5"}, "no longer had access of their own"),
        ({"act": "take", "holder": "٣"}, "no longer had access of their own"),
        ({"act": "give", "holder": "me", "level": "view"}, "You cannot change your own access"),
        ({"act": "give", "holder": "me", "level": "share", "days": "1"}, "You cannot change your own access"),
        ({"act": "visibility", "visibility": "all"}, "Choose who can see it"),
        ({"act": "give", "holder": "999999", "level": "view"}, "not one of the available choices"),
        ({"act": "give", "holder": "outsider", "level": "view"}, "not one of the available choices"),
        ({"act": "give", "holder": "me", "level": "rule"}, "not one of the available choices"),
    ]:
        with subtests.test(given=given):
            people = {"me": str(alice.user.pk), "outsider": str(outsider.user.pk)}
            page = share(alice, restricted, **{name: people.get(value, value) for name, value in given.items()})
            assert word in page.content.decode()
            assert reach(alice, restricted) == 200


def test_nobody_else_shares_and_nobody_gives_what_they_have_not(
    alice: Person, viewer: Person, staff: Person, hr: Person, outsider: Person, restricted: Contract, contract: Contract
) -> None:
    for who, record, status in (
        (viewer, contract, 403),
        (staff, contract, 403),
        (viewer, restricted, 404),
        (outsider, contract, 404),
    ):
        for answer in (who.client.get, who.client.post):
            assert answer(f"{who.base}entities/{record.pk}/share/", {"act": "visibility"}).status_code == status
    assert "/share/" not in viewer.client.get(f"{viewer.base}entities/{contract.pk}/").content.decode()
    with alice.scope.open():
        grant_entity(restricted, staff.user.pk, ("view", "share"))
    page = share(staff, restricted, act="give", username="hr", level="share").content.decode()
    assert "so you cannot give that" in page
    assert reach(hr, restricted) == 404
    assert (
        "Only the creator of a record"
        in share(staff, restricted, act="visibility", visibility="private").content.decode()
    )
    page = share(staff, restricted, act="give", username="hr", level="view").content.decode()
    assert "hr may see it." in page
    assert ">Reads<" not in page  # who reads which levels is for administrators


def test_nobody_gives_away_through_a_role_what_they_share_by(
    alice: Person, staff: Person, viewer: Person, restricted: Contract
) -> None:
    with alice.scope.open():
        editor = -Role.objects.get(name="Editor").pk
        grant_entity(restricted, editor)
    for given in ({"level": "view"}, {"level": "share", "days": "1"}):
        page = share(staff, restricted, act="give", holder=editor, **given).content.decode()
        assert "You share this record through that role" in page
        assert staff.client.get(f"{staff.base}entities/{restricted.pk}/share/").status_code == 200
    page = share(staff, restricted, act="take", holder=editor).content.decode()
    assert "You share this record through that role" in page
    assert (
        "Role Editor may see it." in share(alice, restricted, act="give", holder=editor, level="view").content.decode()
    )
    assert staff.client.get(f"{staff.base}entities/{restricted.pk}/share/").status_code == 403


def test_who_shares_for_a_while_leaves_somebody_who_shares_without_an_end(
    alice: Person, staff: Person, viewer: Person, restricted: Contract
) -> None:
    share(alice, restricted, act="give", holder=staff.user.pk, level="share", days="7")
    for given in (
        {"act": "take", "holder": str(alice.user.pk)},
        {"act": "give", "username": "alice", "level": "share", "days": "1"},
        {"act": "give", "username": "alice", "level": "view"},
    ):
        assert "Then nobody could share" in share(staff, restricted, **given).content.decode()
        assert alice.client.get(f"{alice.base}entities/{restricted.pk}/share/").status_code == 200
    share(staff, restricted, act="give", username="viewer", level="share")
    assert "alice may see it." in share(staff, restricted, act="give", username="alice", level="view").content.decode()


def test_roles_are_listed_where_their_rules_let_them_see(alice: Person, restricted: Contract) -> None:
    page = share(alice, restricted).content.decode()
    rows = page[page.index("<tbody>") :]
    assert ("alice" in rows, "Role Editor" in rows, "Role Admin" in rows) == (True, False, False)
    with alice.scope.open():
        editor = Role.objects.get(name="Editor").pk
        grant_entity(restricted, -editor, ("share",))
    assert "Role Editor" not in share(alice, restricted).content.decode().split("<tbody>")[1]
    share(alice, restricted, act="give", holder=-editor, level="view")
    rows = share(alice, restricted).content.decode().split("<tbody>")[1]
    assert ("the rules for contracts" in rows, "Role Admin" in rows) == (True, False)
    share(alice, restricted, act="visibility", visibility="workspace")
    assert "Role Admin" in share(alice, restricted).content.decode().split("<tbody>")[1]


def test_who_is_no_administrator_is_not_told_who_is_here(
    alice: Person, staff: Person, hr: Person, cfo: Person, outsider: Person, restricted: Contract
) -> None:
    with alice.scope.open():
        grant_entity(restricted, staff.user.pk)
        grant_entity(restricted, -Role.objects.get(name="HR").pk, ("view",))
        finance = -Role.objects.get(name="cfo role").pk
    page = share(staff, restricted).content.decode()
    assert ("Role Editor" in page, "Role HR" in page, "Role cfo role" in page, ">cfo<" in page) == (
        True,
        True,  # it has been given access here
        False,
        False,
    )
    assert "HR<br>" not in page
    assert "Role HR<br>" in (full := share(alice, restricted).content.decode())
    assert ("Role cfo role" in full, ">cfo<" in full) == (True, True)
    for given, word in (
        ({"holder": str(finance)}, "not one of the available choices"),
        ({"holder": str(cfo.user.pk)}, "not one of the available choices"),
        ({"username": "cf"}, "No one here has this username"),
        ({"username": "outsider"}, "No one here has this username"),
        ({}, "Type a username"),
    ):
        assert word in share(staff, restricted, act="give", level="view", **given).content.decode()
    assert reach(cfo, restricted) == 404
    assert "cfo may see it." in share(staff, restricted, act="give", username="cfo", level="view").content.decode()
    assert reach(cfo, restricted) == 200


def test_restricting_a_record_gives_nobody_more_than_they_had(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    with service.open():
        EntityUserGrant.objects.all().delete()
        grant_entity(contract, staff.user.pk, ("share",), expires_at=timezone.now() + timedelta(days=7))
    share(staff, contract, act="visibility", visibility="restricted")
    with staff.scope.open():
        held = EntityUserGrant.objects.filter(user=staff.user.pk).values_list("permission__codename", "expires_at")
        ends = {codename.removesuffix("_entity"): end for codename, end in held}
    assert sorted(ends) == ["change", "share", "upload", "view"]
    assert [verb for verb in ends if ends[verb]] == ["share"]
    assert staff.client.post(f"{staff.base}entities/{contract.pk}/delete/").status_code == 403
