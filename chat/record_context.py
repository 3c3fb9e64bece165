"""What a prompt says of the record that a conversation is about: its name and fields, and its Pulse."""

from datetime import date
from decimal import Decimal

from django.utils.formats import date_format

from chat.derivation import SourceLabel, load_derivation_sources
from entities.access import Scope, combine_many, list_readable_fields
from entities.formats import format_money
from entities.models import Entity, Weight
from entities.records import load_visible_links
from entities.registry import get_column, list_parent_types
from llm import prompts
from pulse.reader import load_pulse_view


def load_record(scope: Scope, entity: Entity, *, with_fields: bool) -> tuple[prompts.Record, list[SourceLabel]]:
    """The record's name and fields as the asker may read them, with the labels of those that have a value."""
    model = type(entity)
    links = load_visible_links(scope, [entity])
    values: dict[str, str] = {}
    labels: set[int] = set()
    given: list[SourceLabel] = []
    for name in list_readable_fields(model) if with_fields else ():
        if name in ("name", "currency"):
            continue
        column = get_column(model, name)
        if name in list_parent_types(model):
            linked = links.get(getattr(entity, f"{name}_id"))
            if linked is None:
                continue
            value = linked.title_or_type
            given.append(
                SourceLabel(
                    linked.pk, linked.name_classification if _has_printed_name(linked) else 0, weight=Weight.NAME
                )
            )
        else:
            shown = getattr(entity, f"get_{name}_display", None)
            raw = shown() if shown else getattr(entity, name)
            value = "" if raw is None else str(raw)
            if isinstance(raw, Decimal):
                value = format_money(raw, getattr(entity, "currency", ""))
            elif isinstance(raw, date):
                value = date_format(raw, "j F Y")
        if value:
            values[str(column.verbose_name).capitalize()] = value
            labels |= model.rag().get_field_label(name)
    if _has_printed_name(entity):
        labels.add(entity.name_classification)
    given.append(SourceLabel(entity.pk, combine_many(labels)))
    record = prompts.Record(str(model._meta.verbose_name), entity.title_or_type, values)
    return record, given


def _has_printed_name(entity: Entity) -> bool:
    """Whether the name itself, not the type in its place, is printed."""
    return bool(getattr(entity, "title", None))


def load_pulse(scope: Scope, entity: Entity) -> tuple[str, list[SourceLabel]]:
    """The Pulse that the asker may read, and what it was drawn from. One that is not there yet is not waited for."""
    pulse = load_pulse_view(scope, entity).pulse
    if pulse is None or pulse.data_classification is None:
        return "", []
    given = load_derivation_sources({pulse.pk: pulse.data_classification})
    return pulse.text, [*given, SourceLabel(entity.pk, pulse.data_classification)]
