"""The page on which a paragraph stands, with a band for each paragraph that the steward may read (docs/adr/0030).

Who is cleared for the whole original sees the page as it is, drawn in the limited process. Everybody else sees the
words that they may read, set where they stand on an empty page: nothing of that comes from the original, so nothing of
what is hidden can be in it, and it looks the same whether or not there is anything hidden.
"""

import base64
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from entities.access import Scope
from entities.api.lists import list_chips
from entities.models import FieldParagraph
from ingestion.blobs import BlobMissing, local_copy
from ingestion.boxes import Box, Boxes
from ingestion.desk import select_paragraphs
from ingestion.downloads import is_allowed
from ingestion.extract.sniff import PDF
from ingestion.models import File, FileRevision, Paragraph
from ingestion.sandbox import Limits, ProcessKilled, Quarantined, run_limited

A4 = (595.0, 842.0)  # points
LIMITS = Limits(wall_seconds=20.0, page_seconds=15.0, silence_seconds=10.0, cpu_seconds=30)
DRAWING = threading.BoundedSemaphore(2)
"""Pages that this process has drawn at one time: each is a process of its own, of up to 512 MB."""
PATIENCE = 15.0  # seconds to wait for one's turn


@dataclass(frozen=True)
class SheetLine:
    """A line of a band, in points from the top left of the page."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class SheetWord:
    """A word where it stands, for a page that is set anew. baseline, size: in points."""

    text: str
    x: float
    baseline: float
    width: float
    size: float


@dataclass(frozen=True)
class Band:
    """A paragraph on the page. chips: its atoms, None while unlabelled. chosen: the one that is decided on."""

    lines: Sequence[SheetLine]
    words: Sequence[SheetWord]
    chips: Sequence[Any] | None
    chosen: bool

    @property
    def name(self) -> str:
        """What stands beside it: the names of its labels."""
        return "Not labelled" if self.chips is None else " + ".join(str(chip.label) for chip in self.chips) or "Public"

    @property
    def is_named(self) -> bool:
        """Whether the name is written: most of most pages is Public, which the band's title says."""
        return self.chosen or self.chips is None or bool(self.chips)

    @property
    def color(self) -> str:
        return str(self.chips[0].color) if self.chips else "slate"


@dataclass(frozen=True)
class Sheet:
    """What is asked of the database, with the scope open. path: of the bytes to draw, "" where words are set
    instead."""

    page: int
    bands: Sequence[Band]
    path: str
    width: float
    height: float
    picture: str = ""
    problem: str = ""

    @property
    def has_picture(self) -> bool:
        return bool(self.picture)


def load_sheet(scope: Scope, paragraph: Paragraph | FieldParagraph) -> Sheet | None:
    """The page of a paragraph got with `get_paragraph_or_404`, without its picture yet. None where the format has no
    pages, or no places of words.
    """
    if isinstance(paragraph, FieldParagraph) or paragraph.page is None or not paragraph.boxes:
        return None
    page = paragraph.page
    # Also what goes on from the page before. A running header has its band where it stands first.
    near = select_paragraphs(scope).filter(file=paragraph.file_id, page__in=[page - 1, page]).order_by("position")
    bands = [band for row in near if (band := build_band(row, page, chosen=row.pk == paragraph.pk)) is not None]
    edges = [(line.x + line.width, line.y + line.height) for band in bands for line in band.lines]
    width = max([A4[0], *(x + 18 for x, _ in edges)])
    height = max([A4[1], *(y + 18 for _, y in edges)])
    file = File.objects.get(pk=paragraph.file_id)
    path = ""
    if file.media_type == PDF and file.revision_id is not None and is_allowed(scope, file):
        path = FileRevision.objects.select_related("blob").get(pk=file.revision_id).blob.path
    return Sheet(page, bands, path, width, height)


def build_band(row: Paragraph, page: int, *, chosen: bool) -> Band | None:
    boxes = [box for box in Boxes.from_json(row.boxes) if box.page == page] if row.boxes else []
    if not boxes:
        return None
    words = [
        SheetWord(row.text[b.start : b.end], b.x0, b.y1 - 0.22 * (b.y1 - b.y0), b.x1 - b.x0, 0.8 * (b.y1 - b.y0))
        for b in boxes
        if row.text[b.start : b.end].strip()
    ]
    return Band(merge_boxes(boxes), words, list_chips(row.data_classification), chosen)


def merge_boxes(boxes: Iterable[Box]) -> list[SheetLine]:
    """Boxes of words in reading order as one rectangle a line."""
    lines: list[list[float]] = []
    for box in boxes:
        last = lines[-1] if lines else None
        middle = (box.y0 + box.y1) / 2
        if last and last[1] <= middle <= last[3] and box.x0 >= last[0]:
            last[2], last[1], last[3] = max(last[2], box.x1), min(last[1], box.y0), max(last[3], box.y1)
        else:
            lines.append([box.x0, box.y0, box.x1, box.y1])
    return [SheetLine(x0 - 1, y0, x1 - x0 + 2, y1 - y0) for x0, y0, x1, y1 in lines]


def draw_sheet(sheet: Sheet | None) -> Sheet | None:
    """`sheet` with its picture, where it is one to be drawn. No scope may be open: drawing takes a moment. Where the
    page cannot be drawn, its words are set.
    """
    if sheet is None or not sheet.path:
        return sheet
    if not DRAWING.acquire(timeout=PATIENCE):
        return add_problem(sheet, "Many pages are being drawn just now. Here are its words; load the page again later.")
    try:
        with local_copy(sheet.path) as path:
            answer = run_limited(
                "ingestion.extract.drawing:draw_page", path, limits=LIMITS, options={"page": sheet.page}
            )
        blob, width, height = answer["blob"], float(answer["width"]), float(answer["height"])
    except (Quarantined, ProcessKilled, BlobMissing, FileNotFoundError, KeyError, TypeError, ValueError):
        return add_problem(sheet, "This page could not be drawn. Here are its words, where they stand.")
    finally:
        DRAWING.release()
    picture = "data:image/jpeg;base64," + base64.b64encode(blob).decode()
    return Sheet(sheet.page, sheet.bands, sheet.path, width, height, picture)


def add_problem(sheet: Sheet, problem: str) -> Sheet:
    return Sheet(sheet.page, sheet.bands, sheet.path, sheet.width, sheet.height, "", problem)


def keep_if_still_allowed(done: Sheet | None, now: Sheet | None) -> Sheet | None:
    """`now`, what may be shown of the page, with the picture of `done` where it is of bytes that may be shown now."""
    if done is None or now is None or done.path != now.path:
        return now
    return Sheet(now.page, now.bands, now.path, done.width, done.height, done.picture, done.problem)
