"""What is measured: our branches and what an engineer would write by hand, interleaved in one run.

The comparators: numpy over the same visible rows in memory; a tsvector column with a GIN index, `@@` and `ts_rank_cd`
under the same row-level security; the vector query with its conditions written out, run by the owner of the tables.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entities.rls import AUDIENCE, LABELLED, WORKSPACE, policy_sql
from retrieval.bench.world import MODEL, BenchWorld, bench_world, count_visible, owner, unit
from retrieval.candidates import by_meaning, by_words
from retrieval.gate import Gates, gate
from retrieval.query import PreparedQuery, Within
from retrieval.search import search
from retrieval.statements import rows_of
from retrieval.survey import survey
from retrieval.terms import Terms, terms_of
from retrieval.tuning import tuning

QUERIES = 20


@dataclass(frozen=True)
class Row:
    """A line of the report. goal: what `value` is held against, in words; met: None where it has none."""

    name: str
    value: float
    goal: str = ""
    met: bool | None = None


def measure(rows: int, rounds: int) -> list[Row]:
    """All lines. Times are milliseconds, median over rounds of the p50 or p95 over queries."""
    with bench_world(rows) as world, gin_table(world):
        return [*size(world), *vector_lines(world, rounds), *lexical_lines(world, rounds), *whole_lines(world, rounds)]


def size(world: BenchWorld) -> list[Row]:
    with world.reader.open():
        return [Row("rows", world.rows), Row("rows visible to the reader", count_visible(world.reader))]


def questions(world: BenchWorld, count: int = QUERIES) -> list[PreparedQuery]:
    """A vector near a topic, and words: a rare one, middling ones, the commonest."""
    random = np.random.default_rng(7)
    made = []
    for n in range(count):
        vector = unit(world.topics[n % len(world.topics)] + 0.07 * random.standard_normal(world.topics.shape[1]))
        words = [world.words[r] for r in (2_000 + n, 200 + n, 20 + n, n % 5)]
        made.append(PreparedQuery(" ".join(words), MODEL, tuple(map(float, vector))))
    return made


def timed(rounds: int, sides: dict[str, Callable[[Any], Any]], inputs: list[Any]) -> dict[str, tuple[float, float]]:
    """side -> (p50, p95) in ms, each the median over rounds; the sides take turns within a round, after a warm-up."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for turn in range(rounds + 1):
        for name, run in sides.items():
            times = []
            for given in inputs:
                start = time.perf_counter()
                run(given)
                times.append((time.perf_counter() - start) * 1000)
            if turn:
                taken[name].append((float(np.percentile(times, 50)), float(np.percentile(times, 95))))
    return {name: (median(p for p, _ in found), median(q for _, q in found)) for name, found in taken.items()}


def vector_lines(world: BenchWorld, rounds: int) -> list[Row]:
    asked = questions(world)
    with world.reader.open():
        numbers, matrix = visible_matrix(world)
        through = gate(world.reader, Within())
        size = survey([], through)
        recall = float(np.mean([recall_of(by_meaning(q, through, size), exact(matrix, numbers, q)) for q in asked]))
        with owner() as raw:
            sides: dict[str, Callable[[Any], Any]] = {
                "ours": lambda q: by_meaning(q, through, size),
                "numpy": lambda q: exact(matrix, numbers, q),
                "by hand": lambda q: raw.execute(BY_HAND, [q.literal, world.reader.workspace, MODEL]).fetchall(),
            }
            times = timed(rounds, sides, asked)
    ours, hand, numpy = times["ours"], times["by hand"], times["numpy"]
    return [
        Row("recall@10 of the vector branch", recall, "= 1", recall == 1),
        Row("vector branch p50 ms", ours[0]),
        Row("vector branch p95 ms", ours[1]),
        Row("numpy on the same rows p95 ms", numpy[1]),
        Row("vector branch p95 / numpy", ours[1] / numpy[1], "<= 6 at 20,000 visible", ours[1] <= 6 * numpy[1]),
        Row("hand-written WHERE as owner p95 ms", hand[1]),
        Row("vector branch p95 / hand-written", ours[1] / hand[1], "<= 1.10", ours[1] <= 1.1 * hand[1]),
    ]


BY_HAND = """
SELECT v."row", v.embedding <=> %s::halfvec AS distance FROM ingestion_vector v
WHERE v.workspace_id = %s AND v.data_classification IN (0, 1) AND v.audience = 0
  AND v.model = (SELECT id FROM ingestion_vectormodel WHERE model_id = %s)
  AND v.entity IN (
    SELECT e.number FROM entities_entity e WHERE e.workspace_id = v.workspace_id AND e.visibility = 'workspace')
ORDER BY distance LIMIT 100
"""


def visible_matrix(world: BenchWorld) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The rows that the reader sees, in memory, as float32."""
    with owner() as raw:
        found = raw.execute(
            'SELECT v."row", halfvec_send(v.embedding) FROM ingestion_vector v'
            " JOIN entities_entity e ON e.number = v.entity WHERE v.workspace_id = %s"
            " AND v.data_classification IN (0, 1) AND e.visibility = 'workspace' ORDER BY 1",
            [world.reader.workspace],
        ).fetchall()
    matrix = np.stack([np.frombuffer(sent, dtype=">f2", offset=4).astype(np.float32) for _, sent in found])
    return np.array([row for row, _ in found]), unit(matrix.astype(np.float64))


def exact(matrix: NDArray[np.float32], numbers: NDArray[np.int64], query: PreparedQuery) -> list[int]:
    scores = matrix @ np.asarray(query.vector, dtype=np.float32)
    best = np.argpartition(-scores, min(100, len(scores) - 1))[:100]
    return [int(numbers[i]) for i in best[np.argsort(-scores[best])]]


def recall_of(found: list[tuple[int, float]], truth: list[int]) -> float:
    return len({row for row, _ in found[:10]} & set(truth[:10])) / min(10, len(truth))


def lexical_lines(world: BenchWorld, rounds: int) -> list[Row]:
    kinds = {"a rare word": (2_000,), "four mixed words": (2_000, 200, 20, 2), "the commonest words": (0, 1, 2, 3)}
    lines = []
    with world.reader.open():
        through = gate(world.reader, Within())
        for name, ranks in kinds.items():
            asked = [[world.words[rank + n] for rank in ranks] for n in range(5 if ranks == (0, 1, 2, 3) else QUERIES)]
            given = [(words, terms_of(words)) for words in asked]
            sides = {
                "ours": lambda pair: ours(pair[1], through),
                "gin": lambda pair: with_gin(pair[0], through),
            }
            times = timed(rounds, sides, given)
            goal = 20.0 if len(ranks) == 1 else 2.5
            ratio = times["gin"][0] / times["ours"][0]
            lines += [
                Row(f"{name}: lexical branch p50 ms", times["ours"][0]),
                Row(f"{name}: GIN and ts_rank_cd p50 ms", times["gin"][0]),
                Row(f"{name}: times faster", ratio, f">= {goal}", ratio >= goal),
            ]
    return lines


def ours(terms: Terms, through: Gates) -> Any:
    return by_words(terms, through, survey(list(terms.words), through))


WITH_GIN = """
WITH {ctes}, q AS (SELECT to_tsquery('english', %(query)s) AS query)
SELECT p."row", ts_rank_cd(p.tsv, q.query) AS rank FROM bench_gin p CROSS JOIN q
WHERE {condition} AND p.tsv @@ q.query ORDER BY rank DESC, p."row" LIMIT 100
"""


def with_gin(words: list[str], through: Gates) -> Any:
    asked = {**through.all.params, "query": " | ".join(words)}
    return rows_of(through.all.fill(WITH_GIN), asked)


@contextmanager
def gin_table(world: BenchWorld) -> Iterator[None]:
    """The comparator of the lexical branch, under the policy of the index tables."""
    with owner() as raw:
        raw.execute("DROP TABLE IF EXISTS bench_gin")
        raw.execute(
            "CREATE TABLE bench_gin AS"
            " SELECT c.workspace_id, c.data_classification, c.audience::integer, e.number AS entity,"
            " 0 AS file, false AS drawn, c.number AS \"row\", c.kind, to_tsvector('english', c.text) AS tsv"
            " FROM ingestion_contextrow c JOIN entities_entity e ON e.id = c.entity_id WHERE c.workspace_id = %s",
            [world.reader.workspace],
        )
        raw.execute("CREATE INDEX ON bench_gin USING gin (tsv)")
        raw.execute("CREATE INDEX ON bench_gin (workspace_id, data_classification)")
        using = f"{WORKSPACE} AND {LABELLED} AND {AUDIENCE}"
        for statement in policy_sql("bench_gin", using, using):
            raw.execute(statement.encode())
        raw.execute("GRANT SELECT ON bench_gin TO PUBLIC")
        raw.execute("ANALYZE bench_gin")
    try:
        yield
    finally:
        with owner() as raw:
            raw.execute("DROP TABLE bench_gin")


def whole_lines(world: BenchWorld, rounds: int) -> list[Row]:
    with world.reader.open():
        times = timed(rounds, {"search": lambda q: search(world.reader, q, limit=tuning().page)}, questions(world))
    goal = 25.0 if world.rows <= 200_000 else 75.0
    p50, p95 = times["search"]
    return [
        Row("whole search, without embedding the question, p50 ms", p50),
        Row("whole search, without embedding the question, p95 ms", p95, f"<= {goal:g}", p95 <= goal),
    ]
