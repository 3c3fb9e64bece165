"""Conversations in tests: real turns in threads, on the database of the run, with an indexed document."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection

from chat import runner
from config.asgi import application
from entities.models import Entity
from llm import scripted
from tests.conftest import Person
from tests.retrieval.conftest import Index, index  # noqa: F401  fixture

CAP = "The liability cap under this lease is two million euros in total."
SALARY = "Jane Miller earns a salary of 91,000 euros a year as harbour master."


@pytest.fixture(autouse=True)
def _commits(connection_pool: None) -> Iterator[None]:
    """Turns run in threads with connections of their own: what a test writes must be committed."""
    yield
    runner.wait_until_idle()


@dataclass(frozen=True)
class SentEvent:
    id: int
    kind: str
    data: dict[str, Any]


def is_somebody_waiting() -> bool:
    """For a lock of this database: other tests have their own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks w WHERE NOT granted AND EXISTS (SELECT FROM pg_locks h"
            " JOIN pg_database d ON d.oid = h.database WHERE h.pid = w.pid AND d.datname = current_database())"
        )
        return bool(cursor.fetchone()[0])


def events_of(body: bytes) -> list[SentEvent]:
    """Server-sent events as a client reads them."""
    found = []
    for block in body.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "event" in fields:
            found.append(SentEvent(int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


def tail(who: Person | None, turn: object, query: str = "", **headers: str) -> tuple[int, bytes]:
    """GET the events from the web server's application, to the end of the stream."""
    given = {"host": "localhost", **headers}
    if who is not None:
        given["authorization"] = who.api._credentials["HTTP_AUTHORIZATION"]  # type: ignore[attr-defined]
    return asyncio.run(get_asgi(f"/api/chat/turns/{turn}/events/", query, given))


async def get_asgi(
    path: str, query: str, headers: dict[str, str], parts: list[bytes] | None = None
) -> tuple[int, bytes]:
    """parts: takes the body piece by piece, for who looks at it before the end."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    status, parts = 0, [] if parts is None else parts
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if asked:
            await asyncio.sleep(3600)
        asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    await asyncio.wait_for(application(scope, receive, send), 30)
    return status, b"".join(parts)


def text_of(events: list[SentEvent]) -> str:
    return "".join(event.data["text"] for event in events if event.kind == "token")


@dataclass(frozen=True)
class Chat:
    """One person's side of a conversation, over the API."""

    who: Person
    session: str

    @property
    def url(self) -> str:
        return f"/api/chat/sessions/{self.session}/"

    def post(self, content: str, **more: Any) -> str:
        """Ask; returns the turn's id at once."""
        answer = self.who.api.post(f"{self.url}messages/", {"content": content, **more})
        assert answer.status_code == 202, answer.content
        return answer.json()["turn"]

    def ask(self, content: str, **more: Any) -> dict[str, Any]:
        """Ask, and wait for the end; returns the turn."""
        turn = self.post(content, **more)
        runner.wait_until_idle()
        return self.turn(turn)

    def turn(self, turn: str) -> dict[str, Any]:
        answer = self.who.api.get(f"/api/chat/turns/{turn}/")
        assert answer.status_code == 200, answer.content
        return answer.json()

    def events(self, turn: str, after: int = 0) -> list[SentEvent]:
        status, body = tail(self.who, turn, f"after={after}")
        assert status == 200, body
        return events_of(body)

    def messages(self) -> list[dict[str, Any]]:
        return self.who.api.get(f"{self.url}messages/").json()["results"]


@pytest.fixture
def start() -> Callable[..., Chat]:
    """`start(person, record)` begins a conversation."""

    def begin(who: Person, entity: Entity) -> Chat:
        answer = who.api.post("/api/chat/sessions/", {"entity": str(entity.pk)})
        assert answer.status_code == 201, answer.content
        return Chat(who, answer.json()["id"])

    return begin


@pytest.fixture
def share() -> Callable[..., Chat]:
    """`share(person, record, visibility)` begins a conversation that others read along."""

    def begin(who: Person, entity: Entity | None, visibility: str = "record") -> Chat:
        about = {"entity": str(entity.pk)} if entity else {}
        answer = who.api.post("/api/chat/sessions/", {**about, "visibility": visibility})
        assert answer.status_code == 201, answer.content
        return Chat(who, answer.json()["id"])

    return begin


@pytest.fixture
def wait_for() -> Callable[..., Any]:
    def wait(condition: Callable[[], Any], seconds: float = 10.0) -> Any:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError("waited in vain")

    return wait


@dataclass(frozen=True)
class Model:
    """A scripted chat model; whatever else asks a model (the classifier) gets the offline engine."""

    script: scripted.Script

    def says(self, **answer: Any) -> None:
        self.script.push(when=is_chat, **answer)

    @property
    def requests(self) -> list[scripted.RecordedRequest]:
        """What the chat sent, without the classifier's requests."""
        return [request for request in self.script.requests if is_chat(request)]


def is_chat(request: scripted.RecordedRequest) -> bool:
    return "search_knowledge" in request.tools


@pytest.fixture
def model() -> Iterator[Model]:
    with scripted.use_scripted_model(otherwise_offline=True) as script:
        yield Model(script)


@pytest.fixture
def visit(chromium, server, viewer):
    """`visit(path, person)`: a page on the server; what the browser complained of is in `page.complaints`."""
    contexts = []

    def go(path, who=viewer, **options):
        context = chromium.new_context(**options)
        contexts.append(context)
        cookie = who.client.cookies["clearance_session"].value
        context.add_cookies([{"name": "clearance_session", "value": cookie, "url": server.url}])
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda m: page.complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(server.url + who.base.rstrip("/") + path)
        return page

    go.server = server
    yield go
    for context in contexts:
        context.close()
