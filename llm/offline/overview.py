"""The offline engine's account of documents that were read: for a briefing a few sentences of each, for an aspect
those that have it. Every sentence is verbatim and has the number of its passage.
"""

import re

from llm.offline.answering import FIELDS
from llm.offline.aspects import Aspect
from llm.offline.overview_questions import Plan
from llm.offline.pulsing import ENUMERATOR, best_points, is_statement
from llm.offline.ranking import terms
from llm.offline.reading import Passage
from llm.offline.sentences import sentences, spoken
from llm.offline.summaries import REMOVED

MAX_POINTS = 8
MAX_ASPECT_POINTS = 6
MAX_POINT_CHARACTERS = 420
MAX_ANNOUNCEMENT_CHARACTERS = 40
ANNOUNCES = re.compile(r":$|\b(?:sincerely|faithfully|truly|yours|regards|wishes)\W*$", re.IGNORECASE)


def write_points(plan: Plan, found: list[Passage], before: str = "") -> list[str]:
    """Bullets of cited sentences, document by document, in the order in which the tool gave them. before: an answer
    that is not to be repeated.
    """
    if before:
        found = [Passage(p.n, p.title, _without(p.text, before), p.kind) for p in found if p.kind != FIELDS]
    documents = group_documents(found)
    if plan.aspect:
        return _write_aspect(plan.aspect, documents)
    lines = [] if plan.topic else _write_fields([p for p in found if p.kind == FIELDS])
    share = max(1, min(6, MAX_POINTS // max(1, len(documents))))
    for passages in documents:
        lines += _write_document(passages, share)
    return lines


def _without(text: str, before: str) -> str:
    return "\n\n".join(s for s in sentences(text) if ENUMERATOR.sub("", spoken(s)) not in before)


def group_documents(found: list[Passage]) -> list[list[Passage]]:
    """Passages by document: a title may go on with the section, "Lease.pdf (Quay lease), 2 Rent"."""
    grouped: dict[str, list[Passage]] = {}
    for passage in found:
        if passage.kind != FIELDS:
            head, closed, _ = passage.title.partition("), ")
            grouped.setdefault(head + closed[:1], []).append(passage)
    return list(grouped.values())


def _write_fields(found: list[Passage]) -> list[str]:
    """The record's own line: its fields, one after the other."""
    texts = [("; ".join(line.strip(" .;") for line in p.text.splitlines() if line.strip()), p.n) for p in found]
    return [f"- {text}. [{n}]" for text, n in texts[:1] if text]


def _write_document(passages: list[Passage], count: int) -> list[str]:
    """What a document opens with, then its best points, in reading order."""
    units = _units(passages)
    opening = next((point for point in units if is_statement(point[0])), None)
    points = best_points(passages, "", limit=count)
    lines = [_bullet(*opening)] if opening else []
    lines = list(dict.fromkeys([*lines, *points]))[:count]
    if not lines:
        # A table or a form states nothing in sentences: its first lines say what it holds.
        lines = [_bullet(*unit) for unit in units if not _is_artefact(unit[0])][: max(2, count)]
    order = {_bullet(*unit): place for place, unit in reversed(list(enumerate(units)))}
    return sorted(lines, key=lambda line: order.get(line, len(order)))


def _write_aspect(aspect: Aspect, documents: list[list[Passage]]) -> list[str]:
    """The sentences that have what is asked for."""
    lines: list[str] = []
    share = max(2, MAX_ASPECT_POINTS // max(1, len(documents)))
    for passages in documents:
        units = _units(passages)
        fitting = [i for i, (text, _) in enumerate(units) if aspect.fits(text) and not _is_artefact(text)]
        wanted = set(terms(aspect.focus))
        best = sorted(fitting, key=lambda i: (-len(wanted & set(terms(units[i][0]))), i))[:share]
        chosen = sorted({place for i in best for place in (i, *_completed(units, i))})
        lines += [_bullet(*units[i]) for i in chosen]
    return list(dict.fromkeys(lines))[:MAX_ASPECT_POINTS]


def _completed(units: list[tuple[str, int]], index: int) -> list[int]:
    """What follows a piece that only announces: a signature under its closing, the names under "Present:"."""
    text, n = units[index]
    announces = len(text) <= MAX_ANNOUNCEMENT_CHARACTERS and ANNOUNCES.search(text.strip())
    return [index + 1] if announces and index + 1 < len(units) and units[index + 1][1] == n else []


def _units(passages: list[Passage]) -> list[tuple[str, int]]:
    found = [(s, p.n) for p in passages for s in sentences(p.text)]
    return [(s, n) for s, n in found if REMOVED not in s and len(s) <= MAX_POINT_CHARACTERS]


def _is_artefact(text: str) -> bool:
    return text.startswith("#") or bool(re.search(r"\bpage \d+ of \d+\b", text, re.I)) or not re.search(r"\w{3}", text)


def _bullet(sentence: str, n: int) -> str:
    return f"- {ENUMERATOR.sub('', spoken(sentence))} [{n}]"
