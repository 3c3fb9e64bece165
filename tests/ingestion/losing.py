"""Readers that lose paragraphs and know nothing of it."""

from collections.abc import Callable
from pathlib import Path

from ingestion import drift
from ingestion.documents import Extraction, ParagraphText

Lost = Callable[[ParagraphText], bool]
Loses = Callable[[Lost], None]


def without(extraction: Extraction, lost: Lost) -> Extraction:
    """What a reader gives that loses some paragraphs, and knows nothing of it."""
    rows = [row for row, p in zip(extraction.rows_to_json(), extraction.paragraphs, strict=True) if not lost(p)]
    head = {**extraction.head_to_json(), "attachments": [], "links": []}  # they name paragraphs by number
    return Extraction.from_json(head, rows)


def found(path: Path, extraction: Extraction) -> set[str]:
    try:
        drift.check_losses(path, extraction)
    except drift.ContentLost as loss:
        return {one.code for one in loss.losses}
    return set()
