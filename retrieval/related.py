"""Related records: those whose own description is nearest in meaning to this one's, as the reader sees both."""

from dataclasses import dataclass
from uuid import UUID

from entities.access import Scope
from entities.models import Entity
from ingestion.embed import get_embedder
from ingestion.models import Kind
from retrieval.gate import gate
from retrieval.query import Within
from retrieval.results import EntityRef, entity_ref
from retrieval.statements import rows_of
from retrieval.tuning import tuning

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


@dataclass(frozen=True)
class Related:
    """score: cosine similarity of the descriptions."""

    entity: EntityRef
    score: float


def related(scope: Scope, entity: Entity, *, limit: int = 6) -> list[Related]:
    """Of a record that the caller got from an access function, the nearest others, nearest first."""
    number = Entity.objects.values_list("number", flat=True).get(pk=entity.pk)
    through = gate(scope, Within(kinds=[Kind.METADATA])).all
    params = {
        **through.params,
        "own": number,
        "model": get_embedder().model_id,
        "limit": limit,
        "furthest": 1 - tuning().floor,
    }
    near: dict[UUID, float] = dict(rows_of(through.fill(RELATED), params))  # type: ignore[arg-type]
    rows = {row.pk: row for row in Entity.objects.readable_by(scope).filter(pk__in=near)}
    return [Related(entity_ref(scope, rows[pk]), round(1 - distance, 4)) for pk, distance in near.items() if pk in rows]
