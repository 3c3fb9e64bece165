"""The door to extraction for everybody outside the limited process."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingestion.documents import Extraction, Note
from ingestion.extract.counting import STAGE
from ingestion.picture_reading import PictureReading, WantedPicture
from ingestion.sandbox import Limits, Progress, Quarantined, run_limited
from ingestion.sandbox.runner import Listener

STRATEGIES = frozenset({"text", "layout", "ocr", "vision"})
MAX_BAD_PAGES = 5
OF_ONE_PAGE = frozenset({"timeout", "memory", "crashed"})


@dataclass(frozen=True, slots=True)
class LookResult:
    """What somebody saw who looked at pictures, by key; None where nothing could be made out. Keys that are missing
    were not looked at. notes: to be told of the file."""

    seen: Mapping[str, PictureReading | None]
    notes: tuple[Note, ...] = ()


Look = Callable[[Path, Sequence[WantedPicture]], LookResult]


def take_attachment(path: Path, part: int, *, limits: Limits | None = None) -> bytes:
    """The bytes of a part of a message, by the number that its extraction gave it. Raises Quarantined."""
    answer = run_limited("ingestion.extract.mail:read_attachment", path, limits=limits, options={"part": part})
    blob = answer.get("blob")
    if not isinstance(blob, bytes):
        raise Quarantined("crashed", "The reader gave an answer that makes no sense for this file.")
    return blob


def extract_file(
    path: Path,
    name: str,
    *,
    limits: Limits | None = None,
    on_progress: Listener | None = None,
    strategy: str | None = None,
    look: Look | None = None,
    counts: bool = False,
) -> Extraction:
    """Reads one uploaded file. name: the name it came with, which its content is compared with.

    strategy: `text` (what the file says itself, no tables), `layout` (tables are looked for on every page), `ocr` and
    `vision` (every page is looked at), or None: layout for pages whose ruling lines suggest a table, and pages whose
    text says too little are looked at, as are pictures. look: who looks; without, pictures are recorded as not read.
    counts: what a text holds is counted in the same process (`Extraction.counted`). A
    page that breaks the reader, takes too long or too much memory is left out and recorded as `page_failed`; the others
    are read again without it, up to MAX_BAD_PAGES times.

    Raises Quarantined with a reason for people, ValueError for an unknown strategy.
    """
    if strategy is not None and strategy not in STRATEGIES:
        raise ValueError(f"not a strategy of extraction: {strategy!r}")
    limits = limits or Limits()
    skip: list[int] = []
    extraction = _read_once(path, name, limits, on_progress, strategy, skip, None, counts)
    if look is None or not extraction.wanted:
        return extraction
    looked = look(path, extraction.wanted)
    if looked.seen:
        with tempfile.NamedTemporaryFile("w", prefix="clearance-seen-", suffix=".jsonl", encoding="utf-8") as seen:
            for key, what in looked.seen.items():
                seen.write(json.dumps([key, None if what is None else what.to_json()], ensure_ascii=False) + "\n")
            seen.flush()
            extraction = _read_once(path, name, limits, on_progress, strategy, skip, Path(seen.name))
    return replace(extraction, wanted=(), notes=(*extraction.notes, *looked.notes))


def _read_once(
    path: Path,
    name: str,
    limits: Limits,
    on_progress: Listener | None,
    strategy: str | None,
    skip: list[int],
    seen: Path | None,
    counts: bool = False,
) -> Extraction:
    """One reading; pages that break it are added to `skip`. What breaks only while it is counted is read without."""
    stage = ""

    def listen(progress: Progress) -> None:
        nonlocal stage
        stage = progress.stage
        if on_progress is not None:
            on_progress(progress)

    while True:
        pictures = str(seen) if seen else None
        options = {"name": name, "strategy": strategy, "skip": skip, "seen": pictures, "counts": counts}
        try:
            answer = run_limited(
                "ingestion.extract.inside:run_extraction",
                path,
                limits=limits,
                on_progress=listen,
                options=options,
                readable=[seen] if seen else [],
            )
        except Quarantined as refusal:
            if counts and stage == STAGE:
                counts = False
                continue
            page = refusal.page
            if refusal.code not in OF_ONE_PAGE or page is None or page in skip or len(skip) == MAX_BAD_PAGES:
                raise
            skip.append(page)
            continue
        try:
            extraction = Extraction.from_json(answer, answer.get("rows", []))
            return replace(extraction, counted=answer.get("counted"))
        except ValueError:
            raise Quarantined("crashed", "The reader gave an answer that makes no sense for this file.") from None
