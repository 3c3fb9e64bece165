"""Names in a workbook, and what they stand for: no cell shows them, and the Name Manager shows them to everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingestion.extract.xlsx_cells import words_in_formula

CELL = r"\$?[A-Z]{1,3}\$?[0-9]{1,7}"
SHEET = r"(?:'(?:[^']|'')*'|[\w.\[\]]+)!"
AREA = rf"(?:{SHEET})?(?:{CELL}(?::{CELL})?|\$?[A-Z]{{1,3}}:\$?[A-Z]{{1,3}}|\$?[0-9]+:\$?[0-9]+|#REF!)"
AREAS = re.compile(rf"=?{AREA}(?:,{AREA})*")
OWN = "_xl"  # how names begin that Excel gives
AUTOMATIC = re.compile(r"(?:Tab[^\W\d_]*|Column|Spalte|Colonne|Columna|Colonna|Coluna|Kolom)\d+", re.I)
SAID = ("comment", "description", "help", "statusBar", "customMenu")


def words_of_name(name: Any) -> Iterator[str]:
    """Of a defined name: itself with what it stands for, unless that is only a place."""
    own, stands_for = name.get("name") or "", (name.text or "").strip()
    if own.startswith(OWN):
        yield from words_in_formula(stands_for)
    else:
        yield own if not stands_for or AREAS.fullmatch(stands_for) else f"{own} = {stands_for}"
    yield from (name.get(key) or "" for key in SAID)


def words_of_table(table: Any) -> Iterator[str]:
    """Its name, its columns, which need not show, and what describes it."""
    for element in table.iter("{*}table", "{*}tableColumn"):
        for key in ("displayName", "name", "comment", "totalsRowLabel", "altText", "altTextSummary"):
            if (said := element.get(key)) and not AUTOMATIC.fullmatch(said):
                yield said
    for element in table.iter("{*}calculatedColumnFormula", "{*}totalsRowFormula"):
        yield from words_in_formula(element.text or "")
