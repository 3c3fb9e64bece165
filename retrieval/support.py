"""Whether a passage bears out the sentence that cites it: figures, names and words, without a model (design §6).

It finds what a reader would check first, a number or a name that is not in the source. It does not judge meaning.
Whether a sentence bears on the question is asked besides (`retrieval.bearing`).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Support(StrEnum):
    """quoted: word for word, so it follows from its source; whether it answers the question is for its reader."""

    SUPPORTED = "supported"
    QUOTED = "quoted"
    WEAK = "weak"
    UNSUPPORTED = "unsupported"


ENOUGH, SOME = 0.5, 0.25
"""Shares of a sentence's content words that its passage must hold to be supported, and to be more than unsupported."""

CITED = re.compile(r"\[citation:(\d{1,9})\]")
MARKER = re.compile(r"\[(?:citation:\d{1,9}|src:[0-9a-f]{8}|\d{1,9})\]")
# Possessive: behind the last sentence nothing follows, and its markers must not be taken for one of their own.
END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*(?:\s*\[(?:citation:\d{1,9}|src:[0-9a-f]{8}|\d{1,9})\])*+\s+(?=\S)|\n+")
LIST_MARK = re.compile(r"^\s*(?:[-*+•>#]+|\d{1,3}[.)])\s+")
FIGURE = re.compile(
    r"(?P<money>[€$£]\s?)?(?<![\w.,])(?P<digits>(?:\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?!\d)|\d+)(?:[.,]\d+)*)"
    r"(?P<scale>[kKM]\b|m\b|\s?(?:thousand|million|billion|bn)\b)?"
)
TOKEN = re.compile(r"\w+")
WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
SCALES = {"thousand": 3, "k": 3, "million": 6, "m": 6, "billion": 9, "bn": 9}
ONE_TO_TWELVE = "one two three four five six seven eight nine ten eleven twelve"
SPELT = {word: n for n, word in enumerate(ONE_TO_TWELVE.split(), start=1)}
SPELT_FIGURE = re.compile(rf"\b({'|'.join(SPELT)})\b(?:\s+(thousand|million|billion))?", re.IGNORECASE)
MONTH_NAMES = "january february march april may june july august september october november december"
QUIET_WORDS = """
    a about above after again all also an and any are as at be because been before being below between both but by can
    could did do does each for from further had has have having he her here his how however i if in into is it its may
    more most must no nor not of off on once only or other our out over own per same shall she should so some such than
    that the their them then there therefore these they this those through to too under until up upon very was we were
    what when where which while who whom why will with within would you your document passage source record states says
    according stated mentions"""
MONTHS, QUIET = frozenset(MONTH_NAMES.split()), frozenset(QUIET_WORDS.split())


@dataclass(frozen=True)
class CitingSentence:
    """A marker `[citation:n]` of a text and the sentence that carries it, markers removed. at: the place of the marker
    among those of its number, from 0.
    """

    n: int
    at: int
    sentence: str


def list_citing_sentences(text: str) -> list[CitingSentence]:
    """Every marker in order. A marker may stand after the full stop."""
    found: list[CitingSentence] = []
    counts: Counter[int] = Counter()
    start = 0
    for end in [*END.finditer(text), None]:
        stop = end.end() if end else len(text)
        part = text[start:stop]
        numbers = [int(n) for n in CITED.findall(part)]
        sentence = " ".join(MARKER.sub(" ", part).split()) if numbers else ""
        for n in numbers:
            found.append(CitingSentence(n, counts[n], sentence))
            counts[n] += 1
        start = stop
    return found


def list_sentences_citing(text: str, n: int) -> list[str]:
    """The sentences of `text` that carry `[citation:n]`, markers removed."""
    return list(dict.fromkeys(found.sentence for found in list_citing_sentences(text) if found.n == n))


def check_support(sentences: Sequence[str], passage: str) -> Support:
    """The worst verdict over the sentences that cite `passage`; supported where there is none."""
    order = [Support.UNSUPPORTED, Support.WEAK]
    verdicts = {check_sentence(sentence, passage) for sentence in sentences}
    return next((verdict for verdict in order if verdict in verdicts), Support.SUPPORTED)


def check_sentence(sentence: str, passage: str) -> Support:
    """Unsupported: a figure that the passage does not have, or hardly a word in common. Weak: a name that it does not
    have, or few words in common."""
    if extract_figures(sentence) - extract_figures(passage) - extract_spelt_figures(passage):
        return Support.UNSUPPORTED
    words, there = extract_content_words(sentence), extract_content_words(passage)
    overlap = len(words & there) / len(words) if words else 1.0
    if overlap < SOME:
        return Support.UNSUPPORTED
    if overlap < ENOUGH or find_names(sentence) - {word.casefold() for word in WORD.findall(passage)}:
        return Support.WEAK
    return Support.SUPPORTED


def is_quote(sentence: str, passage: str) -> bool:
    """Whether a sentence stands in the passage word for word; a row of a table may be written without its lines."""
    said, there = (" ".join(TOKEN.findall(text.casefold())) for text in (MARKER.sub(" ", sentence), passage))
    return bool(said) and f" {said} " in f" {there} "


def find_bearing_sentence(sentences: Sequence[str], passage: str) -> tuple[int, int] | None:
    """The characters of the sentence in `passage` that has most in common with what was written; None for none."""
    wanted = {word for sentence in sentences for word in extract_content_words(sentence)}
    numbers = {number for sentence in sentences for number in extract_figures(sentence)}
    best, most, start = None, 0, 0
    for end in [*END.finditer(passage), None]:
        stop = end.start() if end else len(passage)
        part = passage[start:stop]
        common = len(wanted & extract_content_words(part)) + 2 * len(
            numbers & (extract_figures(part) | extract_spelt_figures(part))
        )
        if common > most:
            best, most = (start + len(part) - len(part.lstrip()), start + len(part.rstrip())), common
        start = end.end() if end else stop
    return best


def extract_figures(text: str) -> frozenset[Decimal]:
    """The numbers written in figures, in units: "€1.2 million", "1,200,000" and "1 200 000" are one number."""
    found: set[Decimal] = set()
    for match in FIGURE.finditer(MARKER.sub(" ", LIST_MARK.sub("", text))):
        scale = (match["scale"] or "").strip()
        if scale == "m" and not match["money"]:
            scale = ""  # metres
        found |= {value.scaleb(SCALES.get(scale.casefold(), 0)).normalize() for value in _parse_values(match["digits"])}
    return frozenset(found)


def extract_spelt_figures(text: str) -> frozenset[Decimal]:
    """Small numbers in words, with their scale: a passage may spell what an answer writes in figures."""
    matches = SPELT_FIGURE.finditer(text)
    return frozenset(
        Decimal(SPELT[m[1].casefold()]).scaleb(SCALES.get((m[2] or "").casefold(), 0)).normalize() for m in matches
    )


def _parse_values(digits: str) -> set[Decimal]:
    plain = re.sub(r"[ \u00a0\u202f'’]", "", digits)
    # 1,200,000 and 1.200.000 group by thousands; 1.5 and 1,5 are decimals; 10.03.2026 is three numbers.
    for separator in ",.":
        if re.fullmatch(rf"\d{{1,3}}(?:\{separator}\d{{3}})+(?:[,.]\d+)?", plain):
            plain = plain.replace(separator, "")
    parts = re.split(r"[.,]", plain)
    return {Decimal(".".join(parts))} if len(parts) <= 2 else {Decimal(part) for part in parts}


def find_names(text: str) -> frozenset[str]:
    """Capitalised words that do not begin the sentence, without months, which are written in figures as well."""
    found = set()
    for match in WORD.finditer(text):
        before = text[: match.start()].rstrip()
        word = match.group()
        if word[0].isupper() and before and before[-1] not in ".!?:“\"'*#-•>" and len(word) > 1:
            found.add(word.casefold())
    return frozenset(found - MONTHS - QUIET)


def extract_content_words(text: str) -> frozenset[str]:
    """Words that carry meaning, without case and common endings."""
    words = (word.casefold() for word in WORD.findall(MARKER.sub(" ", text)))
    return frozenset(_stem_word(word) for word in words if word not in QUIET and word not in SPELT and len(word) > 1)


def _stem_word(word: str) -> str:
    for ending in ("'s", "’s", "ings", "ing", "ies", "ied", "edly", "ed", "es", "s", "ly", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
