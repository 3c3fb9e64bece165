"""Who looks at the pictures of a file while it is extracted: recognition, and a model where the strategy is `vision`.

What was seen is kept batch by batch, so that a killed worker reads no picture twice and asks no model twice
(docs/ocr.md).
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from ingestion.documents import Note
from ingestion.extract.outside import LookResult
from ingestion.extract.recognise import Engine, NoEngine, recognise_pictures
from ingestion.picture_reading import PictureReading, WantedPicture
from ingestion.sandbox import Limits, Progress, Quarantined, run_limited
from llm import client, vision
from llm.errors import ModelInterrupted, ModelUnavailable
from llm.messages import Call

logger = logging.getLogger(__name__)

MOST_PAGES = 200  # of a file that a model is asked to read
TRIES = 2
NO_ENGINE = Note(
    "ocr_missing",
    "Text on pictures was not read: Tesseract is not installed on this server. Once an administrator has installed it, "
    "read the file again on its page of versions.",
)
NO_EYES = Note(
    "vision_offline", "No model that can see is set up on this server: pictures were read by OCR instead of by a model."
)
NOT_ALL = Note(
    "vision_partly", "The model did not read all pages of this file; those that it left out were read by OCR instead."
)
Part = Mapping[str, Any]


def build_engine() -> Engine:
    return Engine(settings.CLEARANCE_TESSERACT, settings.CLEARANCE_OCR_LANGUAGES, settings.TESSDATA_PREFIX)


@dataclass
class Looker:
    """Looks at the pictures of one file. strategy: the file's. keep: keeps a part of the result under the next number;
    saved: parts that an earlier worker kept. No scope may be open.

    Raises: BudgetExceeded, ModelUnavailable, ModelInterrupted when a model should be asked again later; whatever `keep`
    and `tell` raise.
    """

    workspace: int
    strategy: str | None
    keep: Callable[[int, Part], None]
    tell: Callable[[Progress], None]
    saved: Mapping[int, Any] = field(default_factory=dict)
    _parts: int = 0

    def __call__(self, path: Path, wanted: Sequence[WantedPicture]) -> LookResult:
        seen: dict[str, PictureReading | None] = {}
        asked: set[str] = set()
        for number in sorted(self.saved):
            part = self.saved[number]
            seen.update({key: None if s is None else PictureReading.from_json(s) for key, s in part["seen"].items()})
            asked |= set(part["asked"])
            self._parts = number + 1
        notes: list[Note] = []
        try:
            left = [want for want in wanted if want.key not in seen]
            seen.update(recognise_pictures(path, left, build_engine(), keep=self._save_readings, tell=self.tell))
        except NoEngine:
            if settings.CLEARANCE_OCR_LANGUAGES:
                logger.warning("Tesseract was not found: pictures in files are not read (docs/ocr.md)")
                notes.append(NO_ENGINE)
        if self.strategy == "vision":
            if client.is_offline(self.workspace):
                notes.append(NO_EYES)
            else:
                notes += self._ask_model(path, wanted, seen, asked)
        return LookResult(seen, tuple(notes))

    def _save_readings(self, seen: Mapping[str, PictureReading | None], asked: Sequence[str] = ()) -> None:
        given = {key: None if what is None else what.to_json() for key, what in seen.items()}
        self.keep(self._parts, {"seen": given, "asked": list(asked)})
        self._parts += 1

    def _ask_model(
        self, path: Path, wanted: Sequence[WantedPicture], seen: dict[str, PictureReading | None], asked: set[str]
    ) -> list[Note]:
        """A model reads the pages, a few a call; what it does not give stays as recognition read it."""
        pages = wanted[:MOST_PAGES]
        left = [want for want in pages if want.key not in asked]
        for start in range(0, len(left), vision.MOST_PICTURES):
            some = left[start : start + vision.MOST_PICTURES]
            self.tell(Progress("looking", len(pages) - len(left) + start + 1, len(pages)))
            texts = self._read_texts(_render_pictures(path, some))
            given = {key: replace(seen.get(key) or PictureReading(0.0, 0.0), text=text) for key, text in texts.items()}
            seen.update(given)
            self._save_readings(given, [want.key for want in some])
        read = [want for want in wanted if (what := seen.get(want.key)) is not None and what.text]
        return [NOT_ALL] if len(read) < len(wanted) else []

    def _read_texts(self, pictures: Mapping[str, bytes]) -> dict[str, str]:
        """Texts by key; what does not come back is asked for once more."""
        left, texts = dict(pictures), {}
        for attempt in range(1, TRIES + 1):
            if not left:
                break
            keys = list(left)
            prompt = vision.read_pictures(list(left.values()))
            try:
                reply = client.complete(Call(self.workspace, 0, "vision", "standard"), **prompt.request)
            except ModelInterrupted:
                if attempt == TRIES:
                    raise
                continue
            except ModelUnavailable as problem:
                if problem.retryable:
                    raise
                logger.warning("a model refused to read pictures: %s", problem)
                break
            for place, text in vision.read_texts(reply.tool_uses, len(keys)).items():
                texts[keys[place]] = text
                del left[keys[place]]
        return {key: text for key, text in texts.items() if text.strip()}


def _render_pictures(path: Path, wanted: Sequence[WantedPicture]) -> dict[str, bytes]:
    """JPEG pictures by key, drawn in the limited process; those that cannot be drawn are left out."""
    options = {
        "wants": [want.to_json() for want in wanted],
        "edge": vision.LONGEST_EDGE,
        "size": vision.MOST_BYTES,
    }
    try:
        answer = run_limited("ingestion.extract.scan:draw_pictures", path, limits=Limits(), options=options)
    except Quarantined:
        if len(wanted) == 1:
            return {}
        return {key: picture for want in wanted for key, picture in _render_pictures(path, [want]).items()}
    blob, sizes, place = answer.get("blob", b""), answer.get("sizes", []), 0
    pictures: dict[str, bytes] = {}
    for want, size in zip(wanted, sizes, strict=False):
        if type(size) is int and 0 < size <= vision.MOST_BYTES and place + size <= len(blob):
            pictures[want.key] = blob[place : place + size]
            place += size
    return pictures
