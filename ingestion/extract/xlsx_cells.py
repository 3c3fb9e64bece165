"""Numbers of spreadsheet cells as people read them: dates, per cent, units. No digit is rounded away."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from ingestion.extract.package import get_local_name

# Numbers of formats that stand in no file (ECMA-376, part 1, 18.8.30), as far as they say more than the digits do.
BUILT_IN = {9: "0%", 10: "0.00%", 44: '"$"0.00', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0"}
BUILT_IN |= dict.fromkeys((*range(14, 18), 22, *range(27, 32), 36, *range(50, 59)), "yyyy-mm-dd")
BUILT_IN |= dict.fromkeys((*range(18, 22), *range(32, 36)), "hh:mm:ss")
DAY_ZERO_1900, DAY_ZERO_1904 = dt.datetime(1899, 12, 30), dt.datetime(1904, 1, 1)
# The calendar of 1900 counts a 29th of February that never was; days before it are one further on.
BEFORE_LEAP = 60
DATE_LETTER = re.compile(r"[dmhysDMHYS]")
ESCAPED = re.compile(r"[\\_*].")
LITERAL = re.compile(r'"((?:[^"]|"")*)"')
CURRENCY = re.compile(r"\[\$([^\]-]*)[^\]]*\]")
BRACKETS = re.compile(r"\[[^\]]*\]")
DIGIT = re.compile(r"[0#?]")


def read_format_codes(styles: Any) -> list[str]:
    """The code of each cell format of a workbook. styles: the root of its styles part."""
    codes = dict(BUILT_IN)
    for element in styles.iter("{*}numFmt"):
        codes[int(element.get("numFmtId") or 0)] = element.get("formatCode") or "General"
    found: list[str] = []
    for cells in styles.iter("{*}cellXfs"):
        found = [codes.get(int(xf.get("numFmtId") or 0), "General") for xf in cells if get_local_name(xf) == "xf"]
    return found


class Formats:
    """The number formats of a workbook. codes: of each cell format."""

    def __init__(self, codes: Sequence[str], since_1904: bool) -> None:
        self._codes, self._since_1904 = codes, since_1904

    def number(self, raw: str, style: int) -> str:
        """The text of a number cell. raw: as it stands in the file. style: its place among the cell formats."""
        try:
            value = float(raw)
        except ValueError:
            return raw
        code = self._codes[style] if 0 <= style < len(self._codes) else "General"
        if code == "General":
            return format_plain(raw, value)
        if _is_date(code):
            return format_date(value, self._since_1904) or format_plain(raw, value)
        section = _choose_section(code, value)
        text = format_plain("", round(value * 100, 10)) + "%" if _is_percent(section) else format_plain(raw, value)
        before, after = _split_around(section)
        return f"{before}{text}{after}".strip()


def format_plain(raw: str, value: float) -> str:
    """Fifteen digits, as many as Excel keeps: 0.1 and not 0.10000000000000001."""
    if value == int(value) if abs(value) < 1e15 else False:
        return str(int(value))
    short = f"{value:.15g}"
    return short if float(short) == value or len(raw) > 15 else raw


@cache
def _is_date(code: str) -> bool:
    first = code.split(";")[0]
    return bool(DATE_LETTER.search(ESCAPED.sub("", BRACKETS.sub(_keep_hours, LITERAL.sub("", first)))))


def _keep_hours(bracket: re.Match[str]) -> str:
    """`[h]` counts hours beyond a day; other brackets are colours, conditions and languages."""
    return "h" if bracket.group()[1:-1].lower().strip("hms") == "" else ""


def format_date(value: float, since_1904: bool) -> str | None:
    """A serial number of days as a date, a time, or both (ECMA-376, part 1, 18.17.4); None for no date."""
    if not 0 <= value < 2_958_466:  # the last day of the year 9999
        return None
    zero = DAY_ZERO_1904 if since_1904 else DAY_ZERO_1900
    if not since_1904 and value < BEFORE_LEAP:
        zero += dt.timedelta(days=1)
    try:
        when = zero + dt.timedelta(seconds=round(value * 86_400))
    except OverflowError:
        return None
    if value < 1:
        return when.time().isoformat()
    return when.date().isoformat() if when.time() == dt.time() else when.isoformat(" ")


def _choose_section(code: str, value: float) -> str:
    """Formats have up to four sections: positive, negative, zero, text."""
    sections = re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', code)
    if value < 0 and len(sections) > 1:
        return sections[1]
    if value == 0 and len(sections) > 2:
        return sections[2]
    return sections[0]


def _is_percent(section: str) -> bool:
    return "%" in LITERAL.sub("", section)


def _split_around(section: str) -> tuple[str, str]:
    """Words and currencies that the format puts before and after the digits."""
    marked = CURRENCY.sub(lambda match: f'"{match.group(1)}"', section)
    bare = LITERAL.sub(lambda match: "\0" * len(match.group()), BRACKETS.sub("", marked))
    places = [match.start() for match in DIGIT.finditer(bare)]
    if not places:
        words = "".join(LITERAL.findall(marked))
        return (f"{words} " if words else ""), ""
    marked = BRACKETS.sub("", marked)
    before = "".join(LITERAL.findall(marked[: places[0]]))
    after = "".join(LITERAL.findall(marked[places[-1] :]))
    gap = " " if after and not after.startswith(" ") else ""
    return (before if not before or not before[-1].isalpha() else f"{before} "), f"{gap}{after}"
