"""The reader: a file's paragraphs as the caller may read them (design §10).

Cleared paragraphs as text, runs of acknowledged ones as one placeholder, concealed and unlabelled ones as nothing: no
gap, count or number tells of them.
"""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import connection
from django.http import Http404
from django.utils.translation import gettext_noop

from entities.access import Scope, missing_atoms
from entities.api.lists import label_list, labels_of_atoms
from entities.models import Source
from ingestion.chunk import SEPARATOR
from ingestion.models import ContextRow, File, Paragraph, RowParagraph
from ingestion.summaries import is_supported_by, words_of

READINGS = 3
NOTICE = gettext_noop("Platform extraction: open the original for the authoritative version.")


@dataclass(frozen=True)
class TextBlock:
    """A paragraph. level: of a heading, from 1. section: the readable headings above. label: None while not classified.

    marks: spans of the text that a citation means, by character; cited: the paragraph is part of it. read_by: `ocr` or
    `vision` where it was read off a picture.
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

    def to_json(self) -> dict[str, Any]:
        return {
            "type": "text",
            "text": self.text,
            "page": self.page,
            "section": self.section,
            "labels": None if self.label is None else label_list(self.label),
            "passage": str(self.passage),
            **({"read_by": self.read_by} if self.read_by else {}),
        }


@dataclass(frozen=True)
class Placeholder:
    """A run of paragraphs that need more clearance. requires: the atoms the caller lacks."""

    requires: tuple[int, ...]
    page: int | None

    def to_json(self) -> dict[str, Any]:
        return {"type": "placeholder", "requires": labels_of_atoms(self.requires), "page": self.page}


Block = TextBlock | Placeholder


def blocks(scope: Scope, file: File, *, tells: bool = False) -> list[Block]:
    """Everything of a file got with `get_file_or_404`, in order. Where no paragraph is cleared there is nothing; raises
    Http404 then, unless it `tells` the caller something else (`FileView.tells`).
    """
    rows, hidden = _of_one_version(file)
    if not rows and not tells:
        raise Http404("Not found.")
    texts = {row.pk: row.text for row in rows}
    placed: list[tuple[int, Block]] = [
        (position, Placeholder(missing_atoms(label), page)) for position, page, label in hidden
    ]
    placed += [(row.position, _text_block(row, texts)) for row in rows]
    result: list[Block] = []
    for _, block in sorted(placed, key=lambda item: item[0]):
        last = result[-1] if result else None
        if isinstance(block, Placeholder) and isinstance(last, Placeholder) and last.requires == block.requires:
            continue
        result.append(block)
    return result


def _of_one_version(file: File) -> tuple[list[Paragraph], Sequence[tuple[int, int | None, int]]]:
    """The paragraphs that the caller may read, and (position, page, label) of those they may know of; nothing of these
    where there is none of those. Where another version is published in between, both are read again.
    """
    for _ in range(READINGS):
        rows = list(Paragraph.objects.filter(file=file.pk).order_by("position"))
        if not rows:
            return [], []
        with connection.cursor() as cursor:
            cursor.execute("SELECT position, page, label FROM app_hidden_paragraphs(%s)", [file.pk])
            hidden = cursor.fetchall()
        if File.objects.filter(pk=file.pk, revision=rows[0].revision_id).exists():
            break
    return rows, hidden


def _text_block(row: Paragraph, texts: dict[UUID, str]) -> TextBlock:
    above = row.headings_to(texts)
    return TextBlock(
        passage=row.pk,
        text=row.text,
        kind=row.kind,
        page=row.page,
        section=SEPARATOR.join(texts[pk] for pk in above if pk in texts),
        label=row.data_classification,
        level=min(len(above) + 1, 6),
        read_by=row.read_by,
    )


# What a citation means


@dataclass(frozen=True)
class Cited:
    """A passage to show: paragraphs, and the words in them. words: None for the whole of it."""

    paragraphs: frozenset[UUID]
    text: str = ""
    words: str | None = None
    start: int | None = None
    end: int | None = None


def cited_by(file: File, passage: str = "", row: str = "", start: str = "", end: str = "") -> Cited | None:
    """What the parameters of an address mean: `passage` (a paragraph) or `row` (an index row), and the characters
    `start` to `end` of its text. None where there is nothing that the caller may read: then the file is shown as it
    is.
    """
    first, last = _number(start), _number(end)
    whole = first is None or last is None or first >= last
    row_id, passage_id = _uuid(row), _uuid(passage)
    if row_id:
        found = ContextRow.objects.filter(pk=row_id, file=file.pk).first()
        if found is None:
            return None
        members = RowParagraph.objects.filter(row=row_id, paragraph__isnull=False).values_list("paragraph", flat=True)
        words = None if whole else found.text[first:last]
        paragraphs = frozenset(pk for pk in members if pk) or _summarised(file, row_id, words)
        return Cited(paragraphs, found.text, words) if paragraphs else None
    if passage_id and Paragraph.objects.filter(pk=passage_id, file=file.pk).exists():
        return Cited(frozenset({passage_id}), start=None if whole else first, end=None if whole else last)
    return None


def _summarised(file: File, row: UUID, words: str | None) -> frozenset[UUID]:
    """The paragraphs that a summary was drawn from; those in which its `words` stand, where any does."""
    sources = Source.objects.filter(derived=row, passage__isnull=False).values("passage")
    found = dict(Paragraph.objects.filter(pk__in=sources, file=file.pk).values_list("pk", "text"))
    meant = frozenset(pk for pk, text in found.items() if words and is_supported_by(words, [words_of(text)]))
    return meant or frozenset(found)


def mark(found: Sequence[Block], cited: Cited | None) -> list[Block]:
    """`found` with the cited paragraphs and words marked."""
    if cited is None:
        return list(found)
    return [
        replace(b, cited=True, marks=_marks(b.text, cited))
        if isinstance(b, TextBlock) and b.passage in cited.paragraphs
        else b
        for b in found
    ]


def _marks(text: str, cited: Cited) -> tuple[tuple[int, int], ...]:
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


def _uuid(given: str) -> UUID | None:
    try:
        return UUID(given)
    except ValueError:
        return None


def _number(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 9 else None
