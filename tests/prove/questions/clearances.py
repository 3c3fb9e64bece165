"""Clearances of one person (ADR 31): for how long they hold, and who may give them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, connection
from django.utils import timezone

from entities.models import Classification, LabelGrant, Membership, User
from tests.oracle.planted_world import Everything
from tests.prove.questions.functions import asked
from tests.prove.questions.refusals import refused, undone
from tests.prove.questions.tables import everybody

ANN, BEN, CAS, DEE = range(4)


def given(e: Everything, name: str, label: int, by: int = 0, **fields: Any) -> LabelGrant:
    """In an open scope."""
    made: LabelGrant = LabelGrant.objects.create(
        workspace=e.planted.workspace,
        membership=Membership.objects.get(user=e.planted.users[name]),
        classification=Classification.objects.get(value=label),
        granted_by=by,
        **fields,
    )
    return made


@contextmanager
def as_person(e: Everything, number: int) -> Iterator[int]:
    """In their scope; the id of their account."""
    person = e.world.people[number]
    with e.planted.scope(person).open():
        yield e.planted.users[person.name].pk


def clearances_of_one_person_hold_until_they_end(e: Everything) -> None:
    """Of theirs alone, and the first end is known: whoever looked labels up looks again then."""
    soon, later = (timezone.now() + timedelta(hours=hours) for hours in (1, 2))
    with as_person(e, DEE), connection.cursor() as cursor:
        cursor.execute("SELECT app_allowed_until() = 'infinity'")
        assert cursor.fetchone() == (True,)
    with undone():
        with e.planted.service.open():
            given(e, "dee", 1, expires_at=later)
            given(e, "dee", 2, expires_at=soon)
            given(e, "dee", 3, expires_at=timezone.now() - timedelta(hours=1))
            given(e, "cas", 5, expires_at=soon - timedelta(minutes=1))
            for name, held in (("dee", [1, 2, 5]), ("cas", [1, 3, 5]), ("ben", [5])):
                assert [sorted(atoms) for atoms in asked("app_atoms_of", e.planted.users[name].pk)] == [held], name
        with as_person(e, DEE):
            assert asked("app_allowed_until") == [soon]
            labels = set(*asked("app_allowed_now"))
            assert (labels & {0, 1, 2, 3, 5}) == {0, 1, 2, 5}
            assert asked("app_allowed") == asked("app_allowed_now")
            # Another look at the clock than the one that was kept.
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('app.allowed', '{0}', true)")
                assert asked("app_allowed") == [[0]]
                cursor.execute("SELECT set_config('app.allowed_until', now()::text, true)")
            assert asked("app_allowed") == asked("app_allowed_now")
        with e.planted.service.open():
            User.objects.filter(pk=e.planted.users["dee"].pk).update(is_active=False)
            assert asked("app_atoms_of", e.planted.users["dee"].pk) == [[]]


def clearances_are_given_by_stewards(e: Everything) -> None:
    """What a role of theirs holds, to others, in their own name. The service may, of single labels too."""
    world = e.world
    for person in everybody(e):
        with e.planted.scope(person).open():
            may_give = world.by_role(person) if world.steward(person) else frozenset()
            assert [sorted(atoms) for atoms in asked("app_grantable")] == [sorted(may_give)], person
    with e.planted.scope(world.people[ANN]).limit_to([1, 2, 3]).open():
        assert asked("app_grantable") == [[]]
    with undone():
        with e.planted.service.open():
            given(e, "ann", 5)
            compound = e.planted.label(frozenset({1, 2}))
            assert asked("app_grantable") == [[]]
            with refused(DatabaseError):
                given(e, "cas", compound)
        with as_person(e, ANN) as ann:
            assert given(e, "dee", 1, ann).pk
            for name, label, by in (("dee", 5, ann), ("ann", 1, ann), ("dee", 2, 0), ("dee", compound, ann)):
                with refused(DatabaseError):
                    given(e, name, label, by)
            with refused(DatabaseError):
                LabelGrant.objects.filter(membership__user=ann).update(granted_by=ann)
        with as_person(e, BEN) as ben, refused(DatabaseError):
            given(e, "dee", 5, ben)
