"""Every door: what a URL and a method answer to somebody about a thing, and what the routes there are can name."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from uuid import UUID

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import get_resolver
from rest_framework.test import APIClient

from entities.checks import list_routes
from tests.prove.size import FACTOR
from tests.prove.world import NOW, World, named

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
WRITES = ("POST", "PUT", "PATCH", "DELETE")
ABSENT = named("nothing has this id")
PATTERNS = (
    ("entity", r"(api/)?entities/(\w+/)?<uuid:pk>/"),
    ("entity", r"admin/entities/entity/<path:object_id>/"),
    ("entity", r"opening/share/<uuid:pk>/"),
    ("file", r"((api/)?|desk/|admin/ingestion/)files?/(<uuid:pk>|<path:object_id>)/"),
    ("bin", r"(api/)?bin/<uuid:pk>/"),
    ("index", r"admin/ingestion/recordindex/<path:object_id>/"),
    ("paragraph", r"(api|desk)/paragraphs/<uuid:pk>/"),
    ("request", r"((api/)?access-requests|opening/requests)/<uuid:pk>/"),
    ("reference", r"(api/)?references/<uuid:pk>/"),
    ("pulse", r"(api/)?citations/<uuid:pk>/<int:n>/"),
    ("session", r"(chat|api/chat/sessions)/<uuid:pk>/"),
    ("turn", r"(api/)?chat/turns/<uuid:pk>/"),
    ("run", r"evaluation/runs/<uuid:pk>/"),
    ("usergrant", r"admin/entities/entityusergrant/<path:object_id>/"),
    ("rolegrant", r"admin/entities/entityrolegrant/<path:object_id>/"),
    ("", r"records/<slug:type_name>/"),
)
"""What the id in a route names. A route with an id that none of these knows fails the proof: say what it names."""
KEPT_BY_NUMBER = r"admin/\w+/\w+/<path:object_id>/"
"""Rows of the workspace itself in Django admin, by numbers (roles, members, settings): test_elsewhere.py asks."""


@dataclass(frozen=True)
class Door:
    """kind: of thing that the id in `route` names, "number" for a row of Django admin, "" where there is none."""

    route: str
    kind: str
    rule: str

    def path(self, pk: object) -> str:
        path = re.sub(r"<int:\w+>", "1", self.route.replace("<slug:type_name>", "contract"))
        path = re.sub(r"\(\?P<app_label>.*?\)", "entities", path).replace("^", "").replace("$", "")
        path = re.sub(r"\(\?P<url>.*?\)", "nothing/", path)
        return re.sub(r"<(uuid|path):\w+>", str(pk), path)

    @property
    def of_type(self) -> str:
        """The type of record that the route is for, "" for any."""
        found = re.match(r"api/entities/(\w+)/<uuid:pk>/$", self.route)
        return found[1] if found else ""


class Unknown(AssertionError):
    """A route names something and the proof does not know what."""


def doors() -> list[Door]:
    """Of a workspace: its pages, its API and its administration. Raises: Unknown."""
    from entities.access import find_rule

    return [
        Door(route, kind_of(route), find_rule(callback).name)  # type: ignore[union-attr]
        for route, callback in list_routes(get_resolver("config.workspace_urls").url_patterns)
    ]


def methods_of(door: Door) -> list[str]:
    """All of them. At factor 1 each is asked to read, to write in the ways that its kind knows, and in one of the other
    ways, from door to door; Django's administration and the pages know POST only.
    """
    if FACTOR > 1:
        return list(METHODS)
    known = ["GET", "POST", "PATCH", "DELETE"] if door.route.startswith("api/") else ["GET", "POST"]
    others = [method for method in METHODS if method not in known]
    return [*known, others[len(door.route) % len(others)]]


def kind_of(route: str) -> str:
    for kind, pattern in PATTERNS:
        if re.match(pattern, route):
            return kind
    if re.match(KEPT_BY_NUMBER, route):
        return "number"
    if "<" in route.replace("(?P<app_label>", "").replace("(?P<url>", ""):
        raise Unknown(f"{route} has an id: say in PATTERNS what it names")
    return ""


@dataclass(frozen=True)
class Answer:
    """What was answered, without what differs from one request to the next: dates, secrets, and the id asked for."""

    status: int
    headers: tuple[tuple[str, str], ...]
    cookies: tuple[str, ...]
    body: bytes


CHANCE = (
    rb"(name=\"token\" value=\")[0-9a-f]{16}",
    rb'(csrfmiddlewaretoken" value="|X-CSRFToken(?:&quot;|"): ?(?:&quot;|"))[A-Za-z0-9]{32,64}',
    rb'(name="(?:client_id|creation_key)" value=")[0-9a-f]{32}',
    rb"(nonce[=-]\"?)[A-Za-z0-9+/=_-]{16,}",
)
DROPPED = {"Date", "Expires", "X-Request-Id", "Server-Timing"}


def ask(world: World, who: str, method: str, path: str, pk: object = "", body: Any = None) -> Answer:
    """As `who`: one of the world's people, "outsider" (of another workspace), or "anonymous". Undoes what it does.

    path: within the workspace; the API's is asked as somebody with a token. body: fields of a form, or JSON.
    """
    person = world.people.get(who)
    if who == "outsider" and world.elsewhere is not None:
        person = world.elsewhere.people["keeper"]
    api = path.startswith("api/")
    client: Any = APIClient(raise_request_exception=False) if api else Client(raise_request_exception=False)
    if person is not None and api:
        client.credentials(**person.api._credentials)  # type: ignore[attr-defined]
    elif person is not None:
        client.cookies = person.client.cookies.copy()
    url = f"/{path}" if api else f"/w/{world.workspace.slug}/{path}"
    with transaction.atomic(), patch("django.utils.timezone.now", return_value=NOW):
        if body is None:
            response = client.generic(method, url)
        elif api and "file" not in body:
            response = client.generic(method, url, json.dumps(body, default=str), content_type="application/json")
        else:
            sent = {k: SimpleUploadedFile("note.txt", b"Note.") if k == "file" else v for k, v in body.items()}
            send = getattr(client, method.lower())
            response = send(url, sent, **({"format": "multipart"} if api else {}))
        content = b"".join(response) if response.streaming else response.content
        transaction.set_rollback(True)
    away = response.headers.get("Location", "").startswith("/sign-in/")
    assert away == (who == "anonymous" and not api) or path.startswith("admin/log"), (who, method, path, response)
    return told(response, content, pk)


def told(response: Any, content: bytes, pk: object) -> Answer:
    for pattern in CHANCE:
        content = re.sub(pattern, rb"\1CHANCE", content)
    names = [str(pk), pk.hex] if isinstance(pk, UUID) else []
    headers = []
    for name, value in sorted(response.headers.items()):
        for one in names:
            value = value.replace(one, "ID")
        if name not in DROPPED:
            headers.append((name, value))
    for one in names:
        content = content.replace(one.encode(), b"ID")
    return Answer(response.status_code, tuple(headers), tuple(sorted(response.cookies)), content)


def difference(first: Answer, second: Answer) -> str:
    """Where two answers differ, in words; "" where they do not."""
    if first == second:
        return ""
    if first.status != second.status:
        return f"{first.status} and {second.status}"
    if first.headers != second.headers:
        return f"headers {sorted(set(first.headers) ^ set(second.headers))}"
    if first.cookies != second.cookies:
        return f"cookies {first.cookies} and {second.cookies}"
    at = next((n for n, (a, b) in enumerate(zip(first.body, second.body, strict=False)) if a != b), -1)
    around = slice(max(0, at - 60), at + 60)
    return f"bodies of {len(first.body)} and {len(second.body)}: {first.body[around]!r} and {second.body[around]!r}"


def things_of(world: World, kind: str, who: str) -> Iterator[tuple[str, UUID]]:
    """(name, id) of what `who` may ask a door of `kind` for: one of each state."""
    mine = {"session": f"own0 {who}", "turn": f"own0 {who}"}.get(kind)
    wanted = {
        "entity": [
            "own0",
            "granted",
            "restricted0",
            "private0",
            "employee0",
            "article0",
            "project0",
            "task0",
            "risk0",
            "binned0",
            "attached0",
        ],  # fmt: skip
        "file": ["own0", "concealed own0", "restricted0", "binned own0", "binned0", "attached0"],
        "bin": ["binned own0", "binned0"],
        "index": ["own0", "restricted0"],
        "run": ["own0"],
        "request": [f"own0 {who}", "restricted0 keeper"],
        "usergrant": ["own0 creator share", "restricted0 keeper share"],
        "rolegrant": ["own0 Admin upload", "restricted0 Admin upload"],
        "paragraph": ["own0 0 1", "own0 5 2", "concealed own0 secret0 2", "restricted0 0 1", "binned own0 0 1"],
        "reference": ["plain0", "labelled0", "concealed0", "out0", "in0", "marked0"],
        "pulse": ["own0 []", "own0 [1]", "restricted0 []"],
        "session": [mine, f"past0 {who}", "theirs0 keeper"],
        "turn": [mine, f"past0 {who}", "theirs0 keeper"],
    }[kind]
    yield from ((name, world.things[kind, name]) for name in wanted if (kind, name) in world.things)
    foreign = world.elsewhere.things if world.elsewhere else {}
    yield next((("foreign", pk) for (of, name), pk in foreign.items() if of == kind and "foreign" in name))


def is_hidden(who: str, kind: str, name: str, path: str, of_type: str = "") -> bool:
    """Whether this thing must answer as one that is absent: the reference, in words (design §2)."""
    if who == "outsider" and name == "foreign" and path.startswith("api/"):
        return of_type not in ("", "contract")  # their token is for that workspace
    if who in ("anonymous", "outsider", "former") or name == "foreign":
        return True
    if kind == "bin" and name == "binned own0":
        return who not in ("creator", "admin")
    if name.startswith(
        ("binned", "restricted", "private", "past", "theirs", "out", "in", "marked", "article", "attached")
    ):
        return True
    if kind == "entity":
        if of_type and (re.match(r"project|task|risk|employee", name) or ["contract"])[0] != of_type:
            return True
        return (name == "granted" and who != "granted") or (name == "employee0" and who != "admin")
    if name.startswith("concealed"):
        # A steward knows that the file exists, not what is in it: the file's page is its reader.
        reads = path == "files/<uuid:pk>/" or path.endswith(("/reader/", "/view.pdf", "/thumbnail.jpg"))
        return kind != "file" or who != "steward" or reads
    if name == "labelled0":
        return who not in ("steward", "admin")
    return kind == "pulse" and name == "own0 [1]" and who in ("bare", "granted")
