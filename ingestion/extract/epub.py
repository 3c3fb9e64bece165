"""E-books (EPUB 2 and 3): their pages, in the order in which they are read, each as a web page.

What a page refers to within the book (pictures, styles) is a part of it. Books that are protected cannot be read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ingestion.documents import Extraction
from ingestion.extract import html, sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line
from ingestion.extract.decode import decode_text
from ingestion.extract.eyes import Eyes
from ingestion.extract.font_strings import is_font
from ingestion.extract.package import DAMAGE, Package, get_local_name
from ingestion.extract.package_parts import DETAILS, record_miss
from ingestion.extract.remainder import is_readable, list_texts_in_bytes
from ingestion.extract.sweep_package import list_texts_of_archive, list_texts_of_part
from ingestion.extract.sweep_picture import sweep_picture
from ingestion.sandbox.limits import Limits, Quarantined, Report

WHAT = "book"
PAGES = frozenset(["application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"])
FONT_METHODS = re.compile(r"http://(?:www\.idpf\.org/2008/embedding|ns\.adobe\.com/pdf/enc#RC)")
STYLES = re.compile(r".*\.css", re.I)
FONTS = re.compile(r".*\.(?:ttf|otf|woff2?)", re.I)
PICTURES = re.compile(r".*\.(?:png|jpe?g|gif|bmp|webp|tiff?)", re.I)
_DESCRIPTIVE = "title creator subject description publisher contributor date rights source coverage"
DESCRIPTIVE = frozenset(_DESCRIPTIVE.split())


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty, encrypted."""
    package = Package(path, limits, "the program that wrote it")
    report("reading")
    builder = Builder()
    try:
        if "META-INF/encryption.xml" in package.names:
            methods = package.root("META-INF/encryption.xml").iter("{*}EncryptionMethod")
            if not all(FONT_METHODS.match(method.get("Algorithm") or "") for method in methods):
                raise Quarantined("encrypted", "This book is protected against copying. Upload it without protection.")
        container = package.root("META-INF/container.xml")
        name = next((root.get("full-path") or "" for root in container.iter("{*}rootfile")), "")
        book = package.root(name)
        pages = list(dict.fromkeys(_list_pages(book, posixpath.dirname(name))))
        for number, page in enumerate(pages, 1):
            report("reading", number, len(pages))
            if page in package.names:
                _add_page(package, page, builder, eyes)
            else:
                builder.miss("page_failed", "A chapter that the book names is not in it.")
        _sweep_strings(package, builder, eyes)
        builder.add_properties(_read_properties(book))
    except DAMAGE:
        raise package.corrupt() from None
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text in this book. Check that you chose the right file.")
    return builder.build_extraction(sniff.EPUB, None)


def _sweep_strings(package: Package, builder: Builder, eyes: Eyes) -> None:
    """Gathers the strings that no page of the book shows; pictures are read, and what is no text is recorded."""
    builder.add_remainder(list_texts_of_archive(package.path, lambda: record_miss(builder, "unknown_part", WHAT)))
    changed = "META-INF/encryption.xml" in package.names  # fonts, by a key
    for name in package.names:
        texts, more = list_texts_of_part(package, name)
        if texts is None and STYLES.fullmatch(name):
            content = package.content(name)
            texts, more = list(list_texts_in_bytes(content)), not is_readable(content)
        if texts is not None:
            builder.add_remainder(texts, packed=True)
            if more:
                record_miss(builder, "unknown_part", WHAT)
        elif PICTURES.fullmatch(name):
            sweep_picture(package.content(name), builder)
            eyes.picture(builder, name, "image", DETAILS["image"].format(what=WHAT))
        else:
            font = FONTS.fullmatch(name) and (changed or is_font(package.content(name)))
            record_miss(builder, "font" if font else "unknown_part", WHAT)


def _add_page(package: Package, name: str, builder: Builder, eyes: Eyes) -> None:
    data = package.content(name)
    text = decode_text(data, declared=html.declared_encoding(data))
    if text is None:
        builder.miss("unreadable_text", "A chapter of this book is in an encoding that cannot be read.")
        return
    html.read_into(builder, text, eyes)


def _list_pages(book: Any, folder: str) -> Iterator[str]:
    """In the order of reading, then those that stand in none."""
    items = {item.get("id"): item for item in book.iter("{*}item") if (item.get("media-type") or "") in PAGES}
    ordered = [items[ref.get("idref")] for ref in book.iter("{*}itemref") if ref.get("idref") in items]
    others = [item for item in items.values() if "nav" not in (item.get("properties") or "").split()]
    for item in [*ordered, *others, *items.values()]:
        yield _resolve_address(folder, item.get("href") or "")


def _resolve_address(folder: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(address.partition("#")[0])))


def _read_properties(book: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in book.iter():
        name, text = (
            get_local_name(element),
            clean_line("".join(element.itertext()) if isinstance(element.tag, str) else ""),
        )
        if name in DESCRIPTIVE and text:
            title = name.capitalize()
            found[title] = f"{found[title]}, {text}" if title in found else text
    return found
