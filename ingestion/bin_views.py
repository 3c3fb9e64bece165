"""The page of the bin, and the way back out of it."""

from contextlib import suppress
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from entities.access import MEMBER, requires
from entities.api.errors import Conflict
from entities.bin import BIN_DAYS
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
    """Leads to the record that came back, or whose file did. `also`: ids of files that were deleted with this one."""
    scope, also = get_scope(request), sorted(request.POST.getlist("also"))[:MAX_FILES]
    try:
        back = bin.restore_entry(scope=scope, pk=pk)
        for other in also:
            with suppress(Http404, ValueError):  # somebody else was faster
                bin.restore_entry(scope=scope, pk=UUID(other))
    except Conflict as refusal:
        messages.error(request, str(refusal.detail))
        return redirect("ingestion:bin")
    if back.folder:
        words = gettext("Restored. Another file stands in its place, so it is in the folder %(folder)s.")
        messages.success(request, words % {"folder": back.folder})
    else:
        messages.success(request, gettext("Restored."))
    return redirect("ingestion:files_table" if also else "entities:detail", back.record)


@requires(MEMBER)
@require_POST
def delete_for_good(request: HttpRequest, pk: UUID) -> HttpResponse:
    bin.delete_for_good(scope=get_scope(request), pk=pk)
    messages.success(request, gettext("Deleted for good."))
    return redirect("ingestion:bin")
