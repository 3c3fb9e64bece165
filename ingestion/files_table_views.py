"""A record's files as a table: sorted, filtered, and several deleted or read again at once."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import APIException

from entities.access import MEMBER, get_entity_or_404, may, requires
from ingestion import actions
from ingestion.access import get_file_or_404, get_record_for
from ingestion.file_shown import FileView
from ingestion.listing import file_view, list_files
from ingestion.models import State
from ingestion.strategies import choose_strategy
from ingestion.views import scope_of

MAX_FILES = 500
"""At once."""
STATES = {
    "ready": gettext_lazy("Ready"),
    "processing": gettext_lazy("Being read"),
    "pending": gettext_lazy("Waiting"),
    "failed": gettext_lazy("Failed"),
    "quarantined": gettext_lazy("Quarantined"),
}
SORTS = ("name", "size", "pages", "state", "collection")


@requires(MEMBER)
@require_safe
def files_table(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`q`: in names; `state`; `ordering`: a column, with - the other way round."""
    scope = scope_of(request)
    entity = get_entity_or_404(scope, pk)
    query, state, ordering = (request.GET.get(name, "") for name in ("q", "state", "ordering"))
    files = [file for file in list_files(scope, entity) if _fits(file, query, state)]
    context = {
        "entity": entity,
        "files": _in_order(files, ordering),
        "q": query,
        "state": state,
        "states": STATES.items(),
        "state_words": STATES,
        "ordering": ordering,
        "may_upload": may(scope, entity, "upload"),
        "may_delete": may(scope, entity, "delete"),
    }
    return render(request, "ingestion/files_table.html", context)


@requires(MEMBER)
@require_POST
def change_files(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`act`: delete, or again, on each `file`. All that can be done is done; what cannot is said."""
    scope, act = scope_of(request), request.POST.get("act", "")
    get_record_for(scope, pk, "delete" if act == "delete" else "upload")
    if act not in ("delete", "again"):
        return HttpResponseBadRequest(gettext("Choose what to do with the files: delete, or again."))
    done, refused = 0, ""
    # In one order, so that two who lock the same files do not wait for each other.
    ticked = sorted(set(request.POST.getlist("file")))
    for wanted in ticked[:MAX_FILES]:
        try:
            file = get_file_or_404(scope, UUID(wanted))
            if file.entity_id != pk:
                continue
            if act == "delete":
                actions.delete_file(scope=scope, file=file)
            elif (shown := file_view(scope, file)).state in (State.FAILED, State.QUARANTINED):
                actions.retry_file(scope=scope, file=file)
            else:
                choose_strategy(scope=scope, file=file, strategy=shown.strategy, again=True)
            done += 1
        except APIException as refusal:
            refused = str(refusal.detail)
        except (Http404, ValueError):  # it went with the message that it came in, or somebody else was faster
            continue
    if done:
        if act == "delete":
            words = ngettext(
                "%(count)s file: deleted, with everything drawn from them.",
                "%(count)s files: deleted, with everything drawn from them.",
                done,
            )
        else:
            words = ngettext("%(count)s file: read again.", "%(count)s files: read again.", done)
        messages.success(request, words % {"count": done})
    if left := len(ticked[MAX_FILES:]):
        messages.warning(
            request,
            gettext("%(left)s more were ticked and left as they are: at most %(most)s at once.")
            % {"left": left, "most": MAX_FILES},
        )
    if refused or not done:
        messages.error(request, refused or gettext("Tick the files first."))
    return redirect("ingestion:files_table", pk)


def _fits(file: FileView, query: str, state: str) -> bool:
    """By what the table shows of it, and nothing else."""
    path = "/".join([*file.folders, file.name])
    return query.strip().lower() in path.lower() and state in ("", file.state)


def _in_order(files: Sequence[FileView], ordering: str) -> Sequence[FileView]:
    """Of equal ones, and without an order, as `list_files` has them. What is not known comes last."""
    name = ordering.removeprefix("-")
    if name not in SORTS:
        return files

    def read(file: FileView) -> Any:
        value = file.collection_title if name == "collection" else getattr(file, name)
        return value.lower() if isinstance(value, str) else value

    known, unknown = ([file for file in files if (read(file) is None) is missing] for missing in (False, True))
    return sorted(known, key=read, reverse=ordering.startswith("-")) + unknown
