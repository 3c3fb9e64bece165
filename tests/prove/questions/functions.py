"""Functions of the database that policies and the gate are made of, each asked by itself: in a policy one often stands
in for another.
"""

from hashlib import sha256
from typing import Any

from django.db import connection

from entities.access import NoWorkspace, Scope, open_token
from entities.models import Classification, Membership, Role
from entities.tokens import issue_token
from tests.oracle.monitor import Person, Text
from tests.oracle.planted_world import Everything
from tests.oracle.worlds import place
from tests.prove.questions.refusals import refused, undone
from tests.prove.questions.tables import everybody, labels


def asked(function: str, *values: Any) -> Any:
    """The rows that a function answers with; a single column is no tuple."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {function}({', '.join(['%s'] * len(values))})", list(values))
        return [row[0] if len(row) == 1 else row for row in cursor.fetchall()]


def principals_have_their_roles(e: Everything) -> None:
    """Members theirs, a role itself, and whoever is no active member here none, whatever is left of them."""
    world, planted = e.world, e.planted
    pulse_service = "pulse-service"
    with undone(), planted.service.open():
        names = dict(Role.objects.values_list("pk", "name"))
        here = {name: pk for pk, name in names.items()}
        atoms = {role.name: sorted(role.atoms) for role in world.roles}
        for person in world.people:
            user = planted.users[person.name]
            found = asked("app_roles_of", user.pk)
            assert {(names[pk], steward) for pk, steward in found} == {
                (role, world.role(role).steward) for role in person.roles
            }
            assert len(found) == len(person.roles)
            assert asked("app_is_principal", user.pk) == [True]
            assert [sorted(held) for held in asked("app_atoms_of", user.pk)] == [sorted(world.held(person))]
        for role in world.roles:
            assert asked("app_roles_of", -here[role.name]) == [(here[role.name], role.steward)]
            assert asked("app_is_principal", -here[role.name]) == [True]
            assert [sorted(held) for held in asked("app_atoms_of", -here[role.name])] == [atoms[role.name]]
        assert asked("app_roles_of", -here[pulse_service]) == [(here[pulse_service], False)]
        nobody = [0, 10**9, -(10**9), *foreign_roles(e)]
        ben, cas, dee = (planted.users[name] for name in ("ben", "cas", "dee"))
        type(ben).objects.filter(pk=ben.pk).update(is_active=False)
        Membership.objects.filter(user=cas).delete()  # still in the groups of their roles
        cas.groups.set(Role.objects.filter(name__in=["HR", "Editor"]).values_list("group_id", flat=True))
        for principal in (*nobody, ben.pk, cas.pk):
            assert asked("app_roles_of", principal) == [], principal
            assert asked("app_is_principal", principal) == [False], principal
            assert asked("app_atoms_of", principal) == [[]], principal
        assert asked("app_roles_of", dee.pk) == []
        assert asked("app_is_principal", dee.pk) == [True]


def foreign_roles(e: Everything) -> list[int]:
    """Principals of the second workspace, where everybody of this world is a member too."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_open_scope(%s, %s)", [e.planted.users["ann"].pk, f"{e.planted.workspace.slug}b"])
        (workspace,) = cursor.fetchone()
        cursor.execute("SELECT set_config('app.workspace', %s, true)", [str(workspace)])
        found = [-pk for pk in Role.objects.values_list("pk", flat=True)]
        cursor.execute("SELECT set_config('app.workspace', %s, true)", [str(e.planted.workspace.pk)])
    assert found
    return found


def only_active_members_are_let_in(e: Everything) -> None:
    """By their name and by their token; of nobody else is told."""
    planted = e.planted
    slug, ann, ben = planted.workspace.slug, planted.users["ann"], planted.users["ben"]
    with undone():
        with planted.service.open():
            secrets = {user.pk: issue_token(Membership.objects.get(user=user)) for user in (ann, ben)}
        digests = {pk: sha256(secret.encode()).hexdigest() for pk, secret in secrets.items()}
        for user in (ann, ben):
            assert open_token(digests[user.pk]) == (user.pk, slug)
            assert Scope.for_user(user, slug).workspace == planted.workspace.pk
            assert Scope.for_user(user, f"{slug}b").workspace != planted.workspace.pk
        assert open_token("x") is None
        with planted.service.open():
            type(ben).objects.filter(pk=ben.pk).update(is_active=False)
        for there in (slug, f"{slug}b"):
            with refused(NoWorkspace):
                Scope.for_user(ben, there)
        Scope.for_user(ann, slug)
        with planted.service.open():
            Membership.objects.filter(user=ann).delete()
        with refused(NoWorkspace):
            Scope.for_user(ann, slug)
        Scope.for_user(ann, f"{slug}b")
        assert open_token(digests[ann.pk]) is None


def what_is_acknowledged_is_told(e: Everything) -> None:
    world, planted = e.world, e.planted
    for person in everybody(e):
        with planted.scope(person).open():
            (told,) = asked("app_acknowledged")
            known = labels(e)
            assert set(told) == {v for v, atoms in known.items() if world.acknowledged(person, atoms)}, person
            assert asked("app_unlabelled") == [world.steward(person)]
            audiences = {0, planted.users[person.name].pk, *(-planted.roles[r].pk for r in world.roles_now(person))}
            (found,) = asked("app_audiences")
            assert set(found) == audiences, person
            assert len(found) == len(audiences)
    with planted.service.open():
        (told,) = asked("app_acknowledged")
        assert set(told) == set(Classification.objects.values_list("value", flat=True))
        assert asked("app_unlabelled") == [True]
    held_back = planted.scope(world.people[0]).limit_to([1, 2, 3])
    with held_back.open():
        assert asked("app_unlabelled") == [False]  # whoever is held to clearances is held to labelled text
    for function, answer in (("app_unlabelled", False), ("app_allowed", []), ("app_acknowledged", [])):
        assert asked(function) == [answer], f"{function} outside a scope"


def nothing_is_allowed_to_who_is_gone(e: Everything) -> None:
    """Not Public text either; and no label is allowed that the workspace has not."""
    ben, dee = (next(p for p in e.world.people if p.name == name) for name in ("ben", "dee"))
    with undone(), e.planted.scope(ben).open():
        user = e.planted.users[ben.name]
        assert sorted(*asked("app_allowed"))[0] == 0
        type(user).objects.filter(pk=user.pk).update(is_active=False)
        assert asked("app_allowed") == [[]]
    with undone(), e.planted.scope(dee).open():
        assert [sorted(held) for held in asked("app_allowed")] == [[0, 5]]
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM entities_classification WHERE value = 0")
            assert asked("app_allowed") == [[5]]
            cursor.execute("DELETE FROM entities_classification WHERE 5 = ANY(components)")
        assert asked("app_allowed") == [[]]


def places_are_told_where_they_are_acknowledged(e: Everything) -> None:
    """Of hidden paragraphs: where they stand and what they need, of this record or file alone."""
    world, planted = e.world, e.planted
    passages = [t for t in world.texts if t.passage]
    for person in everybody(e):
        with planted.scope(person).open():
            value = {atoms: number for number, atoms in labels(e).items()}
            for record in world.records:
                field = "body" if record.kind == "article" else "notes"
                hidden = [
                    (field, (n + 1) * 1000, value[t.label])
                    for n, t in enumerate(passages)
                    if t.record == record.name and hidden_and_told(e, person, t)
                ]
                found = asked("app_hidden_field_paragraphs", planted.records[record.name])
                assert sorted(found) == hidden, (person, record)
            for name, file in e.files.items():
                texts = world.paragraphs(name)
                places = [(n, None, value[t.label]) for n, t in enumerate(texts) if hidden_and_told(e, person, t)]
                assert sorted(asked("app_hidden_paragraphs", file)) == places, (person, name)
                boxes = [(None, place(n, texts[n].words).to_json(), label) for n, _, label in places]
                assert sorted(asked("app_hidden_boxes", file)) == sorted(boxes), (person, name)
                given = all(
                    world.cleared(person, label) for label in (world.remainder(name), *(t.label for t in texts))
                )
                assert asked("app_cleared_for_file", file) == [given], (person, name)
                labelled = [t.label for t in texts if t.label is not None]
                secret = bool(labelled) and not any(world.acknowledged(person, label) for label in labelled)
                assert asked("app_file_concealed", file) == [secret], (person, name)


def hidden_and_told(e: Everything, person: Person, text: Text) -> bool:
    return (
        text.label is not None and not e.world.cleared(person, text.label) and e.world.acknowledged(person, text.label)
    )
