"""A server that speaks the Chat Completions API, as OpenAI's and its likes do, and worse ones."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}}


@dataclass
class Raw:
    """Sent as it is. pieces: of the body; the connection is closed after the last."""

    pieces: Iterable[bytes]
    status: int = 200
    kind: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)


def chunk(**fields: Any) -> bytes:
    return f"data: {json.dumps({'id': 'chatcmpl-1', 'model': 'gpt-x', **fields})}\n\n".encode()


def delta(finish: str | None = None, **fields: Any) -> bytes:
    return chunk(choices=[{"index": 0, "delta": fields, "finish_reason": finish}])


def fragment(index: int, arguments: str, **fields: Any) -> dict[str, Any]:
    """Of a tool call. name, id: in its first fragment."""
    function = {"arguments": arguments} | ({"name": fields.pop("name")} if "name" in fields else {})
    return {"index": index, "type": "function", "function": function, **fields}


def stream(*chunks: bytes, done: bool = True, usage: dict[str, Any] | None = USAGE) -> Raw:
    counted = [chunk(choices=[], usage=usage)] if usage else []
    return Raw([*chunks, *counted, *([b"data: [DONE]\n\n"] if done else [])])


def says(*texts: str, finish: str = "stop") -> Raw:
    return stream(delta(role="assistant", content=""), *(delta(content=text) for text in texts), delta(finish))


def calls(
    name: str,
    arguments: str,
    finish: str = "tool_calls",
    id: str = "call_1",
    usage: dict[str, Any] | None = USAGE,
) -> Raw:
    middle = len(arguments) // 2
    return stream(
        delta(role="assistant", content=None, tool_calls=[fragment(0, "", name=name, id=id)]),
        delta(tool_calls=[fragment(0, arguments[:middle])]),
        delta(tool_calls=[fragment(0, arguments[middle:])]),
        delta(finish),
        usage=usage,
    )


def refuses(status: int, message: str, **headers: str) -> Raw:
    body = {"error": {"message": message, "type": "invalid_request_error", "code": None}}
    return Raw([json.dumps(body).encode()], status, "application/json", headers)


def echoes(status: int, request: object) -> Raw:
    """Refuses as FastAPI does, with the request in the body."""
    wrong = {"type": "extra_forbidden", "loc": ["body", "messages"], "msg": "Extra inputs", "input": request}
    body = {"detail": [wrong], "error": {"type": "invalid_request_error", "message": f"wrong: {request}"}}
    return Raw([json.dumps(body).encode()], status, "application/json")


def whole(**body: Any) -> Raw:
    return Raw([json.dumps(body).encode()], 200, "application/json")


@dataclass
class Completions:
    """answers: in order; respond: to a request, where they are at an end. pages: what stands at which path. seen: the
    requests, with their paths and headers by lower-case name. looked: the paths of those for pages.
    """

    url: str = ""
    answers: list[Raw] = field(default_factory=list)
    respond: Callable[[dict[str, Any]], Raw] | None = None
    pages: dict[str, Raw] = field(default_factory=dict)
    seen: list[dict[str, Any]] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2].partition("/")[0])


@contextmanager
def serve_completions(port: int = 0) -> Iterator[Completions]:
    """Served at `url`, which ends in /v1. port: 0 for one that is free."""
    made = Completions()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            made.seen.append({"path": self.path, "headers": headers, **body})
            self.send(made.answers.pop(0) if made.answers or made.respond is None else made.respond(body))

        def do_GET(self) -> None:
            made.looked.append(self.path)
            self.send(made.pages.get(self.path, Raw([b"not here"], 404, "text/plain")))

        def send(self, raw: Raw) -> None:
            self.send_response(raw.status)
            for name, value in ({"content-type": raw.kind} | raw.headers).items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for piece in raw.pieces:
                    self.wfile.write(piece)
                    self.wfile.flush()
            except OSError:  # whoever asked has heard enough
                pass

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
