"""What an office file holds beside the text that is read: the strings of every part, of the archive between its parts,
and on record what is no text. A part that is not on the list here is an unknown part."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

from ingestion.extract.package import DAMAGE, Package
from ingestion.extract.remainder import is_readable, list_texts_in_bytes
from ingestion.extract.sweep_xml import list_texts_of_xml

MAX_PART_BYTES = 64 << 20
PADDING_BYTES = 64  # between parts that hold no text: programs align parts
LOCAL_HEADER, DIRECTORY_HEADER = b"PK\3\4", b"PK\1\2"
DIRECTORY_END = re.compile(rb"PK\x06\x06.{52}|PK\x06\x07.{16}|PK\x05\x06.{18}", re.S)
MAX_SETTINGS_BYTES = 256 << 10  # of what printers and programs keep for themselves
FILES = (LOCAL_HEADER, b"\xff\xd8\xff", b"\x89PNG", b"%PDF", b"\xd0\xcf\x11\xe0", b"7z\xbc\xaf", b"Rar!\x1a")
XML_PART = re.compile(r".*\.(?:xml|rels|vml|rdf|psmdcp|xlf)|.*/content|mimetype", re.I)
# Parts of which strings are all that an author can have put there.
BYTES_ARE_TEXT = re.compile(r".*/printerSettings/.*|mimetype|layout-cache|Configurations2/.*|.*/revisions/.*\.log")


def list_texts_of_part(package: Package, name: str) -> tuple[list[str] | None, bool]:
    """The strings of a part, None where it is no text; and whether they may be not all that it says. Raises what a
    damaged part raises."""
    content = package.content(name)
    if len(content) > MAX_PART_BYTES:
        return None, True
    if BYTES_ARE_TEXT.fullmatch(name) and not content.lstrip().startswith(b"<"):
        usual = len(content) <= MAX_SETTINGS_BYTES and not any(mark in content for mark in FILES)
        return list(list_texts_in_bytes(content)), not usual and not is_readable(content)
    head = content[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\xfe\xff \r\n\t\0")
    if XML_PART.fullmatch(name) or head.startswith(b"<"):
        try:
            return list_texts_of_xml(content), False
        except etree.LxmlError:
            return list(list_texts_in_bytes(content)) if head.startswith(b"<") else None, not is_readable(content)
    return [] if not content else None, bool(content)


def list_texts_of_archive(path: Path, on_unread: Callable[[], None]) -> Iterator[str]:
    """Names of entries, their comments and extra fields, and what stands between and around them. on_unread: called
    where there is more than text."""
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        yield from list_texts_in_bytes(archive.comment)
        spans = [(archive.start_dir, file.seek(0, io.SEEK_END))]
        if len({*archive.namelist()}) < len(archive.namelist()):  # of equal names only the last part is read
            on_unread()
        for entry in archive.infolist():
            yield entry.filename
            yield from list_texts_in_bytes(entry.comment + b"\n" + entry.extra)
            file.seek(entry.header_offset)
            header = file.read(30)
            name, extra = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:30], "little")
            file.seek(entry.header_offset + 30 + name)
            yield from list_texts_in_bytes(file.read(extra))
            spans.append((entry.header_offset, entry.header_offset + 30 + name + extra + entry.compress_size))
        place = 0
        for start, end in sorted(spans):
            if start > place:
                file.seek(place)
                gap = file.read(min(start - place, MAX_PART_BYTES))
                yield from list_texts_in_bytes(gap)
                if LOCAL_HEADER in gap or _holds_more(gap):
                    on_unread()
            place = max(place, end)
        yield from _list_around_directory(file.seek, file.read, archive, on_unread)


def _holds_more(content: bytes) -> bool:
    """Whether bytes between parts are neither text nor padding."""
    rest = content.strip(b"\0 ")
    return len(rest) > PADDING_BYTES and not is_readable(rest)


def _list_around_directory(seek, read, archive: zipfile.ZipFile, on_unread) -> Iterator[str]:  # type: ignore[no-untyped-def]
    """Behind the last entry of the directory."""
    seek(archive.start_dir)
    rest = read(MAX_PART_BYTES)
    place = 0
    while rest[place : place + 4] == DIRECTORY_HEADER:
        sizes = (int.from_bytes(rest[place + at : place + at + 2], "little") for at in (28, 30, 32))
        place += 46 + sum(sizes)
    yield from list_texts_in_bytes(rest[place:])
    if LOCAL_HEADER in rest[place:] or _holds_more(DIRECTORY_END.sub(b"", rest[place:])):
        on_unread()


__all__ = ["DAMAGE", "list_texts_of_archive", "list_texts_of_part"]
