"""Tables of a web page: which hold data, and what their cells say of themselves."""

from __future__ import annotations

from typing import Any

TABLE_PARTS = frozenset(["caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "script", "style", "template"])
WIDEST, TALLEST = 64, 500  # columns and rows that one cell may span


def is_data(table: Any) -> bool:
    """Many tables only arrange a page: those hold tables, headings or code, or have one column or row. Nor is it data
    where something stands between the cells."""
    if next(table.iterdescendants("table", "h1", "h2", "h3", "form", "pre"), None) is not None:
        return False
    rows = list(table.iter("tr"))
    for holder in (table, *table.iter("thead", "tbody", "tfoot", "tr")):
        allowed = ("td", "th") if holder.tag == "tr" else TABLE_PARTS
        if any(isinstance(child.tag, str) and child.tag not in allowed for child in holder):
            return False
        if any((text or "").strip() for text in (holder.text, *(child.tail for child in holder))):
            return False
    return len(rows) > 1 and max(len(row) for row in rows) > 1


def read_number(element: Any, name: str, most: int) -> int:
    """An attribute that counts from 1; 1 where it says nothing of use."""
    said = element.get(name) or ""
    return min(max(int(said), 1), most) if said.isascii() and said.isdigit() and len(said) < 11 else 1
