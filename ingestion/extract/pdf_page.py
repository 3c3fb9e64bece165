"""A page of a PDF while it is read: its content, and what was seen on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ingestion.extract.eyes import Eyes
from ingestion.extract.pdf_ink import Ink
from ingestion.extract.pdf_lines import Line, split_segments
from ingestion.extract.pdf_seen import JoinedPage, Look, find_missing_words, join, plan_look
from ingestion.extract.pdf_tables import PdfTable
from ingestion.extract.pdf_words import PageContent, Word


@dataclass(slots=True)
class LastTable:
    """The table that ended the page before, with the header to repeat."""

    page: int
    table: PdfTable
    header: tuple[str, ...]


@dataclass(slots=True)
class PdfPage:
    """A page with what it wants looked at, and with what was seen on it as a whole. beneath: words of it that others
    stand for in the text."""

    content: PageContent
    look: Look | None = None
    joined: JoinedPage | None = None
    beneath: tuple[Word, ...] = ()
    ink: Ink | None = None
    _runs: list[Line] = field(default_factory=list)
    _words: list[Word] | None = None

    def runs(self) -> list[Line]:
        """Of its upright words; made anew where words were taken away since."""
        if self._words is not self.content.words:
            self._words = self.content.words
            self._runs = split_segments((word for word in self._words if not word.slanted), whole_page=True)
        return self._runs


def look_at_page(number: int, content: PageContent, replaced: Sequence[Word], eyes: Eyes) -> PdfPage:
    """A page with what was seen on it, where it says too little. replaced: words for which others stand in its text."""
    beneath = find_missing_words(replaced, content.words)
    look = plan_look(content, eyes.strategy)
    seen = eyes.look(f"page {number}", number) if look is not None and look.whole else None
    if look is None or seen is None:
        return PdfPage(content, look, None, beneath)
    joined = join(content, look, seen)
    return PdfPage(content, look if joined else Look("pictures"), joined, beneath)
