"""The record and the file of a passage, by the names that the reader may know."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import BooleanField, Case, CharField, F, Value, When
from django.db.models.expressions import RawSQL

from entities.access import Scope
from entities.hidden_names import write_hidden_name
from entities.models import Entity
from ingestion.access import FILE_KIND
from retrieval.links import build_workspace_url

FILE_NAME_IS_READABLE = RawSQL(
    "ingestion_file.name_classification = ANY((SELECT app_allowed())::int[])", [], output_field=BooleanField()
)
FILE_NAME = Case(
    When(FILE_NAME_IS_READABLE, then=F("file__name")), default=Value(None), output_field=CharField(null=True)
)


@dataclass(frozen=True)
class EntityRef:
    """The record of a passage. name: None where the reader is not cleared for it; title is what may be printed."""

    id: UUID
    type: str
    name: str | None
    title: str
    type_name: str
    icon: str
    color: str
    url: str
    archived: bool


@dataclass(frozen=True)
class FileRef:
    """The file of a passage. name: None where the reader is not cleared for it; title is what may be printed."""

    id: UUID
    name: str | None
    title: str
    collection: str


def build_entity_ref(scope: Scope, entity: Entity) -> EntityRef:
    """Of a record from `readable_by`."""
    name, label = entity.title, entity.name_classification  # type: ignore[attr-defined]
    return build_ref_from_columns(scope, entity.type_class, entity.pk, name, label, entity.archived_at is not None)


def build_file_ref(pk: UUID, name: str | None, label: int, collection: str) -> FileRef:
    """name: None where the open scope is not cleared for its label."""
    return FileRef(pk, name, name or write_hidden_name(FILE_KIND, label), collection)


def build_ref_from_columns(
    scope: Scope, model: type[Entity], pk: UUID, name: str | None, label: int, archived: bool
) -> EntityRef:
    """name: None where the open scope is not cleared for its label."""
    verbose = str(model._meta.verbose_name)
    return EntityRef(
        id=pk,
        type=model._meta.model_name or "",
        name=name,
        title=name or write_hidden_name(verbose, label),
        type_name=verbose.capitalize(),
        icon=model.rag().icon,
        color=model.rag().color,
        url=build_workspace_url(scope, "entities:detail", pk),
        archived=archived,
    )
