"""A record's files as a table: by folder, sorted, filtered, and several deleted, moved or read again at once."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import APIException

from entities.access import MEMBER, get_entity_or_404, has_permission, requires
from entities.api.lists import load_atom_chips
from entities.models.classification import PUBLIC
from ingestion.access import get_file_or_404, get_record_for, is_steward
from ingestion.bin import bin_file
from ingestion.file_presenter import FileView
from ingestion.listing import build_file_view, list_files
from ingestion.models import State
from ingestion.moving import move_file
from ingestion.relabelling import list_own_chips
from ingestion.retries import retry_file
from ingestion.strategies import choose_strategy
from ingestion.views import get_scope

MAX_FILES = 500
"""At once."""
STATES = {
    "ready": gettext_lazy("Ready"),
    "processing": gettext_lazy("Being read"),
    "pending": gettext_lazy("Waiting"),
    "failed": gettext_lazy("Failed"),
    "quarantined": gettext_lazy("Quarantined"),
}
ACTS = ("delete", "again", "move")
SORTS = ("name", "size", "pages", "state", "collection")


@requires(MEMBER)
@require_safe
def files_table(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`q`: in names; `state`; `folder`: its files and those of its folders; `ordering`: a column, with - the other way
    round.
    """
    scope = get_scope(request)
    entity = get_entity_or_404(scope, pk)
    query, state, ordering, wanted = (request.GET.get(name, "") for name in ("q", "state", "ordering", "folder"))
    folder = [part for part in wanted.split("/") if part]
    every_file = list_files(scope, entity)
    inside = [file for file in every_file if list(file.folders[: len(folder)]) == folder]
    files = [file for file in inside if _matches_filters(file, query, state)]
    context = {
        "entity": entity,
        "folder": "/".join(["", *folder]) if folder else "",
        "folders_above": _list_folders_above(folder),
        "folders_inside": _list_folders_inside(inside, folder),
        "folders_known": sorted({_join_folders(file.folders) for file in every_file if file.folders}),
        "below": f"{len(folder)}:",
        "files": _sort_files(files, ordering),
        "q": query,
        "state": state,
        "states": STATES.items(),
        "state_words": STATES,
        "ordering": ordering,
        "may_upload": has_permission(scope, entity, "upload"),
        "may_delete": has_permission(scope, entity, "delete"),
        "may_label": is_steward(scope),
        "labels": [load_atom_chips()[PUBLIC], *list_own_chips()],
    }
    return render(request, "ingestion/files_table.html", context)


@requires(MEMBER)
@require_POST
def change_files(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`act` on each `file`: delete, again, or move, to the folder `into`. All that can be done is done; what cannot is
    said.
    """
    scope, act = get_scope(request), request.POST.get("act", "")
    get_record_for(scope, pk, "delete" if act == "delete" else "upload")
    if act not in ACTS:
        return HttpResponseBadRequest(gettext("Choose what to do with the files: delete, move, or again."))
    done, refused = 0, ""
    binned: list[str] = []
    # In one order, so that two who lock the same files do not wait for each other.
    ticked = sorted(set(request.POST.getlist("file")))
    for wanted in ticked[:MAX_FILES]:
        try:
            file = get_file_or_404(scope, UUID(wanted))
            if file.entity_id != pk:
                continue
            if act == "delete" and file.origin_id is not None:
                if str(file.origin_id) not in ticked:
                    refused = gettext("This file came in a message and stays with it. Delete the message.")
                continue
            if act == "delete":
                binned += [str(file.pk)] if bin_file(scope=scope, file=file) else []
            elif act == "move":
                move_file(scope=scope, file=file, folder=request.POST.get("into", ""))
            elif (shown := build_file_view(scope, file)).state in (State.FAILED, State.QUARANTINED):
                retry_file(scope=scope, file=file)
            else:
                choose_strategy(scope=scope, file=file, strategy=shown.strategy, again=True)
            done += 1
        except APIException as refusal:
            refused = str(refusal.detail)
        except (Http404, ValueError):  # it went with the message that it came in, or somebody else was faster
            continue
    if done:
        messages.success(request, say_done(act, done), extra_tags=f"undo:{','.join(binned)}" if binned else "")
    if left := len(ticked[MAX_FILES:]):
        messages.warning(
            request,
            gettext("%(left)s more were ticked and left as they are: at most %(most)s at once.")
            % {"left": left, "most": MAX_FILES},
        )
    if refused or not done:
        messages.error(request, refused or gettext("Tick the files first."))
    return redirect("ingestion:files_table", pk)


def _join_folders(folders: Sequence[str]) -> str:
    return "/".join(["", *folders])


def _list_folders_above(folder: Sequence[str]) -> list[tuple[str, str]]:
    """(path, name) of this folder and of those that it is in, outermost first."""
    return [(_join_folders(folder[: depth + 1]), name) for depth, name in enumerate(folder)]


def _list_folders_inside(files: Sequence[FileView], folder: Sequence[str]) -> list[tuple[str, str, int]]:
    """(path, name, files in it at any depth) of the folders right in this one, by name."""
    counts = Counter(file.folders[len(folder)] for file in files if len(file.folders) > len(folder))
    return [(_join_folders([*folder, name]), name, count) for name, count in sorted(counts.items())]


def _matches_filters(file: FileView, query: str, state: str) -> bool:
    """By what the table shows of it, and nothing else."""
    path = "/".join([*file.folders, file.name])
    return query.strip().lower() in path.lower() and state in ("", file.state)


def _sort_files(files: Sequence[FileView], ordering: str) -> Sequence[FileView]:
    """Of equal ones, and without an order, as `list_files` has them. What is not known comes last."""
    name = ordering.removeprefix("-")
    if name not in SORTS:
        return files

    def read_key(file: FileView) -> Any:
        if name == "name" and not file.named:
            return None
        value = file.collection_title if name == "collection" else getattr(file, name)
        return value.lower() if isinstance(value, str) else value

    known, unknown = ([file for file in files if (read_key(file) is None) is missing] for missing in (False, True))
    return sorted(known, key=read_key, reverse=ordering.startswith("-")) + unknown


def say_done(act: str, count: int) -> str:
    """The sentence about how many files `act` reached."""
    if act == "delete":
        words = ngettext("%(count)s file is in the bin.", "%(count)s files are in the bin.", count)
    elif act == "move":
        words = ngettext("%(count)s file moved.", "%(count)s files moved.", count)
    else:
        words = ngettext("%(count)s file is being read again.", "%(count)s files are being read again.", count)
    return words % {"count": count}
