"""What SQL as the application's role can and cannot do, with no help from the application."""

import threading
from dataclasses import replace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction

from entities.access import (
    NoWorkspace,
    Scope,
    ScopeError,
    ScopeKind,
    load_allowed_labels,
    load_granted_atoms,
    raise_labels,
)
from entities.exempt import EXEMPT
from entities.models import (
    Classification,
    ClassificationGrant,
    Derived,
    Entity,
    FieldParagraph,
    Membership,
    Role,
    Source,
)
from entities.text import compute_digest
from entities.types import Contract
from ingestion.models import ContextRow
from ingestion.models import Kind as RowKind
from tests.conftest import Person


def rows(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def test_every_workspace_table_forces_the_policy(db: None) -> None:
    tables = rows(
        "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class"
        " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    )
    assert {name for name, forced in tables if not forced} == set(EXEMPT)
    assert all(EXEMPT.values()), "each says why"
    policies = rows("SELECT tablename, policyname, qual FROM pg_policies WHERE schemaname = 'public'")
    for name, forced in tables:
        if forced:
            mine = {policy: condition for table, policy, condition in policies if table == name}
            assert "owner_all" in mine
            assert all("app_workspace()" in c for p, c in mine.items() if p != "owner_all" and c), name


def test_every_workspace_table_has_a_workspace_column_or_hangs_on_a_role(db: None) -> None:
    with_column = {
        r[0] for r in rows("SELECT table_name FROM information_schema.columns WHERE column_name = 'workspace_id'")
    }
    for model in apps.get_models():
        table = model._meta.db_table
        if table not in EXEMPT and table not in ("auth_group",) and not table.startswith(("django_", "auth_")):
            assert table in with_column, table


def test_the_application_owns_nothing_and_cannot_bypass(db: None) -> None:
    assert rows(
        "SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole AND relnamespace = 'public'::regnamespace"
    ) == [(0,)]
    assert rows("SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user") == [
        (False,) * 3
    ]


def test_nothing_with_no_scope_open(contract: Contract) -> None:
    for table in (
        "entities_entity",
        "entities_contract",
        "entities_role",
        "entities_membership",
        "auth_group",
        "entities_token",
    ):
        assert rows(f"SELECT count(*) FROM {table}") == [(0,)], table
    insert = (
        "INSERT INTO entities_alias (workspace_id, entity_id, kind, value, since)"
        " VALUES (1, gen_random_uuid(), 'url', 'x', now())"
    )
    with pytest.raises(Exception, match="row-level security"), transaction.atomic():
        rows(insert)


def test_other_workspaces_and_labels_are_hidden(
    outsider: Person, viewer: Person, cfo: Person, contract: Contract, service: Scope
) -> None:
    with service.open():
        for position, label in enumerate([0, 5, None]):
            FieldParagraph.objects.create(
                workspace_id=service.workspace, entity_id=contract.pk, field="notes", position=position,
                text=f"text {label}", digest=compute_digest("x"), data_classification=label,
            )  # fmt: skip
    count = "SELECT text FROM entities_fieldparagraph ORDER BY position"
    with outsider.scope.open():
        assert rows(count) == []
    with viewer.scope.open():
        assert rows(count) == [("text 0",)]
    with cfo.scope.open():
        assert rows(count) == [("text 0",), ("text 5",)]
    with service.open():
        assert len(rows(count)) == 3


def test_a_scope_writes_only_labels_it_may_read(viewer: Person, contract: Contract) -> None:
    def write(label: int | None) -> None:
        with viewer.scope.open(), transaction.atomic():
            FieldParagraph.objects.create(
                workspace_id=viewer.scope.workspace, entity_id=contract.pk, field="notes", position=1, text="x",
                digest="x", data_classification=label,
            )  # fmt: skip

    write(0)
    write(None)
    with pytest.raises(Exception, match="row-level security"):
        write(5)


def test_a_second_scope_inside_a_first_raises(viewer: Person, cfo: Person) -> None:
    with viewer.scope.open():
        with pytest.raises(ScopeError), cfo.scope.open():
            pass
        assert load_allowed_labels() == {0}
    with cfo.scope.open():
        assert 5 in load_allowed_labels()


@pytest.mark.usefixtures("transactional_db")
def test_scopes_do_not_carry_over_on_a_connection(alice: Person, contract: Contract) -> None:
    with alice.scope.open():
        assert Entity.objects.count() == 1
    assert Entity.objects.count() == 0
    with pytest.raises(ZeroDivisionError), alice.scope.open():
        _ = 1 / 0
    assert Entity.objects.count() == 0
    with pytest.raises(Exception, match="nosuch"), alice.scope.open():
        rows("SELECT nosuch")
    assert Entity.objects.count() == 0
    with alice.scope.open():
        assert Entity.objects.count() == 1
    counted: list[int] = []

    def elsewhere() -> None:
        counted.append(Entity.objects.count())
        connection.close()

    with alice.scope.open():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert counted == [0]


def test_keys_cannot_point_into_another_workspace(outsider: Person, contract: Contract) -> None:
    def write() -> None:
        with outsider.scope.open():
            FieldParagraph.objects.create(
                workspace_id=outsider.scope.workspace, entity_id=contract.pk, field="notes", position=1, text="x",
                digest="x", data_classification=0,
            )  # fmt: skip
            rows("SET CONSTRAINTS ALL IMMEDIATE")

    with pytest.raises(Exception, match="_ws"):
        write()


def test_revoked_grant_and_ended_membership_bind_the_next_transaction(cfo: Person, service: Scope) -> None:
    with cfo.scope.open():
        assert 5 in load_allowed_labels()
    with service.open():
        ClassificationGrant.objects.filter(role__name="cfo role").delete()
    with cfo.scope.open():
        assert load_allowed_labels() == {0}
    with service.open():
        Membership.objects.filter(user=cfo.user).delete()
    with pytest.raises(NoWorkspace), cfo.scope.open():
        pass


def test_narrowed_scope_is_the_intersection(alice: Person, cfo: Person, hr: Person, service: Scope) -> None:
    with service.open():
        role = Role.objects.get(name="cfo role")
    with Scope(alice.scope.workspace, alice.scope.principal, ScopeKind.USER, "acme", -role.pk).open():
        assert load_allowed_labels() & {0, 1, 2, 3, 4, 5, 6} == {0, 5}
    with Scope(hr.scope.workspace, hr.scope.principal, ScopeKind.USER, "acme", -role.pk).open():
        assert load_allowed_labels() & {0, 1, 2, 3, 4, 5, 6} == {0}


def test_who_is_held_to_a_role_reads_what_is_addressed_to_it_and_to_no_other(
    alice: Person, contract: Contract, service: Scope
) -> None:
    """Their own, and everybody's, as before."""
    with service.open():
        held, other = (-Role.objects.get(name=name).pk for name in ("Editor", "alice role"))
        for audience in (0, alice.user.pk, held, other):
            ContextRow.objects.create(
                workspace_id=service.workspace, kind=RowKind.METADATA, entity_id=contract.pk, text="x", digest="x",
                data_classification=0, audience=audience,
            )  # fmt: skip
    for scope, expected in (
        (alice.scope, {0, alice.user.pk, held, other}),
        (replace(alice.scope, narrowed_to=held), {0, alice.user.pk, held}),
    ):
        with scope.open():
            assert set(ContextRow.objects.values_list("audience", flat=True)) == expected


def test_scope_held_to_atoms_has_no_others(alice: Person, steward: Person, cfo: Person, service: Scope) -> None:
    with alice.scope.open():
        assert {3, 5} <= load_granted_atoms()
    with alice.scope.limit_to({5}).open():
        assert load_granted_atoms() == {5}
    with alice.scope.limit_to(()).open():
        assert load_allowed_labels() == {0}
    with cfo.scope.limit_to({3, 5}).limit_to({3}).open():
        assert load_allowed_labels() == {0}
    for scope, unlabelled in ((steward.scope, True), (steward.scope.limit_to({1}), False)):
        with scope.open(), connection.cursor() as cursor:
            cursor.execute("SELECT app_unlabelled()")
            assert cursor.fetchone()[0] is unlabelled
    with pytest.raises(ScopeError):
        service.limit_to({1})


def test_compound_needs_every_component(cfo: Person, hr: Person, alice: Person, service: Scope) -> None:
    from entities.access import combine_for_workspace

    with service.open():
        both = combine_for_workspace(service.workspace, 3, 5)
        assert combine_for_workspace(service.workspace, 5, 3, 0, both) == both >= 1000
        assert Classification.objects.get(value=both).components == [3, 5]
    for person, expected in ((cfo, False), (hr, False), (alice, True)):
        with person.scope.open():
            assert (both in load_allowed_labels()) is expected


def test_raising_a_passage_raises_what_was_drawn_from_it(contract: Contract, service: Scope, viewer: Person) -> None:
    import uuid

    passage, derived = uuid.uuid4(), uuid.uuid4()
    models = [m for m in apps.get_models() if issubclass(m, Derived)]
    assert models, "raise_labels finds its models by itself"
    with service.open():
        Source.objects.create(workspace_id=service.workspace, derived=derived, entity_id=contract.pk, passage=passage)
        assert raise_labels({passage: 5}) == 0
    with pytest.raises(ScopeError), viewer.scope.open():
        raise_labels({passage: 5})


def test_deleting_a_record_with_hidden_children_works(
    alice: Person, staff: Person, service: Scope, contract: Contract
) -> None:
    with service.open():
        FieldParagraph.objects.create(
            workspace_id=service.workspace, entity_id=contract.pk, field="notes", position=1, text="x", digest="x",
            data_classification=None,
        )  # fmt: skip
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/?forever=1").status_code == 204
    with service.open():
        assert (Entity.objects.count(), FieldParagraph.objects.count()) == (0, 0)
