"""When what was found came in, as its reader may know it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from entities.access import Scope
from ingestion.known_versions import TOLD_AT
from retrieval.results import SearchResult
from retrieval.search import FoundHits, choose_results
from retrieval.tuning import load_tuning

# As the filter by days knows it (`retrieval.gate`).
CAME_IN = f"""SELECT c.id, coalesce(told.at, c.created_at)
FROM ingestion_contextrow c LEFT JOIN ({TOLD_AT}) told ON told.file = c.file_id WHERE c.id = ANY(%s)"""  # noqa: S608

NEWEST = "newest"


@dataclass(frozen=True)
class DatedResults:
    """results: the newest first. days: of each, when it came in."""

    results: list[SearchResult]
    days: dict[UUID, datetime]


def choose_newest(scope: Scope, found: FoundHits) -> DatedResults:
    """Of the best `load_tuning().most`, in the open scope."""
    # Neighbours filled up what was chosen: they would take the places of what was found.
    results = [result for result in choose_results(scope, found, limit=load_tuning().most) if result.is_found]
    days = find_days(results)
    return DatedResults(put_newest_first(results, days), days)


def find_days(results: Iterable[SearchResult]) -> dict[UUID, datetime]:
    """By result, in the scope in which it was loaded."""
    with connection.cursor() as cursor:
        cursor.execute(CAME_IN, [[result.id for result in results]])
        return dict(cursor.fetchall())


def put_newest_first(results: Sequence[SearchResult], days: dict[UUID, datetime]) -> list[SearchResult]:
    """Equally new ones stay in their order. What was hidden meanwhile has no day, and is left out."""
    return sorted((r for r in results if r.id in days), key=lambda result: days[result.id], reverse=True)
