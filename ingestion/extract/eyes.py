"""Pictures that an extraction comes across: it asks what was seen on them, and what nobody has looked at yet is wanted.

A file with pictures is read twice: the first time tells which pictures somebody should look at, then they are looked
at in processes of their own (`ingestion.extract.scan`), and the second time has what was seen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ingestion.extract.build import Builder
from ingestion.picture_reading import PictureReading, Region, WantedPicture

MOST = 2_000  # pictures of one file that are looked at; the others stay unread, and are recorded as that
UNSURE = 60.0  # confidence: below it, what was read is told to stewards and not relied on
LETTERS = 3  # fewer on a picture are marks that look like letters
PAPER = 0.0008  # share of ink up to which a page is blank but for specks
IN_PICTURES = ("Text in pictures",)
MORE = "A picture has extra data after its end or inside; that was not read."
UNCHECKED = "A model read this picture, and there was nothing to check its reading by."


class Eyes:
    """strategy: as `outside.extract_file` takes it. seen: a file with one JSON list [key, what was seen] a line, of an
    earlier look."""

    def __init__(self, strategy: str | None = None, seen: Path | None = None) -> None:
        self.strategy = strategy
        self.wanted: dict[str, WantedPicture] = {}
        self.used = False
        self._file = seen.open("rb") if seen is not None else None
        self._places: dict[str, int] = {}
        place = 0
        for line in self._file or ():
            self._places[json.loads(line)[0]] = place
            place += len(line)

    def look(self, key: str, page: int | None = None, regions: Sequence[Region] = ()) -> PictureReading | None:
        """What was seen; None where nobody looked, where nobody may, or where there was nothing to be made out."""
        if key in self._places and self._file is not None:
            self._file.seek(self._places[key])
            said = json.loads(self._file.readline())[1]
            self.used = self.used or said is not None
            return PictureReading.from_json(said) if said is not None else None
        if self.strategy != "text" and len(self.wanted) < MOST:
            self.wanted.setdefault(key, WantedPicture(key, page, tuple(regions)))
        return None

    def list_wanted(self) -> tuple[WantedPicture, ...]:
        """What is wanted, by page."""
        return tuple(sorted(self.wanted.values(), key=lambda want: want.page or 0))

    def picture(
        self,
        builder: Builder,
        key: str,
        code: str,
        detail: str,
        page: int | None = None,
        path: tuple[str, ...] = (),
        unless_since: int | None = None,
    ) -> None:
        """A picture in a document without places for words: what is read on it stands as paragraphs, without boxes.
        unless_since: without what the paragraphs from that number on say already."""
        seen = self.look(key, page)
        if seen is None:
            builder.miss(code, detail, page)
            return
        # Here, because it brings all that PDFs need.
        from ingestion.extract.picture_text import BY_OCR_ONLY, add_markdown, find_untranscribed_words, list_texts

        note_doubt(seen, builder, page)
        builder.add_properties(dict(seen.said))
        if seen.more:
            builder.miss(code, MORE, page)
        if seen.text:
            add_markdown(seen, page, builder)
            builder.add(
                " ".join(word.text for word in find_untranscribed_words(seen)),
                page=page,
                path=BY_OCR_ONLY,
                read_by="ocr",
            )
            if not seen.width:
                builder.miss("vision_unchecked", UNCHECKED, page)
            return
        texts = list_texts(seen)
        for text in texts if unless_since is None else builder.find_missing_texts(texts, unless_since):
            builder.add(text, page=page, path=path or IN_PICTURES, read_by="ocr")


def note_doubt(seen: PictureReading, builder: Builder, page: int | None) -> None:
    """Records that what was read is uncertain."""
    if sum(len(word.text) for word in seen.words) >= LETTERS and seen.confidence < UNSURE:
        builder.miss(
            "ocr_uncertain",
            "A picture here was read by OCR, with little certainty: words may be wrong or missing.",
            page,
        )
