"""What the styles of a Word document make of its paragraphs: headings and their levels, and lists."""

from __future__ import annotations

import re
from typing import Any

from ingestion.extract.docx_text import read_value, w

HEADING_STYLE = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop)\s*(\d)", re.I)
TITLE_STYLES = frozenset({"title", "titel", "titre", "título", "titolo"})
LISTS = ("list bullet", "list number", "list paragraph")
DEEPEST = 20  # styles that are based on each other


class Styles:
    """root: of the part with the styles; None where there is none."""

    def __init__(self, root: Any) -> None:
        styles = root.iter(w("style")) if root is not None else ()
        self.by_id: dict[str, Any] = {style.get(w("styleId")) or "": style for style in styles}
        self._default = next((key for key, style in self.by_id.items() if _is_default(style)), "")
        self._levels = {key: level for key in self.by_id if (level := self._find_style_level(key)) is not None}
        self._lists = {key for key, style in self.by_id.items() if _read_name(style).startswith(LISTS)}

    def level(self, element: Any) -> float | None:
        """Of a paragraph that is a heading: 1 to 9, and 0.5 of a title."""
        own = _read_outline(element)
        return own if own is not None else self._levels.get(get_style_id(element))

    def is_list(self, element: Any) -> bool:
        return get_style_id(element) in self._lists or element.find(f"{w('pPr')}/{w('numPr')}") is not None

    def numbering(self, element: Any) -> tuple[str, int | None, list[tuple[str, int | None]]]:
        """The use of a list that a paragraph belongs to ("" or "0": of none); its level, where it says one itself; and
        the styles it is set in, from its own to what that is based on, with the levels that they say.
        """
        key, level = _read_use(element.find(f"{w('pPr')}/{w('numPr')}"))
        styles: list[tuple[str, int | None]] = []
        style = get_style_id(element) or self._default
        while len(styles) < DEEPEST and (found := self.by_id.get(style)) is not None:
            use, of_style = _read_use(found.find(f"{w('pPr')}/{w('numPr')}"))
            key = key or use
            styles.append((style, of_style))
            style = read_value(found.find(w("basedOn"))) or ""
        return key, level, styles

    def _find_style_level(self, key: str) -> float | None:
        for _ in range(DEEPEST):
            style = self.by_id.get(key)
            if style is None:
                return None
            if match := HEADING_STYLE.match(_read_name(style)):
                return float(match.group(1))
            if _read_name(style) in TITLE_STYLES:
                return 0.5
            if (outline := _read_outline(style)) is not None:
                return outline
            key = read_value(style.find(w("basedOn"))) or ""
        return None


def get_style_id(element: Any) -> str:
    """The id of a paragraph's style."""
    return read_value(element.find(f"{w('pPr')}/{w('pStyle')}")) or ""


def _read_name(style: Any) -> str:
    return (read_value(style.find(w("name"))) or "").lower()


def _is_default(style: Any) -> bool:
    return style.get(w("type")) == "paragraph" and style.get(w("default")) in ("1", "true", "on")


def _read_use(numbering: Any) -> tuple[str, int | None]:
    if numbering is None:
        return "", None
    level = read_value(numbering.find(w("ilvl"))) or ""
    return read_value(numbering.find(w("numId"))) or "", int(level) if re.fullmatch("[0-8]", level) else None


def _read_outline(element: Any) -> float | None:
    outline = read_value(element.find(f"{w('pPr')}/{w('outlineLvl')}"))
    return float(outline) + 1 if outline is not None and outline.isdigit() and int(outline) < 9 else None
