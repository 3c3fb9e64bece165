"""Drift: what was read of a file against what it holds, and against itself (docs/adr/0033).

Checked after extraction, and after anything that a model makes of a text. What is lost without a word is not published:
the file is quarantined with the reason, until a steward releases or rejects it (`ingestion.quarantine`).
"""

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ingestion.boxes import Boxes
from ingestion.documents import Extraction, Note, UnreadContent
from ingestion.extract.clean import clean
from ingestion.extract.counting import WORD, count_words
from ingestion.extract.mail import OTHER_VERSION
from ingestion.extract.right_to_left import RIGHT_TO_LEFT
from ingestion.pieces import measure_table_header
from ingestion.sandbox import Limits, Quarantined, run_limited

logger = logging.getLogger(__name__)

NOT_ALL = "What was read of this file is not all that it holds, so a steward looks at it first."
REMEDY = "You need not wait: save it in another form, such as PDF, and upload that."
NOT_COMPARED = UnreadContent(
    "not_compared", "What was read could not be compared with what the file holds, so some of it may be missing."
)
LEAST_WORDS = 0.95
"""Share of the words of a file that must stand in what was read of it."""
MIN_PAGE_SHARE = 0.5
"""Share of a page's words that must stand in what was read of that page."""
MIN_PAGE_WORDS = 10  # different ones
MIN_DISCLOSED_SHARE = 0.01
"""Share of the words of all pages: where more than that is missing, people are told."""
FEW_OF_MANY = 0.002
"""Share of the words of a file that may be missing while its tables and headings are not compared: what it hides."""
_WORDLESS = "attachment drawing embedded_object font image macros media remote_reference script thumbnail"
WORDLESS = frozenset(_WORDLESS.split())
"""Codes of what was not read that account for no word that is counted."""
PATIENCE = 10.0
"""Seconds without progress after which counting is given up: the file has been read by then."""
FEW_WORDS = 20
MAX_OFFSET = 20  # between the number that a page bears and its place in the file
_DOUBLED = re.compile(r"(.)\1")  # a letter printed twice to look bold
NAMED = {
    "headings": ("heading", "headings"),
    "tables": ("table", "tables"),
    "code": ("block of code", "blocks of code"),
}


@dataclass(frozen=True)
class Structure:
    """How much there is of what. None: not counted. pages: the words of each page, each once."""

    headings: int | None = None
    tables: int | None = None
    code: int | None = None
    words: Counter[str] = field(default_factory=Counter)
    pages: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Loss:
    """code: of what there is less than there must be. detail: a sentence for people, without a word of the text."""

    code: str
    detail: str

    def to_json(self) -> list[str]:
        return [self.code, self.detail]


class ContentLost(Quarantined):
    """Not all that the file holds was read."""

    def __init__(self, found: Sequence[Loss]) -> None:
        losses = " ".join(loss.detail for loss in found)[:300]
        super().__init__("drift", f"{NOT_ALL} {losses} {REMEDY}")
        self.losses = tuple(found)


def check_losses(path: Path, extraction: Extraction, *, limits: Limits | None = None) -> Extraction:
    """What was read of the file at `path`; where that could not be compared, it says so as of something that was not
    read. Raises Drifted."""
    source = _read_counted(extraction) or _count_source(path, extraction, limits)
    extraction = replace(extraction, counted=None)
    missing = count_missing_words(source, extraction) if source is not None else {}
    found = (*find_own_losses(extraction), *find_losses(source or Structure(), extraction, missing))
    if found:
        raise ContentLost(found)
    if source is None:
        return replace(extraction, unaccounted=(*extraction.unaccounted, NOT_COMPARED))
    return replace(extraction, notes=(*extraction.notes, *list_loss_notes(source, missing)))


def _read_counted(extraction: Extraction) -> Structure | None:
    """What was counted of the file when it was read; None where it was not, or makes no sense."""
    if extraction.counted is None:
        return None
    with suppress(ValueError, TypeError, AttributeError):
        return read_structure(extraction.counted)
    return None


def _count_source(path: Path, extraction: Extraction, limits: Limits | None) -> Structure | None:
    """What the file holds. None where it cannot be counted: the reader got through it, so it is published, but whether
    that is all nobody knows."""
    options = {"media_type": extraction.media_type}
    patient = limits or Limits(silence_seconds=PATIENCE, page_seconds=PATIENCE)
    try:
        return read_structure(
            run_limited("ingestion.extract.structure:measure_structure", path, limits=patient, options=options)
        )
    except Quarantined:
        logger.warning("what %s holds could not be counted", path.name, exc_info=True)
        return None


def read_structure(found: Mapping[str, Any]) -> Structure:
    return Structure(
        found.get("headings"),
        found.get("tables"),
        found.get("code"),
        Counter({str(word): int(count) for word, count in found.get("rows", [])}),
        tuple(tuple(map(str, page)) for page in found.get("page_words", [])),
    )


def measure_structure(extraction: Extraction) -> Structure:
    """Of what was read: for comparison with its file, or with what a model made of it."""
    kinds = Counter(paragraph.kind for paragraph in extraction.paragraphs)
    return Structure(
        kinds["heading"],
        kinds["table"],
        kinds["code"],
        count_words(extraction.text),
    )


def find_losses(source: Structure, extraction: Extraction, missing: Mapping[int, int] | None = None) -> Iterator[Loss]:
    """What `source` has and `extraction` lacks, apart from what extraction itself says that it could not read.
    missing: what `count_missing_words` gives, where that is known.
    """
    read = measure_structure(extraction)
    broken = any(one.code == "page_failed" for one in extraction.unaccounted)
    count = source.words.total()
    kept = (source.words & read.words).total()
    # Where every word is there, a table that was read as text is no loss.
    if not broken and (not count or count - kept > FEW_OF_MANY * count):
        for name, (one, many) in NAMED.items():
            there, found = getattr(source, name), getattr(read, name)
            if there is not None and found < there:
                yield Loss(
                    name, f"It has {there} {one if there == 1 else many}, and {found or 'none'} of them was read."
                )
    missed = {one.page for one in extraction.unaccounted if one.code not in WORDLESS}
    if count >= FEW_WORDS and not missed and kept < LEAST_WORDS * count:
        yield Loss("words", f"Of its {count:,} words {count - kept:,} are missing in what was read.")
    missing = count_missing_words(source, extraction) if missing is None else missing
    poor = []
    for page, lost_here in missing.items():
        there = len(source.pages[page - 1])
        if there >= MIN_PAGE_WORDS and lost_here > (1 - MIN_PAGE_SHARE) * there:
            poor.append(page)
    if poor:
        yield Loss("pages", f"Most of the text of page {_format_pages(poor)} is missing in what was read.")


def list_loss_notes(source: Structure, missing: Mapping[int, int]) -> Iterator[Note]:
    """What is too little to put a file aside, and still is not all of it. missing: words by page."""
    if sum(missing.values()) > MIN_DISCLOSED_SHARE * sum(map(len, source.pages)):
        pages, count = _format_pages(list(missing)), sum(missing.values())
        sentence = f"Words of page {pages} were not found in what was read: {count} in all."
        yield Note("words_missing", f"{sentence} Compare with the original.")


def count_missing_words(source: Structure, extraction: Extraction) -> dict[int, int]:
    """Page -> how many of its words do not stand in what was read of it. Pages of which extraction itself says that it
    could not read something are left out."""
    read: list[list[str]] = [[] for _ in source.pages]
    for paragraph in extraction.paragraphs:
        if not paragraph.boxes and paragraph.page is not None and paragraph.page <= len(read):
            read[paragraph.page - 1].append(paragraph.text)
        for page, start, end in Boxes(paragraph.boxes).iter_slices():
            if page <= len(read):
                read[page - 1].append(paragraph.text[start:end])
    missed = {missing.page for missing in extraction.unaccounted if missing.code not in WORDLESS}
    found = {}
    for page, (there, pieces) in enumerate(zip(source.pages, read, strict=True), start=1):
        if {page, None} & missed:
            continue
        text = "".join(WORD.findall(clean("".join(pieces)).casefold()))
        lost_here = sum(not _stands_in(word, text, page) for word in there)
        if lost_here:
            found[page] = lost_here
    return found


def _stands_in(word: str, text: str, page: int) -> bool:
    """Whether a word of a page stands in the letters that were read of it. Not asked of its number, nor of letters that
    are written from right to left, for those come in another order."""
    if word in text or RIGHT_TO_LEFT.search(word):
        return True
    if word.isdecimal():
        return len(word) < 5 and abs(int(word) - page) <= MAX_OFFSET
    return _DOUBLED.sub(r"\1", word) in text


def _format_pages(pages: Sequence[int]) -> str:
    return ", ".join(map(str, pages[:5])) + (" and others" if len(pages) > 5 else "")


def find_own_losses(extraction: Extraction) -> Iterator[Loss]:
    """What cannot be right in any extraction: spans, places and tables that contradict themselves."""
    start = 0
    above: set[tuple[str, ...]] = {()}
    wrong = Counter[str]()
    for paragraph in extraction.paragraphs:
        wrong["spans"] += (paragraph.start, paragraph.end) != (start, start + len(paragraph.text))
        start = paragraph.end + 2
        wrong["empty"] += not paragraph.text.strip()
        wrong["tables"] += paragraph.kind == "table" and not measure_table_header(f"{paragraph.text}\n")
        # Readers give sections of their own to what stands outside the text, such as properties or another version.
        path = paragraph.heading_path
        path = path[:-1] if path[-1:] == (OTHER_VERSION,) else path
        wrong["sections"] += path[:1] in above and path not in above
        if paragraph.kind == "heading":
            above.add((*paragraph.heading_path, paragraph.text))
        slices = list(Boxes(paragraph.boxes).iter_slices())
        if extraction.pages is not None:
            places = {paragraph.page, *(page for page, _, _ in slices)} - {None}
            wrong["places"] += any(not 1 <= page <= extraction.pages for page in places if page is not None)
        wrong["boxes"] += any(not 0 <= begin <= end <= len(paragraph.text) for _, begin, end in slices)
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
