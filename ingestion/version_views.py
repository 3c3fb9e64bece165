"""The page of a file's versions, and what its buttons do."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import APIException

from entities.access import MEMBER, get_entity_or_404, requires
from ingestion import downloads, strategies
from ingestion.access import get_file_or_404, get_record_for
from ingestion.listing import build_file_view
from ingestion.version_actions import restore_version
from ingestion.versions import get_original, list_versions
from ingestion.views import extract_sentence, get_scope


@requires(MEMBER)
@require_safe
def versions(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Who sent which version when, what changed as far as the caller may know, and what they may do with it."""
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    found = list_versions(scope, file)
    context = {
        "file": build_file_view(scope, file),
        "entity": get_entity_or_404(scope, file.entity_id),
        "versions": found,
        "coming": any(version.standing == "coming" for version in found),
        "ways": strategies.list_strategies(file),
    }
    return render(request, "ingestion/file_versions.html", context)


@requires(MEMBER)
@require_POST
def restore(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    get_record_for(scope, file.entity_id, "upload")
    try:
        restore_version(scope=scope, file=file, number=number)
    except APIException as refusal:
        messages.error(request, extract_sentence(refusal))
    else:
        messages.success(
            request,
            gettext("Version %(number)s is on its way back. What is there stays readable until it is.")
            % {"number": number},
        )
    return redirect("ingestion:versions", file.pk)


@requires(MEMBER)
@require_POST
def choose_strategy(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    get_record_for(scope, file.entity_id, "upload")
    try:
        strategies.choose_strategy(scope=scope, file=file, strategy=request.POST.get("strategy", ""), again=True)
    except APIException as refusal:
        messages.error(request, extract_sentence(refusal))
    else:
        messages.success(request, gettext("It is being read again. What is there stays readable until then."))
    return redirect("ingestion:versions", file.pk)


@requires(MEMBER)
@require_safe
def download(request: HttpRequest, pk: UUID, number: int) -> HttpResponseBase:
    scope = get_scope(request)
    return downloads.stream_original(request, *get_original(scope, get_file_or_404(scope, pk), number))
