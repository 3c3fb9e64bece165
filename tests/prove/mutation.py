"""Mutants: builds that differ from this one in one place of what decides, in Python or in SQL.

A mutant of a module is compiled and put into the living functions by exchanging their code, so that whoever imported
them has it too; nothing is written to disk. A mutant of a policy or of a function of the database replaces it there, as
the owner of the tables, and puts it back.
"""

import ast
import copy
import gc
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

import psycopg
from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from entities import rls
from entities.rls import Protect

MODULES = [
    "retrieval.gate",
    "entities.access.objects",
    "entities.access.statements",
    "entities.access.scope",
    "entities.access.labels",
    "entities.access.routes",
    "entities.access.grants",
]
TEXTS = ["retrieval.gate"]
"""Modules whose constants are SQL; the other strings of a module are names and sentences."""

TEMPLATE = ["WORKSPACE", "LABELLED", "UNLABELLED", "UNLABELLED_ABOVE_FLOOR", "AUDIENCE"]
"""What the policies are put together from (entities/rls.py)."""

FUNCTIONS = [
    "app_workspace", "app_principal", "app_service", "app_roles_of", "app_is_principal", "app_atoms_of", "app_allowed",
    "app_acknowledged", "app_unlabelled", "app_audiences", "app_open_scope", "app_open_token",
    "app_administers", "app_hidden_field_paragraphs", "app_hidden_paragraphs", "app_cleared_for_file",
    "app_file_concealed", "app_file_outlines",
]  # fmt: skip
"""What the policies and the gate ask of the database."""


@dataclass(frozen=True)
class Mutant:
    """name: stable while the place is not rewritten. put: in force inside the block."""

    name: str
    put: Callable[[psycopg.Connection], Any]


# Python


OTHER: dict[type, type] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.And: ast.Or, ast.Or: ast.And,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Sub: ast.Add, ast.Add: ast.Sub,
}  # fmt: skip
NARROWING = {"filter", "exclude", "Q", "get", "values", "Exists"}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        yield edited(node, lambda n: n.ops.__setitem__(0, OTHER[type(n.ops[0])]()))
    elif isinstance(node, (ast.BoolOp, ast.BinOp, ast.AugAssign)) and type(node.op) in OTHER:
        yield edited(node, lambda n: setattr(n, "op", OTHER[type(n.op)]()))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, (ast.If, ast.IfExp)):
        for value in (True, False):
            yield edited(node, lambda n, value=value: setattr(n, "test", ast.Constant(value)))
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield edited(node, lambda n: n.ifs.pop())
    elif isinstance(node, (ast.Raise, ast.Delete)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Yield))
    ):
        yield ast.Pass()
    elif isinstance(node, ast.Call) and called(node) in NARROWING:
        for place in range(len(node.keywords)):
            yield edited(node, lambda n, place=place: n.keywords.pop(place))
        for place in range(len(node.args)):
            yield edited(node, lambda n, place=place: n.args.pop(place))


def edited(node: Any, edit: Callable[[Any], Any]) -> Any:
    twin = copy.deepcopy(node)
    edit(twin)
    return twin


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def of_module(name: str) -> Iterator[Mutant]:
    module = import_module(name)
    path = str(module.__file__)
    with open(path, encoding="utf-8") as file:
        source = file.read()
    seen: dict[str, int] = {}
    places = list(places_of(ast.parse(source), ""))
    for number, (function, node) in enumerate(places):
        for choice, other in enumerate(changes(node)):
            was, now = (" ".join(ast.unparse(n).split())[:90] for n in (node, other))
            label = f"{name} {function}: {was} -> {now}"
            seen[label] = seen.get(label, 0) + 1
            if seen[label] > 1:
                label += f" ({seen[label]})"
            yield Mutant(label, in_python(path, source, number, choice))
    for constant, value in vars(module).items() if name in TEXTS else ():
        for label, text in reworded(value) if constant.isupper() and isinstance(value, str) else ():
            yield Mutant(f"{name} {constant}: {label}", in_text(value, text))


def places_of(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    """(qualified name of the function, node) in a fixed order. Only functions: what a module does when it is imported,
    types and defaults of arguments are not exchanged with the code.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{function}.{child.name}" if function else child.name
            for statement in child.body:
                if isinstance(child, ast.FunctionDef):
                    yield inner, statement
                yield from (
                    places_of(statement, inner)
                    if not isinstance(statement, (ast.FunctionDef, ast.ClassDef))
                    else places_of(ast.Module([statement], []), inner)
                )
        elif function:
            yield function, child
            yield from places_of(child, function)


def in_python(path: str, source: str, number: int, choice: int) -> Callable[[psycopg.Connection], Any]:
    @contextmanager
    def put(owner: psycopg.Connection) -> Iterator[None]:
        tree = ast.parse(source)
        _, node = list(places_of(tree, ""))[number]
        other = list(changes(node))[choice]
        for parent in ast.walk(tree):
            for field, value in ast.iter_fields(parent):
                if value is node:
                    setattr(parent, field, other)
                elif isinstance(value, list) and any(v is node for v in value):
                    setattr(parent, field, [other if v is node else v for v in value])
        codes = {code.co_qualname: code for code in codes_of(compile(ast.fix_missing_locations(tree), path, "exec"))}
        # Not isinstance: lazy objects would be asked for what they are.
        living = [f for f in gc.get_objects() if type(f) is FunctionType and f.__code__.co_filename == path]
        kept = [(function, function.__code__) for function in living]
        try:
            for function, code in kept:
                new = codes.get(code.co_qualname)
                if new is not None and new.co_freevars == code.co_freevars:
                    function.__code__ = new
            yield
        finally:
            for function, code in kept:
                function.__code__ = code

    return put


def codes_of(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes_of(constant)


def in_text(text: str, other: str) -> Callable[[psycopg.Connection], Any]:
    @contextmanager
    def put(owner: psycopg.Connection) -> Iterator[None]:
        modules = [m for n, m in list(sys.modules.items()) if n.startswith("retrieval.")]
        places = [(m, name) for m in modules for name, value in vars(m).items() if value is text]
        try:
            for module, name in places:
                setattr(module, name, other)
            yield
        finally:
            for module, name in places:
                setattr(module, name, text)

    return put


# SQL

WORDS = [
    (r"\bAND\b", "OR"), (r"\bOR\b", "AND"), (r"(?<![<>!:])=(?!>)", "<>"), (r"\bNOT EXISTS\b", "EXISTS"),
    (r"(?<!NOT )\bEXISTS\b", "NOT EXISTS"), (r"\bNOT (?!EXISTS|NULL|IN\b)", ""), (r"\bNOT IN\b", "IN"),
    (r"(?<!NOT )\bIN\b", "NOT IN"), (r"\bIS NULL\b", "IS NOT NULL"), (r"\bIS NOT NULL\b", "IS NULL"),
    (r"<@", "&&"), (r"\bINTERSECT\b", "UNION"), (r"> now\(\)", "< now()"), (r"'\{\}'", "'{0,1,2,3,5}'"),
    (r"(?<=\()SELECT app_(?:service|unlabelled)\(\)(?=\))", "SELECT true"), (r"-(?=principal|id\b)", ""),
]  # fmt: skip


def reworded(text: str) -> Iterator[tuple[str, str]]:
    """(what is other, the text) for every place at which one word may be another."""
    for pattern, other in WORDS:
        for n, found in enumerate(re.finditer(pattern, text), start=1):
            around = " ".join(text[max(0, found.start() - 25) : found.end() + 25].split())
            changed = text[: found.start()] + other + text[found.end() :]
            yield f"{found[0]} -> {other or 'nothing'} in “{around}” ({n})", changed


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


NAMED = re.compile(r'ALTER POLICY (\w+) ON "(\w+)"')


def policies_now() -> Iterator[str]:
    """An ALTER POLICY for each policy that migrations have made from the template, some of which are gone by now."""
    for (app, _), migration in MigrationLoader(None).disk_migrations.items():
        for operation in migration.operations:
            if isinstance(operation, Protect):
                model = apps.get_model(app, operation.name)
                using, check = rls.conditions(model)
                table = model._meta.db_table
                if operation.append_only:
                    yield f'ALTER POLICY scope_select ON "{table}" USING ({using})'
                    yield f'ALTER POLICY scope_insert ON "{table}" WITH CHECK ({check})'
                else:
                    yield f'ALTER POLICY scope ON "{table}" USING ({using}) WITH CHECK ({check})'


def mutants(owner: psycopg.Connection) -> list[Mutant]:
    found = [*of_template(), *(mutant for name in FUNCTIONS for mutant in of_function(owner, name))]
    return [*found, *(mutant for name in MODULES for mutant in of_module(name))]
