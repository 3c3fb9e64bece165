"""Operators in a question: -word, type:, label:, before: and after:. Quotations are the business of `query.QUOTED`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.utils.translation import gettext

NAMED = re.compile(r'(?<!\S)(type|label|before|after):("[^"]*"|[^\s"]+)(?!\S)', re.IGNORECASE)
EXCLUDED = re.compile(r"(?<!\S)-([^\W\d_][\w'’-]*)(?!\S)")
QUOTATION = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»')
DAY = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")


@dataclass(frozen=True)
class Operators:
    """text: the question without them. without: words that no passage may hold. labels: names of levels, lower case.
    before, after: days; both are themselves left out. problems: operator -> a sentence about what is wrong with it.
    """

    text: str
    without: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    before: date | None = None
    after: date | None = None
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def since(self) -> date | None:
        return self.after + timedelta(days=1) if self.after else None

    @property
    def until(self) -> date | None:
        return self.before - timedelta(days=1) if self.before else None


def split_operators(written: str) -> Operators:
    """Operators stand between blanks and outside quotations; anything else is part of the question."""
    values: dict[str, list[str]] = {}
    problems: dict[str, str] = {}
    quoted = [
        match.span() for match in QUOTATION.finditer(written) if written[match.start() - 1 : match.start()] != ":"
    ]

    def is_quoted(match: "re.Match[str]") -> bool:
        return any(start < match.start() < end for start, end in quoted)

    def take_named(match: "re.Match[str]") -> str:
        if is_quoted(match):
            return match.group()
        values.setdefault(match[1].lower(), []).append(match[2].strip('"').strip().lower())
        return " " * len(match.group())

    def take_excluded(match: "re.Match[str]") -> str:
        if is_quoted(match):
            return match.group()
        values.setdefault("without", []).append(match[1])
        return " "

    text = EXCLUDED.sub(take_excluded, NAMED.sub(take_named, written))
    days: dict[str, date] = {}
    for name in ("before", "after"):
        for value in values.get(name, []):
            if (day := _read_day(value, last=name == "after")) is None:
                problems[name] = gettext("%(value)s is not a day. Write it like 2026-03-31, 2026-03 or 2026.") % {
                    "value": repr(value[:60])
                }
            else:
                days[name] = day
    without, types, labels = (tuple(dict.fromkeys(values.get(name, ()))) for name in ("without", "type", "label"))
    return Operators(
        " ".join(text.split()) if values else written.strip(),
        without,
        types,
        labels,
        days.get("before"),
        days.get("after"),
        problems,
    )


def _read_day(value: str, *, last: bool) -> date | None:
    """A day, or the first or last one of a month or year."""
    match = DAY.fullmatch(value)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        if year is None or not 1 < year < 9999:
            return None
        if day is not None:
            return date(year, month or 1, day)
        if not last:
            return date(year, month or 1, 1)
        month = month or 12
        following = date(year + month // 12, month % 12 + 1, 1)
        return following - timedelta(days=1)
    except ValueError:
        return None
