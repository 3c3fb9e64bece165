"""Answers from pairs of a label and a value: the label is what is asked for, and the value of the kind that is."""

import re
from collections.abc import Sequence
from itertools import pairwise

from llm.quoting.aspects import PRICE
from llm.quoting.front_matter import CALENDAR_DATE, POSTAL
from llm.quoting.long_questions import has_term, measure_term
from llm.quoting.meaning import measure_likeness
from llm.quoting.pair_owners import find_strangers
from llm.quoting.pairs import Pair, has_figure, read_pairs
from llm.quoting.particulars import find_dates, has_dates
from llm.quoting.passage_fit import read_counted
from llm.quoting.persons import has_name
from llm.quoting.question_kinds import QuestionKind
from llm.quoting.reading import PromptPassage, get_document_title, split_headings
from llm.quoting.roles import read_role
from llm.quoting.row_answers import is_so, read_contexts, read_state
from llm.quoting.totals import TOTAL
from text.papers import PAPERS
from text.terms import ALIKE, extract_content_words, extract_terms, stem_word

MAX_QUOTES = 3
MIN_PRECISION = 0.5
"""Share of a label's words that the question must have."""
NAMED_NEAR = 0.2
"""More for a pair beside the names of the question than for one elsewhere in a document that has them."""
PAPER_NAMED = 0.1
"""More for a pair of a document that has the kind of paper that is asked about: "the total of the invoice"."""
NEAR_BEST = 0.05
MIN_LIKENESS = 0.5
"""Cosine of what is asked for and a label in other words. "shop" and "Store" have .66, "pay" and "TOTAL" .40."""
MIN_LIKENESS_ABOVE = 0.45
"""Cosine of what is looked for and the line above an address: "shop" has .47 with those of an electronics store."""
MAX_LINES_ABOVE = 6
SHOPS = {"garage": "auto repair"}
"""What a shop is called -> what its sign says."""
WHERE_IS = re.compile(r"\bwhere(?:['’]s|\s+(?:is|are))\b", re.IGNORECASE)
ADDRESSEE = re.compile(
    r"^\W*(?:(?:for|to|bill(?:ed)?|ship(?:ped)?|sold|deliver\w*|tenant|customer|client|buyer|guest|attn|attention"
    r"|rechnung an|kunde|mieter)\b|(?:mrs?|ms|dr|dear|herrn?|frau)\b)",
    re.IGNORECASE,
)
"""Begins what a paper says of whom it is for."""
MAX_COMPARED = 40
"""Labels that are compared by meaning: some 4 ms each."""
FIRST_MEANT = re.compile(
    r"^\W*(?:(?:to|for|by|from|with)\s+)?(?:who(?:m|se)?|which|how many"
    r"|what(?!['’]s|\s+(?:is|was|are|were|do|does|did|has|have)\b))\b",
    re.IGNORECASE,
)
"""Asks for what its first word of meaning says: "Which agency booked the cinema?", "Who prepared the report?"."""
UNSAID = frozenset(map(stem_word, ("name", "number", "code")))
"""Of a label: that it has a name or a number, which the kind of the question says."""
OF = re.compile(r"\b(?:of|in|on|at|for|from|by|per|with|to|under|according)\b", re.IGNORECASE)
NOT = re.compile(r"\b(?:not|never|without)\b|n['’]t\b", re.IGNORECASE)
DONE = re.compile(
    r"\b(?:was|were|is|are|been|did|has|have)\b.{0,200}?\b(\w{3,40}ed|paid|made|sent|bought|sold|spent)\b",
    re.IGNORECASE,
)


def find_pairs(
    question: str, asked: Sequence[str], names: set[str], kind: QuestionKind | None, found: list[PromptPassage]
) -> list[Pair]:
    """The pairs that answer, the best first; up to three where they answer equally well.

    asked: terms of the question, names: those of them that name something.
    """
    scored = []
    empty: dict[int, int] = {}  # number of a passage -> words of the question in a label without a value
    done = _extract_done_terms(question)
    role, state = read_role(question), read_state(question)
    meant = _find_meant(question, [term for term in asked if term not in done] or asked, names)
    free = done | PAPERS
    papers = PAPERS.intersection(asked)
    # Of "the due date of the invoice" it only says of which paper: "Invoice date" is no better for it.
    paper_of = papers.difference(meant) if len(meant) > 1 else set()
    titles = {passage.n: set(extract_terms(get_document_title(passage))) for passage in found}
    contexts, passages = read_contexts(found), {passage.n: passage for passage in found}
    things: dict[str, set[str]] = {}  # title of a document -> terms of its headings and of the labels that have a value
    for passage in found if kind is None else ():
        labels = [*split_headings(passage), *(pair.label for pair in read_pairs(passage) if pair.value)]
        things.setdefault(get_document_title(passage), set()).update(extract_terms(" ".join(labels)))
    for pair, context, near in _read_candidates(question, kind, found, {*asked, *names}):
        label = {
            term
            for term in extract_terms(pair.label)
            if not (term in UNSAID or term.isdigit() and (term not in asked or not pair.about))
        }
        hit = {term for term in asked if has_term(term, label)}
        if not pair.value:
            empty[pair.n] = max(empty.get(pair.n, 0), len(hit))
            continue
        heads = label | set(extract_terms(pair.head))
        if not label and _is_named(pair.label, question):
            label = hit = {pair.label}
        elif not (label and all(has_term(word, done) for word in label)) and not any(
            has_term(term, heads)
            for term in meant
            if pair.about or term not in titles[pair.n] or titles[pair.n].issuperset(asked)
        ):
            continue  # a label with the words of its document's title says no more than the title
        if pair.about and len(asked) > len(hit) and not any(term in near for term in asked if term not in hit):
            continue  # any other row is as good
        if (
            TOTAL.search(question)
            and not has_figure(pair.value)
            or state
            and any(is_so(cell, state) for cell in pair.text.split("|"))
        ):
            continue
        if not hit or not all(term in context for term in asked if term not in hit | free):
            continue
        if kind and kind.whose and names & near and not names <= near:
            continue  # a firm's telephone is not that of somebody of its name
        if role and not re.search(rf"\b{re.escape(role)}", pair.label, re.IGNORECASE):
            continue  # an insurer is no insured
        # What the document's name says as well tells no label from another, nor does a word that only means the same.
        told = titles[pair.n] if not titles[pair.n].issuperset(asked) else set()
        own = label - told or label
        # Which thing it is says a label that means the same, where its document names the thing: of "Which car?" the
        # model, if a heading or a label is the vehicle.
        alike = {stem_word(other) for term in hit for other in ALIKE.get(term, ())} if kind is None else set()
        title = get_document_title(passages[pair.n])
        means = hit | alike if ((hit | alike) - label) & things.get(title, set()) else hit
        if means != hit and (NOT.search(question) or not set(asked) - hit <= contexts[title]):
            continue  # of "Which car was sold?" no paper of a repair says
        precision = sum(any(has_term(word, {term}) for term in means) for word in own) / len(own)
        hits = sum(measure_term(term, label) or 1.0 for term in hit - told - paper_of)
        exact = kind is not None and kind.value is has_name  # whose name it is, nothing else says
        if precision >= (1.0 if exact else MIN_PRECISION) or pair.is_row:
            named = len(names & near) / max(1, len(names))
            paper = PAPER_NAMED * (papers <= context)
            scored.append((hits + 0.5 * precision + NAMED_NEAR * named + paper, pair))
    # "Date of death:" without a date is not answered by the date of birth.
    return _choose([(score, pair) for score, pair in scored if score >= empty.get(pair.n, 0)])


def find_left_empty(asked: Sequence[str], found: list[PromptPassage]) -> set[int]:
    """Numbers of the passages where a label says all that is asked for and has no value. One of a single word may be a
    heading: "Costs:".
    """
    if len(asked) < 2:
        return set()
    labels = [(pair.n, set(extract_terms(pair.label))) for p in found for pair in read_pairs(p) if not pair.value]
    return {n for n, label in labels if all(has_term(term, label) for term in asked)}


def find_alike_pairs(
    question: str, names: set[str], kind: QuestionKind | None, found: list[PromptPassage]
) -> list[Pair]:
    """Where no label has a word of the question: the pairs whose labels mean what it asks for."""
    wanted = " ".join(word for word in extract_content_words(question) if stem_word(word) not in names)
    if not wanted or kind is None or not kind.must or len(wanted.split()) > 3:
        return []
    known = [stem_word(word) for word in wanted.split()]
    pairs = [
        pair
        for pair, context, near in _read_candidates(question, kind, found, {*known, *names})
        if pair.value
        and (not kind.whose or names <= near)
        and context >= names
        and sum(term not in context for term in known) <= 1
        and not any(has_term(term, set(extract_terms(pair.label))) for term in known)
    ]
    labels = list(dict.fromkeys(pair.label for pair in pairs))[:MAX_COMPARED]
    likeness = dict(zip(labels, measure_likeness(wanted, labels), strict=True))
    return _choose([(likeness[pair.label], pair) for pair in pairs if likeness.get(pair.label, 0.0) >= MIN_LIKENESS])


def find_address(question: str, names: set[str], found: list[PromptPassage]) -> list[Pair]:
    """Of "Where is the shop?" the line with a street right below one that has the words of the question or means the
    same: who a paper is from.
    """
    wanted = " ".join(word for word in extract_content_words(question) if stem_word(word) not in names)
    wanted = SHOPS.get(wanted, wanted)
    addresses: dict[str, tuple[float, Pair]] = {}
    for passage in found if WHERE_IS.search(question) and (wanted or names) else ():
        lines = [split_headings(passage)[0], *filter(str.strip, passage.text.splitlines())]
        for head, line in pairwise(lines[: MAX_LINES_ABOVE + 1]):
            if ADDRESSEE.match(head) or ADDRESSEE.match(line) or head.endswith(":"):
                break
            if POSTAL.search(line) and not (PRICE.search(line) or CALENDAR_DATE.search(line)):
                known = set(extract_terms(head))
                said = all(has_term(term, known) for term in extract_terms(wanted))
                likeness = 1.0 if said else measure_likeness(wanted, [head])[0]
                if names <= known and likeness >= MIN_LIKENESS_ABOVE:
                    addresses.setdefault(line, (likeness, Pair("", line, line, passage.n)))
                break
    return _choose(list(addresses.values()))


def _read_candidates(
    question: str, kind: QuestionKind | None, found: list[PromptPassage], wanted: set[str]
) -> list[tuple[Pair, set[str], set[str]]]:
    """Pairs whose value is empty or of the kind that is asked for, with those of the wanted terms that say which one
    each is, and those near it: of its row in a table, else of all that was found of its document, and of its passage.
    """
    documents = {title: _choose_known(wanted, bag) for title, bag in read_contexts(found).items()}
    strangers, dates = find_strangers(question, found), find_dates(question, kind)
    candidates = []
    for passage in found:
        near = _choose_known(wanted, set(extract_terms(passage.text)))
        titled = _choose_known(wanted, set(extract_terms(passage.title)))
        rows: dict[str, set[str] | None] = {}  # None for a row of another month
        for pair in read_pairs(passage):
            if pair in strangers or not pair.about and not has_dates(dates, pair.text):
                continue
            if not pair.value or kind is None or kind.value(pair.value):
                if not pair.about:
                    candidates.append((pair, documents[get_document_title(passage)], near))
                    continue
                if pair.about not in rows:
                    fits = has_dates(dates, pair.text)
                    rows[pair.about] = _choose_known(wanted, set(extract_terms(pair.about))) if fits else None
                row = rows[pair.about]
                if row is None:
                    continue
                labelled = _choose_known(wanted, set(extract_terms(pair.label)))
                candidates.append((pair, row | titled | labelled, row))
    return candidates


def _choose_known(wanted: set[str], bag: set[str]) -> set[str]:
    return {term for term in wanted if has_term(term, bag)}


def _choose(scored: list[tuple[float, Pair]]) -> list[Pair]:
    best = max((score for score, _ in scored), default=0.0)
    good = [pair for score, pair in scored if score >= best - NEAR_BEST]
    chosen: list[Pair] = []
    for pair in sorted(good, key=lambda pair: pair.text):  # what begins like another stands right behind it
        if not (chosen and pair.text.startswith(chosen[-1].text)):
            chosen.append(pair)
    kept = set(chosen)
    return [pair for pair in good if pair in kept][:MAX_QUOTES]


def _find_meant(question: str, asked: Sequence[str], names: set[str]) -> list[str]:
    """Of the terms asked for those that a label must have one of: of "What is the total of the receipt?" the total."""
    ordered = [term for term in extract_terms(question) if term in asked and term not in names] or list(asked)
    if FIRST_MEANT.match(question):
        return ordered[:1]
    if counted := [term for term in ordered if term in read_counted(question)]:
        return counted
    before = set(extract_terms(OF.split(question)[0]))
    return [term for term in ordered if term in before] or ordered


def _is_named(label: str, question: str) -> bool:
    """Whether the question has a label of a word that says nothing elsewhere: "File: B-292600"."""
    return len(label) > 3 and bool(re.search(rf"\b{re.escape(label)}\b", question, re.IGNORECASE))


def _extract_done_terms(question: str) -> set[str]:
    """What was done with it, which a form does not say: "How much was allocated to marketing?"."""
    return {stem_word(match[1]) for match in DONE.finditer(question)}
