"""What an office file holds beside the text that is read: the strings of every part, of the archive between its parts,
and on record what is no text. A part that is not on the list here is an unknown part."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from ingestion.extract.package import DAMAGE, Package
from ingestion.extract.remainder import texts_in_bytes
from ingestion.extract.sweep_xml import texts_of_xml

MAX_PART_BYTES = 64 << 20
PADDING_BYTES = 64  # between parts that hold no text: programs align parts
LOCAL_HEADER, DIRECTORY_HEADER, DIRECTORY_END = b"PK\3\4", b"PK\1\2", b"PK\5\6"
XML_PART = re.compile(r".*\.(?:xml|rels|vml|rdf|psmdcp|xlf)|.*/content|mimetype", re.I)
# Parts of which strings are all that an author can have put there.
BYTES_ARE_TEXT = re.compile(r".*/printerSettings/.*|mimetype|layout-cache|Configurations2/.*|.*/revisions/.*\.log")


def texts_of_part(package: Package, name: str) -> list[str] | None:
    """The strings of a part; None where it is no text. Raises what a damaged part raises."""
    content = package.content(name)
    if len(content) > MAX_PART_BYTES:
        return None
    if BYTES_ARE_TEXT.fullmatch(name) and not content.lstrip().startswith(b"<"):
        return list(texts_in_bytes(content))
    head = content[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\xfe\xff \r\n\t\0")
    if XML_PART.fullmatch(name) or head.startswith(b"<"):
        try:
            return texts_of_xml(content)
        except etree.LxmlError:
            return list(texts_in_bytes(content)) if head.startswith(b"<") else None
    return [] if not content else None


def texts_of_archive(path: Path) -> Iterator[str]:
    """Names of entries, their comments and extra fields, and what stands between and around them."""
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        yield from texts_in_bytes(archive.comment)
        spans = [(archive.start_dir, file.seek(0, io.SEEK_END))]
        for entry in archive.infolist():
            yield entry.filename
            yield from texts_in_bytes(entry.comment + b"\n" + entry.extra)
            file.seek(entry.header_offset)
            header = file.read(30)
            name, extra = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:30], "little")
            file.seek(entry.header_offset + 30 + name)
            yield from texts_in_bytes(file.read(extra))
            spans.append((entry.header_offset, entry.header_offset + 30 + name + extra + entry.compress_size))
        place = 0
        for start, end in sorted(spans):
            if start > place:
                file.seek(place)
                yield from texts_in_bytes(file.read(min(start - place, MAX_PART_BYTES)))
            place = max(place, end)
        yield from _around_the_directory(file.seek, file.read, archive)


def _around_the_directory(seek, read, archive: zipfile.ZipFile) -> Iterator[str]:  # type: ignore[no-untyped-def]
    """Behind the last entry of the directory."""
    seek(archive.start_dir)
    rest = read(MAX_PART_BYTES)
    place = 0
    while rest[place : place + 4] == DIRECTORY_HEADER:
        sizes = (int.from_bytes(rest[place + at : place + at + 2], "little") for at in (28, 30, 32))
        place += 46 + sum(sizes)
    yield from texts_in_bytes(rest[place:])


__all__ = ["DAMAGE", "texts_of_archive", "texts_of_part"]
