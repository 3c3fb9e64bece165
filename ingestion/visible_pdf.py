"""What of a PDF may be shown to who may not have its original (docs/adr/0043). An allow-list: pages of which everything
is cleared, words that are cleared, and nothing else.

Pixels are copied only where the caller may know of everything in the file that they may not read: then where it stands
is known here, and what is copied keeps away from it. Otherwise the text that the reader shows is set anew, so that no
gap, no missing tail of a letter and no other look tells of what is concealed or without a label.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection
from django.utils import translation

from entities.access import is_readable, list_missing_atoms, load_concealed_atoms
from entities.api.lists import list_atom_chips
from entities.templatetags.clearance_ui import named_labels
from ingestion.access import Outline, load_outlines
from ingestion.boxes import Box, Boxes
from ingestion.downloads import are_attachments_here
from ingestion.models import File, FileRevision, Paragraph
from ingestion.pdf_bars import Bar, place_bars
from ingestion.reader import NOTICE, Block, TextBlock
from ingestion.remainder import UNSHOWN
from ingestion.remainder_store import load_remainder

MOST = 200
"""Pages that are shown at one time."""
MORE = "There are more pages: add ?first={} to the address."
PAD = 0.75  # points around a word that are copied with it: what its letters reach out
CLEAR = 2.0  # points from what is hidden, in which nothing is copied
STEP = 32.0  # points: height of the strips in which hidden boxes are looked up


@dataclass(frozen=True)
class PageRange:
    """Numbers of pages, from 1, both included."""

    first: int
    last: int

    def __contains__(self, page: object) -> bool:
        return isinstance(page, int) and self.first <= page <= self.last


@dataclass(frozen=True)
class PlacedText:
    """Text and where it stands, in points from the top left of the page. copied: with its pixels; else it is set."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    copied: bool


@dataclass(frozen=True)
class CutPage:
    """whole: drawn as it is. pieces: the cleared words. requires: sentences of what else is on it. bars: where that
    stands.
    """

    number: int
    whole: bool
    pieces: tuple[PlacedText, ...]
    requires: tuple[str, ...]
    bars: tuple[Bar, ...] = ()

    @property
    def copied_rectangles(self) -> list[float] | None:
        """Rectangles to copy, as `extract.cutting` takes them."""
        if self.whole:
            return None
        return [edge for p in self.pieces if p.copied for edge in (p.x0 - PAD, p.y0 - PAD, p.x1 + PAD, p.y1 + PAD)]


@dataclass(frozen=True)
class SetLine:
    """A paragraph to be set anew. kind: "text", "heading", or "note" for what is not of the file."""

    kind: str
    text: str


@dataclass(frozen=True)
class DisclosedPdf:
    """What was found to be the caller's in one transaction. path: of the bytes that `pages` are drawn from, "" where
    there are none. beside: text that stands on none of them. anew: all of the text, for where pages cannot be drawn.
    """

    path: str
    pages: tuple[CutPage, ...]
    beside: tuple[SetLine, ...]
    anew: tuple[SetLine, ...]


@dataclass(frozen=True)
class HiddenParagraph:
    """A paragraph that the caller may know of and not read."""

    page: int | None
    boxes: Sequence[Box]
    requires: tuple[int, ...]


def build_disclosed_pdf(file: File, blocks: Sequence[Block], part: PageRange) -> DisclosedPdf:
    """Of a file got with `get_file_or_404`, with its blocks as `reader.list_blocks` gives them."""
    anew = typeset_blocks(blocks, part)
    # In this order: what is raised meanwhile is hidden too, and what is lowered is cleared.
    rows = list(Paragraph.objects.filter(file=file.pk).order_by("position"))
    hidden = list_hidden(file)
    if not may_copy(file, hidden):
        return DisclosedPdf("", (), (), anew)
    pages, beside = cut_pages(rows, hidden, part)
    path = file.revision.blob.path if file.revision is not None else ""
    return DisclosedPdf(path, pages, beside, anew)


def build_first_page(file: File) -> DisclosedPdf:
    """The same of its first page alone, without what stands on none, without bars, and with nothing set anew."""
    rows = list(Paragraph.objects.filter(file=file.pk, page=1).order_by("position"))
    hidden = list_hidden(file)
    if file.revision is None or not may_copy(file, hidden):
        return DisclosedPdf("", (), (), ())
    pages, _ = cut_pages(rows, hidden, PageRange(1, 1))
    return DisclosedPdf(file.revision.blob.path, tuple(replace(page, bars=()) for page in pages), (), ())


# Whether pixels may be copied


def list_hidden(file: File) -> list[HiddenParagraph]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT page, boxes, label FROM app_hidden_boxes(%s)", [file.pk])
        return [
            HiddenParagraph(page, read_boxes(boxes), list_missing_atoms(label))
            for page, boxes, label in cursor.fetchall()
        ]


def read_boxes(packed: object) -> Sequence[Box]:
    return Boxes.from_json(packed) if isinstance(packed, str) and packed not in ("", "[]") else ()


def may_copy(file: File, hidden: Iterable[HiddenParagraph]) -> bool:
    """Whether what may be known of the file accounts for every mark on its pages.

    Nothing is concealed from the caller in this workspace, in whatever file: a file that were shown otherwise because
    something in it is would tell of it. Nothing is without a label, not accounted for, or known from another reading of
    the same bytes alone. And each hidden paragraph that stands on a page has its place there.
    """
    if file.revision is None or load_concealed_atoms() or not is_explained(file.revision):
        return False
    if not are_attachments_here(file) or not load_outlines([file.pk]).get(file.pk, Outline()).whole:
        return False
    return is_cleared_for_readings(file) and all(one.boxes or one.page is None for one in hidden)


def is_explained(revision: FileRevision) -> bool:
    """Whether every mark on its pages is text that was read, and what the reader does not show is cleared."""
    remainder = load_remainder(revision)
    return is_readable(revision.remainder_label) and (remainder is None or {*remainder.codes} <= {UNSHOWN})


def is_cleared_for_readings(file: File) -> bool:
    """For what another reading of the bytes found; of the message that a file came in too (`app_cleared_for_file`)."""
    origin: File | None = file
    with connection.cursor() as cursor:
        while origin is not None:
            if origin.revision is not None:
                asked: list[Any] = [origin.pk, origin.revision.number, origin.pk != file.pk]
                cursor.execute("SELECT app_cleared_for_unread(%s, %s, %s)", asked)
                if not cursor.fetchone()[0]:
                    return False
            origin = origin.origin
    return True


# Pages


def cut_pages(
    rows: Sequence[Paragraph], hidden: Sequence[HiddenParagraph], part: PageRange
) -> tuple[tuple[CutPage, ...], tuple[SetLine, ...]]:
    """The pages, and the text that stands nowhere on them."""
    pieces: dict[int, list[tuple[str, Box]]] = defaultdict(list)
    begun: dict[int, list[Paragraph]] = defaultdict(list)
    boxless: list[Paragraph] = []
    page = part.first
    for row in rows:
        placed = list(split_at_boxes(row))
        for text, box in placed:
            pieces[box.page].append((text, box))
        page = row.page or page
        if not placed and page in part:
            (begun[page] if row.page else boxless).append(row)
    requires: dict[int, set[tuple[int, ...]]] = defaultdict(set)
    around: dict[int, list[Sequence[Box]]] = defaultdict(list)
    for one in hidden:
        for number in {one.page, *(box.page for box in one.boxes)} - {None}:
            requires[number].add(one.requires)  # type: ignore[index]
        for number in {box.page for box in one.boxes}:
            around[number].append([box for box in one.boxes if box.page == number])
    last = max([*pieces, *begun, *requires], default=0)
    pages = []
    for number in range(part.first, min(last, part.last) + 1):
        whole = number not in requires and bool(pieces[number] or begun[number])
        near = Near(box for boxes in around[number] for box in boxes)
        found = [PlacedText(text, b.x0, b.y0, b.x1, b.y1, whole or not near(b)) for text, b in pieces[number]]
        if whole:
            found += [PlacedText(row.text, 36, 36, 559, 46, True) for row in begun[number]]
        else:
            boxless += begun[number]
        sentences = tuple(format_requirement(atoms) for atoms in sorted(requires[number]))
        pages.append(CutPage(number, whole, tuple(found), sentences, place_bars(found, around[number])))
    beside = [SetLine("text", row.text) for row in sorted(boxless, key=lambda row: row.position)]
    return tuple(pages), (*beside, *list_more(last, part))


def split_at_boxes(row: Paragraph) -> Iterator[tuple[str, Box]]:
    """The text cut at its boxes, with what stands between two of them. A word may stand in several places."""
    boxes = [box for box in read_boxes(row.boxes) if box.start < box.end]
    starts = sorted({box.start for box in boxes})
    ends = dict(zip(starts, [*starts[1:], len(row.text)], strict=True)) if starts else {}
    told: set[tuple[int, int]] = set()
    for box in boxes:
        again = (box.page, box.start) in told
        told.add((box.page, box.start))
        first = 0 if box.start == starts[0] else box.start
        yield "" if again else row.text[first : ends[box.start]], box


class Near:
    """Whether a box comes near one of `hidden`."""

    def __init__(self, hidden: Iterable[Box]) -> None:
        self.strips: dict[int, list[Box]] = defaultdict(list)
        for box in hidden:
            for strip in range(int((box.y0 - CLEAR) // STEP), int((box.y1 + CLEAR) // STEP) + 1):
                self.strips[strip].append(box)

    def __call__(self, box: Box) -> bool:
        return any(
            other.x0 - CLEAR < box.x1 + PAD
            and box.x0 - PAD < other.x1 + CLEAR
            and other.y0 - CLEAR < box.y1 + PAD
            and box.y0 - PAD < other.y1 + CLEAR
            for strip in range(int((box.y0 - PAD) // STEP), int((box.y1 + PAD) // STEP) + 1)
            for other in self.strips.get(strip, ())
        )


# Text that is set anew


def typeset_blocks(blocks: Sequence[Block], part: PageRange) -> tuple[SetLine, ...]:
    """What the reader shows, block by block."""
    lines: list[SetLine] = []
    page = 0
    for block in blocks:
        turned = block.page is not None and block.page != page
        page = block.page or page
        if max(page, 1) not in part:
            continue
        if turned:
            lines.append(SetLine("note", f"Page {page}"))
        if isinstance(block, TextBlock):
            lines.append(SetLine("heading" if block.kind == "heading" else "text", block.text))
        else:
            lines.append(SetLine("note", format_requirement(block.requires)))
    return (SetLine("note", NOTICE), *lines, *list_more(page, part)) if lines else ()


def list_more(last: int, part: PageRange) -> Sequence[SetLine]:
    """last: the last page that the caller may know of."""
    return [SetLine("note", MORE.format(part.last + 1))] if last > part.last else []


def format_requirement(requires: Iterable[int]) -> str:
    with translation.override(None):  # the notes of a PDF are in English, whoever asks for it
        return f"Hidden: needs {named_labels(list_atom_chips(requires))}"
