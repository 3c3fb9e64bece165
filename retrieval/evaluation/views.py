"""Evaluation, for administrators of the workspace: runs, one run's questions, and the bench."""

import time
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from entities.access import ADMIN, Scope, opens_own_scope, requires
from retrieval.evaluation.bench import build_bench, look_at
from retrieval.evaluation.history import (
    get_run_or_404,
    has_dropped,
    list_figure_rows,
    list_histories,
    list_question_lines,
    list_unanswered_lines,
    run_before,
)
from retrieval.evaluation.metrics import NAMES
from retrieval.evaluation.report import TITLES
from retrieval.evaluation.store import list_changes
from retrieval.models import EvaluationQuestion


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(ADMIN)
@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    context = {
        "histories": list_histories(get_scope(request)),
        "names": list(NAMES.values()),
        "titles": list(TITLES.values()),
    }
    return render(request, "retrieval/evaluation_runs.html", context)


@requires(ADMIN)
@require_safe
def run_detail(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    seen = get_run_or_404(scope, pk)
    before = run_before(scope, seen.run)
    earlier = before.run if before else None
    context = {
        "seen": seen,
        "run": seen.run,
        "before": earlier,
        "fell": has_dropped(before, seen),
        "rows": list_figure_rows(seen),
        "names": list(NAMES.values()),
        "titles": list(TITLES.values()),
        "changed": list_changes(earlier, seen.run),
        "questions": list_question_lines(scope, seen.run, earlier),
        "unanswered": list_unanswered_lines(scope, seen.run),
    }
    return render(request, "retrieval/evaluation_run.html", context)


@opens_own_scope
@requires(ADMIN)
@require_safe
def bench_page(request: HttpRequest) -> HttpResponse:
    """`?q=` a question, or `?question=` one of a set; `?row=` the passage whose page is shown."""
    scope, started = get_scope(request), time.monotonic()
    given = request.GET.get("question", "")
    asked = read_uuid(given)
    with scope.open():
        question = EvaluationQuestion.objects.filter(pk=asked).first() if asked else None
    if given and question is None:
        raise Http404("Not found.")
    text = question.text if question else request.GET.get("q", "")
    found, ordered = look_at(scope, text, question.files if question else ())
    with scope.open():
        made = build_bench(scope, found, ordered, question, read_uuid(request.GET.get("row", "")), started)
        return render(request, "retrieval/evaluation_bench.html", {"bench": made, "asked": text})


def read_uuid(given: str) -> UUID | None:
    try:
        return UUID(given)
    except ValueError:
        return None
