"""A workspace to measure in: invented words, clustered vectors, skewed labels, every second record restricted."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import uuid4

import numpy as np
import psycopg
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from numpy.typing import NDArray
from psycopg import sql

from entities.access import Scope
from entities.actions import add_member, create_role, create_workspace
from entities.models import Entity, User
from entities.models.classification import INTERNAL
from entities.types import Contract
from ingestion.models import Kind, VectorModel

MODEL = "bench"
DIM = 384
TOPICS = 64
LABELS = (0, 1, 2, 3, 4, 5, 6)
SHARES = (0.35, 0.3, 0.15, 0.08, 0.02, 0.08, 0.02)
ROWS_PER_RECORD = 40
WORDS = 20_000
WORDS_PER_ROW = 90
BATCH = 5_000


@dataclass(frozen=True)
class BenchWorld:
    """rows: how many the workspace has. words: the vocabulary, commonest first. topics: the centres of the vectors."""

    reader: Scope
    service: Scope
    rows: int
    words: tuple[str, ...]
    topics: NDArray[np.float32]


@contextmanager
def owner() -> Iterator[psycopg.Connection]:
    """The owner of the tables, whom row-level security does not bind."""
    with psycopg.connect(settings.DATABASE_OWNER_URL) as raw:
        yield raw


@contextmanager
def bench_world(rows: int, seed: int = 1) -> Iterator[BenchWorld]:
    """Made for the time of a measurement and taken away after it."""
    random = np.random.default_rng(seed)
    slug = f"bench-{uuid4().hex[:8]}"
    workspace = create_workspace(slug=slug, name="Bench")
    service = Scope.for_service(workspace.pk)
    user = User.objects.create_user(slug)
    try:
        with service.open():
            role = create_role(workspace, "Reader", [INTERNAL])
            add_member(workspace, user, [role])
            records = plant_records(workspace.pk, max(1, rows // ROWS_PER_RECORD))
            VectorModel.objects.get_or_create(model_id=MODEL, defaults={"dim": DIM})
        words = tuple(f"w{n:05d}x" for n in range(WORDS))
        topics = unit(random.standard_normal((TOPICS, DIM)))
        for start in range(0, rows, BATCH):
            with service.open():
                plant_rows(workspace.pk, records, words, topics, min(BATCH, rows - start), random)
        with owner() as raw:
            raw.execute("ANALYZE ingestion_contextrow, ingestion_vector, ingestion_posting, entities_entity")
        yield BenchWorld(Scope.for_user(user, slug), service, rows, words, topics)
    finally:
        remove(workspace.pk)
        user.delete()


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return scaled


def plant_records(workspace: int, count: int) -> list[tuple[str, int]]:
    """(id, number) of records, every second one restricted. By SQL: `bulk_create` refuses multi-table inheritance."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO entities_entity (id, workspace_id, content_type_id, name, name_classification, visibility,"
            " created_at, updated_at, created_by, updated_by, source_system, source_id)"
            " SELECT gen_random_uuid(), %s, %s, 'Record ' || n, 0,"
            " CASE n %% 2 WHEN 0 THEN 'restricted' ELSE 'workspace' END, now(), now(), 0, 0, 'bench', n::text"
            " FROM generate_series(1, %s) n RETURNING id, number",
            [workspace, ContentType.objects.get_for_model(Contract).pk, count],
        )
        made = cursor.fetchall()
        cursor.execute(
            "INSERT INTO entities_contract (entity_ptr_id, counterparty, currency, status)"
            " SELECT id, '', 'EUR', 'draft' FROM entities_entity WHERE workspace_id = %s",
            [workspace],
        )
    return [(str(pk), number) for pk, number in made]


def plant_rows(
    workspace: int,
    records: list[tuple[str, int]],
    words: tuple[str, ...],
    topics: NDArray[np.float32],
    count: int,
    random: np.random.Generator,
) -> None:
    """Index rows with text (Zipf's law) and a vector near one of the topics. Postings follow by trigger."""
    labels = random.choice(LABELS, count, p=SHARES)
    chosen = random.integers(0, len(records), count)
    ranks = np.minimum(random.zipf(1.2, (count, WORDS_PER_ROW)) - 1, WORDS - 1)
    noise = 0.07 * random.standard_normal((count, DIM))
    vectors = unit(topics[random.integers(0, TOPICS, count)] + noise)
    ids = [str(uuid4()) for _ in range(count)]
    texts = [" ".join(words[n] for n in row) for row in ranks]
    literals = [f"[{','.join(f'{x:.4f}' for x in vector)}]" for vector in vectors]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO ingestion_contextrow (id, workspace_id, data_classification, audience, kind, entity_id, field,"
            " text, heading_path, position, tokens, lang, digest, witness, created_at)"
            " SELECT g.id, %s, g.label, 0, %s, g.entity, '', g.text, '', 0, 0, 'en', '', '', now()"
            " FROM unnest(%s::uuid[], %s::int[], %s::uuid[], %s::text[]) g (id, label, entity, text)",
            [workspace, int(Kind.METADATA), ids, labels.tolist(), [records[n][0] for n in chosen], texts],
        )
        cursor.execute(
            'INSERT INTO ingestion_vector (workspace_id, data_classification, audience, entity, file, "row", kind,'
            " model, embedding, drawn) SELECT c.workspace_id, c.data_classification, 0, e.number, 0, c.number, c.kind,"
            " m.id, g.vector::halfvec, false FROM unnest(%s::uuid[], %s::text[]) g (id, vector)"
            " JOIN ingestion_contextrow c ON c.id = g.id JOIN entities_entity e ON e.id = c.entity_id"
            " JOIN ingestion_vectormodel m ON m.model_id = %s",
            [ids, literals, MODEL],
        )


def remove(workspace: int) -> None:
    """Everything of one workspace, by the owner, in one transaction: the constraints are checked at its end."""
    with owner() as raw:
        raw.execute("SET CONSTRAINTS ALL DEFERRED")
        tables = raw.execute(
            "SELECT c.table_name FROM information_schema.columns c"
            " JOIN information_schema.tables t USING (table_schema, table_name) WHERE c.table_schema = 'public'"
            " AND c.column_name = 'workspace_id' AND t.table_type = 'BASE TABLE'"
        ).fetchall()
        for (table,) in tables:
            statement = sql.SQL("DELETE FROM {} WHERE workspace_id = %s").format(sql.Identifier(table))
            raw.execute(statement, [workspace])
        raw.execute("DELETE FROM entities_workspace WHERE id = %s", [workspace])


def count_visible(reader: Scope) -> int:
    """Rows that `reader` may search, within its open scope."""
    seen = Entity.objects.visible_to(reader).order_by().values("number")
    compiled, params = seen.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ingestion_vector WHERE entity IN ({compiled})", params)  # noqa: S608
        return int(cursor.fetchone()[0])
