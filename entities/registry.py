"""The registry of types is derived from the installed models; nothing registers itself."""

from collections.abc import Mapping, Sequence
from functools import cache

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import models

from entities.fields import WorkspaceForeignKey
from entities.language import KIND_NAMES
from entities.models.entity import Entity


@cache
def list_entity_types() -> dict[str, type[Entity]]:
    """Every concrete type by model name, in alphabetical order."""
    found = [m for m in apps.get_models() if issubclass(m, Entity) and m is not Entity]
    return {m._meta.model_name or "": m for m in sorted(found, key=lambda m: m._meta.model_name or "")}


def list_kinds() -> dict[str, type[Entity]]:
    """The types that the workspace's menus offer, in its order. In an open scope."""
    types, (chosen, _) = list_entity_types(), _load_kinds()
    return types if chosen is None else {name: types[name] for name in chosen if name in types}


@cache
def _list_titles() -> frozenset[str]:
    return frozenset(
        title.lower() for model in list_entity_types().values() for title in (model.singular_title, model.plural_title)
    )


def get_kind_name(title: str) -> str | None:
    """What the workspace calls a kind, by its declared name in small letters. None outside an open scope."""
    from entities.access.scope import has_open_scope

    return _load_kinds()[1].get(title) if title in _list_titles() and has_open_scope() else None


def _load_kinds() -> tuple[Sequence[str] | None, Mapping[str, str]]:
    from entities.access.scope import load_once
    from entities.models import WorkspaceSettings

    def load() -> tuple[Sequence[str] | None, Mapping[str, str]]:
        chosen, names = WorkspaceSettings.objects.values_list("kinds", "kind_names").first() or (None, {})
        found: dict[str, str] = {}
        for key, (one, several) in names.items():
            if model := list_entity_types().get(key):
                found |= {model.singular_title.lower(): one, model.plural_title.lower(): several}
        return chosen, found

    loaded: tuple[Sequence[str] | None, Mapping[str, str]] = load_once("kinds", load)
    return loaded


KIND_NAMES.append(get_kind_name)


def get_type_by_content_type(content_type_id: int) -> type[Entity]:
    model = ContentType.objects.get_for_id(content_type_id).model_class()
    assert model is not None
    assert issubclass(model, Entity)
    return model


def get_content_type_id(model: type[Entity]) -> int:
    return ContentType.objects.get_for_model(model).pk


def list_parent_types(model: type[Entity]) -> dict[str, type[Entity]]:
    """The hard relations of a type: field name -> related type."""
    return {
        f.name: f.related_model
        for f in model._meta.local_fields
        if f.name != "entity_ptr" and f.related_model is not None and issubclass(f.related_model, Entity)
    }


def list_child_types(model: type[Entity]) -> list[tuple[type[Entity], str]]:
    """Types that point at `model`, with the field they do it by."""
    return [
        (t, name)
        for t in list_entity_types().values()
        for name, target in list_parent_types(t).items()
        if target is model
    ]


def goes_with(model: type[Entity], field: str) -> bool:
    """Whether a row of `model` is deleted with the record that its `field` names, and not merely loses the link."""
    column = model._meta.get_field(field)
    return isinstance(column, WorkspaceForeignKey) and column.on_db_delete == "CASCADE"


def get_column(model: type[Entity], name: str) -> models.Field:
    """The column of a declared field."""
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    return field
