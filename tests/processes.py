"""Real servers and workers on the database of the test run, for tests that kill them or look at them from outside."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import psycopg
import pytest
from django.conf import settings
from psycopg import sql

from config.postgres import Cluster
from config.roles import MQ

STARTS_WITHIN = 270.0  # seconds; a whole installation takes 35 on a quiet machine, more than 90 on a busy one


@dataclass(frozen=True)
class Process:
    popen: subprocess.Popen[bytes]

    def kill(self) -> None:
        """SIGKILL to the process and its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.popen.pid, 9)
        self.popen.wait()


@dataclass(frozen=True)
class Server(Process):
    url: str  # without a slash at the end


def wait_for(
    condition: Callable[[], object], what: str, seconds: float = STARTS_WITHIN, pause_seconds: float = 0.05
) -> None:
    """Raises: AssertionError when `condition` stays false for `seconds`; exceptions count as false."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(Exception):
            if condition():
                return
        time.sleep(pause_seconds)
    raise AssertionError(f"waited {seconds:g} s in vain for {what}")


def spawn(name: str, **environment: str) -> subprocess.Popen[bytes]:
    """A process of config.child in a session of its own; it dies with the test run."""
    supervisor = {"CLEARANCE_SUPERVISOR": f"{settings.CLEARANCE_HOME}:{os.getpid()}"}
    return subprocess.Popen(
        [sys.executable, "-m", "config.child", name],
        env={**os.environ, **supervisor, **environment},
        cwd=settings.BASE,
        start_new_session=True,
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def start_server(cluster: Cluster, transactional_db: None) -> Iterator[Callable[..., Server]]:
    """Starts web servers: `server = start_server(VARIABLE="value")`, then `server.url`, `server.kill()`."""
    started: list[Server] = []

    def start(**environment: str) -> Server:
        started.append(spawn_server(**environment))
        return wait_for_server(started[-1])

    yield start
    for server in started:
        server.kill()


@pytest.fixture
def server(transactional_db: None, shared_servers: list[Server]) -> Server:
    """A web server that other tests used before: starting one takes four seconds. A test may kill it."""
    if not shared_servers or shared_servers[-1].popen.poll() is not None:
        shared_servers.append(spawn_server())
    return wait_for_server(shared_servers[-1])


@pytest.fixture(scope="session")
def shared_servers(cluster: Cluster) -> Iterator[list[Server]]:
    started: list[Server] = []
    yield started
    for server in started:
        server.kill()


def spawn_server(**environment: str) -> Server:
    port = free_port()
    process = spawn("web", CLEARANCE_PORT=str(port), CLEARANCE_DB_POOL="4", **environment)
    return Server(process, f"http://127.0.0.1:{port}")


def wait_for_server(server: Server) -> Server:
    """The server, when it answers."""
    wait_for(lambda: server.popen.poll() is not None or answers(f"{server.url}/healthz"), "the web server")
    assert server.popen.poll() is None, "the web server ended"
    return server


def answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except urllib.error.HTTPError:
        return True
    return True


@pytest.fixture
def start_worker(cluster: Cluster, transactional_db: None) -> Iterator[Callable[[], Process]]:
    """Starts Celery workers on an empty queue: `worker = start_worker()`, then `worker.kill()`."""
    empty_queue(cluster)
    started: list[Process] = []

    def start() -> Process:
        worker = Process(spawn("worker"))
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.kill()
    empty_queue(cluster)


def empty_queue(cluster: Cluster) -> None:
    queue = sql.Identifier("pgmq", "q_" + re.sub(r"\W", "_", settings.CELERY_TASK_DEFAULT_QUEUE))
    with suppress(psycopg.errors.UndefinedTable), psycopg.connect(cluster.url(MQ)) as broker:
        broker.execute(sql.SQL("DELETE FROM {}").format(queue))
