"""New names are in the field's words, and a function is a verb with its object (CONTRIBUTING.md)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

PRIVATE = re.compile(
    r"(^|_)(told|said|seen|shown|given|kept|held|drawn|beside|aside|anew|behind|taken|whoever)(_|$)|_of$"
)
VERBS = """
add answer append apply are ask asks begin build can change check choose claim classify clean collect combine compare
compile compose compute convert count create cut decide declare decode delete describe digest draw drop embed
encode end ends estimate extract fill find finish fit fits fold follow forget format get give goes group guess has hash
hides hold holds is iter join judge keep label limit link list load locate lock look main make mark may measure merge
name narrow normalise note open order parse place plan plant prepare present print process publish put quote raise
rank reach read recall record redact refuse register release remove rename render reorder replace report rerank
resolve respond restore round run runs save say says score search select send serve set settle share sort split start
strip suggest summarise sweep take tell translate try unpack upload use validate vote wait wake walk watch weigh write
"""
"""First words that three functions have, predicates among them. Use one of these; a new one is a decision."""
OTHER_FIRST_WORDS = 223
"""Functions that begin with another word today: rarer verbs, and nouns. Rename one, and lower this."""


def iter_modules() -> Iterator[tuple[str, ast.Module]]:
    for app in ("config", *settings.LAYERS):
        for path in sorted((Path(settings.BASE) / app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield str(path.relative_to(settings.BASE)), ast.parse(path.read_text())


def begins_with_verb(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Views, which take a request, and what a decorator registers have the names of pages, tags and tasks."""
    is_named_elsewhere = bool(node.decorator_list) or [one.arg for one in node.args.args[:1]] == ["request"]
    return is_named_elsewhere or node.name.lstrip("_").split("_")[0] in VERBS.split()


def test_no_name_is_in_private_words() -> None:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = [
        f"{path}: {node.name}"
        for path, module in iter_modules()
        for node in ast.walk(module)
        if isinstance(node, kinds) and PRIVATE.search(node.name.lower())
    ]
    assert found == []


def test_a_function_begins_with_a_verb_that_others_begin_with() -> None:
    found = [
        f"{path}: {node.name}"
        for path, module in iter_modules()
        for node in module.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not begins_with_verb(node)
    ]
    assert len(found) <= OTHER_FIRST_WORDS, found
