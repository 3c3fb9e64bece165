"""A PDF: paragraphs in reading order, headings, ruled tables, and what could not be read. Pages whose text says too
little, and pictures, are looked at (pdf_seen.py, pdf_pictures.py).

Read page by page, so that memory does not grow with the number of pages; what needs the whole document (the usual
font size, running headers) is told from a sample of neighbouring pages first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import pypdfium2 as pdfium

from ingestion.boxes import Box
from ingestion.documents import Extraction, ReadBy
from ingestion.extract import pdf_checks, pdf_links, pdf_revisions, sniff
from ingestion.extract.attempts import attempt
from ingestion.extract.build import Builder
from ingestion.extract.eyes import UNCHECKED, Eyes, note_doubt
from ingestion.extract.pdf_forms import FORM, FormValues, read_form, sort_by_page_order
from ingestion.extract.pdf_ink import SENTENCE, DocumentInk
from ingestion.extract.pdf_lines import Line, group_in_reading_order
from ingestion.extract.pdf_margins import Margins, RunningLine, drop_words, list_lines_at_edge, select_at_edge
from ingestion.extract.pdf_page import LastTable, PdfPage, look_at_page
from ingestion.extract.pdf_paragraphs import Hyphenation, PdfBlock, build_blocks
from ingestion.extract.pdf_pictures import Pictures
from ingestion.extract.pdf_replaced import extract_visible_words
from ingestion.extract.pdf_said import DocumentTexts
from ingestion.extract.pdf_seen import UNREADABLE, compute_picture_area
from ingestion.extract.pdf_tables import find_tables
from ingestion.extract.pdf_words import Mapping, PageContent, Word, read_page
from ingestion.extract.picture_text import BY_OCR_ONLY, add_markdown, join_in_a_row, place_boxes
from ingestion.extract.unread_bytes import digest_unread_of_pdf
from ingestion.picture_reading import PictureReading
from ingestion.sandbox.limits import Limits, Quarantined, Report

SAMPLE = 40  # pages
PROSE = 6  # words on a line that make it running text
WANTS_TABLES = {"text": False, "layout": True}  # by strategy
LAYER = ("Text layer",)
PROTECTED = "This PDF is protected by a password. Save it without one and upload it again."


def extract(path: Path, *, limits: Limits, report: Report, skip: Collection[int], eyes: Eyes) -> Extraction:
    """The strategy of `eyes` `text` never looks for tables, `layout` looks on every page, others where strokes suggest
    one. skip: pages (1-based) that broke an earlier attempt. Raises Quarantined."""
    builder = Builder()
    checked = attempt(builder, None, pdf_checks.check, path, builder, limits, report)
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise Quarantined("encrypted", PROTECTED) from None
        raise pdf_revisions.build_corrupt("This PDF is damaged and cannot be opened.") from None
    if checked is None:
        pdf_checks.check_page_count(len(document), limits)
        checked = pdf_checks.PdfChecks(DocumentTexts(builder), len(document))
    pages = checked.pages
    form = attempt(builder, None, read_form, path, document, builder) or FormValues()
    reading = _Reading(document, checked, form, builder, report, skip, eyes)
    reading.run()
    document.close()
    if not len(builder) and reading.blank_pages == pages:
        if builder.has_gaps():
            raise pdf_revisions.build_corrupt("This PDF is damaged: nothing on its pages can be read.")
        raise Quarantined("empty", "All pages of this PDF are blank. Check that you chose the right file.")
    builder.drop_margins()
    attempt(builder, None, checked.said.add)
    extraction = builder.build_extraction(sniff.PDF, pages, "layout" if reading.found_tables else "text")
    return replace(extraction, unread=digest_unread_of_pdf(path, checked.parts, extraction.unaccounted))


class _Reading:
    """One document being read, page after page."""

    def __init__(
        self,
        document: pdfium.PdfDocument,
        checked: pdf_checks.PdfChecks,
        form: FormValues,
        builder: Builder,
        report: Report,
        skip: Collection[int],
        eyes: Eyes,
    ) -> None:
        self._document, self._checked, self._pages, self._builder = document, checked, checked.pages, builder
        self._form = form
        self._report, self._skip, self._eyes = report, skip, eyes
        self._sampled: dict[int, PdfPage] = {}
        self._ink = DocumentInk(document)
        self._running: list[RunningLine] = []
        self._last_table: LastTable | None = None
        self._turn: PictureReading | None = None  # of the page that is being added, and which way up it is
        self.found_tables = False
        self.blank_pages = 0

    def run(self) -> None:
        self._take_sample()
        for number in range(1, self._pages + 1):
            if number in self._skip:
                self._record_failure(number)
                continue
            self._report("reading", number, self._pages)
            try:
                sampled = self._sampled.pop(number, None)
                self._read_page(number, sampled or self._parse_page(number))
            except (MemoryError, Quarantined):
                raise
            except Exception:  # whatever a hostile page makes the libraries raise costs this page alone
                self._record_failure(number)
        self._report("finishing")
        attempt(self._builder, None, self._pictures.take_unshown, self._checked.pictures)
        self._add_fields(0, None)
        for running in self._running:
            if running.paragraph is not None:
                self._builder.add_boxes(running.paragraph, running.boxes)

    def _record_failure(self, number: int) -> None:
        self._builder.miss("page_failed", "This page could not be read; the others were.", number)

    def _parse_page(self, number: int) -> PdfPage:
        page = self._document[number - 1]
        try:
            content = read_page(page, WANTS_TABLES.get(self._eyes.strategy or ""))
            if number in self._checked.lying:
                content.unmapped = content.characters
            replaced: list[Word] = []
            if {number, None} & self._checked.replaced:
                replaced = attempt(self._builder, number, extract_visible_words, page) or []
            found = look_at_page(number, content, replaced, self._eyes)
            if content.marks and content.words and found.joined is None:
                found.ink = self._ink.find(page, content)
        finally:
            page.close()
        content.handles = []
        return found

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
                page = self._parse_page(number)
            except (MemoryError, Quarantined):
                raise
            except Exception:  # met again, and recorded, when its turn comes
                continue
            self._sampled[number] = page
            content = page.content
            upright = [word for word in content.words if not word.slanted]
            lines[number] = (list_lines_at_edge(upright, content.height), content.height)
            runs += page.runs()
        for prose in (run for run in runs if len(run.words) >= PROSE):  # not the small print of tables
            sizes[round(prose.size * 2) / 2] += len(prose.words)
        self._body = sizes.most_common(1)[0][0] if sizes else max((run.size for run in runs), default=10.0)
        self._margins = Margins(lines, self._pages)
        self._hyphenation = Hyphenation.of(runs)
        self._pictures = Pictures(self._builder, self._eyes, self._hyphenation)

    def _read_page(self, number: int, page: PdfPage) -> None:
        content = page.content
        first_of_page = len(self._builder)
        self._look_at_rest(number, page)
        self._turn = page.joined.seen if page.joined is not None else None
        if page.joined is not None and self._turn is not None and self._turn.text:
            add_markdown(
                self._turn, number, self._builder, page.joined.places, compute_picture_area(content, self._turn.turned)
            )
        turned = self._turn is not None and self._turn.turned
        tables = [] if turned else attempt(self._builder, number, find_tables, content, page.runs) or []
        self.found_tables = self.found_tables or bool(tables)
        runs, foot = self._drop_running(number, content, page.runs(), alone=not tables)
        runs += [Line([], table=table) for table in tables]
        first = True
        last: LastTable | None = None
        written = content.written if page.joined is None else ()
        for group in group_in_reading_order(runs, content.width, written):
            for block in build_blocks(group, number, self._body, self._hyphenation):
                last = self._add_block(block, number, self._last_table if first else None)
                first = False
        self._last_table = last
        for line, running in foot:
            self._add_running(line, running, number)
        slanted = [word for word in content.words if word.slanted]
        if slanted:
            self._add_slanted(slanted, number)
        if page.joined is not None:
            self._add_slanted(page.joined.more, number, BY_OCR_ONLY, "ocr")
            self._turn = None
            self._add_slanted(page.joined.leftover, number, LAYER)
        elif content.written:
            frames = [table.box for table in tables]
            attempt(self._builder, number, self._pictures.take, number, content, page.look, frames)
        self._add_slanted(page.beneath, number, LAYER)
        self._add_fields(number, content.mapping)
        hidden = (number, content, self._checked.layered, first_of_page)
        attempt(self._builder, number, self._pictures.take_hidden, *hidden)
        attempt(self._builder, number, self._explain_unread, number, page, first_of_page)
        targets = self._checked.links.get(number, [])
        attempt(self._builder, number, pdf_links.tell, self._builder, number, first_of_page, targets)

    def _add_fields(self, number: int, mapping: Mapping | None) -> None:
        """What is filled into the form of a page, a paragraph each, where its field stands. number: 0 for fields that
        stand on no page."""
        for value in sort_by_page_order(self._form.by_page.get(number, [])):
            boxes = []
            if mapping is not None and value.rect is not None:
                boxes = [Box(number, *mapping.box(*value.rect), 0, len(value.text))]
            self._builder.add(value.text, page=number or None, boxes=boxes, path=(FORM,))

    def _explain_unread(self, number: int, page: PdfPage, first: int) -> None:
        """Records whether the page shows what was not read. first: number of its first paragraph."""
        if page.ink is None or page.joined is not None or not page.content.written:
            return  # nothing is drawn, all of it was looked at, or nothing was read and that is on record
        words = [(word.x0, word.y0, word.x1, word.y1) for word in page.content.written]
        words += self._builder.list_boxes_on(number, first)
        if self._ink.is_unexplained(number, page.content, page.ink, words, self._pictures.explained):
            self._builder.miss("unexplained_ink", SENTENCE, number)

    def _place_boxes(self, boxes: Sequence[Box]) -> Sequence[Box]:
        return boxes if self._turn is None else place_boxes(boxes, self._turn)

    def _drop_running(
        self, number: int, content: PageContent, runs: list[Line], alone: bool
    ) -> tuple[list[Line], list[tuple[Line, RunningLine]]]:
        """The runs without running lines, and those at the foot, to be added behind the page; the others become a
        paragraph where they occur first. alone: nothing else is on the page. A page that would be left empty keeps its
        lines."""
        near = [word for run in select_at_edge(runs, content.height) for word in run.words]
        lines = list_lines_at_edge(near, content.height)
        found = sorted(self._margins.running(lines, number, content.height), key=lambda line: line[0].base)
        if alone and sum(len(line.words) for line, _ in found) == sum(len(run.words) for run in runs):
            found = [(line, running) for line, running in found if running.page_number_only]
        named = [(line, running) for line, running in found if not running.page_number_only]
        foot = [(line, running) for line, running in named if line.base > content.height / 2]
        for line, running in named[: len(named) - len(foot)]:
            self._add_running(line, running, number)
        return drop_words(runs, [line for line, _ in found]), foot

    def _add_running(self, line: Line, running: RunningLine, number: int) -> None:
        block = next(iter(build_blocks([line], number, self._body, self._hyphenation)), None)
        text, boxes = (block.text, self._place_boxes(block.boxes)) if block is not None else ("", ())
        if running.paragraph is not None:
            running.stands_at(boxes)
            return
        read_by: ReadBy = "ocr" if line.seen else ""
        running.paragraph = self._builder.add(text, page=number, boxes=boxes, path=(), read_by=read_by)
        running.slices = [(box.start, box.end) for box in boxes]
        self._running.append(running)

    def _add_block(self, block: PdfBlock, number: int, before: LastTable | None) -> LastTable | None:
        if block.table is None:
            boxes = self._place_boxes(block.boxes)
            read_by: ReadBy = "ocr" if block.seen else ""
            self._builder.add(block.text, block.kind, page=number, boxes=boxes, level=block.level, read_by=read_by)
            return None
        table = block.table
        header = None
        if before is not None and before.page == number - 1 and table.continues(before.table):
            header, table = before.header, table.turn_columns_as(before.table)
        text, found = table.markdown(number, header)
        self._builder.add(text, "table", page=number, boxes=found)
        return LastTable(number, table, header or table.header)

    def _add_slanted(
        self, words: Sequence[Word], number: int, path: tuple[str, ...] | None = None, read_by: ReadBy = ""
    ) -> None:
        """Text that runs upwards or across, or that nobody saw: in the order it was written, as one paragraph."""
        text, boxes = join_in_a_row(words, number)
        self._builder.add(text, page=number, boxes=self._place_boxes(boxes), path=path, read_by=read_by)

    def _look_at_rest(self, number: int, page: PdfPage) -> None:
        """What of the page is no text and was not looked at: recorded as not accounted for, unless there is nothing."""
        content, joined = page.content, page.joined
        if joined is not None:
            note_doubt(joined.seen, self._builder, number)
            if joined.unread:
                self._builder.miss("no_text_layer", "This page is a picture, and no text could be read on it.", number)
            if joined.unchecked:
                self._builder.miss("vision_unchecked", UNCHECKED, number)
            self.blank_pages += joined.blank
            return
        if not content.words:
            if content.marks:
                self._builder.miss("no_text_layer", "This page has no text layer; what it shows was not read.", number)
            else:
                self.blank_pages += 1
            return
        if content.unmapped > UNREADABLE * content.characters:
            self._builder.miss("unreadable_page", "The fonts of this page do not say what its letters are.", number)
            content.words = content.written = []
        elif page.look is not None and page.look.why == "language":
            self._builder.miss("unreadable_text", "The text of this page is not in any language that is known.", number)
