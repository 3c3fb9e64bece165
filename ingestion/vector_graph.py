"""The graph (HNSW index) over the vectors of a model, which search walks for readers of many rows (docs/adr/0013).

One index a model, over all workspaces: PostgreSQL keeps it in step. Making it takes the owner of the tables, and time:
about a minute for 200,000 vectors of 384 dimensions on two cores.
"""

import psycopg
from django.conf import settings
from psycopg import sql

FEWEST = 50_000
"""Vectors of a model below which all of them are read faster."""
MOST_IN_A_TASK = 1_000_000
"""Vectors above which building takes longer than a task may run: `manage.py build_vector_graph` does it."""
MOST_DIMENSIONS = 4_000
"""What pgvector can build a graph of; vectors of more are always compared one by one."""

BUILD = """CREATE INDEX CONCURRENTLY {name} ON ingestion_vector
USING hnsw ((embedding::halfvec({dim})) halfvec_cosine_ops)
WITH (m = 24, ef_construction = 200) WHERE model = {model}"""


def build_graphs(*, fewest: int = FEWEST, most: int | None = None) -> list[str]:
    """Build the graphs that are missing of models with `fewest` to `most` vectors. Returns their models' ids.

    Writers go on meanwhile. What an earlier attempt left unfinished is dropped first.
    """
    built = []
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as owner:
        if not fetch_value(owner, "SELECT pg_try_advisory_lock(hashtext('clearance.graph'))"):
            return []
        models = owner.execute("SELECT id, model_id, dim FROM ingestion_vectormodel ORDER BY id").fetchall()
        for model, model_id, dim in models:
            name = f"ingestion_vector_graph_{model}"
            valid = fetch_value(owner, "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", name)
            count = int(str(fetch_value(owner, "SELECT count(*) FROM ingestion_vector WHERE model = %s", model)))
            if valid or dim > MOST_DIMENSIONS or count < fewest or (most is not None and count > most):
                continue
            parts = {"name": sql.Identifier(name), "dim": sql.Literal(dim), "model": sql.Literal(model)}
            if valid is False:
                owner.execute(sql.SQL("DROP INDEX CONCURRENTLY {name}").format(**parts))
            owner.execute(f"SET maintenance_work_mem = '{estimate_megabytes(count, dim)}MB'".encode())
            owner.execute(sql.SQL(BUILD).format(**parts))
            built.append(model_id)
    return built


def drop_unused() -> None:
    """Drop the graphs of models that no workspace has vectors of any more."""
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as owner:
        for (model,) in owner.execute("SELECT id FROM ingestion_vectormodel ORDER BY id").fetchall():
            if fetch_value(owner, "SELECT NOT EXISTS (SELECT FROM ingestion_vector WHERE model = %s)", model):
                name = sql.Identifier(f"ingestion_vector_graph_{model}")
                owner.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {name}").format(name=name))


def estimate_megabytes(count: int, dim: int) -> int:
    """What a graph of so many vectors takes while it is built; with less, the building goes on on disk, far slower."""
    return min(4096, 64 + count * (2 * dim + 1_000) // 1_000_000)


def fetch_value(owner: psycopg.Connection, statement: str, *params: object) -> object:
    row = owner.execute(statement.encode(), params).fetchone()
    return row[0] if row else None
