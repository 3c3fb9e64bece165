"""What a file is, told from its content. A name that says otherwise is no reason not to read it: people are told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePath

from ingestion.documents import Note
from ingestion.extract.decode import decode_text
from ingestion.sandbox.limits import Quarantined

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
DOC = "application/msword"
XLS = "application/vnd.ms-excel"
PPT = "application/vnd.ms-powerpoint"
MSG = "application/vnd.ms-outlook"
EPUB = "application/epub+zip"
HTML = "text/html"
RTF = "application/rtf"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"
PICTURES = frozenset((PNG, JPEG, TIFF))
EML = "message/rfc822"
CSV = "text/csv"
CALENDAR = "text/calendar"
VCARD = "text/vcard"
JSON = "application/json"
XML = "application/xml"
YAML = "application/yaml"
CODE = "text/x-code"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
TEXTS = frozenset((MARKDOWN, HTML, CSV, CALENDAR, VCARD, JSON, XML, YAML, CODE))
"""Types that only the name tells from plain text."""
READ = (
    "PDF, Word (.docx, .doc), Excel (.xlsx, .xls), PowerPoint (.pptx, .ppt), OpenDocument (.odt, .ods, .odp), web "
    "pages (.html), e-books (.epub), Rich Text (.rtf), e-mails (.eml, .msg), calendars (.ics), contacts (.vcf), CSV, "
    "Markdown, JSON, XML, YAML, source code, plain text and pictures (.png, .jpg, .tif) can be read"
)

_BY_NAME = {
    ".pdf": PDF,
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), DOCX),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), XLSX),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"), PPTX),
    **dict.fromkeys((".doc", ".dot", ".wbk"), DOC),
    **dict.fromkeys((".xls", ".xlt", ".xla", ".xlm"), XLS),
    **dict.fromkeys((".ppt", ".pps", ".pot"), PPT),
    **dict.fromkeys((".msg", ".oft"), MSG),
    ".epub": EPUB,
    ".rtf": RTF,
    ".png": PNG,
    ".jpg": JPEG,
    ".jpeg": JPEG,
    ".jpe": JPEG,
    ".tif": TIFF,
    ".tiff": TIFF,
    ".odt": ODT,
    ".ott": ODT,
    **dict.fromkeys((".ods", ".ots"), ODS),
    **dict.fromkeys((".odp", ".otp"), ODP),
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    **dict.fromkeys((".eml", ".mht", ".mhtml"), EML),
    **dict.fromkeys((".ics", ".ical", ".ifb", ".vcs"), CALENDAR),
    **dict.fromkeys((".vcf", ".vcard"), VCARD),
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".geojson", ".ipynb", ".har", ".webmanifest"), JSON),
    **dict.fromkeys(
        (".xml", ".xsd", ".xsl", ".xslt", ".rss", ".atom", ".opml", ".kml", ".gpx", ".wsdl", ".plist"), XML
    ),
    **dict.fromkeys((".yaml", ".yml"), YAML),
    ".csv": CSV,
    ".tsv": CSV,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".txt": PLAIN,
    ".text": PLAIN,
}
_CODE_NAMES = """
    .bash .bat .bib .c .cc .cfg .clj .cmake .cmd .conf .cpp .cs .css .cxx .dart .diff .env .ex .exs .go .gradle
    .graphql .groovy .h .hcl .hpp .hs .ini .java .jl .js .jsx .kt .kts .less .lua .m .mjs .ml .nix .patch .php .pl
    .pm .properties .proto .ps1 .psm1 .py .pyi .r .rb .rs .sass .scala .scss .sh .sol .sql .svelte .swift .tcl .tex
    .tf .toml .ts .tsx .vb .vbs .vim .vue .zig .zsh
"""
_BY_NAME |= dict.fromkeys(_CODE_NAMES.split(), CODE)
_TEXT_NAMES = frozenset({"", ".txt", ".text", ".md", ".markdown", ".log", ".rst", ".adoc", ".org", ".srt", ".vtt"})
HEAD = 1024


@dataclass(frozen=True, slots=True)
class SniffedType:
    """media_type: one of those that are read, or None. what: the content in words, with its article. remedy: what to do
    where it is not read."""

    media_type: str | None
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file is read as. notes: where its name says something else."""

    media_type: str
    notes: tuple[Note, ...] = ()


def sniff_file(path: Path, name: str) -> FileKind:
    """What the file at `path` is, that came with `name`.

    Raises Quarantined: empty, encrypted, mislabelled, unsupported, corrupt.
    """
    suffix = PurePath(name).suffix.lower()
    named = _BY_NAME.get(suffix)
    found = _sniff_content(path, named)
    if found.media_type == PLAIN:
        if named == EML and _has_headers(path):
            return FileKind(EML)
        if named in TEXTS:
            return FileKind(named)
        if named == PLAIN or (named is None and (suffix in _TEXT_NAMES or name.startswith("."))):
            return FileKind(PLAIN)
    if found.media_type == XML and named in (XML, CODE):
        return FileKind(XML)
    if found.media_type is not None:
        if found.media_type == named or not suffix:
            return FileKind(found.media_type)
        return FileKind(found.media_type, (_build_note(suffix, named, found),))
    remedy = found.remedy or "Give the file the name of what it is, or export it again."
    if named is not None and found.what:
        raise Quarantined(
            "mislabelled",
            f"The name ends in {_shorten_suffix(suffix)}, but the content is {found.what}, which is not read. {remedy}",
        )
    if named is not None:
        raise Quarantined(
            "corrupt",
            f"The name ends in {_shorten_suffix(suffix)}, but the content is not of that form. "
            "The file is probably damaged: save it again from the program that wrote it.",
        )
    what = found.what or "of a type that is not known"
    raise Quarantined("unsupported", f"This file is {what}. {found.remedy or f'{READ}.'}")


def _build_note(suffix: str, named: str | None, found: SniffedType) -> Note:
    but = "but the content is" if named is not None else "which says little here; the content is"
    return Note("mislabelled", f"The name ends in {_shorten_suffix(suffix)}, {but} {found.what}: it was read as that.")


def _shorten_suffix(suffix: str) -> str:
    return suffix if len(suffix) <= 12 else suffix[:11] + "…"


def _sniff_content(path: Path, named: str | None) -> SniffedType:
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head.strip(b"\x00 \t\r\n\xef\xbb\xbf\xff\xfe"):
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                if piece.strip(b"\x00 \t\r\n\xef\xbb\xbf\xff\xfe"):
                    break
            else:
                raise Quarantined("empty", "This file is empty: it has nothing but white space. Upload it again.")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"%PDF-") or (named == PDF and b"%PDF-" in head):
        return SniffedType(PDF, "a PDF document")
    from ingestion.extract import signatures

    if (found := signatures.look_at_bytes(path, head)) is not None:
        return found
    with path.open("rb") as file:
        start = file.read(1 << 16)
    if decode_text(start, partial=True) is None:
        return SniffedType(None, "")
    if _is_web_page(head):
        return SniffedType(HTML, "a web page")
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<?xml"):
        return SniffedType(XML, "XML")
    return SniffedType(PLAIN, "plain text")


def _has_headers(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(HEAD).lstrip(b"\xef\xbb\xbf\r\n")
    return re.match(rb"(?:From .*\r?\n)?[!-9;-~]+:", head) is not None


def _is_web_page(head: bytes) -> bool:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html")) or (start.startswith(b"<?xml") and b"<html" in start)
