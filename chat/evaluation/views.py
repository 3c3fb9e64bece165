"""The page of runs of `manage.py evaluate --answers`."""

from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from chat.evaluation.history import TITLES, list_answer_histories
from entities.access import MEMBER, Scope, requires


@requires(MEMBER)
@require_safe
def answer_runs(request: HttpRequest) -> HttpResponse:
    """Those that were asked as the caller."""
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    user = request.user
    assert isinstance(user, AbstractBaseUser)
    histories = list_answer_histories(scope, user.get_username())
    return render(request, "chat/answer_runs.html", {"histories": histories, "titles": list(TITLES.values())})
