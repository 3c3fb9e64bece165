"""A reader's labels are looked up once a transaction: what the transaction itself changes counts at once (ADR 26)."""

import pytest
from django.db import connection, transaction

from entities.access import Scope
from entities.actions import create_role
from entities.models import Classification, ClassificationGrant, Membership, Role, Workspace
from entities.models.classification import FINANCIAL, INTERNAL, PII, PUBLIC
from tests.conftest import Person


def allowed() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_allowed(), app_allowed_now()")
        kept, now = cursor.fetchone()
    assert set(kept or ()) == set(now or ())
    return set(kept or ())


def looked_up() -> bool:
    """Whether the labels that the scope began with are still those that are asked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('app.allowed_for', true) = app_settings()")
        return bool(cursor.fetchone()[0])


def own_role(who: Person) -> Role:
    return Role.objects.get(name=f"{who.user.username} role")


def test_they_are_looked_up_once(staff: Person, service: Scope) -> None:
    with staff.scope.open():
        assert looked_up()
        assert allowed() == {PUBLIC, INTERNAL}
    with service.open():
        assert not looked_up(), "a service sees labels that others make meanwhile"


@pytest.mark.parametrize(
    "how", ["a grant", "its end", "a role", "a compound", "no role", "no membership", "not active"]
)
def test_what_a_transaction_changes_counts_in_it(alice: Person, staff: Person, workspace: Workspace, how: str) -> None:
    with alice.scope.open(), connection.cursor() as cursor:
        assert looked_up()
        role = own_role(staff)
        financial = Classification.objects.get(value=FINANCIAL)
        if how == "a grant":
            ClassificationGrant.objects.create(workspace=workspace, role=role, classification=financial)
        elif how == "its end":
            ClassificationGrant.objects.filter(role=role).delete()
        elif how == "a role":
            create_role(workspace, "Auditors", [FINANCIAL])
        elif how == "a compound":
            cursor.execute("SELECT app_combine(%s)", [[FINANCIAL, PII]])
            assert cursor.fetchone()[0] in allowed()
        elif how == "no role":
            staff.user.groups.clear()
        elif how == "no membership":
            Membership.objects.filter(user=staff.user).delete()
        else:
            staff.user.is_active = False
            staff.user.save(update_fields=["is_active"])
        assert not looked_up()
        allowed()


def test_a_role_that_is_lost_is_lost_at_once(alice: Person) -> None:
    with alice.scope.open():
        assert PII in allowed()
        ClassificationGrant.objects.filter(classification__value=PII).delete()
        assert PII not in allowed()


def test_what_is_undone_counts_as_undone(alice: Person) -> None:
    with alice.scope.open():
        with transaction.atomic():
            ClassificationGrant.objects.filter(classification__value=PII).delete()
            assert PII not in allowed()
            transaction.set_rollback(True)
        assert PII in allowed()


def test_they_are_those_of_whoever_reads(alice: Person, viewer: Person) -> None:
    with alice.scope.open(), connection.cursor() as cursor:
        assert FINANCIAL in allowed()
        cursor.execute("SELECT set_config('app.principal', %s, true)", [str(viewer.user.pk)])
        assert allowed() == {PUBLIC}
        cursor.execute("SELECT set_config('app.workspace', '', true)")
        assert allowed() == set()


def test_nothing_is_left_of_them(alice: Person) -> None:
    with alice.scope.open():
        assert allowed()
    assert allowed() == set()


@pytest.mark.django_db(transaction=True)
def test_another_transaction_is_obeyed_by_the_next(alice: Person, staff: Person) -> None:
    with staff.scope.open():
        assert INTERNAL in allowed()
    with alice.scope.open():
        ClassificationGrant.objects.filter(role=own_role(staff)).delete()
    with staff.scope.open():
        assert allowed() == {PUBLIC}
