"""Pictures that stand within a text: `data:` addresses of web pages and Markdown, groups of Rich Text, parts of mail.

A reader names each by a key (`Eyes.picture`), and whoever looks at them finds it again by the same key: `find_picture`.
Nothing is fetched: a picture that lies elsewhere is not a part of the file.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from PIL import Image

ADDRESS = re.compile(r"\s*data:image/[\w.+-]+(?:;[\w.-]+=[\w.-]*)*;base64,", re.I)
# An address in Markdown has no blank in it; in the raw HTML there, it stands in quotes.
WRITTEN = re.compile(
    r"(?:(?<=\")|(?<='))data:[\w./+-]*;base64,[A-Za-z0-9+/=\s]{40,}(?=[\"'])|data:[\w./+-]*;base64,[A-Za-z0-9+/=]{40,}"
)
IN_TEXT, IN_MESSAGE = "data", "message"
ORNAMENT = 48  # pixels: smaller pictures hold no text
FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP")


def compute_key(content: bytes, kind: str) -> str:
    """kind: IN_TEXT or IN_MESSAGE."""
    return f"{kind} {hashlib.sha256(content).hexdigest()[:32]}"


def unpack_data_url(address: str) -> bytes | None:
    """The bytes of a picture in a `data:` address; None for any other address, and where they cannot be made out."""
    head = ADDRESS.match(address)
    if head is None:
        return None
    packed = unquote(re.sub(r"\s+", "", address[head.end() :]))
    try:
        return base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True) or None
    except (binascii.Error, ValueError):
        return None


def is_ornament(content: bytes) -> bool:
    """By its own size, whatever the text says it is shown in."""
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            return max(image.size) <= ORNAMENT
    except (OSError, ValueError, SyntaxError, TypeError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return False


def list_in_page(root: Any) -> Iterator[bytes]:
    """Every picture that a web page holds, whatever it is there for: shown, behind a cell, or to be saved."""
    for element in root.iter() if root is not None else ():
        yield from filter(None, map(unpack_data_url, element.attrib.values()))


def list_in_markdown(text: str) -> Iterator[bytes]:
    yield from filter(None, (unpack_data_url(found[0]) for found in WRITTEN.finditer(text)))


def find_picture(path: Path, key: str) -> bytes | None:
    """The picture that a reader of the file named `key`; None where there is none."""
    kind, _, number = key.partition(" ")
    if kind == "group":
        from ingestion.extract.rtf import extract_pictures

        return _get_picture(extract_pictures(path), number)
    if kind == "part":
        from ingestion.extract.mail import extract_picture

        return extract_picture(path, int(number)) if number.isdecimal() else None
    written = _list_in_message(path) if kind == IN_MESSAGE else _list_in_text(path) if kind == IN_TEXT else iter(())
    return next((content for content in written if compute_key(content, kind) == key), None)


def _get_picture(pictures: Iterable[bytes | None], number: str) -> bytes | None:
    return next((picture for place, picture in enumerate(pictures, start=1) if str(place) == number), None)


def _list_in_message(path: Path) -> Iterator[bytes]:
    from ingestion.extract import html, mail

    for text in mail.extract_pages(path):
        yield from list_in_page(html.parse_page(text))


def _list_in_text(path: Path) -> Iterator[bytes]:
    from ingestion.extract import html
    from ingestion.extract.decode import decode_text

    data = path.read_bytes()
    text = decode_text(data, declared=html.declared_encoding(data)) or ""
    yield from list_in_markdown(text)
    yield from list_in_page(html.parse_page(text))
