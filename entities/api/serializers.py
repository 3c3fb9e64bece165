"""Serializers derived from a type's declaration, limited to the fields that exist for the caller."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from django.utils.translation import gettext
from rest_framework import serializers

from entities.access import Scope, list_readable_fields, list_redacted_fields, load_concealed_atoms
from entities.api.lists import build_redacted_json, label_list, list_atom_labels
from entities.api.shapes import VERSION_HELP, Label, Placeholder, Redacted, TextBlock, build_union
from entities.hidden_names import list_disclosed_atoms
from entities.models import Entity
from entities.rag import split_label
from entities.registry import get_column, list_parent_types
from entities.text import FieldBlock, TextTooLong, validate_one_line, validate_text
from entities.versions import SeenText, build_version, list_values


class LongTextField(serializers.CharField):
    """Written as one string; read as blocks."""

    def to_internal_value(self, data: Any) -> str:
        try:
            return validate_text(super().to_internal_value(data))
        except TextTooLong as problem:
            raise serializers.ValidationError(str(problem)) from None


@cache
def build_type_serializer(model: type[Entity]) -> type[serializers.ModelSerializer]:
    """Every declared field of `model`, for input; long texts are strings. Callers cut it down by
    `build_input_serializer`.
    """
    names = ["name", *(f.name for f in model._meta.local_fields if f.name != "entity_ptr")]
    texts = {
        name: LongTextField(
            required=False, allow_blank=True, trim_whitespace=False, help_text="Paragraphs by blank lines."
        )
        for name in model.long_texts
    }
    meta = type("Meta", (), {"model": model, "fields": [*names, *texts]})
    return type(f"{model.__name__}Serializer", (serializers.ModelSerializer,), {**texts, "Meta": meta})


class RecordSerializer(serializers.ModelSerializer):
    """How `build_entity_json` looks. Fields of the type may be absent; `redacted` says which of them exist all the
    same.
    """

    id = serializers.UUIDField()
    type = serializers.CharField()
    version = serializers.CharField(help_text=VERSION_HELP)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True)
    redacted = Redacted(many=True)

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        links = list_parent_types(self.Meta.model)  # type: ignore[attr-defined]
        for name, field in fields.items():
            if name not in RecordSerializer._declared_fields:
                field.required = False
            if name in links:
                field.allow_null = True  # as a link to a record that the caller may not see
        return fields


@cache
def record_shape(model: type[Entity]) -> type[serializers.Serializer]:
    """The answer's counterpart of `build_type_serializer`; long texts are blocks, and only where one record is read."""
    texts = {
        name: serializers.ListField(child=build_union("Block", TextBlock, Placeholder), required=False)
        for name in model.long_texts
    }
    columns = [name for name in build_type_serializer(model).Meta.fields if name not in texts]  # type: ignore[attr-defined]
    meta = type("Meta", (), {"model": model, "fields": [*RecordSerializer._declared_fields, *columns, *texts]})
    return type(f"{model.__name__}Serializer", (RecordSerializer,), {**texts, "Meta": meta})


def build_input_serializer(scope: Scope, model: type[Entity], **kwargs: Any) -> serializers.ModelSerializer:
    """Validates what `scope` may write: hidden fields do not exist, and links resolve among visible records only."""
    serializer = build_type_serializer(model)(**kwargs)
    known = {*list_readable_fields(model), *model.long_texts}
    for name in list(serializer.fields):
        if name not in known:
            del serializer.fields[name]
    for name, target in list_parent_types(model).items():
        field = serializer.fields.get(name)
        if field is not None:
            field.queryset = target.objects.visible_to(scope)  # type: ignore[attr-defined]
    if hasattr(serializer, "initial_data") and not isinstance(serializer.initial_data, dict):
        raise serializers.ValidationError(gettext("A record is an object of fields."))
    for field in serializer.fields.values():
        if isinstance(field, serializers.CharField) and not isinstance(field, LongTextField):
            field.validators.append(validate_one_line)
    unknown = set(serializer.initial_data) - set(serializer.fields) if hasattr(serializer, "initial_data") else set()
    if unknown:
        refusal = gettext("There is no such field. Fields are: %(fields)s.") % {"fields": ", ".join(serializer.fields)}
        raise serializers.ValidationError({make_printable(name): [refusal] for name in sorted(unknown)})
    return serializer


def make_printable(name: str) -> str:
    """A name that a caller made up, as it can be sent back: half of a surrogate pair cannot."""
    return name[:100].encode(errors="replace").decode()


def build_block_json(block: FieldBlock) -> dict[str, Any]:
    if block.text is None:
        return {"type": "placeholder", "requires": list_atom_labels(block.requires)}
    labels = None if block.label is None else label_list(block.label)
    return {"type": "text", "text": block.text, "labels": labels, "passage": str(block.paragraph)}


def build_entity_json(
    entity: Entity,
    visible_links: set[Any],
    seen: Mapping[str, SeenText] | None,
    texts: dict[str, list[FieldBlock]] | None = None,
) -> dict[str, Any]:
    """A record as the caller may read it. Fields they are not cleared for are absent, and in `redacted` if
    acknowledged.

    visible_links: ids of linked records that the caller may see; a link to another is null, as if there were none.
    seen: of its long texts, for the version (`load_text_digests`).
    """
    model = type(entity)
    data: dict[str, Any] = {
        "id": str(entity.pk),
        "type": model._meta.model_name,
        "version": build_version(list_values(entity, visible_links, seen)),
        "created_at": entity.created_at,
        "updated_at": entity.updated_at,
        "archived_at": entity.archived_at,
    }
    links = list_parent_types(model)
    for name in list_readable_fields(model):
        if name == "name":
            data["name"] = entity.title  # type: ignore[attr-defined]
        elif name in links:
            key = getattr(entity, f"{name}_id")
            data[name] = str(key) if key in visible_links else None
        else:
            value = getattr(entity, name)
            data[name] = str(value) if isinstance(value, Decimal) else value
    for name, blocks in (texts or {}).items():
        data[name] = [build_block_json(block) for block in blocks]
    data["redacted"] = [
        {"field": hidden.name, "requires": list_atom_labels(hidden.requires)} for hidden in list_redacted_fields(model)
    ]
    if "name" in data and data["name"] is None:
        data["redacted"] += build_redacted_json("name", list_disclosed_atoms(entity.name_classification))
    return data


class FieldSerializer(serializers.Serializer):
    """labels: needed to read it. choices: [value, words]."""

    name = serializers.CharField()
    type = serializers.CharField()
    required = serializers.BooleanField()  # type: ignore[assignment]
    labels = Label(many=True)
    choices = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))


class CollectionSerializer(serializers.Serializer):
    """labels: of every paragraph of a file in it, at least. public: text in which nothing is found is Public."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    labels = Label(many=True)
    public = serializers.BooleanField()
    strategy = serializers.CharField()
    classify = serializers.BooleanField()
    remainder = serializers.CharField()


class TypeSerializer(serializers.Serializer):
    """A type of records: the fields that exist for the caller, and those of its options that a client can use
    (docs/entity-types.md has their meaning).
    """

    type = serializers.CharField()
    name = serializers.CharField()
    plural = serializers.CharField()
    icon = serializers.CharField()
    color = serializers.CharField()
    default_visibility = serializers.ChoiceField(["workspace", "restricted", "private"])
    fields = FieldSerializer(many=True)  # type: ignore[assignment]
    long_texts = serializers.ListField(child=serializers.CharField())
    collections = CollectionSerializer(many=True)
    children = serializers.ListField(child=serializers.CharField())
    pulse = serializers.BooleanField()
    pulse_model = serializers.CharField()
    pulse_tracked_fields = serializers.ListField(child=serializers.CharField())
    pulse_refresh_after = serializers.IntegerField(allow_null=True)
    status_fields = serializers.ListField(child=serializers.CharField())
    coalesce = serializers.IntegerField()
    propagation = serializers.CharField(help_text="`parent`, `none`, or a depth.")
    pulse_references = serializers.BooleanField()
    chat_references = serializers.BooleanField()
    chat_visibility = serializers.CharField()


def build_type_json(model: type[Entity]) -> dict[str, Any]:
    """What `GET types/` says of a type: the fields that exist for the caller, and its declaration."""
    rag = model.rag()
    readable = list_readable_fields(model)
    known = {*readable, *model.long_texts}
    return {
        "type": model._meta.model_name,
        "name": str(model._meta.verbose_name),
        "plural": str(model._meta.verbose_name_plural),
        "icon": rag.icon,
        "color": rag.color,
        "default_visibility": model.access().default,
        "fields": [
            {
                "name": name,
                "type": get_column(model, name).get_internal_type(),
                "required": not (get_column(model, name).blank or get_column(model, name).has_default()),
                "labels": list_atom_labels(rag.get_field_label(name)),
                "choices": [list(c) for c in get_column(model, name).choices or []],
            }
            for name in readable
        ],
        "long_texts": list(model.long_texts),
        "collections": [
            {
                "name": name,
                "label": c.label or name,
                "labels": list_declared_labels(split_label(c.classification)),
                "public": c.is_public,
                "strategy": c.strategy,
                "classify": c.classify,
                "remainder": c.remainder,
            }
            for name, c in rag.collections.items()
        ],
        "children": list(rag.children),
        "pulse": rag.pulse,
        "pulse_model": rag.pulse_model,
        "pulse_tracked_fields": [
            name for name in rag.pulse_tracked_fields or (*readable, *model.long_texts) if name in known
        ],
        "pulse_refresh_after": rag.pulse_refresh_after,
        "status_fields": [name for name in rag.status_fields if name in readable],
        "coalesce": rag.coalesce,
        "propagation": str(rag.propagation),
        "pulse_references": rag.pulse_references,
        "chat_references": rag.chat_references,
        "chat_visibility": rag.chat_visibility,
    }


def list_declared_labels(declared: Iterable[int]) -> list[dict[str, Any]]:
    """The declared atoms, but for those that are concealed from the caller."""
    concealed = load_concealed_atoms()
    return list_atom_labels(sorted(atom for atom in declared if atom not in concealed))
