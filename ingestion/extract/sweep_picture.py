"""What a picture file holds beside its pixels: every string of its segments, chunks and tags, and on record what is not
known. Pixels and their tables are left out by an allow-list; all else is swept.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree
from PIL import Image

from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line
from ingestion.extract.remainder import list_texts_in_bytes
from ingestion.extract.sweep_xml import list_texts_of_xml

MAX_TEXT_BYTES = 4 << 20  # of a text that is unpacked
TRAILING_BYTES = 16  # behind the end that are no padding
ICON_BYTES = 64  # so few hold no picture that shows anything
SMALL_BYTES = 1_024  # of a chunk that can hold numbers only
PADDING = b"\0\r\n\t "
DAMAGED = (
    OSError,
    ValueError,
    SyntaxError,
    TypeError,
    KeyError,
    IndexError,
    EOFError,
    RecursionError,
    struct.error,
    zlib.error,
)
UNKNOWN = "A picture has parts that are not known here; they were not read."
MORE = "A picture has extra data after its end; that was not read."
PREVIEW = "A picture has a preview of itself, which was not read."
# ISO 10918-1, table B.1: frames, tables, scans, restarts.
PIXELS_OF_JPEG = frozenset({*range(0xC0, 0xC8), *range(0xC9, 0xD0), *range(0xD0, 0xDF)})
KNOWN_SEGMENTS = (
    b"JFIF\0", b"JFXX\0", b"Exif\0", b"http://ns.adobe.com/", b"ICC_PROFILE\0", b"MPF\0", b"FPXR\0", b"Photoshop 3.0\0",
    b"Adobe", b"Ducky", b"AROT", b"urn:iso:std:iso:ts:21496:-1\0", b"HDR", b"META\0", b"MMIMETA\0", b"NITF",
    b"<?xpacket ",
)  # fmt: skip
PIXELS_OF_PNG = frozenset({b"IDAT", b"fdAT", b"PLTE", b"IEND"})
KNOWN_CHUNKS = frozenset(
    {
        b"IHDR",
        b"tRNS",
        b"gAMA",
        b"cHRM",
        b"sRGB",
        b"sBIT",
        b"bKGD",
        b"hIST",
        b"pHYs",
        b"tIME",
        b"acTL",
        b"fcTL",
        b"oFFs",
    }
    | {b"CgBI", b"vpAg", b"orNT", b"sTER", b"iDOT", b"caNv", b"cICP", b"mDCV", b"cLLI", b"tEXt", b"zTXt", b"iTXt"}
    | {b"iCCP", b"eXIf", b"sPLT", b"pCAL", b"sCAL"}
)
PIXELS_OF_WEBP = frozenset({b"VP8 ", b"VP8L", b"ALPH", b"ANMF"})
KNOWN_OF_WEBP = frozenset({b"VP8X", b"ANIM", b"ICCP", b"EXIF", b"XMP "})
KNOWN_EXTENSIONS = (
    b"NETSCAPE2.0",
    b"ANIMEXTS1.0",
    b"ICCRGBG1012",
    b"XMP DataXMP",
    b"ImageMagick",
    b"fractint",
    b"MGK8BIM0000",
)
OTHER_FORMS = (b"\0\0\1\0", b"\xd7\xcd\xc6\x9a", b"\1\0\0\0", b"\1\0\x09\0", b"\2\0\x09\0")  # icons, WMF, EMF
PACKET = re.compile(rb"<(?:x:xmpmeta|rdf:RDF)\b.*</(?:x:xmpmeta|rdf:RDF)>", re.S)
PACKED = re.compile(rb"\x78[\x01\x5e\x9c\xda]")  # how packed data begin (RFC 1950)
CAPTION_TAGS = (0x010E, 0x9C9B, 0x9C9F)  # description, title and subject of EXIF
CAPTIONS = re.compile(r"title|description|caption|headline", re.I)
PLACE, SIDES = 0x8825, (("N", "S"), ("E", "W"))
AUTOMATIC = re.compile(r"OLYMPUS DIGITAL CAMERA|SONY DSC|.*DIGITAL CAMERA|Exif_JPEG_PICTURE|[\W\d_]*", re.I)


def sweep_picture(content: bytes, builder: Builder) -> None:
    """Its captions become a paragraph, its other strings are of the remainder."""
    try:
        walk = next((walk for signature, walk in FORMS if signature(content)), None)
        if walk is not None:
            builder.add_remainder(walk(content, builder))
        elif content.startswith(OTHER_FORMS):
            builder.add_remainder(list_texts_in_bytes(content))
        else:
            builder.add_remainder(list_texts_in_bytes(content[:MAX_TEXT_BYTES]))
            if len(content) > ICON_BYTES:
                builder.miss("unknown_part", UNKNOWN)
    except DAMAGED:
        builder.add_remainder(list_texts_in_bytes(content[:MAX_TEXT_BYTES]))
        builder.miss("damaged_part", "A picture is damaged; what it has besides its pixels was not read.")
    captions = read_captions(content)
    builder.add_properties(captions)


def read_captions(content: bytes) -> dict[str, str]:
    """What a picture says of itself for people, and where it was taken."""
    said: dict[str, str] = {}
    try:
        with Image.open(io.BytesIO(content), formats=("JPEG", "PNG", "TIFF", "WEBP")) as image:
            tags = image.getexif()
            texts = [tags.get(tag) for tag in CAPTION_TAGS]
            texts += [value for key, value in image.info.items() if isinstance(key, str) and CAPTIONS.fullmatch(key)]
            place = tags.get_ifd(PLACE)
    except (*DAMAGED, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return {}
    for text in texts:
        held = text.decode("utf-16-le", "replace") if isinstance(text, bytes) else text if isinstance(text, str) else ""
        caption = clean_line(held.rstrip("\0"))
        if not AUTOMATIC.fullmatch(caption):
            said["Caption"] = f"{said['Caption']}; {caption}" if "Caption" in said else caption
    degrees = [
        _format_degrees(place.get(number), place.get(number - 1), sides)
        for number, sides in zip((2, 4), SIDES, strict=True)
    ]
    if all(degrees):
        said["Place"] = ", ".join(filter(None, degrees))
    return said


def _format_degrees(value: Any, side: Any, sides: tuple[str, str]) -> str | None:
    try:
        degrees, minutes, seconds = (float(part) for part in value)
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    total = degrees + minutes / 60 + seconds / 3600
    return f"{abs(total):.5f} {sides[str(side).upper().startswith(sides[1])]}" if total == total else None


def _list_texts(part: bytes) -> Iterator[str]:
    """Of a part of any form; a packet of metadata (XMP) is read as what it is."""
    packet = PACKET.search(part)
    if packet is not None:
        try:
            yield from list_texts_of_xml(packet.group())
            part = part[: packet.start()] + b"\n" + part[packet.end() :]
        except etree.LxmlError:
            pass
    yield from list_texts_in_bytes(part)


def _read_trailing(rest: bytes, builder: Builder) -> Iterator[str]:
    """What stands behind the end."""
    yield from list_texts_in_bytes(rest)
    if len(rest.strip(PADDING)) > TRAILING_BYTES:
        builder.miss("trailing_data", MORE)


def _sweep_jpeg(content: bytes, builder: Builder) -> Iterator[str]:
    place = 2
    while place + 4 <= len(content):
        code = content[place + 1]
        if content[place] != 0xFF or code in (0, 0xFF):
            end = content.find(b"\xff", place + 1)
            yield from _read_trailing(content[place : end if end > 0 else None], builder) if code != 0xFF else ()
            place = end if end > 0 else len(content)
            continue
        if code == 0xD9:
            if content.startswith(
                b"\xff\xd8", place + 2
            ):  # further pictures: of its brightness, of its depth, or others
                builder.miss("thumbnail", PREVIEW)
                place += 4
                continue
            yield from _read_trailing(content[place + 2 :], builder)
            return
        size = int.from_bytes(content[place + 2 : place + 4])
        part = content[place + 4 : place + 2 + size]
        place += 2 + size
        if code == 0xDA:
            found = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]").search(content, place)
            place = found.start() if found is not None else len(content)
        elif code == 0xFE:
            yield from _list_texts(part)
        elif code == 0xDC and size != 4 or code not in PIXELS_OF_JPEG:
            yield from _list_texts(part)
            if not part.startswith(KNOWN_SEGMENTS):
                builder.miss("unknown_part", UNKNOWN)
            elif b"\xff\xd8\xff" in part[6:]:
                builder.miss("thumbnail", PREVIEW)


def _sweep_png(content: bytes, builder: Builder) -> Iterator[str]:
    place = 8
    while place + 8 <= len(content):
        size, kind = int.from_bytes(content[place : place + 4]), content[place + 4 : place + 8]
        part = content[place + 8 : place + 8 + size]
        place += 12 + size
        if kind == b"IEND":
            yield from _read_trailing(part + content[place:], builder)
            return
        if kind in PIXELS_OF_PNG:
            continue
        yield from _list_texts(part)
        if kind in (b"zTXt", b"iTXt", b"iCCP"):
            yield from _list_texts(_unpack_chunk(part))
        elif kind == b"tEXt" and part.lower().startswith(b"raw profile"):
            yield from _list_texts(bytes.fromhex("".join(part.partition(b"\0")[2].decode("ascii").split()[2:])))
        elif kind not in KNOWN_CHUNKS or (len(part) > SMALL_BYTES and kind not in (b"tEXt", b"eXIf", b"sPLT")):
            builder.miss("unknown_part", UNKNOWN)


def _unpack_chunk(part: bytes) -> bytes:
    """Of a chunk: what is packed stands behind its names."""
    start = next(
        (at for at in range(len(part)) if part[at : at + 2] in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")),
        None,
    )
    if start is None:
        return b""
    inflate = zlib.decompressobj()
    text = inflate.decompress(part[start:], MAX_TEXT_BYTES)
    if inflate.unconsumed_tail:
        raise ValueError("too long")
    return text + b"\n" + inflate.unused_data


def _sweep_gif(content: bytes, builder: Builder) -> Iterator[str]:
    place = 13 + (3 << ((content[10] & 7) + 1) if content[10] & 0x80 else 0)
    while place < len(content) and content[place] != 0x3B:
        if content[place] == 0x21:
            label, (part, place) = content[place + 1], _join_blocks(content, place + 2)
            yield from _list_texts(part)
            if not (label in (0xFE, 0x01, 0xF9) or (label == 0xFF and part.startswith(KNOWN_EXTENSIONS))):
                builder.miss("unknown_part", UNKNOWN)
        elif content[place] == 0x2C:
            colours = content[place + 9]
            place += 11 + (3 << ((colours & 7) + 1) if colours & 0x80 else 0)
            _, place = _join_blocks(content, place)
        else:
            raise ValueError("no GIF")
    yield from _read_trailing(content[place + 1 :], builder)


def _join_blocks(content: bytes, place: int) -> tuple[bytes, int]:
    parts = []
    while size := content[place]:
        parts.append(content[place + 1 : place + 1 + size])
        place += 1 + size
    return b"".join(parts), place + 1


def _sweep_webp(content: bytes, builder: Builder) -> Iterator[str]:
    end = 8 + int.from_bytes(content[4:8], "little")
    place = 12
    while place + 8 <= min(end, len(content)):
        kind, size = content[place : place + 4], int.from_bytes(content[place + 4 : place + 8], "little")
        if kind not in PIXELS_OF_WEBP:
            yield from _list_texts(content[place + 8 : place + 8 + size])
            if kind not in KNOWN_OF_WEBP:
                builder.miss("unknown_part", UNKNOWN)
        place += 8 + size + size % 2
    yield from _read_trailing(content[end:], builder)


def _sweep_tiff(content: bytes, builder: Builder) -> Iterator[str]:
    """All but the strips and tiles of its pictures."""
    spans: list[tuple[int, int]] = []
    with Image.open(io.BytesIO(content), formats=("TIFF",)) as image:
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            tags: Any = image.tag_v2  # type: ignore[attr-defined]
            if 330 in tags:
                builder.miss("thumbnail", PREVIEW)
            if 37724 in tags:
                builder.miss("unknown_part", UNKNOWN)
            for starts, sizes in ((273, 279), (324, 325)):
                spans += zip(tags.get(starts, ()), tags.get(sizes, ()), strict=False)
    place = 0
    for start, size in [*sorted(spans), (len(content), 0)]:
        yield from _list_texts(content[place:start])
        place = max(place, start + size)


def _sweep_bmp(content: bytes, builder: Builder) -> Iterator[str]:
    pixels, (width, height) = int.from_bytes(content[10:14], "little"), struct.unpack("<ii", content[18:26])
    bits = int.from_bytes(content[28:30], "little")
    size = int.from_bytes(content[34:38], "little") or (width * bits + 31) // 32 * 4 * abs(height)
    yield from list_texts_in_bytes(content[14:pixels])
    yield from _read_trailing(content[pixels + size :], builder)


FORMS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes, Builder], Iterator[str]]], ...] = (
    (lambda content: content.startswith(b"\xff\xd8"), _sweep_jpeg),
    (lambda content: content.startswith(b"\x89PNG"), _sweep_png),
    (lambda content: content.startswith(b"GIF8"), _sweep_gif),
    (lambda content: content.startswith((b"II*\0", b"MM\0*")), _sweep_tiff),
    (lambda content: content.startswith(b"RIFF") and content[8:12] == b"WEBP", _sweep_webp),
    (lambda content: content.startswith(b"BM"), _sweep_bmp),
)
