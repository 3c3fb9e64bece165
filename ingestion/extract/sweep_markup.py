"""Every string of a web page: what stands in its tags, between them, and in the files that it holds as `data:`
addresses (RFC 2397). The source is cut, and no piece of it is left out: what is no proper tag is text.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote_to_bytes

from ingestion.extract.build import Builder
from ingestion.extract.decode import decode_text
from ingestion.extract.font_strings import is_font
from ingestion.extract.remainder import NAME, is_formal
from ingestion.extract.sweep_picture import sweep_picture

ATTRIBUTE = re.compile(r"\s+([\w:@.-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
TAG = re.compile(rf"</?([A-Za-z][\w:-]*)((?:{ATTRIBUTE.pattern.replace('(', '(?:').replace('(?:?:', '(?:')})*)\s*/?>")
DATA = re.compile(r"data:([\w./+-]*)((?:;[\w.=-]+)*),([^\"'<>)\\]*)", re.I)
CHARSET = re.compile(r";charset=([\w.-]{2,40})", re.I)
FILE = "A file is embedded in this page; it was not read."
MEDIA = "Sound or film is embedded in this page; it was not read."
FONT = "There are fonts in this page; they were not read."
MAX_DATA_DEPTH = 3  # pages in pages
MAX_BARE_NAMES = 2  # of attributes without a value in one tag: more may be a sentence


def sweep_markup(source: str, builder: Builder, depth: int = 0) -> list[bytes]:
    """Of the source of a page. The pictures that it holds, whatever they are there for."""
    pictures: list[bytes] = []
    held: dict[tuple[str, str, str], None] = {}

    def hold_match(found: re.Match[str]) -> str:
        held[found[1], found[2], found[3]] = None
        return "data:"

    source = DATA.sub(hold_match, source)
    builder.add_remainder(_list_strings(source), packed=True)
    for media, parameters, content in held:
        pictures += _sweep_data(media.lower(), parameters, content, builder, depth)
    return pictures


def _list_strings(source: str) -> Iterator[str]:
    place = 0
    for tag in TAG.finditer(source):
        yield from _list_text(source[place : tag.start()])
        place = tag.end()
        if not NAME.fullmatch(tag[1]):
            yield tag[1]
        attributes = ATTRIBUTE.findall(tag[2])
        bare = [name for name, *values in attributes if not any(values)]
        if len(bare) > MAX_BARE_NAMES:
            yield " ".join(bare)
        for name, *values in attributes:
            if not NAME.fullmatch(name):
                yield name
            yield from _list_text("".join(values))
    yield from _list_text(source[place:])


def _list_text(piece: str) -> Iterator[str]:
    text = unescape(piece).strip()
    if text and not is_formal(text):
        yield text


def _sweep_data(media: str, parameters: str, packed: str, builder: Builder, depth: int) -> list[bytes]:
    content = unquote_to_bytes(unescape(packed))
    if parameters.lower().endswith(";base64"):
        try:
            content = b"".join(content.split())
            content = base64.b64decode(content + b"=" * (-len(content) % 4), validate=True)
        except (binascii.Error, ValueError):
            builder.add_remainder([packed])
            builder.miss("damaged_part", FILE)
            return []
    if media.startswith("image/") and "svg" not in media and content:
        sweep_picture(content, builder)
        return [content]
    is_media = media.startswith(("audio/", "video/"))
    if is_media:  # also where its bytes happen to be text, which is swept
        builder.miss("media", MEDIA)
    charset = CHARSET.search(parameters)
    text = decode_text(content, declared=charset[1] if charset else None)
    if text is not None and depth < MAX_DATA_DEPTH:
        return sweep_markup(text, builder, depth + 1) if text else []
    if not is_media:
        builder.miss(*(("font", FONT) if "font" in media and is_font(content) else ("embedded_object", FILE)))
    return []
