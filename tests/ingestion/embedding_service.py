"""An embedding model behind HTTP, as small as can be: eight dimensions, of the letters of the text."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

DIM = 8


@dataclass
class Service:
    """answers: requests that are answered; the next one waits until `let_on`. texts: everything that was embedded."""

    url: str = ""
    answers: int = 1_000_000
    broken: bool = False
    texts: list[str] = field(default_factory=list)
    waiting: Event = field(default_factory=Event)
    let_on: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)

    @property
    def options(self) -> dict[str, Any]:
        """As CLEARANCE_EMBEDDERS takes it."""
        return {"kind": "openai", "url": self.url, "model": "tiny", "dim": DIM}


def vector(text: str) -> list[float]:
    counts = [1.0] + [0.0] * (DIM - 1)
    for letter in text.lower():
        counts[ord(letter) % DIM] += 1
    return counts


@contextmanager
def embedding_service() -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            with service.lock:
                service.answers -= 1
                stop = service.answers < 0
            if stop:
                service.waiting.set()
                service.let_on.wait(60)
            body = {"data": [{"index": i, "embedding": vector(text)} for i, text in enumerate(texts)]}
            service.texts += texts
            self.send_response(400 if service.broken else 200)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.let_on.set()
        server.shutdown()
        server.server_close()
