"""The first page of a PDF as the caller may see it, small, for the table of files (docs/adr/0056)."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from entities.access import MEMBER, Scope, load_concealed_atoms, opens_own_scope, requires
from ingestion import downloads
from ingestion.access import get_file_or_404
from ingestion.extract.sniff import PDF
from ingestion.models import File, Paragraph
from ingestion.pdf_drawing import draw_pictures
from ingestion.visible_pdf import CutPage, DisclosedPdf, build_first_page

LONGEST_PIXELS = 224
"""Of the longer side: twice the box in the table, for screens with small pixels."""
NOTHING = DisclosedPdf("", (), (), ())


@opens_own_scope
@requires(MEMBER)
@require_safe
def thumbnail(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """A JPEG; 204 where the caller may see the file and there is no such picture of it; 404 as the reader answers."""
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    with scope.open():
        found = find_first_page(scope, pk)
    pictures = draw_pictures(found, LONGEST_PIXELS)
    with scope.open():
        # Asked again: a clearance may have been withdrawn, or other bytes published, while the page was drawn.
        now = find_first_page(scope, pk)
    jpeg = pictures[0].jpeg if pictures and now == found else b""
    response = HttpResponse(jpeg, content_type="image/jpeg") if jpeg else HttpResponse(status=204)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def find_first_page(scope: Scope, pk: UUID) -> DisclosedPdf:
    """What may be copied of it, by the rules of `view.pdf`. Raises: Http404, as the reader does."""
    # Publishing waits: what is cleared, where it stands and the bytes are those of one version.
    file = File.objects.select_for_update(no_key=True).filter(pk=get_file_or_404(scope, pk).pk).first()
    if file is None:
        raise Http404("Not found.")
    sent = downloads.is_sender(scope, file.revision)
    if not sent and not Paragraph.objects.filter(file=file.pk).exists():
        raise Http404("Not found.")
    if file.media_type != PDF or file.revision is None:
        return NOTHING
    if load_concealed_atoms() and not sent:
        return NOTHING  # for every file: a table in which some had pictures would tell which ones hide something
    if sent or downloads.is_allowed(scope, file):
        return DisclosedPdf(file.revision.blob.path, (CutPage(1, True, (), ()),), (), ())
    return build_first_page(file)
