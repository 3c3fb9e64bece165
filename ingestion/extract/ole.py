"""Compound files of Microsoft's older programs ([MS-CFB]): streams by name, read within bounds."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import olefile

from ingestion.sandbox.limits import Quarantined

SIGNATURE = olefile.MAGIC
DAMAGE = (OSError, ValueError, TypeError, IndexError, KeyError, AttributeError, struct.error, RecursionError)
MANY = 20_000  # streams
MOST = 100  # properties
CODE_PAGE, UTF_8, NARROW, WIDE = 1, 65001, 0x1E, 0x1F
PROPERTIES = {
    "\x05SummaryInformation": {2: "Title", 3: "Subject", 4: "Author", 5: "Keywords", 6: "Comments"},
    "\x05DocumentSummaryInformation": {2: "Category", 14: "Manager", 15: "Company"},
}
# Runs of letters in bytes that are not all text: of one byte each, or of two.
_NARROW = re.compile(rb"[\t\x20-\x7e\x8a\x8e\x91-\x97\x9a\x9e\xa0-\xff]{6,}")
_WIDE = re.compile(
    rb"(?:[\t\x20-\x7e\xa0-\xff]\x00|[\x00-\x7f]\x01|[\x10-\x1f]\x20){4,}"
    rb"|(?:[\x00-\xff][\x03-\x06]|[\x20-\x2f]\x00){5,}"
)
_SAYS_SOMETHING = re.compile(r"[^\W\d_]{3}|(?:\d\D*){3}")


class Compound:
    """An open compound file. Raises Quarantined: corrupt."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = olefile.OleFileIO(path)
            self.names: list[tuple[str, ...]] = [tuple(name) for name in self._file.listdir()]
        except DAMAGE:
            raise self.corrupt() from None
        self._largest = path.stat().st_size
        if len(self.names) > MANY:
            raise self.corrupt()

    def corrupt(self) -> Quarantined:
        return Quarantined(
            "corrupt", "This file is damaged and cannot be opened. Save it again from the program that wrote it."
        )

    def has(self, *name: str) -> bool:
        """Whether there is a stream or a storage by this name, in capitals or small letters."""
        return bool(self._file.exists("/".join(name)))

    def read(self, *name: str) -> bytes:
        """The bytes of a stream, b"" where there is none. Raises Quarantined."""
        try:
            if not self._file.exists("/".join(name)) or self._file.get_type("/".join(name)) != olefile.STGTY_STREAM:
                return b""
            # Chains of sectors may lead in a circle: no stream is longer than its file.
            if self._file.get_size("/".join(name)) > self._largest:
                raise self.corrupt()
            content: bytes = self._file.openstream("/".join(name)).read()
        except DAMAGE:
            raise self.corrupt() from None
        return content

    def properties(self) -> dict[str, str]:
        """What the document says of itself: title, subject, author … ([MS-OLEPS])."""
        found: dict[str, str] = {}
        for stream, names in PROPERTIES.items():
            try:
                found |= _read_properties(self.read(stream), names)
            except (struct.error, IndexError, Quarantined):
                continue
        return found

    def list_texts_in(self, streams: Iterable[tuple[str, ...]]) -> Iterator[str]:
        """Names of these streams, and runs of letters in them."""
        for name in streams:
            yield from name
            yield from find_runs(self.read(*name))


def _read_properties(stream: bytes, names: Mapping[int, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    encoding = "cp1252"
    start = struct.unpack_from("<I", stream, 44)[0]
    for place in range(start + 8, start + 8 + 8 * min(struct.unpack_from("<I", stream, start + 4)[0], MOST), 8):
        key, offset = struct.unpack_from("<II", stream, place)
        kind, size = struct.unpack_from("<II", stream, start + offset)
        content = stream[start + offset + 8 :]
        if key == CODE_PAGE and size & 0xFFFF == UTF_8:
            encoding = "utf-8"
        elif key in names and kind in (NARROW, WIDE):
            wide = content[: 2 * size].decode("utf-16-le", "replace") if kind == WIDE else ""
            text = (wide or content[:size].decode(encoding, "replace")).strip("\0 ")
            found |= {names[key]: text} if text else {}
    return found


def find_runs(data: bytes) -> Iterator[str]:
    """Runs of letters and digits that may be text. What is shown is taken out later, by the order of its words: a
    number may stand elsewhere in another meaning."""
    for pattern, encoding in ((_WIDE, "utf-16-le"), (_NARROW, "cp1252")):
        for run in pattern.finditer(data):
            text = run.group().decode(encoding, "replace")
            if _SAYS_SOMETHING.search(text):
                yield text
