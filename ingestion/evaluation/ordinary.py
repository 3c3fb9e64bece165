"""What labels cost where nothing is to hide, and what they miss of leaks: shares by genre and by kind."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ingestion.evaluation.corpora import CorpusParagraph, is_learned_from
from ingestion.evaluation.templates import list_leaks, load_ordinary_paragraphs
from llm.prompts import Level
from llm.rules import vote_by_rules

EXACT_REASONS = frozenset(
    {
        "e-mail address of a person", "phone number", "government identity number", "date of birth",
        "patient or health insurance number", "personnel number", "licence or registration of a person",
        "network address of a person", "payment card number", "bank account", "bank account of a person",
        "amount of money", "credential or key",
    }
)  # fmt: skip
"""Reasons of kinds with a form of their own: a paragraph without any of them counts as plain."""


@dataclass(frozen=True)
class GenreFigures:
    """Of ordinary text of one genre. plain: paragraphs in which no exact kind is found. hidden: those that a Public
    reader does not see, plain_hidden: of the plain ones.
    """

    paragraphs: int
    hidden: int
    plain: int
    plain_hidden: int
    characters: int
    hidden_characters: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def list_own_paragraphs() -> Iterator[CorpusParagraph]:
    """Those made from the templates that nothing was learned from."""
    for one in load_ordinary_paragraphs():
        if one.split == "held":
            yield CorpusParagraph(one.genre, one.template, one.text, "", "en")


def measure_genres(paragraphs: Iterable[CorpusParagraph]) -> Mapping[str, GenreFigures]:
    """By genre, in the order of their names."""
    rows: dict[str, list[tuple[int, bool, bool]]] = {}
    for one in paragraphs:
        vote = vote_by_rules(one.text, one.lang, one.before)
        plain = EXACT_REASONS.isdisjoint(vote.reasons)
        rows.setdefault(one.genre, []).append((len(one.text), bool(vote.atoms), plain))
    return {
        genre: GenreFigures(
            paragraphs=len(of),
            hidden=sum(hidden for _, hidden, _ in of),
            plain=sum(plain for *_, plain in of),
            plain_hidden=sum(hidden and plain for _, hidden, plain in of),
            characters=sum(length for length, *_ in of),
            hidden_characters=sum(length for length, hidden, *_ in of if hidden),
        )
        for genre, of in sorted(rows.items())
    }


def select_measured_half(paragraphs: Iterable[CorpusParagraph]) -> Iterator[CorpusParagraph]:
    return (one for one in paragraphs if not is_learned_from(one.group))


def measure_leaks(levels: Sequence[Level]) -> Mapping[str, tuple[int, int]]:
    """(leaks that got every label they need, leaks) by kind."""
    values = {level.label: level.value for level in levels}
    found: dict[str, tuple[int, int]] = {}
    for leak in list_leaks():
        right = {values[label] for label in leak.labels} <= vote_by_rules(leak.text, "en", leak.before).atoms
        before = found.get(leak.kind, (0, 0))
        found[leak.kind] = before[0] + right, before[1] + 1
    return found


def describe_genres(figures: Mapping[str, GenreFigures]) -> Iterator[str]:
    yield f"  {'':12}{'paragraphs':>11}{'hidden':>9}{'plain':>8}{'hidden':>9}{'characters hidden':>19}"
    for genre, of in figures.items():
        yield (
            f"  {genre[:12]:12}{of.paragraphs:11}{_format_share(of.hidden, of.paragraphs):>9}{of.plain:8}"
            f"{_format_share(of.plain_hidden, of.plain):>9}"
            f"{_format_share(of.hidden_characters, of.characters):>19}"
        )


def describe_leaks(found: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    for kind, (right, every) in found.items():
        yield f"  {kind[:12]:12}{every:11}{_format_share(right, every):>9} labelled in full"


def _format_share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "–"
