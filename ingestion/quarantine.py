"""Files in quarantine, and what stewards decide of them (docs/adr/0033).

What a file lost on the way is no reason to lose the file: a steward who has compared it releases it, and then it is
published with its labels as any other; or rejects it, and then nothing of its text is kept, until one takes that back.
"""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_noop

from entities.access import Scope
from entities.actions import record_action
from entities.models import Entity
from ingestion.access import hold_or_404, is_steward, select_readable_files, select_visible_files
from ingestion.claims import Claim, end_file
from ingestion.drift import ContentLost
from ingestion.errors import BadUpload
from ingestion.file_presenter import FileView
from ingestion.listing import build_file_views
from ingestion.models import Blob, File, FileRevision, Redo, Review, State
from ingestion.queueing import ENDED, queue_file, resume_revision
from ingestion.results import drop_results

REJECTED = gettext_noop("A steward has looked at this version and rejected it. Upload another one.")


@dataclass(frozen=True)
class QuarantinedFile:
    """A file in quarantine, for stewards. record: what its record is called. losses: sentences. releasable: whether it
    is here for them. rejected: a steward kept it back, which can be taken back. readable: whether an earlier version of
    it is shown meanwhile."""

    file: FileView
    record: str
    losses: tuple[str, ...]
    releasable: bool
    rejectable: bool
    rejected: bool
    readable: bool


def put_in_quarantine(claim: Claim, loss: ContentLost) -> None:
    """The version stays withheld until a steward has looked at it. Opens service scopes."""
    with Scope.for_service(claim.workspace).open():
        FileRevision.objects.filter(pk=claim.revision).update(losses=[found.to_json() for found in loss.losses])
    end_file(claim, State.QUARANTINED, loss.code, loss.detail)


def list_quarantined(scope: Scope) -> list[QuarantinedFile]:
    """The files that a steward may see, the latest first."""
    rows = {
        file.pk: file
        for file in select_readable_files(scope, select_visible_files(scope))
        .filter(state=State.QUARANTINED)
        .select_related("pending_revision")
        .order_by("-updated_at", "pk")
    }
    records = {
        entity.pk: str(entity)
        for entity in Entity.objects.readable_by(scope).filter(pk__in={file.entity_id for file in rows.values()})
    }
    return [
        QuarantinedFile(
            view,
            records.get(view.entity, "Its record"),
            tuple(sentence for _, sentence in pending.losses) if pending else (),
            releasable=is_releasable(rows[view.id]),
            rejectable=pending is not None,
            rejected=rows[view.id].error_code == "rejected",
            readable=rows[view.id].revision_id is not None,
        )
        for view in build_file_views(scope, rows.values())
        for pending in (rows[view.id].pending_revision,)
    ]


def is_releasable(file: File) -> bool:
    return file.state == State.QUARANTINED and file.pending_revision_id is not None and file.error_code == "drift"


def release_file(*, scope: Scope, file: File) -> File:
    """Let a file, got with `get_file_or_404`, be published with what was read of it. Stewards only (PermissionError).

    Raises: BadUpload where it is not in quarantine for what it lost.
    """
    now = _lock_reviewed(scope, file)
    if not is_releasable(now) or now.pending_revision_id is None:
        raise BadUpload(gettext("Only a file that lost something on the way can be released."), "nothing_to_release")
    FileRevision.objects.filter(pk=now.pending_revision_id).update(review=Review.RELEASED)
    if now.pending_revision_id != now.revision_id:
        File.objects.filter(pk=now.pk).update(aside=None)
    record_action(scope, "file.released", "file", now.pk, revision=str(now.pending_revision_id))
    queue_file(scope.workspace, now.pk, now.pending_revision_id)
    return File.objects.get(pk=now.pk)


def reject_file(*, scope: Scope, file: File) -> File:
    """Keep a quarantined version back for good: it is not worked on again, and what the steps made of it goes.
    The version before it stays what readers see. Stewards only (PermissionError).

    The same bytes stay rejected when the same person sends them again to be read in the same way, until a steward takes
    that back.
    Raises: BadUpload where none is in quarantine.
    """
    now = _lock_reviewed(scope, file)
    pending = now.pending_revision_id
    if now.state != State.QUARANTINED or pending is None:
        raise BadUpload(gettext("Only a file in quarantine can be rejected."), "nothing_to_reject")
    newer = pending != now.revision_id
    if newer:
        rejected = FileRevision.objects.get(pk=pending)
        rejected.review, rejected.strategy = Review.REJECTED, rejected.strategy or now.strategy
        rejected.save(update_fields=["review", "strategy"])
    transaction.on_commit(partial(_delete_results, scope.workspace, pending))
    if now.revision_id is None:
        File.objects.filter(pk=now.pk).update(
            pending_revision=None, error_code="rejected", error_detail=REJECTED, error_page=None
        )
    else:
        # Labels that were decided upon meanwhile have taken rows out of the index: publishing again brings them back.
        if newer:
            size = FileRevision.objects.select_related("blob").get(pk=now.revision_id).blob.size
            File.objects.filter(pk=now.pk).update(size=size, aside=None)
        queue_file(scope.workspace, now.pk, now.revision_id, None if newer else Redo.NOTHING)
    record_action(scope, "file.rejected", "file", now.pk, revision=str(pending))
    return File.objects.get(pk=now.pk)


def decide_review(file: File, blob: Blob, sender: int, strategy: str) -> Review:
    """REJECTED where a steward has kept back these bytes of a file as the same person sent them, whatever was sent in
    between, to be read in the same way, and has not taken that back.
    """
    return Review.REJECTED if find_quarantined(file.pk, blob.pk, sender, strategy).exists() else Review.NONE


def find_quarantined(file: UUID, blob: UUID, sender: int, strategy: str) -> QuerySet[FileRevision]:
    return FileRevision.objects.filter(
        file=file, blob=blob, created_by=sender, strategy=strategy, review=Review.REJECTED
    )


def take_back_rejection(*, scope: Scope, file: File) -> File:
    """Let a rejected version be worked on again, as if nothing had been decided of it: it ends where it ended before,
    unless what was wrong is gone. Stewards only (PermissionError).

    Raises: BadUpload where none stands rejected.
    """
    now = _lock_reviewed(scope, file)
    rejected = FileRevision.objects.filter(file=now.pk, review=Review.REJECTED).order_by("-number").first()
    if now.state != State.QUARANTINED or now.error_code != "rejected" or rejected is None:
        raise BadUpload(gettext("Only what a steward has rejected can be taken back."), "nothing_to_take_back")
    find_quarantined(now.pk, rejected.blob_id, rejected.created_by, rejected.strategy).update(review=Review.NONE)
    File.objects.filter(pk=now.pk).update(aside=None)
    record_action(scope, "file.rejection_taken_back", "file", now.pk, revision=str(rejected.pk))
    queue_file(scope.workspace, now.pk, rejected.pk)
    return File.objects.get(pk=now.pk)


DECISIONS = {"release": release_file, "reject": reject_file, "take_back": take_back_rejection}
"""What a steward may decide of a file in quarantine."""


def _lock_reviewed(scope: Scope, file: File) -> File:
    if not is_steward(scope):
        raise PermissionError(gettext("Files in quarantine are reviewed by stewards."))
    now = hold_or_404(file)
    if now.state not in ENDED and now.aside and now.aside["state"] == State.QUARANTINED:
        for name, value in resume_revision(
            now.aside
        ).items():  # as it comes back when the published one has been made again
            setattr(now, "pending_revision_id" if name == "pending_revision" else name, value)
    return now


def _delete_results(workspace: int, revision: UUID) -> None:
    """Results are for the service: a steward who lacks a clearance could not delete them."""
    with Scope.for_service(workspace).open():
        drop_results(revision)
