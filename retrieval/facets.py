"""Facets: how many of the passages found are of which type, kind and collection. Counted of what the reader may see."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.utils.translation import gettext

from entities.access import Scope, build_sources_visible_q, build_visibility_q
from entities.language import translate_stored
from entities.models import Entity
from entities.registry import list_entity_types
from ingestion.models import ContextRow, Kind
from references.graph import DEEPEST
from retrieval.faint import drop_faint
from retrieval.query import KINDS, Within
from retrieval.search import EVERYTHING, FoundHits, find_hits

KIND_NAMES = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True)
class FacetValue:
    """value: for the parameter. count: passages found with it."""

    value: str
    name: str
    count: int
    chosen: bool


@dataclass(frozen=True)
class Facet:
    """parameter: `type`, `kind` or `collection`."""

    parameter: str
    title: str
    values: Sequence[FacetValue]


FIELDS = {"type": "types", "kind": "kinds", "collection": "collections"}


def count_facets(
    scope: Scope,
    found: FoundHits,
    chosen: Within,
    reference_depth: int = 0,
    *,
    operators: Within = EVERYTHING,
    faint: bool = True,
) -> list[Facet]:
    """The three facets of a question. Each counts what its own choice does not narrow, so that another can be chosen;
    what the operators of the question narrow, no facet widens. faint: whether what is only faintly similar counts.

    Counts are over everything found, at most `Tuning.candidates` a branch: they agree with the list to its end.
    """
    facets = []
    of_everything = _count_values(scope, [hit.row for hit in found.hits])
    for parameter, title in (
        ("type", gettext("Type")),
        ("kind", gettext("Kind")),
        ("collection", gettext("Collection")),
    ):
        values = getattr(chosen, FIELDS[parameter])
        counts = of_everything[parameter]
        if values:
            within = _drop_filter(chosen, parameter).narrow(operators)
            base = find_hits(scope, found.query, within=within, reference_depth=reference_depth)
            base = base if faint else drop_faint(base)
            counts = _count_values(scope, [hit.row for hit in base.hits])[parameter]
        for value in values:
            counts.setdefault(KIND_NAMES[value] if parameter == "kind" else value, 0)
        facets.append(
            Facet(parameter, title, _list_values(parameter, counts, {_format_value(parameter, v) for v in values}))
        )
    return [facet for facet in facets if facet.values]


def name_filters() -> dict[str, str]:
    """Filters in the reader's language: `type=contract` -> "Contract", or a parameter alone for any value of it."""
    collections = {name for model in list_entity_types().values() for name in model.rag().collections}
    values: dict[str, Iterable[str]] = {"type": list_entity_types(), "kind": KINDS, "collection": collections}
    return {
        **{f"{name}={value}": _name_value(name, value) for name, known in values.items() for value in sorted(known)},
        **{f"reference_depth={depth}": gettext("and linked records") for depth in range(1, DEEPEST + 1)},
        "sort=newest": gettext("Newest first"),
        "since": gettext("From"),
        "until": gettext("To"),
        "entity": gettext("Record"),
        "file": translate_stored("File"),
        "session": gettext("Conversation"),
    }


def _drop_filter(within: Within, parameter: str) -> Within:
    nothing: dict[str, Any] = {FIELDS[parameter]: ()}
    return replace(within, **nothing)


def _format_value(parameter: str, value: str | Kind) -> str:
    return KIND_NAMES[Kind(value)] if parameter == "kind" else str(value)


def _count_values(scope: Scope, rows: Sequence[int]) -> dict[str, Counter[str]]:
    """Under the permissions of this moment: what was found was perhaps found in an earlier transaction."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in FIELDS}
    names = {c.pk: name for name, c in _load_content_types().items()}
    seen = Entity.objects.filter(build_visibility_q(scope, Entity)).order_by().values("pk")
    allowed = ContextRow.objects.filter(build_sources_visible_q(scope), number__in=rows, entity__in=seen)
    found = allowed.filter(entity__content_type__in=names).values_list(
        "entity__content_type", "kind", "file__collection"
    )
    for content_type, kind, collection in found:
        counts["type"][names[content_type]] += 1
        counts["kind"][KIND_NAMES[Kind(kind)]] += 1
        if collection is not None:
            counts["collection"][collection] += 1
    return counts


def _load_content_types() -> dict[str, ContentType]:
    known = ContentType.objects.get_for_models(*list_entity_types().values())
    return {name: known[model] for name, model in list_entity_types().items()}


def _list_values(parameter: str, counts: Mapping[str, int], chosen: set[str]) -> list[FacetValue]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [FacetValue(value, _name_value(parameter, value), count, value in chosen) for value, count in ordered]


def _name_value(parameter: str, value: str) -> str:
    if parameter == "type":
        return translate_stored(str(list_entity_types()[value]._meta.verbose_name).capitalize())
    if parameter == "kind":
        return translate_stored(KINDS[value].label)
    declared = (model.rag().collections.get(value) for model in list_entity_types().values())
    return translate_stored(next((one.label for one in declared if one and one.label), value))
