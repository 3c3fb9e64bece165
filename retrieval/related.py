"""Related records: those whose own description is nearest in meaning to this one's, as the reader sees both."""

from dataclasses import dataclass

from django.db import connection

from entities.access import Scope
from entities.models import Entity
from ingestion.embed import get_embedder
from ingestion.models import Kind
from retrieval.gate import NothingVisible, gate
from retrieval.query import Within
from retrieval.results import EntityRef, entity_ref
from retrieval.tuning import tuning

# Each record is as near as its nearest description; there is one a label.
RELATED = """
WITH {ctes},
own AS MATERIALIZED (
  SELECT p.embedding FROM ingestion_vector p WHERE {condition} AND p.entity = %s
  AND p.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %s))
SELECT e.id, near.distance FROM (
  SELECT p.entity, min((p.embedding <=> own.embedding) + 0) AS distance FROM ingestion_vector p CROSS JOIN own
  WHERE {condition} AND p.entity <> %s AND p.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %s)
  GROUP BY p.entity ORDER BY distance, p.entity LIMIT %s) near
JOIN entities_entity e ON e.number = near.entity
WHERE near.distance <= %s ORDER BY near.distance, e.number
"""


@dataclass(frozen=True)
class Related:
    """score: cosine similarity of the descriptions."""

    entity: EntityRef
    score: float


def related(scope: Scope, entity: Entity, *, limit: int = 6) -> list[Related]:
    """Of a record that the caller got from an access function, the nearest others, nearest first."""
    number = Entity.objects.values_list("number", flat=True).get(pk=entity.pk)
    model_id = get_embedder().model_id
    try:
        through = gate(scope, Within(kinds=[Kind.METADATA]))
    except NothingVisible:
        return []
    params = [
        *through.cte_params, *through.condition_params, number, model_id, *through.condition_params, number, model_id,
        limit, 1 - tuning().floor,
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(RELATED.format(ctes=through.ctes, condition=through.condition), params)
        near = dict(cursor.fetchall())
    rows = {row.pk: row for row in Entity.objects.readable_by(scope).filter(pk__in=near)}
    return [Related(entity_ref(scope, rows[pk]), round(1 - distance, 4)) for pk, distance in near.items() if pk in rows]
