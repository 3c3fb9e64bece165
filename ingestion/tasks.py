"""Tasks take ids: load, claim, call, nothing else. Each opens the service scope of one workspace when it needs the
database.
"""

import logging
from datetime import timedelta
from typing import Any
from uuid import UUID

from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.db.models.functions import Now

from entities.access import Scope, list_workspace_ids
from entities.models import Workspace
from entities.network import is_public
from ingestion import (
    bin,
    blobs,
    claims,
    digests,
    kind_floors,
    processing,
    records,
    results,
    revision_floors,
    staleness,
    vector_fill,
    vector_graph,
    vector_switch,
)
from ingestion.demo import load as demo
from ingestion.models import File, RecordIndex
from ingestion.queueing import choose_file, wake_next
from ingestion.turns import LONGEST_LEASE
from ingestion.workers import ProcessWatch

logger = logging.getLogger(__name__)

FORGOTTEN = timedelta(minutes=2)
"""How long a file or record may wait before its task counts as lost."""
WOKEN_AGAIN = timedelta(seconds=20)
MOST = 200


@shared_task(name="ingestion.file")
def process_file(workspace: int, file: str) -> None:
    processing.process_file(workspace, choose_file(workspace, UUID(file)))
    wake_next(workspace)


@worker_ready.connect
def watch_processes(sender: Any, **_: Any) -> None:
    """In the main process of a worker."""
    ProcessWatch(sender.controller.concurrency).start()


@shared_task(name="ingestion.record")
def index_record(workspace: int, entity: str) -> None:
    records.index_record(workspace, UUID(entity))


@shared_task(name="ingestion.sweep")
def sweep() -> None:
    """Wake workers for files and records whose claim has run out, whose wait is over, or whose task was lost; and end
    what a web server left undone when it was killed."""
    for workspace in list_workspace_ids():
        with Scope.for_service(workspace).open():
            left = revision_floors.list_left_with_floor()
            results.drop_rejected()
        for revision in left:
            revision_floors.take_with_floor(workspace, revision)
        kind_floors.raise_documents(workspace)
        with Scope.for_service(workspace).open():
            files = wake_stale_files()
            entities = list_stale_records()
        for file in files:
            process_file.delay(workspace, str(file))
        wake_next(workspace)
        for entity in entities:
            index_record.delay(workspace, str(entity))


@shared_task(name="ingestion.sample")
def load_sample() -> None:
    """Load the sample company that somebody asked for. A task that comes twice leaves it to the first."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended('sample company', 0))")
        if not cursor.fetchone()[0]:
            return
    try:
        if demo.is_unfinished() and not is_public():
            demo.load_demo()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended('sample company', 0))")


@shared_task(name="ingestion.fill")
def fill_model(workspace: int, model_id: str) -> None:
    vector_fill.fill_model(workspace, model_id)


@shared_task(name="ingestion.drop")
def delete_vectors(workspace: int, model_id: str) -> None:
    vector_switch.delete_vectors(workspace, model_id)


@shared_task(name="ingestion.follow")
def fill_other_models(workspace: int, entity: str, file: str | None) -> None:
    vector_fill.fill_published(workspace, UUID(entity), UUID(file) if file else None)


@shared_task(name="ingestion.models")
def sweep_models() -> None:
    """Wake workers for models that stand beside another and are not whole, or have not been looked at for a while; and
    for those that are to go."""
    for workspace in list_workspace_ids():
        with Scope.for_service(workspace).open():
            models = vector_fill.list_waiting()
            dropped = vector_switch.list_dropped()
        for model_id in models:
            fill_model.delay(workspace, model_id)
        for model_id in dropped:
            delete_vectors.delay(workspace, model_id)


@shared_task(name="ingestion.graph")
def build_vector_graphs() -> None:
    """Build the graph of a model that has come to have many vectors, and drop those of models that have none left."""
    vector_graph.drop_unused()
    vector_graph.build_graphs(most=vector_graph.MOST_IN_A_TASK)


@shared_task(name="ingestion.digests")
def mail_digests() -> None:
    """Tell members by e-mail that there are notifications. A workspace that fails does not hold up the others."""
    if not settings.EMAIL_HOST:
        return
    for workspace in Workspace.objects.all():
        try:
            digests.send_digests(workspace)
        except Exception:
            logger.exception("the digests of workspace %s were not sent", workspace.pk)


@shared_task(name="ingestion.tidy")
def tidy_storage() -> None:
    """Remove bytes that nothing refers to any more, or that never came to be anything, and rows that another witness
    made than their file's: those files are queued."""
    for workspace in list_workspace_ids():
        with Scope.for_service(workspace).open():
            staleness.reject_foreign_rows()
        with Scope.for_service(workspace).open():
            blobs.remove_unused(workspace)
        with Scope.for_service(workspace).open():
            blobs.remove_unknown(workspace)
    blobs.remove_abandoned()


@shared_task(name="ingestion.bin")
def empty_bins() -> None:
    """Delete for good what has been in the bins for long enough. A workspace that fails does not hold up the others."""
    for workspace in list_workspace_ids():
        try:
            bin.empty_bin(workspace)
        except Exception:
            logger.exception("the bin of workspace %s was not emptied", workspace)


def wake_stale_files() -> list[UUID]:
    """Files to wake a worker for, in an open service scope; marked as woken, so that a long queue is not sent twice."""
    unfinished = File.objects.filter(state__in=claims.UNFINISHED, pending_revision__isnull=False)
    # What waited for its next try is woken in its turn (`wake_next`): all that wait for a budget do so at one time.
    unfinished.filter(claim=None, claimed_until__lt=Now()).update(claimed_until=None, woken_at=None)
    lost = Q(claimed_until=None, woken_at__lt=Now() - FORGOTTEN)
    ended = Q(claimed_until__lt=Now()) | Q(claim__isnull=False, claimed_until__gt=Now() + LONGEST_LEASE)
    over = ended & Q(woken_at__lt=Now() - WOKEN_AGAIN)
    found = list(unfinished.filter(lost | over).order_by("woken_at").values_list("pk", flat=True)[:MOST])
    File.objects.filter(pk__in=found).update(woken_at=Now())
    return found


def list_stale_records() -> list[UUID]:
    lost = Q(claimed_until=None) | records.CHANGED
    lost &= Q(stale_since__lt=Now() - FORGOTTEN)
    waiting = RecordIndex.objects.filter(lost | Q(claimed_until__lt=Now()), stale_since__isnull=False)
    return list(waiting.order_by("stale_since").values_list("entity", flat=True)[:MOST])
