"""Tables as Markdown, one row a line: the form in which tables go through the whole pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.extract.clean import one_line


def markdown_row(cells: Sequence[str]) -> str:
    return "|" + "".join(f" {one_line(cell).replace('|', chr(92) + '|')} |" if cell else " |" for cell in cells)


def markdown_rule(columns: int) -> str:
    return "|" + " --- |" * columns


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the header. Empty rows and columns are left out; "" when nothing is left."""
    width = max((len(row) for row in rows), default=0)
    square = [[*row, *[""] * (width - len(row))] for row in rows]
    kept = [c for c in range(width) if any(row[c].strip() for row in square)]
    lines = [[row[c].strip() for c in kept] for row in square if any(cell.strip() for cell in row)]
    if not lines:
        return ""
    return "\n".join([markdown_row(lines[0]), markdown_rule(len(kept)), *map(markdown_row, lines[1:])])
