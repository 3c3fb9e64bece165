"""A server that speaks the Messages API, as a compatible local server would."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from llm import wire
from llm.messages import ToolUse

LABELLED = {
    "paragraphs": [
        {"n": 0, "labels": [0], "confidence": 0.9, "reason": "prose"},
        {"n": 1, "labels": [3], "confidence": 0.9, "reason": "contact details"},
    ],
    "summaries": [],
}
"""The labels of the two paragraphs of `llm.endpoint_check`."""
USES_TOOL = wire.Answer(tools=(ToolUse("t1", "add", {"a": 19, "b": 23}),), input_tokens=9, output_tokens=9)
TALKS = wire.Answer(deltas=("It is 42.",), input_tokens=9, output_tokens=9)
LABELS = wire.Answer(tools=(ToolUse("t2", "record_labels", LABELLED),), input_tokens=9, output_tokens=9)
TESTED = (TALKS, USES_TOOL, LABELS, TALKS)
"""What a model answers to its test that obeys tools."""


class Provider(BaseHTTPRequestHandler):
    """answers: in order; a number is a refusal with that status, bytes are sent as they are. seen: the requests, with
    their keys and headers by lower-case name."""

    answers: list[wire.Answer | int | bytes] = []
    seen: list[dict[str, Any]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.seen.append({"path": self.path, "key": headers.get("authorization"), "headers": headers, **body})
        answer = self.answers.pop(0)
        if isinstance(answer, int):
            self.send_response(answer)
            self.send_header("content-type", "application/json")
            self.send_header("retry-after-ms", "1")
            self.send_header("location", self.path)
            self.end_headers()
            self.wfile.write(json.dumps({"type": "error", "error": {"type": "api_error", "message": "no"}}).encode())
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in [answer] if isinstance(answer, bytes) else wire.format_events(answer, body["model"]):
            self.wfile.write(event)

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def serve_provider() -> Iterator[str]:
    """Its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Provider.answers, Provider.seen = [], []
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
