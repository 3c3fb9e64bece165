"""Runs as the pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import Http404

from entities.access import Scope
from ingestion.access import Outline, is_shown, outlines, visible_files
from retrieval.evaluation.metrics import NAMES
from retrieval.evaluation.plots import Plot, plot
from retrieval.evaluation.rankings import FUSED, RANKINGS, RERANKED
from retrieval.evaluation.report import TITLES
from retrieval.evaluation.store import changes
from retrieval.models import EvaluationOutcome, EvaluationRun

MOST_RUNS = 40
"""Of one set, on its plot."""
MOST_SETS = 20
MOST_QUESTIONS = 200


@dataclass(frozen=True)
class RunLine:
    """A run in a list. changed: what was otherwise in the one before it."""

    run: EvaluationRun
    figures: Sequence[tuple[str, float | None]]
    changed: Mapping[str, tuple[Any, Any]]


@dataclass(frozen=True)
class SetHistory:
    """Runs of the same questions, asked by the same reader, newest first."""

    name: str
    reader: str
    runs: Sequence[RunLine]
    plot: Plot
    rows: Sequence[tuple[str, Sequence[float | None]]]

    @property
    def nothing(self) -> int:
        """Percent of the questions without an answer that find nothing, in the newest run."""
        return round(100 * self.runs[0].run.silence.get("nothing", 0))

    @property
    def low(self) -> int:
        """Percent of them that find nothing near."""
        return round(100 * self.runs[0].run.silence.get("low", 0))


def histories() -> list[SetHistory]:
    """Of the open scope's workspace: the set that was run last first."""
    runs = EvaluationRun.objects.order_by("set_name", "reader", "digest", "-created_at")
    groups = [list(group) for _, group in groupby(runs, key=lambda run: (run.set_name, run.reader, run.digest))]
    groups.sort(key=lambda group: group[0].created_at, reverse=True)
    return [history(group[:MOST_RUNS]) for group in groups[:MOST_SETS]]


def history(runs: Sequence[EvaluationRun]) -> SetHistory:
    """runs: newest first, one at least."""
    oldest_first = list(reversed(runs))
    values = {ranking: [run.figures[ranking]["ndcg_10"] for run in oldest_first] for ranking in RANKINGS}
    if values[RERANKED] == values[FUSED]:
        del values[RERANKED]
    lines = [
        RunLine(run, [(TITLES[r], run.figures[r]["ndcg_10"]) for r in RANKINGS], changes(before, run))
        for run, before in zip(runs, [*runs[1:], None], strict=True)
    ]
    return SetHistory(runs[0].set_name, runs[0].reader, lines, plot(values, TITLES), figure_rows(runs[0]))


def figure_rows(run: EvaluationRun) -> list[tuple[str, Sequence[float | None]]]:
    """(ranking, its figures in the order of `NAMES`)."""
    return [(TITLES[ranking], [run.figures[ranking][name] for name in NAMES]) for ranking in RANKINGS]


@dataclass(frozen=True)
class QuestionLine:
    """ranks: (ranking, first rank that shows a place). moved: the change of its fused nDCG@10 since the run before."""

    id: UUID
    text: str
    label: int
    ranks: Sequence[tuple[str, int | None]]
    fused: float
    moved: float | None


def get_run_or_404(pk: UUID) -> EvaluationRun:
    run = EvaluationRun.objects.filter(pk=pk).first()
    if run is None:
        raise Http404("Not found.")
    return run


def run_before(run: EvaluationRun) -> EvaluationRun | None:
    same = EvaluationRun.objects.filter(set_name=run.set_name, reader=run.reader, digest=run.digest)
    return same.filter(created_at__lt=run.created_at).order_by("-created_at").first()


def question_lines(scope: Scope, run: EvaluationRun, before: EvaluationRun | None) -> list[QuestionLine]:
    """Those that the caller may read, worst first: what lost most, then what was found last.

    Ranks are of the run's reader: a question that a file answers which the caller may not see is left out.
    """
    then = scores(before) if before else {}
    answered = EvaluationOutcome.objects.filter(run=run.pk, question__text__isnull=False).select_related("question")
    outcomes = [(one, {UUID(place["file"]) for place in one.question.places}) for one in answered]
    files = list(visible_files(scope).filter(pk__in={pk for _, named in outcomes for pk in named}))
    told = outlines([file.pk for file in files])
    seen = {file.pk for file in files if is_shown(scope, file, told.get(file.pk, Outline()))}
    found = [
        QuestionLine(
            one.question_id,
            one.question.text,
            one.question.data_classification,
            [(TITLES[ranking], one.scores[ranking][0]) for ranking in RANKINGS],
            one.scores[FUSED][1],
            one.scores[FUSED][1] - then[one.question_id] if one.question_id in then else None,
        )
        for one, named in outcomes
        if named <= seen
    ]
    return sorted(found, key=lambda line: (min(line.moved or 0, 0), line.fused, line.text))[:MOST_QUESTIONS]


def scores(run: EvaluationRun) -> dict[UUID, float]:
    outcomes = EvaluationOutcome.objects.filter(run=run.pk).values_list("question_id", "scores")
    return {question: found[FUSED][1] for question, found in outcomes}
