"""`manage.py bench revocation`: a grant on one record with all rows of a workspace is taken back."""

from time import perf_counter

import numpy as np

from entities.access import grant_entity, revoke_entity
from entities.models import Entity
from retrieval.bench.retrieval import build_questions
from retrieval.bench.timing import BenchRow
from retrieval.bench.world import bench_world, connect_as_owner, count_visible_rows
from retrieval.search import search

WRITTEN = {
    table: f"SELECT count(*), sum(hashtext(xmin::text || ctid::text)) FROM {table} WHERE workspace_id = %s"  # noqa: S608
    for table in ("ingestion_contextrow", "ingestion_vector", "ingestion_posting")
}


def measure_revocation(rows: int, rounds: int, seconds: float, plans: list[str]) -> list[BenchRow]:
    """The time from before the statement to after its commit, and what the next transaction sees."""
    with bench_world(rows, records=1) as world:
        reader, asked = world.readers["all of it"], build_questions(world)[0]
        with world.service.open():
            record = Entity.objects.get()
        before = read_index_state(world.service.workspace)
        taken, obeyed = [], True
        for _ in range(rounds):
            with world.service.open():
                grant_entity(record, reader.user.pk, ["view"])
            with reader.scope.open():
                obeyed &= count_visible_rows(reader) == rows and bool(search(reader.scope, asked))
            start = perf_counter()
            with world.service.open():
                revoke_entity(record, reader.user.pk)
            taken.append((perf_counter() - start) * 1000)
            with reader.scope.open():
                obeyed &= count_visible_rows(reader) == 0 and not search(reader.scope, asked)
        rewritten = read_index_state(world.service.workspace) != before
    worst = max(taken)
    return [
        BenchRow("rows of the record", rows),
        BenchRow("revoking, with its commit: median ms", float(np.median(taken))),
        BenchRow("revoking, with its commit: worst ms", worst, "<= 10", worst <= 10),
        BenchRow("the next transaction obeys", float(obeyed), "= 1", obeyed),
        BenchRow("index rows rewritten", float(rewritten), "= 0", not rewritten),
    ]


def read_index_state(workspace: int) -> list[tuple[int, int]]:
    """(rows, a sum that any new version of one changes) of each index table."""
    with connect_as_owner() as raw:
        return [raw.execute(statement.encode(), [workspace]).fetchone() or (0, 0) for statement in WRITTEN.values()]
