"""Listens to what changes, and flags the Pulses that it changes (design §8).

What is known to be visible to a variant's readers makes it stale and says so. Where that is not known the inputs are
looked at after the window, and only a difference shows: a reader does not learn that something changed that they may
not see.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.dispatch import receiver

from entities.access import list_atoms
from entities.models import Entity
from entities.models.entity import Visibility
from entities.signals import access_changed, entity_changed, entity_deleted
from ingestion.models import ContextRow
from ingestion.signals import document_indexed, document_removed, record_indexed
from pulse.staleness import (
    list_affected,
    list_ancestors,
    list_dependents,
    lock_variants,
    mark_changed,
    mark_due,
    mark_stale,
)

ALWAYS = frozenset({"name", "visibility", "archived_at"})
"""Columns that matter to every Pulse, whatever the type tracks."""


@receiver(entity_changed, dispatch_uid="pulse.entity_changed")
def on_entity_changed(
    sender: Any, entity: Entity, workspace: int, fields: frozenset[str], created: bool, **kwargs: Any
) -> None:
    """Long texts follow when they have been labelled and indexed."""
    model = entity.type_class
    above, known_by = list_ancestors(entity), list_dependents(entity.pk)
    lock_variants([entity.pk, *above, *known_by])
    tracked = model.rag().pulse_tracked_fields
    columns = fields - set(model.long_texts)
    own = columns if tracked is None else columns & {*tracked, *ALWAYS}
    for needs in find_smallest(model.rag().get_field_label(name) for name in own):
        mark_stale([entity.pk], needs)
    if columns & ALWAYS and not created:
        mark_due(known_by)
    open_to_all = Entity.objects.filter(
        pk=entity.pk, visibility=Visibility.WORKSPACE, archived_at__isnull=True
    ).exists()
    if above and open_to_all:
        for needs in find_smallest(model.rag().get_field_label(name) for name in columns):
            mark_stale(above, needs)
    elif above and columns & ALWAYS:
        mark_due(above)


@receiver(entity_deleted, dispatch_uid="pulse.entity_deleted")
def on_entity_deleted(sender: Any, entity_id: UUID, workspace: int, parents: list[UUID], **kwargs: Any) -> None:
    mark_due(parents)


@receiver(document_indexed, dispatch_uid="pulse.document_indexed")
def on_document_indexed(sender: Any, workspace: int, entity_id: UUID, file_id: UUID, **kwargs: Any) -> None:
    """Sent in the service's scope, which sees the labels of the new rows."""
    near = list_affected(entity_id)
    lock_variants(near)
    labels = ContextRow.objects.filter(file=file_id).values_list("data_classification", flat=True).distinct()
    mark_changed(entity_id, find_smallest(frozenset(list_atoms(label)) for label in labels), near)


@receiver(document_removed, dispatch_uid="pulse.document_removed")
@receiver(record_indexed, dispatch_uid="pulse.record_indexed")
def on_text_changed(sender: Any, workspace: int, entity_id: UUID, **kwargs: Any) -> None:
    mark_due(list_affected(entity_id))


@receiver(access_changed, dispatch_uid="pulse.access_changed")
def on_access_changed(sender: Any, workspace: int, entity_id: UUID | None, **kwargs: Any) -> None:
    if entity_id is not None:
        mark_due(list_affected(entity_id))


def find_smallest(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Those of `sets` that contain none of the others: who holds one of these sees something of the change."""
    unique = sorted(set(sets), key=len)
    return [one for i, one in enumerate(unique) if not any(other <= one for other in unique[:i])]
