"""Answers that stand where a row and a column of a table meet: "What was the fuel bill in Q3?" has the row of marine
fuel, and the column, or the document, of the third quarter.

Every word of a question stands in the row, in the head of a column, or in what says what the table is about: its
title, its headings and the lines beside it. Only words of money may stand nowhere.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from llm.quoting.long_questions import has_term, trim_question
from llm.quoting.measures import read_rates
from llm.quoting.pairs import YEAR, Pair, has_figure
from llm.quoting.passage_fit import IMPLIED, UNSPECIFIC, read_counted
from llm.quoting.question_kinds import QuestionKind
from llm.quoting.reading import PromptPassage
from text.pieces import TABLE_RULE, join_heads, split_cells
from text.terms import extract_terms, stem_word
from text.words import words

MAX_TERMS = 9
"""Content words of a question that one cell can answer."""
MAX_TIED_ROWS, MAX_TABLES = 2, 3
NEAR_BEST, TIE = 0.6, 1e-6
"""Share of the best score that the row of another table needs; and what two equal scores may differ by."""
MAX_ROW_SHARE = 0.5
"""Of the rows of a table that have a word which tells one row from others."""
PERIODS = tuple(
    (re.compile(rf"\b(?:{forms})\b", re.IGNORECASE), f" q{number} ")
    for number, forms in enumerate(
        (
            r"(?:first|1st) quarter|q1|jan\w* ?(?:to|-|–|until|through) ?mar\w*",
            r"(?:second|2nd) quarter|q2|apr\w* ?(?:to|-|–|until|through) ?june?",
            r"(?:third|3rd) quarter|q3|july? ?(?:to|-|–|until|through) ?sep\w*",
            r"(?:fourth|4th) quarter|q4|oct\w* ?(?:to|-|–|until|through) ?dec\w*",
        ),
        1,
    )
)
MONTH_NAMES = (
    *("january", "february", "march", "april", "maymonth", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
"""May has a name of its own, for it is a verb, too."""
MONTHS = tuple(
    (re.compile(rf"\b{name[:3]}(?:{name[3:]}|t)?\b\.?", re.IGNORECASE), name)
    for name in MONTH_NAMES
    if name != "maymonth"
)
MAY = re.compile(
    r"\b(?:in|of|for|since|until|by|from|to|and|late|early) may\b(?! (?:be|i|we|you|they|not)\b)"
    r"|\bmay(?= (?:19|20)\d\d)|^may\b|\bMay\b"
)
"""The month, and not the verb."""
DAY = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({'|'.join(MONTH_NAMES)})\b", re.IGNORECASE)
DAY_BEHIND = re.compile(rf"\b({'|'.join(MONTH_NAMES)}) (\d{{1,2}})\b(?!\d)", re.IGNORECASE)
LEADING_ZERO = re.compile(r"\b0+(?=\d\b)")
YEAR_MONTH = re.compile(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])\b(?!-)")
HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)
"""Asks for a number of things, which a row that is called so does not give: the libraries cost 8,200."""
SUPERLATIVE = re.compile(
    r"\b(?:(?:old|new|young|cheap|dear|high|low|larg|bigg|small|great|long|short|fast|slow|earli|heavi|light|busi)est|best"
    r"|worst|(?<!at )(?:most|least))\b",
    re.IGNORECASE,
)
"""Asks for one of all rows, of which only some may be at hand."""
MONTH_TERMS = frozenset(map(stem_word, MONTH_NAMES))
COUNTED = frozenset(map(stem_word, words("number count total amount sum")))
FREE = frozenset(
    map(
        stem_word,
        words(
            """money bill cost price fee charge amount sum figure value worth spend spent pay paid owe owes total number
            count go went much due per"""
        ),
    )
).union(UNSPECIFIC - {stem_word("left")})
"""Words of a question that a table need not have: its figures say them."""


@dataclass(frozen=True)
class LookupRow:
    """text: verbatim. cells: without white space at their ends."""

    text: str
    cells: tuple[str, ...]
    terms: frozenset[str]


@dataclass(frozen=True, eq=False)
class LookupTable:
    """head: the first row, or two in one, None where the passage begins within a table. columns: terms of each name in
    it. title: terms of the document's title and headings. about: these, and terms of the lines beside the table.
    """

    passage: PromptPassage
    head: LookupRow | None
    rows: tuple[LookupRow, ...]
    columns: tuple[frozenset[str], ...]
    title: frozenset[str]
    about: frozenset[str]


def look_up(
    question: str, kind: QuestionKind | None, found: Sequence[PromptPassage], *, strict: bool = False
) -> list[Pair]:
    """The row that answers; two rows where they answer equally well, and rows of up to three tables. Empty for none.
    strict: only where the title and the table itself have every word of the question.
    """
    if SUPERLATIVE.search(question):
        return []
    rates, counted = read_rates(question), read_counted(question) if HOW_MANY.search(question) else set()
    question = normalise_periods(trim_question(question), of_question=True)
    implied = IMPLIED.union(kind.implied if kind else ())
    asked = [term for term in dict.fromkeys(extract_terms(question)) if term not in implied]
    if not 2 <= len(asked) <= MAX_TERMS:
        return []
    tables = [table for table in read_tables(found) if rates <= read_rates(table.passage.text)]
    scores = {
        table: [
            0.0 if any(has_term(term, row.terms) for term in counted) else _score_row(row, table, asked, kind, strict)
            for row in table.rows
        ]
        for table in tables
    }
    highest = max((score for own in scores.values() for score in own), default=0.0)
    pairs: list[Pair] = []
    answering = [table for table, own in scores.items() if max(own, default=0.0) >= max(NEAR_BEST * highest, TIE)]
    for table in answering:
        rows = [row for row, score in zip(table.rows, scores[table], strict=True) if score >= max(scores[table]) - TIE]
        if len(rows) > MAX_TIED_ROWS:
            return []
        pairs += [Pair("", "", row.text, table.passage.n) for row in rows]
    return list({pair.text: pair for pair in pairs}.values()) if len(answering) <= MAX_TABLES else []


def normalise_periods(text: str, *, of_question: bool = False) -> str:
    """A text with "q3" for "third quarter" and "july to september", months by their whole names, and "8october" for a
    day, which no other number is. A text, not a question, has the month beside it.
    """
    text = YEAR_MONTH.sub(lambda found: f"{found[1]} {MONTH_NAMES[int(found[2]) - 1]}", text)
    for pattern, instead in (*PERIODS, *MONTHS):
        text = pattern.sub(instead, text)
    text = LEADING_ZERO.sub("", MAY.sub(f" {MONTH_NAMES[4]} ", text))
    text = " ".join(text.split())
    month = "" if of_question else r" \2"
    text = DAY.sub(rf"\1\2{month}", text)
    return DAY_BEHIND.sub(r"\2\1" if of_question else r"\2\1 \1", text)


def read_tables(found: Sequence[PromptPassage]) -> list[LookupTable]:
    tables: list[LookupTable] = []
    for passage in found:
        lines = [" ".join(line.split()) for line in passage.text.splitlines()]
        rows = [line for line in lines if line.startswith("|") and line.endswith("|") and len(line) > 1]
        if len(rows) < 2:
            continue
        title = frozenset(extract_terms(normalise_periods(passage.title)))
        beside = "\n".join(line for line in lines if not line.startswith("|"))
        about = title | frozenset(extract_terms(normalise_periods(beside)))
        parsed = [_read_row(row) for row in rows if not TABLE_RULE.fullmatch(row)]
        head = parsed[0] if TABLE_RULE.fullmatch(rows[1]) else None
        if head and parsed[1:] and (joined := join_heads(head.text, parsed[1].text)):
            head = _read_row(joined)
            parsed[:2] = [head]
        columns = tuple(frozenset(extract_terms(normalise_periods(cell))) for cell in (head.cells if head else ()))
        tables.append(LookupTable(passage, head, tuple(parsed[head is not None :]), columns, title, about))
    return tables


def _read_row(text: str) -> LookupRow:
    cells = tuple(split_cells(text))
    return LookupRow(text, cells, frozenset(extract_terms(normalise_periods(" ".join(cells)))))


def _score_row(
    row: LookupRow, table: LookupTable, asked: Sequence[str], kind: QuestionKind | None, strict: bool
) -> float:
    """How rare the words of the question are that the row and the names of columns have; 0 where it is no answer."""
    headed: frozenset[str] = frozenset().union(*table.columns)
    told = [term for term in asked if has_term(term, row.terms)]
    others = [term for term in asked if term not in told]
    in_head = [term for term in others if has_term(term, headed)]
    if not all(_is_in_context(term, table, strict) for term in others if term not in in_head):
        return 0.0
    counts = {term: sum(has_term(term, other.terms) for other in table.rows) for term in told}
    few = max(1.0, MAX_ROW_SHARE * len(table.rows))
    if not any(count <= few and not has_term(term, table.title) for term, count in counts.items()):
        return 0.0  # the row of "Group" says no more of the group than the title
    places = [place for place, column in enumerate(table.columns) if any(has_term(term, column) for term in in_head)]
    values = [row.cells[place] for place in places if place < len(row.cells)] or list(row.cells[1:])
    if not any(values) or kind is not None and kind.must and not any(kind.value(value) for value in values if value):
        return 0.0
    if kind is None and not places and not any(has_figure(YEAR.sub("", value)) for value in values):
        return 0.0
    return sum(log(1 + len(table.rows) / count) for count in counts.values()) + len(in_head)


def _is_in_context(term: str, table: LookupTable, strict: bool) -> bool:
    """Whether a word need not stand in the row or in the head: a day, a month or a number must, or in the title."""
    if has_term(term, table.title):
        return True
    if strict or has_figure(term) or term in MONTH_TERMS:
        return term in COUNTED or strict and term in FREE and not has_figure(term)
    return term in FREE or has_term(term, table.about)
