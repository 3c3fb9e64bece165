"""Working again on files that ended badly: one, or all that were sent together. Transaction inside, network outside."""

from contextlib import suppress
from uuid import UUID

from django.http import Http404
from django.utils.translation import gettext

from entities.access import Scope
from entities.actions import record_action
from entities.models import Entity
from ingestion.access import hold_or_404, select_disclosed_files
from ingestion.batches import WORTH_AGAIN, select_files_of_batch
from ingestion.errors import BadUpload
from ingestion.models import File, State
from ingestion.queueing import queue_file


def retry_file(*, scope: Scope, file: File) -> File:
    """Work on a failed or quarantined file again, got with the verb "upload". Finished steps are not repeated.

    Raises: BadUpload when it is neither, as far as the caller knows; Http404 where it was deleted meanwhile.
    """
    now = hold_or_404(file)
    told = select_disclosed_files(scope, File.objects.filter(pk=now.pk)).exists()
    if not told or now.state not in (State.FAILED, State.QUARANTINED) or now.pending_revision_id is None:
        raise BadUpload(gettext("Only a file that failed or was quarantined can be tried again."), "nothing_to_retry")
    queue_file(scope.workspace, now.pk, now.pending_revision_id)
    record_action(scope, "file.retried", "file", file.pk)
    return File.objects.get(pk=file.pk)


def retry_batch(*, scope: Scope, entity: Entity, batch: UUID) -> int:
    """Work again on what the caller sent together and what ended badly for a reason that may be gone, on a record got
    with the verb "upload". Returns how many files that are.
    """
    found = select_files_of_batch(scope, entity, batch).filter(WORTH_AGAIN)
    tried = 0
    for file in found.order_by("pk"):
        with suppress(BadUpload, Http404):  # somebody else was faster
            retry_file(scope=scope, file=file)
            tried += 1
    return tried
