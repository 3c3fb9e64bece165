"""How much a record matters by what refers to it: a small factor for ranking (design §7)."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from entities.access import Scope
from references.kinds import SALIENCE
from references.models import Reference

STRENGTH = 0.1
"""The factor stays within 1 ± this, however many references there are."""


@dataclass(frozen=True)
class Salience:
    """factor: multiplies a score. incoming, outgoing: visible references by kind, which explain it."""

    factor: float
    incoming: Mapping[str, int]
    outgoing: Mapping[str, int]


def compute_salience(scope: Scope, entities: Collection[UUID]) -> dict[UUID, Salience]:
    """The salience of each of `entities`: 1 + STRENGTH * tanh(sum of the weights of its references)."""
    incoming, outgoing = _count_links(scope, "target", entities), _count_links(scope, "source", entities)
    result = {}
    for pk in entities:
        into, out = incoming.get(pk, {}), outgoing.get(pk, {})
        weight = sum(SALIENCE[kind].target * n for kind, n in into.items())
        weight += sum(SALIENCE[kind].source * n for kind, n in out.items())
        result[pk] = Salience(1 + STRENGTH * math.tanh(weight), into, out)
    return result


def _count_links(scope: Scope, end: str, entities: Collection[UUID]) -> dict[UUID, dict[str, int]]:
    rows = (
        Reference.objects.readable_by(scope)
        .drop_internal()
        .filter(**{f"{end}__in": list(entities)})
        .order_by()
        .values_list(end, "kind")
        .annotate(Count("pk"))
    )
    result: dict[UUID, dict[str, int]] = {}
    for pk, kind, count in rows:
        result.setdefault(pk, {})[kind] = count
    return result
