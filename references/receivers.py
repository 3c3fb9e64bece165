"""Listens to what documents and records do, for the references that documents make."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.dispatch import receiver

from entities.models import Entity
from entities.signals import aliases_changed, entity_changed
from ingestion.signals import document_indexed, document_moved
from references.documents import follow_file

logger = logging.getLogger(__name__)


@receiver(document_indexed, dispatch_uid="references.follow_file")
def on_document(sender: Any, workspace: int, file_id: UUID, **kwargs: Any) -> None:
    """After the commit, in a transaction of its own: two files that link to each other would wait for each other."""
    transaction.on_commit(partial(log_failure, partial(follow_file, workspace, file_id)))


@receiver(document_moved, dispatch_uid="references.follow_moved")
def on_move(sender: Any, workspace: int, file_id: UUID, path_before: str, **kwargs: Any) -> None:
    transaction.on_commit(partial(log_failure, partial(follow_file, workspace, file_id, path_before)))


@receiver(entity_changed, dispatch_uid="references.follow_record")
def on_record(
    sender: Any, entity: Entity, workspace: int, fields: frozenset[str], created: bool, bulk: bool, **kwargs: Any
) -> None:
    """A bulk import would wake a worker for each of its records: those wait for the sweep."""
    if "name" in fields and not bulk:
        transaction.on_commit(partial(wake_worker, workspace, entity.pk))


@receiver(aliases_changed, dispatch_uid="references.follow_aliases")
def on_aliases(sender: Any, workspace: int, entity_id: UUID, **kwargs: Any) -> None:
    transaction.on_commit(partial(wake_worker, workspace, entity_id))


def wake_worker(workspace: int, entity: UUID) -> None:
    from references.tasks import follow_record

    log_failure(partial(follow_record.delay, workspace, str(entity)))


def log_failure(work: Callable[[], Any]) -> None:
    """What fails here is done by the sweep."""
    try:
        work()
    except Exception:
        logger.warning("links wait for the next sweep", exc_info=True)
