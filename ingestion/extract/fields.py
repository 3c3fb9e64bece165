"""What the instructions of fields say in Word documents and Rich Text (ECMA-376, part 1, 17.16): the branch of a
condition that does not show, entries of an index, paths of what is included, addresses of links."""

from __future__ import annotations

import re
from collections.abc import Iterator

QUOTE = '"“”„'
TOKEN = re.compile(
    rf"[{QUOTE}]((?:\\.|[^{QUOTE}\\])*)[{QUOTE}]?|(\\[^\s\\{QUOTE}])(?=[\s{QUOTE}]|$)|([^\s{QUOTE}]+)", re.S
)
ESCAPED = re.compile(r"\\(.)", re.S)
WORD = re.compile(r"[^\W_]")
# Bookmarks that Word sets by itself, in quotation marks or without; switches with their number; sums of cells beside.
BOOKMARK = re.compile(r"_\w+")
FORMAL_WORD = re.compile(r"\\[A-Za-z]\d*|=\w+\((?:ABOVE|BELOW|LEFT|RIGHT)\)", re.I)
FORMATS = frozenset(["\\*", "\\@", "\\#"])
# Fields that say nothing but which mark, style, number or source they are about.
_FORMAL = """
    ADVANCE AUTONUM AUTONUMLGL AUTONUMOUT BIBLIOGRAPHY CITATION EMBED LISTNUM NOTEREF PAGEREF REF SEQ SHAPE STYLEREF
    SYMBOL TOC
"""
FORMAL = frozenset(_FORMAL.split())


def words_in_field(instruction: str, *, opens: bool = True) -> list[str]:
    """Words of an instruction other than its name, marks and formats. opens: whether its name comes first, and not the
    rest of one that another field interrupted."""
    said: list[str] = []
    for place, (switch, word, quoted) in enumerate(_tokens(instruction)):
        if opens and place == 0 and not quoted and not word.startswith("="):
            if word.upper() in FORMAL:
                return []
            if word.upper() == "ADDIN":  # what another program keeps here, in a form of its own
                return [instruction]
        elif switch in FORMATS or not WORD.search(word) or BOOKMARK.fullmatch(word):
            continue
        elif quoted or not FORMAL_WORD.fullmatch(word):
            said.append(word)
    return said


def target_in_field(instruction: str) -> str:
    """Where a link leads to outside the document; "" for any other field."""
    tokens = list(_tokens(instruction))
    if not tokens or tokens[0][1].upper() != "HYPERLINK":
        return ""
    return next((word for switch, word, _ in tokens[1:] if switch not in ("\\l", "\\o", "\\t")), "")


def _tokens(instruction: str) -> Iterator[tuple[str, str, bool]]:
    """(switch that stands before it, word, whether it stands in quotation marks)."""
    switch = ""
    for quoted, mark, bare in TOKEN.findall(instruction):
        if mark:
            switch = mark
            continue
        yield switch, (ESCAPED.sub(r"\1", quoted) if quoted else bare), bool(quoted)
        switch = ""
