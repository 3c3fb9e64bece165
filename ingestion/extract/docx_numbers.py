"""The numbers that Word sets before paragraphs by itself: they stand in no text, only in how lists are declared
(ECMA-376, part 1, 17.9).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ingestion.extract.docx_styles import Styles
from ingestion.extract.docx_text import is_unseen, read_value, w

LEVELS = 9
LONGEST = 60
"""Characters of what stands around a number: more is not taken for one."""
HIGHEST = 32_767
PLACE = re.compile(r"%([1-9])")
"""Names that programs give to lists."""
ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True)
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
    """counted: how far each level is, from 0; None where it has not begun, or begins anew. starts: where its levels
    begin for this use of it, once and whenever they begin anew. used: whether a paragraph has used it.
    """

    levels: dict[int, _Level]
    counted: list[int | None] = field(default_factory=lambda: [None] * LEVELS)
    starts: dict[int, int] = field(default_factory=dict)
    used: bool = False

    def start(self, level: int) -> int:
        return self.starts.get(level, self.levels[level].start)


class ListNumbers:
    """root: of the part that declares the lists; None where there is none."""

    def __init__(self, root: Any, styles: Styles) -> None:
        self._styles = styles
        declared = list(root.iter(w("abstractNum"))) if root is not None else []
        named = {read_value(one.find(w("styleLink"))): one for one in declared}
        made: dict[Any, _List] = {}
        lists: dict[str, _List] = {}
        for one in declared:
            name = read_value(one.find(w("numStyleLink")))
            meant = named.get(name, one) if name else one
            if meant not in made:
                made[meant] = _List(_read_levels(meant))
            lists[one.get(w("abstractNumId")) or ""] = made[meant]
        self._uses: dict[str, _List] = {}
        for use in root.iter(w("num")) if root is not None else ():
            if (found := lists.get(read_value(use.find(w("abstractNumId"))) or "")) is not None:
                self._uses[use.get(w("numId")) or ""] = _apply_use(use, found)

    def add_number(self, element: Any, text: str) -> str:
        """A paragraph's text, which stands in none but is shown, with its number before it. It is counted. Bullets are
        left out; before no text a number is, unless it says something itself.
        """
        if not text.strip() and is_unseen(element):
            return text
        key, level, styles = self._styles.numbering(element)
        used = self._uses.get(key)
        if used is None:
            return text
        by_style = {one.style: number for number, one in used.levels.items() if one.style}
        if level is None:
            said = (by_style.get(style, of_style) for style, of_style in styles)
            level = next((one for one in said if one is not None), 0)
        if level not in used.levels:
            return text
        self._count_level(used, level)
        own = used.levels[level]
        number = _format_number(used, level)
        spelt = has_content(own.text)
        if own.format == "bullet" or len(number) > LONGEST or not (text.strip() or spelt):
            return text
        return f"{number} {text}".strip()

    def _count_level(self, used: _List, level: int) -> None:
        if not used.used:
            used.used = True
            for number in used.starts:
                used.counted[number] = None
        counted = used.counted[level]
        used.counted[level] = used.start(level) if counted is None else min(counted + 1, HIGHEST)
        for deeper in range(level + 1, LEVELS):
            below = used.levels.get(deeper)
            if below is None or below.restarts > level:
                used.counted[deeper] = None


def has_content(text: str) -> bool:
    """Whether there is more around the numbers of a level than signs and single letters."""
    return len(re.sub(r"[\W_]", "", PLACE.sub("", text))) > 1


def _format_number(used: _List, level: int) -> str:
    own = used.levels[level]

    def format_level(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        one = used.levels.get(at)
        if one is None or at > level:
            return ""
        value = used.counted[at]
        return _format_as(used.start(at) if value is None else value, "decimal" if own.legal else one.format)

    return PLACE.sub(format_level, own.text).strip()


def _read_levels(declared: Any) -> dict[int, _Level]:
    return {
        n: _read_level(one, n)
        for one in declared.findall(w("lvl"))
        if 0 <= (n := _parse_whole(one.get(w("ilvl")), -1)) < LEVELS
    }


def _read_level(declared: Any, number: int) -> _Level:
    legal = declared.find(w("isLgl"))
    return _Level(
        start=_parse_whole(read_value(declared.find(w("start"))), 0),
        format=read_value(declared.find(w("numFmt"))) or "decimal",
        text=read_value(declared.find(w("lvlText"))) or "",
        restarts=_parse_whole(read_value(declared.find(w("lvlRestart"))), number),
        legal=legal is not None and legal.get(w("val")) not in ("0", "false", "off"),
        style=read_value(declared.find(w("pStyle"))) or "",
    )


def _apply_use(use: Any, declared: _List) -> _List:
    """One that declares beginnings or levels of its own; it goes on counting where the list is."""
    starts, own = {}, {}
    for override in use.findall(w("lvlOverride")):
        number = _parse_whole(override.get(w("ilvl")), -1)
        if not 0 <= number < LEVELS:
            continue
        if (start := override.find(w("startOverride"))) is not None:
            starts[number] = _parse_whole(read_value(start), 1)
        if (level := override.find(w("lvl"))) is not None:
            own[number] = _read_level(level, number)
    return _List({**declared.levels, **own}, declared.counted, starts)


def _parse_whole(said: str | None, default: int) -> int:
    return int(said) if said and re.fullmatch(r"[0-9]{1,5}", said) and int(said) <= HIGHEST else default


def _format_as(value: int, kind: str) -> str:
    match kind:
        case "none":
            return ""
        case "decimalZero":
            return f"{value:02}"
        case "lowerLetter" | "upperLetter" if 0 < value <= 26 * 4:
            letters = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
            return letters.upper() if kind == "upperLetter" else letters
        case "lowerRoman" | "upperRoman" if 0 < value < 4_000:
            return _format_roman(value).upper() if kind == "upperRoman" else _format_roman(value)
        case _:
            return str(value)


def _format_roman(value: int) -> str:
    said = ""
    for worth, sign in ROMAN:
        said += sign * (value // worth)
        value %= worth
    return said
