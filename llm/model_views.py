"""The page on which a workspace is connected to a model: found, tested by a worker, and saved when it can be used."""

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from entities.access import ADMIN, Scope, opens_own_scope, requires
from entities.models import User
from llm.endpoint_tests import begin_test, forget_test
from llm.endpoints import Endpoint, get_current_endpoint, get_installation_endpoint, remove_endpoint
from llm.local_models import LocalServer, find_local_servers
from llm.model_forms import KeyForm, ServerForm
from llm.models import EndpointTest, WorkspaceEndpoint
from llm.models_catalogue import TIERS, CatalogueError
from llm.tasks import wake_test


@requires(ADMIN)
@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "POST"])
def model(request: HttpRequest) -> HttpResponse:
    """What answers now, how far a test is, and a form to connect a model. What cannot be used is not saved."""
    if request.method == "GET":
        return _render_page(request)
    _refuse_where_closed()
    form = ServerForm(request.POST) if request.POST.get("kind") == "server" else KeyForm(request.POST)
    if not form.is_valid():
        return _render_page(request, form, status=422)
    return _begin(request, form.endpoint)


@requires(ADMIN)
@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Test the model that is connected: what is found of a workspace's own is saved."""
    endpoint = get_current_endpoint()
    if endpoint.is_offline or settings.MODEL_TRANSPORT == "offline":
        return redirect("llm:model")
    return _begin(request, endpoint)


@requires(ADMIN)
@never_cache
@require_safe
def model_test(request: HttpRequest) -> HttpResponse:
    """How far the test is. When it has ended, the whole page is to be loaded again."""
    test = EndpointTest.objects.first()
    if test is None or not test.is_live:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "llm/model_test.html", {"test": test})


@requires(ADMIN)
@require_POST
def forget(request: HttpRequest) -> HttpResponse:
    """Stop the test."""
    forget_test()
    return redirect("llm:model")


@opens_own_scope
@requires(ADMIN)
@never_cache
@require_POST
def find_local(request: HttpRequest) -> HttpResponse:
    """Look for servers of models on this computer, and fill the form with what one of them has. `port`: of which."""
    _refuse_where_closed()
    if not settings.LOCAL_MODEL_PORTS:
        raise Http404("Not found.")
    servers = find_local_servers(settings.LOCAL_MODEL_PORTS)
    able = [server for server in servers if server.fast]
    chosen = next((one for one in able if str(one.port) == request.POST.get("port")), able[0] if able else None)
    with get_scope(request).open():
        return _render_page(request, servers=servers, chosen=chosen)


@requires(ADMIN)
@require_POST
def disconnect(request: HttpRequest) -> HttpResponse:
    """Forget the workspace's own key or server."""
    forget_test()
    if remove_endpoint(get_scope(request)):
        messages.success(request, gettext("The model is disconnected, and its key is deleted."))
    return redirect("llm:model")


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


def _refuse_where_closed() -> None:
    if not settings.WORKSPACE_MODELS or settings.MODEL_TRANSPORT == "offline":
        raise Http404("Not found.")


def _begin(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    scope = get_scope(request)
    token = begin_test(scope, endpoint)
    if token is not None:
        transaction.on_commit(partial(wake_test, scope.workspace, token))
    answer = redirect("llm:model")
    if "first" in request.GET:
        answer["Location"] += "?first"
    return answer


def _render_page(
    request: HttpRequest,
    form: KeyForm | ServerForm | None = None,
    servers: list[LocalServer] | None = None,
    chosen: LocalServer | None = None,
    status: int = 200,
) -> HttpResponse:
    saved, test, endpoint = WorkspaceEndpoint.objects.first(), EndpointTest.objects.first(), get_current_endpoint()
    context = {
        "form": form,
        "key_form": form if isinstance(form, KeyForm) else KeyForm(),
        "server_form": form if isinstance(form, ServerForm) else ServerForm(initial=_fill_form(chosen, test, saved)),
        "endpoint": endpoint,
        "saved": saved,
        "saved_by": User.objects.filter(pk=saved.saved_by).first() if saved else None,
        "models": _list_model_names(endpoint),
        "installation": not get_installation_endpoint().is_offline,
        "may_connect": settings.WORKSPACE_MODELS,
        "is_forced_offline": settings.MODEL_TRANSPORT == "offline",
        "first": "first" in request.GET,
        "test": test,
        "found": saved.abilities if saved and endpoint.own else (),
        "servers": servers,
        "chosen": chosen,
        "ports": settings.LOCAL_MODEL_PORTS,
    }
    return render(request, "llm/model.html", context, status=status)


def _fill_form(
    chosen: LocalServer | None, test: EndpointTest | None, saved: WorkspaceEndpoint | None
) -> dict[str, Any] | None:
    """Fields of `ServerForm`: what was found on this computer, what was tested and not saved, or what is saved."""
    if chosen is not None:
        return {"api": "openai", "base_url": chosen.url, "model": chosen.fast, "deep_model": chosen.deep}
    row = test if test is not None and test.is_failed and test.base_url else saved
    return {name: getattr(row, name) for name in ("api", "base_url", "model", "deep_model")} if row else None


def _list_model_names(endpoint: Endpoint) -> list[str]:
    if endpoint.is_offline:
        return []
    try:
        return list(dict.fromkeys(endpoint.find_model(tier).name for tier in TIERS))
    except CatalogueError:
        return []
