"""Runs as the pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import Http404

from entities.access import Scope
from retrieval.evaluation.metrics import NAMES, Silence
from retrieval.evaluation.plots import Plot, build_plot
from retrieval.evaluation.rankings import FUSED, RANKINGS, RERANKED
from retrieval.evaluation.report import TITLES
from retrieval.evaluation.store import THRESHOLD, find_drops, list_changes
from retrieval.evaluation.visible_runs import (
    ANSWERABLE,
    VisibleRun,
    describe_runs,
    load_silences,
    select_visible_outcomes,
    select_visible_runs,
)
from retrieval.models import EvaluationRun

MOST_RUNS = 40
"""Of one set, on its plot."""
MOST_SETS = 20
MOST_QUESTIONS = 200


@dataclass(frozen=True)
class RunLine:
    """A run in a list. changed: what was otherwise in the one before it. fell: whether search got worse since then."""

    run: EvaluationRun
    figures: Sequence[tuple[str, float | None]]
    changed: Mapping[str, tuple[Any, Any]]
    fell: bool


@dataclass(frozen=True)
class SetHistory:
    """Runs of the same questions, asked by the same reader, newest first. questions, rows, silence: of the newest."""

    name: str
    reader: str
    runs: Sequence[RunLine]
    plot: Plot
    questions: int
    rows: Sequence[tuple[str, Sequence[float | None]]]
    silence: Silence | None

    @property
    def nothing_percent(self) -> int:
        """Percent of the questions without an answer that find nothing."""
        return round(100 * self.silence.nothing) if self.silence else 0

    @property
    def low_percent(self) -> int:
        """Percent of them that find nothing near."""
        return round(100 * self.silence.low) if self.silence else 0


def list_histories(scope: Scope) -> list[SetHistory]:
    """Of the open scope's workspace: the set that was run last first."""
    runs = select_visible_runs(scope).order_by("set_name", "reader", "digest", "-created_at")
    groups = [list(group) for _, group in groupby(runs, key=lambda run: (run.set_name, run.reader, run.digest))]
    groups.sort(key=lambda group: group[0].created_at, reverse=True)
    groups = [group[:MOST_RUNS] for group in groups[:MOST_SETS]]
    seen = {one.run.pk: one for one in describe_runs(scope, [run for group in groups for run in group])}
    told = load_silences(scope, [group[0].pk for group in groups])
    return [build_history([seen[run.pk] for run in group], told.get(group[0].pk)) for group in groups]


def build_history(runs: Sequence[VisibleRun], told: Silence | None) -> SetHistory:
    """runs: newest first, one at least."""
    oldest_first = list(reversed(runs))
    values = {ranking: [one.figures[ranking]["ndcg_10"] or 0.0 for one in oldest_first] for ranking in RANKINGS}
    if values[RERANKED] == values[FUSED]:
        del values[RERANKED]
    lines = [
        RunLine(
            one.run,
            [(TITLES[r], one.figures[r]["ndcg_10"]) for r in RANKINGS],
            list_changes(before.run if before else None, one.run),
            has_dropped(before, one),
        )
        for one, before in zip(runs, [*runs[1:], None], strict=True)
    ]
    newest = runs[0]
    drawn = build_plot(values, TITLES)
    return SetHistory(
        newest.run.set_name, newest.run.reader, lines, drawn, newest.questions, list_figure_rows(newest), told
    )


def has_dropped(before: VisibleRun | None, now: VisibleRun) -> bool:
    """Over the questions that the caller may know of: a run's own verdict is over all of them."""
    return before is not None and bool(find_drops(before.figures, now.figures, THRESHOLD))


def list_figure_rows(seen: VisibleRun) -> list[tuple[str, Sequence[float | None]]]:
    """(ranking, its figures in the order of `NAMES`)."""
    return [(TITLES[ranking], [seen.figures[ranking][name] for name in NAMES]) for ranking in RANKINGS]


@dataclass(frozen=True)
class QuestionLine:
    """ranks: (ranking, first rank that shows a place). moved: the change of its fused nDCG@10 since the run before."""

    id: UUID
    text: str
    label: int
    ranks: Sequence[tuple[str, int | None]]
    fused: float
    moved: float | None


@dataclass(frozen=True)
class UnansweredQuestion:
    """A question without an answer. nearest: similarity of the nearest passage, None where nothing was found."""

    id: UUID
    text: str
    nearest: float | None


def get_run_or_404(scope: Scope, pk: UUID) -> VisibleRun:
    """Raises: Http404 where there is none, or none with a question that the caller may know of."""
    run = select_visible_runs(scope).filter(pk=pk).first()
    if run is None:
        raise Http404("Not found.")
    return describe_runs(scope, [run])[0]


def run_before(scope: Scope, run: EvaluationRun) -> VisibleRun | None:
    same = select_visible_runs(scope).filter(set_name=run.set_name, reader=run.reader, digest=run.digest)
    before = same.filter(created_at__lt=run.created_at).order_by("-created_at", "pk").first()
    return describe_runs(scope, [before])[0] if before else None


def list_question_lines(scope: Scope, run: EvaluationRun, before: EvaluationRun | None) -> list[QuestionLine]:
    """Those that the caller may know of, worst first: what lost most, then what was found last.

    Ranks are of the run's reader: a question that a file answers which the caller may not see is left out.
    """
    known = select_visible_outcomes(scope).filter(ANSWERABLE)
    then = {one.question_id: one.scores[FUSED][1] for one in known.filter(run=before.pk)} if before else {}
    found = [
        QuestionLine(
            one.question_id,
            one.question.text,
            one.question.data_classification,
            [(TITLES[ranking], one.scores[ranking][0]) for ranking in RANKINGS],
            one.scores[FUSED][1],
            one.scores[FUSED][1] - then[one.question_id] if one.question_id in then else None,
        )
        for one in known.filter(run=run.pk).select_related("question")
    ]
    return sorted(found, key=lambda line: (min(line.moved or 0, 0), line.fused, line.text))[:MOST_QUESTIONS]


def list_unanswered_lines(scope: Scope, run: EvaluationRun) -> list[UnansweredQuestion]:
    """Those that the caller may know of, worst first: what came nearest to a question that has no answer."""
    known = (
        select_visible_outcomes(scope)
        .filter(~ANSWERABLE, run=run.pk, scores__has_key="nearest")
        .select_related("question")
    )
    found = [UnansweredQuestion(one.question_id, one.question.text, one.scores["nearest"]) for one in known]
    return sorted(found, key=lambda line: (line.nearest is None, -(line.nearest or 0.0), line.text))[:MOST_QUESTIONS]
