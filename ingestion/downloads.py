"""The original of a file: only for who is cleared for everything in it (design §2.3, §10)."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.core.handlers.asgi import ASGIRequest
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header

from entities.access import Scope, atoms_of, held_atoms, readable_now
from entities.actions import record
from ingestion.access import cleared_for_all, floor_atoms, is_steward
from ingestion.models import Blob, File, FileRevision, Paragraph
from ingestion.withheld import is_all_found

CHUNK = 256 * 1024
# One sentence for every reason: which it was would tell of text that does not show.
REFUSED = (
    "The original can be downloaded only with clearance for everything in it, and when all of it could be checked. "
    "Read what you are cleared for in the reader, or ask a steward."
)


def original(scope: Scope, file: File, action: str = "file.downloaded") -> tuple[Blob, str]:
    """(bytes, name) of the published revision of a file got with `get_file_or_404`; stewards get an unpublished one
    too. action: what the audit calls it.

    Raises: PermissionDenied.
    """
    with transaction.atomic():  # a refusal lets go of the lock
        # Publishing waits: the clearance judged here and the bytes given are those of one revision.
        now = File.objects.select_for_update(no_key=True).filter(pk=file.pk).first()
        revision = (now.revision_id or now.pending_revision_id) if now else None
        if now is None or revision is None or not is_allowed(scope, now):
            raise PermissionDenied(REFUSED)
        blob = FileRevision.objects.select_related("blob").get(pk=revision).blob
    name = file.name if readable_now(file.name_classification) else f"file-{str(file.pk)[:8]}"
    record(scope, action, "file", file.pk, revision=str(revision))
    return blob, name


def is_allowed(scope: Scope, file: File) -> bool:
    """Cleared for every label in it and for what was declared of it, and nothing in it unaccounted for, by this reading
    of its bytes or another; stewards may have what is unaccounted for. Text without a label needs at least what was
    declared of it.
    """
    if not is_steward(scope) and (file.revision_id is None or not file.accounted or not is_all_found(file)):
        return False
    unlabelled = Paragraph.objects.filter(file=file.pk, data_classification=None).values_list("floor", flat=True)
    declared = floor_atoms(file).union(*(atoms_of(floor) for floor in set(unlabelled)))
    return declared <= held_atoms() and cleared_for_all(file) and _attachments_are_allowed(scope, file)


def _attachments_are_allowed(scope: Scope, file: File) -> bool:
    """The original holds its attachments: each must be there, read from these bytes, and allowed itself. Of one whose
    newest version is on its way, or was kept back, an earlier one is shown."""
    if not is_steward(scope) and not attachments_are_here(file):
        return False
    inside = File.objects.filter(origin=file.pk)
    return all(readable_now(child.name_classification) and is_allowed(scope, child) for child in inside)


def attachments_are_here(file: File) -> bool:
    """Whether each that the published reading found is there as these bytes hold it."""
    inside = list(File.objects.filter(origin=file.pk))
    newer = FileRevision.objects.filter(file__in=inside, number__gt=F("file__revision__number"))
    return len(inside) == file.attachments and not newer.exists()


def stream(request: HttpRequest, blob: Blob, name: str) -> StreamingHttpResponse:
    """The bytes as an attachment that no browser opens in our origin."""
    # Under ASGI a synchronous iterator would be collected into memory first.
    parts = parts_async(blob.path) if isinstance(request, ASGIRequest) else parts_sync(blob.path)
    response = StreamingHttpResponse(parts, content_type="application/octet-stream")
    response["Content-Length"] = str(blob.size)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def parts_sync(path: str) -> Iterator[bytes]:
    with default_storage.open(path, "rb") as file:
        while part := file.read(CHUNK):
            yield part


async def parts_async(path: str) -> AsyncIterator[bytes]:
    file = await sync_to_async(default_storage.open)(path, "rb")
    try:
        while part := await sync_to_async(file.read)(CHUNK):
            yield part
    finally:
        await sync_to_async(file.close)()
