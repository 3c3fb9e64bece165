"""Who reads what of labelled documents, whole ones, when rules and heads have looked and nobody else has: what stays
open of sensitive text, and what is hidden of ordinary text.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PII_SENSITIVE, SECRET
from ingestion.classify import build_rules_vote
from ingestion.embedders import Embedder
from ingestion.heads.lessons import Lesson, Line
from ingestion.judging import join_votes, vote_by_heads
from ingestion.kinds import build_kind_floors
from ingestion.votes import Vote, decide_atoms, find_proposed_raise

RESTING = frozenset({INTERNAL})
KNOWN = frozenset({INTERNAL, CONFIDENTIAL, PII, PII_SENSITIVE, FINANCIAL, SECRET})
ALL = "all"


@dataclass(frozen=True)
class Reading:
    """What becomes of a paragraph. without: somebody cleared for nothing reads it; internal: somebody cleared for
    Internal does, at once; decided: they do once a steward has taken what the desk proposes and opened what is held
    wrongly as a whole.
    """

    line: Line
    without: bool
    internal: bool
    decided: bool


def read_documents(lessons: Iterable[Lesson], embedder: Embedder) -> Iterator[tuple[Lesson, list[Reading]]]:
    for one in lessons:
        texts = [line.text for line in one.lines]
        floors = build_kind_floors({})
        said = vote_by_heads(embedder, one.name, texts, floors=floors, known=KNOWN, resting=RESTING)
        above = ["", *texts[:-1]]
        rules = [[build_rules_vote(text, one.lang, (), before)] for text, before in zip(texts, above, strict=True)]
        votes = join_votes(rules, said)
        yield one, [_build_reading(one, *of) for of in zip(one.lines, votes, strict=True)]


def _build_reading(one: Lesson, line: Line, votes: Sequence[Vote]) -> Reading:
    atoms = decide_atoms(votes, model_needed=False, resting=RESTING) or frozenset()
    kept = [vote for vote in votes if one.whole == "S" or vote.source != "kind"]
    after = decide_atoms(kept, model_needed=False, resting=RESTING) or frozenset()
    waits = bool(find_proposed_raise(votes)) and line.mark == "+"
    return Reading(line, not atoms, atoms <= RESTING, after <= RESTING and not waits)


def describe_openness(documents: Iterable[tuple[Lesson, Sequence[Reading]]]) -> Iterator[str]:
    """A line for all, for each language and each kind of document."""
    groups: dict[str, list[tuple[str, Reading]]] = defaultdict(list)
    for one, readings in documents:
        kind = one.kind if one.kind != "-" else {"M": "mixed", "O": "ordinary"}.get(one.whole, "other")
        for name in (ALL, one.lang, kind):
            groups[name] += [(one.whole, reading) for reading in readings]
    yield (
        f"{'':16}{'sensitive':>10}{'no role':>9}{'Internal':>10}{'(text)':>8}{'desk':>7}"
        f"{'ordinary':>10}{'hidden':>8}{'desk':>7}"
    )
    for name in (ALL, *sorted(groups.keys() - {ALL})):
        yield _describe_group(name, groups[name])


def _describe_group(name: str, rows: Sequence[tuple[str, Reading]]) -> str:
    needed = [reading for _, reading in rows if reading.line.mark == "+"]
    plain = [reading for whole, reading in rows if reading.line.mark == "-" and whole != "S"]
    long = sum(len(reading.line.text) for reading in needed)
    open_long = sum(len(reading.line.text) for reading in needed if reading.internal)
    return (
        f"{name[:15]:16}{len(needed):10}{_format_share(sum(one.without for one in needed), len(needed)):>9}"
        f"{_format_share(sum(one.internal for one in needed), len(needed)):>10}{_format_share(open_long, long):>8}"
        f"{_format_share(sum(one.decided for one in needed), len(needed)):>7}{len(plain):10}"
        f"{_format_share(sum(not one.internal for one in plain), len(plain)):>8}"
        f"{_format_share(sum(not one.decided for one in plain), len(plain)):>7}"
    )


def _format_share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "–"
