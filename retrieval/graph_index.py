"""Vectors by the graph (HNSW): for readers of more rows than are worth reading one by one (docs/adr/0013).

The gate stands in the statement and is asked of every row that the graph comes to, so no hidden row leaves the
database; but which visible rows it finds, and how long it takes, can depend on hidden ones. Strict mode goes without.
"""

from dataclasses import dataclass
from math import sqrt

from retrieval.gate import Gates
from retrieval.query import PreparedQuery
from retrieval.sizes import read_sizes
from retrieval.statements import fetch_rows
from retrieval.survey import Survey
from retrieval.tuning import load_tuning

# The planner neither knows how few rows pass the gate nor how much a row costs: the way is chosen here (facts: ADR).
SETTINGS = {
    "enable_sort": "off",
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "hnsw.iterative_scan": "relaxed_order",
}

READ, COMPARED, GATHERED, WALKED = 0.0003, 0.0002, 0.0001, 10.0
"""Milliseconds: to read a row in the order of its index, to compare it, to come to know of a record whether the reader
sees it where all are asked, and to walk a graph of 200,000 rows that the reader sees all of."""

GRAPH = """
WITH {ctes}
SELECT "row", 1 - distance FROM (
  SELECT p."row", p.embedding::halfvec({dim}) <=> %(vector)s::halfvec({dim}) AS distance FROM ingestion_vector p
  WHERE p.model = {model} AND ({seen}) IS TRUE AND {cleared}
  ORDER BY p.embedding::halfvec({dim}) <=> %(vector)s::halfvec({dim}) LIMIT %(count)s) nearest
WHERE distance < 'NaN'
ORDER BY distance, "row"
"""


@dataclass(frozen=True)
class VectorGraph:
    """model: its number. breadth: of the list of nearest rows that a walk keeps."""

    model: int
    breadth: int


def find_graph(query: PreparedQuery, size: Survey) -> VectorGraph | None:
    """The graph of the model, where it is there and a walk takes less time than comparing all.

    A walk comes to the more rows the smaller the share of the graph is that the reader sees. In a larger graph it finds
    as many of the nearest with a longer list; pgvector's limit is 1,000.
    """
    model, vectors = read_sizes().graphs.get(query.model_id, (0, 0.0))
    if not model:
        return None
    compare = READ * size.cleared + COMPARED * size.visible + GATHERED * read_sizes().records
    walk = WALKED * vectors / size.visible * sqrt(vectors / 200_000)
    breadth = min(1_000, round(load_tuning().breadth * max(1.0, vectors / 200_000)))
    return VectorGraph(model, breadth) if walk < compare else None


def find_by_graph(
    query: PreparedQuery, gates: Gates, graph: VectorGraph, size: Survey, count: int
) -> list[tuple[int, float]]:
    """(row, cosine similarity) of `count` visible rows near to the question, most of them the nearest."""
    # Records are asked of the rows under the reader's labels, of which they see a share: of those near to a question on
    # something else they see less.
    gate = gates.choose_cheaper(4 * count * size.cleared / size.visible)
    statement = gate.fill(GRAPH, dim=str(len(query.vector)), model=str(graph.model))
    settings = {**SETTINGS, "hnsw.ef_search": str(graph.breadth)}
    found = fetch_rows(statement, {**gate.params, "vector": query.literal, "count": count}, settings)
    return [(row, similarity) for row, similarity in found]
