"""The bin: files beside the records of `entities.bin`, what it holds for a reader, and its emptying."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone

from entities.access import Scope, looking_into_bin
from entities.api.errors import Conflict
from entities.audit import record_action
from entities.bin import (
    BIN_DAYS,
    PARENT_IN_BIN,
    delete_binned_entity,
    list_expired_entities,
    restore_entity,
    select_binned_entities,
)
from entities.models import Entity
from ingestion.access import get_file_or_404, hold_or_404, lock_name, select_readable_files, select_visible_files
from ingestion.actions import delete_file
from ingestion.attachments import delete_attachment, list_attachments
from ingestion.listing import build_file_views
from ingestion.models import File
from ingestion.moving import find_readable_at
from ingestion.queueing import queue_file
from ingestion.signals import document_indexed, document_removed
from ingestion.turns import UNFINISHED

logger = logging.getLogger(__name__)

MAX_ENTRIES = 200
"""Of each kind, the newest first."""
RESTORED = "/restored"


@dataclass(frozen=True)
class BinEntry:
    """A record or file in the bin as the caller may know it. record: the name of a file's record, "" of a record."""

    id: UUID
    kind: str
    name: str
    record: str
    type_title: str
    deleted_at: datetime

    @property
    def key(self) -> str:
        return str(self.id)

    @property
    def ends_at(self) -> datetime:
        """When it is deleted for good."""
        return self.deleted_at + timedelta(days=BIN_DAYS)


@dataclass(frozen=True)
class RestoredFile:
    """What came back: its record, and the folder that it went to because another file stands in its place."""

    record: UUID
    folder: str = ""


def bin_file(*, scope: Scope, file: File) -> bool:
    """Put a file got with the verb "delete" into the bin, with what came in it. Returns whether it can come back:
    what came in a message is deleted for good. Raises: Http404 where it was deleted meanwhile.
    """
    if hold_or_404(file).origin_id is not None:
        transaction.on_commit(partial(delete_attachment, scope.workspace, file.pk, scope.principal))
        return False
    going = [file.pk, *list_attachments([file.pk])]
    for pk in going:
        record_action(scope, "file.binned", "file", pk, entity=str(file.entity_id))
        document_removed.send(File, workspace=scope.workspace, entity_id=file.entity_id, file_id=pk)
    with looking_into_bin():
        files = File.objects.filter(pk__in=going, deleted_at__isnull=True)
        files.update(deleted_at=timezone.now(), deleted_by=scope.principal, claim=None, claimed_until=None)
    return True


def select_binned_files(scope: Scope) -> QuerySet[File]:
    """Files on records that `scope` may see and delete from. To be asked `looking_into_bin`."""
    files = select_visible_files(scope, "delete").filter(deleted_at__isnull=False, deleted_with=None, origin=None)
    return files.order_by("-deleted_at", "pk")


def get_binned_file_or_404(scope: Scope, pk: UUID) -> File:
    """To be asked `looking_into_bin`. Raises: Http404 when it is not there, or not the caller's to delete."""
    if not select_binned_files(scope).filter(pk=pk).exists():
        raise Http404("Not found.")
    return get_file_or_404(scope, pk, "delete")


def restore_file(*, scope: Scope, pk: UUID) -> RestoredFile:
    """Take a file out of the bin, with what came in it. Its text has the labels that it had, and is found again. Where
    another file stands in its place that the caller may read, it goes to a folder of its own.

    Raises: Http404 as `get_binned_file_or_404`; Conflict where its record is in the bin.
    """
    with looking_into_bin():
        file = get_binned_file_or_404(scope, pk)
        coming = File.objects.filter(pk__in=[file.pk, *list_attachments([file.pk])]).order_by(
            "collection", "name", "pk"
        )
        for one in coming:
            lock_name(scope, one.entity_id, one.collection, one.name)
        file = hold_or_404(file)
        if file.deleted_at is None:
            raise Http404("Not found.")  # somebody else has restored it meanwhile
        if Entity._base_manager.filter(pk=file.entity_id, deleted_at__isnull=False).exists():
            raise Conflict(PARENT_IN_BIN)
        path = file.path
        if find_readable_at(scope, file, path):
            folders = (f"{RESTORED}{n}" for n in ("", *range(2, MAX_ENTRIES)))
            paths = (f"{folder}/{file.name}" for folder in folders)
            path = next(free for free in paths if not find_readable_at(scope, file, free))
        back = [one.pk for one in coming]
        for one in coming:
            File.objects.filter(pk=one.pk).update(twin=_find_free_twin(one), deleted_at=None, deleted_by=0)
        File.objects.filter(pk=file.pk).update(path=path)
    for one in File.objects.filter(pk__in=back):
        record_action(scope, "file.unbinned", "file", one.pk, entity=str(one.entity_id))
        document_indexed.send(File, workspace=scope.workspace, entity_id=one.entity_id, file_id=one.pk)
        if one.state in UNFINISHED and one.pending_revision_id:
            queue_file(scope.workspace, one.pk, one.pending_revision_id)
    return RestoredFile(file.entity_id, path.rpartition("/")[0] if path != file.path else "")


def _find_free_twin(file: File) -> int:
    """Its own, unless another file has come under its name since: then one that no file of that name has, in the bin
    or out of it. To be asked `looking_into_bin`.
    """
    others = File.objects.filter(entity=file.entity_id, collection=file.collection, name=file.name).exclude(pk=file.pk)
    if not others.filter(twin=file.twin, deleted_at=None).exists():
        return file.twin
    return max(file.twin, *others.values_list("twin", flat=True)) + 1


def list_bin(scope: Scope) -> list[BinEntry]:
    """What the caller may restore, the newest first: names as far as they may read them."""
    with looking_into_bin():
        records = list(select_binned_entities(scope)[:MAX_ENTRIES])
        # A file whose record is in the bin comes back after its record.
        files = list(
            select_readable_files(scope, select_binned_files(scope).filter(entity__deleted_at=None))[:MAX_ENTRIES]
        )
        names = {view.id: view.name for view in build_file_views(scope, files)}
        of = Entity.objects.readable_by(scope).in_bulk({file.entity_id for file in files})
    entries = [
        BinEntry(e.pk, "record", e.title_or_type, "", e.type_title, _require_moment(e.deleted_at)) for e in records
    ]
    entries += [
        BinEntry(f.pk, "file", names[f.pk], of[f.entity_id].title_or_type, "File", _require_moment(f.deleted_at))
        for f in files
        if f.pk in names
    ]
    return sorted(entries, key=lambda entry: entry.deleted_at, reverse=True)


def restore_entry(*, scope: Scope, pk: UUID) -> RestoredFile:
    """A record or file of the bin. Raises: Http404, Conflict."""
    try:
        return RestoredFile(restore_entity(scope=scope, pk=pk).pk)
    except Http404:
        return restore_file(scope=scope, pk=pk)


def delete_for_good(*, scope: Scope, pk: UUID) -> None:
    """A record or file of the bin, as both went before there was a bin. Raises: Http404."""
    try:
        delete_binned_entity(scope=scope, pk=pk)
    except Http404:
        with looking_into_bin():
            delete_file(scope=scope, file=get_binned_file_or_404(scope, pk))


def empty_bin(workspace: int) -> int:
    """Delete for good what has been in the bin for `BIN_DAYS`, the oldest first, each in a transaction of its own: one
    that fails does not hold up the others. Returns how many.
    """
    service = Scope.for_service(workspace)
    with service.open():
        wanted = [*list_expired_entities(service), *_list_expired_files(service)]
    deleted = 0
    for pk in wanted:
        try:
            with service.open():
                delete_for_good(scope=service, pk=pk)
            deleted += 1
        except Http404:  # it went with another, or somebody restored it meanwhile
            continue
        except Exception as error:  # its message may quote what is deleted
            logger.error("%s in the bin of workspace %s was not deleted: %s", pk, workspace, type(error).__name__)
    return deleted


def _list_expired_files(scope: Scope) -> Sequence[UUID]:
    with looking_into_bin():
        ended = timezone.now() - timedelta(days=BIN_DAYS)
        return list(select_binned_files(scope).filter(deleted_at__lt=ended).reverse().values_list("pk", flat=True))


def _require_moment(at: datetime | None) -> datetime:
    assert at is not None  # only what is in the bin is asked for
    return at
