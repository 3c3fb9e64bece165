"""Where sentences end. Every sentence is a slice of its text."""

import re
from collections.abc import Iterator

from text.words import words

BEFORE_FIGURES = words(
    """no nos nr nrn fig figs art arts sec secs para paras cl p pp vol ref min max tel abs ziff kap rn § jan feb mar apr
    jun jul aug sep sept oct okt nov dec dez mon tue wed thu fri sat sun mo di mi do"""
)
"""Abbreviations only before a figure: "no. 4" goes on, "The answer is no." does not."""
ABBREVIATIONS = BEFORE_FIGURES | words(
    """mr mrs ms dr prof sr jr st vs etc e.g i.e cf al inc ltd corp co llc approx dept est eds ed rev ca bzw z.b d.h u.a
    i.d.r o.ä v.a i.v.m lt ggf evtl inkl zzgl abzgl bzgl gem sog usw str mio mrd mtl incl excl a.m p.m u.s u.k attn ext
    encl avg hr dipl ing"""
)
"""Words whose full stop ends no sentence, in lower case and without it."""
MONTHS = re.compile(
    r"(?:jan(?:uar|uary)?|feb(?:ruar|ruary)?|m[aä]r(?:z|ch)?|apr(?:il)?|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?"
    r"|o[kc]t(?:ober)?|nov(?:ember)?|de[zc](?:ember)?)\b",
    re.IGNORECASE,
)
CODE = re.compile(r"[\d|(\[]|[IVX]+\b|[A-Z]{1,4}[-/ ]?\d")
"""What a number or code begins with: "No. A-17", "Tel. (030)", "max. EUR 500"."""
SECTION = re.compile(r"§?\s*\d{1,3}(?:\.\d{1,3})*")
BEFORE_ORDINALS = words(
    """der die das dem den des ein eine einem einen am im vom zum zur bis ab seit und oder auf
    ins beim jeder jede jedes"""
)
"""German words before an ordinal number: "am 3. Obergeschoss", "die 14. Sitzung"."""
END = re.compile(
    r"""(?<=[.!?…])["'”’“)\]]*\s++(?=["'“„‘«»(\[]*(?:§|[^\W_a-zß-öø-ÿ]))|(?<=[。！？])|\n""",
)
"""After a mark that ends a sentence, before what is no small letter; and between two lines."""
WORD = re.compile(r"[\s(\[„“\"]+")
MAX_ORDINAL_DIGITS = 2
CLOSING = "\"'”’“)]"
EDGE = 40
"""Characters of a sentence's end that are looked at."""


def find_sentences(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each sentence in order, not blank at its ends. Together they hold every word of `text`."""
    start = 0
    for match in END.finditer(text):
        is_line = "\n" in match.group()
        if not is_line and _goes_on(
            text[max(start, match.start() - EDGE) : match.start()], text[match.end() : match.end() + EDGE]
        ):
            continue
        if text[start : match.start()].strip():
            yield trim_span(text, start, match.end())
        start = match.end()
    if text[start:].strip():
        yield trim_span(text, start, len(text))


def split_sentences(text: str) -> list[str]:
    """The sentences of `find_sentences`, as they stand."""
    return [text[start:end] for start, end in find_sentences(text)]


def _goes_on(piece: str, following: str) -> bool:
    """Whether the stop that ends `piece` is that of an abbreviation, an initial or an ordinal number: "am 3. Mai"."""
    bare = piece.rstrip(CLOSING)
    if not bare.endswith("."):
        return False
    *before, last = WORD.split(bare[:-1].lower())
    if SECTION.fullmatch(bare[:-1].strip()):
        return True
    if last.isdecimal() and len(last) <= MAX_ORDINAL_DIGITS:
        return bool(before) and before[-1] in BEFORE_ORDINALS or bool(MONTHS.match(following))
    if last in BEFORE_FIGURES:
        return bool(CODE.match(following))
    return last in ABBREVIATIONS or len(last) == 1 and last.isalpha()


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The slice without blanks at its ends."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip()))
