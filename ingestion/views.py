"""Pages of files: the panel on a record's page, the reader, and what their buttons do."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import APIException

from entities.access import MEMBER, Scope, get_entity_or_404, has_permission, requires
from entities.api.lists import list_atom_chips
from entities.errors import build_payload
from ingestion import downloads, retries
from ingestion.access import get_file_or_404, get_record_for, is_steward, select_disclosed_files, select_visible_files
from ingestion.api import read_batch, take_upload
from ingestion.batches import find_latest_batch
from ingestion.bin import bin_file
from ingestion.claims import UNFINISHED
from ingestion.file_presenter import FileView
from ingestion.kinds import describe_kinds
from ingestion.link_views import link_panel
from ingestion.listing import build_file_view, build_file_views, list_attachments, list_collection_choices, list_files
from ingestion.models import Redo, State
from ingestion.pages import MAX_HITS, Stop, build_sections, find_page, find_words, list_headings, select_part
from ingestion.queueing import ENDED
from ingestion.reader import NOTICE, TextBlock, list_blocks, mark_citation, resolve_cited
from ingestion.remainder_decisions import find_unread
from ingestion.resting import list_sending_choices
from ingestion.strategies import STRATEGY_CHOICES

UNFOLDED_ROWS = 12
"""As templates/ingestion/files_panel.html has it."""


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(MEMBER)
@require_safe
def files_panel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The files of a record: drop zone for who may upload, stages, and what came out, by label."""
    scope = get_scope(request)
    entity = get_entity_or_404(scope, pk)
    context = {
        "entity": entity,
        "files": _put_failed_first(list_files(scope, entity)),
        "collections": list_collection_choices(entity),
        "strategies": STRATEGY_CHOICES,
        "readers": list_sending_choices(),
        "may_upload": has_permission(scope, entity, "upload"),
        "max_bytes": settings.CLEARANCE_MAX_UPLOAD,
        "batch": find_latest_batch(scope, entity),
    }
    template = "ingestion/files_panel.html" if request.headers.get("HX-Request") else "ingestion/files_page.html"
    return render(request, template, context)


def _put_failed_first(files: Sequence[FileView]) -> Sequence[FileView]:
    """Where rows are folded away, those that somebody has to look at stand before the others."""
    if len(files) <= UNFOLDED_ROWS:
        return files
    return sorted(files, key=lambda file: file.state not in (State.FAILED, State.QUARANTINED))


@requires(MEMBER)
@require_safe
def batch_panel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """How far what the caller sent together last is, asked for while it is worked on."""
    scope = get_scope(request)
    entity = get_entity_or_404(scope, pk)
    return render(request, "ingestion/batch.html", {"entity": entity, "batch": find_latest_batch(scope, entity)})


@requires(MEMBER)
@require_POST
def retry_batch(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    entity = get_record_for(scope, pk, "upload")
    try:
        batch = read_batch(request.POST)
    except APIException:
        batch = None
    count = retries.retry_batch(scope=scope, entity=entity, batch=batch) if batch else 0
    messages.info(
        request, ngettext("One file is tried again.", "%(count)s files are tried again.", count) % {"count": count}
    )
    return redirect("entities:detail", entity.pk)


@requires(MEMBER)
@require_POST
def upload(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Several files from a form, or one at a time from upload.js, which wants the new row or a reason."""
    scope = get_scope(request)
    entity = get_record_for(scope, pk, "upload")
    scripted = bool(request.headers.get("HX-Request"))
    taken, problem = [], None
    sent: list[Any] = [*request.FILES.getlist("file")]
    data = request.POST.copy()
    if len(sent) > 1:
        data.setdefault("batch", str(uuid4()))
    for given in sent or [None]:
        try:
            taken.append(take_upload(scope, entity, {"file": given}, data))
        except APIException as refusal:
            problem = refusal
            messages.error(
                request, f"{given.name if given else gettext('Upload')}: {extract_sentence(refusal)}"
            ) if not scripted else None
    if not scripted:
        return redirect("entities:detail", entity.pk)
    if problem is not None:
        code = str(getattr(problem, "default_code", "invalid"))
        return build_json_error(problem.status_code, code, extract_sentence(problem))
    rows = [build_file_view(scope, file) for file in taken]
    return render(request, "ingestion/file_rows.html", {"files": rows}, status=202)


def extract_sentence(refusal: APIException) -> str:
    detail: Any = refusal.detail
    while isinstance(detail, dict | list):
        detail = next(iter(detail.values() if isinstance(detail, dict) else detail))
    return str(detail)


def build_json_error(status: int, code: str, detail: str) -> HttpResponse:
    return JsonResponse(build_payload(code, detail), status=status)


@requires(MEMBER)
@require_safe
def file_row(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One row of the panel, asked for while its file is worked on."""
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    came = list_attachments(scope, file) if file.attachments else []
    return render(request, "ingestion/file_rows.html", {"files": [build_file_view(scope, file)], "came": came})


@requires(MEMBER)
@require_POST
def retry(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    get_record_for(scope, file.entity_id, "upload")
    try:
        file = retries.retry_file(scope=scope, file=file)
    except APIException as refusal:
        # Somebody else was faster: the row shows how it stands.
        messages.info(request, extract_sentence(refusal))
    if request.headers.get("HX-Request"):
        return render(request, "ingestion/file_rows.html", {"files": [build_file_view(scope, file)]})
    return redirect("entities:detail", file.entity_id)


@requires(MEMBER)
@require_POST
def delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    get_record_for(scope, file.entity_id, "delete")
    name = build_file_view(scope, file).name
    if bin_file(scope=scope, file=file):
        messages.success(request, gettext("%(name)s is in the bin.") % {"name": name}, extra_tags=f"undo:{file.pk}")
    else:
        messages.success(request, gettext("%(name)s was deleted, with everything made from it.") % {"name": name})
    return redirect("entities:detail", file.entity_id)


@requires(MEMBER)
@require_safe
def jobs(request: HttpRequest) -> HttpResponse:
    """How many files the caller sees being worked on, for the top bar. Failed ones count for who sent that version."""
    scope = get_scope(request)
    files = select_visible_files(scope)
    told = select_disclosed_files(scope, files)
    # What the caller knows of may wait behind a version that they do not know of.
    running = files.filter(~Q(redo=Redo.NOTHING) | Q(pk__in=told.values("pk")), state__in=UNFINISHED)
    sent = Q(pending_revision__created_by=scope.principal) | Q(pending_revision=None, created_by=scope.principal)
    failed = told.filter(sent, state__in=ENDED)
    shown = [view for view in build_file_views(scope, running[:50]) if view.state in UNFINISHED]
    troubled = build_file_views(scope, failed)
    first = next(iter([*shown, *troubled]), None)
    context: dict[str, Any] = {
        "running": len(shown),
        "failed": len(troubled),
        "url": get_entity_or_404(scope, first.entity).get_absolute_url() if first else "",
    }
    return render(request, "components/jobs_indicator.html", context)


@requires(MEMBER)
@require_safe
def reader(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The document as the caller may read it; `?passage=` or `?row=&start=&end=` shows a citation in it."""
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    query = request.GET
    asked = query.get("passage", ""), query.get("row", "")
    cited = resolve_cited(file, *asked, query.get("start", ""), query.get("end", ""))
    shown = build_file_view(scope, file)
    found = mark_citation(list_blocks(scope, file, tells=shown.has_details, granted=True), cited)
    page = query.get("page", "")
    is_page = page.isascii() and page.isdigit() and len(page) < 7
    if is_page and (place := find_page(found, int(page))):
        return redirect(f"?part={place[0]}#page-{place[1]}")
    words = " ".join(query.get("find", "").replace("\x00", "").split())[:100]
    hits: list[Stop] = []
    if words:
        found, hits = find_words(found, words)
    part = select_part(found, query.get("part", "") or (str(hits[0].part) if hits else ""))
    entity = get_entity_or_404(scope, file.entity_id)
    unread = find_unread(scope, file)
    context = {
        "file": shown,
        "source": file,
        "unread": unread,
        "settles": is_steward(scope) and entity.attached_to is None,
        "chips": list_atom_chips(unread.atoms) if unread and unread.atoms is not None else None,
        "withheld": "" if downloads.is_allowed(scope, file) else downloads.describe_refusal(file),
        "attachments": list_attachments(scope, file),
        "entity": entity,
        "notice": NOTICE,
        "kind": describe_kinds([file.pk]).get(file.pk),
        "resting": sum(isinstance(block, TextBlock) and not block.judged for block in found),
        "part": part,
        "headings": list_headings(found),
        "last_page": max((block.page or 0 for block in found), default=0),
        "missing_page": int(page) if is_page else None,
        "find": words,
        "hits": hits[:MAX_HITS],
        "hit_count": len(hits),
        "sections": build_sections(part.blocks),
        "not_located": any(asked) and cited is None,
        "siblings": find_neighbours(scope, entity, file.pk),
    }
    return render(request, "ingestion/file_reader.html", context)


@requires(MEMBER)
@require_safe
def links_panel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Where the document's links lead for this reader, and which documents lead here; a part of the reader's page."""
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    panel = link_panel(scope, file)
    template = "ingestion/links_panel.html" if request.headers.get("HX-Request") else "ingestion/links_page.html"
    entity = get_entity_or_404(scope, file.entity_id)
    return render(request, template, {"file": build_file_view(scope, file), "entity": entity, "panel": panel})


def find_neighbours(scope: Scope, entity: Any, current: UUID) -> dict[str, Any]:
    """The readable files before and after this one on its record."""
    readable: Sequence[Any] = [view for view in list_files(scope, entity) if view.url or view.id == current]
    place = next((n for n, view in enumerate(readable) if view.id == current), None)
    if place is None:
        raise Http404("Not found.")
    return {
        "previous": readable[place - 1] if place > 0 else None,
        "next": readable[place + 1] if place + 1 < len(readable) else None,
    }


@requires(MEMBER)
@require_safe
def download(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    scope = get_scope(request)
    return downloads.stream_original(request, *downloads.open_original(scope, get_file_or_404(scope, pk)))
