"""What a file is, told from its content. A name that says otherwise is no reason not to read it: people are told."""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePath

from ingestion.documents import Note
from ingestion.extract.decode import decode
from ingestion.sandbox.limits import Quarantined

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODT = "application/vnd.oasis.opendocument.text"
HTML = "text/html"
RTF = "application/rtf"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"
PICTURES = frozenset((PNG, JPEG, TIFF))
EML = "message/rfc822"
CSV = "text/csv"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
READ = (
    "PDF, Word (.docx), Excel (.xlsx), PowerPoint (.pptx), OpenDocument texts (.odt), web pages (.html), "
    "Rich Text (.rtf), e-mails (.eml), CSV, Markdown, plain text and pictures (.png, .jpg, .tif) can be read"
)

_BY_NAME = {
    ".pdf": PDF,
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), DOCX),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), XLSX),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"), PPTX),
    ".rtf": RTF,
    ".png": PNG,
    ".jpg": JPEG,
    ".jpeg": JPEG,
    ".jpe": JPEG,
    ".tif": TIFF,
    ".tiff": TIFF,
    ".odt": ODT,
    ".ott": ODT,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".eml": EML,
    ".csv": CSV,
    ".tsv": CSV,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".txt": PLAIN,
    ".text": PLAIN,
}
_TEXT_NAMES = frozenset({"", ".txt", ".text", ".md", ".markdown", ".log", ".rst"})
_HEAD = 1024
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", PNG, "a PNG picture"),
    (b"\xff\xd8\xff", JPEG, "a JPEG picture"),
    (b"II*\x00", TIFF, "a TIFF picture"),
    (b"MM\x00*", TIFF, "a TIFF picture"),
    (b"{\\rtf", RTF, "a Rich Text document"),
    (b"GIF8", None, "a GIF picture (save it as .png)"),
    (b"\x1f\x8b", None, "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", None, "a 7-Zip archive"),
    (b"Rar!", None, "a RAR archive"),
    (b"\x7fELF", None, "a program"),
    (b"MZ", None, "a program"),
    (b"SQLite format 3\x00", None, "a database"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Found:
    """media_type: one of those that are read, or None. what: the content in words, with its article."""

    media_type: str | None
    what: str


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file is read as. notes: where its name says something else."""

    media_type: str
    notes: tuple[Note, ...] = ()


def look(path: Path, name: str) -> Kind:
    """What the file at `path` is, that came with `name`.

    Raises Quarantined: empty, encrypted, mislabelled, unsupported, corrupt.
    """
    suffix = PurePath(name).suffix.lower()
    said = _BY_NAME.get(suffix)
    found = _look(path, said)
    if found.media_type == PLAIN:
        if said == EML and _has_headers(path):
            return Kind(EML)
        if said in (MARKDOWN, HTML, CSV):
            return Kind(said)
        if said == PLAIN or (said is None and suffix in _TEXT_NAMES):
            return Kind(PLAIN)
    if found.media_type is not None:
        if found.media_type == said or not suffix:
            return Kind(found.media_type)
        return Kind(found.media_type, (_note(suffix, said, found),))
    if said is not None and found.what:
        raise Quarantined(
            "mislabelled",
            f"The name ends in {_short(suffix)}, but the content is {found.what}, which is not read. "
            "Give the file the name of what it is, or export it again.",
        )
    if said is not None:
        raise Quarantined(
            "corrupt",
            f"The name ends in {_short(suffix)}, but the content is not of that form. The file is probably damaged: "
            "save it again from the program that wrote it.",
        )
    raise Quarantined("unsupported", f"This file is {found.what or 'of a type that is not known'}. {READ}.")


def _note(suffix: str, said: str | None, found: Found) -> Note:
    but = "but the content is" if said is not None else "which says little here; the content is"
    return Note("mislabelled", f"The name ends in {_short(suffix)}, {but} {found.what}: it was read as that.")


def _short(suffix: str) -> str:
    return suffix if len(suffix) <= 12 else suffix[:11] + "…"


def _look(path: Path, said: str | None) -> Found:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip(b"\x00 \t\r\n\xef\xbb\xbf\xff\xfe"):
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                if piece.strip(b"\x00 \t\r\n\xef\xbb\xbf\xff\xfe"):
                    break
            else:
                raise Quarantined("empty", "This file is empty: it holds nothing but white space. Upload it again.")
    if head.startswith(_ZIP):
        return _look_into_zip(path)
    if head.startswith(_OLE):
        return _look_into_ole(path)
    for magic, kind, what in _MAGIC:
        if head.startswith(magic):
            return Found(kind, what)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"%PDF-") or (said == PDF and b"%PDF-" in head):
        return Found(PDF, "a PDF document")
    with path.open("rb") as file:
        start = file.read(1 << 16)
    if decode(start, partial=True) is None:
        return Found(None, "")
    if _is_web_page(head):
        return Found(HTML, "a web page")
    return Found(PLAIN, "plain text")


def _has_headers(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_HEAD).lstrip(b"\xef\xbb\xbf\r\n")
    return re.match(rb"(?:From .*\r?\n)?[!-9;-~]+:", head) is not None


def _is_web_page(head: bytes) -> bool:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html")) or (start.startswith(b"<?xml") and b"<html" in start)


def _look_into_zip(path: Path) -> Found:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            kind = ""
            if "mimetype" in names and archive.getinfo("mimetype").file_size < _HEAD:
                kind = archive.read("mimetype").decode("ascii", "replace").strip()
            if any(info.flag_bits & 1 for info in archive.infolist()):
                raise Quarantined("encrypted", "This archive is protected by a password. Upload it without one.")
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError):
        raise Quarantined(
            "corrupt", "This file is damaged or was not uploaded to its end: its list of contents is missing."
        ) from None
    if "word/document.xml" in names:
        return Found(DOCX, "a Word document")
    if "xl/workbook.xml" in names:
        return Found(XLSX, "an Excel workbook")
    if "xl/workbook.bin" in names:
        return Found(None, "a binary Excel workbook (save it as .xlsx)")
    if "ppt/presentation.xml" in names:
        return Found(PPTX, "a PowerPoint presentation")
    if kind.removesuffix("-template") == ODT:
        return Found(ODT, "an OpenDocument text")
    if "mimetype" in names:
        return Found(None, "an OpenDocument or e-book file")
    return Found(None, "a ZIP archive")


def _look_into_ole(path: Path) -> Found:
    with path.open("rb") as file:
        content = file.read(4 << 20)
    if "EncryptedPackage".encode("utf-16-le") in content:
        raise Quarantined("encrypted", "This document is protected by a password. Save it without one and upload it.")
    return Found(None, "a document of Office 2003 or earlier (save it as .docx)")
