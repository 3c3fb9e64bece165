"""What a text is about by all its words together: a weighted sum of them, learned from the half of the project's own
set that rules are tuned to (docs/adr/0041, `manage.py learn_labels`).

The other recognisers know phrases. This one knows how much each word, part of a word and pair of words speaks for a
label, so that what nobody wrote down as a phrase is found by what surrounds it. A logistic regression: the weights are
a table that can be read (learned.tsv), and nothing is sampled, fetched or learned while the product runs.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from math import sqrt
from pathlib import Path

from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PII_SENSITIVE, SECRET
from llm.recognisers.findings import words
from llm.recognisers.formats import blank_urls
from llm.recognisers.money import BOOKS, METRIC_WORD, PAY_WORD, RATE_WORD
from llm.recognisers.names import GERMAN, find_names
from llm.recognisers.people import find_people, load_first_names

TABLE = Path(__file__).with_name("learned.tsv")
COLUMNS = (INTERNAL, CONFIDENTIAL, PII, PII_SENSITIVE, FINANCIAL, SECRET)
SPOKEN_OF = {
    INTERNAL: "reads like a note to colleagues",
    CONFIDENTIAL: "reads like something confidential",
    PII: "reads like a statement about one person",
    PII_SENSITIVE: "reads like the health or belief of one person",
    FINANCIAL: "reads like money",
    SECRET: "reads like a password or a key",
}
MIN_WORDS = 4
"""Fewer words are a heading, a cell or a name: too little to say what they are about."""
VALUE = re.compile(r"\d|[\"“'`][^\s\"“”'`]+[\"”'`]|[=:]\s?\S")
BIAS, ONE = "*", "<one person>"
LABEL, PROPOSE = "<label>", "<propose>"
"""Rows of the table: the sums from which on words label, and from which on they propose."""
WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|[€$£%@:|#+=/\"“?!]")
LETTERS = re.compile(r"[^\W\d_]{2,}")
ONE_PERSON = words(
    """he she his her him hers i my me mine er sie ihr sein seine ihre ich mein meine il elle son sa ses je mon ma mi
    su zijn haar"""
)
PRONOUN = re.compile(r"\bI\b|\b(?:dear|frau|herrn?|mr|mrs|ms)\b", re.IGNORECASE)
# A number that may be one of money: not a share, a small count, a year or a date.
MANY = re.compile(
    r"(?<![\d.,])(?!(?:19|20)\d\d\b)\d{1,3}(?:[.,'’ ]?\d{3})+(?![\d%])|\d[.,]\d\d\b(?!\s?[%\w])|\d\s?(?:k|Tsd)\b"
    r"|\b(?:hundred|thousand|million|hundert|tausend|(?<!per )cents?|grand|euros?|pounds?|dollars?|bucks|quid)\b",
    re.IGNORECASE,
)
LENGTH = 2.0
"""Of a text's vector, so that long texts do not weigh more than short ones."""


def compute_features(text: str) -> dict[str, float]:
    """How much of each feature a text has: its words, pairs of words, their first and last letters, and the inner parts
    of long words. A given name is "<name>", another capitalised word inside a sentence "<cap>", a number its shape.
    """
    found: dict[str, float] = {}
    said = _generalise_words(text, found)
    for word in said:
        found[word] = 1.0
        if word[0] != "<":
            found.update(_split_parts(word))
    for first, second in zip(said, said[1:], strict=False):
        found[f"{first} {second}"] = 0.7
    if not ONE_PERSON.isdisjoint(said):
        found[ONE] = 1.0
    norm = LENGTH / sqrt(sum(value * value for value in found.values()) or 1.0)
    return {feature: value * norm for feature, value in found.items()}


def _generalise_words(text: str, found: dict[str, float]) -> list[str]:
    """The words of a text, generalised. Capitalised ones that are names of something are themselves too, in
    `found`."""
    german = len(GERMAN.findall(text)) >= 2
    said = []
    for match in WORD.finditer(text):
        word, lowered = match.group(), match.group().lower()
        if word[0].isdigit():
            shape = re.sub(r"\d", "0", word)
            said.append(f"<{shape}>" if len(shape) < 8 else "<0…>")
        elif word[0].isupper() and lowered in load_first_names():
            said.append("<name>")
        elif (
            not german
            and len(word) > 2
            and word[0].isupper()
            and not word.isupper()
            and _is_inside_sentence(text, match.start())
        ):
            said.append("<cap>")
            found[lowered] = 0.5
        else:
            said.append(lowered)
    return said


def _is_inside_sentence(text: str, start: int) -> bool:
    return start > 1 and text[start - 1] == " " and text[start - 2] not in ".!?:\n"


def _split_parts(word: str) -> Iterator[tuple[str, float]]:
    for length in (4, 5):
        if len(word) > length:
            yield f"{word[:length]}-", 0.5
    if len(word) > 6:
        yield f"-{word[-4:]}", 0.3
    if len(word) > 8:
        for start in range(2, min(len(word), 40) - 4):
            yield f"-{word[start : start + 5]}-", 0.3


@cache
def load_weights() -> Mapping[str, tuple[int, ...]]:
    """By feature, one hundredths for each of COLUMNS."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines[1:])
    return {feature: tuple(map(int, values)) for feature, *values in rows}


def is_eligible(text: str, atom: int) -> bool:
    """Whether a text has words enough to say what it is about, and what its label is for: the value of a secret, a word
    or a figure of money, or somebody, of whom more is said than a name beside a title, a date or a signature.
    """
    if len(LETTERS.findall(text)) < MIN_WORDS:
        return False
    if atom == SECRET:
        return VALUE.search(text) is not None
    if atom == FINANCIAL:
        return any(pattern.search(text) for pattern in (METRIC_WORD, PAY_WORD, RATE_WORD, BOOKS, MANY))
    if atom in (PII, PII_SENSITIVE):
        said = [word for word in LETTERS.findall(text) if word[0].islower()]
        return len(said) >= MIN_WORDS and _is_of_somebody(text)
    return True


def _is_of_somebody(text: str) -> bool:
    single = (word.lower() in ONE_PERSON for word in LETTERS.findall(text))
    return any(single) or PRONOUN.search(text) is not None or bool(find_people(text) or find_names(text))


def find_learned(text: str) -> tuple[frozenset[int], frozenset[int]]:
    """The atoms that a text's words speak for together: those of which nine votes in ten are right, and those of which
    half are (`ingestion.evaluation.learning`).
    """
    text = blank_urls(text)
    eligible = [is_eligible(text, atom) for atom in COLUMNS]
    if not any(eligible):
        return frozenset(), frozenset()
    table, given = load_weights(), compute_features(text)
    sums = [float(weight) for weight in table[BIAS]]
    for feature, value in given.items():
        for column, weight in enumerate(table.get(feature, ())):
            sums[column] += weight * value
    sure, likely = (
        frozenset(
            atom
            for atom, total, line, may in zip(COLUMNS, sums, table[row], eligible, strict=True)
            if may and total >= line
        )
        for row in (LABEL, PROPOSE)
    )
    return sure, likely - sure
