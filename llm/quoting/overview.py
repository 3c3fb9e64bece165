"""The offline engine's account of documents that were read: for a briefing a few sentences of each, for an aspect
those that have it. Every sentence is verbatim and has the number of its passage.
"""

import itertools
import re

from llm.quoting.aspects import DATED, PRICE, WRITTEN, Aspect
from llm.quoting.front_matter import OPENING_PASSAGES, WRITERS, find_others, is_byline, is_dated
from llm.quoting.overview_questions import ReadingPlan
from llm.quoting.pairs import SUM
from llm.quoting.pulsing import ABOUT_PAPER, ALIKE, ENUMERATOR, FURNITURE, LEANS_BACK, NAMES_PAPER, count_news
from llm.quoting.reading import FIELDS, PromptPassage, get_document_title, split_headings
from llm.quoting.summaries import REMOVED
from llm.recognisers.findings import phrases
from llm.recognisers.money import AMOUNT
from llm.recognisers.people import find_people
from text.pieces import ITEM, is_furniture, join_cells, split_sentences
from text.rarity import compute_cosine, compute_frequencies, sum_cosines
from text.terms import extract_terms

MAX_POINTS = 8
MAX_POINT_CHARACTERS = 480
MAX_ANNOUNCEMENT_CHARACTERS = 40
MAX_ITEMS = 5
"""Of a list that a heading announces."""
MAX_COMMON = 0.8
"""Share of the words of a line that one before it may have."""
MIN_CHARACTERS = 30
MAX_TITLE_CHARACTERS = 80
MIN_LETTERS = 0.65
MAX_CAPITALS = 0.4
MIN_TERMS = 4
"""Content words of a sentence that says something by itself."""
LEADING_SECTION = re.compile(
    r"\b"
    + phrases(
        r"""abstract; summary; overview; introduction; purpose; scope; background; conclusions?; recitals?; subject;
        objectives?; preamble; preface; foreword; digest; tl\W?dr; intent; zusammenfassung; einleitung; vorwort"""
    )
    + r"\b",
    re.IGNORECASE,
)
NO_PROSE = re.compile(r"^\W*\^|[={}<>]|\b(?:pp?|eds?|vol)\.\s|\bISBN\b|\bdoi\b|https?:|(?:\. ?){4}", re.IGNORECASE)
"""Code, references and tables of contents."""
INTRODUCES = re.compile(
    rf"\b(?:this|the present) (?:[\w®™-]+ ){{0,3}}{NAMES_PAPER}\b|\bwe (?:present|propose|describe|report|introduce)\b"
    r"|\b(?:aim|purpose|intent|intention|goal|objective) of (?:this|the)\b"
    r"|\bby and between\b|\bentered into\b|\bis (?:a|an|the) (?:\w+ ){0,3}(?:for|of|that|which)\b",
    re.IGNORECASE,
)
"""Says what a document is, or what its subject is."""
GOES_ON = re.compile(
    r"^\W*"
    + phrases(
        """however; additionally; moreover; furthermore; also; but; and; or; so; thus; hence; therefore; note that;
        for example; for instance; in addition; in contrast; otherwise; nevertheless; similarly; finally; first(?:ly)?;
        second(?:ly)?; here; such; another; he; she"""
    )
    + r"\b",
    re.IGNORECASE,
)
NAMES_DATE = re.compile(r"\b(?:dated?|datum)\b(?! of birth)", re.IGNORECASE)
MAX_DATES = 2
MAX_SIGNATURE_CHARACTERS = 120
"""Of a line that says who wrote or signed. A longer one that names nobody says who may sign."""
NO_SIGNER = re.compile(
    r"^\W*(?:(?i:from|von|author)\s+(?:[a-z]|(?i:contrib|inform|note))|(?i:published|issued)\s+(?i:by))"
)
"""Tells of no writer: "From the results we conclude …", "Published by …"."""
PROPERTY = re.compile(r"^\W*author:", re.IGNORECASE)
"""A file's property: who saved it, where the document names its authors itself."""
ACCOUNT = re.compile(r"^\W*author:\s*\S+$", re.IGNORECASE)
"""The name of an account in that property: one word."""
ANNOUNCES = re.compile(r":$|\b(?:sincerely|faithfully|truly|yours|regards|wishes)\W*$", re.IGNORECASE)


ONE_AMOUNT = frozenset(("rent", "fee"))
"""What is asked for by its own name: other amounts are none of it."""


def write_points(plan: ReadingPlan, found: list[PromptPassage], before: str = "") -> list[str]:
    """Bullets of cited sentences, document by document, in the order in which the tool gave them. before: an answer
    that is not to be repeated.
    """
    if before:
        found = [
            PromptPassage(p.n, p.title, _drop_sentences(p.text, before), p.kind) for p in found if p.kind != FIELDS
        ]
    documents = group_documents(found)
    if plan.aspects:
        return list(
            dict.fromkeys(line for aspect in plan.aspects for line in _write_aspect(aspect, plan.asked, documents))
        )
    share = max(1, min(6, MAX_POINTS // max(1, len(documents))))
    lines = [line for passages in documents for line in _write_document(passages, share)]
    # The record's fields stand beside the conversation.
    return lines if lines or plan.topic else _write_fields([p for p in found if p.kind == FIELDS])


def _drop_sentences(text: str, before: str) -> str:
    return "\n\n".join(s for s in split_sentences(text) if ENUMERATOR.sub("", join_cells(s)) not in before)


def group_documents(found: list[PromptPassage]) -> list[list[PromptPassage]]:
    """Passages by document: a title may go on with the section, "Lease.pdf (Quay lease), 2 Rent"."""
    grouped: dict[str, list[PromptPassage]] = {}
    for passage in found:
        if passage.kind != FIELDS:
            grouped.setdefault(get_document_title(passage), []).append(passage)
    return list(grouped.values())


def _write_fields(found: list[PromptPassage]) -> list[str]:
    """The record's own line: its fields, one after the other."""
    texts = [("; ".join(line.strip(" .;") for line in p.text.splitlines() if line.strip()), p.n) for p in found]
    return [f"- {text}. [{n}]" for text, n in texts[:1] if text]


def _write_document(passages: list[PromptPassage], count: int) -> list[str]:
    """What a document opens with and the sentences that say most of what it says, in reading order."""
    units = _list_units(passages)
    places = [place for place, (text, _) in enumerate(units) if stands_alone(text)]
    if not places:
        # A table or a form states nothing in sentences: its first lines say what it holds.
        rows = [unit for unit in units if unit[0].startswith("|")]
        lines = [_format_bullet(*unit) for unit in rows or units]
        return list(dict.fromkeys(lines))[: max(2, count)]
    leading = {p.n for p in passages if is_leading(f"{split_headings(p)[-1]}\n{p.text}")}
    bags = [extract_terms(units[place][0]) for place in places]
    weights = compute_frequencies(bags)
    likeness = sum_cosines(bags, weights)
    most = max(likeness, default=0.0) or 1.0
    scores = [
        likeness[at] / most
        + (0.6 if at == 0 else 0.3 / (1 + at))
        + 0.4 * (units[place][1] in leading)
        + 0.5 * bool(INTRODUCES.search(units[place][0]))
        + 0.1 * count_news(units[place][0])
        for at, place in enumerate(places)
    ]
    chosen: list[int] = []
    for at in sorted(range(len(places)), key=lambda at: (-scores[at], at)):
        if len(chosen) < count and all(compute_cosine(bags[at], bags[other], weights) < ALIKE for other in chosen):
            chosen.append(at)
    return [_format_bullet(*units[places[at]]) for at in sorted(chosen)]


def is_leading(text: str) -> bool:
    """Whether a text stands under "Abstract", "Purpose" or the like, or begins by saying what its document is."""
    heads = [line for line in text.splitlines()[:4] if len(line) < MAX_TITLE_CHARACTERS]
    return any(LEADING_SECTION.search(line) for line in heads)


def stands_alone(sentence: str) -> bool:
    """Whether a sentence is understood without those before it: a whole one that neither goes on nor points back."""
    bare = ENUMERATOR.sub("", sentence)
    letters = sum(character.isalpha() for character in bare)
    return (
        MIN_CHARACTERS <= len(sentence) <= MAX_POINT_CHARACTERS
        and sentence[0] != "|"
        and bare.rstrip('”’)" ').endswith((".", "!", "。", "！", "।"))
        and not bare[:1].islower()
        and not any(pattern.search(bare) for pattern in (GOES_ON, LEANS_BACK, ABOUT_PAPER, FURNITURE, NO_PROSE))
        and letters > MIN_LETTERS * len(bare)
        and sum(character.isupper() for character in bare) < MAX_CAPITALS * letters
        and not is_title(bare)
        and len(extract_terms(bare)) >= MIN_TERMS
    )


def is_title(sentence: str) -> bool:
    """A heading that ends in a full stop: "6 Term and Termination."."""
    words = re.findall(r"[^\W\d_]{4,}", sentence)
    return (
        len(sentence) < MAX_TITLE_CHARACTERS
        and ":" not in sentence
        and bool(words)
        and not (AMOUNT.search(sentence) or PRICE.search(sentence))
        and all(word[0].isupper() for word in words)
    )


def _write_aspect(aspect: Aspect, asked: frozenset[str], documents: list[list[PromptPassage]]) -> list[str]:
    """The sentences that have what is asked for."""
    lines: list[str] = []
    if aspect.also is PRICE:
        bills = [passages for passages in documents if any(SUM.search(text) for text, _ in _list_units(passages))]
        documents = bills or documents
    if aspect.ranked and asked and asked <= ONE_AMOUNT:
        named = [p for p in documents if any(asked & set(extract_terms(text)) for text, _ in _list_units(p))]
        documents = named or documents
    telling = [passages for passages in documents if any(aspect.fits(text) for text, _ in _list_units(passages))]
    share = max(2, aspect.limit // max(1, len(telling)))
    for passages in documents:
        units = _list_units(passages)
        fitting = [
            i
            for i, (text, _) in enumerate(units)
            if aspect.fits(text)
            and (aspect is not WRITTEN or len(text) <= MAX_SIGNATURE_CHARACTERS or find_people(text))
            and not ACCOUNT.match(text)
            and not (is_title(text) and not (aspect is WRITTEN and WRITERS.search(text)))
        ]
        # Who signed it is told by that; who is named at the top may be whom it is for.
        texts = [units[i][0] for i in fitting if not PROPERTY.match(units[i][0])]
        signed = aspect is WRITTEN and any(not NO_SIGNER.match(text) for text in texts)
        opening = [] if signed else _find_opening(aspect, passages)
        if opening:
            fitting = [i for i in fitting if not PROPERTY.match(units[i][0])]
        wanted = set(extract_terms(aspect.focus))
        bags = {i: set(extract_terms(units[i][0])) for i in fitting}
        first = {i for i in fitting if aspect.ranked and bags[i] & wanted & asked}
        if first and asked <= ONE_AMOUNT:
            fitting = [i for i in fitting if i in first]
        if aspect is DATED and not any(NAMES_DATE.search(line) for line in opening):
            first = {i for i in fitting if is_dated(units[i][0])}
        best: list[int] = []
        for i in sorted(fitting, key=lambda i: (i not in first, -len(wanted & bags[i]), i)):
            # Passages overlap, and a line may stand in two of them.
            copied = any(len(bags[i] & bags[o]) > MAX_COMMON * min(len(bags[i]), len(bags[o])) for o in best)
            if len(best) < share and not copied:
                best.append(i)
        chosen = sorted({place for i in best for place in (i, *_complete_announcement(units, i))})
        leads = {place for i in best if i in first for place in (i, *_complete_announcement(units, i))}
        lines += [_format_bullet(*units[i]) for i in chosen if i in leads]
        lines += [*opening, *(_format_bullet(*units[i]) for i in chosen if i not in leads)]
    return list(dict.fromkeys(lines))[: aspect.limit]


def _find_opening(aspect: Aspect, passages: list[PromptPassage]) -> list[str]:
    """The lines of a document's opening that have what is asked for. A name may be the heading of what follows it."""
    if aspect.opens is None:
        return []
    found: list[tuple[str, int]] = []
    named: set[str] = set()
    others: set[str] = set()
    states = (
        at
        for at, passage in enumerate(passages, start=1)
        if any(stands_alone(s) for s in split_sentences(passage.text))
    )
    stating = next(states, 0)
    front = passages[: max(OPENING_PASSAGES, stating)]
    if aspect is WRITTEN:
        others = find_others(
            [line for p in front for line in (*split_headings(p), *(text for text, _ in _list_units([p])))]
        )
    for at, passage in enumerate(front, start=1):
        above = split_headings(passage)
        if aspect is WRITTEN and at > stating > 0 and not _may_head_writers(above[-1], split_headings(passages[0])):
            continue
        heads = [heading for heading in above if heading not in named | others and aspect.opens(heading)]
        lines = [text for text, _ in _list_units([passage]) if not is_furniture(text) and text not in others]
        found += [(line, passage.n) for line in (*heads, *lines) if aspect.opens(line)]
        named.update(above, lines)
    return list(dict.fromkeys(_format_bullet(*pair) for pair in found))[: MAX_DATES if aspect is DATED else None]


def _may_head_writers(heading: str, title: list[str]) -> bool:
    """Whether names under a heading behind the first statement may be the writers': the title, a name, "Authors"."""
    return heading in title or is_byline(heading) or bool(WRITERS.search(heading))


def _complete_announcement(units: list[tuple[str, int]], index: int) -> list[int]:
    """What follows a piece that only announces: a signature under its closing, the names under "Present:"."""
    text, n = units[index]
    announces = len(text) <= MAX_ANNOUNCEMENT_CHARACTERS and ANNOUNCES.search(text.strip())
    following = [place for place in range(index + 1, min(index + 1 + MAX_ITEMS, len(units))) if units[place][1] == n]
    if not announces or not following:
        return []
    return [following[0], *itertools.takewhile(lambda place: ITEM.match(units[place][0]), following[1:])]


def _list_units(passages: list[PromptPassage]) -> list[tuple[str, int]]:
    found = [(s, p.n) for p in passages for s in split_sentences(p.text)]
    return [(s, n) for s, n in found if REMOVED not in s and len(s) <= MAX_POINT_CHARACTERS]


def _format_bullet(sentence: str, n: int) -> str:
    return f"- {ENUMERATOR.sub('', join_cells(sentence))} [{n}]"
