"""The original of a file: for who sent it, and for who is cleared for all of it (design §2.3, §10, docs/adr/0046)."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.core.handlers.asgi import ASGIRequest
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext_lazy

from entities.access import Scope, is_readable, list_atoms, load_granted_atoms
from entities.actions import record_action
from entities.api.lists import list_atom_chips
from entities.models import Classification
from entities.models.classification import STEWARDS
from entities.templatetags.clearance_ui import named_labels
from ingestion.access import (
    Outline,
    collect_floor_atoms,
    is_acknowledged,
    is_cleared_for_all,
    is_name_known,
    is_own,
    is_steward,
    load_outlines,
)
from ingestion.models import Blob, File, FileRevision, Paragraph
from ingestion.policy import load_resting
from ingestion.remainder_store import count_most_attachments, get_remainder_policy, load_remainder

CHUNK = 256 * 1024
# Labels are named that the caller may know of. Of all else it is one sentence, for which reason it was would tell of
# text that does not show.
REFUSED = gettext_lazy(
    "To download the original you need clearance for everything in it, and all of it must have been read. Read your "
    "part in the reader, or ask a steward."
)
NEEDS = gettext_lazy(" It needs clearance for {} at least.")


def open_original(scope: Scope, file: File, action: str = "file.downloaded") -> tuple[Blob, str]:
    """(bytes, name) of the published revision of a file got with `get_file_or_404`; stewards get an unpublished one
    too. action: what the audit calls it.

    Raises: PermissionDenied.
    """
    with transaction.atomic():  # a refusal lets go of the lock
        # Publishing waits: the clearance judged here and the bytes given are those of one revision.
        now = File.objects.select_for_update(no_key=True).filter(pk=file.pk).first()
        revision = (now.revision_id or now.pending_revision_id) if now else None
        if now is None or revision is None or not is_allowed(scope, now):
            raise PermissionDenied(describe_refusal(file))
        blob = FileRevision.objects.select_related("blob").get(pk=revision).blob
    name = file.name if is_name_known(scope, file) else f"file-{str(file.pk)[:8]}"
    record_action(scope, action, "file", file.pk, revision=str(revision))
    return blob, name


def is_allowed(scope: Scope, file: File) -> bool:
    """Whether the caller sent these bytes, so that they may have them back, or is cleared for all of the file."""
    return is_sender(scope, file.revision or file.pending_revision) or is_cleared(scope, file)


def is_cleared(scope: Scope, file: File) -> bool:
    """Who holds every level of the workspace is cleared for any file that was read. All others need what was declared
    of the file, every label in it, and that of what the reader does not show of it; without a label that is for
    stewards. Text without a label needs at least what was declared of it.
    """
    if file.revision is not None and holds_every_level():
        return True
    coming = file.pending_revision
    if file.revision is None and not (is_steward(scope) or (coming and is_readable(coming.remainder_label))):
        return False
    unlabelled = Paragraph.objects.filter(file=file.pk, data_classification=None).values_list("floor", flat=True)
    declared = collect_floor_atoms(file).union(*(list_atoms(floor) for floor in set(unlabelled)))
    if not (declared <= load_granted_atoms() and is_cleared_for_all(file)):
        return False
    if not (is_steward(scope) or is_settled(file, file.revision or coming)):
        return False
    return _are_attachments_allowed(scope, file)


def is_sender(scope: Scope, revision: FileRevision | None) -> bool:
    """Whether the caller sent these bytes, and is not held to what a role may see."""
    return not scope.narrowed_to and scope.atoms is None and is_own(scope, revision)


def holds_every_level() -> bool:
    """Whether the open scope is cleared for every level of the workspace, also for those that are concealed, and for
    what text rests as.
    """
    every = Classification.objects.filter(value__gt=0, value__lt=STEWARDS).values_list("value", flat=True)
    return load_granted_atoms() >= {*every, *load_resting()}


def is_settled(file: File, revision: FileRevision | None) -> bool:
    """Whether what the reader does not show of a version has a label by what its collection declares today: where that
    has become stricter since it was read, a steward is asked first."""
    policy = get_remainder_policy(file)
    remainder = load_remainder(revision) if revision is not None else None
    return policy != "strict" if remainder is None else not remainder.list_unsettled(policy)


def _are_attachments_allowed(scope: Scope, file: File) -> bool:
    """The original holds its attachments: each must be there, read from these bytes, and allowed itself. Of one whose
    newest version is on its way, or was kept back, an earlier one is shown."""
    if not is_steward(scope) and not are_attachments_here(file):
        return False
    inside = File.objects.filter(origin=file.pk)
    return all(is_readable(child.name_classification) and is_allowed(scope, child) for child in inside)


def are_attachments_here(file: File) -> bool:
    """Whether each that any reading of the published bytes found is there as these bytes hold it."""
    inside = list(File.objects.filter(origin=file.pk))
    newer = FileRevision.objects.filter(file__in=inside, number__gt=F("file__revision__number"))
    most = count_most_attachments(file.revision) if file.revision is not None else 0
    return len(inside) == file.attachments >= most and not newer.exists()


def describe_refusal(file: File) -> str:
    """Why the open scope may not have the original of a file, as far as they may know: a sentence that is the same
    whether or not something in it is concealed from them."""
    outline = load_outlines([file.pk]).get(file.pk, Outline())
    named = {file.floor, *collect_floor_atoms(file), *outline.labels}
    if file.revision is not None and file.revision.remainder_label is not None:
        named.add(file.revision.remainder_label)
    missing = {atom for label in named if is_acknowledged(label) for atom in list_atoms(label)} - load_granted_atoms()
    return REFUSED + (NEEDS.format(named_labels(list_atom_chips(missing))) if missing else "")


def stream_original(request: HttpRequest, blob: Blob, name: str) -> StreamingHttpResponse:
    """The bytes as an attachment that no browser opens in our origin."""
    # Under ASGI a synchronous iterator would be collected into memory first.
    parts = aiter_parts(blob.path) if isinstance(request, ASGIRequest) else iter_parts(blob.path)
    response = StreamingHttpResponse(parts, content_type="application/octet-stream")
    response["Content-Length"] = str(blob.size)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def iter_parts(path: str) -> Iterator[bytes]:
    with default_storage.open(path, "rb") as file:
        while part := file.read(CHUNK):
            yield part


async def aiter_parts(path: str) -> AsyncIterator[bytes]:
    file = await sync_to_async(default_storage.open)(path, "rb")
    try:
        while part := await sync_to_async(file.read)(CHUNK):
            yield part
    finally:
        await sync_to_async(file.close)()
