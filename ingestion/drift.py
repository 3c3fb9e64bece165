"""Drift: what was read of a file against what it holds, and against itself (docs/adr/0033).

Checked after extraction, and after anything that a model makes of a text. What is lost without a word is not published:
the file is quarantined with the reason, until a steward releases or rejects it (`ingestion.quarantine`).
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ingestion.documents import Extraction, Unaccounted
from ingestion.extract.build import ORNAMENTS
from ingestion.extract.counting import words
from ingestion.extract.mail import OTHER_VERSION
from ingestion.pieces import table_header
from ingestion.sandbox import Limits, Quarantined, run_limited

logger = logging.getLogger(__name__)

NOT_ALL = "What was read of this file is not all that it holds, so a steward looks at it first."
NOT_COMPARED = Unaccounted(
    "not_compared", "What was read could not be compared with what the file holds, so some of it may be missing."
)
LEAST_WORDS = 0.95
"""Share of the words of a file that must stand in what was read of it."""
LEAST_OF_PAGE = 0.5
"""Share of a page's letters and digits: what stands on every page is told once."""
PATIENCE = 10.0
"""Seconds without progress after which counting is given up: the file has been read by then."""
FEW_WORDS = 20
FEW_CHARACTERS = 200
NAMED = {
    "headings": ("heading", "headings"),
    "tables": ("table", "tables"),
    "code": ("block of code", "blocks of code"),
}


@dataclass(frozen=True)
class Structure:
    """How much there is of what. None: not counted. pages: letters and digits of each page."""

    headings: int | None = None
    tables: int | None = None
    code: int | None = None
    words: Counter[str] = field(default_factory=Counter)
    pages: tuple[int, ...] = ()


@dataclass(frozen=True)
class Loss:
    """code: of what there is less than there must be. detail: a sentence for people, without a word of the text."""

    code: str
    detail: str

    def to_json(self) -> list[str]:
        return [self.code, self.detail]


class Drifted(Quarantined):
    """Not all that the file holds was read."""

    def __init__(self, found: Sequence[Loss]) -> None:
        super().__init__("drift", f"{NOT_ALL} {' '.join(loss.detail for loss in found)}"[:500])
        self.losses = tuple(found)


def check(path: Path, extraction: Extraction, *, limits: Limits | None = None) -> Extraction:
    """What was read of the file at `path`; where that could not be compared, it says so as of something that was not
    read. Raises Drifted."""
    source = _source(path, extraction, limits)
    found = (*own_losses(extraction), *lost(source or Structure(), extraction))
    if found:
        raise Drifted(found)
    return extraction if source else replace(extraction, unaccounted=(*extraction.unaccounted, NOT_COMPARED))


def _source(path: Path, extraction: Extraction, limits: Limits | None) -> Structure | None:
    """What the file holds. None where it cannot be counted: the reader got through it, so it is published, but whether
    that is all nobody knows."""
    options = {"media_type": extraction.media_type}
    patient = limits or Limits(silence_seconds=PATIENCE, page_seconds=PATIENCE)
    try:
        return source_of(run_limited("ingestion.extract.structure:task", path, limits=patient, options=options))
    except Quarantined:
        logger.warning("what %s holds could not be counted", path.name, exc_info=True)
        return None


def source_of(found: dict[str, Any]) -> Structure:
    return Structure(
        found.get("headings"),
        found.get("tables"),
        found.get("code"),
        Counter({str(word): int(count) for word, count in found.get("rows", [])}),
        tuple(map(int, found.get("pages", []))),
    )


def structure_of(extraction: Extraction) -> Structure:
    """Of what was read: for comparison with its file, or with what a model made of it."""
    kinds = Counter(paragraph.kind for paragraph in extraction.paragraphs)
    pages: Counter[int] = Counter()
    for paragraph in extraction.paragraphs:
        for box in paragraph.boxes:
            pages[box.page] += sum(map(str.isalnum, paragraph.text[box.start : box.end]))
        if not paragraph.boxes and paragraph.page:
            pages[paragraph.page] += sum(map(str.isalnum, paragraph.text))
    return Structure(
        kinds["heading"],
        kinds["table"],
        kinds["code"],
        words(extraction.text),
        tuple(pages[number] for number in range(1, (extraction.pages or 0) + 1)),
    )


def lost(source: Structure, extraction: Extraction) -> Iterator[Loss]:
    """What `source` has and `extraction` lacks, apart from what extraction itself says that it could not read."""
    read = structure_of(extraction)
    broken = any(missing.code == "page_failed" for missing in extraction.unaccounted)
    for name, (one, many) in NAMED.items():
        there, kept = getattr(source, name), getattr(read, name)
        if there is not None and kept < there and not broken:
            yield Loss(name, f"It has {there} {one if there == 1 else many}, and {kept or 'none'} of them was read.")
    missed = {missing.page for missing in extraction.unaccounted if missing.code not in ORNAMENTS}
    count = source.words.total()
    if count >= FEW_WORDS and not missed:
        kept = (source.words & read.words).total()
        if kept < LEAST_WORDS * count:
            yield Loss("words", f"Of its {count:,} words {count - kept:,} are missing in what was read.")
    poor = [
        number
        for number, (there, kept) in enumerate(zip(source.pages, read.pages, strict=False), start=1)
        if there >= FEW_CHARACTERS and kept < LEAST_OF_PAGE * there and not {number, None} & missed
    ]
    if poor:
        shown = ", ".join(map(str, poor[:5])) + (" and others" if len(poor) > 5 else "")
        yield Loss("pages", f"Most of the text of page {shown} is missing in what was read.")


def own_losses(extraction: Extraction) -> Iterator[Loss]:
    """What cannot be right in any extraction: spans, places and tables that contradict themselves."""
    start = 0
    above: set[tuple[str, ...]] = {()}
    wrong = Counter[str]()
    for paragraph in extraction.paragraphs:
        wrong["spans"] += (paragraph.start, paragraph.end) != (start, start + len(paragraph.text))
        start = paragraph.end + 2
        wrong["empty"] += not paragraph.text.strip()
        wrong["tables"] += paragraph.kind == "table" and not table_header(f"{paragraph.text}\n")
        # Readers give sections of their own to what stands outside the text, such as properties or another version.
        path = paragraph.heading_path
        path = path[:-1] if path[-1:] == (OTHER_VERSION,) else path
        wrong["sections"] += path[:1] in above and path not in above
        if paragraph.kind == "heading":
            above.add((*paragraph.heading_path, paragraph.text))
        if extraction.pages is not None:
            places = {paragraph.page, *(box.page for box in paragraph.boxes)} - {None}
            wrong["places"] += any(not 1 <= page <= extraction.pages for page in places if page is not None)
        wrong["boxes"] += any(not 0 <= box.start <= box.end <= len(paragraph.text) for box in paragraph.boxes)
    for name, sentence in (
        ("spans", "Paragraphs are not where the text says that they stand."),
        ("empty", "Some paragraphs have no text."),
        ("tables", "Some tables have lost their header."),
        ("sections", "Some paragraphs stand under headings that were not read."),
        ("places", "Some paragraphs stand on pages that the file does not have."),
        ("boxes", "Some words have no place in their paragraph."),
    ):
        if wrong[name]:
            yield Loss(name, f"{sentence} Paragraphs concerned: {wrong[name]}.")
