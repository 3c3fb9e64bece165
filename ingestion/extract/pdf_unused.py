"""Objects of a PDF that nothing refers to: no viewer shows them, and whoever has the original reads them.

Tools that take out a page or a mark often leave what it was made of in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pikepdf

from ingestion.extract.clean import one_line

REFERENCE = re.compile(rb"(\d+) (\d+) R\b")
PROGRAMS = re.compile(
    r"/(?:Ordering|Registry|Producer|Creator|.*Date|ID|Lang|FontFamily|FontName|CharSet|MSIP_.*|DA|DS|NM|M)"
)
DATED = re.compile(r"D:\d{4}.*")
MOST = 1_000  # texts

Place = tuple[int, int]


def unused(pdf: pikepdf.Pdf) -> set[Place]:
    """Numbers of the objects that cannot be come to from the trailer."""
    # A number, a truth value or a null comes as a value of Python.
    names = {entry.objgen: _names(entry) for entry in pdf.objects if isinstance(entry, pikepdf.Object)}
    left = _references(pdf.trailer)
    while left:
        left += names.pop(left.pop(), [])
    return set(names)


def texts_of(pdf: pikepdf.Pdf, places: set[Place]) -> Iterator[str]:
    """What such objects say, without what programs note for programs. Raises ValueError where that is too much."""
    count = 0
    for place in sorted(places):
        for text in _texts(pdf.get_object(place), "", 0):
            count += 1
            if count > MOST:
                raise ValueError("too many")
            yield text


def _names(entry: Any) -> list[Place]:
    if isinstance(entry, pikepdf.Stream):
        return _references(entry.stream_dict)
    return _references(entry) if isinstance(entry, (pikepdf.Dictionary, pikepdf.Array)) else []


def _references(entry: Any) -> list[Place]:
    return [(int(number), int(version)) for number, version in REFERENCE.findall(entry.unparse(resolved=True))]


def _is_text(content: bytes, text: str) -> bool:
    """And no colours, numbers or places of letters that are written as one."""
    plain = content.startswith((b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf"))
    return any(map(str.isalpha, text)) and (plain or sum(32 <= sign < 127 for sign in content) >= 0.8 * len(content))


def _texts(item: Any, key: str, depth: int) -> Iterator[str]:
    """Of an object and what lies in it, but not of what it refers to."""
    if isinstance(item, pikepdf.String):
        text = one_line(str(item))
        if _is_text(bytes(item), text) and not PROGRAMS.fullmatch(key) and not DATED.fullmatch(text):
            yield text
    elif depth < 20 and isinstance(item, (pikepdf.Dictionary, pikepdf.Stream)):
        for name, value in item.items():
            if not getattr(value, "is_indirect", False):
                yield from _texts(value, name, depth + 1)
    elif depth < 20 and isinstance(item, pikepdf.Array):
        for value in item:
            if not getattr(value, "is_indirect", False):
                yield from _texts(value, key, depth + 1)
