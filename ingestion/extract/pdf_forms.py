"""The values of a filled PDF form: text, choices, ticked boxes and who signed, each with the name of its field.

A field may stand on several pages or on none, and takes what it does not say itself from the fields above it
(ISO 32000-1, 12.7.3). What was typed is read where it is kept (`/V`), whether or not it is drawn anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as c

from ingestion.extract.attempts import attempt
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line

FORM = "Form fields"
MAX_FIELDS = 20_000
MAX_DEPTH = 30
BUTTON = 1 << 16  # of /Ff: it is pressed, and holds no value
SIGNED = ("/Name", "/Reason", "/Location", "/ContactInfo")
_PART = re.compile(r"#?([^.\[\]#]+)(?:\[\d+\])*$")
Rect = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class FieldValue:
    """text: the name of the field and its value. rect: where it stands on its page, in page space; None: nowhere."""

    text: str
    rect: Rect | None = None


@dataclass(slots=True)
class FormValues:
    """by_page: 1-based; 0 for fields that stand on no page."""

    by_page: dict[int, list[FieldValue]] = field(default_factory=dict)

    def add(self, page: int, value: FieldValue) -> None:
        self.by_page.setdefault(page, []).append(value)


def read_form(path: Path, document: pdfium.PdfDocument, builder: Builder) -> FormValues:
    """Of the file that is open as `document`. A field that cannot be read is recorded with `builder.miss`. Raises
    pikepdf.PdfError where the file does not open."""
    values = FormValues()
    if c.FPDF_GetFormType(document) == c.FORMTYPE_NONE:
        return values
    with pikepdf.open(path, access_mode=pikepdf.AccessMode.stream, suppress_warnings=True) as pdf:
        met: set[tuple[int, int]] = set()
        for number, page in enumerate(pdf.pages, start=1):
            marks: Any = page.obj.get("/Annots")
            for mark in marks if isinstance(marks, pikepdf.Array) else ():
                if isinstance(mark, pikepdf.Dictionary) and mark.get("/Subtype") == pikepdf.Name.Widget:
                    attempt(builder, number, _take_widget, mark, number, met, values)
        form: Any = pdf.Root.get("/AcroForm")
        if isinstance(form, pikepdf.Dictionary):
            attempt(builder, None, _take_others, form.get("/Fields"), met, values)
    return values


def _take_widget(mark: Any, number: int, met: set[tuple[int, int]], values: FormValues) -> None:
    if mark.is_indirect:
        met.add(mark.objgen)
    if text := _describe(mark):
        values.add(number, FieldValue(text, _read_rect(mark.get("/Rect"))))


def _take_others(fields: Any, met: set[tuple[int, int]], values: FormValues) -> None:
    """Fields that no page shows. met: those that were read on pages; gets all others."""
    left = list(fields) if isinstance(fields, pikepdf.Array) else []
    texts: dict[str, None] = {}
    for _ in range(MAX_FIELDS):
        if not left:
            break
        item = left.pop()
        if not isinstance(item, pikepdf.Dictionary) or (item.is_indirect and item.objgen in met):
            continue
        if item.is_indirect:
            met.add(item.objgen)
        kids = item.get("/Kids")
        if isinstance(kids, pikepdf.Array):
            left += list(kids)
        elif text := _describe(item):
            texts[text] = None
    known = {value.text for page in values.by_page.values() for value in page}
    for text in texts:
        if text not in known:
            values.add(0, FieldValue(text))
    if left:
        raise ValueError("too many fields")


def _describe(widget: pikepdf.Dictionary) -> str:
    """The name of a field and its value; "" for a field that is not filled in."""
    kind, flags = str(_find_inherited(widget, "/FT") or ""), _find_inherited(widget, "/Ff")
    if kind == "/Btn":
        value = "" if isinstance(flags, int) and flags & BUTTON else _read_ticked(widget)
    elif kind == "/Ch":
        value = _read_chosen(widget)
    elif kind == "/Sig":
        signed = _find_inherited(widget, "/V")
        said = [_read_text(signed.get(key)) for key in SIGNED] if isinstance(signed, pikepdf.Dictionary) else []
        value = "; ".join(filter(None, said))
    else:
        value = _read_text(_find_inherited(widget, "/V"))
    name = _label(widget)
    return f"{name}: {value}" if value and name else value


def _find_inherited(widget: pikepdf.Dictionary, key: str) -> Any:
    """A property of a field, or of the nearest one above it that has it."""
    node: Any = widget
    for _ in range(MAX_DEPTH):
        if not isinstance(node, pikepdf.Dictionary):
            return None
        if key in node:
            return node[key]
        node = node.get("/Parent")
    return None


def _label(widget: pikepdf.Dictionary) -> str:
    """What a field is called for people, or else its own name without those of programs around it."""
    if described := _read_text(_find_inherited(widget, "/TU")):
        return described
    name = _read_text(_find_inherited(widget, "/T"))
    part = _PART.search(name)
    return part.group(1).strip() if part is not None else name


def _read_ticked(widget: pikepdf.Dictionary) -> str:
    """What a box that is ticked stands for; "" for one that is not."""
    states = _list_states(widget)
    state = widget.get("/AS")
    if not isinstance(state, pikepdf.Name):
        chosen = _find_inherited(widget, "/V")
        state = chosen if isinstance(chosen, pikepdf.Name) and (not states or str(chosen) in states) else None
    if state is None or str(state) == "/Off":
        return ""
    name = str(state).lstrip("/")
    options = _find_inherited(widget, "/Opt")
    if isinstance(options, pikepdf.Array) and name.isdecimal() and int(name) < len(options):
        name = _read_option(options[int(name)])[1] or name
    return clean_line(name) or "Yes"


def _list_states(widget: pikepdf.Dictionary) -> set[str]:
    looks = widget.get("/AP")
    normal = looks.get("/N") if isinstance(looks, pikepdf.Dictionary) else None
    if not isinstance(normal, pikepdf.Dictionary) or isinstance(normal, pikepdf.Stream):
        return set()
    return set(normal.keys()) - {"/Off"}


def _read_chosen(widget: pikepdf.Dictionary) -> str:
    chosen, options = _find_inherited(widget, "/V"), _find_inherited(widget, "/Opt")
    names = dict(map(_read_option, options)) if isinstance(options, pikepdf.Array) else {}
    values = [_read_text(one) for one in chosen] if isinstance(chosen, pikepdf.Array) else [_read_text(chosen)]
    return ", ".join(_format_choice(value, names.get(value, "")) for value in values if value)


def _format_choice(value: str, shown: str) -> str:
    return f"{shown} ({value})" if shown and shown != value else value


def _read_option(option: Any) -> tuple[str, str]:
    """What a choice is stored as, and what it shows."""
    if isinstance(option, pikepdf.Array) and len(option) > 1:
        return _read_text(option[0]), _read_text(option[1])
    return _read_text(option), _read_text(option)


def _read_text(value: Any) -> str:
    """Of a string, or of a long text that is a stream."""
    if isinstance(value, pikepdf.Stream):
        return clean_line(str(pikepdf.String(value.read_bytes())))
    if isinstance(value, pikepdf.Name):
        return clean_line(str(value).lstrip("/"))
    return clean_line(str(value)) if isinstance(value, (pikepdf.String, int, Decimal)) else ""


def _read_rect(box: Any) -> Rect | None:
    try:
        x0, y0, x1, y1 = map(float, box)
    except (TypeError, ValueError):
        return None
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def sort_by_page_order(values: list[FieldValue]) -> Iterator[FieldValue]:
    """From the top of a page to its foot, as far as their places are known."""
    return iter(sorted(values, key=lambda value: (-value.rect[3], value.rect[0]) if value.rect else (0.0, 0.0)))
