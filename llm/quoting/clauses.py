"""What nearly every contract says in its own words: its name, who made it, how long it runs, how it ends, which law
governs it. The words of such a question stand all over a contract, so the sentence is found by how it is written. A
question that asks for anything else besides is none of these.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from llm.quoting.clause_forms import (
    COMMON,
    FIRM,
    GENERAL,
    LABELS,
    LAW,
    MAX_LINE_OF_PARTIES,
    NUMBERED_OTHER,
    NUMBERED_PARTY,
    OF_EVENT,
    PAPERS,
    PARTIES,
    PARTY_LINE,
    RENEWAL,
    TERM,
    Clause,
)
from llm.quoting.clause_rules import ASSIGNMENT, AUDIT, CAP, COMPETITION, INSURANCE, TERMINATION
from llm.quoting.field_answers import Quote
from llm.quoting.long_questions import trim_question
from llm.quoting.reading import PromptPassage, get_document_title
from llm.quoting.titles import MAX_TITLE_CHARACTERS, TITLE_ASKED, TITLE_WORDS, find_titles
from text.pieces import split_sentences
from text.terms import extract_terms, stem_word

MAX_CLAUSE_CHARACTERS = 1_500
MAX_VALUE_CHARACTERS = 40
CLAUSES = (PARTIES, RENEWAL, TERMINATION, TERM, LAW, AUDIT, INSURANCE, ASSIGNMENT, CAP, COMPETITION)
"""In the order in which a question is tried: one for the renewal names the term, too."""
LEASES = frozenset(map(stem_word, ("lease", "tenancy")))
"""Words for one kind of contract."""
FOR, AGAINST = 1.5, 3.0
"""What a sentence's subject adds, and what speaks for another clause takes away, beside 1 for each thing that is said.
What remains has to reach the clause's `least`, and so have the things that are stated, with the subject as one.
"""
MAX_DOCUMENTS = 3
"""Of which the clause is quoted, one sentence each."""


@dataclass(frozen=True)
class AskedClause:
    """A question for a clause. quotes: the sentences that say it, one a document; names_paper: it says of what, and not
    "it"; clause: None for a title.
    """

    clause: Clause | None
    quotes: list[Quote]
    names_paper: bool

    @property
    def goes_first(self) -> bool:
        """Whether no other answer is looked for. A record's own field is, where "it" ends."""
        if self.clause is None:
            return self.names_paper
        return bool(self.quotes) and (self.names_paper or self.clause is not TERM)

    @property
    def is_exact(self) -> bool:
        """Whether a sentence that has not the form of the clause is no answer."""
        return self.clause is not None and self.clause.is_strict and (self.names_paper or bool(self.quotes))

    def keep_own(self, quotes: Sequence[Quote]) -> list[Quote]:
        """Of another answer what may be one: a field of the record, or a label that says so. That a permit expires says
        nothing of the lease.
        """
        clause = self.clause
        if clause is None or not self.is_exact:
            return list(quotes)
        return [
            quote for quote in quotes if not quote.n or _is_bare(quote.sentence) or _is_labelled(clause, quote.sentence)
        ]


def read_clause(question: str, found: Sequence[PromptPassage]) -> AskedClause | None:
    """What clause a question asks for, and for nothing else; None for none."""
    asked = trim_question(question)
    found = _select_named(asked, found)
    names_paper = bool(re.search(rf"\b(?:{PAPERS}|document|paper|parties)\b", asked, re.IGNORECASE))
    if TITLE_ASKED.search(asked) and _asks_nothing_else(asked, TITLE_WORDS, found):
        return AskedClause(None, find_titles(found), names_paper)
    for clause in CLAUSES:
        if clause.is_rule and OF_EVENT.search(asked):
            continue
        if clause.asked.search(asked) and _asks_nothing_else(asked, clause.words, found):
            quotes = _find_sentences(clause, found)
            if clause is PARTIES:
                quotes += _find_party_lines(found, {quote.n for quote in quotes})
            return AskedClause(clause, quotes, names_paper)
    return None


def find_focus(question: str) -> list[str]:
    """Words by which the clause that a question asks for is searched for."""
    return next((clause.focus.split() for clause in CLAUSES if clause.asked.search(trim_question(question))), [])


def _select_named(question: str, found: Sequence[PromptPassage]) -> Sequence[PromptPassage]:
    """The passages of the documents that the question names by what is in their title; where none has it in its title,
    of those that have it in their text: the lease says nothing of the licence.
    """
    every = {term for clause in CLAUSES for term in clause.words} | TITLE_WORDS | GENERAL
    named = set(extract_terms(question)) - {stem_word(word) for word in every}
    if LEASES & named:
        named = named - LEASES | {"lease"}
    titles: dict[str, set[str]] = {}
    texts: dict[str, set[str]] = {}
    for passage in found:
        title = get_document_title(passage)
        for bags, text in ((titles, title), (texts, passage.text)):
            terms = set(extract_terms(text))
            bags.setdefault(title, set()).update(terms, ["lease"] if LEASES & terms else [])
    chosen = {title for title, terms in titles.items() if named & terms} if named else set(titles)
    chosen = {title for title in chosen if named <= titles[title] | texts[title]}
    chosen = chosen or {title for title, terms in texts.items() if named <= terms | titles[title]}
    return [passage for passage in found if get_document_title(passage) in chosen]


def _is_bare(line: str) -> bool:
    """Whether a line is only a value, under the label that is asked for: "30. June 2028"."""
    return len(line) <= MAX_VALUE_CHARACTERS and not line.endswith((".", "!", "?"))


def _is_labelled(clause: Clause, sentence: str) -> bool:
    """Whether a line begins with a label of the clause: "End date: 31 March 2027"."""
    line = sentence.strip("#* |")
    label = re.split(r"[:|]", line)[0]
    return len(label) < len(line) and set(extract_terms(label)) <= {
        stem_word(w) for w in clause.words | COMMON | LABELS
    }


def _asks_nothing_else(question: str, known: frozenset[str], found: Sequence[PromptPassage]) -> bool:
    """Whether each other word of the question names a document that is there."""
    # "When does the parking permit expire?" names no contract, whatever a file is called.
    is_named = re.search(rf"\b{PAPERS}\b", question, re.IGNORECASE)
    titles = {term for passage in found for term in extract_terms(get_document_title(passage)) if is_named}
    return set(extract_terms(question)) - {stem_word(word) for word in known | COMMON} <= titles


def _find_sentences(clause: Clause, found: Sequence[PromptPassage]) -> list[Quote]:
    best: dict[str, tuple[float, Quote]] = {}
    for passage in found:
        for sentence in split_sentences(passage.text):
            if len(sentence) > MAX_CLAUSE_CHARACTERS:
                continue
            fits = sum(bool(form.search(sentence)) for form in clause.stated)
            is_subject = bool(clause.subject.search(sentence))
            if clause.needs_subject and not is_subject:
                continue
            score = fits + FOR * is_subject - AGAINST * bool(clause.against.search(sentence))
            title = get_document_title(passage)
            if min(fits + is_subject, score) >= clause.least and score > best.get(title, (0.0,))[0]:
                best[title] = (score, Quote(sentence, passage.n))
    return [quote for _, quote in sorted(best.values(), key=lambda pair: -pair[0])[:MAX_DOCUMENTS]]


def _find_party_lines(found: Sequence[PromptPassage], known: Set[int]) -> list[Quote]:
    """The lines that name who it is between: "Employer: Fjord Foods", of the first document that has no passage among
    `known`.
    """
    titles = {get_document_title(passage) for passage in found if passage.n in known}
    lines: dict[str, list[Quote]] = {}
    for passage in found:
        begin = split_sentences(passage.text)[:MAX_LINE_OF_PARTIES]
        for one, other in pairwise(begin):
            if NUMBERED_PARTY.match(one) and NUMBERED_OTHER.match(other) and FIRM.search(f"{one} {other}"):
                lines.setdefault(get_document_title(passage), []).extend(Quote(q, passage.n) for q in (one, other))
        for line in split_sentences(passage.text):
            if PARTY_LINE.match(line) and len(line) <= MAX_TITLE_CHARACTERS:
                lines.setdefault(get_document_title(passage), []).append(Quote(line, passage.n))
    fit = (quotes for title, quotes in lines.items() if title not in titles and len(quotes) > 1)
    return next(fit, [])[:MAX_DOCUMENTS]
