"""`manage.py bench scale`: searches, lists and pages of a workspace of 1,000 records, and of one of many more."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext

from retrieval.bench.readers import BenchReader
from retrieval.bench.retrieval import build_questions
from retrieval.bench.timing import BenchRow, measure_sides
from retrieval.bench.world import BenchWorld, bench_world
from retrieval.search import search

SMALL = 1_000
CALLS = 10
"""Of each door, in each round."""
READER = "one label, open records"


def measure_scale(rows: int, rounds: int, seconds: float, plans: list[str]) -> list[BenchRow]:
    """rows: of the large workspace, which has as many records, each with a file; the small one has `SMALL`."""
    with ExitStack() as stack, override_settings(ALLOWED_HOSTS=["*"], SECURE_SSL_REDIRECT=False):
        small = stack.enter_context(bench_world(SMALL, records=SMALL))
        large = stack.enter_context(bench_world(rows, records=rows))
        lines = [BenchRow("records, files and rows of the large workspace", rows)]
        doors = [build_doors(world) for world in (small, large)]
        for name in doors[0]:
            lines += measure_door(name, doors[0][name], doors[1][name], rounds)
    return lines


def build_doors(world: BenchWorld) -> dict[str, Callable[[Any], Any]]:
    reader = world.readers[READER]
    base, asked = f"/w/{reader.scope.slug}", build_questions(world)[0]
    client = Client()
    client.force_login(reader.user)

    def request_page(path: str, **headers: str) -> Callable[[Any], Any]:
        def get(_: Any) -> None:
            answer = client.get(path, headers=headers)
            assert answer.status_code == 200, (path, answer.status_code)

        return get

    record = client.get("/api/entities/contract/", headers={"X-Workspace": reader.scope.slug}).json()["results"][0]
    return {
        "search": lambda _: run_search(reader, asked),
        "search page, by words": request_page(f"{base}/search/?q={asked.text.replace(' ', '+')}"),
        "suggestions": request_page(f"{base}/search/suggest/?q={record['name'][:4]}"),
        "related records": request_page(f"{base}/entities/{record['id']}/related/"),
        "list page": request_page(f"{base}/records/contract/"),
        "list page, by status": request_page(f"{base}/records/contract/?status=draft"),
        "list page, the last": request_page(f"{base}/records/contract/?page=last"),
        "list, API": request_page("/api/entities/contract/", **{"X-Workspace": reader.scope.slug}),
        "record page": request_page(f"{base}/entities/{record['id']}/"),
        "home page": request_page(f"{base}/"),
    }


def run_search(reader: BenchReader, asked: Any) -> None:
    with reader.scope.open():
        search(reader.scope, asked)


def measure_door(name: str, small: Callable[[Any], Any], large: Callable[[Any], Any], rounds: int) -> list[BenchRow]:
    counts = []
    for door in (small, large):
        door(None)
        with CaptureQueriesContext(connection) as captured:
            door(None)
        counts.append(len(captured))
    times = measure_sides(rounds, {"small": small, "large": large}, range(CALLS))
    ratio = times["large"].p50 / times["small"].p50
    # A page that is not full asks for neighbours, and a word that is not found for its spelling, however much there is.
    more = counts[1] - counts[0]
    return [
        *times["small"].rows(f"{name}: {SMALL:,} records"),
        *times["large"].rows(f"{name}: all records"),
        BenchRow(f"{name}: times as long", ratio, "<= 2", ratio <= 2),
        BenchRow(f"{name}: more statements", more, "<= 2", more <= 2),
    ]
