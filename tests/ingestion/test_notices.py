"""What concerns a reader: the page of notifications, its count, and the e-mail that says that there are some."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db.models import F
from django.utils import timezone

from entities.access import Scope, grant_entity, revoke_entity
from entities.models import Entity, Membership, User, Workspace
from entities.models.entity import Visibility
from entities.types import Contract
from ingestion.digests import send_digests
from ingestion.models import FileRevision
from tests.conftest import Person
from tests.ingestion.asking import ask, decide
from tests.ingestion.helpers import ready

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
