import sys

import psutil
import psycopg
import pytest

from config.checks import reclaim_messages
from config.roles import MQ
from tests.processes import wait_for
from tests.tasks import append, append_slowly


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_task_travels_to_a_worker_and_runs_again_where_that_is_killed(start_worker, tmp_path):
    worker = start_worker()
    append.delay(str(tmp_path / "first"), "hello")
    wait_for(lambda: lines(tmp_path / "first") == ["hello"], "the task")
    if sys.platform == "linux":  # what labels have to be found with is there before the first file of a process
        forked = psutil.Process(worker.popen.pid).children()
        assert forked
        assert all(any("spacy" in part.path for part in process.memory_maps()) for process in forked)

    log = tmp_path / "log"
    append_slowly.delay(str(log), "work", 0.5)
    wait_for(lambda: lines(log) == ["begin work"], "the task to begin")
    worker.kill()
    assert lines(log) == ["begin work"]
    reclaim_messages()
    start_worker()
    wait_for(lambda: lines(log) == ["begin work", "begin work", "end work"], "the task to be repeated")


def test_broker_role_owns_its_schema(cluster, transactional_db):
    with psycopg.connect(cluster.url(MQ), autocommit=True) as broker:
        broker.execute("CREATE TABLE pgmq.mine (id int)")
        broker.execute("DROP TABLE pgmq.mine")


@pytest.mark.parametrize(
    "statement",
    ["SELECT * FROM public.django_session", "CREATE TABLE public.mine (id int)", "CREATE SCHEMA mine"],
)
def test_broker_role_is_confined_to_its_schema(cluster, transactional_db, statement):
    with (
        psycopg.connect(cluster.url(MQ), autocommit=True) as broker,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        broker.execute(statement)


def test_application_role_does_not_reach_the_broker(app_connection):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        app_connection.execute("SELECT * FROM pgmq.meta")
