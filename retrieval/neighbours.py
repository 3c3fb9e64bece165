"""The passages beside a find, through the same gate."""

from collections.abc import Sequence

from retrieval.gate import Gate
from retrieval.statements import filled, rows_of

# The columns of the gate, for rows of one file on one side of a hit.
SIDE = """(SELECT {way} AS way, row_number() OVER (ORDER BY p.position {order}, p."row" {order}) AS distance,
     p."row", p.data_classification
   FROM (SELECT c.workspace_id, c.data_classification, c.audience, e.number AS entity, f.number AS file,
           c.number AS "row", c.kind, c.position
         FROM ingestion_contextrow c
         JOIN entities_entity e ON e.id = c.entity_id JOIN ingestion_file f ON f.id = c.file_id
         WHERE c.file_id = h.file_id AND c.kind = h.kind AND (c.position, c.number) {than} (h.position, h.number)) p
   WHERE {condition} ORDER BY distance LIMIT %s)"""

BESIDE = """
WITH {ctes}
SELECT h.number, n.way, n.distance, n."row", n.data_classification = h.data_classification
FROM ingestion_contextrow h CROSS JOIN LATERAL (
  {before}
  UNION ALL
  {after}
) n
WHERE h.number = ANY(%s) ORDER BY 1, 2, 3
"""


def beside(rows: Sequence[int], gate: Gate, window: int) -> dict[int, list[tuple[int, int]]]:
    """row -> (neighbour, distance) up to `window` steps either way in the same file, never across a label.

    Neighbours are the nearest rows that the reader sees: a hidden passage between two is no different from none.
    """
    if not rows or not window:
        return {}
    side = [*gate.condition_params, window]
    before = SIDE.format(way=-1, order="DESC", than="<", condition=gate.condition)
    after = SIDE.format(way=1, order="ASC", than=">", condition=gate.condition)
    statement = filled(BESIDE, gate, before=before, after=after)
    found = rows_of(statement, [*gate.cte_params, *side, *side, list(rows)])
    broken: set[tuple[int, int]] = set()
    result: dict[int, list[tuple[int, int]]] = {}
    for row, way, distance, neighbour, same_label in found:
        if not same_label:
            broken.add((row, way))
        if (row, way) not in broken:
            result.setdefault(row, []).append((neighbour, distance))
    return result
