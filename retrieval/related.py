"""Related records: those whose own description is nearest in meaning to this one's, as the reader sees both."""

from dataclasses import dataclass
from uuid import UUID

from entities.access import Scope
from entities.models import Entity
from ingestion.models import Kind
from ingestion.vector_models import get_current_model
from retrieval.gate import Gate, build_gates
from retrieval.likeness import get_likeness
from retrieval.query import Within
from retrieval.refs import EntityRef, build_entity_ref
from retrieval.statements import fetch_rows

# Each record is as near as its nearest description; there is one a label.
RELATED = """
WITH {ctes},
own AS MATERIALIZED (
  SELECT p.embedding FROM ingestion_vector p WHERE {condition} AND p.entity = %(own)s
  AND p.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %(model)s))
SELECT e.id, near.distance FROM (
  SELECT p.entity, min((p.embedding <=> own.embedding) + 0) AS distance FROM ingestion_vector p CROSS JOIN own
  WHERE {condition} AND p.entity <> %(own)s
    AND p.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %(model)s)
  GROUP BY p.entity ORDER BY distance, p.entity LIMIT %(limit)s) near
JOIN entities_entity e ON e.number = near.entity
WHERE near.distance <= %(furthest)s ORDER BY near.distance, e.number
"""

# Of records that are near by one description: whether they are by all. A snapshot of properties stands in no field, and
# there is one a label; long texts say other things of the same record.
SNAPSHOTS = """
WITH {ctes},
told AS MATERIALIZED (
  SELECT p.entity, p.data_classification AS label, p.embedding FROM ingestion_vector p
  JOIN ingestion_contextrow c ON c.number = p."row" AND c.field = ''
  WHERE {condition} AND p.entity = ANY(%(records)s::int[])
  AND p.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %(model)s))
SELECT e.id FROM told own JOIN told other ON other.label = own.label AND other.entity <> own.entity
JOIN entities_entity e ON e.number = other.entity
WHERE own.entity = %(own)s GROUP BY e.id HAVING max(own.embedding <=> other.embedding) <= %(furthest)s
"""


@dataclass(frozen=True)
class RelatedRecord:
    """score: cosine similarity of the descriptions. nearly_same: everything that the reader sees described of both,
    label by label, is alike by `Likeness.nearly_same` or more, so that one may have been entered twice.
    """

    entity: EntityRef
    score: float
    nearly_same: bool


def find_related(scope: Scope, entity: Entity, *, limit: int = 6) -> list[RelatedRecord]:
    """Of a record that the caller got from an access function, the nearest others, nearest first."""
    number = Entity.objects.values_list("number", flat=True).get(pk=entity.pk)
    model_id = get_current_model()
    alike = get_likeness(model_id)
    through = build_gates(scope, Within(kinds=[Kind.METADATA])).all
    params = {**through.params, "own": number, "model": model_id, "limit": limit, "furthest": 1 - alike.floor}
    near: dict[UUID, float] = dict(fetch_rows(through.fill(RELATED), params))  # type: ignore[arg-type]
    rows = {row.pk: row for row in Entity.objects.readable_by(scope).filter(pk__in=near)}
    nearest = [rows[pk].number for pk, distance in near.items() if pk in rows and 1 - distance >= alike.nearly_same]
    same = _find_nearly_same(through, number, nearest, model_id) if nearest else set()
    return [
        RelatedRecord(build_entity_ref(scope, rows[pk]), round(1 - distance, 4), pk in same)
        for pk, distance in near.items()
        if pk in rows
    ]


def _find_nearly_same(through: Gate, number: int, others: list[int], model_id: str) -> set[UUID]:
    asked = {
        "records": [number, *others],
        "model": model_id,
        "own": number,
        "furthest": 1 - get_likeness(model_id).nearly_same,
    }
    return {pk for (pk,) in fetch_rows(through.fill(SNAPSHOTS), {**through.params, **asked})}
