"""Tables as Markdown, one row a line: the form in which tables go through the whole pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line

BATCH = 500  # rows that are put into line together
SPARSE = 12  # times as much room as there are cells: such a table is written cell by cell


def format_markdown_row(cells: Sequence[str]) -> str:
    return "|" + "".join(f" {clean_line(cell).replace('|', chr(92) + '|')} |" if cell else " |" for cell in cells)


def format_markdown_rule(columns: int) -> str:
    return "|" + " --- |" * columns


def format_markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the header. Empty rows and columns are left out; "" when nothing is left."""
    width = max((len(row) for row in rows), default=0)
    square = [[*row, *[""] * (width - len(row))] for row in rows]
    kept = [c for c in range(width) if any(row[c].strip() for row in square)]
    lines = [[row[c].strip() for c in kept] for row in square if any(cell.strip() for cell in row)]
    if not lines:
        return ""
    return "\n".join(
        [format_markdown_row(lines[0]), format_markdown_rule(len(kept)), *map(format_markdown_row, lines[1:])]
    )


class Grid:
    """Rows of cells as spreadsheets hold them, {column: text} with empty cells left out: blocks of neighbouring rows
    become tables whose first row is the header, repeated over every part of a long one.

    Lines before the header that have one cell only are the table's caption, and a block with one column is text. Memory
    is that of BATCH rows, and what is written is in proportion to the cells, wherever in the sheet they lie.
    """

    def __init__(self, builder: Builder, level: float, page: int | None = None) -> None:
        self._builder, self._level, self._page = builder, level, page
        self._header: dict[int, str] | None = None
        self._rows: list[dict[int, str]] = []

    def add(self, row: dict[int, str]) -> None:
        """The next row; an empty one ends the block."""
        if not row:
            self.close()
            return
        self._rows.append(row)
        if len(self._rows) >= BATCH:
            self._write_rows()

    def close(self) -> None:
        self._write_rows()
        self._header = None

    def _write_rows(self) -> None:
        rows, self._rows = self._rows, []
        if not rows:
            return
        if self._header is None:
            if len(set().union(*rows)) == 1:
                for row in rows:
                    self._builder.add("\n".join(row.values()), page=self._page)
                return
            caption = 0
            while len(rows[caption]) == 1 and caption < len(rows) - 1:
                caption += 1
            for row in rows[:caption]:
                self._add_caption(next(iter(row.values())))
            self._header, rows = rows[caption], rows[caption + 1 :]
            if not rows:
                self._builder.add(" | ".join(self._header[c] for c in sorted(self._header)), page=self._page)
                return
        self._write_table(self._header, rows)

    def _add_caption(self, text: str) -> None:
        self._builder.add(text, "heading", level=self._level, page=self._page)

    def _write_table(self, header: dict[int, str], rows: list[dict[int, str]]) -> None:
        used = set(header).union(*rows)
        if len(used) * len(rows) > SPARSE * (len(header) + sum(map(len, rows))):
            for row in rows:
                self._builder.add(format_cell_by_cell(header, row), "list", page=self._page)
            return
        columns = sorted(used)
        lines: Iterable[dict[int, str]] = (header, *rows)
        self._builder.add(
            format_markdown_table([[row.get(c, "") for c in columns] for row in lines]), "table", page=self._page
        )


def format_cell_by_cell(header: dict[int, str], row: dict[int, str]) -> str:
    """`heading: text` of each cell, for tables that are nearly all holes."""
    return "; ".join(f"{header[c]}: {row[c]}" if c in header else row[c] for c in sorted(row))
