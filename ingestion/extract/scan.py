"""Reading pictures inside the limited process: Tesseract reads them, or they are drawn for a model (docs/ocr.md)."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from ingestion.extract.scan_pictures import LEAST_DPI, MOST_DPI, ScannedPicture, Unreadable, opened
from ingestion.extract.scan_words import build_words
from ingestion.extract.tesseract import Tesseract, TesseractMissing, TookTooLong
from ingestion.picture_reading import PictureReading, SeenWord, WantedPicture
from ingestion.sandbox.limits import Limits, Report

INK = 160  # shades of grey below it are ink
SURE = 65.0  # confidence: below it the other ways up are tried
FEW = 12  # letters: so few say nothing about which way is up


def read_pictures(
    path: Path,
    *,
    limits: Limits,
    report: Report,
    wants: Sequence[Any],
    library: str = "",
    languages: str = "eng",
    data: str = "",
) -> dict[str, Any]:
    """Task: rows [key, what was seen, or None where it could not be read], one by one, in the order of `wants`. With no
    Tesseract the answer has `missing` instead."""
    place = {"number": 1}
    pages = len(wants)

    def report_alive() -> None:
        report("recognising", place["number"], pages)

    try:
        engine = Tesseract(library, languages, data, report_alive)
    except TesseractMissing:
        return {"missing": True}

    def read_rows() -> Iterator[list[Any]]:
        with opened(path) as pictures:
            for number, want in enumerate(map(WantedPicture.from_json, wants), start=1):
                place["number"] = number
                report_alive()
                try:
                    found = pictures(want)
                    yield [want.key, _mark_broken(read_page(engine, found, report_alive), found[0]).to_json()]
                except (Unreadable, TookTooLong):
                    yield [want.key, None]

    return {"rows": read_rows()}


def draw_pictures(
    path: Path, *, limits: Limits, report: Report, wants: Sequence[Any], edge: int, size: int
) -> dict[str, Any]:
    """Task: one JPEG a picture, for a model: no side longer than `edge` pixels, none larger than `size` bytes. `blob`
    has them one after the other, `sizes` the length of each; 0 where it could not be drawn."""
    blob, sizes = b"", []
    with opened(path) as pictures:
        for number, want in enumerate(map(WantedPicture.from_json, wants), start=1):
            report("drawing", number, len(wants))
            try:
                packed = _encode_jpeg(pictures(want)[0].image, edge, size)
            except Unreadable:
                packed = b""
            blob += packed
            sizes.append(len(packed))
    return {"blob": blob, "sizes": sizes}


def _encode_jpeg(image: Image.Image, edge: int, size: int) -> bytes:
    image.thumbnail((edge, edge))
    for quality in (80, 60, 40, 25):
        out = io.BytesIO()
        image.save(out, "JPEG", quality=quality)
        if out.tell() <= size:
            return out.getvalue()
    raise Unreadable


def read_page(engine: Tesseract, pictures: Sequence[ScannedPicture], alive: Callable[[], None]) -> PictureReading:
    """Everything that was wanted of one page or picture."""
    parts: list[tuple[ScannedPicture, PictureReading]] = []
    for picture in pictures:
        parts.append((picture, _read_upright(engine, picture, alive)))
        alive()
    if parts[0][0].region is None:
        return _stack_frames([seen for _, seen in parts])
    words: list[SeenWord] = []
    for picture, seen in parts:
        left, top = (picture.region or (0.0, 0.0))[:2]
        for word in seen.words:
            x0, y0, x1, y1 = seen.rotate_to_page((word.x0, word.y0, word.x1, word.y1))
            base = word.base if not seen.turned else y1
            words.append(
                SeenWord(word.text, x0 + left, y0 + top, x1 + left, y1 + top, base + top, word.size, word.confidence)
            )
    return PictureReading(0.0, 0.0, 0, max((seen.ink for _, seen in parts), default=0.0), tuple(words))


def _stack_frames(frames: Sequence[PictureReading]) -> PictureReading:
    """What shows in the place of the first picture later stands below it, unless it says nothing new."""
    whole = frames[0]
    below = whole.height
    for frame in frames[1:]:
        if not {word.text for word in frame.words} <= {word.text for word in whole.words}:
            lower = tuple(replace(w, y0=w.y0 + below, y1=w.y1 + below, base=w.base + below) for w in frame.words)
            whole = replace(whole, words=whole.words + lower)
            below += frame.height
    return whole


def _mark_broken(seen: PictureReading, picture: ScannedPicture) -> PictureReading:
    return replace(seen, more=True) if picture.broken else seen


def _read_upright(engine: Tesseract, picture: ScannedPicture, alive: Callable[[], None]) -> PictureReading:
    """Which way is up is told by which way gives words: tried where the first way gives few that are sure, or words
    that stand on end, for Tesseract reads those of a page on its side too."""
    image = picture.image
    dark = sum(image.histogram()[:INK])
    ink = dark / (image.width * image.height)
    best = _read_turned(engine, picture, 0, ink)
    if ink < 1e-5 or (best.confidence >= SURE and _count_letters(best) >= FEW and not _stands_on_end(best)):
        return best
    for degrees in (90, 270) if _stands_on_end(best) else (180, 90, 270):
        alive()
        other = _read_turned(engine, picture, degrees, ink)
        if _compute_worth(other) > 1.2 * _compute_worth(best):
            best = other
        if best.confidence >= 80 and _count_letters(best) >= 10 * FEW and not _stands_on_end(best):
            break
    return best


def _read_turned(engine: Tesseract, picture: ScannedPicture, degrees: int, ink: float) -> PictureReading:
    image = picture.image.rotate(-degrees, expand=True) if degrees else picture.image
    dpi = max(LEAST_DPI, min(MOST_DPI, round(72 / picture.scale)))
    found = engine.read(image.tobytes(), image.width, image.height, dpi)
    return PictureReading(
        image.width * picture.scale, image.height * picture.scale, degrees, ink, build_words(found, picture.scale)
    )


def _count_letters(seen: PictureReading) -> int:
    return sum(len(word.text) for word in seen.words)


def _compute_worth(seen: PictureReading) -> float:
    return sum(max(0.0, word.confidence - 50) * len(word.text) for word in seen.words if not _is_on_end(word))


def _is_on_end(word: SeenWord) -> bool:
    return len(word.text) > 3 and word.y1 - word.y0 > word.x1 - word.x0


def _stands_on_end(seen: PictureReading) -> bool:
    """Whether most of what was read stands on end."""
    long = [word for word in seen.words if len(word.text) > 3]
    return sum(map(_is_on_end, long)) > len(long) / 2
