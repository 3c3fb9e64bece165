"""A mutant, and how SQL is reworded to make one."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg

WORDS = [
    (r"\bAND\b", "OR"), (r"\bOR\b", "AND"), (r"(?<!ERRCODE )(?<![<>!:])=(?!>)", "<>"), (r"\bNOT EXISTS\b", "EXISTS"),
    (r"(?<!NOT )\bEXISTS\b", "NOT EXISTS"), (r"\bNOT (?!EXISTS|NULL|IN\b)", ""), (r"\bNOT IN\b", "IN"),
    (r"(?<!NOT )\bIN\b", "NOT IN"), (r"\bIS NULL\b", "IS NOT NULL"), (r"\bIS NOT NULL\b", "IS NULL"),
    (r"<@", "&&"), (r"\bINTERSECT\b", "UNION"), (r"> now\(\)", "< now()"), (r"'\{\}'", "'{0,1,2,3,5}'"),
    (r"(?<=\()SELECT app_(?:service|unlabelled)\(\)(?=\))", "SELECT true"), (r"-(?=principal|id\b)", ""),
]  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """name: stable while the place is not rewritten. put: in force inside the block."""

    name: str
    put: Callable[[psycopg.Connection], Any]


def reworded(text: str) -> Iterator[tuple[str, str]]:
    """(what is other, the text) for every place at which one word may be another."""
    for pattern, other in WORDS:
        for n, found in enumerate(re.finditer(pattern, text), start=1):
            around = " ".join(text[max(0, found.start() - 25) : found.end() + 25].split())
            changed = text[: found.start()] + other + text[found.end() :]
            yield f"{found[0]} -> {other or 'nothing'} in “{around}” ({n})", changed
