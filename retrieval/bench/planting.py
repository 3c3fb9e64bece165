"""The rows of a workspace to measure in, written by the owner of the tables in bulk."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.models import NOT_PROVIDED
from numpy.typing import NDArray

from entities.access.objects import get_permission_number
from entities.types import Contract
from ingestion.models import File, Kind
from retrieval.bench.readers import RESTRICTED_ONLY, SHARES, BenchReader

TOPICS = 64
WORDS = 20_000
WORDS_PER_ROW = 90
BATCH = 5_000
OFF_TOPIC = 0.1
"""Share of a record's rows that are about anything."""

RECORDS = """
INSERT INTO entities_entity (id, workspace_id, content_type_id, name, name_classification, visibility, created_at,
  updated_at, created_by, updated_by, source_system, source_id)
SELECT gen_random_uuid(), %(workspace)s, %(type)s, 'Record ' || n, 0,
  CASE WHEN n %% 2 = 0 AND %(count)s > 1 THEN 'workspace' ELSE 'restricted' END, now(), now(), 0, 0, 'bench', n::text
FROM generate_series(0, %(count)s - 1) n RETURNING id, number
"""
CONTRACTS = """
INSERT INTO entities_contract (workspace_id, entity_ptr_id, counterparty, currency, status)
SELECT workspace_id, id, '', 'EUR', 'draft' FROM entities_entity WHERE workspace_id = %s
"""
FILES = """
INSERT INTO ingestion_file (id, workspace_id, entity_id, created_at, updated_at, woken_at, {columns})
SELECT gen_random_uuid(), workspace_id, id, now(), now(), now(), {values}
FROM entities_entity WHERE workspace_id = %s RETURNING entity_id, id
"""
NAMED = {"id", "workspace", "entity", "created_at", "updated_at", "woken_at"}
"""Columns that the statement gives."""
GRANTS = """
INSERT INTO entities_entityrolegrant (workspace_id, permission_id, group_id, content_object_id)
SELECT %s, %s, %s, unnest(%s::uuid[])
"""
TEXTS = """
INSERT INTO ingestion_contextrow (id, workspace_id, data_classification, audience, kind, entity_id, file_id, field,
  text, heading_path, position, tokens, lang, digest, witness, created_at)
SELECT g.id, %s, g.label, 0, %s, g.entity, g.file, '', g.text, '', g.position, 0, 'en', '', '', now()
FROM unnest(%s::uuid[], %s::int[], %s::uuid[], %s::uuid[], %s::text[], %s::int[])
  g (id, label, entity, file, text, position)
"""
VECTORS = """
INSERT INTO ingestion_vector
  (workspace_id, data_classification, audience, entity, file, "row", kind, model, embedding, drawn)
SELECT c.workspace_id, c.data_classification, 0, e.number, f.number, c.number, c.kind, m.id, g.vector, false
FROM given g JOIN ingestion_contextrow c ON c.id = g.id JOIN entities_entity e ON e.id = c.entity_id
JOIN ingestion_file f ON f.id = c.file_id JOIN ingestion_vectormodel m ON m.model_id = %s
"""


@dataclass(frozen=True)
class Records:
    """In the order of their numbers in the workspace: even ones are open to it, odd ones restricted."""

    ids: Sequence[UUID]
    files: Sequence[UUID]


def plant_records(raw: psycopg.Connection, workspace: int, count: int, readers: Sequence[BenchReader]) -> Records:
    """Records with a file each, and the readers' grants. By SQL: `bulk_create` refuses multi-table inheritance."""
    contract = ContentType.objects.get_for_model(Contract).pk
    made = raw.execute(RECORDS, {"workspace": workspace, "type": contract, "count": count}).fetchall()
    raw.execute(CONTRACTS, [workspace])
    file_of = plant_files(raw, workspace)
    ids = [pk for pk, _ in made]
    restricted = ids[1::2]  # a record that is alone is granted by whoever measures
    for reader in readers:
        granted = restricted[: round(reader.granted * len(restricted)) or (1 if reader.granted else 0)]
        if granted:
            raw.execute(GRANTS, [workspace, get_permission_number("view"), reader.group, granted])
    return Records(ids, [file_of[pk] for pk in ids])


def plant_files(raw: psycopg.Connection, workspace: int) -> dict[UUID, UUID]:
    """A ready file on each record of the workspace, as the model makes one. Record -> file."""
    file = File(collection="documents", name="file.txt", state="ready", stage="done", progress=100)
    rest = [
        f for f in File._meta.concrete_fields if f.name not in NAMED and not f.null and f.db_default is NOT_PROVIDED
    ]
    values = [field.get_db_prep_save(getattr(file, field.attname), connection) for field in rest]
    columns = ", ".join(f'"{field.column}"' for field in rest)
    statement = FILES.format(columns=columns, values=", ".join(["%s"] * len(rest)))
    return dict(raw.execute(statement.encode(), [*values, workspace]).fetchall())


def scale_to_unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return scaled


def share_direction(vectors: NDArray[Any], shared: float) -> NDArray[np.float32]:
    """The vectors, (n, dim), with a length of 1 and a part in common: two that have nothing else in common have the
    cosine `shared`, 0 to 1.
    """
    apart = np.sqrt(1 - shared) * scale_to_unit(vectors)
    apart[..., 0] += np.sqrt(shared)
    return scale_to_unit(apart)


def plant_rows(
    raw: psycopg.Connection,
    workspace: int,
    model_id: str,
    records: Records,
    words: Sequence[str],
    topics: NDArray[np.float32],
    count: int,
    random: np.random.Generator,
    shared: float,
) -> None:
    """Index rows with text (words by Zipf's law) and a vector. Postings follow by trigger. shared: see
    `share_direction`.
    """
    labels = random.choice(list(SHARES), count, p=np.array(list(SHARES.values())) / sum(SHARES.values()))
    chosen = random.integers(0, len(records.ids), count)
    chosen = np.where((labels == RESTRICTED_ONLY) & (chosen % 2 == 0), (chosen + 1) % len(records.ids), chosen)
    about = np.where(random.random(count) < OFF_TOPIC, random.integers(0, TOPICS, count), chosen % TOPICS)
    vectors = share_direction(topics[about] + 0.07 * random.standard_normal((count, topics.shape[1])), shared)
    ranks = np.minimum(random.zipf(1.2, (count, WORDS_PER_ROW)) - 1, WORDS - 1)
    ids = [uuid4() for _ in range(count)]
    texts = [" ".join(words[n] for n in row) for row in ranks]
    entities, files = [records.ids[n] for n in chosen], [records.files[n] for n in chosen]
    positions = random.integers(0, 1_000_000, count).tolist()
    raw.execute(TEXTS, [workspace, int(Kind.FILE_CHUNK), ids, labels.tolist(), entities, files, texts, positions])
    raw.execute("CREATE TEMP TABLE IF NOT EXISTS given (id uuid, vector halfvec) ON COMMIT DELETE ROWS")
    halves = np.zeros((count, topics.shape[1] + 2), dtype=">i2")
    halves[:, 0] = topics.shape[1]
    halves[:, 2:] = vectors.astype(">f2").view(">i2")
    with raw.cursor().copy("COPY given FROM STDIN (FORMAT binary)") as copy:
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        for pk, half in zip(ids, halves, strict=True):
            sent = half.tobytes()
            copy.write(b"\0\2\0\0\0\x10" + pk.bytes + len(sent).to_bytes(4, "big") + sent)
        copy.write(b"\xff\xff")
    raw.execute(VECTORS, [model_id])
