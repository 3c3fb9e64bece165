"""The measurement itself: it compares like with like, and leaves nothing behind. What it measures is not asserted."""

import json
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from io import StringIO
from uuid import UUID

import psycopg
import pytest
from django.conf import settings as configured
from django.core.management import call_command
from django.db import connection

from chat.bench import memory, streams
from entities.models import User, Workspace
from ingestion.actions import upload_file
from ingestion.inline import process_all_waiting
from retrieval.bench import drop, end_to_end, retrieval, scale
from retrieval.bench.readers import READERS
from tests.ingestion.helpers import upload

pytestmark = pytest.mark.usefixtures("fresh_vectors")


@pytest.mark.django_db(transaction=True)
def test_bench_reports_and_cleans_up(transactional_db, monkeypatch):
    monkeypatch.setattr(retrieval, "QUESTIONS", 2)
    out = StringIO()
    call_command("bench", "retrieval", rows=300, rounds=1, seconds=0.3, json=True, stdout=out)
    rows = {row["name"]: row for row in json.loads(out.getvalue())["rows"]}
    assert rows["rows"]["value"] == 300
    recalls = [row for name, row in rows.items() if "recall@10" in name]
    assert len(recalls) == 2 * len(READERS)
    assert all(row["met"] for row in recalls)
    assert rows["8 users at once: searches a second"]["value"] > 0
    assert all(set(row) == {"name", "value", "goal", "met"} for row in rows.values())
    assert not Workspace.objects.filter(slug__startswith="bench").exists()
    assert not User.objects.filter(username__startswith="bench").exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("suite", ["revocation", "scale"])
def test_the_other_suites_measure_what_they_say(transactional_db, monkeypatch, suite):
    monkeypatch.setattr(scale, "SMALL", 50)
    monkeypatch.setattr(scale, "CALLS", 1)
    out = StringIO()
    call_command("bench", suite, rows=100, rounds=1, json=True, stdout=out)
    rows = json.loads(out.getvalue())["rows"]
    assert [row["name"] for row in rows if row["met"] is False and row["goal"].startswith("=")] == []
    assert not Workspace.objects.filter(slug__startswith="bench").exists()


@pytest.mark.django_db(transaction=True)
def test_streams_of_a_real_web_process_are_measured_and_leave_nothing(transactional_db, monkeypatch):
    monkeypatch.setattr(streams, "ANSWERS", 1)
    monkeypatch.setattr(streams, "READERS", 2)
    monkeypatch.setattr(streams, "SETTLING_SECONDS", 0.1)
    out = StringIO()
    call_command("bench", "streams", streams=4, json=True, stdout=out)
    rows = {row["name"]: row for row in json.loads(out.getvalue())["rows"]}
    for case in ("tabs of one reader", "turns of 2 readers"):
        assert rows[f"{case}: streams that did not open"]["met"]
        assert rows[f"{case}: streams that lost an event"]["met"]
        assert rows[f"{case}: first event, p95 ms"]["value"] > 0
        assert rows[f"{case}: an answer beside them, relative to alone"]["value"] > 0
    assert not Workspace.objects.filter(slug__startswith="bench").exists()
    assert not User.objects.filter(username__startswith="bench").exists()


@pytest.mark.django_db(transaction=True)
def test_memory_is_measured_at_every_length(transactional_db, monkeypatch):
    monkeypatch.setattr(memory, "CONVERSATIONS", 1)
    monkeypatch.setattr(memory, "TURNS", 20)
    monkeypatch.setattr(memory, "LENGTHS", (10, 40))
    monkeypatch.setattr(memory, "TIMED", 3)
    out = StringIO()
    call_command("bench", "memory", rows=100, json=True, stdout=out)
    rows = {row["name"]: row for row in json.loads(out.getvalue())["rows"]}
    assert all(rows[f"a recall among {length} messages, p95 ms"]["value"] > 0 for length in (10, 40, 100))
    assert next(row for name, row in rows.items() if "2,000 tokens, all" in name)["met"]
    assert not Workspace.objects.filter(slug__startswith="bench").exists()


@pytest.mark.django_db(transaction=True)
def test_ingestion_is_measured_beside_what_it_is_built_on_and_leaves_nothing(transactional_db, settings, monkeypatch):
    settings.CELERY_WORKER_CONCURRENCY = 1
    monkeypatch.setattr(end_to_end, "PAGES", 2)
    out = StringIO()
    call_command("bench", "ingest", pages=5, files=2, rounds=1, json=True, stdout=out)
    rows = {row["name"]: row for row in json.loads(out.getvalue())["rows"]}
    assert rows["extraction: share of known characters, in order"]["met"]
    assert rows["extraction: share of known characters, bare pypdfium2"]["value"] > 0.8
    assert rows["end to end: files of 2 ready"]["met"]
    assert rows["embedding: ms of a processor a passage, multilingual-e5-small"]["value"] > 0
    assert rows["embedding: multilingual-e5-small, times all-MiniLM-L6-v2"]["value"] < 3
    assert not Workspace.objects.filter(slug__startswith="bench").exists()
    with psycopg.connect(configured.DATABASE_OWNER_URL) as owner:
        assert owner.execute("SELECT count(*) FROM ingestion_blob").fetchone() == (0,)


@contextmanager
def start_threads(count, database):
    """In the place of processes, which load all libraries anew."""
    with ThreadPoolExecutor(count) as pool:
        yield pool
        list(pool.map(lambda _: connection.close(), range(count)))


@pytest.mark.django_db(transaction=True)
def test_a_note_is_measured_beside_a_drop_of_somebody_else_which_leaves_nothing(
    transactional_db, settings, monkeypatch
):
    settings.CELERY_WORKER_CONCURRENCY = 1
    sent: dict[str, set[int]] = {}

    def send(**how):
        sent.setdefault(how["upload"].name[-3:], set()).add(how["scope"].principal)
        return upload_file(**how)

    monkeypatch.setattr(drop, "upload_file", send)
    monkeypatch.setattr(drop, "start_workers", start_threads)
    monkeypatch.setattr(drop, "SETTLING_SECONDS", 0.1)
    monkeypatch.setattr(drop, "PAGES", (1,))
    out = StringIO()
    call_command("bench", "drop", files=2, rounds=1, json=True, stdout=out)
    rows = {row["name"]: row for row in json.loads(out.getvalue())["rows"]}
    assert rows["drop: seconds until a note is ready, alone"]["value"] > 0
    assert rows["drop: times as long"]["value"] > 0
    (noting,), (dropping,) = sent["txt"], sent["pdf"]
    assert 0 < noting != dropping > 0
    assert not Workspace.objects.filter(slug__startswith="bench").exists()


def test_a_note_that_does_not_get_ready_is_no_measurement(alice, contract, workspace):
    file = UUID(upload(alice, contract, "broken.pdf", b"%PDF-1.7 is all there is").json()["id"])
    worker: Future[None] = Future()
    worker.set_exception(ValueError("The worker fell."))
    with pytest.raises(ValueError, match="fell"):
        drop.wait_for(file, workspace.pk, [Future(), worker])
    process_all_waiting(workspace.pk)
    with pytest.raises(RuntimeError, match="quarantined"):
        drop.wait_for(file, workspace.pk, [])
