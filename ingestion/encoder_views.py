"""The page on which a workspace's administrators choose how text is searched by meaning."""

import logging

from django.contrib import messages
from django.core.exceptions import ImproperlyConfigured
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from entities.access import ADMIN, opens_own_scope, requires
from ingestion import vector_switch
from ingestion.desk_views import get_scope
from ingestion.embed import list_configured
from ingestion.embedders import EmbeddingFailed
from ingestion.encoders import MULTILINGUAL, estimate_all_tokens, list_encoders, measure_speeds
from ingestion.vector_models import State

logger = logging.getLogger(__name__)


@opens_own_scope
@requires(ADMIN)
@never_cache
@require_safe
def encoder(request: HttpRequest) -> HttpResponse:
    """Which encoder is used, which others there are, and what changing takes."""
    scope = get_scope(request)
    tokens = estimate_all_tokens(scope.workspace)
    speeds = measure_speeds()
    with scope.open():
        used, *others = list_encoders(scope, tokens, speeds)
        context = {
            "used": used,
            "others": others,
            "beside": next((one for one in others if one.state), None),
            "is_live": any(one.state == State.DROPPED or one.switches for one in others),
            "lacks_multilingual": not any(
                one.model_id == MULTILINGUAL and one.is_configured for one in (used, *others)
            ),
        }
        return render(request, "ingestion/encoder.html", context)


@opens_own_scope
@requires(ADMIN)
@require_POST
def change(request: HttpRequest) -> HttpResponse:
    """Begin to change to an encoder; to one that has read everything, at once. Raises: Http404."""
    scope, model_id = get_scope(request), request.POST.get("model", "")
    if model_id not in list_configured():
        raise Http404("Not found.")
    try:
        if vector_switch.change_model(scope=scope, model_id=model_id):
            messages.success(request, gettext("Searches use %(model)s now.") % {"model": model_id})
        else:
            _wake("fill_model", scope.workspace, model_id)
    except (vector_switch.ModelSwitchRefused, EmbeddingFailed) as problem:
        messages.error(request, str(problem))
    except (ImproperlyConfigured, OSError):
        logger.warning("the encoder %s cannot be used", model_id, exc_info=True)
        messages.error(
            request, gettext("This encoder cannot be used: its files or settings are not as they should be.")
        )
    return redirect("ingestion:encoder")


@opens_own_scope
@requires(ADMIN)
@require_POST
def drop(request: HttpRequest) -> HttpResponse:
    """Stop changing to an encoder, or remove the former one."""
    scope, model_id = get_scope(request), request.POST.get("model", "")
    try:
        vector_switch.drop_model(scope=scope, model_id=model_id)
        _wake("delete_vectors", scope.workspace, model_id)
    except vector_switch.ModelSwitchRefused as problem:
        messages.error(request, str(problem))
    return redirect("ingestion:encoder")


def _wake(task: str, workspace: int, model_id: str) -> None:
    """Should the broker be away, the next sweep does it."""
    from ingestion import tasks

    try:
        getattr(tasks, task).delay(workspace, model_id)
    except Exception:
        logger.warning("%s waits for the next sweep: the broker did not take it", task, exc_info=True)
