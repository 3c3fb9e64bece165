"""Parts of an Office file that are drawn: charts with their values, diagrams, and the shapes of worksheets.

They are found by the relationships that lead to them, wherever they lie, and read behind the text, those of a slide on
its page. What a chart shows of its values is kept in it, so nothing is calculated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ingestion.documents import Kind
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line, clean_paragraph
from ingestion.extract.package import DAMAGE, Package, get_local_name
from ingestion.extract.rows import format_markdown_table
from ingestion.extract.xlsx_cells import Formats
from ingestion.sandbox.limits import Quarantined

DRAWN = "Charts and diagrams"
KINDS = frozenset(["chart", "chartEx", "diagramData", "drawing"])
MOST_POINTS = 20_000  # values of one chart


def add_drawing_text(package: Package, builder: Builder, pages: Mapping[str, int] | None = None) -> None:
    """Appends what drawn parts say and the paragraphs do not. pages: of each slide, by the name of its part."""
    read: set[str] = set()
    for owner in package.names:
        for link in package.links(owner).values() if not owner.endswith(".rels") else ():
            if link.external or link.kind not in KINDS or link.target in read:
                continue
            read.add(link.target)
            with suppress(Quarantined, *DAMAGE):  # a part that does not parse is on record as one
                found = list(_list_texts(package.root(link.target)))
                new = set(builder.find_missing_texts(text for _, text in found))
                for kind, text in found:
                    builder.add(text if text in new else "", kind, page=(pages or {}).get(owner), path=(DRAWN,))


def _list_texts(root: Any) -> Iterator[tuple[Kind, str]]:
    name = get_local_name(root)
    if name == "chartSpace" and "chartex" not in root.tag:
        yield from _read_chart(root)
    elif name == "chartSpace":
        words = (clean_line(element.text or "") for element in root.iter("{*}t", "{*}pt", "{*}v"))
        yield "list", "\n".join(dict.fromkeys(filter(None, words)))
    elif name == "dataModel":
        yield "list", "\n".join(line for point in root.iter("{*}pt") for line in _list_lines(point))
    elif name in ("wsDr", "userShapes"):
        for shape in root.iter("{*}sp", "{*}cxnSp"):
            if not any(get_local_name(above) == "Fallback" for above in shape.iterancestors()):
                yield "text", "\n".join(_list_lines(shape))


def _list_lines(element: Any) -> Iterator[str]:
    for line in element.iter("{*}p"):
        runs = ("\n" if get_local_name(run) == "br" else run.text or "" for run in line.iter("{*}t", "{*}br"))
        if text := clean_paragraph("".join(runs)):
            yield text


def _read_chart(root: Any) -> Iterator[tuple[Kind, str]]:
    """Titles and labels, then a table with a row for each category and a column for each series."""
    yield "text", "\n".join(dict.fromkeys(_list_lines(root)))
    series = list(root.iter("{*}ser"))
    names = [_find_first_value(one, "tx") for one in series]
    categories: dict[int, str] = {}
    columns: list[dict[int, str]] = []
    for one in series:
        categories = _read_points(one, "cat", "xVal") | categories
        columns.append(_read_points(one, "val", "yVal"))
        if bubbles := _read_points(one, "bubbleSize"):
            names.insert(len(columns), f"{names[len(columns) - 1]} (size)")
            columns.append(bubbles)
    places = sorted(set(categories).union(*columns))[:MOST_POINTS]
    rows = [[categories.get(place, ""), *(column.get(place, "") for column in columns)] for place in places]
    if rows:
        yield "table", format_markdown_table([[DRAWN if not any(names) else "", *names], *rows])
    elif any(names):
        yield "list", "\n".join(filter(None, names))


def _find_first_value(series: Any, name: str) -> str:
    values = (value for holder in series.iterchildren(f"{{*}}{name}") for value in holder.iter("{*}v"))
    return next((clean_line(value.text or "") for value in values), "")


def _read_points(series: Any, *names: str) -> dict[int, str]:
    """Values by their place. Several levels of categories are told one behind the other."""
    found: dict[int, str] = {}
    for holder in series.iterchildren(*(f"{{*}}{name}" for name in names)):
        code = next((one.text or "General" for one in holder.iter("{*}formatCode")), "General")
        formats = Formats([code], since_1904=False)
        for point in holder.iter("{*}pt"):
            raw = next((one.text or "" for one in point.iter("{*}v")), "")
            number = int(point.get("idx") or 0)
            numeric = get_local_name(point.getparent()) in ("numCache", "numLit")
            text = clean_line(formats.number(raw, 0) if numeric else raw)
            found[number] = f"{text} {found[number]}" if number in found else text
    return found
