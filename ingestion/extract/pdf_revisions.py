"""The ends of a PDF: whether it is whole, and what earlier versions of itself it still carries.

A PDF that is changed is often only added to: the old objects stay in the file, and whoever has the original can read
them. Each version ends with `startxref … %%EOF` (ISO 32000-1, 7.5.6).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pikepdf

from ingestion.extract.build import Builder
from ingestion.sandbox.limits import Quarantined

PIECE = 1 << 20
TAIL = 4096
MARKS = (b"startxref", b"%%EOF", b" obj")
GOES_ON = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")  # behind ` obj`: another word
NUMBERS = re.compile(rb"\d \d{1,5}\Z")
MAX_NUMBERS = 7  # characters that NUMBERS takes
MOST_REVISIONS = 8
FIRST_OBJECTS = 2  # at most, before the first end of a file for reading over a network: what it is, and a table


def build_corrupt(what: str) -> Quarantined:
    return Quarantined("corrupt", what + " Save it again from the program that wrote it, or upload it again.")


def ends(path: Path, builder: Builder) -> list[int]:
    """Byte offsets at which earlier versions end, oldest first; empty for a file written in one go.

    Raises Quarantined `build_corrupt` for a file that breaks off.
    """
    with path.open("rb") as file:
        linear = b"/Linearized" in file.read(2048)
    size = path.stat().st_size
    marks = list(_find_marks(path))
    references = [offset for kind, offset in marks if kind == b"startxref"]
    if not references and not linear and any(kind == b"%%EOF" and size - offset < TAIL for kind, offset in marks):
        return []  # whole, but for the table of its objects, which pikepdf and pdfium make anew
    if not references or (linear and len(references) == 1 and size > 2 * TAIL and references[0] < size // 2):
        raise build_corrupt("This PDF breaks off before its end: it was probably not uploaded or saved completely.")
    closed = [offset for kind, offset in marks if kind == b"%%EOF" and offset > references[-1]]
    if any(kind == b" obj" and offset > references[-1] for kind, offset in marks):
        raise build_corrupt("This PDF breaks off in the middle of a later version of itself.")
    if not closed and size - references[-1] > TAIL:
        raise build_corrupt("This PDF breaks off before its end: it was probably not uploaded or saved completely.")
    if closed and _says_more(path, closed[0] + 5):
        builder.miss("trailing_data", "There is more in this file after the end of the PDF.")
    found = _ends_of_versions(marks)[:-1]
    if linear and found and sum(kind == b" obj" and offset < found[0] for kind, offset in marks) <= FIRST_OBJECTS:
        del found[0]
    if len(found) > MOST_REVISIONS:
        builder.miss("earlier_revision", "This PDF keeps many earlier versions of itself, which were not read.")
        return []
    return found


def _ends_of_versions(marks: list[tuple[bytes, int]]) -> list[int]:
    """Where each version that defines objects ends. Word writes a last section without any: it is no version."""
    found: list[int] = []
    objects = False
    for kind, offset in marks:
        if kind == b" obj":
            objects = True
        elif kind == b"%%EOF" and objects:
            found.append(offset + 5)
            objects = False
    if objects:
        found.append(-1)
    return found


def _find_marks(path: Path) -> Iterator[tuple[bytes, int]]:
    """`startxref`, `%%EOF` and (as ` obj`) the beginnings of objects, with their offsets."""
    offset, kept = 0, b""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            window = kept + piece
            last = 0
            for place, kind in sorted((place, mark) for mark in MARKS for place in _find_all(mark, window)):
                start, end = place, place + len(kind)
                if kind == b" obj":
                    numbers = NUMBERS.search(window, max(last, start - MAX_NUMBERS), start)
                    if numbers is None or (end < len(window) and window[end] in GOES_ON):
                        continue
                    start = numbers.start()
                yield kind, offset - len(kept) + start
                last = end
            offset += len(piece)
            kept = window[max(last, len(window) - 12) :]


def _find_all(mark: bytes, window: bytes) -> Iterator[int]:
    """`bytes.find` passes packed bytes several times as quickly as a pattern does."""
    place = window.find(mark)
    while place >= 0:
        yield place
        place = window.find(mark, place + len(mark))


def _says_more(path: Path, offset: int) -> bool:
    with path.open("rb") as file:
        file.seek(offset)
        return len(file.read(TAIL).strip(b"\x00\r\n\t ")) > 64


@contextmanager
def earlier(path: Path, end: int) -> Iterator[tuple[pikepdf.Pdf, bytes] | None]:
    """The version that ends at byte `end`, with its bytes, or None where it does not open."""
    with path.open("rb") as file:
        content = file.read(end)
    try:
        before = pikepdf.open(io.BytesIO(content), suppress_warnings=True)
    except (pikepdf.PdfError, pikepdf.PasswordError):
        yield None
        return
    with before:
        yield before, content
