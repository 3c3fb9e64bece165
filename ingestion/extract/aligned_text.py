"""Tables in plain text: columns that blanks or tabs keep apart, under a head.

Poems, lists and programs have blanks within their lines, too. So a head stands above a drawn line, or above rows with
numbers in one column, and no row runs through the blanks between two columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from unicodedata import east_asian_width

from ingestion.extract.entry_kinds import NOTHING, name_kind

MIN_ROWS, MIN_RULED_ROWS = 3, 1  # below a head; below one with a line under it
MAX_LINES, MAX_COLUMNS, MAX_WIDTH, MAX_HEADS = 5_000, 20, 400, 8
GAPS = re.compile(r"\S\s{2,}\S")
COLUMN = re.compile(r"1+(?:01+)*")  # of places with letters: one blank parts words, and two part columns
FILLED, NUMBERS = 0.75, 0.75  # share of the rows with two entries; of the entries of a column
DRAWN_LINE = re.compile(r"(?=.*[-=_]{2})[-=_+| ]+")

TextColumn = tuple[int, int]
"""Its first place in a line, and the one behind its last."""


class AlignedTable(NamedTuple):
    """rows: cells, the head first. before, after: lines around the table."""

    before: list[str]
    rows: list[list[str]]
    after: list[str]


def find_aligned_table(lines: Sequence[str]) -> AlignedTable | None:
    """The first table in lines without a blank one between them."""
    if len(lines) > MAX_LINES or max(map(len, lines), default=0) > MAX_WIDTH:
        return None  # read as before
    if any("\t" in line.strip() for line in lines):
        return _find_tabbed(lines)
    if any(east_asian_width(letter) in "WF" for line in lines if not line.isascii() for letter in line):
        return None  # a letter takes two places, in some fonts
    heads = [
        place for place, line in enumerate(lines[:-1]) if GAPS.search(line.strip()) and not DRAWN_LINE.fullmatch(line)
    ]
    for place in heads[:MAX_HEADS]:
        ruled = bool(DRAWN_LINE.fullmatch(lines[place + 1]))
        taken, columns, end = _take_rows(lines, place, place + 1 + ruled)
        rows = _cut_rows([lines[place], *taken], columns)
        if _is_table(rows, ruled):
            return AlignedTable(list(lines[:place]), rows, list(lines[end:]))
    return None


def _find_tabbed(lines: Sequence[str]) -> AlignedTable | None:
    """Lines with as many tabs as the first has, or fewer where the last cells are empty, as spreadsheets give them."""
    start = next(place for place, line in enumerate(lines) if "\t" in line.strip())
    tabs = lines[start].count("\t")
    end = start
    while end < len(lines) and 1 <= lines[end].count("\t") <= tabs:
        end += 1
    cells = [[cell.strip() for cell in line.split("\t")] for line in lines[start:end]]
    rows = [[*row, *[""] * (tabs + 1 - len(row))] for row in cells]
    if not 1 <= tabs < MAX_COLUMNS or not _is_table(rows, ruled=False):
        return None
    return AlignedTable(list(lines[:start]), rows, list(lines[end:]))


def _take_rows(lines: Sequence[str], head: int, first: int) -> tuple[list[str], list[TextColumn], int]:
    """The rows, none of which runs through a gap between columns, the columns, and the place behind. A line may be
    drawn above the sum, or below the last row."""
    used = _mark_letters(lines[head])
    columns = _find_columns(used)
    rows: list[str] = []
    for place in range(first, len(lines)):
        line, following = lines[place], lines[place + 1] if place + 1 < len(lines) else ""
        if DRAWN_LINE.fullmatch(line):
            if rows and following and not DRAWN_LINE.fullmatch(following) and _has_numbers(following):
                continue
            return rows, columns, place + bool(rows)
        widened = used | _mark_letters(line)
        found = _find_columns(widened)
        is_next_head = rows and DRAWN_LINE.fullmatch(following) and not _has_numbers(line)
        if is_next_head or len(found) < max(2, len(columns)):
            return rows, columns, place
        used, columns = widened, found
        rows.append(line)
    return rows, columns, len(lines)


def _has_numbers(line: str) -> bool:
    return any(name_kind(part) for part in re.split(r"\s{2,}", line.strip()))


@lru_cache(maxsize=2 * MAX_LINES)
def _mark_letters(line: str) -> int:
    """A bit for each place with a letter, the first of the line being the lowest. Each head looks at the same lines."""
    return int("".join("0" if letter == " " else "1" for letter in reversed(line)) or "0", 2)


def _find_columns(used: int) -> list[TextColumn]:
    """Where several blanks in a row are in all lines, columns part."""
    return [match.span() for match in COLUMN.finditer(f"{used:b}"[::-1])]


def _cut_rows(lines: Sequence[str], columns: Sequence[TextColumn]) -> list[list[str]]:
    edges = [0, *(start for start, _ in columns[1:]), MAX_WIDTH]
    return [[line[a:b].strip() for a, b in pairwise(edges)] for line in lines]


def _is_table(rows: Sequence[Sequence[str]], ruled: bool) -> bool:
    body = rows[1:]
    width = max(map(len, rows), default=0)
    if not 2 <= width <= MAX_COLUMNS or len(body) < (MIN_RULED_ROWS if ruled else MIN_ROWS):
        return False
    if sum(sum(map(bool, row)) > 1 for row in body) < FILLED * len(body) or sum(map(bool, rows[0])) < min(2, width - 1):
        return False
    if any(name_kind(cell) not in ("", "year", "date") for cell in rows[0]):
        return False
    numbers = [place for place in range(1, width) if _is_of_numbers([row[place] for row in body])]
    return bool(numbers) and all(rows[0][place] for place in numbers)


def _is_of_numbers(cells: Sequence[str]) -> bool:
    told = [cell for cell in cells if cell and not NOTHING.fullmatch(cell)]
    return bool(told) and sum(bool(name_kind(cell)) for cell in told) >= NUMBERS * len(told)
