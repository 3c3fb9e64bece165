"""The offline engine's answers: the sentences of the passages that answer best, verbatim, with their numbers."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from llm.offline.ranking import ALIKE, inverse_frequencies, rarest, stem, terms
from llm.offline.reading import Passage
from llm.offline.sentences import ITEM, is_heading, sentences
from llm.offline.summaries import REMOVED
from llm.recognisers.money import AMOUNT
from llm.recognisers.people import find_people

# Share of the question's weight that the best sentence, with its surroundings, must carry. Measured on 296 questions
# about six HR documents, five passages each by BM25: 223 of 251 answerable ones answered, 190 of them from the cited
# page or the next; 29 of 45 unanswerable ones refused, among them all that have nothing to do with the documents.
ENOUGH = 0.42
# Share that the sentence must carry by its own words.
OWN = 0.25
# A further sentence must come this near the best one.
NEAR_BEST = 0.75
MOST = 3
# List items quoted under the sentence that announces them.
ITEMS = 6
ALIKE_WEIGHT = 0.8
AROUND_WEIGHT = 0.55
NAME_WEIGHT = 0.6

NUMBER = re.compile(r"\d")
ENUMERATION = re.compile(r"^\W*(?:\d+(?:\.\d+)*[.)]|\d+(?:\.\d+)+)\s")
FREQUENCY = re.compile(
    r"\b(?:daily|weekly|fortnightly|monthly|quarterly|yearly|annual(?:ly)?|once|twice|\w+ times|regular(?:ly)?"
    r"|(?:each|every|per) (?:\w+ ){0,2}(?:day|week|month|quarter|year|shift))\b",
    re.IGNORECASE,
)
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?"
COUNT = r"(?:\w+\s+\(?\d+\)?|\d+|one|two|three|six|twelve|thirty|sixty|ninety)"
DATE = re.compile(
    r"\b(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}|(?:19|20)\d{2}"
    rf"|{MONTH}\s+\d{{1,2}}|\d{{1,2}}\.?\s+{MONTH}"
    rf"|{COUNT}\s+(?:working\s+|business\s+|calendar\s+)?(?:days?|weeks?|months?|years?)"
    r"|monday|tuesday|wednesday|thursday|friday|annual(?:ly)?|monthly|quarterly|weekly)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Kind:
    """A kind of question: how it is asked, and what a sentence that answers it has."""

    asked: re.Pattern[str]
    has: Callable[[str], bool]


def _has_person(sentence: str) -> bool:
    return bool(find_people(sentence)) or bool(re.search(r"(?<!^)(?<![.!?]\s)\b[A-Z][a-z]+ [A-Z][a-z]+", sentence))


KINDS = (
    Kind(
        re.compile(
            r"\bhow much\b|\b(?:cost|price|amount|fee|salary|budget|value|worth|cap|paid?|spend|charge[sd]?)\b", re.I
        ),
        lambda s: bool(AMOUNT.search(s)) or "%" in s,
    ),
    Kind(re.compile(r"\bhow (?:often|frequently|regularly)\b", re.I), lambda s: bool(FREQUENCY.search(s))),
    Kind(
        re.compile(r"\bhow (?:many|old|large|big|high|far)\b|\bwhat (?:percentage|number|share)\b", re.I),
        lambda s: bool(NUMBER.search(ENUMERATION.sub("", s))),
    ),
    Kind(
        re.compile(r"\bwhen\b|\bhow long\b|\b(?:date|deadline|due|expir\w+|until|period|term|duration)\b", re.I),
        lambda s: bool(DATE.search(s)),
    ),
    Kind(re.compile(r"\bwho(?:m|se)?\b|\bwhich (?:person|company|party|employee)\b", re.I), _has_person),
)


@dataclass(frozen=True)
class Quote:
    """A sentence and the number of its passage; 0 for a field of the record."""

    sentence: str
    n: int


def answer(question: str, found: list[Passage], fields: list[str] | None = None) -> list[Quote]:
    """Up to three quotes in reading order; none when nothing answers the question well enough."""
    asked = list(dict.fromkeys(terms(question)))
    if not asked:
        return []
    units = [(p, s) for p in found for s in sentences(p.text) if REMOVED not in s and len(s) <= 700]
    bags = [set(terms(sentence)) for _, sentence in units]
    passage_terms = {p.n: set(terms(f"{p.title} {p.text}")) for p in found}
    names = _names(question)
    # Who asks within a record about what the record is about need not find its name in every passage.
    about = set(terms(" ".join(fields or [])))
    asked = [term for term in asked if not (term in names and term in about)] or asked
    weights = _weights(asked, names, [list(bag) for bag in bags], set().union(*passage_terms.values()))
    total = sum(weights.values())
    kinds = [kind for kind in KINDS if kind.asked.search(question)]
    scored: list[tuple[float, int]] = []
    for index, (passage, sentence) in enumerate(units):
        if is_heading(sentence) or sentence.rstrip().endswith("?"):
            continue
        near = _neighbourhood(units, bags, index)
        own = sum(weights[term] * _said(term, bags[index]) for term in asked) / total
        if own < OWN:
            continue
        beside = passage_terms[passage.n]
        score = sum(weights[t] * (_said(t, bags[index]) or _beside(t, t in names, near, beside)) for t in asked) / total
        fitting = sum(0.12 if kind.has(sentence) else -0.08 for kind in kinds[:1])
        short = -0.1 if len(sentence) < 25 else 0.0
        scored.append((score + fitting + short, index))
    return _field_quotes(question, asked, fields or []) or _best(scored, units, bags)


def _names(question: str) -> set[str]:
    """Terms of the capitalised words and numbers that do not begin a sentence of the question."""
    found = re.findall(r"(?<![.!?]\s)(?<!^)\b(?:[A-Z][\w&-]+|\d[\d.,]*)", question)
    return {term for name in found for term in terms(name)}


def _weights(asked: list[str], names: set[str], units: list[list[str]], present: set[str]) -> dict[str, float]:
    """Rare words weigh more. A name that no passage knows weighs most: the answer would be about somebody else."""
    inverse = inverse_frequencies(units)
    unknown = rarest(len(units))
    weights = {term: max(0.3, inverse.get(term, unknown)) for term in asked}
    for name in names & weights.keys():
        weights[name] *= 0.8 if name in present else 1.3
    return weights


def _said(term: str, sentence: set[str]) -> float:
    """How much of a term's weight the sentence itself carries."""
    if term in sentence:
        return 1.0
    return ALIKE_WEIGHT if any(stem(other) in sentence for other in ALIKE.get(term, ())) else 0.0


def _beside(term: str, is_name: bool, near: set[str], passage: set[str]) -> float:
    """How much of it stands around the sentence. Documents name their subject once, so a name counts from afar."""
    if is_name and term in passage:
        return NAME_WEIGHT
    if term in near:
        return AROUND_WEIGHT
    return AROUND_WEIGHT / 2 if term in passage else 0.0


def _neighbourhood(units: list[tuple[Passage, str]], bags: list[set[str]], index: int) -> set[str]:
    """Terms of the sentences beside it, of the headings above and of a table's head, in the same passage."""
    around: set[str] = set()
    n = units[index][0].n
    for other in range(index - 1, -1, -1):
        if units[other][0].n != n:
            break
        in_table = units[index][1].startswith("|") and units[other][1].startswith("|")
        starts_table = in_table and (other == 0 or not units[other - 1][1].startswith("|"))
        if other == index - 1 or is_heading(units[other][1]) or starts_table:
            around |= bags[other]
    if index + 1 < len(units) and units[index + 1][0].n == n:
        around |= bags[index + 1]
    return around


def _best(scored: list[tuple[float, int]], units: list[tuple[Passage, str]], bags: list[set[str]]) -> list[Quote]:
    ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1]))
    if not ranked or ranked[0][0] < ENOUGH:
        return []
    chosen: list[int] = []
    for score, index in ranked:
        if score < NEAR_BEST * ranked[0][0] or len(chosen) == MOST:
            break
        if all(len(bags[index] & bags[other]) < 0.7 * max(1, len(bags[index])) for other in chosen):
            chosen.append(index)
    return [Quote(units[index][1], units[index][0].n) for index in _with_lists(sorted(chosen), units)]


def _with_lists(chosen: list[int], units: list[tuple[Passage, str]]) -> list[int]:
    """With a sentence that announces a list ("… as follows:"), the items under it."""
    found: list[int] = []
    for index in chosen:
        found.append(index)
        if units[index][1].endswith(":"):
            for item in range(index + 1, min(index + 1 + ITEMS, len(units))):
                if units[item][0].n != units[index][0].n or not ITEM.match(units[item][1]):
                    break
                found.append(item)
    return list(dict.fromkeys(found))


def _field_quotes(question: str, asked: list[str], fields: list[str]) -> list[Quote]:
    """A field of the record whose label is what the question asks for, and nothing else."""
    for line in fields:
        label = set(terms(line.split(":", 1)[0]))
        others = [term for term in asked if term not in label]
        if label and label <= set(asked) and len(others) <= 1 and line.split(":", 1)[-1].strip():
            return [Quote(line, 0)]
    return []
