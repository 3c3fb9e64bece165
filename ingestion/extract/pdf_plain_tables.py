"""Tables without any rule: rows of short entries in columns, with numbers below each other under a head.

Much else stands in columns: two columns of prose, forms, addresses, contents, scales of charts. So a table has a head,
three rows or three columns at least, a number behind the first entry of a row, a column with numbers of one kind that
begin or end at one place, and gaps between columns in which no word stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ingestion.extract.entry_kinds import NOTHING, name_kind
from ingestion.extract.pdf_row_rules import LIST_SIGN
from ingestion.extract.pdf_table_columns import Column, find_columns, find_kinds, is_crossed, list_edges, read_cell
from ingestion.extract.pdf_table_rows import TableRow, build_row, split_row_blocks

if TYPE_CHECKING:
    from ingestion.extract.pdf_grids import Grid
    from ingestion.extract.pdf_lines import Line
    from ingestion.extract.pdf_words import Word

MIN_DATA_ROWS, MIN_SHORT_COLUMNS = 3, 3  # rows; columns of a table with fewer
MAX_WORDS, MAX_HEADS = 4_000, 100  # of a page; of it that lead to no table
MAX_ROWS, MAX_SHAPING_ROWS, MAX_COLUMNS = 200, 12, 14
MAX_HEAD_LINES = 3
MIN_GROUPS, MIN_GROUP_COLUMNS = 2, 2
GROUP_GAP = 0.8  # font sizes between the names of groups and the head
WRAP_STEP = 1.45  # font sizes between the lines of one entry
OVERLAP_POINTS = 2.0  # of words that are printed upon each other
MOST = 0.75  # share of the rows
MAX_SMALL_LETTERS, MAX_COLONS, MAX_OTHERS = 0.4, 0.5, 0.6  # share of entries that begin or end so; of rows without data
Span = tuple[int, int]
"""The first and the last of columns that belong together."""
LEADERS = re.compile(r"(?:\. ?){4}|…{2}|_{3}")


def find_plain_grids(runs: Sequence[Line]) -> list[Grid]:
    """Cells of the tables of a page, from top to bottom. runs: of the words that no ruled table has."""
    words = [word for run in runs for word in run.words]
    if len(words) > MAX_WORDS:
        return []
    return [_build_cells(*table) for table in _list_tables(runs, words)]


def _list_tables(
    runs: Sequence[Line], words: Sequence[Word]
) -> Iterator[tuple[list[TableRow], Sequence[Column], list[Span]]]:
    """Each head with the rows below it, as far as they are in its columns, these, and the groups that its first row
    names."""
    failed = 0
    for block in split_row_blocks(runs):
        place = 0
        while place < len(block) and failed < MAX_HEADS:
            body, columns = _find_body(block[place], block[place + 1 : place + 1 + MAX_ROWS])
            rows, groups = _build_rows(block[: place + 1], body, columns)
            if rows and _count_words_between(rows[0], rows[-1], words) == sum(len(row.words) for row in rows):
                yield rows, columns, groups
                place += len(body)
            elif body:
                failed += 1
            place += 1


def _find_body(head: TableRow, below: Sequence[TableRow]) -> tuple[list[TableRow], list[Column]]:
    """The rows below a head that stand in its columns, up to the last with numbers, and the columns; no rows where it
    is no head."""
    if len(head.runs) < 2 or not below or not (below[0].is_data() or below[0].is_label()):
        return [], []
    if not (head.is_number_less() or head.is_of_years()):
        return [], []
    body: list[TableRow] = []
    shaping: list[TableRow] = []  # data that runs through no column
    columns = find_columns(head, shaping)
    kinds = find_kinds(shaping, columns)
    for row in below:
        if not (shaping or row.is_data() or row.is_label()):
            break
        may_shape = row.is_data() and len(shaping) < MAX_SHAPING_ROWS
        shaped = find_columns(head, [*shaping, row]) if may_shape else []
        fits = may_shape and len(shaped) >= len(columns)
        is_first = fits and not shaping  # the head alone says too little of the columns
        if not is_first and _is_foreign(row, columns, kinds):
            break
        if fits:
            shaping.append(row)
            columns, kinds = shaped, find_kinds(shaping, shaped)
        body.append(row)
    while body and not body[-1].is_data() and not _goes_on(body[-1], body[:-1], columns):
        body.pop()
    return body, columns


def _is_name(text: str) -> bool:
    """Whether it may name the column of a short table: not the middle of a sentence, nor the number of a clause."""
    return bool(re.match(r"[#№]?\W?[^\W\d_a-zß-öø-ÿ]", text)) and not LIST_SIGN.fullmatch(text)


def _count_words_between(first: TableRow, last: TableRow, words: Sequence[Word]) -> int:
    return sum(first.y0 - 1 <= (word.y0 + word.y1) / 2 <= last.y1 + 1 for word in words)


def _build_rows(
    until_head: Sequence[TableRow], body: Sequence[TableRow], columns: Sequence[Column]
) -> tuple[list[TableRow], list[Span]]:
    """The head as one row, below the names of its groups if it has any, and the body with wrapped entries in one; empty
    where they are no table."""
    data = [row for row in body if row.is_data()]
    if not data or not 2 <= len(columns) <= MAX_COLUMNS:
        return [], []
    kinds = find_kinds(data, columns)
    if not _is_body(body, data, columns, kinds):
        return [], []
    head = _join_head(until_head, columns)
    names = [read_cell(head, column) for column in columns]
    if 2 * sum(map(bool, names)) < len(columns) or any(
        kind and not name for name, kind in zip(names, kinds, strict=True)
    ):
        return [], []
    is_short = len(data) < MIN_DATA_ROWS or len(columns) < MIN_SHORT_COLUMNS
    if is_short and (len(set(names)) < len(names) or not all(map(_is_name, names))):
        return [], []
    rows = [head, *_join_wrapped(body, columns)]
    above = next((row for row in reversed(until_head) if row.y1 <= head.y0 + OVERLAP_POINTS), None)
    groups = _list_groups(above, head, columns) if above else []
    return ([above, *rows], groups) if above and groups else (rows, [])


def _list_groups(row: TableRow, head: TableRow, columns: Sequence[Column]) -> list[Span]:
    """The groups of the same columns that a row names close above a head: "2025" and "2026" above "Plan Actual Plan
    Actual"; empty where it names none."""
    if head.y0 - row.y1 > GROUP_GAP * head.size or not (row.is_number_less() or row.is_of_years()):
        return []
    names = [run for run in row.runs if run.x0 > columns[0][1]]
    size, rest = divmod(len(columns) - 1, max(1, len(names)))
    if len(names) < MIN_GROUPS or len(row.runs) - len(names) > 1 or size < MIN_GROUP_COLUMNS or rest:
        return []
    groups = [(begin, begin + size - 1) for begin in range(1, len(columns), size)]
    for run, (first, last) in zip(names, groups, strict=True):
        if not columns[first][0] <= (run.x0 + run.x1) / 2 <= columns[last][1]:
            return []
    named = {tuple(read_cell(head, column) for column in columns[first : last + 1]) for first, last in groups}
    return groups if len(named) == 1 else []


def _is_foreign(row: TableRow, columns: Sequence[Column], kinds: Sequence[str]) -> bool:
    """Whether a row is none of the table: the head of another one, or text that runs through its columns."""
    edges = list_edges(columns)
    if any(run.x0 < edge < run.x1 for run in row.runs[1:] for edge in edges):
        return True
    if any(following.x0 < word.x1 - OVERLAP_POINTS for word, following in pairwise(row.words)):
        return True
    numbers = [text for column, kind in zip(columns, kinds, strict=True) if kind and (text := read_cell(row, column))]
    return len(row.runs) > 1 and bool(numbers) and not any(name_kind(t) or NOTHING.fullmatch(t) for t in numbers)


def _is_body(
    body: Sequence[TableRow], data: Sequence[TableRow], columns: Sequence[Column], kinds: Sequence[str]
) -> bool:
    if not any(kinds) or len(body) - len(data) > MAX_OTHERS * len(body):
        return False
    if len(columns) < MIN_SHORT_COLUMNS and len(data) < MIN_DATA_ROWS:
        return False
    if len(data) < MIN_DATA_ROWS and any(len(row.runs) < MIN_SHORT_COLUMNS for row in data):
        return False
    texts = [run.text for row in body for run in row.runs]
    if any(LEADERS.search(text) for text in texts):
        return False
    labels = [label for row in body if (label := read_cell(row, columns[0]))]
    if 2 * len(labels) < len(data) or sum(label[0].islower() for label in labels) > MAX_SMALL_LETTERS * len(labels):
        return False
    if sum(text.endswith(":") for text in texts) >= MAX_COLONS * len(labels):
        return False
    parted = [not any(is_crossed(row, edge) for edge in list_edges(columns)) for row in data]
    return sum(parted) >= MOST * len(data)


def _join_head(rows: Sequence[TableRow], columns: Sequence[Column]) -> TableRow:
    """The last of the rows, with the lines of the head above it."""
    lines = [rows[-1]]
    for row in reversed(rows[-MAX_HEAD_LINES:-1]):
        step = (lines[0].base - row.base) / max(lines[0].size, row.size)
        if step > WRAP_STEP or not row.is_number_less() or not row.matches_style(lines[0]):
            break
        if any(is_crossed(row, edge) for edge in list_edges(columns)):
            break
        lines.insert(0, row)
    return build_row([run for row in lines for run in row.runs], lines[-1].base)


def _join_wrapped(body: Sequence[TableRow], columns: Sequence[Column]) -> list[TableRow]:
    """Rows with the second line of an entry in them."""
    rows: list[TableRow] = []
    for row in body:
        if _goes_on(row, rows, columns):
            rows[-1] = build_row([*rows[-1].runs, *row.runs], row.base)
        else:
            rows.append(row)
    return rows


def _goes_on(row: TableRow, above: Sequence[TableRow], columns: Sequence[Column]) -> bool:
    """Whether it is the next line of an entry of the row above."""
    if not above or row.is_data() or row.base - above[-1].base > WRAP_STEP * row.size:
        return False
    return row.runs[0].x0 > columns[0][1] or row.runs[0].text[0].islower()


def _build_cells(rows: Sequence[TableRow], columns: Sequence[Column], groups: Sequence[Span]) -> Grid:
    """An entry that runs into the next column has the cells of both, and the name of a group those of its columns."""
    edges = list_edges(columns)
    lefts = [columns[0][0] - 1, *edges]
    rights = [*edges, columns[-1][1] + 1]
    lefts[0] = min(lefts[0], *(row.runs[0].x0 - 1 for row in rows))
    rights[-1] = max(rights[-1], *(max(run.x1 for run in row.runs) + 1 for row in rows))
    grid: Grid = []
    for row in rows:
        spans = [(0, 0), *groups] if groups and row is rows[0] else _list_spans(row, edges)
        cells: list[tuple[float, float, float, float] | None] = []
        for first, last in spans:
            cells += [(lefts[first], row.y0, rights[last], row.y1), *[None] * (last - first)]
        grid.append(cells)
    return grid


def _list_spans(row: TableRow, edges: Sequence[float]) -> list[Span]:
    """The columns of each entry of a row."""
    begin, spans = 0, []
    for place in range(len(edges) + 1):
        if place < len(edges) and is_crossed(row, edges[place]):
            continue
        spans.append((begin, place))
        begin = place + 1
    return spans
