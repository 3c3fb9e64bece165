"""Answers that stand where a row and a column of a table meet: "What was the fuel bill in Q3?" has the row of marine
fuel, and the column, or the document, of the third quarter.

Every word of a question stands in the row, in the head of a column, or in what says what the table is about: its
title, its headings and the lines beside it. Only words of money and of doing may stand nowhere.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from llm.offline.asked import extract_name_terms
from llm.offline.long_questions import has_term, trim_question
from llm.offline.pairs import CELLS, YEAR, Pair, has_figure
from llm.offline.passage_fit import IMPLIED, record_terms
from llm.offline.question_kinds import QuestionKind
from llm.offline.ranking import extract_terms, stem_word
from llm.offline.reading import PromptPassage
from llm.recognisers.findings import words

MAX_TERMS = 9
"""Content words of a question that one cell can answer."""
MAX_TIED_ROWS = 2
MAX_ROW_SHARE = 0.5
"""Of the rows of a table that have a word which tells one row from others."""
RULE = re.compile(r"[\s|:\-+]+")
PERIODS = tuple(
    (re.compile(rf"\b(?:{forms})\b", re.IGNORECASE), f" q{number} ")
    for number, forms in enumerate(
        (
            r"(?:first|1st) quarter|q1|jan\w* ?(?:to|-|–|until|through|and) ?mar\w*",
            r"(?:second|2nd) quarter|q2|apr\w* ?(?:to|-|–|until|through|and) ?june?",
            r"(?:third|3rd) quarter|q3|july? ?(?:to|-|–|until|through|and) ?sep\w*",
            r"(?:fourth|4th|last) quarter|q4|oct\w* ?(?:to|-|–|until|through|and) ?dec\w*",
        ),
        1,
    )
)
MONTHS = tuple(
    (re.compile(rf"\b{name[:3]}(?:{name[3:]}|t)?\b\.?", re.IGNORECASE), name)
    for name in words("january february march april june july august september october november december")
)
SUPERLATIVE = re.compile(
    r"\b(?!(?:latest|best|rest|test|interest|request|west|guest|cost)\b)\w{3,}est\b|\b(?:most|least)\b", re.IGNORECASE
)
FREE = frozenset(
    map(
        stem_word,
        words(
            """money bill cost price fee charge amount sum figure value worth spend spent pay paid owe owes send sent
            total number count go went get got make made many much"""
        ),
    )
)
"""Words of a question that a table need not have: its figures say them."""


@dataclass(frozen=True)
class TableRow:
    """text: verbatim. cells: without white space at their ends."""

    text: str
    cells: tuple[str, ...]
    terms: frozenset[str]


@dataclass(frozen=True)
class LookedUpTable:
    """head: the first row, None where the passage begins within a table. terms: of each column's name. about: terms of
    what stands around the table, in its passage and in its title."""

    passage: PromptPassage
    head: TableRow | None
    rows: tuple[TableRow, ...]
    about: frozenset[str]


def look_up(question: str, kind: QuestionKind | None, found: Sequence[PromptPassage]) -> list[Pair]:
    """The row that answers, behind the head of its table; two rows where they answer equally well. Empty for none."""
    if SUPERLATIVE.search(question):
        return []
    question = normalise_periods(trim_question(question))
    implied = IMPLIED.union(kind.implied if kind else ())
    asked = [term for term in dict.fromkeys(extract_terms(question)) if term not in implied]
    if not 2 <= len(asked) <= MAX_TERMS:
        return []
    names = {term for term in extract_name_terms(question) if term in asked}
    best: list[tuple[float, LookedUpTable, TableRow]] = []
    for table in read_tables(found):
        for row in table.rows:
            score = _score_row(row, table, asked, names, kind)
            if score > 0:
                best.append((score, table, row))
    if not best:
        return []
    highest = max(score for score, _, _ in best)
    chosen = [(table, row) for score, table, row in best if score >= highest - 1e-6]
    if len({row.text for _, row in chosen}) > MAX_TIED_ROWS:
        return []
    pairs: list[Pair] = []
    for table, row in chosen:
        if table.head is not None:
            pairs.append(Pair("", "", table.head.text, table.passage.n))
        pairs.append(Pair("", "", row.text, table.passage.n))
    return list({pair.text: pair for pair in pairs}.values())


def normalise_periods(text: str) -> str:
    """A text with "q3" for "third quarter" and "july to september", and months by their whole names."""
    for pattern, instead in (*PERIODS, *MONTHS):
        text = pattern.sub(instead, text)
    return text


def read_tables(found: Sequence[PromptPassage]) -> list[LookedUpTable]:
    tables: list[LookedUpTable] = []
    for passage in found:
        lines = [" ".join(line.split()) for line in passage.text.splitlines()]
        rows = [line for line in lines if line.startswith("|") and line.endswith("|") and len(line) > 1]
        if len(rows) < 2:
            continue
        beside = " ".join(line for line in lines if not line.startswith("|"))
        about = frozenset(extract_terms(normalise_periods(f"{passage.title} {beside}"))) | record_terms(
            passage, [other for other in found if other is not passage and "|" not in other.text]
        )
        headed = len(rows) > 2 and bool(RULE.fullmatch(rows[1]))
        parsed = [_read_row(row) for row in rows if not RULE.fullmatch(row)]
        head = parsed[0] if headed else None
        tables.append(LookedUpTable(passage, head, tuple(parsed[headed:]), about))
    return tables


def _read_row(text: str) -> TableRow:
    cells = tuple(cell.strip() for cell in CELLS.split(text)[1:-1])
    return TableRow(text, cells, frozenset(extract_terms(normalise_periods(" ".join(cells)))))


def _score_row(
    row: TableRow, table: LookedUpTable, asked: Sequence[str], names: set[str], kind: QuestionKind | None
) -> float:
    """How rare the words of the question are that the row has; 0 where it is no answer."""
    heads = table.head.cells if table.head is not None else ()
    columns = [frozenset(extract_terms(normalise_periods(cell))) for cell in heads]
    headed = frozenset().union(*columns)
    told = [term for term in asked if has_term(term, row.terms)]
    others = [term for term in asked if term not in told]
    if not told or any(not (has_term(t, headed) or has_term(t, table.about) or t in FREE) for t in others):
        return 0.0
    if any(name in FREE for name in names) and not names:
        return 0.0
    counts = {term: sum(has_term(term, other.terms) for other in table.rows) for term in told}
    if not any(count <= max(1, MAX_ROW_SHARE * len(table.rows)) for count in counts.values()):
        return 0.0
    hit = [place for place, column in enumerate(columns) if any(has_term(term, column) for term in others)]
    values = [row.cells[place] for place in hit if place < len(row.cells)] or list(row.cells[1:])
    if not any(values):
        return 0.0
    if kind is not None and kind.must and not any(kind.value(value) for value in values if value):
        return 0.0
    if kind is None and not any(has_figure(YEAR.sub("", value)) for value in values) and not hit:
        return 0.0
    score = sum(log(1 + len(table.rows) / counts[term]) for term in told)
    return score + 0.01 * len([term for term in others if has_term(term, headed)])
