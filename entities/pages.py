"""What record pages show, as plain rows: values that were selected, and fields that are acknowledged but hidden."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import models

from entities.access import Scope, list_readable_fields, list_redacted_fields
from entities.api.lists import list_atom_chips, list_chips
from entities.models import Classification, Entity
from entities.registry import list_parent_types
from entities.text import FieldBlock


@dataclass(frozen=True)
class Column:
    """A column of a list or a line of properties. `requires`: the field is hidden, and these atoms would show it."""

    name: str
    title: str
    kind: str
    requires: tuple[Classification, ...] = ()


@dataclass(frozen=True)
class Property:
    column: Column
    value: Any = None
    currency: str = ""
    link: Entity | None = None
    labels: Sequence[Classification] = ()


@dataclass(frozen=True)
class TextSection:
    """A long text with its blocks; (text, chips, placeholder chips) each."""

    name: str
    title: str
    blocks: Sequence[tuple[FieldBlock, list[Classification] | None, list[Classification]]]

    @property
    def is_pending(self) -> bool:
        """Whether something that the reader typed is being classified."""
        return any(block.own and block.text is not None for block, _, _ in self.blocks)


def list_columns(model: type[Entity], *, declared: bool = False) -> list[Column]:
    """The columns of `model` that exist for the open scope, in declared order; acknowledged hidden ones keep their
    place.

    declared: leave the name out, as a record's own page does.
    """
    readable = set(list_readable_fields(model))
    hidden = {f.name: f.requires for f in list_redacted_fields(model)}
    result = []
    for field in model._meta.local_fields:
        if field.name in ("entity_ptr", "currency"):
            continue
        if field.name in readable or field.name in hidden:
            requires = tuple(list_atom_chips(hidden.get(field.name, ())))
            result.append(
                Column(field.name, str(field.verbose_name).capitalize(), _choose_kind(model, field), requires)
            )
    return result


def _choose_kind(model: type[Entity], field: models.Field) -> str:
    if field.name in list_parent_types(model):
        return "link"
    if field.choices:
        return "choice"
    internal = field.get_internal_type()
    return {"DecimalField": "money", "DateField": "date", "EmailField": "email"}.get(internal, "text")


def list_properties(
    scope: Scope, record: Entity, links: Mapping[UUID, Entity], columns: Sequence[Column]
) -> list[Property]:
    result = []
    for column in columns:
        if column.requires:
            result.append(Property(column))
            continue
        labels = list_atom_chips(type(record).rag().get_field_label(column.name))
        if column.kind == "link":
            link = links.get(getattr(record, f"{column.name}_id"))
            result.append(Property(column, link, link=link, labels=labels))
        elif column.kind == "choice":
            result.append(Property(column, getattr(record, f"get_{column.name}_display")(), labels=labels))
        else:
            value = getattr(record, column.name)
            result.append(Property(column, value, getattr(record, "currency", ""), labels=labels))
    return result


def list_choices(model: type[Entity], query: Mapping[str, str]) -> list[dict[str, Any]]:
    """Filters of a list: the choice fields that exist for the caller."""
    readable = set(list_readable_fields(model))
    return [
        {
            "name": f.name,
            "title": str(f.verbose_name).capitalize(),
            "options": list(f.flatchoices),
            "value": query.get(f.name, ""),
        }
        for f in model._meta.local_fields
        if f.choices and f.name in readable
    ]


def build_text_sections(entity: Entity, texts: Mapping[str, Sequence[FieldBlock]]) -> list[TextSection]:
    return [
        TextSection(
            name,
            type(entity).long_texts[name].verbose_name,
            [(b, list_chips(b.label) if b.text is not None else [], list_atom_chips(b.requires)) for b in blocks],
        )
        for name, blocks in texts.items()
        if blocks
    ]
