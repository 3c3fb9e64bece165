"""What one answer is worth, and whether a run is worse than another beyond noise. Pure functions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from llm.judging import Verdict
from llm.prompts import NOT_FOUND, is_closest
from retrieval.support import CITED, END, MARKER, Support

BEARS_OUT = (Support.SUPPORTED, Support.QUOTED)
RESAMPLES = 4_000
CERTAINTY = 0.99
"""A drop is told where so many of a hundred resamples of the questions, divided by a hundred, show one."""
MIN_DROP = 0.01
"""And where the mean fell so much: over many questions the smallest loss of each would be certain."""

NAMES = (
    "context_precision",
    "context_recall",
    "citation_precision",
    "citation_recall",
    "faithfulness",
    "relevancy",
    "answered",
    "not_found",
)
Scores = Mapping[str, float]


@dataclass(frozen=True)
class JudgedAnswer:
    """An answer as it is judged. given: for each passage that the model was given its number and the places that it
    shows. support: of each citing sentence its number and the verdict of the support check. relevancy: the likeness of
    question and answer. places: how many answer the question, 0 where nothing does. verdict: of a judge, where there
    is one.
    """

    text: str
    places: int
    given: Sequence[tuple[int, Collection[int]]]
    support: Sequence[tuple[int, Support | None]]
    relevancy: float
    verdict: Verdict | None = None

    @property
    def is_not_found(self) -> bool:
        """Whether it quotes nothing."""
        return self.text.strip().startswith(NOT_FOUND) or is_closest(self.text)


@dataclass(frozen=True)
class FigureDrop:
    """A figure that is lower than before, over the questions that both runs have, beyond noise."""

    name: str
    before: float
    now: float


def score_answer(answer: JudgedAnswer) -> dict[str, float]:
    """The figures that an answer has, each from 0 to 1; one that has no meaning for it is left out.

    context_precision: share of the passages given that show a place. context_recall: share of the places that they
    show. citation_precision: share of citing sentences that their passage bears out. citation_recall: share of the
    places that cited passages show. faithfulness: share of all sentences that are borne out. relevancy: likeness of
    question and answer. Of these two, what a judge said where there is one. answered: of a question with places,
    whether something was found. not_found: of one without, whether nothing was.
    """
    if not answer.places:
        return {"not_found": float(answer.is_not_found)}
    shown = {place for _, places in answer.given for place in places}
    cited = {n for n, _ in answer.support}
    by_cited = {place for n, places in answer.given if n in cited for place in places}
    found = {
        "context_recall": len(shown) / answer.places,
        "citation_recall": len(by_cited) / answer.places,
        "answered": float(not answer.is_not_found),
    }
    if answer.given:
        found["context_precision"] = sum(bool(places) for _, places in answer.given) / len(answer.given)
    if answer.is_not_found:
        return found
    borne_out = [verdict in BEARS_OUT for _, verdict in answer.support]
    if borne_out:
        found["citation_precision"] = sum(borne_out) / len(borne_out)
    if answer.verdict:
        judged = answer.verdict.borne_out
        share = sum(judged) / len(judged) if judged else 0.0
        return {**found, "faithfulness": share, "relevancy": answer.verdict.relevance}
    return {**found, "faithfulness": _compute_faithfulness(answer), "relevancy": answer.relevancy}


def compute_means(scores: Mapping[str, Scores]) -> dict[str, float]:
    """Name of a figure -> its mean over the questions (key -> figures) that have it."""
    columns = {name: [one[name] for one in scores.values() if name in one] for name in NAMES}
    return {name: sum(values) / len(values) for name, values in columns.items() if values}


def find_drops(before: Mapping[str, Scores], now: Mapping[str, Scores], seed: int = 0) -> list[FigureDrop]:
    """Figures that are worse than before, by `MIN_DROP` at least and with `CERTAINTY`: questions are paired, and
    resampled with replacement (Efron, 1979).
    """
    chance = np.random.default_rng(seed)
    found = []
    for name in NAMES:
        keys = sorted(key for key in before.keys() & now.keys() if name in before[key] and name in now[key])
        if not keys:
            continue
        then, here = (np.array([run[key][name] for key in keys]) for run in (before, now))
        lost = then - here
        means = lost[chance.integers(0, len(keys), (RESAMPLES, len(keys)))].mean(axis=1)
        if lost.mean() >= MIN_DROP - 1e-9 and (means > 0).mean() >= CERTAINTY:
            found.append(FigureDrop(name, float(then.mean()), float(here.mean())))
    return found


def _compute_faithfulness(answer: JudgedAnswer) -> float:
    """A sentence that cites nothing is borne out by nothing; one that cites several needs one that bears it out."""
    verdicts = list(answer.support)
    kept = every = 0
    for part in _split_sentences(answer.text):
        count = len(CITED.findall(part))
        own, verdicts = verdicts[:count], verdicts[count:]
        if MARKER.sub("", part).strip():
            every += 1
            kept += any(verdict in BEARS_OUT for _, verdict in own)
    return kept / every if every else 0.0


def list_statements(text: str) -> list[str]:
    """The sentences of an answer in order, without their markers."""
    bare = (" ".join(MARKER.sub(" ", part).split()) for part in _split_sentences(text))
    return [part for part in bare if part]


def _split_sentences(text: str) -> list[str]:
    """Each with the markers that stand behind it."""
    ends = [end.end() for end in END.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
