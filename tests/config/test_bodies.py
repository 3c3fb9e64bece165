"""Large request bodies, through the ASGI application that the server runs."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.db import connection

from config.asgi import application
from config.bodies import ALLOWANCE, is_known_caller, limit_bodies, upload_request
from entities.text import MOST_CHARACTERS
from entities.types import Contract
from tests.conftest import Person

SMALL = 100_000
LARGE = 2_000_000
CHUNK = 50_000
SENTENCE = "The upload is larger than the limit of 2.0\u00a0MB."
Headers = dict[str, str]


def ask(
    path: str, body: bytes, headers: Headers | None = None, *, method: str = "POST", length: int | None = -1
) -> tuple[int, dict[str, str], bytes, int]:
    """(status, headers, body, bytes that reached the application) of a request with this body.

    length: what is declared of it, where it is not the body's own length; None: nothing.
    """
    reached: list[bytes] = []

    async def count(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            reached.append(message["body"])
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b"taken"})
                return

    status, answered, content = send(limit_bodies(count), path, body, headers, method=method, length=length)
    return status, answered, content, sum(map(len, reached))


def send(
    app: Any, path: str, body: bytes, headers: Headers | None = None, *, method: str = "POST", length: int | None = -1
) -> tuple[int, dict[str, str], bytes]:
    """(status, headers, body) of the application's answer."""
    declared = {} if length is None else {"content-length": str(len(body) if length == -1 else length)}
    pending = [body[start : start + CHUNK] for start in range(0, len(body), CHUNK)] or [b""]
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        if not pending:
            await asyncio.sleep(3600)
        return {"type": "http.request", "body": pending.pop(0), "more_body": bool(pending)}

    async def collect(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in {"host": "localhost", **declared, **(headers or {})}.items()],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    asyncio.run(asyncio.wait_for(app(scope, receive, collect), 60))
    answered = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], answered, b"".join(message.get("body", b"") for message in sent)


@pytest.fixture
def limits(settings: Any) -> None:
    settings.CLEARANCE_MAX_UPLOAD = LARGE
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = SMALL


def by_token(person: Person) -> Headers:
    return {"authorization": person.api._credentials["HTTP_AUTHORIZATION"]}


def by_session(person: Person) -> Headers:
    return {"cookie": f"clearance_session={person.client.cookies['clearance_session'].value}"}


UPLOADS: dict[str, tuple[str, Callable[[Person], Headers]]] = {
    "the page": ("/w/acme/entities/{}/files/upload/", by_session),
    "the API": ("/api/entities/{}/files/", by_token),
    "the API, from a page": ("/w/acme/api/entities/{}/files/", by_session),
    "a question about a record": ("/w/acme/entities/{}/chat/attach/", by_session),
    "a question about the workspace": ("/w/acme/chat/attach/", by_session),
    "a conversation, over the API": ("/api/chat/sessions/{}/attachments/", by_token),
}


@pytest.fixture(params=UPLOADS)
def upload(request: Any, transactional_db: None, limits: None, alice: Person) -> tuple[str, Headers]:
    """(path, headers) of a route that takes files, and of somebody who is signed in."""
    path, sign = UPLOADS[request.param]
    return path.format(uuid4()), sign(alice)


def test_upload_within_the_limit_reaches_the_application(upload: tuple[str, Headers]) -> None:
    size = LARGE + ALLOWANCE
    for length in (size, None):
        status, _, content, reached = ask(upload[0], b"x" * size, upload[1], length=length)
        assert (status, content, reached) == (200, b"taken", size)


def test_upload_of_a_declared_length_over_the_limit_is_refused_before_anything_is_read(
    upload: tuple[str, Headers],
) -> None:
    status, _, content, reached = ask(upload[0], b"x" * 1000, upload[1], length=LARGE + ALLOWANCE + 1)
    assert (status, reached) == (413, 0)
    assert SENTENCE in content.decode() or SENTENCE in json.loads(content)["error"]["detail"]


def test_upload_of_an_undeclared_length_is_cut_off_at_the_limit(upload: tuple[str, Headers]) -> None:
    status, _, _, reached = ask(upload[0], b"x" * (LARGE + ALLOWANCE + 3 * CHUNK), upload[1], length=None)
    assert status == 413
    assert LARGE < reached <= LARGE + ALLOWANCE


def test_a_program_is_answered_in_json_and_a_page_in_a_plain_sentence(
    transactional_db: None, limits: None, alice: Person
) -> None:
    for length, sentence in ((LARGE * 2, SENTENCE), (SMALL + 1, "This is too much for one request.")):
        api, page = ("/api/entities/{}/files/", "/w/acme/entities/{}/files/upload/")
        if length == SMALL + 1:
            api, page = "/api/token/", "/sign-in/"
        _, headers, content, _ = ask(api.format(uuid4()), b"x", by_token(alice), length=length)
        assert headers["content-type"] == "application/json"
        assert json.loads(content)["error"]["code"] == "too_large"
        assert json.loads(content)["error"]["detail"].startswith(sentence)
        _, headers, content, _ = ask(page.format(uuid4()), b"x", by_session(alice), length=length)
        assert headers["content-type"].startswith("text/plain")
        assert content.decode().startswith(sentence)


ELSEWHERE = [
    ("POST", "/healthz"),
    ("GET", "/healthz"),
    ("OPTIONS", "/readyz"),
    ("POST", "/api/token/"),
    ("POST", "/sign-in/"),
    ("POST", "/"),
    ("POST", "/nowhere/"),
    ("POST", "/static/js/upload.js"),
    ("POST", "/w/acme/"),
    ("POST", "/w/"),
    ("POST", "/w/acme/admin/entities/membership/add/"),
    ("POST", "/w/acme/records/article/new/"),
    ("POST", "/api/entities/article/batch/"),
    ("PUT", "/api/entities/{}/files/"),
    ("GET", "/api/entities/{}/files/"),
    ("POST", "/api/entities/{}/files/retry/"),
    ("POST", "/w/acme/chat/ask/"),
    ("POST", "/w/acme/chat/{}/attachments/"),
    ("GET", "/api/chat/sessions/{}/attachments/"),
    ("POST", "/w/acme/entities/{}/files/batch/"),
    ("POST", "/w/acme/entities/{}/files/upload"),
    ("POST", "/entities/{}/files/upload/"),
    ("POST", "/api/w/acme/entities/{}/files/"),
    ("GET", "/api/chat/turns/{}/events/"),
]


@pytest.mark.usefixtures("transactional_db", "limits")
def test_large_bodies_reach_no_other_route_signed_in_or_not(subtests: pytest.Subtests, alice: Person) -> None:
    for method, path in ELSEWHERE:
        with subtests.test(method=method, path=path):
            path, signed = path.format(uuid4()), by_session(alice) | by_token(alice)
            for headers in ({}, signed):
                refused = ask(path, b"x" * 1000, headers, method=method, length=SMALL + 1)
                assert (refused[0], refused[3]) == (413, 0)
                cut = ask(path, b"x" * (SMALL + 3 * CHUNK), headers, method=method, length=None)
                assert cut[0] == 413
                assert cut[3] <= SMALL
                accepted = ask(path, b"x" * SMALL, headers, method=method)
                assert (accepted[0], accepted[3]) == (200, SMALL)


def nobody(person: Person) -> Headers:
    return {}


def by_made_up_token(person: Person) -> Headers:
    return {"authorization": "Token nonsense"}


def by_made_up_session(person: Person) -> Headers:
    return {"cookie": "clearance_session=0123456789abcdefghijklmnopqrstuv"}


def by_ended_session(person: Person) -> Headers:
    headers = by_session(person)
    person.client.logout()
    return headers


def by_deactivated(person: Person) -> Headers:
    headers = by_session(person) | by_token(person)
    person.user.is_active = False
    person.user.save()
    return headers


@pytest.mark.parametrize("sign", [nobody, by_made_up_token, by_made_up_session, by_ended_session, by_deactivated])
@pytest.mark.parametrize("route", UPLOADS)
@pytest.mark.usefixtures("transactional_db", "limits")
def test_large_upload_of_who_is_not_signed_in_is_refused_before_it_is_read(
    alice: Person, route: str, sign: Callable[[Person], Headers]
) -> None:
    path, headers = UPLOADS[route][0].format(uuid4()), sign(alice)
    status, answered, content, reached = ask(path, b"x" * 1000, headers, length=SMALL + 1)
    assert reached == 0
    if "/api/" not in path:
        assert (status, answered["location"]) == (302, f"/sign-in/?next={path}")
    else:
        assert (status, json.loads(content)["error"]["code"]) == (401, "not_signed_in")
    cut = ask(path, b"x" * (SMALL + 3 * CHUNK), headers, length=None)
    assert cut[0] == status
    assert cut[3] <= SMALL
    assert ask(path, b"x" * SMALL, headers)[3] == SMALL, "a small one is Django's to refuse"


@pytest.mark.usefixtures("transactional_db", "limits")
def test_large_upload_by_a_token_that_does_not_hold_is_not_made_good_by_a_cookie(alice: Person) -> None:
    path = f"/api/entities/{uuid4()}/files/"
    headers = by_session(alice) | by_made_up_token(alice)
    assert ask(path, b"x" * 1000, headers, length=SMALL + 1)[0] == 401


@pytest.mark.usefixtures("transactional_db")
def test_the_thread_that_looks_for_the_caller_keeps_no_connection(alice: Person) -> None:
    headers = [(name.encode(), value.encode()) for name, value in by_token(alice).items()]
    scope = {"type": "http", "method": "POST", "path": f"/api/entities/{uuid4()}/files/", "headers": headers}
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(is_known_caller, upload_request(scope)).result()
        assert pool.submit(lambda: connection.connection).result() is None


def multipart(size: int) -> tuple[bytes, Headers]:
    head = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\nContent-Type: text/plain\r\n\r\n'
    )
    return head + b"x " * (size // 2) + b"\r\n--b--\r\n", {"content-type": "multipart/form-data; boundary=b"}


@pytest.mark.usefixtures("transactional_db")
def test_large_file_is_accepted_on_its_route_and_on_no_other(alice: Person, contract: Contract) -> None:
    body, kind = multipart(6_000_000)
    path = f"/api/entities/{contract.pk}/files/"
    status, _, content = send(application, path, body, kind | by_token(alice))
    assert (status, json.loads(content)["name"]) == (202, "large.txt")
    for length in (-1, None):
        assert send(application, path, body, kind, length=length)[0] == 401
        for elsewhere in ("/healthz", "/api/token/", "/api/entities/contract/"):
            assert send(application, elsewhere, body, kind | by_token(alice), length=length)[0] == 413


@pytest.mark.usefixtures("transactional_db")
def test_longest_text_is_accepted_in_its_longest_encodings(alice: Person) -> None:
    """Twelve bytes for each of its characters."""
    text = "\U0001f600" * MOST_CHARACTERS
    as_json = json.dumps({"name": "Long", "body": text}).encode()
    status, _, content = send(
        application, "/api/entities/article/", as_json, by_token(alice) | {"content-type": "application/json"}
    )
    assert (status, json.loads(content)["name"]) == (201, "Long")
    csrf = "a" * 32
    form = urlencode({"name": "Long too", "body": text, "csrfmiddlewaretoken": csrf}).encode()
    headers = {"cookie": f"{by_session(alice)['cookie']}; clearance_csrf={csrf}"}
    headers["content-type"] = "application/x-www-form-urlencoded"
    status, answered, _ = send(application, "/w/acme/records/article/new/", form, headers)
    assert (status, answered["location"][:17]) == (302, "/w/acme/entities/")
