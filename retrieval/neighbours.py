"""The passages beside a find, through the same gate."""

from collections.abc import Sequence

from retrieval.gate import INDEX_ROWS, Gates
from retrieval.statements import fetch_rows

# Rows of one file on one side of a hit: read in order, until there are enough that the reader sees.
SIDE = """(SELECT {way} AS way, row_number() OVER (ORDER BY n.position {order}, n."row" {order}) AS distance,
     n."row", n.data_classification
   FROM (SELECT p.* FROM ({rows}
         WHERE c.file_id = h.file_id AND c.kind = h.kind AND (c.position, c.number) {than} (h.position, h.number)) p
     WHERE {condition} ORDER BY p.position {order}, p."row" {order} LIMIT %(window)s) n)"""

BESIDE = """
WITH {ctes}
SELECT h.number, n.way, n.distance, n."row", n.data_classification = h.data_classification
FROM ingestion_contextrow h CROSS JOIN LATERAL (
  {before}
  UNION ALL
  {after}
) n
WHERE h.number = ANY(%(rows)s::int[]) ORDER BY 1, 2, 3
"""


def find_neighbours(rows: Sequence[int], gates: Gates, window: int) -> dict[int, list[tuple[int, int]]]:
    """row -> (neighbour, distance) up to `window` steps either way in the same file, never across a label.

    Neighbours are the nearest rows that the reader sees: a hidden passage between two is no different from none.
    """
    if not rows or not window:
        return {}
    gate = gates.each
    before = SIDE.format(way=-1, order="DESC", than="<", rows=INDEX_ROWS, condition=gate.condition)
    after = SIDE.format(way=1, order="ASC", than=">", rows=INDEX_ROWS, condition=gate.condition)
    statement = gate.fill(BESIDE, before=before, after=after)
    found = fetch_rows(statement, {**gate.params, "window": window, "rows": list(rows)})
    broken: set[tuple[int, int]] = set()
    result: dict[int, list[tuple[int, int]]] = {}
    for row, way, distance, neighbour, same_label in found:
        if not same_label:
            broken.add((row, way))
        if (row, way) not in broken:
            result.setdefault(row, []).append((neighbour, distance))
    return result
