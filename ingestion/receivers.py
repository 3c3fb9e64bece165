"""Listens to what changes in records."""

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from entities.models import Entity
from entities.registry import children
from entities.signals import access_changed, entity_changed
from ingestion.records import mark_stale


@receiver(entity_changed, dispatch_uid="ingestion.index_record")
def index_changed_record(sender: Any, entity: Entity, workspace: int, fields: frozenset[str], **kwargs: Any) -> None:
    """The record's own rows follow; those of the records that belong to it too, where they name it."""
    mark_stale(workspace, [entity.pk, *(naming(entity.pk, type(entity)) if "name" in fields else [])])


@receiver(access_changed, dispatch_uid="ingestion.index_relations")
def index_relations(sender: Any, workspace: int, entity_id: UUID | None, **kwargs: Any) -> None:
    """Relation rows name only records that everybody may see, which has perhaps changed."""
    entity = Entity.objects.filter(pk=entity_id).first() if entity_id else None
    if entity is not None:
        mark_stale(workspace, naming(entity.pk, entity.type_class))


def naming(entity: UUID, model: type[Entity]) -> list[UUID]:
    """Records whose relation rows name this one."""
    return [
        pk
        for child, field in children(model)
        for pk in child._base_manager.filter(**{field: entity}).values_list("pk", flat=True)
    ]
