"""Recognition of text on pictures, from outside the limited process: batch by batch; one bad picture costs no other.

`Engine` says which Tesseract; `recognise` gives what was seen on each picture, or None where nothing could be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.picture_reading import PictureReading, WantedPicture
from ingestion.sandbox import Limits, Progress, Quarantined, run_limited

BATCH = 8  # pictures a process: what a killed worker does again at most
Keep = Callable[[Mapping[str, PictureReading | None]], None]
Tell = Callable[[Progress], None]


class NoEngine(Exception):
    """Tesseract is not installed here, or none of the languages that are set, or recognition is switched off."""


@dataclass(frozen=True, slots=True)
class Engine:
    """library: the file to load, "" for the usual ones. languages: `eng+deu`, "" switches recognition off. data: the
    folder of languages, "" for the one that the library knows."""

    library: str = ""
    languages: str = "eng"
    data: str = ""


def recognise_pictures(
    path: Path,
    wanted: Sequence[WantedPicture],
    engine: Engine,
    *,
    keep: Keep,
    tell: Tell,
    limits: Limits | None = None,
) -> dict[str, PictureReading | None]:
    """What is on the pictures, by key. keep: is given every batch as soon as it is there; tell: how far it is, of all.

    Raises: NoEngine; whatever `keep` and `tell` raise.
    """
    if not engine.languages:
        raise NoEngine
    seen: dict[str, PictureReading | None] = {}
    for start in range(0, len(wanted), BATCH):
        batch = _read_batch(
            path, wanted[start : start + BATCH], engine, limits or Limits(), _build_counter(tell, start, wanted)
        )
        keep(batch)
        seen.update(batch)
    return seen


def _build_counter(tell: Tell, start: int, wanted: Sequence[WantedPicture]) -> Tell:
    def listener(progress: Progress) -> None:
        tell(Progress(progress.stage, start + (progress.page or 1), len(wanted)))

    return listener


def _read_batch(
    path: Path, wants: Sequence[WantedPicture], engine: Engine, limits: Limits, tell: Tell
) -> dict[str, PictureReading | None]:
    left = list(wants)
    seen: dict[str, PictureReading | None] = {}
    while left:
        options: dict[str, Any] = {
            "wants": [want.to_json() for want in left],
            "library": engine.library,
            "languages": engine.languages,
            "data": engine.data,
        }
        readable = [Path(extra) for extra in (engine.data, engine.library) if extra and Path(extra).exists()]
        try:
            answer = run_limited(
                "ingestion.extract.scan:read_pictures",
                path,
                limits=limits,
                on_progress=tell,
                options=options,
                readable=readable,
            )
        except Quarantined as refusal:
            # The picture that was being read broke the reader: the others are read again without it.
            place = (refusal.page or 1) - 1
            broken = left if refusal.page is None or place >= len(left) else [left[place]]
            seen.update(dict.fromkeys((want.key for want in broken), None))
            left = [want for want in left if want.key not in seen]
            continue
        if answer.get("missing"):
            raise NoEngine
        seen.update(_parse_rows(answer, left))
        return seen
    return seen


def _parse_rows(answer: Mapping[str, Any], wants: Sequence[WantedPicture]) -> dict[str, PictureReading | None]:
    """The limited process is not trusted: what makes no sense was not seen."""
    given: dict[str, Any] = {}
    for row in answer.get("rows", []):
        if isinstance(row, list) and len(row) == 2 and isinstance(row[0], str):
            given[row[0]] = row[1]
    found: dict[str, PictureReading | None] = {}
    for want in wants:
        try:
            found[want.key] = PictureReading.from_json(given[want.key]) if given.get(want.key) is not None else None
        except ValueError:
            found[want.key] = None
    return found
