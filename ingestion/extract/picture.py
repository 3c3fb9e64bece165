"""A picture as a file: a scan of one page, or of several in a TIFF. Its text is what is read on it, with boxes."""

from __future__ import annotations

from pathlib import Path

from ingestion.documents import Extraction
from ingestion.extract.build import Builder
from ingestion.extract.eyes import MORE, PAPER, UNCHECKED, Eyes, note_doubt
from ingestion.extract.pdf_lines import group_in_reading_order, split_segments
from ingestion.extract.pdf_paragraphs import Hyphenation, build_blocks
from ingestion.extract.picture_text import (
    BY_OCR_ONLY,
    add_markdown,
    find_untranscribed_words,
    join_in_a_row,
    list_words,
    place_boxes,
)
from ingestion.extract.scan_pictures import Unreadable, count_frames, measure_size
from ingestion.extract.sweep_picture import sweep_picture
from ingestion.picture_reading import PictureReading, Region
from ingestion.sandbox.limits import Limits, Quarantined, Report


def extract(path: Path, media_type: str, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: corrupt, empty, too_many_pages."""
    report("reading")
    try:
        pages = count_frames(path, limits.pages)
    except Unreadable:
        raise Quarantined("corrupt", "This picture is damaged and cannot be opened. Save it again.") from None
    if pages > limits.pages:
        raise Quarantined(
            "too_many_pages", f"This file has more than {limits.pages:,} pictures; so many are not read. Split it."
        )
    builder = Builder()
    blank = 0
    for number in range(1, pages + 1):
        report("reading", number, pages)
        seen = eyes.look(f"page {number}", number)
        if seen is None:
            builder.miss("no_text_layer", "This picture was not read; what it shows is not known.", number)
        else:
            blank += not _add_picture(path, seen, number, builder)
            if seen.more:
                builder.miss("image", MORE, number)
    if blank == pages and not builder.has_gaps():
        raise Quarantined("empty", "This picture shows nothing but blank paper. Check that you chose the right file.")
    sweep_picture(path.read_bytes(), builder)
    return builder.build_extraction(media_type, pages)


def _add_picture(path: Path, seen: PictureReading, number: int, builder: Builder) -> bool:
    """Whether there is anything on it."""
    note_doubt(seen, builder, number)
    before = len(builder)
    if seen.text:
        add_markdown(seen, number, builder, list_words(seen), _find_area(path, seen, number))
        text, row = join_in_a_row(find_untranscribed_words(seen), number)
        builder.add(text, page=number, boxes=place_boxes(row, seen), path=BY_OCR_ONLY, read_by="ocr")
        if not seen.width:
            builder.miss("vision_unchecked", UNCHECKED, number)
    else:
        runs = split_segments(list_words(seen))
        sizes = sorted(run.size for run in runs for _ in run.words)
        body = sizes[len(sizes) // 2] if sizes else 10.0
        hyphenation = Hyphenation.of(runs)
        for group in group_in_reading_order(runs, seen.width):
            for block in build_blocks(group, number, body, hyphenation):
                boxes = place_boxes(block.boxes, seen)
                builder.add(block.text, block.kind, page=number, boxes=boxes, level=block.level, read_by="ocr")
    if len(builder) == before and seen.ink > PAPER:
        builder.miss("no_text_layer", "No text could be read on this picture.", number)
        return True
    return len(builder) > before


def _find_area(path: Path, seen: PictureReading, number: int) -> Region | None:
    if seen.width:
        return 0.0, 0.0, seen.width, seen.height
    try:
        return 0.0, 0.0, *measure_size(path, number - 1)
    except Unreadable:
        return None
