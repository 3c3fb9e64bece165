"""How well a folder of files is read: what is opened, what is refused and why, and PDF text beside bare pypdfium2.

Every file is read as an upload is, by `extract_file` in its limited process. For a PDF the same is done once more
beside a plain reading with pypdfium2, within one limited process, so that their processor time can be compared.
"""

from __future__ import annotations

import re
import time
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import extract_file, sniff
from ingestion.sandbox import Limits, Quarantined, run_limited
from ingestion.sandbox.limits import Report

COMPARISON_TASK = "ingestion.evaluation.reading:compare_pdf"
WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class PdfComparison:
    """words: of pypdfium2's text. shared: of those, how many were read too. ordered, placed: of the words that stand
    once on a page for both readers, how many are in the same order, and all. seconds: of processor time, ours and that
    of pypdfium2."""

    pages: int
    words: int
    shared: int
    ordered: int
    placed: int
    seconds: float
    reference_seconds: float


@dataclass(frozen=True, slots=True)
class FileReading:
    """refusal: code and sentence, None for a file that was read. missing: codes of what was not read of it."""

    name: str
    extension: str
    characters: int = 0
    refusal: tuple[str, str] | None = None
    missing: tuple[str, ...] = ()
    comparison: PdfComparison | None = None


def read_files(folder: Path, *, compare: bool = True) -> Iterator[FileReading]:
    """One result for every file in a folder and its subfolders, in the order of their names."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield read_file(path, str(path.relative_to(folder)), compare=compare)


def read_file(path: Path, name: str, *, compare: bool = True) -> FileReading:
    extension = path.suffix.lower() or "(none)"
    try:
        extraction = extract_file(path, path.name)
    except Quarantined as refusal:
        return FileReading(name, extension, refusal=(refusal.code, refusal.detail))
    comparison = None
    if compare and extraction.media_type == sniff.PDF:
        try:
            comparison = measure_pdf(path, extraction)
        except Quarantined:  # pypdfium2 may fail where the product had a way round
            comparison = None
    missing = tuple(sorted({missing.code for missing in extraction.unaccounted}))
    return FileReading(name, extension, len(extraction.text), None, missing, comparison)


def measure_pdf(path: Path, extraction: Extraction) -> PdfComparison:
    """Raises Quarantined where the limited process ends without an answer."""
    timing = run_limited(COMPARISON_TASK, path, options={"name": path.name})
    reference = [split_words(str(text)) for text in timing["rows"]]
    pages: list[list[str]] = [[] for _ in reference]
    for paragraph in extraction.paragraphs:
        if paragraph.page is not None and paragraph.page <= len(pages):
            pages[paragraph.page - 1] += split_words(paragraph.text)
    extracted = Counter(split_words(extraction.text))
    order = [count_ordered(mine, theirs) for mine, theirs in zip(pages, reference, strict=True)]
    counted = Counter(word for page in reference for word in page)
    return PdfComparison(
        len(reference),
        counted.total(),
        (counted & extracted).total(),
        sum(ordered for ordered, _ in order),
        sum(placed for _, placed in order),
        float(timing["seconds"]),
        float(timing["reference_seconds"]),
    )


def split_words(text: str) -> list[str]:
    return WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def count_ordered(mine: Sequence[str], theirs: Sequence[str]) -> tuple[int, int]:
    """Of the words that stand once in both texts: how many follow each other alike, and how many there are."""
    once, places = Counter(theirs), {word: place for place, word in enumerate(theirs)}
    own = Counter(mine)
    shared = [places[word] for word in mine if own[word] == 1 and once[word] == 1]
    ends: list[int] = []  # of the shortest last places of rising rows of each length
    for place in shared:
        position = bisect_left(ends, place)
        ends[position : position + 1] = [place]
    return len(ends), len(shared)


def compare_pdf(path: Path, *, limits: Limits, report: Report, name: str) -> dict[str, Any]:
    """Task for the limited process: {seconds, reference_seconds, rows: the text of each page by pypdfium2}."""
    import pypdfium2

    from ingestion.extract import inside

    begun = time.process_time()
    try:
        inside.run_extraction(path, limits=limits, report=report, name=name)
    except Exception:  # the first reading went round what breaks this one; the time is still that of a reading
        report("reading")
    read = time.process_time()
    document = pypdfium2.PdfDocument(path)
    texts = []
    for number in range(len(document)):
        report("comparing", number + 1, len(document))
        page = document[number]
        text = page.get_textpage()
        texts.append(text.get_text_range())
        text.close()
        page.close()
    return {"seconds": read - begun, "reference_seconds": time.process_time() - read, "rows": texts}
