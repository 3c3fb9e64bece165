"""Office files to read in tests: parts exchanged, and what extraction made of them."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from ingestion.documents import Extraction
from ingestion.extract.inside import extract
from ingestion.extract.sniff import DOCX


def exchange(path: Path, parts: Mapping[str, bytes | str | None]) -> Path:
    """The package at `path` with these parts put in, or left out where None."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**members, **parts}.items():
            if content is not None:
                archive.writestr(name, content)
    return path


NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{urn}:1.0"'
    for name, urn in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style", "meta": "meta",
        "svg": "svg-compatible",
    }.items()
) + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip


def odt(path: Path | IO[bytes], body: str, styles: str = "", **parts: str) -> None:
    """An OpenDocument text with this body."""
    made = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f"<office:document-content {NAMESPACES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>",
        **parts,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in made.items():
            archive.writestr(name, content)


WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKED = "http://schemas.openxmlformats.org/package/2006"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
IN_WORD = (
    f'xmlns:w="{WORDS}" xmlns:r="{RELATED}" xmlns:wp="{DRAWING}/wordprocessingDrawing" xmlns:a="{DRAWING}/main" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)


def related(*links: tuple[str, str, str]) -> str:
    """The part with these relationships: (id, the last word of its kind, target); to the outside by an address."""
    return f'<Relationships xmlns="{PACKED}/relationships">' + "".join(
        f'<Relationship Id="{key}" Type="{RELATED}/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if ":" in target else "/>")
        for key, kind, target in links
    ) + "</Relationships>"  # fmt: skip


def word(path: Path | IO[bytes], body: str, parts: Mapping[str, str] | None = None) -> None:
    """A Word document with this body and nothing beside it."""
    made = {
        "[Content_Types].xml": f'<Types xmlns="{PACKED}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType='
        f'"application/xml"/><Override PartName="/word/document.xml" ContentType="{DOCX}.main+xml"/></Types>',
        "_rels/.rels": related(("d", "officeDocument", "word/document.xml")),
        "word/document.xml": f"<w:document {IN_WORD}><w:body>{body}</w:body></w:document>",
        **(parts or {}),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in made.items():
            archive.writestr(name, content)


def said(text: str) -> str:
    """A paragraph of a Word document."""
    return f'<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def part(path: Path, name: str) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name).decode()


def read(path: Path, name: str) -> Extraction:
    """In this process, without limits."""
    extraction = extract(path, name)
    for paragraph in extraction.paragraphs:
        assert extraction.text[paragraph.start : paragraph.end] == paragraph.text
    return extraction


def shape(extraction: Extraction) -> list[tuple[str, tuple[str, ...], str]]:
    return [(p.kind, p.heading_path, p.text) for p in extraction.paragraphs]


def codes(extraction: Extraction) -> set[str]:
    """But for the small picture of nothing that libraries put into what they write."""
    return {item.code for item in extraction.unaccounted} - {"thumbnail"}


def remains(extraction: Extraction, text: str) -> bool:
    """Whether a text is of the remainder, and in no paragraph."""
    return text not in extraction.text and any(text in one for one in extraction.remainder)
