"""What an engineer would write by hand, as the owner of the tables: the same rows, with the conditions written out."""

from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from entities.access.objects import get_permission_number
from retrieval.bench.planting import scale_to_unit
from retrieval.bench.readers import BenchReader
from retrieval.bench.world import MODEL
from retrieval.query import PreparedQuery

RECORDS = """SELECT e.number FROM entities_entity e WHERE e.workspace_id = %(workspace)s AND (e.visibility = 'workspace'
  OR EXISTS (SELECT FROM entities_entityrolegrant g WHERE g.content_object_id = e.id AND g.group_id = %(group)s
    AND g.permission_id = %(permission)s AND (g.expires_at IS NULL OR g.expires_at > now())))"""
ROWS = f"""ingestion_vector v WHERE v.workspace_id = %(workspace)s AND v.data_classification = ANY(%(labels)s)
  AND v.audience = 0 AND v.model = %(model)s AND v.entity IN ({RECORDS})"""
EXACT = f"""SELECT v."row", 1 - ((v.embedding <=> %(vector)s::halfvec) + 0) FROM {ROWS}
ORDER BY (v.embedding <=> %(vector)s::halfvec) + 0 LIMIT 100"""  # noqa: S608
# The model as a number in the text, as the index has it in its condition.
WALKED = ROWS.replace("%(model)s", "{model}")
GRAPH = f"""SELECT v."row", v.embedding::halfvec({{dim}}) <=> %(vector)s::halfvec({{dim}}) FROM {WALKED}
ORDER BY v.embedding::halfvec({{dim}}) <=> %(vector)s::halfvec({{dim}}) LIMIT 10"""  # noqa: S608
SETTINGS = "SET hnsw.iterative_scan = relaxed_order; SET hnsw.ef_search = 200; SET enable_sort = off"


class ByHand:
    """One reader's rows, read on a connection of the owner's."""

    def __init__(self, raw: psycopg.Connection, reader: BenchReader) -> None:
        found = raw.execute("SELECT id, dim FROM ingestion_vectormodel WHERE model_id = %s", [MODEL]).fetchone()
        assert found is not None
        self.raw, (model, self.dim) = raw, found
        self.params = {
            "workspace": reader.scope.workspace,
            "labels": list(reader.labels),
            "group": reader.group,
            "permission": get_permission_number("view"),
            "model": model,
        }

    def exact(self, query: PreparedQuery) -> list[tuple[int, float]]:
        return self.raw.execute(EXACT, self._build_params(query), prepare=True).fetchall()

    def graph(self, query: PreparedQuery) -> list[tuple[int, float]]:
        """pgvector's iterative scan; the caller has made `SETTINGS` on the connection."""
        statement = GRAPH.format(dim=self.dim, model=self.params["model"])
        return self.raw.execute(statement.encode(), self._build_params(query), prepare=True).fetchall()

    def matrix(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """(numbers, vectors as float32 of length 1) of all rows that the reader sees, in memory."""
        rows = f'SELECT v."row", halfvec_send(v.embedding) FROM {ROWS} ORDER BY 1'  # noqa: S608
        found = self.raw.execute(rows.encode(), self.params).fetchall()
        if not found:
            return np.empty(0, dtype=np.int64), np.empty((0, self.dim), dtype=np.float32)
        joined = np.frombuffer(b"".join(sent[4:] for _, sent in found), dtype=">f2").astype(np.float32)
        return np.array([row for row, _ in found]), scale_to_unit(joined.reshape(len(found), -1))

    def plan(self, statement: str, query: PreparedQuery) -> str:
        explained = f"EXPLAIN (ANALYZE, SETTINGS) {statement.format(dim=self.dim, model=self.params['model'])}"
        return "\n".join(line for (line,) in self.raw.execute(explained.encode(), self._build_params(query)).fetchall())

    def _build_params(self, query: PreparedQuery) -> dict[str, Any]:
        return {**self.params, "vector": query.literal}


def find_nearest(
    matrix: NDArray[np.float32], numbers: NDArray[np.int64], query: PreparedQuery, count: int = 100
) -> list[int]:
    """The rows nearest to a question by comparing it with all of them."""
    scores = matrix @ np.asarray(query.vector, dtype=np.float32)
    best = np.argpartition(-scores, count - 1)[:count] if len(scores) > count else np.arange(len(scores))
    return [int(numbers[i]) for i in best[np.argsort(-scores[best], kind="stable")]]


def find_rows_near_as_tenth(
    matrix: NDArray[np.float32], numbers: NDArray[np.int64], query: PreparedQuery
) -> frozenset[int]:
    """The ten nearest rows, and those that are as near as the tenth as far as a half float tells."""
    scores = matrix @ np.asarray(query.vector, dtype=np.float32)
    least = np.partition(scores, -10)[-10] - 1e-5 if len(scores) > 10 else -2.0
    return frozenset(int(number) for number in numbers[scores >= least])


def compute_recall(found: list[int], near: frozenset[int]) -> float:
    """Share of ten found rows that are as near as the tenth; 1 where there is nothing to find."""
    return min(len(set(found[:10]) & near) / min(10, len(near)), 1.0) if near else 1.0


def describe_settings(raw: psycopg.Connection) -> str:
    """What the comparators ran on, for the head of their plans: versions, settings of the server and of the walk."""
    asked = (
        "server_version",
        "shared_buffers",
        "work_mem",
        "jit",
        "max_parallel_workers_per_gather",
        "random_page_cost",
    )
    shown = [f"{name} = {raw.execute('SELECT current_setting(%s)', [name]).fetchall()[0][0]}" for name in asked]
    (version,) = raw.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchall()[0]
    return "\n".join(["Settings", *shown, f"pgvector {version}", f"relaxed_order: {SETTINGS}"])
