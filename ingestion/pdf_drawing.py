"""Pages of a PDF drawn in the limited process, as far as `pdf_shown` found them to be the caller's."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.blobs import BlobMissing, local_copy
from ingestion.page_pictures import DRAWING, PATIENCE
from ingestion.sandbox import Limits, ProcessKilled, Quarantined, run_limited
from ingestion.visible_pdf import DisclosedPdf

LIMITS = Limits(wall_seconds=60.0, page_seconds=20.0, silence_seconds=20.0, cpu_seconds=60)
LARGEST = 20_000  # points: of a side of a page
# Small pictures are an ornament: they never wait where pages are drawn that somebody reads, nor take long.
SMALL = threading.BoundedSemaphore(1)
SMALL_PATIENCE = 1.0  # seconds
SMALL_LIMITS = Limits(wall_seconds=6.0, page_seconds=3.0, silence_seconds=3.0, cpu_seconds=6)


@dataclass(frozen=True)
class PageJpeg:
    """A page. jpeg: b"" for an empty one. across, down: pixels. width, height: points."""

    jpeg: bytes
    across: int
    down: int
    width: float
    height: float


def draw_pictures(shown: DisclosedPdf, longest: int = 0) -> list[PageJpeg] | None:
    """One for each page; None where they cannot be drawn, now or at all. longest: pixels of the longer side of a small
    picture, 0 for pages as they are drawn. No scope may be open: it takes a while.
    """
    slots, patience, limits = (SMALL, SMALL_PATIENCE, SMALL_LIMITS) if longest else (DRAWING, PATIENCE, LIMITS)
    if not shown.pages or not slots.acquire(timeout=patience):
        return None
    options = {"pages": [[page.number, page.copied_rectangles] for page in shown.pages], "longest": longest}
    try:
        with local_copy(shown.path) as path:
            answer = run_limited("ingestion.extract.cutting:draw_cut_pages", path, limits=limits, options=options)
        return read_drawings(answer.get("blob", b""), answer["sizes"], len(shown.pages))
    except (Quarantined, ProcessKilled, BlobMissing, FileNotFoundError, KeyError, TypeError, ValueError):
        return None
    finally:
        slots.release()


def read_drawings(blob: bytes, sizes: Sequence[Sequence[float]], count: int) -> list[PageJpeg]:
    """Nothing that the limited process says is trusted. Raises: ValueError."""
    pictures, place = [], 0
    for length, across, down, width, height in sizes:
        if not (0 <= length <= len(blob) - place and 1 <= width <= LARGEST and 1 <= height <= LARGEST):
            raise ValueError("a picture that cannot be")
        jpeg = blob[place : place + int(length)]
        pictures.append(PageJpeg(jpeg, int(across), int(down), float(width), float(height)))
        place += int(length)
    if len(pictures) != count:
        raise ValueError("as many pictures as pages were asked for")
    return pictures
