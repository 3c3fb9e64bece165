"""Scopes: who is let in, as whom, and what is left behind."""

from dataclasses import replace

from entities.access import (
    NoWorkspace,
    Scope,
    ScopeError,
    get_current_scope,
    has_open_scope,
    list_workspaces,
    load_allowed_labels,
    load_granted_atoms,
    open_token,
)
from entities.access.scope import load_once
from entities.models import Entity, Role
from tests.oracle.planted_world import Everything
from tests.prove.questions.refusals import refused, undone


def scopes_open_and_close(e: Everything) -> None:
    service = e.planted.service
    scope = e.planted.scope(e.world.people[1])
    assert (service.is_service, scope.is_service, has_open_scope()) == (True, False, False)
    for _ in range(2):
        with scope.open():
            assert has_open_scope()
            assert get_current_scope() is scope
            with refused(ScopeError), service.open():
                pass
            assert get_current_scope() is scope
            assert load_once("once", lambda: 1) == load_once("once", lambda: 2) == 1
        assert not has_open_scope()
        with scope.open():
            assert load_once("once", lambda: 3) == 3
    with refused(ScopeError):
        get_current_scope()
    with refused(ScopeError):
        load_once("once", lambda: 1)
    with refused(ZeroDivisionError), scope.open():
        raise ZeroDivisionError
    assert not has_open_scope()


def scopes_inside_a_transaction_leave_nothing(e: Everything) -> None:
    scope = e.planted.scope(e.world.people[1])
    with undone():
        with scope.open():
            assert Entity.objects.exists()
        assert not Entity.objects.exists()
        with refused(NoWorkspace), replace(scope, principal=10**9).open():
            pass
        assert not Entity.objects.exists()


def scopes_of_people_and_roles(e: Everything) -> None:
    planted, ann = e.planted, e.world.people[0]
    user = planted.users[ann.name]
    with refused(NoWorkspace):
        Scope.for_user(user, "no-such-workspace")
    assert [slug for slug, _ in list_workspaces(user)] == [planted.workspace.slug, f"{planted.workspace.slug}b"]
    assert open_token("x") is None
    assert Scope.for_service(planted.workspace.pk) == planted.service
    scope = planted.scope(ann)
    assert (scope.workspace, scope.principal) == (planted.workspace.pk, user.pk)
    with refused(ScopeError):
        planted.service.limit_to([1])
    with scope.limit_to([1, 2]).limit_to([2, 3]).open():
        assert load_granted_atoms() == {2}
    with scope.limit_to([]).open():
        assert load_allowed_labels() == {0}
    with refused(NoWorkspace), replace(scope, token="x").open():
        pass
    with refused(NoWorkspace), replace(scope, sign_in="x").open():
        pass
    for role in e.world.roles:
        with planted.service.open():
            as_role = Scope.for_role(Role.objects.select_related("workspace").get(name=role.name))
        assert as_role.slug == planted.workspace.slug
        with as_role.open():
            assert load_granted_atoms() == role.atoms
            seen = set(Entity.objects.visible_to(as_role).values_list("pk", flat=True))
            # Nobody's own, so nothing private; grants to the role and rules for it hold.
            assert seen == {
                planted.records[r.name]
                for r in e.world.records
                if e.world.sees_as(None, frozenset({role.name}), r, "view")
            }
