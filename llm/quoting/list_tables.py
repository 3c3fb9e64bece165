"""The quoting engine's answer from the result of `list_records`: what is counted, a table, and a link to the list."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from llm.fences import unfence
from llm.list_results import ADDRESS, APART, UNCITED
from llm.quoting.reading import extract_passages

APART_LINE = re.compile(r"Of \[(\d{1,9})\]: ")
IS_LIST = re.compile(r"(?:No|\d+(?: of \d+)?) ")
"""Begins a result of the tool that is no refusal."""
Row = tuple[str, dict[str, str], str]
"""The title of a record, its fields by title, and its number as a marker."""


def read_list(result: str, asked: Mapping[str, Any] | None = None) -> str | None:
    """A table whose rows have their numbers. asked: the tool's input. None where the tool refused."""
    if not IS_LIST.match(result):
        return None
    head, *lines = [unfence(line) for line in result.split("<passages>", 1)[0].splitlines() if line.strip()]
    address = next((line.removeprefix(ADDRESS) for line in lines if line.startswith(ADDRESS)), "")
    apart = {int(found[1]): line[found.end() :] for line in lines if (found := APART_LINE.match(line))}
    passages = [(passage.n, passage.text) for passage in extract_passages(result)]
    rows = [_split_row("; ".join([text, *filter(None, [apart.get(n)])]), f" [{n}]") for n, text in passages]
    rows += [_split_row(line.removeprefix(UNCITED), "") for line in lines if line.startswith(UNCITED)]
    others = [line for line in lines if not line.startswith((ADDRESS, UNCITED, APART)) and not APART_LINE.match(line)]
    parts = [_quote_cell(line) for line in (head, *others) if not line.startswith("|")]
    groups = [[_quote_cell(cell.strip()) for cell in line[1:-1].split("|")] for line in others if line.startswith("|")]
    parts.append("\n".join(map(_write_line, groups)))
    if rows:
        table = _build_table(rows)
        sides = [list(line) for line in zip(*table, strict=True)]
        parts.append(_write_table(sides if (asked or {}).get("side_by_side") else table))
    if address:
        parts.append(f"[Open this list]({address})")
    return "\n\n".join(part for part in parts if part)


def _split_row(text: str, marker: str) -> Row:
    """Of "Quay lease; Ends on: 1 May 2027"."""
    title, *pairs = " ".join(text.split()).split("; ")
    return title, dict(pair.split(": ", 1) for pair in pairs if ": " in pair), marker


def _build_table(rows: Sequence[Row]) -> list[list[str]]:
    columns = list(dict.fromkeys(name for _, fields, _ in rows for name in fields))
    table = [["Name", *map(_quote_cell, columns)]]
    for title, fields, marker in rows:
        table.append([f"{_quote_cell(title)}{marker}", *(_quote_cell(fields.get(name, "")) for name in columns)])
    return table


def _write_table(table: Sequence[Sequence[str]]) -> str:
    return "\n".join(map(_write_line, [table[0], ["---"] * len(table[0]), *table[1:]]))


def _write_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _quote_cell(cell: str) -> str:
    return re.sub(r"([|\\\[\]*_`<])", r"\\\1", cell)
