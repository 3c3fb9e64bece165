"""Strings of a font program: names, licences, and what stands in tables that hold no shapes of letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingestion.extract.remainder import list_texts_in_bytes

# OpenType tables of shapes, measures and substitutions.
SHAPES = frozenset(
    b"glyf loca hmtx vmtx cmap head hhea vhea maxp cvt  fpgm prep gasp GPOS GSUB GDEF kern hdmx VDMX LTSH OS/2 CFF  "
    b"CFF2 VORG BASE JSTF EBDT EBLC EBSC PCLT DSIG post morx mort feat prop trak just opbd lcar bdat bloc Zapf".split()
) | {b"cvt ", b"CFF "}
OPENTYPE = (b"\0\1\0\0", b"OTTO", b"true", b"ttcf")
PACKED = (b"wOFF", b"wOF2")
TAG = re.compile(rb"[A-Za-z][A-Za-z0-9/]{2}[A-Za-z0-9 /]")
HIDDEN_BYTES = 32  # at the beginning, which an office program changes by a key (ECMA-376, part 1, 17.8.1)
HEAD_BYTES = 4_096  # of a font of another form: its names


def is_font(content: bytes) -> bool:
    """Whether bytes begin as a font does; or as one that an office program has changed, by its table of contents."""
    if content[:4] in (*OPENTYPE, *PACKED):
        return True
    tags = [content[place : place + 4] for place in range(HIDDEN_BYTES + 12, HIDDEN_BYTES + 12 + 16 * 4, 16)]
    return all(map(TAG.fullmatch, tags)) and tags == sorted(tags)


def list_texts_of_font(content: bytes) -> Iterator[str]:
    if content[:4] in OPENTYPE:
        count = int.from_bytes(content[4:6])
        spans = []
        for place in range(12, 12 + 16 * count, 16):
            start, size = (int.from_bytes(content[place + at : place + at + 4]) for at in (8, 12))
            if content[place : place + 4] in SHAPES:
                spans.append((start, start + size))
        end = 12 + 16 * count
        for first, last in [*sorted(spans), (len(content), len(content))]:
            yield from list_texts_in_bytes(content[end:first])
            end = max(end, last)
    elif content[:2] == b"%!":
        cut = content.find(b"eexec")
        yield from list_texts_in_bytes(content[: cut if cut > 0 else None])
    else:
        yield from list_texts_in_bytes(content[:HEAD_BYTES])
