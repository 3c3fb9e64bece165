"""A PDF with a text layer: paragraphs in reading order, headings, ruled tables, and what could not be read.

Read page by page, so that memory does not grow with the number of pages; what needs the whole document (the usual
font size, running headers) is told from a sample of neighbouring pages first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium

from ingestion.documents import Box, Extraction
from ingestion.extract import pdf_checks, pdf_links, pdf_revisions, sniff
from ingestion.extract.build import Builder
from ingestion.extract.pdf_lines import Line, in_reading_order, segments, whole_lines
from ingestion.extract.pdf_margins import Margins, Running
from ingestion.extract.pdf_paragraphs import Block, Hyphenation, blocks
from ingestion.extract.pdf_tables import Table, TableFinder, suggests_table
from ingestion.extract.pdf_words import PageContent, Picture, Word, read_page
from ingestion.sandbox.limits import Limits, Quarantined, Report

SAMPLE = 40  # pages
ICON = 48.0  # points: smaller pictures are ornaments
COVERED = 5  # words of a text layer under a picture that make it a scan with its text
PROSE = 6  # words on a line that make it running text
UNREADABLE = 0.2  # share of characters without a letter


def extract(path: Path, *, limits: Limits, report: Report, strategy: str | None, skip: Collection[int]) -> Extraction:
    """strategy: `text` never looks for tables, `layout` looks on every page, None where strokes suggest one.
    skip: pages (1-based) that broke an earlier attempt. Raises Quarantined."""
    builder = Builder()
    links: dict[int, list[str]] = {}
    pages, properties = pdf_checks.check(path, builder, limits, report, links)
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError:
        raise pdf_revisions.corrupt("This PDF is damaged and cannot be opened.") from None
    with TableFinder(path) as finder:
        reading = _Reading(document, pages, builder, report, skip, finder, strategy, links)
        reading.run()
        document.close()
    if not len(builder) and reading.blank_pages == pages:
        if builder.missed():
            raise pdf_revisions.corrupt("This PDF is damaged: nothing on its pages can be read.")
        raise Quarantined("empty", "All pages of this PDF are blank. Check that you chose the right file.")
    builder.add_properties(properties)
    return builder.extraction(sniff.PDF, pages, "layout" if reading.found_tables else "text")


@dataclass(slots=True)
class _LastTable:
    """The table that ended the page before, with the header to repeat."""

    page: int
    table: Table
    header: tuple[str, ...]


class _Reading:
    """One document being read, page after page."""

    def __init__(
        self,
        document: pdfium.PdfDocument,
        pages: int,
        builder: Builder,
        report: Report,
        skip: Collection[int],
        finder: TableFinder,
        strategy: str | None,
        links: dict[int, list[str]],
    ) -> None:
        self._document, self._pages, self._builder = document, pages, builder
        self._report, self._skip, self._finder, self._strategy = report, skip, finder, strategy
        self._links = links
        self._sampled: dict[int, PageContent] = {}
        self._pictures: set[tuple[int, int, int]] = set()
        self._running: list[Running] = []
        self._last_table: _LastTable | None = None
        self.found_tables = False
        self.blank_pages = 0

    def run(self) -> None:
        self._take_sample()
        for number in range(1, self._pages + 1):
            if number in self._skip:
                self._failed(number)
                continue
            self._report("reading", number, self._pages)
            try:
                content = self._sampled.pop(number, None) or self._read(number)
                self._page(number, content)
            except (MemoryError, Quarantined):
                raise
            except Exception:  # whatever a hostile page makes the libraries raise costs this page alone
                self._failed(number)
        self._report("finishing")
        for running in self._running:
            if running.paragraph is not None:
                self._builder.more_boxes(running.paragraph, running.boxes)

    def _failed(self, number: int) -> None:
        self._builder.miss("page_failed", "This page could not be read; the others were.", number)

    def _read(self, number: int) -> PageContent:
        page = self._document[number - 1]
        try:
            return read_page(page)
        finally:
            page.close()

    def _take_sample(self) -> None:
        """Pairs of neighbours spread over the document, so that left and right pages are both met."""
        step = max(2, 2 * self._pages // SAMPLE)
        chosen = {n + side for n in range(1, self._pages + 1, step) for side in (0, 1) if n + side <= self._pages}
        sizes: Counter[float] = Counter()
        lines: dict[int, tuple[list[Line], float]] = {}
        runs: list[Line] = []
        for number in sorted(chosen - set(self._skip)):
            self._report("reading", number, self._pages)
            try:
                content = self._read(number)
            except (MemoryError, Quarantined):
                raise
            except Exception:  # met again, and recorded, when its turn comes
                continue
            self._sampled[number] = content
            upright = [word for word in content.words if not word.slanted]
            lines[number] = (_whole_lines(upright, content), content.height)
            runs += segments(upright)
        for prose in (run for run in runs if len(run.words) >= PROSE):  # not the small print of tables
            sizes[round(prose.size * 2) / 2] += len(prose.words)
        self._body = sizes.most_common(1)[0][0] if sizes else max((run.size for run in runs), default=10.0)
        self._margins = Margins(lines)
        self._hyphenation = Hyphenation.of(runs)

    def _page(self, number: int, content: PageContent) -> None:
        first_of_page = len(self._builder)
        self._look_at_rest(number, content)
        tables = self._tables(number, content)
        upright = [word for word in content.words if not word.slanted]
        runs = self._without_running(number, content, segments(upright))
        runs += [Line([], table=table) for table in tables]
        first = True
        last: _LastTable | None = None
        for group in in_reading_order(runs, content.width):
            for block in blocks(group, number, self._body, self._hyphenation):
                last = self._add(block, number, self._last_table if first else None)
                first = False
        self._last_table = last
        slanted = [word for word in content.words if word.slanted]
        if slanted:
            self._add_slanted(slanted, number)
        pdf_links.tell(self._builder, number, first_of_page, self._links.get(number, []))

    def _tables(self, number: int, content: PageContent) -> list[Table]:
        if self._strategy == "text" or (self._strategy is None and not suggests_table(content)):
            return []
        try:
            tables = self._finder.find(number, content)
        except MemoryError:
            raise
        except Exception:  # pdfplumber gave up: the page is read without its tables, and no word is lost
            return []
        self.found_tables = self.found_tables or bool(tables)
        return tables

    def _without_running(self, number: int, content: PageContent, runs: list[Line]) -> list[Line]:
        """Runs of running lines taken out; the first occurrence of each becomes a paragraph."""
        dropped: set[int] = set()
        lines = _whole_lines([word for run in runs for word in run.words], content)
        for line, running in self._margins.running(lines, number, content.height):
            dropped.update(id(word) for word in line.words)
            if running.page_number_only:
                continue
            text, boxes = next(
                ((b.text, b.boxes) for b in blocks([line], number, self._body, self._hyphenation)), ("", ())
            )
            if running.paragraph is None:
                running.paragraph = self._builder.add(text, page=number, boxes=boxes, path=())
                self._running.append(running)
            else:
                running.boxes.extend(boxes)
        if not dropped:
            return runs
        kept = [[word for word in run.words if id(word) not in dropped] for run in runs]
        return [Line(words) for words in kept if words]

    def _add(self, block: Block, number: int, before: _LastTable | None) -> _LastTable | None:
        if block.table is None:
            self._builder.add(block.text, block.kind, page=number, boxes=block.boxes, level=block.level)
            return None
        table = block.table
        header = None
        if before is not None and before.page == number - 1 and table.continues(before.table):
            header = before.header
        text, boxes = table.markdown(number, header)
        self._builder.add(text, "table", page=number, boxes=boxes)
        return _LastTable(number, table, header or table.header)

    def _add_slanted(self, words: list[Word], number: int) -> None:
        """Text that runs upwards or across: in the order it was written, as one paragraph."""
        text, boxes = "", []
        for word in words:
            text += " " if text else ""
            boxes.append(Box(number, word.x0, word.y0, word.x1, word.y1, len(text), len(text) + len(word.text)))
            text += word.text
        self._builder.add(text, page=number, boxes=boxes)

    def _look_at_rest(self, number: int, content: PageContent) -> None:
        """What of the page is no text: recorded as not accounted for, unless it is an ornament."""
        if not content.words:
            if content.marks:
                self._builder.miss("no_text_layer", "This page has no text layer; what it shows was not read.", number)
            else:
                self.blank_pages += 1
            return
        if content.unmapped > UNREADABLE * content.characters:
            self._builder.miss("unreadable_text", "The fonts of this page do not say what its letters are.", number)
            content.words = []
        for picture in content.pictures:
            if max(picture.x1 - picture.x0, picture.y1 - picture.y0) <= ICON or picture.key in self._pictures:
                continue
            self._pictures.add(picture.key)
            if not _has_text_layer(picture, content.words):
                self._builder.miss("image", "This page has a picture; text in it, if any, was not read.", number)


def _has_text_layer(picture: Picture, words: Iterable[Word]) -> bool:
    inside = (w for w in words if w.invisible and picture.x0 <= w.x0 <= picture.x1 and picture.y0 <= w.y0 <= picture.y1)
    return sum(1 for _ in zip(range(COVERED), inside, strict=False)) == COVERED


def _whole_lines(words: list[Word], content: PageContent) -> list[Line]:
    """Lines across the full width of the page, for telling headers and footers."""
    margin = [w for w in words if w.y1 < 0.15 * content.height or w.y0 > 0.85 * content.height]
    return whole_lines(segments(margin))
