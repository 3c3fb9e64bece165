"""Handing files to the pipeline. PostgreSQL is the truth, the broker only wakes workers."""

import logging
from functools import partial
from uuid import UUID

from django.db import DatabaseError, connection, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from entities.access import Scope
from ingestion.models import File, FileRevision, Redo, Stage, State

logger = logging.getLogger(__name__)

QUEUED_AT_ONCE = 8
"""Files of one workspace that the broker holds or workers work on; the others wait in the database."""


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
        page=None,
        page_count=None,
        woken_at=None,
        updated_at=timezone.now(),
        **({} if redo is None else {"redo": redo}),
    )
    if waking:
        transaction.on_commit(partial(wake_next, workspace))


def take_revision(revision: FileRevision) -> None:
    """Queue a revision, and show its size and type."""
    File.objects.filter(pk=revision.file_id).update(size=revision.blob.size, media_type=revision.blob.media_type)
    queue_file(revision.workspace_id, revision.file_id, revision.pk, Redo.NOTHING)


def wake_next(workspace: int) -> None:
    """Tell workers of the files that have waited longest, as long as not too many of the workspace's are before them in
    the broker's queue: those of other workspaces come in between. Needs no scope open. A database that is away now does
    not undo what was committed: the sweep does it again.
    """
    try:
        found = take_sleeping(workspace)
    except DatabaseError:
        logger.warning("files of workspace %s wait for the next sweep", workspace, exc_info=True)
        return
    for file in found:
        wake(workspace, file)


def take_sleeping(workspace: int) -> list[UUID]:
    """Files that may be woken now, marked as woken."""
    with Scope.for_service(workspace).open():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('waking', %s))", [workspace])
        unfinished = File.objects.filter(state__in=[State.PENDING, State.PROCESSING], pending_revision__isnull=False)
        resting = Q(claim=None, claimed_until__gt=Now())
        free = QUEUED_AT_ONCE - unfinished.filter(woken_at__isnull=False).exclude(resting).count()
        sleeping = unfinished.filter(woken_at=None).order_by("updated_at", "pk")
        found = list(sleeping.values_list("pk", flat=True)[: max(0, free)])
        File.objects.filter(pk__in=found).update(woken_at=Now())
        return found


def wake(workspace: int, file: UUID) -> None:
    """Tell a worker. A broker that is away is no reason to refuse a file: the sweep finds it."""
    from ingestion.tasks import process_file

    try:
        process_file.delay(workspace, str(file))
    except Exception:
        logger.warning("file %s waits for the next sweep: the broker did not take the task", file, exc_info=True)
