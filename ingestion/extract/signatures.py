"""What files are by their first bytes, and what packages are by their parts; with the remedy where one is not read."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path

from ingestion.extract.ole import SIGNATURE, Compound
from ingestion.extract.sniff import (
    DOC,
    DOCX,
    EPUB,
    JPEG,
    MSG,
    ODP,
    ODS,
    ODT,
    PNG,
    PPT,
    PPTX,
    RTF,
    TIFF,
    XLS,
    XLSX,
    SniffedType,
)
from ingestion.sandbox.limits import Quarantined

LARGEST_PART = 4 << 20  # bytes
_UNPACK = "Unpack it and upload the files in it, or the folder."
_TRANSCRIBE = "Upload its text instead."
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", PNG, "a PNG picture"),
    (b"\xff\xd8\xff", JPEG, "a JPEG picture"),
    (b"II*\x00", TIFF, "a TIFF picture"),
    (b"MM\x00*", TIFF, "a TIFF picture"),
    (b"{\\rtf", RTF, "a Rich Text document"),
    (b"GIF8", None, "a GIF picture", "Save it as .png and upload that."),
    (b"8BPS", None, "a Photoshop picture", "Export it as .png or PDF and upload that."),
    (b"%!PS", None, "a PostScript file", "Convert it to PDF and upload that."),
    (b"\x1f\x8b", None, "a gzip archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", None, "a 7-Zip archive", _UNPACK),
    (b"Rar!", None, "a RAR archive", _UNPACK),
    (b"BZh91AY&SY", None, "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ\x00", None, "an xz archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", None, "a Zstandard archive", _UNPACK),
    (b"!BDN", None, "an Outlook mailbox", "Export its messages as .msg or .eml and upload those."),
    (b"ID3\x03", None, "a sound recording", _TRANSCRIBE),
    (b"ID3\x04", None, "a sound recording", _TRANSCRIBE),
    (b"OggS", None, "a sound recording", _TRANSCRIBE),
    (b"fLaC", None, "a sound recording", _TRANSCRIBE),
    (b"\x1aE\xdf\xa3", None, "a film", _TRANSCRIBE),
    (b"\x7fELF", None, "a program"),
    (b"MZ", None, "a program"),
    (b"SQLite format 3\x00", None, "a database"),
)
_TEXTS_IN_ZIP = {
    "application/epub+zip": SniffedType(EPUB, "an e-book"),
    ODT: SniffedType(ODT, "an OpenDocument text"),
    ODS: SniffedType(ODS, "an OpenDocument spreadsheet"),
    ODP: SniffedType(ODP, "an OpenDocument presentation"),
}
# By the type that `[Content_Types].xml` gives the part which the package is about.
_MAIN_TYPES = (
    (re.compile(rb"wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macro"), DOCX),
    (re.compile(rb"spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template|addin)\.macro"), XLSX),
    (re.compile(rb"presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\.\w+\.macro"), PPTX),
)
_WHAT = {DOCX: "a Word document", XLSX: "an Excel workbook", PPTX: "a PowerPoint presentation"}
_NOT_READ_IN_ZIP = (
    (r"xl/workbook\.bin", "a binary Excel workbook", "Save it as .xlsx and upload that."),
    (r"(?:.*/)?Index/.*\.iwa|Index\.zip", "a document of Apple's iWork", "Export it as PDF or for Microsoft Office."),
    (r"visio/document\.xml", "a Visio drawing", "Export it as PDF and upload that."),
    (r"FixedDocSeq\.fdseq|FixedDocumentSequence\.fdseq", "an XPS document", "Print it as PDF and upload that."),
    (r"mimetype", "an OpenDocument drawing or formula", "Export it as PDF and upload that."),
)
_OLE_KINDS = (
    ("__properties_version1.0", SniffedType(MSG, "an Outlook message")),
    ("WordDocument", SniffedType(DOC, "a Word document of 2003 or earlier")),
    ("Workbook", SniffedType(XLS, "an Excel workbook of 2003 or earlier")),
    ("Book", SniffedType(XLS, "an Excel workbook of 2003 or earlier")),
    ("PowerPoint Document", SniffedType(PPT, "a PowerPoint presentation of 2003 or earlier")),
    ("VisioDocument", SniffedType(None, "a Visio drawing", "Export it as PDF and upload that.")),
    ("Quill", SniffedType(None, "a Publisher document", "Export it as PDF and upload that.")),
    ("Props", SniffedType(None, "a Microsoft Project plan", "Export it as PDF or .xlsx and upload that.")),
    ("FileHeader", SniffedType(None, "a Hangul document", "Save it as .docx or PDF and upload that.")),
    ("MatOST", SniffedType(None, "a Microsoft Works document", "Save it as .docx or PDF and upload that.")),
    ("PerfectOffice_MAIN", SniffedType(None, "a WordPerfect document", "Save it as .docx or PDF and upload that.")),
)
ENCRYPTED_PART = "EncryptedPackage"
ENCRYPTED = "This document is protected by a password. Save it without one and upload it."


def look_at_bytes(path: Path, head: bytes) -> SniffedType | None:
    """What a file is by its first bytes; None where they say nothing. Raises Quarantined: encrypted, corrupt."""
    if head.startswith(b"PK\x03\x04"):
        return _look_into_zip(path)
    if head.startswith(SIGNATURE):
        return _look_into_ole(path)
    if head[4:8] == b"ftyp":
        heic = head[8:12] in (b"heic", b"heix", b"mif1", b"avif")
        return (
            SniffedType(None, "a HEIC picture", "Save it as .jpg.")
            if heic
            else SniffedType(None, "a film", _TRANSCRIBE)
        )
    if head.startswith(b"BM") and head[6:10] == b"\0\0\0\0":
        return SniffedType(None, "a Windows bitmap", "Save it as .png and upload that.")
    for magic, kind, what, *remedy in _MAGIC:
        if head.startswith(magic) and (magic != b"MZ" or b"\0" in head):  # two letters may begin a text
            return SniffedType(kind, what, *remedy)
    if head[:1] == b"\x09" and head[1:2] in b"\x00\x02\x04\x08" and head[2:4] in (b"\x04\0", b"\x06\0", b"\x08\0"):
        return SniffedType(XLS, "an Excel workbook of 2003 or earlier")  # without a container, as very old ones are
    return None


def _look_into_zip(path: Path) -> SniffedType:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            kind = _read_small_part(archive, "mimetype").decode("ascii", "replace").strip()
            types = _read_small_part(archive, "[Content_Types].xml")
            if any(info.flag_bits & 1 for info in archive.infolist()):
                raise Quarantined("encrypted", "This archive is protected by a password. Upload it without one.")
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError):
        raise Quarantined(
            "corrupt", "This file is damaged or was not uploaded to its end: its list of contents is missing."
        ) from None
    for pattern, media_type in _MAIN_TYPES:
        if pattern.search(types):
            return SniffedType(media_type, _WHAT[media_type])
    if (found := _TEXTS_IN_ZIP.get(kind.removesuffix("-template"))) is not None:
        return found
    if "META-INF/container.xml" in names:
        return _TEXTS_IN_ZIP["application/epub+zip"]
    for name, media_type in (("word/document.xml", DOCX), ("xl/workbook.xml", XLSX), ("ppt/presentation.xml", PPTX)):
        if name in names:
            return SniffedType(media_type, _WHAT[media_type])
    for pattern_of_name, what, remedy in _NOT_READ_IN_ZIP:
        if any(re.fullmatch(pattern_of_name, name) for name in names):
            return SniffedType(None, what, remedy)
    return SniffedType(None, "a ZIP archive", _UNPACK)


def _read_small_part(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a part, b"" where it is absent or too large to say what the package is."""
    try:
        return archive.read(name) if archive.getinfo(name).file_size < LARGEST_PART else b""
    except KeyError:
        return b""
    except RuntimeError:  # encrypted
        return b""


def _look_into_ole(path: Path) -> SniffedType:
    try:
        compound = Compound(path)
    except Quarantined:
        with path.open("rb") as file:
            named = ENCRYPTED_PART.encode("utf-16-le") in file.read(4 << 20)
        if named:
            raise Quarantined("encrypted", ENCRYPTED) from None
        raise
    if compound.has(ENCRYPTED_PART):
        raise Quarantined("encrypted", ENCRYPTED)
    for name, found in _OLE_KINDS:
        if compound.has(name):
            return found
    return SniffedType(None, "a document of an old Microsoft program", "Save it as .docx or PDF and upload that.")
