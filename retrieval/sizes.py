"""What is known of the installation's size, looked up once a minute: it decides only how long a search takes."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from retrieval.statements import fetch_rows

LASTS = 60.0
"""Seconds."""

RECORDS = "SELECT reltuples FROM pg_class WHERE oid = 'entities_entity'::regclass"
GRAPHS = """
SELECT m.model_id, m.id, c.reltuples FROM ingestion_vectormodel m
JOIN pg_class c ON c.relname = 'ingestion_vector_graph_' || m.id
JOIN pg_index i ON i.indexrelid = c.oid AND i.indisvalid
"""


@dataclass(frozen=True)
class Sizes:
    """records: of all workspaces. graphs: model id -> (its number, vectors), where its graph is built."""

    records: float
    graphs: Mapping[str, tuple[int, float]]
    until: float = field(compare=False)


_known: Sizes | None = None


def read_sizes() -> Sizes:
    """As they were less than `LASTS` seconds ago."""
    global _known
    now = time.monotonic()
    if _known is None or _known.until < now:
        ((records,),) = fetch_rows(RECORDS, {})
        graphs = {model_id: (model, vectors) for model_id, model, vectors in fetch_rows(GRAPHS, {})}
        _known = Sizes(max(records, 0.0), graphs, now + LASTS)
    return _known


def forget_sizes() -> None:
    """Look again at the next search."""
    global _known
    _known = None
