"""Fonts of a PDF whose table of letters (ToUnicode) contradicts what they draw: what such a page says is not what it
shows. Only codes are compared of which the encoding itself says which letter they draw (ISO 32000-1, 9.6.6)."""

from __future__ import annotations

import re
from typing import Any

import pikepdf

BY_CODE = frozenset(["/WinAnsiEncoding", "/MacRomanEncoding", "/StandardEncoding"])
STANDARD = re.compile(
    r"/(?:Helvetica|Times|Courier|Arial)(?:[-,]?(?:Roman|Bold|Italic|Oblique|BoldItalic|BoldOblique))?"
)
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
MIN_LIES = 3  # letters: a slip of a program is fewer
MAX_TABLE_BYTES = 1 << 20
RANGE = re.compile(rb"<([0-9A-Fa-f]{2})>\s*<([0-9A-Fa-f]{2})>\s*(?:<([0-9A-Fa-f]{4})>|\[([^\]]*)\])")
PAIR = re.compile(rb"<([0-9A-Fa-f]{2})>\s*<([0-9A-Fa-f]{4})>")
SECTION = re.compile(rb"begin(bfchar|bfrange)(.*?)endbf(?:char|range)", re.S)


def has_lying_font(page: pikepdf.Page, known: dict[tuple[int, int], bool]) -> bool:
    """Whether a font in the resources of a page lies. known: answers by object, of other pages."""
    fonts: Any = page.resources.get("/Font", pikepdf.Dictionary())
    for font in fonts.values():
        if not isinstance(font, pikepdf.Dictionary) or not isinstance(font.get("/ToUnicode"), pikepdf.Stream):
            continue
        place = font.objgen if font.is_indirect else (-len(known) - 1, 0)
        if place not in known:
            known[place] = _lies(font)
        if known[place]:
            return True
    return False


def _lies(font: Any) -> bool:
    drawn = _read_encoding(font)
    if not drawn:
        return False
    table = _read_unicode_map(font.ToUnicode.read_bytes()[:MAX_TABLE_BYTES])
    return sum(table[code].lower() != letter.lower() for code, letter in drawn.items() if code in table) >= MIN_LIES


def _read_encoding(font: Any) -> dict[int, str]:
    """Letters and digits by code, as far as the encoding says so."""
    if str(font.get("/Subtype")) not in ("/Type1", "/TrueType"):
        return {}
    encoding = font.get("/Encoding")
    base = encoding.get("/BaseEncoding") if isinstance(encoding, pikepdf.Dictionary) else encoding
    plain = str(base) in BY_CODE or (base is None and STANDARD.fullmatch(str(font.get("/BaseFont"))) is not None)
    letters = {code: chr(code) for code in range(48, 123) if chr(code).isalnum()} if plain else {}
    code = 0
    for item in encoding.get("/Differences", []) if isinstance(encoding, pikepdf.Dictionary) else []:
        if isinstance(item, pikepdf.Name):
            name = str(item)[1:]
            letters.pop(code, None)
            if len(name) == 1 and name.isalpha():
                letters[code] = name
            elif name in DIGITS:
                letters[code] = str(DIGITS.index(name))
            code += 1
        else:
            code = int(item)
    return letters


def _read_unicode_map(table: bytes) -> dict[int, str]:
    found: dict[int, str] = {}
    for kind, section in SECTION.findall(table):
        if kind == b"bfchar":
            found.update((int(code, 16), chr(int(letter, 16))) for code, letter in PAIR.findall(section))
            continue
        for first, last, start, several in RANGE.findall(section):
            letters = [int(one, 16) for one in re.findall(rb"<([0-9A-Fa-f]{4})>", several)]
            for place, code in enumerate(range(int(first, 16), int(last, 16) + 1)):
                if start or place < len(letters):
                    found[code] = chr(int(start, 16) + place if start else letters[place])
    return found
