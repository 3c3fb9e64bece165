"""Files of Microsoft's older programs to read in tests, built from their records: small, and with nobody's text."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

SECTOR, SMALL_SECTOR, LEAST = 512, 64, 4096  # bytes; shorter streams stand in small sectors
FREE, END, FAT_SECTOR = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def compound(path: Path, streams: Mapping[str, bytes]) -> Path:
    """A compound file with these streams, by their names with storages before a slash ([MS-CFB] 2)."""
    entries: list[tuple[str, int, list[int], bytes]] = [("Root Entry", 5, [], b"")]  # name, type, children, content
    known = {"": 0}
    for name, content in streams.items():
        above = ""
        *storages, last = name.split("/")
        for storage in storages:
            inside = f"{above}/{storage}" if above else storage
            if inside not in known:
                known[inside] = len(entries)
                entries[known[above]][2].append(len(entries))
                entries.append((storage, 1, [], b""))
            above = inside
        entries[known[above]][2].append(len(entries))
        entries.append((last, 2, [], content))
    sectors: list[bytes] = []
    chain: list[int] = []
    small, small_chain = b"", list[int]()

    def store(content: bytes) -> int:
        first = len(sectors)
        pieces = [content[at : at + SECTOR].ljust(SECTOR, b"\0") for at in range(0, len(content), SECTOR)]
        sectors.extend(pieces)
        chain.extend([*range(first + 1, first + len(pieces)), END] if pieces else [])
        return first if pieces else END

    starts = []
    for _, kind, _, content in entries:
        if kind == 2 and 0 < len(content) < LEAST:
            starts.append(len(small_chain))
            count = -(-len(content) // SMALL_SECTOR)
            small_chain += [*range(starts[-1] + 1, starts[-1] + count), END]
            small += content.ljust(count * SMALL_SECTOR, b"\0")
        else:
            starts.append(store(content) if kind == 2 else END)
    starts[0] = store(small)
    entries[0] = ("Root Entry", 5, entries[0][2], small)
    small_start = store(struct.pack(f"<{len(small_chain)}I", *small_chain))
    siblings = {child: later for _, _, inner, _ in entries for child, later in zip(inner, inner[1:], strict=False)}
    directory = b""
    for number, (name, kind, inner, content) in enumerate(entries):
        packed = name.encode("utf-16-le")
        directory += packed.ljust(64, b"\0") + struct.pack(
            "<HBBIII16xI8x8xIQ",
            len(packed) + 2, kind, 1, FREE, siblings.get(number, FREE), inner[0] if inner else FREE, 0,
            starts[number], len(content),
        )  # fmt: skip
    directory_start = store(directory + b"\0" * (-len(directory) % SECTOR))
    count = 1
    while len(sectors) + count > count * (SECTOR // 4):
        count += 1
    table = [*chain, *[FAT_SECTOR] * count]
    fat_start = len(sectors)
    packed_table = struct.pack(f"<{len(table)}I", *table).ljust(count * SECTOR, b"\xff")
    small_sectors = -(-len(small_chain) * 4 // SECTOR)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + struct.pack(
        "<16xHHHHH6xIIIIIIIII",
        0x3E, 3, 0xFFFE, 9, 6, 0, count, directory_start, 0, LEAST, small_start, small_sectors, END, 0,
    )  # fmt: skip
    header += struct.pack("<109I", *[fat_start + n if n < count else FREE for n in range(109)])
    path.write_bytes(header + b"".join(sectors) + packed_table)
    return path


def record(kind: int, content: bytes) -> bytes:
    """Of a workbook."""
    return struct.pack("<HH", kind, len(content)) + content


def old_workbook(path: Path, sheets: Mapping[str, Sequence[bytes]], globals_: Sequence[bytes] = ()) -> Path:
    """An Excel workbook with the records of each sheet."""
    start = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0x1BBB, 1996, 0, 6)) + record(0x42, b"\xb0\x04")
    start += b"".join(globals_)
    start += b"".join(
        record(0x31, struct.pack("<HHHHHBBBxBB", 200, 0, 8, 400, 0, 0, 0, 0, 1, 0) + b"A") for _ in range(4)
    )
    formats = (0, 14, 10)  # as they are, dates, per cent
    start += b"".join(record(0xE0, struct.pack("<HHHBBBBIIH", 0, code, 1, 0, 0, 0, 0, 0, 0, 0)) for code in formats)
    bodies = [
        record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0x1BBB, 1996, 0, 6)) + b"".join(rows) + record(0xA, b"")
        for rows in sheets.values()
    ]
    names = [bytes([len(name), 0]) + name.encode("latin-1") for name in sheets]
    place = len(start) + sum(len(name) + 6 + 4 for name in names) + 4
    bound = b""
    for name, body in zip(names, bodies, strict=True):
        bound += record(0x85, struct.pack("<IBB", place, 0, 0) + name)
        place += len(body)
    return compound(path, {"Workbook": start + bound + record(0xA, b"") + b"".join(bodies)})


def label(row: int, column: int, text: str) -> bytes:
    packed = text.encode("utf-16-le")
    return record(0x204, struct.pack("<HHHHB", row, column, 0, len(text), 1) + packed)


def number(row: int, column: int, value: float, style: int = 0) -> bytes:
    return record(0x203, struct.pack("<HHHd", row, column, style, value))


def text_box(text: str) -> bytes:
    packed = record(0x3C, b"\1" + text.encode("utf-16-le"))
    box = record(0x5D, struct.pack("<HHHHH12xHH", 0x15, 18, 6, 1, 0, 0, 0))
    return box + record(0x1B6, struct.pack("<HH6xHHI", 0, 0, len(text), 16, 0)) + packed + record(0x3C, b"\0" * 16)


CELL, ROW = b"\x16\x24\x01", b"\x16\x24\x01\x17\x24\x01"  # paragraphs in tables, and those that end rows


def old_document(
    path: Path, paragraphs: Sequence[tuple[str, int, bytes]], notes: str = "", flags: int = 0, **streams: bytes
) -> Path:
    """A Word document: (text with the character that ends it, number of its style, formats) of each paragraph, then the
    text of its footnotes."""
    text = "".join(one for one, _, _ in paragraphs)
    body = (text + notes).encode("utf-16-le")
    start = 0x800
    stream = bytearray(start) + body
    stream += b"\0" * (-len(stream) % SECTOR)
    page = bytearray(SECTOR)
    place, top = start, SECTOR - 2
    for at, (one, style, formats) in enumerate(paragraphs):
        struct.pack_into("<I", page, 4 * at, place)
        place += len(one.encode("utf-16-le"))
        content = struct.pack("<H", style) + formats
        content += b"\0" * (len(content) % 2 == 0)
        top = (top - len(content) - 1) // 2 * 2
        page[top : top + 1 + len(content)] = bytes([(len(content) + 1) // 2]) + content
        page[4 * (len(paragraphs) + 1) + 13 * at] = top // 2
    struct.pack_into("<I", page, 4 * len(paragraphs), place)
    page[-1] = len(paragraphs)
    number_of_page = len(stream) // SECTOR
    stream += page
    pieces = struct.pack("<II", 0, len(text) + len(notes)) + struct.pack("<HIH", 0, start, 0)
    clx = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    pages = struct.pack("<III", start, place, number_of_page)
    struct.pack_into("<HH", stream, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", stream, 0x0A, 0x0200 | flags)
    struct.pack_into("<II", stream, 0x4C, len(text), len(notes))
    struct.pack_into("<II", stream, 0x1A2, 0, len(clx))
    struct.pack_into("<II", stream, 0x102, len(clx), len(pages))
    return compound(path, {"WordDocument": bytes(stream), "1Table": clx + pages, **streams})


def atom(kind: int, content: bytes, instance: int = 0) -> bytes:
    """Of a presentation."""
    return struct.pack("<HHI", instance << 4, kind, len(content)) + content


def holder(kind: int, *inner: bytes, instance: int = 0) -> bytes:
    content = b"".join(inner)
    return struct.pack("<HHI", instance << 4 | 15, kind, len(content)) + content


def words(text: str, role: int) -> bytes:
    return atom(0xF9F, struct.pack("<I", role)) + atom(0xFA0, text.encode("utf-16-le"))


def old_presentation(
    path: Path, slides: Sequence[bytes], outline: bytes, notes: bytes = b"", token: int = 0xE391C05F
) -> Path:
    """A PowerPoint presentation: the records of each slide, those of the outline of the first one, and its notes."""
    listed = b"".join(
        atom(0x3F3, struct.pack("<IIIII", at + 2, 0, 0, 0x100 + at, 0)) + (outline if at == 0 else b"")
        for at in range(len(slides))
    )
    parts = [holder(0xFF0, listed)]
    contents = [holder(0x3EE, slide) for slide in slides]
    if notes:
        parts.append(holder(0xFF0, atom(0x3F3, struct.pack("<IIIII", len(slides) + 2, 0, 0, 0x200, 0)), instance=2))
        contents.append(holder(0x3F0, atom(0x3F1, struct.pack("<II", 0x100, 0)) + notes))
    stream, places = b"", []
    for part in [holder(0x3E8, *parts), *contents]:
        places.append(len(stream))
        stream += part
    directory = len(stream)
    stream += atom(0x1772, struct.pack(f"<I{len(places)}I", len(places) << 20 | 1, *places))
    edit = len(stream)
    stream += atom(0xFF5, struct.pack("<IIIIIII", 0, 0, 0, directory, 1, len(places), 0))
    user = atom(0xFF6, struct.pack("<III", 20, token, edit) + b"\0" * 12)
    return compound(path, {"Current User": user, "PowerPoint Document": stream})


def outlook(path: Path, texts: Mapping[str, str | bytes], inner: Mapping[str, bytes] | None = None) -> Path:
    """An Outlook message: properties of text (or bytes) by their numbers, and streams of recipients and attachments."""
    return compound(path, {"__properties_version1.0": b"\0" * 32, **property_streams(texts), **(inner or {})})


def property_streams(texts: Mapping[str, str | bytes], place: str = "") -> dict[str, bytes]:
    return {
        f"{place}__substg1.0_{key}{'0102' if isinstance(value, bytes) else '001F'}": value
        if isinstance(value, bytes)
        else value.encode("utf-16-le")
        for key, value in texts.items()
    }


def fixed_properties(values: Mapping[int, int], head: int = 8) -> bytes:
    """The stream of properties that are numbers."""
    return b"\0" * head + b"".join(struct.pack("<HHIi4x", 3, key, 6, value) for key, value in values.items())
