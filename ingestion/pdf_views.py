"""`view.pdf`: a PDF as the caller may see it, for pages and API (docs/adr/0043)."""

from contextlib import suppress
from pathlib import PurePath
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request

from entities.access import MEMBER, Scope, is_readable, opens_own_scope, requires
from entities.actions import record_action
from entities.errors import build_payload
from ingestion import downloads
from ingestion.access import get_file_or_404
from ingestion.extract.sniff import PDF
from ingestion.models import File
from ingestion.pdf_drawing import draw_pictures
from ingestion.pdf_writing import write_pdf
from ingestion.reader import list_blocks
from ingestion.visible_pdf import MOST, DisclosedPdf, PageRange, build_disclosed_pdf

VIEWED = "file.viewed"
NO_PAGES = gettext_lazy("This file has no pages: only a PDF can be seen page by page. Read it in the reader.")
WRONG_PART = f"Ask for pages by two numbers from 1, first and last, for at most {MOST} pages at one time."
PART = [
    OpenApiParameter("first", int, description="Number of the first page that is wanted, from 1."),
    OpenApiParameter("last", int, description=f"Of the last one; at most {MOST} pages are given at one time."),
]


class PdfRefused(Exception):
    """status, code, detail: of the answer."""


@opens_own_scope
@requires(MEMBER)
@extend_schema(operation_id="file_view_pdf", parameters=PART, responses={(200, PDF): OpenApiTypes.BINARY})
@api_view(["GET"])
def file_view_pdf(request: Request, pk: UUID) -> HttpResponseBase:
    """The PDF as the caller may see it: the original for who is cleared for everything in it; for others a new PDF with
    the pages, words and sentences that they may read, and nothing else of the original. Other files have no pages: 404.
    """
    try:
        return viewed(request._request, request.access_scope, pk)  # type: ignore[attr-defined]
    except PdfRefused as refusal:
        status, code, detail = refusal.args
        return JsonResponse(build_payload(code, detail), status=status)


@opens_own_scope
@requires(MEMBER)
@require_safe
def pdf_page(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """The same for a browser, which opens it."""
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    try:
        return viewed(request, scope, pk)
    except PdfRefused as refusal:
        status, _, detail = refusal.args
        with scope.open():
            return render(request, "errors/400.html", {"detail": detail, "status": status}, status=status)


def viewed(request: HttpRequest, scope: Scope, pk: UUID) -> HttpResponseBase:
    """Raises: Http404, Refused."""
    with scope.open():
        file, found = load_view(scope, pk, request)
        if downloads.is_allowed(scope, file):
            with suppress(PermissionDenied):  # not any more
                return serve_inline(downloads.stream_original(request, *downloads.open_original(scope, file, VIEWED)))
    pictures = draw_pictures(found)
    with scope.open():
        # Asked again: a clearance may have been withdrawn, or other bytes published, while the pages were drawn.
        file, now = load_view(scope, pk, request)
        record_action(scope, VIEWED, "file", file.pk, revision=str(file.revision_id))
        # Whoever keeps it must not take it for the original.
        stem = PurePath(file.name).stem if is_readable(file.name_classification) else f"file-{str(pk)[:8]}"
        name = f"{stem} (as cleared).pdf"
    if pictures is None or now != found:
        content = write_pdf((), now.anew)
    else:
        content = write_pdf(list(zip(now.pages, pictures, strict=True)), now.beside)
    response = HttpResponse(content)
    response["Content-Disposition"] = content_disposition_header(False, name) or "inline"
    return serve_inline(response)


def load_view(scope: Scope, pk: UUID, request: HttpRequest) -> tuple[File, DisclosedPdf]:
    """Raises: Http404, as the reader does; Refused."""
    # Publishing waits: what is cleared, where it stands and the bytes are those of one version.
    file = File.objects.select_for_update(no_key=True).filter(pk=get_file_or_404(scope, pk).pk).first()
    if file is None:
        raise Http404("Not found.")
    found = list_blocks(scope, file)
    if file.media_type != PDF:
        raise PdfRefused(404, "no_pages", NO_PAGES)
    return file, build_disclosed_pdf(file, found, read_part(request))


def read_part(request: HttpRequest) -> PageRange:
    """Raises: Refused."""
    given = [request.GET.get(name, "") for name in ("first", "last")]
    if any(text and not (text.isascii() and text.isdigit() and len(text) < 7) for text in given):
        raise PdfRefused(400, "invalid", WRONG_PART)
    first = int(given[0] or 1)
    last = int(given[1] or first + MOST - 1)
    if not (1 <= first <= last < first + MOST):
        raise PdfRefused(400, "invalid", WRONG_PART)
    return PageRange(first, last)


def serve_inline(response: HttpResponseBase) -> HttpResponseBase:
    """A PDF for the browser's own viewer, of which nothing runs in our origin."""
    response["Content-Type"] = PDF
    response["Content-Disposition"] = response["Content-Disposition"].replace("attachment", "inline", 1)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
