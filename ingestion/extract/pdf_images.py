"""What the data of a PDF's picture hold beside its pixels. Which stream is a picture, and how large, the author says.
Data that are no such pixels are read as bytes, and recorded where they are not text."""

from __future__ import annotations

import zlib
from typing import Any

import pikepdf

from ingestion.extract.build import Builder
from ingestion.extract.pdf_streams import list_filters
from ingestion.extract.remainder import list_texts_in_bytes
from ingestion.extract.sweep_picture import PADDING, TRAILING_BYTES, sweep_picture

FLATE = frozenset(["/FlateDecode", "/Fl"])
JPEG = frozenset(["/DCTDecode", "/DCT"])
ASCII = frozenset(["/ASCII85Decode", "/ASCIIHexDecode", "/A85", "/AHx"])
SMALL_BYTES = 1_024  # a text of that length is looked for in any case
MAX_PIXEL_BYTES = 64 << 20
MAX_EXCESS_BYTES = 1 << 20
READABLE_SHARE = 0.95
MIN_SIGNS = 12  # different ones: fewer are an even surface
READABLE = bytes(range(32, 127)) + b"\t\r\n"
COMPONENTS = {
    "/DeviceGray": 1,
    "/CalGray": 1,
    "/Indexed": 1,
    "/Separation": 1,
    "/DeviceRGB": 3,
    "/CalRGB": 3,
    "/Lab": 3,
}
UNKNOWN = "A picture in this PDF has data that is not a picture; it was not read."
# Files, packed or not, by how they begin (ZIP, gzip, 7z, RAR, OLE, bzip2, xz, PDF).
FILES = (
    b"PK\3\4",
    b"\x1f\x8b\x08",
    b"7z\xbc\xaf",
    b"Rar!\x1a",
    b"\xd0\xcf\x11\xe0\xa1\xb1",
    b"BZh",
    b"\xfd7zXZ",
    b"%PDF-",
)


def compute_readable_share(content: bytes) -> float:
    """Of its bytes, how many are signs of a plain text."""
    return 1 - len(content.translate(None, READABLE)) / max(1, len(content))


def sweep_image(stream: pikepdf.Stream, raw: bytes, builder: Builder) -> None:
    """raw: its bytes as they are packed. Raises what pikepdf and zlib raise for a damaged one."""
    filters = list_filters(stream)
    last = filters[-1] if filters else ""
    if last in JPEG or last == "/JPXDecode":
        _sweep_coded(_unpack_filters(raw, filters[:-1], MAX_PIXEL_BYTES), last in JPEG, builder)
        return
    expected = _compute_pixel_bytes(stream)
    if not set(filters) <= ASCII | FLATE:  # a fax, run lengths: unpacked, they may be large without an end
        builder.add_remainder(list_texts_in_bytes(raw) if _is_text(raw) else ())
        if len(raw) > 1.5 * expected + SMALL_BYTES or len(filters) > 1 + (filters[0] in ASCII):
            builder.miss("unknown_part", UNKNOWN)
        return
    limit = min(expected, MAX_PIXEL_BYTES)
    content = _unpack_filters(raw, filters, 2 * limit + MAX_EXCESS_BYTES)
    pixels, excess = content[:limit], content[limit:]
    if len(content) <= SMALL_BYTES or _is_text(pixels):
        builder.add_remainder(list_texts_in_bytes(content))
    else:
        builder.add_remainder(list_texts_in_bytes(excess))
    if content.startswith(FILES) or (
        len(excess.strip(PADDING)) > TRAILING_BYTES
        and expected == limit
        and compute_readable_share(excess) < READABLE_SHARE
    ):
        builder.miss("unknown_part", UNKNOWN)


def _is_text(content: bytes) -> bool:
    return compute_readable_share(content) >= READABLE_SHARE and len(set(content[:MAX_EXCESS_BYTES])) >= MIN_SIGNS


def _sweep_coded(coded: bytes, is_jpeg: bool, builder: Builder) -> None:
    """Of JPEG its segments, of JPEG 2000 all but the coded pixels."""
    if is_jpeg and coded.startswith(b"\xff\xd8"):
        sweep_picture(coded, builder)
        return
    is_known = not is_jpeg and (coded[4:8] == b"jP  " or coded.startswith(b"\xff\x4f\xff\x51"))
    start, end = coded.find(b"\xff\x90"), coded.rfind(b"\xff\xd9")  # the first tile, the end of the last one
    if is_known and 0 <= start < end:
        builder.add_remainder(list_texts_in_bytes(coded[:start] + b"\0" + coded[end + 2 :]))
        is_known = len(coded[end + 2 :].strip(PADDING)) <= SMALL_BYTES
    else:
        builder.add_remainder(list_texts_in_bytes(coded))
    if not is_known:
        builder.miss("unknown_part", UNKNOWN)


def _unpack_filters(raw: bytes, filters: list[str], limit: int) -> bytes:
    """By filters of which one packs, within bounds; more of them are made to overload."""
    if not set(filters) <= ASCII | FLATE or sum(name in FLATE for name in filters) > 1:
        raise ValueError("packed more than once")
    for name in filters:
        if name in FLATE:
            raw = _inflate(raw, limit)
            continue
        with pikepdf.new() as pdf:
            copy = pikepdf.Stream(pdf, raw, Filter=pikepdf.Name(name))
            raw = copy.read_bytes(pikepdf.StreamDecodeLevel.generalized)
    return raw


def _inflate(packed: bytes, limit: int) -> bytes:
    """As much of it as can be unpacked."""
    inflate = zlib.decompressobj()
    content = bytearray()
    try:
        while packed and not inflate.eof and len(content) < limit:
            content += inflate.decompress(packed, min(1 << 20, limit - len(content)))
            packed = inflate.unconsumed_tail
    except zlib.error as damage:
        if not content:
            raise ValueError("damaged") from damage
    return bytes(content) + inflate.unused_data[:MAX_EXCESS_BYTES]


def _compute_pixel_bytes(stream: pikepdf.Stream) -> int:
    """As the picture declares it; with a sign for each row where rows are predicted."""
    width, height = int(stream.get("/Width", 0)), int(stream.get("/Height", 0))
    bits = 1 if bool(stream.get("/ImageMask", False)) else int(stream.get("/BitsPerComponent", 8))
    row = (width * bits * _count_components(stream) + 7) // 8
    parameters: Any = stream.get("/DecodeParms")
    if isinstance(parameters, pikepdf.Array):
        parameters = next((one for one in parameters if isinstance(one, pikepdf.Dictionary)), None)
    predicted = isinstance(parameters, pikepdf.Dictionary) and int(parameters.get("/Predictor", 1)) >= 10
    return max(0, height * (row + predicted))


def _count_components(stream: pikepdf.Stream) -> int:
    space: Any = stream.get("/ColorSpace")
    if bool(stream.get("/ImageMask", False)):
        return 1
    if isinstance(space, pikepdf.Array) and len(space):
        if str(space[0]) == "/ICCBased":
            return min(4, int(space[1].get("/N", 4)))
        if str(space[0]) == "/DeviceN":
            return len(space[1])
        space = space[0]
    return COMPONENTS.get(str(space), 4)
