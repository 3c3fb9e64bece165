"""The reader: a file's paragraphs as the caller may read them (design §10).

Cleared paragraphs as text, runs of acknowledged ones as one placeholder, concealed and unlabelled ones as nothing: no
gap, count or number tells of them.
"""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.http import Http404
from django.utils.translation import gettext_noop

from entities.access import Scope, list_missing_atoms
from entities.api.lists import label_list, list_atom_labels
from entities.models import Source
from entities.text import find_granted_texts
from ingestion.chunk import SEPARATOR
from ingestion.models import ContextRow, File, Paragraph, RowParagraph
from ingestion.summaries import extract_words, is_supported_by

READINGS = 3
NOTICE = gettext_noop("Platform extraction: open the original for the authoritative version.")


@dataclass(frozen=True)
class TextBlock:
    """A paragraph. level: of a heading, from 1. section: the readable headings above. label: None while not classified.

    marks: spans of the text that a citation means, by character; cited: the paragraph is part of it. read_by: `ocr` or
    `vision` where it was read off a picture. granted: the reader was granted it without its label, for good or until
    `until`. judged: somebody or something knows the label.
    """

    passage: UUID
    text: str
    kind: str
    page: int | None
    section: str
    label: int | None
    level: int = 1
    cited: bool = False
    marks: tuple[tuple[int, int], ...] = ()
    read_by: str = ""
    granted: bool = False
    until: datetime | None = None
    judged: bool = True

    def to_json(self) -> dict[str, Any]:
        return {
            "type": "text",
            "text": self.text,
            "page": self.page,
            "section": self.section,
            "labels": None if self.label is None else label_list(self.label),
            "passage": str(self.passage),
            **({} if self.judged else {"judged": False}),
            **({"read_by": self.read_by} if self.read_by else {}),
            **({"granted_until": self.until and self.until.isoformat()} if self.granted else {}),
        }


@dataclass(frozen=True)
class Placeholder:
    """A run of paragraphs that need more clearance. requires: the atoms the caller lacks. run: its number among the
    placeholders of the file, with which a steward can be asked. positions: of its paragraphs, which nobody is told.
    """

    requires: tuple[int, ...]
    page: int | None
    run: int = 0
    positions: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "type": "placeholder",
            "requires": list_atom_labels(self.requires),
            "page": self.page,
            "run": self.run,
        }


Block = TextBlock | Placeholder


def list_blocks(scope: Scope, file: File, *, tells: bool = False, granted: bool = False) -> list[Block]:
    """Everything of a file got with `get_file_or_404`, in order. Where no paragraph is cleared there is nothing; raises
    Http404 then, unless it `tells` the caller something else (`FileView.tells`). granted: with what the caller was
    granted without its label, which is for who reads the page and for nothing that is derived from it.
    """
    rows, hidden, extra = _read_one_version(scope, file, granted)
    if not rows and not extra and not tells:
        raise Http404("Not found.")
    texts = {row.pk: row.text for row in rows}
    placed: list[tuple[int, Block]] = [
        (position, Placeholder(list_missing_atoms(label), page, 0, (position,)))
        for position, page, label in hidden
        if position not in extra
    ]
    placed += [(row.position, _build_text_block(row, texts)) for row in rows]
    read = {row.position for row in rows}
    placed += [(position, block) for position, block in extra.items() if position not in read]
    result: list[Block] = []
    runs = 0
    for _, block in sorted(placed, key=lambda item: item[0]):
        last = result[-1] if result else None
        if isinstance(block, Placeholder):
            if isinstance(last, Placeholder) and last.requires == block.requires:
                result[-1] = replace(last, positions=last.positions + block.positions)
                continue
            block, runs = replace(block, run=runs), runs + 1
        result.append(block)
    return result


def _read_one_version(
    scope: Scope, file: File, granted: bool
) -> tuple[list[Paragraph], Sequence[tuple[int, int | None, int]], dict[int, TextBlock]]:
    """The paragraphs that the caller may read, (position, page, label) of those they may know of, and by position those
    that they were granted; nothing of the second where there is none of the others. Where another version is published
    in between, all are read again.
    """
    for _ in range(READINGS):
        rows = list(Paragraph.objects.filter(file=file.pk).order_by("position"))
        extra = _load_granted_blocks(scope, file) if granted else {}
        if not rows and not extra:
            return [], [], {}
        with connection.cursor() as cursor:
            cursor.execute("SELECT position, page, label FROM app_hidden_paragraphs(%s)", [file.pk])
            hidden = cursor.fetchall()
        if not rows or File.objects.filter(pk=file.pk, revision=rows[0].revision_id).exists():
            break
    return rows, hidden, extra


def _load_granted_blocks(scope: Scope, file: File) -> dict[int, TextBlock]:
    return {
        text.position: TextBlock(
            passage=text.passage,
            text=text.text,
            kind=text.kind,
            page=text.page,
            section="",
            label=text.label,
            granted=True,
            until=text.until,
        )
        for text in find_granted_texts(scope, file.entity_id, file.pk)
    }


def _build_text_block(row: Paragraph, texts: dict[UUID, str]) -> TextBlock:
    above = row.list_headings_to(texts)
    return TextBlock(
        passage=row.pk,
        text=row.text,
        kind=row.kind,
        page=row.page,
        section=SEPARATOR.join(texts[pk] for pk in above if pk in texts),
        label=row.data_classification,
        level=min(len(above) + 1, 6),
        read_by=row.read_by,
        judged=row.judged,
    )


# What a citation means


@dataclass(frozen=True)
class CitedPassage:
    """A passage to show: paragraphs, and the words in them. words: None for the whole of it."""

    paragraphs: frozenset[UUID]
    text: str = ""
    words: str | None = None
    start: int | None = None
    end: int | None = None


def resolve_cited(file: File, passage: str = "", row: str = "", start: str = "", end: str = "") -> CitedPassage | None:
    """What the parameters of an address mean: `passage` (a paragraph) or `row` (an index row), and the characters
    `start` to `end` of its text. None where there is nothing that the caller may read: then the file is shown as it
    is.
    """
    first, last = _parse_number(start), _parse_number(end)
    whole = first is None or last is None or first >= last
    row_id, passage_id = _parse_uuid(row), _parse_uuid(passage)
    if row_id:
        found = ContextRow.objects.filter(pk=row_id, file=file.pk).first()
        if found is None:
            return None
        members = RowParagraph.objects.filter(row=row_id, paragraph__isnull=False).values_list("paragraph", flat=True)
        words = None if whole else found.text[first:last]
        paragraphs = frozenset(pk for pk in members if pk) or _find_summarised(file, row_id, words)
        return CitedPassage(paragraphs, found.text, words) if paragraphs else None
    if passage_id and Paragraph.objects.filter(pk=passage_id, file=file.pk).exists():
        return CitedPassage(frozenset({passage_id}), start=None if whole else first, end=None if whole else last)
    return None


def _find_summarised(file: File, row: UUID, words: str | None) -> frozenset[UUID]:
    """The paragraphs that a summary was drawn from; those in which its `words` stand, where any does."""
    sources = Source.objects.filter(derived=row, passage__isnull=False).values("passage")
    found = dict(Paragraph.objects.filter(pk__in=sources, file=file.pk).values_list("pk", "text"))
    meant = frozenset(pk for pk, text in found.items() if words and is_supported_by(words, [extract_words(text)]))
    return meant or frozenset(found)


def mark_citation(found: Sequence[Block], cited: CitedPassage | None) -> list[Block]:
    """`found` with the cited paragraphs and words marked."""
    if cited is None:
        return list(found)
    return [
        replace(b, cited=True, marks=_find_marks(b.text, cited))
        if isinstance(b, TextBlock) and b.passage in cited.paragraphs
        else b
        for b in found
    ]


def _find_marks(text: str, cited: CitedPassage) -> tuple[tuple[int, int], ...]:
    if cited.start is not None and cited.end is not None:
        return ((max(0, cited.start), min(len(text), cited.end)),) if cited.start < len(text) else ()
    if not cited.words:
        return ()
    # The words as they stand, whatever the white space; else the longest part of them that stands in this paragraph.
    pattern = r"\s+".join(re.escape(word) for word in cited.words.split())
    exact = re.search(pattern, text) if pattern else None
    if exact:
        return (exact.span(),)
    match = difflib.SequenceMatcher(a=text, b=cited.words, autojunk=False).find_longest_match()
    return ((match.a, match.a + match.size),) if match.size >= min(20, len(cited.words)) else ()


def _parse_uuid(given: str) -> UUID | None:
    try:
        return UUID(given)
    except ValueError:
        return None


def _parse_number(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 9 else None
