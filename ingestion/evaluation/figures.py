"""What labels are worth, against those that are right."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from entities.models.classification import PUBLIC
from ingestion.evaluation.sets import Sample
from llm.prompts import Level


@dataclass(frozen=True)
class LabelFigures:
    """Of one label. right: paragraphs that need it and got it. wrong: that got it and need it not. missed: that need
    it and did not get it. Public is got by a paragraph that got nothing else.
    """

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float | None:
        """None where nothing got the label."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else None

    @property
    def recall(self) -> float | None:
        """None where nothing needs the label."""
        return self.right / (self.right + self.missed) if self.right + self.missed else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None where nothing needs the label and nothing got it."""
        every = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / every if every else None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True)
class VoterFigures:
    """Of one voter on one half.

    labels: by the label's name. paragraphs: how many. exact: that got what they need, no more and no less.
    under: that lack a label they need, so that somebody may read them who should not. open: those of them that became
    Public, which everybody in the workspace may read. over: that got a label they need not and lack none. unlabelled:
    that got no answer; only stewards see them, so they count as missing nothing.
    """

    labels: Mapping[str, LabelFigures]
    paragraphs: int
    exact: int
    under: int
    open: int
    over: int
    unlabelled: int

    @property
    def under_rate(self) -> float:
        """Share of the paragraphs that are under-classified."""
        return self.under / self.paragraphs if self.paragraphs else 0.0

    def to_json(self) -> dict[str, Any]:
        plain = {
            name: getattr(self, name)
            for name in ("paragraphs", "exact", "under", "open", "over", "unlabelled", "under_rate")
        }
        return {**plain, "labels": {name: figures.to_json() for name, figures in self.labels.items()}}


def judge_voter(
    samples: Sequence[Sample], given: Sequence[frozenset[int] | None], levels: Sequence[Level]
) -> VoterFigures:
    """given: the atoms that each sample got, None where it stayed unlabelled."""
    pairs = [(sample.atoms, got) for sample, got in zip(samples, given, strict=True)]
    answered = [(needed, got) for needed, got in pairs if got is not None]
    under = [got for needed, got in answered if needed - got]
    return VoterFigures(
        labels={level.label: _count_label_figures(level.value, pairs) for level in levels},
        paragraphs=len(pairs),
        exact=sum(needed == got for needed, got in answered),
        under=len(under),
        open=sum(not got for got in under),
        over=sum(not needed - got and bool(got - needed) for needed, got in answered),
        unlabelled=len(pairs) - len(answered),
    )


def _count_label_figures(value: int, pairs: Sequence[tuple[frozenset[int], frozenset[int] | None]]) -> LabelFigures:
    """A paragraph without an answer has no label at all, Public neither."""

    def has_label(atoms: frozenset[int] | None) -> bool:
        return atoms is not None and (value in atoms if value != PUBLIC else not atoms)

    both = [(has_label(needed), has_label(got)) for needed, got in pairs]
    return LabelFigures(
        right=sum(needed and got for needed, got in both),
        wrong=sum(got and not needed for needed, got in both),
        missed=sum(needed and not got for needed, got in both),
    )
