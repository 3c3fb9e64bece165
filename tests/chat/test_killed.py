"""A web server that is killed while turns stand at every boundary between their steps."""

import json
import threading
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.db import connection
from django.utils import timezone

from chat.models import OPEN, Event, Message, Session, State, Turn
from llm.messages import ToolUse
from llm.quoting import engine
from llm.scripted import RecordedRequest
from llm.wire import Answer, format_events
from tests.chat.conftest import CAP, is_chat
from tests.processes import Server, free_port, spawn, wait_for

SEARCH = Answer(tools=(ToolUse("toolu_1", "search_knowledge", {"query": "liability cap"}),))
SPOKEN = Answer(deltas=("The cap is ", "two million euros."))
# What is asked, by where the turn stands when the server is killed.
ASKED = {
    "labelling": "Before the label?",
    "model": "Before the model?",
    "streaming": "In the middle of the answer?",
    "tool": "Between the tool and the answer?",
    "ending": "Between the answer and its end?",
    "done": "After the end?",
}
KEPT = {"streaming": "The cap is", "ending": "The cap is two million euros."}


class Model(ThreadingHTTPServer):
    """A model behind HTTP that falls silent at the boundary that the question names, until `talks` is set; before the
    last byte of an answer, until `ends` is.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.silent: set[str] = set()
        self.talks, self.ends = threading.Event(), threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """Who asked has been killed."""

    def silence(self, where: str) -> None:
        if not self.talks.is_set():
            self.silent.add(where)
            self.talks.wait()


class Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        asked = RecordedRequest(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        where = next((name for name, question in ASKED.items() if question in asked.text), "")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if not is_chat(asked):
            if where == "labelling":
                self.server.silence(where)
            return self.send(engine.answer(asked.body))
        searched = isinstance(asked.messages[-1]["content"], list)
        if where == "model" or (where == "tool" and searched):
            self.server.silence(where)
        if where == "tool" and not searched:
            return self.send(SEARCH)
        self.send(SPOKEN, where)

    def send(self, answer: Answer, where: str = "") -> None:
        for number, event in enumerate(format_events(answer, "test")):
            if where == "streaming" and number == 3:
                self.server.silence(where)
            if where == "ending" and b"message_stop" in event:
                self.server.silent.add(where)
                self.server.ends.wait()
            self.wfile.write(event)
            self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def speaking() -> Iterator[Model]:
    server = Model()
    yield server
    server.talks.set()
    server.ends.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def web(speaking):
    """`web()` starts a web server that asks `speaking`."""
    started = []

    def start() -> Server:
        port = free_port()
        url = f"http://127.0.0.1:{speaking.server_address[1]}"
        server = Server(
            spawn("web", CLEARANCE_PORT=str(port), CLEARANCE_DB_POOL="12", ANTHROPIC_BASE_URL=url),
            f"http://127.0.0.1:{port}",
        )
        started.append(server)
        wait_for(lambda: urllib.request.urlopen(f"{server.url}/healthz", timeout=2), "the web server")
        return server

    yield start
    for server in started:
        server.kill()


def call(server, who, path, body=None):
    request = urllib.request.Request(
        f"{server.url}/api/{path}",
        data=json.dumps(body).encode() if body else None,
        headers={"Authorization": who.api._credentials["HTTP_AUTHORIZATION"], "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def events_of(scope, turn):
    with scope.open():
        return list(Event.objects.filter(turn=turn).values_list("seq", "kind"))


def test_turns_of_a_killed_server_are_ended_by_the_next_one_wherever_they_stood(
    web, speaking, viewer, contract, index, service
):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"))
    first = web()
    sessions = {name: call(first, viewer, "chat/sessions/", {"entity": str(contract.pk)})["id"] for name in ASKED}

    def ask(server, name):
        return call(server, viewer, f"chat/sessions/{sessions[name]}/messages/", {"content": ASKED[name]})["turn"]

    def written(turn):
        rows = Event.objects.filter(turn=turn, kind="token").values_list("data", flat=True)
        return "".join(data["text"] for data in rows).strip()

    def waiting_for_locks():
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            return cursor.fetchone()[0]

    turns = {name: ask(first, name) for name in ASKED}
    wait_for(lambda: call(first, viewer, f"chat/turns/{turns['done']}/")["state"] == "done", "the answer", 90)
    before = call(first, viewer, f"chat/turns/{turns['done']}/")
    wait_for(lambda: speaking.silent == set(ASKED) - {"done"}, "every boundary", 90)
    with service.open():
        wait_for(lambda: all(written(turns[name]) == text for name, text in KEPT.items()), "the text", 90)
        # What the end of a turn has to lock is locked here: the answer is whole, its end is not written.
        Session.objects.select_for_update().get(pk=sessions["ending"])
        speaking.ends.set()
        wait_for(waiting_for_locks, "the end of the turn", 90)
        first.kill()
    with service.open():
        assert {str(t.pk) for t in Turn.objects.filter(state__in=OPEN)} == set(turns.values()) - {turns["done"]}
        # Their leases, grown old.
        Turn.objects.filter(state=State.RUNNING).update(lease_until=timezone.now() - timedelta(seconds=1))
    speaking.talks.set()
    second = web()
    for name, turn in turns.items():
        ended = call(second, viewer, f"chat/turns/{turn}/")
        if name == "done":
            assert ended == before
            continue
        assert ended["state"] == "interrupted", (name, ended)
        assert ended["error"]["detail"].startswith("The server stopped")
        assert (ended["message"]["content"] if ended["message"] else "") == KEPT.get(name, ""), name
        kinds = [kind for _, kind in events_of(service, turn)]
        assert (kinds.count("error"), kinds[-1], kinds.count("done")) == (1, "error", 0)
        with service.open():
            assert Message.objects.filter(turn=turn, role="user").count() == 1
            assert Message.objects.filter(turn=turn, role="assistant").count() == (name in KEPT)

        page = viewer.client.get(f"{viewer.base}chat/{sessions[name]}/").content.decode()
        assert "Interrupted." in page, name
        again = f"{viewer.base}chat/turns/{turn}/again/"
        assert (again in page) is (name != "labelling"), name
        retried = ask(second, name)
        wait_for(
            lambda turn=retried: call(second, viewer, f"chat/turns/{turn}/")["state"] == "done", "the new answer", 20
        )
        answer = call(second, viewer, f"chat/turns/{retried}/")["message"]["content"]
        assert answer == "The cap is two million euros.", name
