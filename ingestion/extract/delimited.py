"""CSV and its kin: one table whose first row is the header, every cell as it is written.

Cells are text: nothing in them is calculated, and a `=…` stays what it says.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean
from ingestion.extract.rows import Grid
from ingestion.sandbox.limits import Quarantined, Report

SAMPLE = 64  # lines by which the delimiter is told
DELIMITERS = ",;\t|"
LONGEST_CELL = 4 << 20  # characters
ROWS_A_REPORT = 5_000
CAPTION = 1.0


def extract(text: str, report: Report) -> Extraction:
    """Raises Quarantined: empty, corrupt."""
    builder = Builder()
    text = clean(text)
    marker, _, rest = text.partition("\n")
    if marker.lower().startswith("sep=") and len(marker.strip()) == 5:  # Excel's own line
        delimiter, text = marker.strip()[-1], rest
    else:
        delimiter = _guess_delimiter(text)
    grid = Grid(builder, CAPTION)
    for number, row in enumerate(_read_rows(text, delimiter)):
        cells = {column: cell.strip() for column, cell in enumerate(row) if cell.strip()}
        if cells:
            grid.add(cells)
        if number % ROWS_A_REPORT == 0:
            report("reading")
    grid.close()
    if not len(builder):
        raise Quarantined("empty", "There is nothing in the cells of this file. Check that you chose the right one.")
    return builder.build_extraction(sniff.CSV, None, "layout")


def _read_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(LONGEST_CELL)
    try:
        yield from csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    except csv.Error:
        raise Quarantined(
            "corrupt", "A cell of this file does not end: a quotation mark is missing. Save it again as CSV."
        ) from None


def _guess_delimiter(text: str) -> str:
    """The character that parts the first lines most evenly: that gives the most of them the same number of cells, and
    more than one."""
    lines = text[: 1 << 16].split("\n", SAMPLE)[:SAMPLE]

    def measure_evenness(candidate: str) -> tuple[int, int]:
        counts = [len(row) for row in csv.reader(lines, delimiter=candidate) if row]
        usual = max(set(counts), key=lambda count: (count > 1, counts.count(count)), default=1)
        return (counts.count(usual) if usual > 1 else 0, usual)

    try:
        return max(DELIMITERS, key=measure_evenness)
    except csv.Error:
        return ","
