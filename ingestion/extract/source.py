"""Source code, settings and YAML: lines as they stand, parted where nothing is written."""

from __future__ import annotations

from ingestion.documents import Extraction
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean

LEAST = 400  # characters of a block: shorter ones are joined with the next, so that a name stands by its value


def extract(text: str, media_type: str) -> Extraction:
    builder = Builder()
    add_code(builder, text)
    return builder.build_extraction(media_type, None)


def add_code(builder: Builder, text: str) -> None:
    """Appends blocks of code, each of LEAST characters or more."""
    block: list[str] = []
    size = 0
    for line in [*clean(text).expandtabs(4).split("\n"), ""]:
        if line.strip():
            block.append(line.rstrip())
            size += len(line)
        elif size >= LEAST:
            builder.add("\n".join(block), "code")
            block, size = [], 0
        elif block:
            block.append("")
    builder.add("\n".join(block).rstrip(), "code")
