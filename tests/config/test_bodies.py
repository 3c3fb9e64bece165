"""Large request bodies, through the ASGI application that the server runs."""

import json

import pytest

from config.bodies import ALLOWANCE, limit_bodies


async def ask(path, chunks, headers=()):
    """(status, body, bytes that reached the application) of a POST with these body chunks."""
    reached = []
    sent = []
    pending = list(chunks)

    async def receive():
        if not pending:
            return {"type": "http.disconnect"}
        body = pending.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(pending)}

    async def send(message):
        sent.append(message)

    async def app(scope, receive, send):
        while (message := await receive())["type"] == "http.request":
            reached.append(message["body"])
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b"taken"})
                return

    await limit_bodies(app)({"type": "http", "method": "POST", "path": path, "headers": list(headers)}, receive, send)
    return sent[0]["status"], b"".join(m.get("body", b"") for m in sent), sum(map(len, reached))


@pytest.fixture
def limit(settings):
    settings.CLEARANCE_MAX_UPLOAD = 2_000_000
    return settings.CLEARANCE_MAX_UPLOAD + ALLOWANCE


async def test_body_within_the_limit_reaches_the_application(limit):
    length = [(b"content-length", str(limit).encode())]
    assert await ask("/api/files/", [b"x" * limit], length) == (200, b"taken", limit)


async def test_declared_length_over_the_limit_is_refused_before_anything_is_read(limit):
    length = [(b"content-length", str(limit + 1).encode())]
    status, body, reached = await ask("/api/entities/1/files/", [b"x" * 1000], length)
    assert (status, reached) == (413, 0)
    assert json.loads(body)["error"]["code"] == "too_large"
    assert "2.0\u00a0MB" in json.loads(body)["error"]["detail"]


async def test_undeclared_length_is_cut_off_at_the_limit(limit):
    status, _, reached = await ask("/upload/", [b"x" * 1024**2] * 5)
    assert status == 413
    assert reached <= limit


async def test_page_is_answered_in_a_plain_sentence(limit):
    length = [(b"content-length", str(limit + 1).encode())]
    _, body, _ = await ask("/w/acme/upload/", [b"x"], length)
    assert body.decode().startswith("The upload is larger than the limit of 2.0\u00a0MB.")
