"""Clearances of one person: who may grant which, and when they end."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from entities.access import Scope, grant_entity
from entities.models import AuditEntry, LabelGrant, Membership, Role
from entities.models.classification import FINANCIAL, INTERNAL, SECRET
from entities.types import Contract
from tests.conftest import ALL, Person, person
from tests.ingestion.access_requests import ask, decide, grant_to, listed, person_role
from tests.ingestion.helpers import SALARY, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    return ready(alice, contract)


def test_a_clearance_that_ends_while_a_transaction_runs_is_over_in_it(
    viewer: Person, steward: Person, service: Scope
) -> None:
    with service.open():
        grant_to(viewer, FINANCIAL, timezone.now() + timedelta(seconds=1.2))
    with viewer.scope.open(), connection.cursor() as cursor:
        cursor.execute("SELECT app_allowed(), current_setting('app.allowed_for') = app_settings()")
        held, kept = cursor.fetchone()
        assert FINANCIAL in held
        assert kept
        cursor.execute("SELECT pg_sleep(1.3)")
        cursor.execute("SELECT app_allowed(), app_atoms_of(app_principal()), current_setting('app.allowed')::int[]")
        now, atoms, looked_up = cursor.fetchone()
        assert FINANCIAL in looked_up
        assert FINANCIAL not in now
        assert FINANCIAL not in atoms
    with viewer.scope.open(), connection.cursor() as cursor:
        cursor.execute("SELECT app_allowed()")
        assert cursor.fetchone() == ([0],)


def test_a_clearance_goes_with_the_membership_and_does_not_come_back(viewer: Person, service: Scope, file: str) -> None:
    with service.open():
        grant_to(viewer, FINANCIAL)
    assert SALARY in texts(viewer, file)
    with service.open():
        Membership.objects.filter(user=viewer.user).delete()
        assert not LabelGrant.objects.exists()
        Membership.objects.create(workspace_id=viewer.scope.workspace, user=viewer.user)
    with viewer.scope.open(), connection.cursor() as cursor:
        cursor.execute("SELECT app_allowed()")
        assert cursor.fetchone() == ([0],)


def test_nobody_clears_themselves_or_grants_what_no_role_of_theirs_holds(
    viewer: Person, file: str, workspace: Any, service: Scope, cfo: Person
) -> None:
    with service.open():
        person_role("Steward").classification_grants.all().delete()
    some = person(workspace, "some", [INTERNAL], ("Steward",))
    full = person(workspace, "full", ALL, ("Steward",))
    asked = ask(viewer, file=file, labels=[FINANCIAL])
    (shown,) = listed(some)
    assert [one["label"] for one in shown["lacks"]] == ["Financial"]
    refused = decide(some, asked["id"], state="granted", expect=403)
    assert "Financial" in refused["error"]["detail"]
    decide(cfo, asked["id"], state="granted", expect=404)
    decide(viewer, asked["id"], state="granted", expect=403)
    own = ask(some, file=file, labels=[FINANCIAL])
    decide(some, own["id"], state="granted", expect=403)
    decide(full, own["id"], state="granted")
    # What was granted to them they do not pass on.
    decide(some, asked["id"], state="granted", expect=403)
    assert "[Financial]" in texts(viewer, file)
    for who, to, atom, by in (
        (some, viewer, FINANCIAL, some),
        (some, some, INTERNAL, some),
        (full, full, SECRET, full),
        (full, viewer, FINANCIAL, some),
        (viewer, some, FINANCIAL, viewer),
        (cfo, viewer, FINANCIAL, cfo),
    ):
        with pytest.raises(DatabaseError, match="not yours to grant"), who.scope.open():
            grant_to(to, atom, by=by.user.pk)
    with full.scope.limit_to([FINANCIAL]).open(), pytest.raises(DatabaseError), transaction.atomic():
        grant_to(viewer, FINANCIAL, by=full.user.pk)
    with full.scope.open():
        grant_to(viewer, FINANCIAL, by=full.user.pk)
    assert SALARY in texts(viewer, file)


@pytest.mark.parametrize(
    "until", [timedelta(seconds=-1), timedelta(0), timedelta(days=400)], ids=["past", "now", "too far"]
)
def test_an_end_lies_ahead_and_within_a_year(viewer: Person, steward: Person, file: str, until: timedelta) -> None:
    asked = ask(viewer, file=file)
    decide(steward, asked["id"], state="granted", until=(timezone.now() + until).isoformat(), expect=422)
    assert "[Financial]" in texts(viewer, file)


def test_a_clearance_goes_with_the_record_that_was_asked_about(
    viewer: Person, steward: Person, alice: Person, contract: Contract, file: str, restricted: Contract
) -> None:
    """Or nobody could withdraw it any more."""
    with alice.scope.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
        grant_entity(restricted, steward.user.pk, ["view"])
    asked = ask(viewer, entity=str(restricted.pk), labels=[FINANCIAL])
    decide(steward, asked["id"], state="granted")
    assert SALARY in texts(viewer, file)
    assert alice.api.delete(f"/api/entities/contract/{restricted.pk}/?forever=1").status_code == 204
    assert "[Financial]" in texts(viewer, file)


def test_administrators_see_clearances_of_one_person_and_take_them_back(
    viewer: Person, steward: Person, alice: Person, file: str, service: Scope
) -> None:
    asked = ask(viewer, file=file)
    with service.open():
        page = f"{alice.base}admin/entities/membership/{Membership.objects.get(user=viewer.user).pk}/change/"
    assert "clearances of their own" not in alice.client.get(page).content.decode()
    decide(steward, asked["id"], state="granted")
    shown = alice.client.get(page).content.decode()
    assert "Take back clearances of their own" in shown
    assert "Financial (no end)" in shown
    with service.open():
        granted = str(LabelGrant.objects.get().pk)
        roles = [str(pk) for pk in Role.objects.filter(group__user=viewer.user).values_list("pk", flat=True)]
    assert steward.client.post(page, {"roles": roles, "ended": [granted]}).status_code == 403
    assert alice.client.post(page, {"roles": roles}).status_code == 302
    assert SALARY in texts(viewer, file), "nothing was ticked"
    assert alice.client.post(page, {"roles": roles, "ended": [granted]}).status_code == 302
    assert "[Financial]" in texts(viewer, file)
    with service.open():
        noted = AuditEntry.objects.get(action="access.taken_back")
        assert noted.detail == {"user": viewer.user.pk, "labels": [FINANCIAL]}
