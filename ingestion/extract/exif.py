"""Texts in the tags of a picture: EXIF (JEITA CP-3451) and captions as news agencies write them (IPTC-IIM 4.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from PIL import ExifTags, Image

from ingestion.extract.clean import one_line

OTHER_PICTURES, LAYERS = 330, 37724
PART, PLACE, PREVIEW = 0x8769, 0x8825, -1  # the directory behind the first one
# Makes, models, numbers and settings of a camera, its programs and times.
TECHNICAL = frozenset(
    {271, 272, 305, 306, 316, 700, 33723, 34377, 34675, 36864, 36867, 36868, 36880, 36881, 36882, 37500, 37520, 37521}
    | {37522, 40960, 40964, 42016, 42033, 42034, 42035, 42036, 42037, 50708, 50735, 50827}
)
WIDE = frozenset({0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F})
COMMENT = 0x9286
# What cameras and programs write when nobody gave a text.
PLACEHOLDERS = frozenset(
    {"olympus digital camera", "sony dsc", "minolta digital camera", "kodak digital still camera", "digital camera"}
    | {"exif_jpeg_picture", "screenshot", "untitled", "default", "user comments", "unknown", "picture", "image", "none"}
)
NUMBERED = re.compile(r"(?:dsc|img|dcim|p|mvi|dji|gopr|vlcsnap)[\W\d_]*\S*", re.I)
CAPTIONS = {5: "Title", 25: "Keywords", 80: "Author", 105: "Headline", 116: "Copyright", 120: "Caption"}
NO_CAPTION = frozenset({0, 3, 7, 8, 10, 22, 30, 35, 37, 38, 45, 47, 50, 55, 60, 62, 63, 65, 70, 75, 100, 130, 131, 135})


def is_text(said: str) -> bool:
    return any(map(str.isalpha, said)) and said.lower() not in PLACEHOLDERS and not NUMBERED.fullmatch(said)


def read(content: bytes) -> tuple[list[tuple[str, str]], bytes]:
    """Texts with their names, and the preview. Raises what Pillow raises for damaged tags."""
    tags = Image.Exif()
    tags.load(content)
    texts = [*texts_of(dict(tags)), *texts_of_parts(tags)]
    preview = tags.get_ifd(PREVIEW)
    start, size = preview.get(513), preview.get(514)
    held = content[start : start + size] if isinstance(start, int) and isinstance(size, int) else b""
    return texts, held


def texts_of_parts(tags: Image.Exif) -> Iterator[tuple[str, str]]:
    yield from texts_of(tags.get_ifd(PART))
    place = tags.get_ifd(PLACE)
    latitude, longitude = _degrees(place.get(2), place.get(1)), _degrees(place.get(4), place.get(3))
    if latitude is not None and longitude is not None and (latitude or longitude):
        yield (
            "Place",
            f"{abs(latitude):.5f} {'S' if latitude < 0 else 'N'}, "
            + (f"{abs(longitude):.5f} {'W' if longitude < 0 else 'E'}"),
        )
    if isinstance(value := place.get(28), bytes):  # the name of the area
        yield "Place", value[8:].decode("utf-8", "replace")


def texts_of(tags: Mapping[int, Any]) -> Iterator[tuple[str, str]]:
    for tag, value in tags.items():
        text = ""
        if tag in WIDE:
            text = _bytes(value).decode("utf-16-le", "replace")
        elif tag == COMMENT:
            text = _comment(_bytes(value))
        elif isinstance(value, str) and tag not in TECHNICAL:
            text = value
        if text.strip("\0 "):
            yield str(ExifTags.TAGS.get(tag, "Text")).removeprefix("XP"), one_line(text)


def captions(content: bytes) -> dict[str, str]:
    """Of the records that hold texts, by name."""
    found: dict[str, str] = {}
    place = content.find(b"\x1c")
    while 0 <= place < len(content) - 5 and content[place] == 0x1C:
        record, number = content[place + 1], content[place + 2]
        size = int.from_bytes(content[place + 3 : place + 5])
        value = content[place + 5 : place + 5 + size]
        place += 5 + size
        if record != 2 or number in NO_CAPTION or number >= 150:
            continue
        try:
            text = one_line(value.decode())
        except UnicodeDecodeError:
            text = one_line(value.decode("latin-1"))
        name = CAPTIONS.get(number, "Caption")
        found[name] = f"{found[name]}; {text}" if name in found else text
    return found


def _bytes(value: Any) -> bytes:
    if isinstance(value, tuple):
        return bytes(number & 255 for number in value if isinstance(number, int))
    return value if isinstance(value, bytes) else str(value).encode()


def _comment(value: bytes) -> str:
    """Its first eight bytes name its encoding. What is no text is a program's own note."""
    code, rest = value[:8].rstrip(b"\0 ").upper(), value[8:]
    if code == b"UNICODE":
        text = rest.decode("utf-16-le" if rest[1:2] == b"\0" or rest[:2] == b"\xff\xfe" else "utf-16-be", "replace")
    elif code in (b"ASCII", b"JIS", b""):
        text = rest.decode("utf-8", "replace")
    else:
        text = value.decode("utf-8", "replace")
    said = text.strip("\0 ")
    odd = sum(not letter.isprintable() or letter == "\ufffd" for letter in said)
    return said if odd <= len(said) / 5 else ""


def _degrees(value: Any, side: Any) -> float | None:
    try:
        degrees, minutes, seconds = (float(part) for part in value)
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    total = degrees + minutes / 60 + seconds / 3600
    if total != total:
        return None
    return -total if str(side).upper().startswith(("S", "W")) else total
