"""Handing files to the pipeline. PostgreSQL is the truth, the broker only wakes workers."""

import logging
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from ingestion.models import File, FileRevision, Redo, Stage, State

logger = logging.getLogger(__name__)


def queue_file(workspace: int, file: UUID, revision: UUID, redo: Redo | None = None, *, waking: bool = True) -> None:
    """Let the pipeline work on `revision` after this transaction. Whoever is at an older one loses the claim.

    redo: None leaves what was asked for before. waking: a worker is told at once, else the sweep tells one.
    """
    File.objects.filter(pk=file).update(
        pending_revision=revision,
        state=State.PENDING,
        stage=Stage.WAITING,
        progress=0,
        claim=None,
        claimed_until=None,
        attempts=0,
        error_code="",
        error_detail="",
        error_page=None,
        woken_at=timezone.now(),
        updated_at=timezone.now(),
        **({} if redo is None else {"redo": redo}),
    )
    if waking:
        transaction.on_commit(partial(wake, workspace, file))


def take_revision(revision: FileRevision) -> None:
    """Queue a revision, and show its size and type."""
    File.objects.filter(pk=revision.file_id).update(size=revision.blob.size, media_type=revision.blob.media_type)
    queue_file(revision.workspace_id, revision.file_id, revision.pk, Redo.NOTHING)


def wake(workspace: int, file: UUID) -> None:
    """Tell a worker. A broker that is away is no reason to refuse a file: the sweep finds it."""
    from ingestion.tasks import process_file

    try:
        process_file.delay(workspace, str(file))
    except Exception:
        logger.warning("file %s waits for the next sweep: the broker did not take the task", file, exc_info=True)
