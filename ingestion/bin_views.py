"""The page of the bin, and the way back out of it."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from entities.access import MEMBER, requires
from entities.api.errors import Conflict
from entities.bin import BIN_DAYS
from entities.language import join_words
from ingestion import bin
from ingestion.files_table_views import MAX_FILES
from ingestion.views import get_scope


@requires(MEMBER)
@require_safe
def bin_page(request: HttpRequest) -> HttpResponse:
    """What the caller may restore or delete for good."""
    entries = bin.list_bin(get_scope(request))
    context = {"entries": entries, "days": BIN_DAYS, "most": bin.MAX_ENTRIES if len(entries) >= bin.MAX_ENTRIES else 0}
    return render(request, "ingestion/bin.html", context)


@requires(MEMBER)
@require_POST
def restore(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Leads to the record that came back, or whose file did. `also`: ids of files that were deleted with this file."""
    scope, also = get_scope(request), sorted(request.POST.getlist("also"))[:MAX_FILES]
    restore_one = bin.restore_file if also else bin.restore_entry
    back, refused = [], ""
    for one in (str(pk), *also):
        try:
            back.append(restore_one(scope=scope, pk=UUID(one)))
        except Conflict as refusal:
            refused = str(refusal.detail)
        except (Http404, ValueError):  # somebody else was faster
            continue
    if not back and not refused:
        raise Http404("Not found.")
    if refused:
        messages.error(request, refused)
    if not back:
        return redirect("ingestion:bin")
    if folders := list(dict.fromkeys(one.folder for one in back if one.folder)):
        words = gettext("Restored. Another file stands in its place, so it is in the folder %(folder)s.")
        if len(back) > 1:
            words = gettext("Restored. Where another file stands in the place of one, it is in the folder %(folder)s.")
        messages.success(request, words % {"folder": join_words(folders)})
    else:
        messages.success(request, gettext("Restored."))
    return redirect("ingestion:files_table" if also else "entities:detail", back[0].record)


@requires(MEMBER)
@require_POST
def delete_for_good(request: HttpRequest, pk: UUID) -> HttpResponse:
    bin.delete_for_good(scope=get_scope(request), pk=pk)
    messages.success(request, gettext("Deleted for good."))
    return redirect("ingestion:bin")
