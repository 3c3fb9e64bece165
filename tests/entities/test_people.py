"""People and roles: who is in, who is invited and by whom, and what each role clears for."""

import logging
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client

from config.logs import WithoutInvitation
from entities.access import Scope, grant_entity, load_granted_atoms
from entities.models import AuditEntry, Invitation, Role, User
from entities.models.classification import FINANCIAL, PII, SECRET
from entities.types import Contract
from tests.conftest import Person

pytestmark = pytest.mark.django_db
PAGES = ("people/", "people/roles/", "people/withdraw/")


def invite(alice: Person, *roles: str, note: str = "Anna") -> str:
    """The path of a new invitation's link."""
    with alice.scope.open():
        keys = list(Role.objects.filter(name__in=roles).values_list("pk", flat=True))
    page = alice.client.post(f"{alice.base}people/", {"note": note, "roles": keys})
    assert page.status_code == 200
    (path,) = re.findall(r"http://testserver(/invited/acme/[-\w]+/)", page.content.decode())
    return path


def read_roles(user: User, scope: Scope) -> set[str]:
    with scope.open():
        return set(Role.objects.filter(group__user=user.pk).values_list("name", flat=True))


def test_only_administrators_have_these_pages(alice: Person, viewer: Person, steward: Person, outsider: Person) -> None:
    for page in PAGES[:2]:
        assert alice.client.get(f"{alice.base}{page}").status_code == 200
    for page in PAGES:
        for person, status in ((viewer, 403), (steward, 403), (outsider, 404)):
            assert person.client.post(f"{alice.base}{page}", {"note": "Me"}).status_code == status, (page, person)
    with alice.scope.open():
        assert not Invitation.objects.exists()
    assert "/people/" in alice.client.get(alice.base).content.decode()
    assert "/people/" not in viewer.client.get(viewer.base).content.decode()


def test_people_stand_with_what_they_may_read_and_through_what(alice: Person, hr: Person, cfo: Person) -> None:
    page = alice.client.get(f"{alice.base}people/").content.decode()
    row = page[page.index(">hr<") : page.index("</tr>", page.index(">hr<"))]
    assert "HR" in row
    assert "PII" in row
    assert "Financial" not in row


def test_who_is_invited_makes_an_account_and_is_in(alice: Person, service: Scope) -> None:
    path = invite(alice, "Editor", "alice role")
    browser = Client()
    page = browser.get(path).content.decode()
    assert "Join Acme" in page
    assert "Editor" in page
    answer = browser.post(path, {"username": "anna", "password": "a long pass phrase"})
    assert (answer.status_code, answer["Location"]) == (302, "/w/acme/")
    assert browser.get("/w/acme/").status_code == 200
    anna = User.objects.get(username="anna@acme")
    assert str(anna) == "anna"
    assert read_roles(anna, service) == {"Editor", "alice role"}
    with service.open():
        actions = set(AuditEntry.objects.values_list("action", flat=True))
        assert {"invitation.added", "invitation.accepted", "membership.added"} <= actions
        assert not Invitation.objects.exists()


def test_who_has_an_account_joins_with_it(alice: Person, outsider: Person, service: Scope) -> None:
    path = invite(alice, "Editor")
    assert "Join as outsider" in outsider.client.get(path).content.decode()
    assert outsider.client.get("/w/acme/").status_code == 404
    assert outsider.client.post(path).status_code == 302
    assert outsider.client.get("/w/acme/").status_code == 200
    assert read_roles(outsider.user, service) == {"Editor"}


def test_a_link_is_good_once_and_for_a_week_and_until_it_is_withdrawn(alice: Person, service: Scope) -> None:
    new = {"username": "anna", "password": "a long pass phrase"}
    used, old, withdrawn = (invite(alice, note=note) for note in ("used", "old", "withdrawn"))
    assert Client().post(used, new).status_code == 302
    with service.open():
        Invitation.objects.filter(note="old").update(expires_at=Now() - timedelta(seconds=1))
        pk = Invitation.objects.get(note="withdrawn").pk
    assert alice.client.post(f"{alice.base}people/withdraw/", {"invitation": pk}).status_code == 302
    users = User.objects.count()
    for path in (used, old, withdrawn, f"/invited/acme/{'x' * 43}/", f"/invited/nowhere/{'x' * 43}/"):
        assert Client().get(path).status_code == 404
        assert Client().post(path, new | {"username": "eve"}).status_code == 404
    assert User.objects.count() == users


def test_nobody_withdraws_what_is_of_another_workspace(alice: Person, outsider: Person) -> None:
    invite(alice)
    with alice.scope.open():
        pk = Invitation.objects.get().pk
    for value in (pk, "x", ""):
        assert outsider.client.post(f"{outsider.base}people/withdraw/", {"invitation": value}).status_code == 404
    with alice.scope.open():
        assert Invitation.objects.exists()


def test_the_secret_of_a_link_is_kept_nowhere(alice: Person, service: Scope) -> None:
    path = invite(alice)
    secret = path.split("/")[3]
    with service.open():
        row = Invitation.objects.get()
        assert secret not in str(vars(row))
        assert all(secret not in str(entry.detail) for entry in AuditEntry.objects.all())
    assert secret not in alice.client.get(f"{alice.base}people/").content.decode()


@pytest.mark.parametrize(
    ("changes", "word"),
    [({"password": "password"}, "too common"), ({"username": "two words"}, "valid"), ({"username": ""}, "required")],
)
def test_what_will_not_do_is_said_and_the_link_stays_good(alice: Person, changes: dict[str, str], word: str) -> None:
    path = invite(alice)
    new = {"username": "anna", "password": "a long pass phrase"}
    answer = Client().post(path, new | changes)
    assert answer.status_code == 422
    assert word in answer.content.decode()
    assert Client().post(path, new).status_code == 302
    path = invite(alice)
    answer = Client().post(path, new)
    assert (answer.status_code, "this name" in answer.content.decode()) == (422, True)


def test_a_tick_clears_a_role_for_a_level_and_taking_it_away_is_obeyed_at_once(
    alice: Person, cfo: Person, viewer: Person, service: Scope
) -> None:
    with service.open():
        roles = {role.name: role.pk for role in Role.objects.all()}
    page = alice.client.get(f"{alice.base}people/roles/").content.decode()
    assert f'value="{roles["cfo role"]}:{FINANCIAL}" aria-label="cfo role reads Financial" checked' in page
    wanted = {
        "was": [f"{roles['cfo role']}:{FINANCIAL}"],
        "cell": [f"{roles['viewer role']}:{PII}", f"{roles['viewer role']}:{SECRET}", "x:1", "9999:1", "1", "0:0"],
    }
    assert alice.client.post(f"{alice.base}people/roles/", wanted).status_code == 302
    for person, atoms in ((viewer, {PII, SECRET}), (cfo, set())):
        with person.scope.open():
            assert set(load_granted_atoms()) == atoms
    with alice.scope.open():
        assert FINANCIAL in load_granted_atoms()  # a role that was not sent keeps what it has
    with service.open():
        changed = AuditEntry.objects.filter(action="role.changed")
        assert {row.object_id: row.detail["labels"] for row in changed} == {
            str(roles["viewer role"]): [PII, SECRET],
            str(roles["cfo role"]): [],
        }


def test_what_a_colleague_took_away_meanwhile_stays_away(alice: Person, cfo: Person, service: Scope) -> None:
    with service.open():
        role = Role.objects.get(name="cfo role").pk
    was = {"was": [f"{role}:{FINANCIAL}"]}
    alice.client.post(f"{alice.base}people/roles/", was)
    alice.client.post(f"{alice.base}people/roles/", was | {"cell": [f"{role}:{FINANCIAL}", f"{role}:{PII}"]})
    with cfo.scope.open():
        assert set(load_granted_atoms()) == {PII}


def test_an_invitation_ends_with_the_power_of_who_made_it(alice: Person, steward: Person, service: Scope) -> None:
    path = invite(alice, "Admin")
    assert Client().get(path).status_code == 200
    with service.open():
        alice.user.groups.remove(Role.objects.get(name="Admin").group)
    assert Client().get(path).status_code == 404
    assert Client().post(path, {"username": "anna", "password": "a long pass phrase"}).status_code == 404


def test_who_has_a_first_password_chooses_their_own_before_they_join(alice: Person, outsider: Person) -> None:
    path = invite(alice)
    User.objects.filter(pk=outsider.user.pk).update(password_by_other=True)
    assert outsider.client.post(path)["Location"].startswith("/account/password/")
    assert outsider.client.get("/w/acme/").status_code != 200


def test_no_log_has_the_secret_of_a_link() -> None:
    record = logging.LogRecord("x", 20, "", 0, "%s", ("GET /invited/acme/s3cret-_x/ HTTP/1.1", 200), None)
    assert WithoutInvitation().filter(record)
    assert "s3cret" not in str(record.args)
    assert "/invited/acme/" in str(record.args)


def test_no_page_of_roles_changes_another_workspace(alice: Person, outsider: Person, cfo: Person) -> None:
    with alice.scope.open():
        role = Role.objects.get(name="cfo role").pk
    assert (
        outsider.client.post(
            f"{outsider.base}people/roles/", {"was": [f"{role}:{FINANCIAL}"], "cell": [f"{role}:{SECRET}"]}
        ).status_code
        == 302
    )
    with cfo.scope.open():
        assert set(load_granted_atoms()) == {FINANCIAL}


def test_an_invitation_goes_by_mail_where_there_is_a_mail_server(
    alice: Person, settings: Any, mailoutbox: Any, django_capture_on_commit_callbacks: Any
) -> None:
    fields = {"note": "Anna", "roles": [], "email": "anna@example.org"}
    with django_capture_on_commit_callbacks(execute=True):
        assert 'name="email"' not in alice.client.post(f"{alice.base}people/", fields).content.decode()
    assert mailoutbox == [], "no server: the link alone"
    settings.EMAIL_HOST = "mail.example.org"
    with django_capture_on_commit_callbacks(execute=True):
        page = alice.client.post(f"{alice.base}people/", fields).content.decode()
    (sent,) = mailoutbox
    (link,) = re.findall(r"http://testserver/invited/acme/[-\w]+/", sent.body)
    assert sent.to == ["anna@example.org"]
    assert link in page
    assert "alice invites you to Acme" in sent.body


def test_a_group_is_made_and_holds_members_to_share_records_with(
    alice: Person, viewer: Person, outsider: Person, restricted: Contract
) -> None:
    made = alice.client.post(f"{alice.base}people/groups/new/", {"name": "Crane team"})
    with alice.scope.open():
        group = Role.objects.get(name="Crane team")
    assert made["Location"].endswith(f"people/roles/members/?role={group.pk}")
    page = f"people/roles/members/?role={group.pk}"
    assert alice.client.post(f"{alice.base}people/groups/new/", {"name": "Crane team"}).status_code == 422
    ruled = alice.client.post(f"{alice.base}people/groups/new/", {"name": " HR "})
    assert ruled.status_code == 422, "a rule of a type gives the members of a role of this name more than was shared"
    assert "names such a role" in ruled.content.decode()
    assert alice.client.post(alice.base + page, {"member": [viewer.user.pk, outsider.user.pk]}).status_code == 302
    with alice.scope.open():
        assert list(group.group.user_set.values_list("pk", flat=True)) == [viewer.user.pk], (
            "members of the workspace only"
        )
        grant_entity(restricted, -group.pk, ["view"])
    record = f"{viewer.base}entities/{restricted.pk}/"
    assert viewer.client.get(record).status_code == 200
    assert viewer.client.get(viewer.base + page).status_code == 403
    assert viewer.client.post(f"{viewer.base}people/groups/new/", {"name": "Mine"}).status_code == 403
    assert outsider.client.get(outsider.base + page).status_code == 404
    alice.client.post(alice.base + page, {"was": [viewer.user.pk]})
    assert viewer.client.get(record).status_code == 404


def test_nobody_takes_the_last_administrator_away(alice: Person) -> None:
    with alice.scope.open():
        (role,) = Role.objects.filter(is_admin=True, group__user=alice.user.pk)
    taken = alice.client.post(f"{alice.base}people/roles/members/?role={role.pk}", {"was": [alice.user.pk]})
    assert taken.status_code == 403
    assert alice.client.get(f"{alice.base}people/").status_code == 200
