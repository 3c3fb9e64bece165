"""Listens to what changes in records."""

import logging
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.dispatch import receiver

from entities.models import Entity, User
from entities.registry import list_child_types
from entities.signals import access_changed, entity_changed, languages_chosen, sample_chosen
from ingestion.demo import load as demo
from ingestion.embed import ENCODERS_BY_LANGUAGES
from ingestion.models import WorkspaceModel
from ingestion.records import mark_stale
from ingestion.signals import document_indexed, record_indexed
from ingestion.vector_models import choose_included_model

logger = logging.getLogger(__name__)


@receiver(entity_changed, dispatch_uid="ingestion.index_record")
def index_changed_record(sender: Any, entity: Entity, workspace: int, fields: frozenset[str], **kwargs: Any) -> None:
    """The record's own rows follow; those of the records that belong to it too, where they name it."""
    mark_stale(workspace, [entity.pk, *(list_naming(entity.pk, type(entity)) if "name" in fields else [])])


@receiver(access_changed, dispatch_uid="ingestion.index_relations")
def index_relations(sender: Any, workspace: int, entity_id: UUID | None, **kwargs: Any) -> None:
    """Relation rows name only records that everybody may see, which has perhaps changed."""
    entity = Entity.objects.filter(pk=entity_id).first() if entity_id else None
    if entity is not None:
        mark_stale(workspace, list_naming(entity.pk, entity.type_class))


def list_naming(entity: UUID, model: type[Entity]) -> list[UUID]:
    """Records whose relation rows name this one."""
    return [
        pk
        for child, field in list_child_types(model)
        for pk in child._base_manager.filter(**{field: entity}).values_list("pk", flat=True)
    ]


@receiver(document_indexed, dispatch_uid="ingestion.follow_document")
def follow_document(sender: Any, workspace: int, entity_id: UUID, file_id: UUID, **kwargs: Any) -> None:
    follow_later(workspace, entity_id, file_id)


@receiver(record_indexed, dispatch_uid="ingestion.follow_record")
def follow_record(sender: Any, workspace: int, entity_id: UUID, **kwargs: Any) -> None:
    follow_later(workspace, entity_id, None)


def follow_later(workspace: int, entity: UUID, file: UUID | None) -> None:
    """A model beside the one in use gets new text too, after the commit: it can neither delay nor stop it."""
    if WorkspaceModel.objects.filter(state=WorkspaceModel.State.BESIDE).exists():
        transaction.on_commit(partial(wake_follower, workspace, entity, file))


def wake_follower(workspace: int, entity: UUID, file: UUID | None) -> None:
    """Should the broker be away, the next check of the model finds what it lacks."""
    from ingestion.tasks import fill_other_models

    try:
        fill_other_models.delay(workspace, str(entity), str(file) if file else None)
    except Exception:
        logger.warning("new text waits for the next check of the models: the broker did not take it", exc_info=True)


@receiver(languages_chosen, dispatch_uid="ingestion.pin_encoder")
def pin_encoder(sender: Any, workspace: int, languages: str, **kwargs: Any) -> None:
    choose_included_model(ENCODERS_BY_LANGUAGES[languages])


@receiver(sample_chosen, dispatch_uid="ingestion.load_sample")
def load_sample_later(sender: Any, founder: User, **kwargs: Any) -> None:
    """After the commit, by a worker."""
    if demo.ask_for(founder):
        transaction.on_commit(wake_loader)


def wake_loader() -> None:
    """Should the broker be away, the next start loads it."""
    from ingestion.tasks import load_sample

    try:
        load_sample.delay()
    except Exception:
        logger.warning("the sample company waits for the next start: the broker did not take it", exc_info=True)
