"""What a run found, for people and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ingestion.evaluation.figures import VoterFigures
from ingestion.evaluation.runs import Measured, SavedRun
from ingestion.evaluation.sets import LabelledSet, Sample
from llm.prompts import Level

TITLES = {"rules": "rules alone", "offline": "offline model alone", "union": "both, as the pipeline takes them"}


def format_report(given: LabelledSet, measured: Measured, speed: Mapping[str, float], kept: SavedRun) -> Iterator[str]:
    yield f"{given.name}: {len(given.samples)} paragraphs, digest {given.digest[:12]}"
    for split, voters in measured.items():
        for voter, figures in voters.items():
            yield ""
            yield f"{split}, {TITLES[voter]}"
            yield from _format_table(figures)
    yield ""
    yield "Paragraphs a second: " + ", ".join(f"{TITLES[voter]} {rate:.0f}" for voter, rate in speed.items())
    if kept.before is None:
        yield "The first run of this set: nothing to compare with."
        return
    yield f"Compared with {kept.before['at']}, rules {kept.before['rules_version']}."
    for drop in kept.drops:
        what = f"{drop.figure} of {drop.label}" if drop.label else "share of under-classified paragraphs"
        yield f"WORSE {drop.split}, {TITLES[drop.voter]}: {what} {drop.before:.3f} → {drop.now:.3f}"


def _format_table(figures: VoterFigures) -> Iterator[str]:
    yield f"  {'':20}{'needed':>8}{'precision':>11}{'recall':>9}{'F1':>7}{'missed':>8}{'wrong':>7}"
    for name, of in figures.labels.items():
        shares = [f"{value:.3f}" if value is not None else "–" for value in (of.precision, of.recall, of.f1)]
        yield (
            f"  {name[:20]:20}{of.right + of.missed:8}{shares[0]:>11}{shares[1]:>9}{shares[2]:>7}"
            f"{of.missed:8}{of.wrong:7}"
        )
    yield (
        f"  under-classified {figures.under} of {figures.paragraphs} ({figures.under_rate:.1%}), {figures.open} of them"
        f" open to everybody; over-classified {figures.over}; exact {figures.exact}; unlabelled {figures.unlabelled}"
    )


def build_json(given: LabelledSet, speed: Mapping[str, float], kept: SavedRun) -> dict[str, Any]:
    return {
        **{key: kept.run[key] for key in ("at", "set", "digest", "rules_version", "figures")},
        "paragraphs": len(given.samples),
        "paragraphs_per_second": dict(speed),
        "compared_with": kept.before["at"] if kept.before else None,
        "drops": [asdict(drop) for drop in kept.drops],
    }


def format_mistakes(
    samples: Sequence[Sample], labels: Sequence[frozenset[int] | None], levels: Sequence[Level]
) -> Iterator[str]:
    """The paragraphs that got a label too few or too many, those that lack one first."""
    names = {level.value: level.label for level in levels}

    def name_labels(atoms: frozenset[int]) -> str:
        return ", ".join(names[atom] for atom in sorted(atoms)) or "–"

    wrong = [(s, got) for s, got in zip(samples, labels, strict=True) if got is not None and got != s.atoms]
    for sample, got in sorted(wrong, key=lambda pair: not pair[0].atoms - pair[1]):
        lacks, extra = name_labels(sample.atoms - got), name_labels(got - sample.atoms)
        yield f"line {sample.line}: lacks {lacks}; needs not {extra}"
        yield f"    {' '.join(sample.text.split())[:160]}"
