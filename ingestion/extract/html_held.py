"""What a web page holds as `data:` addresses (RFC 2397) beside the pictures that it shows: files to be saved, pages in
frames. Text is read, pictures are looked at, and what is neither is recorded."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

from ingestion.extract.clean import clean
from ingestion.extract.decode import decode

DATA = re.compile(r"\s*data:([^,;]*)((?:;[^,;]*)*),", re.I)
CHARSET = re.compile(r";\s*charset=\"?([\w.:-]{2,40})", re.I)
TEXT = re.compile(r"(?:text/(?!css|javascript).*|application/(?:.*\+)?(?:json|xml|csv|yaml|x-yaml))?", re.I)
PAGES = frozenset(["text/html", "application/xhtml+xml"])
WITHIN = "Files within the page"
DEEPEST = 3
"""Pages within pages within pages …"""
SHOWN = ("src", "srcset", "href", "xlink:href", "{http://www.w3.org/1999/xlink}href")


def held(element: Any, name: str) -> Iterator[str]:
    """Addresses of what an element holds itself, but for what is looked at as a picture, the icon of a page, and
    scripts, which are recorded anyway."""
    if name == "script" or (name == "link" and "icon" in (element.get("rel") or "").lower()):
        return
    shows = name in ("img", "picture", "image", "input")
    for key, value in element.attrib.items():
        if DATA.match(value) and not (shows and key in SHOWN):
            yield value


def content_of(address: str) -> tuple[str, str | None, bytes] | None:
    """(type, its encoding as it says, bytes) of a `data:` address; None where they cannot be made out."""
    head = DATA.match(address)
    if head is None:
        return None
    media, parameters = head[1].strip().lower(), head[2]
    content = unquote_to_bytes(address[head.end() :])
    if re.search(r";\s*base64\s*\Z", parameters, re.I):
        packed = re.sub(rb"\s+", b"", content)
        try:
            content = base64.b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
        except (binascii.Error, ValueError):
            return None
    charset = CHARSET.search(parameters)
    return media, charset[1] if charset else None, content


def text_of(address: str) -> tuple[str, bool] | None:
    """(text, whether it is a web page) of a `data:` address; None where it is no text."""
    found = content_of(address)
    if found is None or not TEXT.fullmatch(found[0]):
        return None
    media, charset, content = found
    text = decode(content, declared=charset)
    return None if text is None else (clean(text), media in PAGES)
