"""The numbers that Word sets before paragraphs by itself: they stand in no text, only in how lists are declared
(ECMA-376, part 1, 17.9).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ingestion.extract.docx_styles import Styles
from ingestion.extract.docx_text import value_of, w

LEVELS = 9
LONGEST = 60
"""Characters of what stands around a number: more is not taken for one."""
HIGHEST = 32_767
PLACE = re.compile(r"%([1-9])")
SPELT = re.compile(r"[^\W\d_]{2}")
ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass
class _Level:
    """One level of a list. restarts: the level, from 1, after which it begins anew; 0: never."""

    start: int
    format: str
    text: str
    restarts: int
    legal: bool
    style: str


@dataclass
class _List:
    """levels: by number from 0. counted: how far each level is; None where it has not begun, or begins anew."""

    levels: dict[int, _Level]
    counted: list[int | None] = field(default_factory=lambda: [None] * LEVELS)


class Numbers:
    """root: of the part that declares the lists; None where there is none."""

    def __init__(self, root: Any, styles: Styles) -> None:
        self._styles = styles
        self._said = [value_of(text) or "" for text in root.iter(w("lvlText"))] if root is not None else []
        self._shown: set[str] = set()
        declared = list(root.iter(w("abstractNum"))) if root is not None else []
        links = {value_of(one.find(w("styleLink"))): one for one in declared if one.find(w("styleLink")) is not None}
        self._lists: dict[str, _List] = {}
        for one in declared:
            meant = links.get(value_of(one.find(w("numStyleLink"))), one)
            self._lists[one.get(w("abstractNumId")) or ""] = _List(_levels(meant))
        self._used: dict[str, tuple[_List, dict[int, int]]] = {}  # by the number of a use: its list, and new beginnings
        for use in root.iter(w("num")) if root is not None else ():
            if (found := self._lists.get(value_of(use.find(w("abstractNumId"))) or "")) is not None:
                self._used[use.get(w("numId")) or ""] = _use(use, found)

    def before(self, element: Any) -> str:
        """What stands before a paragraph, which is counted: "" for a bullet, or where it has no number."""
        key, level, style = self._styles.numbering(element)
        if key not in self._used:
            return ""
        used, begins = self._used[key]
        if level is None:
            level = next((n for n, one in used.levels.items() if style and one.style == style), 0)
        if level not in used.levels:
            return ""
        if level in begins:
            used.counted[level] = begins.pop(level) - 1
        counted = used.counted[level]
        used.counted[level] = used.levels[level].start if counted is None else min(counted + 1, HIGHEST)
        for deeper in range(level + 1, LEVELS):
            below = used.levels.get(deeper)
            if below is None or below.restarts > level:
                used.counted[deeper] = None
        return self._text(used, level)

    def unshown(self) -> list[str]:
        """Words around numbers that no paragraph has shown."""
        return [text for text in dict.fromkeys(self._said) if text not in self._shown and SPELT.search(text)]

    def _text(self, used: _List, level: int) -> str:
        own = used.levels[level]
        if own.format == "bullet" or len(own.text) > LONGEST:
            return ""
        self._shown.add(own.text)

        def number(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            one = used.levels.get(at)
            if one is None or at > level:
                return ""
            value = used.counted[at]
            return _written(one.start if value is None else value, "decimal" if own.legal else one.format)

        return PLACE.sub(number, own.text).strip()


def numbered(number: str, text: str) -> str:
    """The number before a text. Before none it is left out, unless it says something itself."""
    return f"{number} {text}".strip() if text.strip() or SPELT.search(number) else ""


def _levels(declared: Any) -> dict[int, _Level]:
    return {
        n: _level(one, n) for one in declared.findall(w("lvl")) if 0 <= (n := _whole(one.get(w("ilvl")), -1)) < LEVELS
    }


def _level(declared: Any, number: int) -> _Level:
    legal = declared.find(w("isLgl"))
    return _Level(
        start=_whole(value_of(declared.find(w("start"))), 0),
        format=value_of(declared.find(w("numFmt"))) or "decimal",
        text=value_of(declared.find(w("lvlText"))) or "",
        restarts=_whole(value_of(declared.find(w("lvlRestart"))), number),
        legal=legal is not None and legal.get(w("val")) not in ("0", "false", "off"),
        style=value_of(declared.find(w("pStyle"))) or "",
    )


def _use(use: Any, declared: _List) -> tuple[_List, dict[int, int]]:
    """A use that declares levels of its own counts for itself; others go on counting where the list is."""
    begins, own = {}, {}
    for override in use.findall(w("lvlOverride")):
        number = _whole(override.get(w("ilvl")), -1)
        if not 0 <= number < LEVELS:
            continue
        if (start := override.find(w("startOverride"))) is not None:
            begins[number] = _whole(value_of(start), 1)
        if (level := override.find(w("lvl"))) is not None:
            own[number] = _level(level, number)
    return (_List({**declared.levels, **own}) if own else declared), begins


def _whole(said: str | None, default: int) -> int:
    return int(said) if said and re.fullmatch(r"[0-9]{1,5}", said) and int(said) <= HIGHEST else default


def _written(value: int, kind: str) -> str:
    match kind:
        case "none":
            return ""
        case "decimalZero":
            return f"{value:02}"
        case "lowerLetter" | "upperLetter" if 0 < value <= 26 * 4:
            letters = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
            return letters.upper() if kind == "upperLetter" else letters
        case "lowerRoman" | "upperRoman" if 0 < value < 4_000:
            return _roman(value).upper() if kind == "upperRoman" else _roman(value)
        case _:
            return str(value)


def _roman(value: int) -> str:
    said = ""
    for worth, sign in ROMAN:
        said += sign * (value // worth)
        value %= worth
    return said
