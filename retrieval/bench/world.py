"""A workspace to measure in: invented words, vectors that go with their records, and readers of every share of it.

Every second record is open to the workspace, the others are restricted. Records have topics, and most of a record's
rows are near its topic, so that a reader of few records has topics of which they see nothing.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import uuid4

import numpy as np
import psycopg
from django.conf import settings
from numpy.typing import NDArray
from psycopg import sql

from entities.access import Scope
from entities.actions import create_workspace
from ingestion import vector_graph
from ingestion.models import VectorModel
from retrieval.bench.planting import BATCH, TOPICS, WORDS, plant_records, plant_rows, scale_to_unit
from retrieval.bench.readers import BenchReader, make_readers
from retrieval.sizes import forget_sizes

MODEL = "bench"
DIM = 384
ROWS_PER_RECORD = 40


@dataclass(frozen=True)
class BenchWorld:
    """rows: how many the workspace has. words: the vocabulary, commonest first. topics: the centres of the vectors.
    shared: the cosine of vectors that have nothing in common.
    """

    service: Scope
    rows: int
    words: tuple[str, ...]
    topics: NDArray[np.float32]
    readers: Mapping[str, BenchReader]
    shared: float = 0.0


@contextmanager
def connect_as_owner() -> Iterator[psycopg.Connection]:
    """The owner of the tables, whom row-level security does not bind."""
    with psycopg.connect(settings.DATABASE_OWNER_URL) as raw:
        yield raw


@contextmanager
def bench_world(rows: int, *, records: int | None = None, seed: int = 1, shared: float = 0.0) -> Iterator[BenchWorld]:
    """Made for the time of a measurement and taken away after it. records: their number, else by `ROWS_PER_RECORD`."""
    workspace = create_workspace(slug=f"bench-{uuid4().hex[:8]}", name="Bench")
    records = records or max(64, rows // ROWS_PER_RECORD)
    try:
        yield plant_world(workspace.pk, rows, records, np.random.default_rng(seed), shared)
    finally:
        remove_world(workspace.pk)


def plant_world(
    workspace: int, rows: int, records: int, random: np.random.Generator, shared: float = 0.0
) -> BenchWorld:
    """Records, files, rows, vectors, their graph where it pays, and readers."""
    service = Scope.for_service(workspace)
    words = tuple(f"w{n:05d}x" for n in range(WORDS))
    topics = scale_to_unit(random.standard_normal((TOPICS, DIM)))
    with service.open():
        readers = make_readers(workspace)
        VectorModel.objects.get_or_create(model_id=MODEL, defaults={"dim": DIM})
    with connect_as_owner() as raw:
        made = plant_records(raw, workspace, records, list(readers.values()))
        for start in range(0, rows, BATCH):
            plant_rows(raw, workspace, MODEL, made, words, topics, min(BATCH, rows - start), random, shared)
            raw.commit()
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as raw:
        raw.execute("VACUUM (ANALYZE) ingestion_contextrow, ingestion_vector, ingestion_posting, entities_entity")
    vector_graph.build_graphs()
    forget_sizes()
    return BenchWorld(service, rows, words, topics, readers, shared)


def remove_world(workspace: int) -> None:
    """Everything of one workspace, by the owner, in one transaction: the constraints are checked at its end."""
    with connect_as_owner() as raw:
        raw.execute("SET CONSTRAINTS ALL DEFERRED")
        raw.execute("DELETE FROM entities_user u WHERE u.username LIKE %s", [f"bench-{workspace}-%"])
        tables = raw.execute(
            "SELECT c.table_name FROM information_schema.columns c"
            " JOIN information_schema.tables t USING (table_schema, table_name) WHERE c.table_schema = 'public'"
            " AND c.column_name = 'workspace_id' AND t.table_type = 'BASE TABLE'"
        ).fetchall()
        for (table,) in tables:
            statement = sql.SQL("DELETE FROM {} WHERE workspace_id = %s").format(sql.Identifier(table))
            raw.execute(statement, [workspace])
        raw.execute("DELETE FROM entities_workspace WHERE id = %s", [workspace])
        unused = raw.execute(
            "SELECT id FROM ingestion_vectormodel m WHERE model_id = %s"
            " AND NOT EXISTS (SELECT FROM ingestion_vector v WHERE v.model = m.id)",
            [MODEL],
        ).fetchall()
        for (model,) in unused:
            raw.execute(f"DROP INDEX IF EXISTS ingestion_vector_graph_{int(model)}".encode())
            raw.execute("DELETE FROM ingestion_vectormodel WHERE id = %s", [model])


def count_visible_rows(reader: BenchReader) -> int:
    """Rows that `reader` may search, within their open scope."""
    from retrieval.gate import build_gates
    from retrieval.query import Within
    from retrieval.statements import fetch_rows

    through = build_gates(reader.scope, Within()).all
    statement = "WITH {ctes} SELECT count(*) FROM ingestion_posting p WHERE {condition} AND p.term = 0"
    return int(fetch_rows(through.fill(statement), through.params)[0][0])
