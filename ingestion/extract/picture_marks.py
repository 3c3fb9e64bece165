"""What a picture file says beside its pixels: captions, authors, places, comments; and what it holds behind its end.

All of it travels with the original of whatever the picture stands in. Makes of cameras, settings, times and names of
programs are left out, as in documents.
"""

from __future__ import annotations

import io
import re
import struct
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from ingestion.extract import exif, xmp
from ingestion.extract.clean import one_line

LARGEST = 1 << 20  # bytes of a text that is unpacked
TRAILING = 16  # bytes behind the end that are no padding
OF_CAMERA = 8 << 10  # bytes that telephones of one make note behind the end
SMALL, APART = 16, 24.0  # pixels a side on which pictures are compared; shades of grey by which they may differ
NEXT = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
PADDING = b"\0\r\n\t "
PROGRAMS = re.compile(
    r"created with|creator: ?gd|written by|library|lavc|compress|optimi[sz]ed|jpeg|adobe|software", re.I
)
TECHNICAL = re.compile(
    r"software|creation ?time|date:.*|(?:exif|png|jpeg|pdf|tiff|icc|photoshop|svg|xmp|dng):.*|signature|srgb|gamma|dpi"
    r"|thumb::(?!uri).*|raw profile type (?:icc|icm)"
)
DAMAGED = (OSError, ValueError, SyntaxError, TypeError, KeyError, IndexError, EOFError, struct.error, zlib.error)


@dataclass(slots=True)
class Marks:
    """said: texts by name. more: there is something that cannot be read."""

    said: dict[str, str] = field(default_factory=dict)
    more: bool = False

    def keep(self, name: str, text: str) -> None:
        said = one_line(text)
        if exif.is_text(said) and said not in self.said.get(name, ""):
            self.said[name] = f"{self.said[name]}; {said}" if name in self.said else said

    def keep_all(self, texts: dict[str, str]) -> None:
        for name, text in texts.items():
            self.keep(name, text)


def marks_of(content: bytes) -> Marks:
    """Of a PNG, JPEG, GIF, TIFF or WebP file; of another there are none."""
    marks = Marks()
    try:
        if content.startswith(b"\x89PNG"):
            _png(content, marks)
        elif content.startswith(b"\xff\xd8"):
            _jpeg(content, marks)
        elif content.startswith(b"GIF8"):
            _gif(content, marks)
        elif content.startswith((b"II*\0", b"MM\0*")):
            _tiff(content, marks)
        elif content.startswith(b"RIFF") and content[8:12] == b"WEBP":
            _webp(content, marks)
    except (*DAMAGED, xmp.Unreadable, Image.DecompressionBombError, Warning):
        marks.more = True
    return marks


def _jpeg(content: bytes, marks: Marks) -> None:
    end, several = _segments(content, marks, content)
    rest = content[end:]
    while several and rest.startswith(b"\xff\xd8"):  # further pictures that the first one names: they are looked at
        end, _ = _segments(rest, Marks(), b"")
        rest = rest[end:]
    _look_behind(rest, marks)


def _segments(content: bytes, marks: Marks, whole: bytes) -> tuple[int, bool]:
    """Where the first picture ends, and whether it says that there are others. ISO 10918-1, annex B."""
    place, several = 2, False
    while place + 4 <= len(content):
        code = content[place + 1]
        if content[place] != 0xFF or code == 0xFF:
            place += 1
            continue
        if code == 0xD9:
            return place + 2, several
        length = int.from_bytes(content[place + 2 : place + 4])
        part = content[place + 4 : place + 2 + length]
        several = several or (code == 0xE2 and part.startswith(b"MPF\0"))
        _segment(code, part, marks, whole)
        place += 2 + length
        if code == 0xDA:
            found = NEXT.search(content, place)
            if found is None:
                break
            place = found.start()
    return len(content), several


def _segment(code: int, part: bytes, marks: Marks, whole: bytes) -> None:
    if code == 0xFE:
        text = part.decode("utf-8", "replace")
        if not PROGRAMS.search(text):
            marks.keep("Comment", text)
    elif code == 0xE1 and part.startswith(b"Exif\0\0"):
        _exif(part[6:], marks, whole)
    elif code == 0xE1 and part.startswith(b"http://ns.adobe.com/xap/1.0/\0"):
        marks.keep_all(xmp.said_by(part[29:]))
    elif code == 0xED and part.startswith(b"Photoshop 3.0\0"):
        _photoshop(part[14:], marks, whole)
    elif code == 0xE1 and part.startswith(b"http://ns.adobe.com/xmp/extension/\0"):  # pictures, as a rule
        marks.more = True


def _png(content: bytes, marks: Marks) -> None:
    place = 8
    while place + 8 <= len(content):
        length, kind = int.from_bytes(content[place : place + 4]), content[place + 4 : place + 8]
        part = content[place + 8 : place + 8 + length]
        place += 12 + length
        if kind == b"IEND":
            _look_behind(content[place:], marks)
            return
        if kind == b"eXIf":
            _exif(part, marks, content)
        elif kind in (b"tEXt", b"zTXt", b"iTXt"):
            name, _, rest = part.partition(b"\0")
            _text_of_png(name.decode("latin-1"), _unpacked(kind, rest), marks, content)


def _unpacked(kind: bytes, rest: bytes) -> bytes:
    packed = kind == b"zTXt"
    if kind == b"iTXt":
        packed = rest[:1] == b"\1"
        rest = rest[2:].partition(b"\0")[2].partition(b"\0")[2]
    elif packed:
        rest = rest[1:]
    if not packed:
        return rest
    inflate = zlib.decompressobj()
    text = inflate.decompress(rest, LARGEST)
    if inflate.unconsumed_tail:
        raise ValueError("too long")
    return text


def _text_of_png(name: str, text: bytes, marks: Marks, whole: bytes) -> None:
    known = name.lower()
    if known == "xml:com.adobe.xmp":
        marks.keep_all(xmp.said_by(text))
    elif TECHNICAL.fullmatch(known):
        return
    elif known.startswith("raw profile type "):
        profile = bytes.fromhex("".join(text.decode("ascii").split()[2:]))
        if known.endswith(("exif", "app1")):
            _exif(profile.removeprefix(b"Exif\0\0"), marks, whole)
        elif known.endswith("xmp"):
            marks.keep_all(xmp.said_by(profile))
        else:
            _photoshop(profile, marks, whole)
    else:
        try:
            marks.keep(name, text.decode())
        except UnicodeDecodeError:
            marks.keep(name, text.decode("latin-1"))


def _gif(content: bytes, marks: Marks) -> None:
    place = 13 + (3 << ((content[10] & 7) + 1) if content[10] & 0x80 else 0)
    while place < len(content) and content[place] != 0x3B:
        if content[place] == 0x21:
            label, (part, place) = content[place + 1], _blocks(content, place + 2)
            if label in (0xFE, 0x01):
                marks.keep("Comment", part.decode("utf-8", "replace"))
            elif label == 0xFF and part.startswith(b"XMP DataXMP"):
                marks.keep_all(xmp.said_by(re.sub(rb"[^>]*\Z", b"", part[11:])))
        elif content[place] == 0x2C:
            colours = content[place + 9]
            place += 11 + (3 << ((colours & 7) + 1) if colours & 0x80 else 0)
            _, place = _blocks(content, place)
        else:
            raise ValueError("no GIF")
    _look_behind(content[place + 1 :], marks)


def _blocks(content: bytes, place: int) -> tuple[bytes, int]:
    parts = []
    while size := content[place]:
        parts.append(content[place + 1 : place + 1 + size])
        place += 1 + size
    return b"".join(parts), place + 1


def _webp(content: bytes, marks: Marks) -> None:
    end = 8 + int.from_bytes(content[4:8], "little")
    place = 12
    while place + 8 <= min(end, len(content)):
        kind, length = content[place : place + 4], int.from_bytes(content[place + 4 : place + 8], "little")
        part = content[place + 8 : place + 8 + length]
        if kind == b"EXIF":
            _exif(part.removeprefix(b"Exif\0\0"), marks, content)
        elif kind == b"XMP ":
            marks.keep_all(xmp.said_by(part))
        place += 8 + length + length % 2
    _look_behind(content[end:], marks)


def _tiff(content: bytes, marks: Marks) -> None:
    with Image.open(io.BytesIO(content), formats=("TIFF",)) as image:
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            tags: Any = image.tag_v2  # type: ignore[attr-defined]
            marks.more = marks.more or bool({exif.OTHER_PICTURES, exif.LAYERS} & set(tags))
            for name, text in exif.texts_of(dict(tags)):
                marks.keep(name, text)
            for tag, read in ((700, xmp.said_by), (33723, exif.captions)):
                if isinstance(part := tags.get(tag), bytes):
                    marks.keep_all(read(part))
            if isinstance(part := tags.get(34377), bytes):
                _photoshop(part, marks, b"")
        for name, text in exif.texts_of_parts(image.getexif()):
            marks.keep(name, text)


def _exif(content: bytes, marks: Marks, whole: bytes) -> None:
    texts, preview = exif.read(content)
    for name, text in texts:
        marks.keep(name, text)
    marks.more = marks.more or (bool(preview) and _differs(preview, whole))


def _photoshop(content: bytes, marks: Marks, whole: bytes) -> None:
    for number, part in _resources(content):
        if number == 0x0404:
            marks.keep_all(exif.captions(part))
        elif number in (0x0409, 0x040C):
            marks.more = marks.more or _differs(part[28:], whole)


def _resources(content: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while content[place : place + 4] == b"8BIM":
        number = int.from_bytes(content[place + 4 : place + 6])
        name = content[place + 6] + 1
        place += 6 + name + name % 2
        size = int.from_bytes(content[place : place + 4])
        yield number, content[place + 4 : place + 4 + size]
        place += 4 + size + size % 2


def _look_behind(rest: bytes, marks: Marks) -> None:
    rest = rest.strip(PADDING)
    if len(rest) > TRAILING and not (rest.endswith(b"SEFT") and len(rest) < OF_CAMERA):
        marks.more = True


def _differs(preview: bytes, whole: bytes) -> bool:
    """Whether a preview shows something else than its picture. Bars at its edges are left out."""
    if not preview or not whole:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            small, large = (_grey(content) for content in (preview, whole))
    except (*DAMAGED, Image.DecompressionBombError, Warning):
        return True
    shape = large.width / large.height
    wide, high = min(small.width, small.height * shape), min(small.height, small.width / shape)
    left, top = (small.width - wide) / 2, (small.height - high) / 2
    box = (left, top, left + wide, top + high)
    a, b = small.resize((SMALL, SMALL), box=box).tobytes(), large.resize((SMALL, SMALL)).tobytes()
    return sum(abs(x - y) for x, y in zip(a, b, strict=True)) / len(a) > APART


def _grey(content: bytes) -> Image.Image:
    with Image.open(io.BytesIO(content), formats=("JPEG", "PNG", "TIFF", "WEBP", "BMP")) as image:
        image.draft("L", (256, 256))
        image.thumbnail((256, 256))
        return image.convert("L")
