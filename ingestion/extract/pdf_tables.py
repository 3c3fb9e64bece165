"""Tables of a PDF page: words fill the cells of its grids, and Markdown comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ingestion.boxes import Box
from ingestion.extract.clean import clean_line
from ingestion.extract.pdf_grids import Cell, Grid, find_grids, join_edges
from ingestion.extract.pdf_lines import Line, split_segments
from ingestion.extract.pdf_plain_tables import find_plain_grids
from ingestion.extract.pdf_row_rules import find_row_grids
from ingestion.extract.pdf_words import PageContent, Word
from ingestion.extract.right_to_left import LETTER, RIGHT_TO_LEFT, order_words
from ingestion.extract.rows import format_markdown_row, format_markdown_rule

MAX_CELL = 1_500  # characters: a longer cell is a frame around a text, not an entry


@dataclass(frozen=True, slots=True)
class PdfTable:
    """rows[r][c]: the words of a cell, in order. edges: x of the left side of every column, points."""

    box: Cell
    edges: tuple[float, ...]
    rows: tuple[tuple[tuple[Word, ...], ...], ...]

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(_join_cell(cell) for cell in self.rows[0])

    def continues(self, other: PdfTable) -> bool:
        """Whether this table, standing first on its page, goes on with `other`, the last one of the page before."""
        return len(self.edges) == len(other.edges) and all(
            abs(mine - theirs) <= 6 for mine, theirs in zip(sorted(self.edges), sorted(other.edges), strict=True)
        )

    def turn_columns_as(self, other: PdfTable) -> PdfTable:
        """With columns in the direction of `other`, which it continues: a page of figures alone shows none."""
        if (self.edges[0] < self.edges[-1]) == (other.edges[0] < other.edges[-1]):
            return self
        return replace(self, edges=self.edges[::-1], rows=tuple(row[::-1] for row in self.rows))

    def markdown(self, page: int, header: tuple[str, ...] | None) -> tuple[str, list[Box]]:
        """The table as Markdown and a box for every word. `header`: that of the page before, put on top unless it is
        printed here too; it has no boxes."""
        rows = list(self.rows)
        boxes: list[Box] = []
        if header is not None and header != self.header:
            text = format_markdown_row(header)
        else:
            text, boxes = _append_row(rows.pop(0), page, "")
        text += "\n" + format_markdown_rule(len(self.edges))
        for row in rows:
            text, more = _append_row(row, page, text + "\n")
            boxes += more
        return text, boxes


def find_tables(content: PageContent, list_runs: Callable[[], Sequence[Line]]) -> list[PdfTable]:
    """The tables of a page, ruled or not; their words are taken out of `content.words`. list_runs: of the words that
    are left in it."""
    tables = [table for cells in find_grids(*content.edges) if (table := _fill(cells, content)) is not None]
    row_grids = find_row_grids(join_edges(content.edges[0]), content.words)
    tables += [table for cells in row_grids if (table := _fill(cells, content)) is not None]
    tables += [table for cells in find_plain_grids(list_runs()) if (table := _fill(cells, content)) is not None]
    return sorted(tables, key=lambda table: table.box[1])


def _fill(grid: Grid, content: PageContent) -> PdfTable | None:
    """None, and no word taken, where the grid is a frame or holds next to nothing."""
    present = [cell for row in grid for cell in row if cell is not None]
    if len(grid) < 2 or max(len(row) for row in grid) < 2:
        return None
    box = (
        min(cell[0] for cell in present),
        min(cell[1] for cell in present),
        max(cell[2] for cell in present),
        max(cell[3] for cell in present),
    )
    x0, y0, x1, y1 = _reach(box)
    centres = [((word[1] + word[3]) / 2, (word[2] + word[4]) / 2, word) for word in content.words if not word.slanted]
    left = [centre for centre in centres if x0 <= centre[0] <= x1 and y0 <= centre[1] <= y1]
    taken: set[int] = set()
    rows: list[list[tuple[Word, ...]]] = []
    width = max(len(row) for row in grid)
    for row in grid:
        filled: list[tuple[Word, ...]] = []
        for cell in row + [None] * (width - len(row)):
            words: list[Word] = []
            if cell is not None and left:
                x0, y0, x1, y1 = _reach(cell)
                words = [word for x, y, word in left if x0 <= x <= x1 and y0 <= y <= y1]
            if words:
                taken.update(map(id, words))
                left = [centre for centre in left if id(centre[2]) not in taken]
            filled.append(tuple(_order_words_in_cell(words)))
        rows.append(filled)
    kept = [c for c in range(width) if any(row[c] for row in rows)]
    if _runs_to_the_left(rows):
        kept.reverse()
    rows = [[row[c] for c in kept] for row in rows if any(row)]
    if len(rows) < 2 or len(kept) < 2 or sum(1 for row in rows if sum(map(bool, row)) > 1) < 2:
        return None
    if max(sum(len(word.text) + 1 for word in cell) for row in rows for cell in row) > MAX_CELL:
        return None
    edges = [min((c[0] for r in grid if column < len(r) and (c := r[column])), default=0.0) for column in kept]
    content.words = [word for word in content.words if id(word) not in taken]
    return PdfTable(box, tuple(edges), tuple(tuple(row) for row in rows))


def build_last_row(markdown: str, words: Sequence[Word], page: int) -> tuple[str, list[Box]]:
    """A table with words that were seen in it as one more row, and the boxes of these."""
    columns = markdown.partition("\n")[0].replace("\\|", "").count("|") - 1
    return _append_row([_order_words_in_cell([*words]), *[()] * (columns - 1)], page, markdown + "\n")


def _reach(cell: Cell) -> Cell:
    """Where the middle of a word of a cell may stand."""
    return cell[0] - 0.5, cell[1] - 0.5, cell[2] + 0.5, cell[3] + 0.5


def _order_words_in_cell(words: list[Word]) -> list[Word]:
    if len(words) < 2:
        return words
    found: list[Word] = []
    lines = sorted(split_segments(words), key=lambda line: (round(line.base), line.x0))
    for _, parts in groupby(lines, key=lambda line: round(line.base)):
        found += order_words([word for part in parts for word in part.words])
    return found


def _runs_to_the_left(rows: Sequence[Sequence[Sequence[Word]]]) -> bool:
    """Whether most cells with letters are of a script that is read from the right: so are the columns."""
    texts = [text for row in rows for cell in row if LETTER.search(text := _join_cell(cell))]
    return 2 * sum(RIGHT_TO_LEFT.search(text) is not None for text in texts) > len(texts)


def _join_cell(cell: Sequence[Word]) -> str:
    return clean_line(" ".join(word.text for word in cell))


def _append_row(cells: Sequence[Sequence[Word]], page: int, before: str) -> tuple[str, list[Box]]:
    """`before` with the row behind it, and the boxes of the row's words as slices of the whole."""
    text = before + "|"
    boxes: list[Box] = []
    for cell in cells:
        for word in cell:
            shown = clean_line(word.text).replace("|", "\\|")
            if shown:
                text += " "
                boxes.append(_build_box(word, page, len(text), len(text) + len(shown)))
                text += shown
        text += " |"
    return text, boxes


def _build_box(word: Word, page: int, start: int, end: int) -> Box:
    return Box(page, word.x0, word.y0, word.x1, word.y1, start, end)
