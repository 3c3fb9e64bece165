"""Where in its document a part of a passage stands.

A passage may be made of several short sections, and begin on one page and end on another. What was found in it, or is
cited from it, stands in one of its paragraphs: that one's page and section are told, and it is where a link leads.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ingestion.chunk import SEPARATOR
from ingestion.models import Paragraph
from retrieval.statements import fetch_rows

LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True)
class TextPart:
    """Characters start to end of a passage's text, which stand in one paragraph. section: "" for none."""

    paragraph: UUID
    start: int
    end: int
    page: int | None
    section: str


@dataclass(frozen=True)
class RowText:
    """An index row as far as it takes to find its parts."""

    text: str
    label: int
    page: int | None
    section: str


@dataclass(frozen=True)
class _Member:
    """A paragraph of a row. headings: those that it stands under to all its readers, itself where it is one."""

    id: UUID
    text: str
    page: int | None
    headings: tuple[UUID, ...]


@dataclass(frozen=True)
class RowLayout:
    """What a row is made of: all its paragraphs in order, and which stands where in its text."""

    paragraphs: tuple[UUID, ...] = ()
    parts: tuple[TextPart, ...] = ()

    def find_part(self, place: int | None) -> TextPart | None:
        """The part in which the character `place` stands; the first for None."""
        if place is None:
            return self.parts[0] if self.parts else None
        return next((part for part in reversed(self.parts) if part.start <= place), None)


def load_layouts(rows: Mapping[UUID, RowText]) -> dict[UUID, RowLayout]:
    """Row -> its layout, under the labels of the open scope; nothing for rows that are of no paragraphs."""
    members = _load_members(rows)
    mixed = {row for row, of_row in members.items() if len({member.headings for member in of_row}) > 1}
    headings = _load_headings({pk for row in mixed for member in members[row] for pk in member.headings})
    found = {}
    for pk, of_row in members.items():
        row = rows[pk]
        parts = tuple(
            TextPart(
                member.id,
                start,
                end,
                member.page or row.page,
                _format_section(member, headings, row.label) if pk in mixed else row.section,
            )
            for member, start, end in _align_paragraphs(row.text, of_row)
        )
        found[pk] = RowLayout(tuple(member.id for member in of_row), parts)
    return found


MEMBERS = """
SELECT l.row_id, coalesce(l.paragraph_id, l.field_paragraph_id), coalesce(p.text, t.text, ''), p.page,
  coalesce(p.under, p.headings, '{}') || CASE WHEN p.kind = 'heading' THEN ARRAY[p.id] ELSE '{}'::uuid[] END
FROM ingestion_rowparagraph l LEFT JOIN ingestion_paragraph p ON p.id = l.paragraph_id
LEFT JOIN entities_fieldparagraph t ON t.id = l.field_paragraph_id
WHERE l.row_id = ANY(%(rows)s) ORDER BY l.row_id, p.position, t.position
"""


def _load_members(rows: Iterable[UUID]) -> dict[UUID, list[_Member]]:
    found: dict[UUID, list[_Member]] = {}
    for row, pk, text, page, headings in fetch_rows(MEMBERS, {"rows": list(rows)}):
        found.setdefault(row, []).append(_Member(pk, text, page, tuple(headings)))
    return found


def _load_headings(ids: set[UUID]) -> dict[UUID, tuple[str, int | None]]:
    rows = Paragraph.objects.filter(pk__in=ids).values_list("pk", "text", "data_classification") if ids else ()
    return {pk: (text, label) for pk, text, label in rows}


def _format_section(member: _Member, headings: Mapping[UUID, tuple[str, int | None]], label: int) -> str:
    """The headings above it that the passage's own label covers, as in the index (ingestion.chunk)."""
    above = (headings.get(pk) for pk in member.headings)
    return SEPARATOR.join(heading[0] for heading in above if heading and heading[1] in (0, label))


def _align_paragraphs(text: str, members: Sequence[_Member]) -> Iterator[tuple[_Member, int, int]]:
    """(paragraph, start, end): a row's text is made of parts of its paragraphs, in their order, line by line."""
    at, start, end = 0, 0, 0
    for line in LINE.finditer(text):
        following = _find_paragraph(line, text, members, at)
        if following != at:
            if end > start:
                yield members[at], start, end
            at, start = following, line.start()
        end = line.end()
    if members and end > start:
        yield members[at], start, end


def _find_paragraph(line: re.Match[str], text: str, members: Sequence[_Member], at: int) -> int:
    """The number of the paragraph that a line is of; the one before it where none is."""
    after = at + 1
    if after < len(members) and members[after].text and text.startswith(members[after].text, line.start()):
        return after
    return next((n for n in range(at, len(members)) if line.group() in members[n].text), at)
