"""New names are in the field's words: of the old private ones no more are made (CONTRIBUTING.md)."""

import ast
import re
from collections import Counter
from pathlib import Path

from django.conf import settings

PRIVATE = re.compile(
    r"(^|_)(told|said|seen|shown|given|kept|held|drawn|beside|aside|anew|behind|taken|whoever)(_|$)|_of$"
)
KNOWN = 39
"""Functions and classes with such a name today. Rename one, and lower this."""


def list_private_names() -> list[str]:
    found = []
    for app in ("config", *settings.LAYERS):
        for path in sorted((Path(settings.BASE) / app).rglob("*.py")):
            if "migrations" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and PRIVATE.search(
                    node.name.lower()
                ):
                    found.append(f"{path.relative_to(settings.BASE)}: {node.name}")
    return found


def test_no_new_name_is_in_private_words() -> None:
    found = list_private_names()
    assert len(found) <= KNOWN, Counter(found)
