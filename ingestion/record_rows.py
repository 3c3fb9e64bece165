"""A record's own text as rows of the index: one snapshot of its properties per label, its long texts, its relations.

Labels never mix (design §2.2): a field stands in the row of its own label, and the name beside it only where that label
covers the name's. Relations name only records that everybody in the workspace may see.
"""

import string
import uuid
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from django.db import models
from django.utils.formats import date_format

from entities.access import combine_many, list_atoms
from entities.access.objects import list_declared_fields
from entities.formats import format_money
from entities.models import Entity, FieldParagraph
from entities.models.entity import Visibility
from entities.registry import list_parent_types
from ingestion.chunk import MAX_TOKENS, SEPARATOR, split_into_chunks
from ingestion.embedders import Embedder
from ingestion.extract.language import guess_language
from ingestion.index import RowDraft
from ingestion.models import Kind
from ingestion.passages import guess_languages
from ingestion.segment import LabelledParagraph
from ingestion.work import build_clearances, load_levels


def build_drafts(entity: Entity, embedder: Embedder) -> list[RowDraft]:
    """All rows of a record, loaded by an open service scope with every column. What holds attachments has none."""
    if entity.attached_to is not None:
        return []
    return [*build_snapshots(entity, embedder), *build_long_texts(entity, embedder), *build_relations(entity, embedder)]


def build_snapshots(entity: Entity, embedder: Embedder) -> list[RowDraft]:
    """One row per label."""
    model = type(entity)
    links = list_parent_types(model)
    lines: dict[int, list[str]] = {}
    for name in list_declared_fields(model):
        label = label_of_field(entity, name)
        lines.setdefault(label, [])
        text = format_value(entity, name) if name not in links and name not in ("name", "currency") else ""
        if text:
            lines[label].append(f"{get_column(model, name).verbose_name.capitalize()}: {text}")
    sentence, sentence_label = build_semantic(entity)
    rows = []
    for label, fields in lines.items():
        opening = build_heading(entity, label)
        if label == sentence_label:
            opening = f"{get_kind(entity)}: {sentence}"
        elif not fields:
            continue
        text = "\n".join([opening, *fields])
        rows.append(_build_row(entity, Kind.METADATA, label, text, embedder, ""))
    return rows


def build_semantic(entity: Entity) -> tuple[str, int]:
    """The type's sentence about a record, filled, and the label of everything in it. A part between commas whose fields
    are all empty is left out: "owned by" nobody says nothing."""
    template = type(entity).rag().semantic
    names = list_field_names(template)
    links = list_parent_types(type(entity))
    values = {name: "" if name in links else format_value(entity, name) for name in names}
    parts = [
        part for part in template.split(", ") if not (fields := list_field_names(part)) or any(map(values.get, fields))
    ]
    sentence = " ".join(", ".join(parts).format(**values).split()).strip(" ,")
    return sentence, combine_many(label_of_field(entity, name) for name in names)


def list_field_names(template: str) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(template) if name]


def build_heading(entity: Entity, label: int) -> str:
    """The type, and the name where `label` covers the name's."""
    return f"{get_kind(entity)}: {entity.name}" if covers_label(label, entity.name_classification) else get_kind(entity)


def covers_label(label: int, part: int) -> bool:
    """Whether text with label `part` may stand in text with `label` without changing it."""
    return set(list_atoms(part)) <= set(list_atoms(label))


def label_of_field(entity: Entity, name: str) -> int:
    return entity.name_classification if name == "name" else combine_many(type(entity).rag().get_field_label(name))


def get_kind(entity: Entity) -> str:
    return str(type(entity)._meta.verbose_name).capitalize()


def get_column(model: type[Entity], name: str) -> "models.Field[Any, Any]":
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    return field


def format_value(entity: Entity, name: str) -> str:
    """A field's value in words; "" for nothing."""
    value: Any = getattr(entity, name)
    if value is None or value == "":
        return ""
    if get_column(type(entity), name).choices:
        return str(getattr(entity, f"get_{name}_display")())
    if isinstance(value, Decimal):
        return format_money(value, getattr(entity, "currency", ""))
    if isinstance(value, date):
        return date_format(value, "j F Y")
    return str(value)


def build_long_texts(entity: Entity, embedder: Embedder) -> list[RowDraft]:
    """Chunks of the labelled paragraphs of every long text."""
    rows = []
    for field, declared in type(entity).long_texts.items():
        stored = list(FieldParagraph.objects.filter(entity=entity.pk, field=field).order_by("position"))
        paragraphs = [LabelledParagraph(p.pk, p.text, p.data_classification) for p in stored]
        clearances = build_clearances((p.label for p in paragraphs), load_levels()[1])
        title = (entity.name, declared.verbose_name)
        spare = max(MAX_TOKENS // 2, MAX_TOKENS - embedder.count_tokens(SEPARATOR.join(title)))
        found = split_into_chunks(
            uuid.uuid5(entity.pk, field),
            paragraphs,
            clearances=clearances,
            max_tokens=spare,
            count_tokens=embedder.count_tokens,
        )
        langs = guess_languages(paragraphs, clearances)
        for part in found:
            path = title if covers_label(part.label, entity.name_classification) else title[1:]
            rows.append(
                RowDraft(
                    id=uuid.uuid5(part.identity, SEPARATOR.join(path)),
                    kind=Kind.METADATA,
                    label=part.label,
                    text=part.text,
                    heading_path=path,
                    position=part.position,
                    tokens=part.tokens,
                    lang=guess_language(part.text, langs[part.label]),
                    field=field,
                    field_paragraphs=tuple(pk for pk in part.paragraph_ids if isinstance(pk, uuid.UUID)),
                )
            )
    return rows


def build_relations(entity: Entity, embedder: Embedder) -> list[RowDraft]:
    """One row for each record that this one belongs to, where everybody in the workspace may see that record."""
    rows = []
    for name in list_parent_types(type(entity)):
        key = getattr(entity, f"{name}_id")
        parent = Entity.objects.filter(pk=key, visibility=Visibility.WORKSPACE).first() if key else None
        if parent is None:
            continue
        label = combine_many([entity.name_classification, parent.name_classification])
        parent_kind = str(parent.type_class._meta.verbose_name)
        text = f"{get_kind(entity)} “{entity.name}” belongs to {parent_kind} “{parent.name}”."
        rows.append(_build_row(entity, Kind.RELATIONSHIP, label, text, embedder, name, [entity, parent]))
    return rows


def _build_row(
    entity: Entity, kind: Kind, label: int, text: str, embedder: Embedder, field: str, drawn_from: Iterable[Entity] = ()
) -> RowDraft:
    return RowDraft(
        id=uuid.uuid5(entity.pk, f"{kind} {label} {field} {text}"),
        kind=kind,
        label=label,
        text=text,
        tokens=embedder.count_tokens(text),
        lang=guess_language(text),
        field=field,
        sources=tuple((record.pk, None) for record in drawn_from),
    )
