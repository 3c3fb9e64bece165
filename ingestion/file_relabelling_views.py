"""Pages for labelling several files of a record at once: who gains and who loses sight, then the decision."""

from contextlib import suppress
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST
from rest_framework.exceptions import APIException

from entities.access import STEWARD, get_entity_or_404, opens_own_scope, requires
from entities.api.lists import list_atom_chips
from ingestion.desk_group_views import say_decided
from ingestion.desk_groups import preview_sight
from ingestion.desk_views import get_scope, read_labels, say_changed
from ingestion.errors import BadUpload
from ingestion.file_relabelling import digest_items, label_files, list_file_items
from ingestion.relabelling import check_labels


def read_ticked_files(given: QueryDict) -> list[UUID]:
    """The form's `file`s; what is no id is left out."""
    ticked: set[UUID] = set()
    for value in given.getlist("file"):
        with suppress(ValueError):
            ticked.add(UUID(value))
    return sorted(ticked)


def read_chosen_labels(given: QueryDict) -> list[int] | None:
    """0 for Public; None where the files are said to be no documents of their kinds. No labels at all are no decision.
    Raises: BadUpload.
    """
    if "unlike" in given:
        return None
    if not given.getlist("labels"):
        raise BadUpload(gettext("Choose labels, or Public."), "no_labels")
    labels = read_labels(given)
    if 0 in labels and len(labels) > 1:
        raise BadUpload(gettext("Choose Public alone, or other labels without it."), "public_and_more")
    return labels


@requires(STEWARD)
@require_POST
def preview_files_label(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Who gains and who loses sight if every paragraph of the ticked `file`s gets `labels`, or if they are `unlike`
    what they are kept for.
    """
    scope, given = get_scope(request), request.POST
    entity, files = get_entity_or_404(scope, pk), read_ticked_files(given)
    table_url = reverse("ingestion:files_table", args=[pk])
    try:
        labels = read_chosen_labels(given)
        atoms = None if labels is None else check_labels(labels)
        items = list_file_items(scope, entity, files, unlike=atoms is None)
    except APIException as refusal:
        messages.error(request, str(refusal.detail))
        return redirect(table_url)
    context = {
        "items": items,
        "sight": preview_sight(scope, items, atoms),
        "own": True,
        "labels": list_atom_chips(atoms or ()),
        "unlike": atoms is None,
        "files": files,
        "seen": digest_items(items),
        "back_url": table_url,
        "back_name": gettext("Files"),
        "decide_url": reverse("ingestion:label_files", args=[pk]),
    }
    return render(request, "ingestion/desk_preview.html", context)


@opens_own_scope
@requires(STEWARD)
@require_POST
def change_files_label(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Give every paragraph of the ticked `file`s `labels`, for a `reason`, if they are as they were `seen` in the
    preview. It holds when the scope is closed."""
    scope, given = get_scope(request), request.POST
    try:
        with scope.open():
            decided, missed = label_files(
                scope=scope,
                entity=get_entity_or_404(scope, pk),
                files=read_ticked_files(given),
                labels=read_chosen_labels(given),
                reason=given.get("reason", ""),
                seen=given.get("seen", ""),
            )
    except APIException as refusal:
        messages.error(request, str(refusal.detail))
    else:
        if done := decided - len(missed):
            messages.success(request, say_decided(done))
        if missed:
            messages.warning(request, say_changed(len(missed)))
    return redirect("ingestion:files_table", pk)
