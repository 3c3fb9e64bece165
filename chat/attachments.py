"""Files that somebody drops into a conversation: read by the same pipeline, for who sent them alone, and gone with it.

They hang on a record of no type, one for each conversation and sender (`Entity.attached_to`). Object permission on it
is asked in every query, and given to its sender alone, in a scope that finds attachments: the pages and API of
conversations are opened so, and a turn with those of its own conversation (docs/adr/0064).
"""

from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.utils.translation import gettext

from chat.models import Session
from entities.access import Scope
from entities.models import Entity
from entities.models.entity import ATTACHED
from ingestion import actions
from ingestion.access import get_file_or_404, hold_record_or_404
from ingestion.api import take_upload
from ingestion.blobs import remove_after
from ingestion.file_presenter import FileView
from ingestion.listing import build_file_view, list_files
from ingestion.models import File, FileRevision
from retrieval.query import Within


def find_attached(scope: Scope, session: Session) -> Entity | None:
    """What holds the files that the caller has attached to a session, in a scope that finds it; None where none of them
    has been read.
    """
    read = File.objects.filter(entity=OuterRef("pk"), revision__isnull=False)
    return _select_attached(scope, session).filter(Exists(read)).first()


def _select_attached(scope: Scope, session: Session) -> QuerySet[Entity]:
    return Entity.objects.visible_to(scope).filter(attached_to=session.pk)


def list_attached(scope: Scope, session: Session) -> list[FileView]:
    """The files that the caller has attached to a session from `get_session_or_404`, with what came in them."""
    record = _select_attached(scope, session).first()
    return list_files(scope, record) if record else []


def add_attachment(*, scope: Scope, session: Session, files: Any, data: Any) -> FileView:
    """Take a file into a session from `get_session_or_404`, from a request of a program or a page, as any upload.

    Raises: ValidationError, BadUpload, TooLarge, Http404 where the session was deleted meanwhile.
    """
    record = _select_attached(scope, session).first() or _create_holder(scope, session)
    file = take_upload(scope, record, files, data, [pk for pk in [session.entity_id] if pk])
    return build_file_view(scope, file)


def remove_attached(*, scope: Scope, session: Session, pk: UUID) -> None:
    """Delete one of the caller's files of a session for good, with all that was drawn from it. Raises: Http404."""
    record = _select_attached(scope, session).first()
    file = get_file_or_404(scope, pk)
    if record is None or file.entity_id != record.pk:
        raise Http404("Not found.")
    # Before the file, as whoever deletes the conversation or its record.
    hold_record_or_404(record, *[pk for pk in [session.entity_id] if pk])
    actions.delete_file(scope=scope, file=file)


def hold_attached(scope: Scope, session: Session) -> None:
    """Hold what holds the attachments of a session that is to be deleted, whoever sent them: records come before
    conversations, as where a text is written (docs/adr/0063). Their bytes go when the transaction commits.
    """
    records = Entity._base_manager.select_for_update().filter(attached_to=session.pk).order_by("pk")
    held = list(records.values_list("pk", flat=True))
    if held:
        used = list(FileRevision.objects.filter(file__entity__in=held).values_list("blob", flat=True))
        transaction.on_commit(partial(remove_after, scope.workspace, used))


def add_attached_to_place(scope: Scope, session: Session, place: Within) -> Within:
    """A place that names records or files, with what the asker has attached to the conversation."""
    record = find_attached(scope, session) if place.entities or place.files else None
    if record is None:
        return place
    if place.files:
        own = File.objects.filter(entity=record.pk).order_by("pk").values_list("pk", flat=True)
        return replace(place, files=tuple(dict.fromkeys((*place.files, *own))))
    return replace(place, entities=tuple(dict.fromkeys((*place.entities, record.pk))))


def split_attached(scope: Scope, session: Session, place: Within) -> tuple[Within, bool]:
    """A place where a turn looked without what the asker has attached, and whether it looked in that too."""
    record = find_attached(scope, session)
    if record is None:
        return place, False
    others = tuple(pk for pk in place.entities if pk != record.pk)
    return replace(place, entities=others), others != tuple(place.entities) or not (place.entities or place.types)


def _create_holder(scope: Scope, session: Session) -> Entity:
    """Two files that are dropped at once have one record. Raises: Http404 where the session is deleted meanwhile."""
    record = Entity(
        workspace_id=scope.workspace,
        name=gettext("Attachments"),
        visibility=ATTACHED,
        attached_to=session.pk,
        created_by=scope.principal,
        updated_by=scope.principal,
    )
    try:
        with transaction.atomic():
            record.save(force_insert=True)
    except IntegrityError:
        found = _select_attached(scope, session).first()
        if found is None:
            raise Http404("Not found.") from None
        return found
    return record
