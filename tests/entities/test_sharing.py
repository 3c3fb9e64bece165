"""A record's page of who can see it and why: giving, taking, restricting, and by whom."""

from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"act": "take", "holder": "me"}, "You cannot take your own access"),
        ({"act": "take", "holder": "x"}, "had no access of their own"),
        ({"act": "take", "holder": "-999999"}, "had no access of their own"),
        ({"act": "visibility", "visibility": "all"}, "Choose who can see it"),
        ({"act": "give", "holder": "999999", "level": "view"}, "not one of the available choices"),
        ({"act": "give", "holder": "outsider", "level": "view"}, "not one of the available choices"),
        ({"act": "give", "holder": "me", "level": "rule"}, "not one of the available choices"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    alice: Person, outsider: Person, restricted: Contract, given: dict[str, str], word: str
) -> None:
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
    page = share(staff, restricted, act="give", holder=hr.user.pk, level="share").content.decode()
    assert "so you cannot give that" in page
    assert reach(hr, restricted) == 404
    assert (
        "Only who created a record" in share(staff, restricted, act="visibility", visibility="private").content.decode()
    )
    page = share(staff, restricted, act="give", holder=hr.user.pk, level="view").content.decode()
    assert "hr may see it." in page
    assert ">Reads<" not in page  # who reads which levels is for administrators
