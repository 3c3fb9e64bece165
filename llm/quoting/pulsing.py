"""The offline engine's Pulse: a briefing of cited sentences. Nothing is reworded.

After the counts of the records below it, one line each, where there is one: state against plan, what is blocked, dates
ahead, money, what is new; then what is nearest to the focus. No point repeats a field: the record's page shows those.
Where there is no point, the fields are all that is known.
"""

import re
from collections import Counter
from collections.abc import Callable

from llm.quoting.measures import DATE, MONTH, SPELT_NUMBER
from llm.quoting.pairs import SUM, read_pairs
from llm.quoting.reading import (
    PromptPassage,
    extract_element,
    extract_lines,
    extract_passages,
    get_document_title,
    record_name,
)
from llm.quoting.summaries import REMOVED
from llm.recognisers.findings import phrases
from llm.recognisers.money import AMOUNT
from text.pieces import is_furniture, is_heading, split_sentences, write_cells
from text.rarity import compute_cosine, compute_frequencies
from text.terms import extract_terms

POINTS = 6
ALIKE = 0.45
NEWEST_WEIGHT = 0.3
REPEATS_FIELD = 0.7
MIN_PAIRS = 4
"""Of labels and values in a form."""
MAX_FORM_LINES = 3
SUBJECT = re.compile(r"^(?i:(?:note|re|subject|concerning|work done|betreff)\b:?|description:)\s+[^\W_][^|]{8,120}$")
"""What a form says it is about."""
SMALL_PRINT = re.compile(
    r"\b(?-i:(?<!\d )(?<!\d\. )may\b(?!\W{0,3}\d))|\b(?:might|can(?:not)?|could|if|unless|please|subject to)\b",
    re.IGNORECASE,
)
"""What a form says of what might be, of which it has no word where it says what is. May is a month too."""


def _build_pattern(text: str) -> re.Pattern[str]:
    return re.compile(r"\b" + phrases(text) + r"\b", re.IGNORECASE)


PLAN = _build_pattern(
    """per cent complete; against a plan; (?:ahead|behind)(?: of)? (?:the )?(?:plan|programme|schedule); forecast;
    float; on (?:plan|schedule|time); critical path; not moved; complete(?:d)?; (?:was|were|been) handed over;
    under negotiation; terminated; ended"""
)
BLOCKED = _build_pattern(
    r"""blocked; cannot; could not; late; delay(?:ed|s)?; overdue; missing; waits?; refus\w+; reject\w+; fail\w+;
    risks?; open points?; still open; unresolved; nobody knows; breach; defect\w*; crack\w*; incident; near miss;
    corro\w+"""
)
AHEAD = _build_pattern(
    r"""by (?:the )?(?:end|\d{1,2}); until; due; ends?; expir\w+; expected; begins?; will; must; before; deadline;
    not later than; planned; is extended; renew\w+"""
)
NEW = _build_pattern(
    r"""agreed; approved; decided; signed; confirmed; granted; returned; replaced; inspected; increase\w*; decrease\w*;
    changed; took over; taken over; doubled; withdrawn"""
)
DUTIES = _build_pattern(
    r"""must; shall; liab\w+; indemn\w+; terminat\w+; penalt\w+; damages; limited to; retain\w*; retention;
    ends? this (?:agreement|contract|lease|order); defects? period; budget; exceed\w*; issue; remediation"""
)
LIMITS = _build_pattern("limited to; not exceed; liquidated damages; penalt(?:y|ies)")
NEWS = (PLAN, BLOCKED, AHEAD, NEW, DUTIES)
"""What makes a sentence worth a point, with a figure."""
REFERENCE = re.compile(
    r"^\W*\d+(?:\.\d+)+\s+|\b(?:clause|schedule|section|article|appendix|annex|table|figure|page|sector|no\.)s?\s+\d[\d.]*"
    r"(?:(?:,| and| to| or)\s+\d[\d.]*)*",
    re.IGNORECASE,
)
"""A number that only says where something is: of a clause, a table, a sector."""
FIGURE = re.compile(rf"\d|\b{SPELT_NUMBER}\b", re.IGNORECASE)
STANDARD_TERMS = re.compile(r"\b(?:shall|(?i:nothing in|neither party)|may|whatever|to the extent)\b")
"""What every contract of a kind says, where it states no figure."""
ENDS = (".", "!", "?", ".”", ".’", '."')
# What points back cannot stand by itself; who wrote a paper when is no news; page furniture is no sentence.
NAMES_PAPER = phrases(
    """agreement; contract; lease; licen[cs]e; amendment; deed; document; report; letter; notice; policy; memorandum;
    memo; manual; handbook; guide; plan; offer; proposal; form; statement; order; invoice; paper; study; act;
    regulation; certificate; programme; project; specification; schedule; tutorial; article; book; page; publication;
    standard; thesis; presentation; (?:web)?site; (?:blog )?post; redpaper; white ?paper; decision;
    brochure; leaflet; newsletter"""
)
LEANS_BACK = re.compile(
    rf"^\W*(?:\d+(?:\.\d+)*\s+)?(?!this\s+(?:[\w®™-]+\s+){{0,3}}{NAMES_PAPER}\b)"
    + phrases(
        """it; its; they; their; these; those; this; that; both; all are; he; she; his; her; of these; such; then;
        afterwards; since then; until then; there"""
    )
    + r"\b",
    re.IGNORECASE,
)
ABOUT_PAPER = re.compile(
    r"^(?:apologies|written|prepared|commissioned|export)\b|^(?:recorded|kept|owner|issued|revision|last reviewed"
    r"|present|held on|from|to|subject|date|keywords|figure|table)\b[^.]{0,40}[:\d]",
    re.IGNORECASE,
)
FURNITURE = re.compile(
    r" · |\bpage \d+ of \d+\b|@|©\s*(?:19|20)\d\d|\ball rights reserved\b|^permission to (?:make|copy)\b"
    # A notice begins so: "Copyright in the drawings passes on …" is a statement.
    r"|^\W{0,5}(?:©|\(c\)|copyright\s*(?:©|\(c\)|by\b|\d{4}|(?-i:[A-Z])))"
    r"|^links on this page\b|^\W*(?:tele)?(?:phone|fax)\b\W{0,3}[+(\d]|^\W*(?:www\.|https?:)",
    re.IGNORECASE,
)
# The sign of a list item, which would make a list within the bullet: "6. Give notice", but not "8.1 The seller".
ENUMERATOR = re.compile(r"^(?:[-+*•–]|(?:\d{1,2}|[a-z])[.)]|\([a-z0-9]{1,3}\))\s+(?=\S)")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAY = re.compile(rf"(\d{{1,2}})\.?\s+({MONTH})(?:\s+((?:19|20)\d\d))?", re.IGNORECASE)


def compose_pulse(prompt: str) -> list[str]:
    """The lines of a Pulse for a prompt made by `prompts.build_pulse_prompt`: where the record stands, then points."""
    fields, counts = extract_lines(prompt, "fields"), extract_lines(prompt, "status")
    name = record_name(prompt)
    points = choose_best_points(
        list(extract_passages(prompt)), extract_element(prompt, "focus"), [*fields, *([name] if name else [])]
    )
    opening = counts if points else [*fields, *counts]
    stands = [f"{'; '.join(line.rstrip('.;') for line in opening[:6])}."] if opening else []
    return [*stands, *points] or ["Nothing is known about this yet."]


def choose_best_points(
    found: list[PromptPassage], focus: str, fields: list[str] | None = None, *, limit: int = POINTS
) -> list[str]:
    """Bullets, each a verbatim sentence with the number of its passage: one for each part of a briefing, then the
    nearest to the focus, all unlike each other and the fields. Only the sign of a list item is left out.
    """
    forms = list_form_lines(found)
    said = [(p, s) for p in found for s in split_sentences(p.text) if is_statement(s)]
    said = [(p, s) for p, s in said if not (get_document_title(p) in forms and SMALL_PRINT.search(s))]
    known = set(extract_terms(" ".join(fields or [])))
    fresh = [unit for unit in said if not _repeats(unit[1], known)]
    # Snapshots of fields are no prose; they are quoted only where there is none.
    units = [unit for unit in fresh if unit[1].endswith(ENDS)] or fresh or said
    bags = [extract_terms(sentence) for _, sentence in units]
    weights = compute_frequencies(bags)
    wanted = set(extract_terms(focus))
    whole = 1 + sum(weights.get(term, 1.0) for term in wanted)
    newest = _rank_dates([sentence for _, sentence in units])
    scores = []
    for index, (_, sentence) in enumerate(units):
        near = sum(weights.get(term, 0.0) for term in set(bags[index]) & wanted) / whole
        first = 0.2 if index == 0 or units[index - 1][0].n != units[index][0].n else 0.0
        news = 0.2 * count_news(sentence)
        scores.append(near + news + first + NEWEST_WEIGHT * newest[index] - 0.001 * len(sentence))
    ranked = sorted(range(len(units)), key=lambda index: (-scores[index], index))
    chosen: list[int] = []
    parts: list[Callable[[str], object]] = [_is_plan, _is_blocked, _is_ahead, AMOUNT.search, LIMITS.search, NEW.search]
    parts += [bool] * POINTS
    for part in parts:
        fitting = (i for i in ranked if part(units[i][1]) and _is_unlike(i, chosen, bags, weights))
        best = next(fitting, None)
        if best is not None and len(chosen) < POINTS:
            chosen.append(best)
    lines = [*(line for of_form in forms.values() for line in of_form)][: limit // 2]
    points = [(units[index][1], units[index][0].n) for index in chosen][: limit - len(lines)]
    texts = {passage.n: passage.text for passage in found}
    return [
        f"- {ENUMERATOR.sub('', write_cells(text, texts.get(n, '')))} [{n}]"
        for text, n in dict.fromkeys([*lines, *points])
    ]


def list_form_lines(found: list[PromptPassage]) -> dict[str, list[tuple[str, int]]]:
    """Title of an invoice or another form with a total -> the lines that say what it is about and what it comes to,
    with the numbers of their passages.
    """
    lines: dict[str, list[tuple[str, int]]] = {}
    pairs: Counter[str] = Counter()
    statements: Counter[str] = Counter()
    for passage in found:
        title = get_document_title(passage)
        every = [line.strip() for line in passage.text.splitlines() if REMOVED not in line]
        pairs[title] += sum(bool(pair.value) for pair in read_pairs(passage))
        statements[title] += sum(map(is_statement, split_sentences(passage.text)))
        lines.setdefault(title, []).extend(
            (line, passage.n) for line in every if SUM.search(line) or SUBJECT.match(line)
        )
    return {
        title: sorted(dict(told[::-1]).items(), key=lambda line: bool(SUM.search(line[0])))[:MAX_FORM_LINES]
        for title, told in lines.items()
        if pairs[title] >= max(MIN_PAIRS, statements[title]) and any(SUM.search(line) for line, _ in told)
    }


def count_news(sentence: str) -> int:
    """How many reasons there are to quote it; none for a standard term."""
    return 0 if _is_standard(sentence) else has_figure(sentence) + sum(bool(part.search(sentence)) for part in NEWS)


def has_figure(sentence: str) -> bool:
    return bool(FIGURE.search(REFERENCE.sub("", sentence)))


def _is_standard(sentence: str) -> bool:
    return bool(STANDARD_TERMS.search(sentence)) and not has_figure(sentence)


def _is_plan(sentence: str) -> bool:
    return bool(PLAN.search(sentence)) and not _is_standard(sentence)


def _is_blocked(sentence: str) -> bool:
    return bool(BLOCKED.search(sentence)) and not _is_standard(sentence)


def _is_ahead(sentence: str) -> bool:
    return bool(AHEAD.search(sentence) and DATE.search(sentence))


def _is_unlike(index: int, chosen: list[int], bags: list[list[str]], weights: dict[str, float]) -> bool:
    here = set(bags[index])
    return index not in chosen and all(
        compute_cosine(bags[index], bags[other], weights) < ALIKE
        and len(here & set(bags[other])) < 0.6 * max(1, min(len(here), len(set(bags[other]))))
        for other in chosen
    )


def _repeats(sentence: str, known: set[str]) -> bool:
    """Whether it says hardly more than the fields do."""
    here = set(extract_terms(sentence))
    return bool(here) and len(here & known) >= REPEATS_FIELD * len(here)


def _rank_dates(texts: list[str]) -> list[float]:
    """For each text how late its latest date is among all of them, from 0 to 1: what is newest wins."""
    days = [max((_parse_day(match) for match in DAY.finditer(text)), default=(0, 0, 0)) for text in texts]
    order = sorted(set(days))
    return [order.index(day) / max(1, len(order) - 1) for day in days]


def _parse_day(match: re.Match[str]) -> tuple[int, int, int]:
    return int(match[3] or 0), MONTHS.index(match[2][:3].casefold()) + 1, int(match[1])


def is_statement(sentence: str) -> bool:
    """A sentence worth quoting by itself."""
    return (
        30 <= len(sentence) <= 320
        and not (is_heading(sentence) or is_furniture(sentence))
        and sentence[0] != "|"
        and REMOVED not in sentence
        and not sentence.rstrip().endswith((":", "?"))
        and not any(pattern.search(sentence) for pattern in (LEANS_BACK, ABOUT_PAPER, FURNITURE))
    )
