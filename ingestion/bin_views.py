"""The page of the bin, and the way back out of it."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from entities.access import MEMBER, requires
from entities.api.errors import Conflict
from entities.bin import BIN_DAYS
from ingestion import bin
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
    """Leads to the record that came back, or whose file did."""
    try:
        back = bin.restore_entry(scope=get_scope(request), pk=pk)
    except Conflict as refusal:
        messages.error(request, str(refusal.detail))
        return redirect("ingestion:bin")
    if back.folder:
        words = gettext("Restored. Another file stands in its place, so it is in the folder %(folder)s.")
        messages.success(request, words % {"folder": back.folder})
    else:
        messages.success(request, gettext("Restored."))
    return redirect("entities:detail", back.record)


@requires(MEMBER)
@require_POST
def delete_for_good(request: HttpRequest, pk: UUID) -> HttpResponse:
    bin.delete_for_good(scope=get_scope(request), pk=pk)
    messages.success(request, gettext("Deleted for good."))
    return redirect("ingestion:bin")
