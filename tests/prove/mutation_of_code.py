"""Mutants of modules: one node of the syntax tree is another, or one word of the SQL in a constant.

Compiled and put into the living functions by exchanging their code, so that whoever imported them has it too; nothing
is written to disk.
"""

import ast
import copy
import gc
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

import psycopg

from tests.prove.mutant import Mutant, reworded

TEXTS = ["retrieval.gate"]
"""Modules whose constants are SQL; the other strings of a module are names and sentences."""
OTHER: dict[type, type] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.And: ast.Or, ast.Or: ast.And,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Sub: ast.Add, ast.Add: ast.Sub,
}  # fmt: skip
NARROWING = {"filter", "exclude", "Q", "get", "values", "Exists"}


def of_module(name: str, functions: Collection[str] = ()) -> Iterator[Mutant]:
    """functions: only of these."""
    module = import_module(name)
    path = str(module.__file__)
    with open(path, encoding="utf-8") as file:
        source = file.read()
    seen: dict[str, int] = {}
    places = list(places_of(ast.parse(source), ""))
    for number, (function, node) in enumerate(places):
        if functions and function not in functions:
            continue
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


def places_of(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    """(qualified name of the function, node) in a fixed order. Only functions: what a module or a class does when it is
    imported, types and defaults of arguments are not exchanged with the code.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{function}.{child.name}" if function else child.name
            for statement in child.body:
                if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                    yield from places_of(ast.Module([statement], []), inner)
                elif isinstance(child, ast.FunctionDef):
                    yield inner, statement
                    yield from places_of(statement, inner)
        elif function and not (isinstance(node, ast.AnnAssign) and child is node.annotation):
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
