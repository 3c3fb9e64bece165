"""What a reader may know of a run: of its questions those that they may read, each answered in files that they see.

Figures, counts and plots are over these alone, in the statement: a mean over more would tell how the others did.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Avg, Case, Count, Exists, F, FloatField, Func, OuterRef, Q, QuerySet, When
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from entities.access import Scope
from ingestion.access import select_readable_files, select_visible_files
from retrieval.evaluation.metrics import NAMES, Silence, compute_silence
from retrieval.evaluation.rankings import FUSED, RANKINGS
from retrieval.models import EvaluationOutcome, EvaluationRun

ANSWERABLE = Q(scores__has_key=FUSED)


@dataclass(frozen=True)
class VisibleRun:
    """A run, told of the answerable questions that the reader may know of. questions: how many. lost: how many of them
    name a file that was not there. figures: ranking -> figure -> mean.
    """

    run: EvaluationRun
    questions: int
    lost: int
    figures: Mapping[str, Mapping[str, float | None]]


def select_visible_outcomes(scope: Scope) -> QuerySet[EvaluationOutcome]:
    """What questions got, of those that the scope, which is open, may read and whose every file it sees."""
    named = EvaluationOutcome.objects.annotate(file=Func(F("files"), function="unnest")).values("file")
    files = select_readable_files(scope, select_visible_files(scope).filter(pk__in=named)).order_by().values("pk")
    return EvaluationOutcome.objects.filter(question__text__isnull=False, files__contained_by=ArraySubquery(files))


def select_visible_runs(scope: Scope) -> QuerySet[EvaluationRun]:
    """Runs with a figure to show."""
    known = select_visible_outcomes(scope).filter(ANSWERABLE, run=OuterRef("pk"))
    return EvaluationRun.objects.filter(Exists(known))


def describe_runs(scope: Scope, runs: Sequence[EvaluationRun]) -> list[VisibleRun]:
    """Of `select_visible_runs`, in their order."""
    means = {
        f"{ranking}_{name}": _average_score(ranking, n) for ranking in RANKINGS for n, name in enumerate(NAMES, start=1)
    }
    counts = {"count": Count("pk"), "lost": Count("pk", filter=Q(scores__lost=True))}
    known = select_visible_outcomes(scope).filter(ANSWERABLE, run__in=[run.pk for run in runs]).order_by().values("run")
    rows = {row["run"]: row for row in known.annotate(**counts, **means)}
    return [_build_visible_run(run, rows[run.pk]) for run in runs if run.pk in rows]


def _average_score(ranking: str, place: int) -> Avg:
    return Avg(Cast(KeyTextTransform(place, KeyTransform(ranking, "scores")), FloatField()))


def _build_visible_run(run: EvaluationRun, row: Mapping[str, Any]) -> VisibleRun:
    figures = {ranking: {name: row[f"{ranking}_{name}"] for name in NAMES} for ranking in RANKINGS}
    return VisibleRun(run, row["count"], row["lost"], figures)


def load_silences(scope: Scope, runs: Iterable[UUID]) -> dict[UUID, Silence]:
    """run -> what its questions without an answer got."""
    known = select_visible_outcomes(scope).filter(run__in=list(runs), scores__has_key="nearest").order_by("run")
    near = known.values_list("run", Case(When(ANSWERABLE, then=True), default=False), KeyTransform("nearest", "scores"))
    found = {}
    for run, of in groupby(near, key=lambda row: row[0]):
        rows = list(of)
        told = compute_silence([value for _, has, value in rows if has], [value for _, has, value in rows if not has])
        if told is not None:
            found[run] = told
    return found
