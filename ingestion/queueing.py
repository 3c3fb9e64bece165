"""Handing files to the pipeline. PostgreSQL is the truth, the broker only wakes workers."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connection, transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Now
from django.utils import timezone

from entities.access import Scope
from ingestion.models import File, FileRevision, Redo, Stage, State
from ingestion.turns import (
    FREE,
    AtWork,
    Places,
    find_places,
    limit_places,
    list_at_work,
    list_unfinished,
    list_woken,
    order_waiting,
)
from ingestion.workers import count_processes

logger = logging.getLogger(__name__)

QUEUED_AT_ONCE = 8
"""Files of one workspace that the broker holds where none are too many at work; the others wait in the database."""


def queue_file(
    workspace: int,
    file: UUID,
    revision: UUID,
    redo: Redo | None = None,
    *,
    waking: bool = True,
    columns: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Let the pipeline work on `revision` after this transaction. Whoever is at an older one loses the claim.

    redo: None leaves what was asked for before. waking: a worker is told at once, else the sweep tells one. columns:
    others of the file that change with it.
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
        **columns,
    )
    if waking:
        transaction.on_commit(partial(wake_next, workspace))


def take_revision(revision: FileRevision) -> None:
    """Queue a revision, and show its size; and what its type may be, where none has been read. It overtakes one that
    was put aside. What the published one is wanted for waits for it to end."""
    guess = Case(When(revision=None, then=Value(revision.blob.media_type)), default=F("media_type"))
    columns = {"size": revision.blob.size, "aside": None, "media_type": guess}
    queue_file(revision.workspace_id, revision.file_id, revision.pk, columns=columns)


ENDED = (State.FAILED, State.QUARANTINED)
OUTCOME = ("state", "stage", "error_code", "error_detail", "error_page", "redo")


def publish_again(pk: UUID) -> None:
    """Let the rows of the published revision be made again after a decision took some out: in an open service scope.

    A newer revision on its way makes them when it is published; if it ends badly instead, `publish_due` does.
    """
    file = File.objects.select_for_update().get(pk=pk)
    if file.revision_id is None:
        return
    File.objects.filter(pk=pk).update(rows_due=True)
    if file.pending_revision_id is None:
        queue_file(file.workspace_id, pk, file.revision_id)
    elif file.state in ENDED:
        suspend_revision(file)


def publish_due(pk: UUID) -> None:
    """The work on a file has ended badly: rows that were taken out meanwhile, and what the published revision was to be
    worked over for, do not wait for whoever looks after it. In an open service scope. What failed in that is not tried
    again by itself.
    """
    file = File.objects.select_for_update().get(pk=pk)
    newer = file.pending_revision_id != file.revision_id
    due = file.rows_due and (newer or file.redo) or newer and file.redo
    if file.revision_id is not None and file.state in ENDED and due:
        suspend_revision(file)


def suspend_revision(file: File) -> None:
    """Queue the published revision in place of one that ended badly, which comes back as it stood (`resume_revision`).

    What the published one was to be worked over for while a newer one was on its way, it is. Where that ended badly
    too, the newer one still comes back, and of the published one the rows alone are made.
    """
    assert file.revision_id is not None
    newer = file.pending_revision_id != file.revision_id
    if file.aside is None and (newer or file.redo):
        outcome = {name: getattr(file, name) for name in OUTCOME} | ({"redo": Redo.NOTHING} if newer else {})
        File.objects.filter(pk=file.pk).update(aside={"revision": str(file.pending_revision_id), **outcome})
    queue_file(file.workspace_id, file.pk, file.revision_id, Redo(file.redo) if newer else Redo.NOTHING)


def resume_revision(aside: dict[str, Any] | None) -> dict[str, Any]:
    """Columns of a file whose published revision has been made: those of the revision that was put aside for it."""
    if aside is None:
        return {}
    return {"pending_revision": UUID(aside["revision"]), **{name: aside[name] for name in OUTCOME}}


def wake_next(workspace: int) -> None:
    """Tell workers of the files whose turn it is, as long as not too many of the workspace's are before them in the
    broker's queue: those of other workspaces come in between. Needs no scope open. A database that is away now does not
    undo what was committed: the sweep does it again.
    """
    try:
        found = take_sleeping(workspace)
    except DatabaseError:
        logger.warning("files of workspace %s wait for the next sweep", workspace, exc_info=True)
        return
    for file in found:
        wake_worker(workspace, file)


def take_sleeping(workspace: int) -> list[UUID]:
    """Files that may be woken now, marked as woken: no more than may be at work, for a worker would send the others
    back."""
    limit = limit_places()
    if limit.total is None:
        limit = Places(max(QUEUED_AT_ONCE, 2 * count_processes()))
    found: list[UUID] = []
    with Scope.for_service(workspace).open():
        lock_turns(workspace)
        sleeping = list_unfinished().filter(woken_at=None)
        while sleeping.exists() and (file := find_next_file(limit, sleeping, list_at_work(list_woken()))) is not None:
            File.objects.filter(pk=file).update(woken_at=Now())
            found.append(file)
    return found


def find_next_file(limit: Places, waiting: QuerySet[File], working: Sequence[AtWork]) -> UUID | None:
    """The file whose turn it is, of those for which there is a place beside those that are `working`."""
    return order_waiting(find_places(waiting, limit, working), working).values_list("pk", flat=True).first()


def choose_file(workspace: int, file: UUID) -> UUID:
    """The file to work on for a message about `file`: what came meanwhile may come before it, which then waits for the
    next message. So nobody waits for what was in the broker's queue earlier. Needs no scope open."""
    with Scope.for_service(workspace).open():
        lock_turns(workspace)
        asked = File.objects.filter(pk=file)
        if not list_unfinished().filter(FREE, pk=file).exists():
            return file
        waiting = list_unfinished().filter(Q(woken_at=None) | Q(pk=file))
        chosen = find_next_file(limit_places(), waiting, list_at_work(list_woken().exclude(pk=file)))
        if chosen is None or chosen == file:
            return file
        asked.update(woken_at=None)
        File.objects.filter(pk=chosen).update(woken_at=Now())
        return chosen


def lock_turns(workspace: int) -> None:
    """Until the transaction ends, no other process decides whose turn it is."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('waking', %s))", [workspace])


def wake_worker(workspace: int, file: UUID) -> None:
    """Tell a worker. A broker that is away is no reason to refuse a file: the sweep finds it."""
    from ingestion.tasks import process_file

    try:
        process_file.delay(workspace, str(file))
    except Exception:
        logger.warning("file %s waits for the next sweep: the broker did not take the task", file, exc_info=True)
