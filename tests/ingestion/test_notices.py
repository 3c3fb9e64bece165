"""What concerns a reader: the page of notifications, its count, and the e-mail that says that there are some."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db.models import F
from django.utils import timezone

from entities.access import Scope, grant_entity, revoke_entity
from entities.models import Classification, Entity, EntityRoleGrant, Membership, Role, User, Workspace
from entities.models.classification import FINANCIAL, SECRET
from entities.models.entity import Visibility
from entities.types import Contract
from ingestion import digests, notices, tasks
from ingestion.digests import send_digests
from ingestion.inline import process_all_waiting
from ingestion.models import File, FileRevision
from tests.conftest import Person, person
from tests.ingestion.access_requests import ask, decide
from tests.ingestion.helpers import ready, upload
from tests.ingestion.test_known_versions import HIDDEN, NOTED

pytestmark = pytest.mark.django_db(transaction=True)


def read(person: Person) -> str:
    return person.client.get(f"{person.base}notifications/").content.decode()


def count(person: Person) -> str:
    return person.client.get(f"{person.base}notifications/waiting/").content.decode().strip()


def test_each_is_told_what_concerns_them_as_far_as_they_may_see_it_now(
    alice: Person, viewer: Person, steward: Person, hr: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    with service.open():
        FileRevision.objects.update(stages=[["extract", 3, 41.5]])
    name = contract.name
    asked = ask(viewer, file=file, message="For the talks.")
    assert "1 new notification" in count(steward)
    assert "viewer asks for access" in read(steward)
    assert "is ready" in read(alice)
    assert "is ready" not in read(viewer), "somebody else's file"
    assert not count(alice), "it was shown"
    decide(steward, asked["id"], state="refused", reason="Not yours.")
    assert "asks for access" not in read(steward), "it waits no longer"
    assert "1 new notification" in count(viewer)
    assert not count(hr)

    with service.open():
        record = Entity.objects.get(pk=contract.pk)
        grant_entity(record, hr.user.pk, ["view"])
    assert "was shared with you" in read(hr)
    assert "was shared with you" not in read(viewer), "it was shared with somebody else"
    with service.open():
        Entity.objects.filter(pk=contract.pk).update(visibility=Visibility.RESTRICTED)
    assert name not in read(viewer), "the record is closed to them"
    assert name in read(hr)
    with service.open():
        revoke_entity(record, hr.user.pk)
    assert name not in read(hr)


def test_a_role_is_told_what_somebody_else_shared_since_that_is_noted(
    alice: Person,
    staff: Person,
    workspace: Workspace,
    contract: Contract,
    restricted: Contract,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    giver = person(workspace, "giver", [], ("Editor",))
    with giver.scope.open():
        editors = Role.objects.get(name="Editor")
        grant_entity(Entity.objects.get(pk=contract.pk), -editors.pk, ["view"])
    assert "was shared with you" in read(staff)
    assert "was shared with you" not in read(giver), "with a role of their own"
    with alice.scope.open():  # the newer one is about a record that they may not see
        grant_entity(Entity.objects.get(pk=restricted.pk), staff.user.pk, ["change"])
        grant_entity(Entity.objects.get(pk=restricted.pk), -editors.pk, ["change"])
    monkeypatch.setattr(notices, "MAX_NOTICES", 1)
    assert "was shared with you" in read(staff)
    with alice.scope.open():
        EntityRoleGrant.objects.update(created_at=None)
    assert "was shared with you" not in read(staff), "nobody knows when"


def test_who_is_put_into_a_group_is_told_while_they_are_in_it(
    alice: Person,
    staff: Person,
    viewer: Person,
    workspace: Workspace,
    service: Scope,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    admin = person(workspace, "boss", [], ("Admin",))
    assert "You were added" not in read(admin) + read(staff), "what one joined with is no news"
    with service.open():
        Membership.objects.update(created_at=F("created_at") - timedelta(seconds=30))
    assert "You were added" not in read(admin) + read(staff), "the clocks of host and database differ"
    with service.open():
        Membership.objects.update(created_at=F("created_at") + timedelta(seconds=30))
    monkeypatch.setattr(notices, "JOINED", notices.JOINED.replace("1 minute", "0 s"))
    admin.client.post(f"{admin.base}people/groups/new/", {"name": "Harbour pilots"})
    with admin.scope.open():
        group = Role.objects.get(name="Harbour pilots")
    page = f"{admin.base}people/roles/members/?role={group.pk}"
    assert admin.client.post(page, {"member": [staff.user.pk, admin.user.pk]}).status_code == 302
    assert "1 new notification" in count(staff)
    assert "You were added to Harbour pilots" in read(staff)
    assert not count(staff)
    for other in (viewer, admin):
        assert "You were added" not in read(other), other.user
    admin.client.post(page, {"member": [admin.user.pk], "was": [staff.user.pk, admin.user.pk]})
    assert "You were added" not in read(staff), "they are in it no longer"


def listed(person: Person) -> str:
    """The list of the page, and the number that the bell shows to who has not looked for an hour."""
    with person.scope.open():
        Membership.objects.filter(user=person.user).update(notices_seen_at=timezone.now() - timedelta(hours=1))
    counted = count(person)
    return re.sub(r"<time.*?</time>", "", read(person).partition("<main")[2]) + counted


def test_a_version_that_one_may_not_know_of_takes_no_news_away_and_a_restored_one_is_news_to_who_restored_it(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)

    def take_long() -> None:
        with service.open():
            FileRevision.objects.update(stages=[["extract", 3, 41.5]])

    file = ready(staff, contract)
    take_long()
    before = listed(staff)
    assert "is ready" in before
    upload(alice, contract, content=HIDDEN)
    assert listed(staff) == before, "it waits"
    process_all_waiting(service.workspace)
    take_long()
    assert listed(staff) == before, "it is published"
    assert "is ready" in listed(alice)
    ready(alice, contract, content=NOTED)
    take_long()
    assert "is ready" not in listed(staff), "they know of a version that came after theirs"
    assert alice.api.post(f"/api/files/{file}/versions/1/restore/").status_code == 202
    process_all_waiting(service.workspace)
    take_long()
    assert "is ready" not in listed(staff), "who sent these bytes once has not restored them"
    assert "is ready" in listed(alice)


def test_names_that_people_gave_are_not_translated(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    User.objects.update(language="de")
    upload(staff, contract, "Task", bytes(range(256)))
    process_all_waiting(service.workspace)
    with service.open():
        Entity.objects.filter(pk=contract.pk).update(name="Contract")
    page = listed(staff)
    assert ">Task</" in page
    assert ">Contract</a>" in page
    with service.open():
        Entity.objects.filter(pk=contract.pk).update(name_classification=SECRET)
        File.objects.update(name_classification=SECRET, name_judged=True)  # while it rests, who sent it reads it
    page = listed(staff)
    assert "Vertrag, Freigabe Geheim nötig" in page
    assert "Dokument, Freigabe Geheim nötig" in page


def test_an_e_mail_says_how_many_and_nothing_of_what(
    alice: Person, viewer: Person, hr: Person, contract: Contract, service: Scope
) -> None:
    workspace = Workspace.objects.get(pk=service.workspace)
    User.objects.filter(pk=viewer.user.pk).update(email="viewer@example.com", language="de")
    with service.open():
        record = Entity.objects.get(pk=contract.pk)
        grant_entity(record, viewer.user.pk, ["view"])
        grant_entity(record, hr.user.pk, ["view"])
    assert send_digests(workspace) == 1, "the others have no address"
    (sent,) = mail.outbox
    assert sent.to == ["viewer@example.com"]
    assert "1 Akte wurde mit Ihnen geteilt." in sent.body
    assert contract.name not in sent.body + sent.subject
    assert send_digests(workspace) == 0, "it was told"
    with service.open():
        Membership.objects.update(notices_mailed_at=F("notices_mailed_at") - timedelta(days=2))
        grant_entity(Entity.objects.get(pk=contract.pk), viewer.user.pk, ["change"])
        Membership.objects.update(notices_seen_at=timezone.now() - timedelta(hours=1))
    User.objects.filter(pk=viewer.user.pk).update(mail_digest=False)
    assert send_digests(workspace) == 0, "who wants none gets none"
    User.objects.filter(pk=viewer.user.pk).update(mail_digest=True)
    assert send_digests(workspace) == 1


def test_an_e_mail_that_was_not_sent_is_sent_the_next_time_and_holds_up_nobody(
    viewer: Person, hr: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.EMAIL_HOST = "mail.example.com"
    with service.open():
        for reader in (viewer, hr):
            User.objects.filter(pk=reader.user.pk).update(email=f"{reader.user.username}@example.com")
            grant_entity(Entity.objects.get(pk=contract.pk), reader.user.pk, ["view"])
    send = digests.send_mail
    failures: list[Exception] = []
    refused: list[list[str]] = []

    def refuse_first(subject: str, body: str, sender: str | None, to: list[str]) -> int:
        if failures:
            refused.append(to)
            raise failures.pop()
        return send(subject, body, sender, to)

    monkeypatch.setattr(digests, "send_mail", refuse_first)
    for failure in (OSError("the server is away"), ValueError("an address that is none")):
        failures.append(failure)
        refused.clear()
        mail.outbox.clear()
        with service.open():
            Membership.objects.update(notices_mailed_at=None)
        tasks.mail_digests()
        assert len(mail.outbox) == 1
        assert mail.outbox[0].to not in refused
        tasks.mail_digests()
        assert [message.to for message in mail.outbox[1:]] == refused
