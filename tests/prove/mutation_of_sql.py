"""Mutants of policies and of functions of the database: replaced there, as the owner of the tables, and put back."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from entities import rls
from entities.rls import Protect
from tests.prove.mutant import Mutant, reworded

TEMPLATE = ["WORKSPACE", "LABELLED", "UNLABELLED", "UNLABELLED_ABOVE_FLOOR", "REQUESTER", "AUDIENCE", "OWNED"]
"""What the policies are put together from (entities/rls.py)."""
MADE = re.compile(r'CREATE POLICY (\w+ ON "\w+") (?:FOR \w+ )?')
NAMED = re.compile(r'ALTER POLICY (\w+) ON "(\w+)"')


def of_function(owner: psycopg.Connection, name: str) -> Iterator[Mutant]:
    found = owner.execute("SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname = %s", [name]).fetchone()
    assert found is not None, f"there is no function {name} any more"
    head, body = found[0].split("$function$", 1)
    for label, text in reworded(body):
        yield Mutant(f"{name}: {label}", in_function(found[0], f"{head}$function${text}"))


def in_function(definition: str, other: str) -> Callable[[psycopg.Connection], Any]:
    @contextmanager
    def put(owner: psycopg.Connection) -> Iterator[None]:
        owner.execute(other.encode())
        try:
            yield
        finally:
            owner.execute(definition.encode())

    return put


def of_template() -> Iterator[Mutant]:
    for constant in TEMPLATE:
        text = getattr(rls, constant)
        for label, other in (*reworded(text), ("left out", "true"), ("nothing passes", "false")):
            yield Mutant(f"template {constant}: {label}", in_template(constant, other))
    yield Mutant("template expires_at: left out", in_policies(lambda sql: without_expiry(sql)))


def without_expiry(condition: str) -> str:
    return condition.replace("expires_at > now()", "true")


def in_template(constant: str, other: str) -> Callable[[psycopg.Connection], Any]:
    text = getattr(rls, constant)
    return in_policies(lambda sql: sql.replace(text, other))


def in_policies(change: Callable[[str], str]) -> Callable[[psycopg.Connection], Any]:
    """Every policy of the template, reading and writing, with its text changed."""

    @contextmanager
    def put(owner: psycopg.Connection) -> Iterator[None]:
        # Put back as they stand, not as the template has them: some were altered by later migrations.
        written = "SELECT policyname, tablename, qual, with_check FROM pg_policies"
        there = {(name, table): as_it_stands(name, table, *texts) for name, table, *texts in owner.execute(written)}
        changed = []
        for policy in policies_now():
            named = NAMED.match(policy).groups()  # type: ignore[union-attr]
            if named in there and change(policy) != policy:
                changed.append((there[named], change(policy)))
        try:
            with owner.transaction():
                for _, statement in changed:
                    owner.execute(statement.encode())
            yield
        finally:
            with owner.transaction():
                for statement, _ in changed:
                    owner.execute(statement.encode())

    return put


def as_it_stands(name: str, table: str, using: str | None, check: str | None) -> str:
    parts = [f"USING ({using})" if using else "", f"WITH CHECK ({check})" if check else ""]
    return f'ALTER POLICY {name} ON "{table}" {" ".join(parts)}'


def policies_now() -> Iterator[str]:
    """An ALTER POLICY for each policy that migrations have made from the template, some of which are gone by now."""
    for (app, _), migration in MigrationLoader(None).disk_migrations.items():
        for operation in migration.operations:
            if isinstance(operation, Protect):
                model = apps.get_model(app, operation.name)
                using, check = rls.build_conditions(model)
                table = model._meta.db_table
                for statement in rls.build_scope_sql(table, using, check, append_only=operation.append_only):
                    yield MADE.sub(r"ALTER POLICY \1 ", statement)
