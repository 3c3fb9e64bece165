"""JSON, also one value a line: each value a line with the names that lead to it, parted by the outermost entries.
Of one value a line that are the fields of each; where those are too many, each line stays together.

The names stand by the value, so that who classifies the line knows what it is. Characters that are written as numbers
(`\\u00e9`) become what they stand for, and of equal names none is lost. What is no JSON is read as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line
from ingestion.extract.long_texts import LONGEST
from ingestion.extract.source import add_code

MANY = 500  # entries
LARGEST = 24 << 20  # characters that are parsed: values take many times their room in memory


class _Pairs(list[tuple[str, Any]]):
    """An object with all its names, also those that stand twice."""


def extract(text: str) -> Extraction:
    builder = Builder()
    try:
        values = _parse_values(text)
    except (ValueError, RecursionError):
        values = None
    if values is None:
        add_code(builder, text)
        return builder.build_extraction(sniff.JSON, None)
    entries = list(_list_entries(values))
    if len(entries) > MANY and len(values) > 1:
        entries = [list(_list_lines(value, "")) for value in values]
    if len(entries) > MANY:  # rows of data: as many together as of a table
        entries = [[line for entry in entries for line in entry]]
    for entry in entries:
        _add_entry(builder, entry)
    return builder.build_extraction(sniff.JSON, None)


def _parse_values(text: str) -> list[Any] | None:
    """The values of a file, or of its lines."""
    if len(text) > LARGEST:
        return None
    try:
        return [_parse_value(text)]
    except ValueError:
        return [_parse_value(line) for line in text.splitlines() if line.strip()]


def _parse_value(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_Pairs, parse_float=str, parse_int=str, parse_constant=str)


def _list_entries(values: list[Any]) -> Iterator[list[str]]:
    """The lines of each outermost entry."""
    for value in values:
        if isinstance(value, _Pairs):
            for name, inner in value:
                if isinstance(inner, list) and not isinstance(inner, _Pairs):
                    yield from (list(_list_lines(one, f"{name}[{number}]")) for number, one in enumerate(inner))
                else:
                    yield list(_list_lines(inner, name))
        elif isinstance(value, list):
            yield from (list(_list_lines(one, f"[{number}]")) for number, one in enumerate(value))
        else:
            yield list(_list_lines(value, ""))


def _add_entry(builder: Builder, lines: list[str]) -> None:
    """In paragraphs of no more than LONGEST characters."""
    block: list[str] = []
    size = 0
    for line in lines:
        if size + len(line) > LONGEST // 2 and block:
            builder.add("\n".join(block), "list")
            block, size = [], 0
        block.append(line)
        size += len(line)
    builder.add("\n".join(block), "list")


def _list_lines(value: Any, path: str) -> Iterator[str]:
    """`names.that.lead: value` of each value, in order; an own stack, since values lie in each other deeply."""
    waiting: list[tuple[Any, str]] = [(value, path)]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, _Pairs):
            waiting += [(inner, f"{path}.{name}" if path else name) for name, inner in reversed(value)]
            if not value:
                yield clean_line(path)
        elif isinstance(value, list):
            waiting += [(inner, f"{path}[{number}]") for number, inner in reversed(list(enumerate(value)))]
            if not value:
                yield clean_line(path)
        else:
            text = {True: "true", False: "false", None: "null"}.get(value) if not isinstance(value, str) else value
            yield clean_line(f"{path}: {text}" if path else str(text))
