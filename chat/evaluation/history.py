"""Runs of evaluations of answers, as their page shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from django.utils.translation import gettext_noop

from chat.evaluation.figures import NAMES
from chat.evaluation.models import AnswerRun
from entities.access import Scope
from retrieval.evaluation.plots import Plot, build_plot

MOST_RUNS = 40
"""Of one set, on its plot."""
MOST_SETS = 20
PLOTTED = ("context_recall", "citation_precision", "faithfulness", "not_found")
TITLES: Mapping[str, str] = {
    "context_precision": gettext_noop("context precision"),
    "context_recall": gettext_noop("context recall"),
    "citation_precision": gettext_noop("citation precision"),
    "citation_recall": gettext_noop("citation recall"),
    "faithfulness": gettext_noop("faithfulness"),
    "relevancy": gettext_noop("relevancy"),
    "answered": gettext_noop("answered at all"),
    "not_found": gettext_noop("rightly not found"),
}


@dataclass(frozen=True)
class AnswerHistory:
    """Runs of the same questions, answered and judged by the same models, newest first, each with its figures in the
    order of `NAMES`, None where a run has none. plot: None where no figure is in every run.
    """

    name: str
    model: str
    judge: str
    runs: Sequence[tuple[AnswerRun, Sequence[float | None]]]
    plot: Plot | None


def list_answer_histories(scope: Scope, username: str) -> list[AnswerHistory]:
    """Of the runs that were asked as this member: the set that was run last first.

    Nobody else's: their figures are about text that the caller may not read.
    """
    runs = AnswerRun.objects.filter(workspace=scope.workspace, reader=username)
    ordered = runs.order_by("set_name", "digest", "model", "judge", "-created_at", "pk")
    same = attrgetter("set_name", "digest", "model", "judge")
    groups = [list(group) for _, group in groupby(ordered, key=same)]
    groups.sort(key=lambda group: group[0].created_at, reverse=True)
    return [_describe_group(group[:MOST_RUNS]) for group in groups[:MOST_SETS]]


def _describe_group(runs: Sequence[AnswerRun]) -> AnswerHistory:
    values = {
        name: [run.figures[name] for run in reversed(runs)]
        for name in PLOTTED
        if all(name in run.figures for run in runs)
    }
    lines = [(run, [run.figures.get(name) for name in NAMES]) for run in runs]
    shown = build_plot(values, TITLES) if values else None
    return AnswerHistory(runs[0].set_name, runs[0].model, runs[0].judge, lines, shown)
