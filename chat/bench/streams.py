"""Open event streams of one web process, started as `make up` starts it.

Streams follow turns that are running and say nothing, so what is measured is what waiting costs. Then one event and the
end are written to every turn: each stream has to get them.
"""

import asyncio
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from uuid import UUID, uuid4

import httpx2
import numpy as np
import psutil
from django.conf import settings
from django.utils import timezone

from chat.models import Event, EventKind, Session, State, Turn
from entities.access import Scope
from entities.actions import add_member, create_entity, create_role, create_workspace
from entities.models import User
from entities.tokens import issue_token
from entities.types import Contract
from retrieval.bench.timing import BenchRow
from retrieval.bench.world import remove_world

READERS = 50
ANSWERS = 3
PATIENCE_SECONDS = 30.0
STARTS_WITHIN_SECONDS = 90.0
SETTLING_SECONDS = 2.0
"""Between the opening of the streams and the questions beside them."""
FIRST_EVENT_MS = 500.0
BESIDE = 1.5


@dataclass(frozen=True)
class Crowd:
    """token: of who asks beside the streams. streams: whom they belong to, pairs of a token and a turn, by the name of
    the case.
    """

    workspace: int
    record: UUID
    token: str
    streams: Mapping[str, Sequence[tuple[str, UUID]]]


@dataclass(frozen=True)
class Stream:
    """An open stream. first: seconds to its first event."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    first: float


def measure_streams(count: int) -> list[BenchRow]:
    """count: of streams, open at once. The rows name them as the suites of `manage.py bench` do."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with make_crowd(count) as made, start_server() as (url, process):
        alone = median(measure_answers(url, made))
        found = [BenchRow("an answer alone, median s", alone)]
        for name, streams in made.streams.items():
            found += asyncio.run(measure_case(name, url, process, made, streams, alone))
    return found


async def measure_case(
    name: str, url: str, process: psutil.Process, made: Crowd, streams: Sequence[tuple[str, UUID]], alone: float
) -> list[BenchRow]:
    before, worked = process.memory_info().rss, read_processor_seconds(process)
    opened = await asyncio.gather(*(open_stream(url, *stream) for stream in streams), return_exceptions=True)
    alive = [stream for stream in opened if isinstance(stream, Stream)]
    grown, worked = process.memory_info().rss - before, read_processor_seconds(process) - worked
    await asyncio.sleep(SETTLING_SECONDS)
    beside = await asyncio.to_thread(measure_answers, url, made)
    ending = [asyncio.create_task(find_end_time(stream)) for stream in alive]
    began = time.monotonic()
    await asyncio.to_thread(end_turns, made.workspace, {turn for _, turn in streams})
    ended = [took - began for took in await asyncio.gather(*ending) if took is not None]
    first = [stream.first * 1000 for stream in alive] or [float("inf")]
    p95, slower = float(np.percentile(first, 95)), median(beside) / alone
    return [
        BenchRow(f"{name}: streams that did not open", len(opened) - len(alive), "= 0", len(alive) == len(opened)),
        BenchRow(f"{name}: first event, median ms", median(first)),
        BenchRow(f"{name}: first event, p95 ms", p95, f"≤ {FIRST_EVENT_MS:.0f}", p95 <= FIRST_EVENT_MS),
        BenchRow(f"{name}: processor time of the web process until then, ms a stream", 1000 * worked / len(streams)),
        BenchRow(f"{name}: an answer beside them, median s", median(beside)),
        BenchRow(f"{name}: an answer beside them, relative to alone", slower, f"≤ {BESIDE}", slower <= BESIDE),
        BenchRow(f"{name}: from the last event's write to its arrival, p95 ms", 1000 * float(np.percentile(ended, 95)))
        if ended
        else BenchRow(f"{name}: nothing arrived", 0, "", False),
        BenchRow(f"{name}: streams that lost an event", len(alive) - len(ended), "= 0", len(alive) == len(ended)),
        BenchRow(f"{name}: memory a stream, kB", grown / max(1, len(alive)) / 1000),
    ]


def read_processor_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


async def open_stream(url: str, token: str, turn: UUID) -> Stream:
    host, port = url.removeprefix("http://").split(":")
    began = time.monotonic()
    async with asyncio.timeout(PATIENCE_SECONDS):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"GET /api/chat/turns/{turn}/events/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token {token}\r\n"
            "Accept: text/event-stream\r\n\r\n".encode()
        )
        await reader.readuntil(b"event: step\n")
    return Stream(reader, writer, time.monotonic() - began)


async def find_end_time(stream: Stream) -> float | None:
    """When the end arrived, by the clock; None where something was lost."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await stream.reader.readuntil(b"event: token\n")
            await stream.reader.readuntil(b"event: done\n")
            return time.monotonic()
    except (TimeoutError, asyncio.IncompleteReadError):
        return None
    finally:
        stream.writer.close()


def end_turns(workspace: int, turns: set[UUID]) -> None:
    """One more event and the end in the log of each turn."""
    service = Scope.for_service(workspace)
    for kind, seq in ((EventKind.TOKEN, 2), (EventKind.DONE, 3)):
        with service.open():
            rows = Turn.objects.filter(pk__in=turns).only("pk", "audience")
            rows.update(last_seq=seq)
            Event.objects.bulk_create(
                Event(
                    workspace_id=workspace, audience=row.audience, turn_id=row.pk, seq=seq, kind=kind,
                    data={"text": "a word"}, data_classification=0,
                )
                for row in rows
            )  # fmt: skip


def measure_answers(url: str, made: Crowd) -> list[float]:
    """Seconds from a question to the end of its answer, in conversations of their own. One that takes longer than
    `PATIENCE_SECONDS` counts as that, and no other is asked after it.
    """
    took: list[float] = []
    headers = {"Authorization": f"Token {made.token}"}
    with httpx2.Client(base_url=url, headers=headers, timeout=PATIENCE_SECONDS) as http:
        for n in range(ANSWERS + 1):
            session = http.post("/api/chat/sessions/", json={"entity": str(made.record)}).json()["id"]
            began = time.monotonic()
            asked = {"content": f"What does clause {n} say?"}
            turn = http.post(f"/api/chat/sessions/{session}/messages/", json=asked).json()["turn"]
            with http.stream("GET", f"/api/chat/turns/{turn}/events/") as events:
                for line in events.iter_lines():
                    if line == "event: done" or time.monotonic() - began > PATIENCE_SECONDS:
                        break
            seconds = min(time.monotonic() - began, PATIENCE_SECONDS)
            if seconds >= PATIENCE_SECONDS:
                return [seconds]
            if n:  # the first one loads what later ones find loaded
                took.append(seconds)
    return took


@contextmanager
def make_crowd(count: int) -> Iterator[Crowd]:
    """A workspace with readers and their turns, for the time of a measurement."""
    workspace = create_workspace(slug=f"bench-{uuid4().hex[:8]}", name="Bench")
    service = Scope.for_service(workspace.pk)
    try:
        with service.open():
            role = create_role(workspace, "Reader", ())
            record = create_entity(scope=service, model=Contract, fields={"name": "Lease of the quay"})
            tokens: list[tuple[str, int]] = []
            for n in range(READERS + 1):
                user = User.objects.create_user(f"bench-{workspace.pk}-{n}")
                tokens.append((issue_token(add_member(workspace, user, [role])), user.pk))
            asker, _ = tokens.pop()
            one = make_turn(workspace.pk, record.pk, tokens[0][1])
            own = [(tokens[n % READERS], n) for n in range(count)]
            streams = {
                "tabs of one reader": [(tokens[0][0], one)] * count,
                f"turns of {READERS} readers": [
                    (secret, make_turn(workspace.pk, record.pk, user)) for (secret, user), _ in own
                ],
            }
        yield Crowd(workspace.pk, record.pk, asker, streams)
    finally:
        remove_world(workspace.pk)


def make_turn(workspace: int, record: UUID, user: int) -> UUID:
    """A turn that is running and has said one thing, in a conversation of its own."""
    session = Session.objects.create(workspace_id=workspace, audience=user, entity_id=record)
    turn = Turn.objects.create(
        workspace_id=workspace, audience=user, session=session, number=1, state=State.RUNNING,
        lease_until=timezone.now() + timedelta(hours=2), last_seq=1,
    )  # fmt: skip
    Event.objects.create(
        workspace_id=workspace, audience=user, turn=turn, seq=1, kind=EventKind.STEP, data={"text": "Thinking"},
        data_classification=0,
    )  # fmt: skip
    return turn.pk


@contextmanager
def start_server() -> Iterator[tuple[str, psutil.Process]]:
    """A web process of this installation, as the supervisor starts it, with the offline engine; its log is dropped.
    Raises: RuntimeError when it does not come up.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "CLEARANCE_SUPERVISOR": f"{settings.CLEARANCE_HOME}:{os.getpid()}",
        "CLEARANCE_BIND": "127.0.0.1",
        "CLEARANCE_PORT": str(port),
        "CLEARANCE_DB_POOL": str(settings.DATABASE_POOL or 16),
        "CLEARANCE_MODEL_TRANSPORT": "offline",
    }
    command = [sys.executable, "-m", "config.child", "web"]
    running = subprocess.Popen(command, env=environment, cwd=settings.BASE, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until_up(url, running)
        yield url, psutil.Process(running.pid)
    finally:
        running.kill()
        running.wait()


def wait_until_up(url: str, running: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + STARTS_WITHIN_SECONDS
    while running.poll() is None and time.monotonic() < deadline:
        with suppress(httpx2.HTTPError):
            if httpx2.get(f"{url}/healthz", timeout=2).status_code == 200:
                return
        time.sleep(0.1)
    raise RuntimeError("The web process did not come up.")
