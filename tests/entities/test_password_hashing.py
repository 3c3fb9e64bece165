"""Passwords are hashed a few at a time, and without a database connection: a storm of guesses delays nobody's work."""

import json
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from threading import Event
from typing import Any

import pytest
from django.contrib.auth import hashers
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection
from django.test import Client

from config import settings as production
from entities import passwords
from entities.models import User
from entities.passwords import MAX_RUNNING, MAX_WAITING, PasswordHasher
from tests.conftest import Person
from tests.processes import Server, wait_for

OWN = "one of my very own"
STORM = 80
"""More than the server's connections, and of names enough that none has to wait."""


def list_names(count: int) -> list[str]:
    return [f"nobody{n}" if n % 10 else "hr" for n in range(count)]


def ask(server: Server, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(server.url + path, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()


def ask_for_token(server: Server, username: str, password: str) -> tuple[int, bytes]:
    fields = {"username": username, "password": password, "workspace": "acme"}
    return ask(server, "/api/token/", json.dumps(fields).encode(), **{"Content-Type": "application/json"})


def sign_in(server: Server, username: str, password: str) -> tuple[int, bytes]:
    csrf = "a" * 32
    fields = {"username": username, "password": password, "csrfmiddlewaretoken": csrf}
    return ask(server, "/sign-in/", urllib.parse.urlencode(fields).encode(), Cookie=f"clearance_csrf={csrf}")


def test_a_storm_of_wrong_passwords_breaks_nothing_and_a_signed_in_call_overtakes_it(
    start_server: Callable[..., Server], viewer: Person, hr: Person
) -> None:
    secret = PBKDF2PasswordHasher().encode("pass", "salt")
    User.objects.filter(pk__in=[viewer.user.pk, hr.user.pk]).update(password=secret)
    server = start_server(CLEARANCE_TEST_HASHER="production")
    guesses = [(door, name) for door in (ask_for_token, sign_in) for name in list_names(STORM // 2)]
    with ThreadPoolExecutor(STORM) as pool:
        storm = [pool.submit(door, server, name, "wrong") for door, name in guesses]
        wait(storm, return_when=FIRST_COMPLETED)
        status, _ = ask(server, "/api/me/", Authorization=viewer.api._credentials["HTTP_AUTHORIZATION"])
        waiting = sum(not guess.done() for guess in storm)
    statuses = Counter(guess.result()[0] for guess in storm)
    assert set(statuses) <= {200, 401, 429}, statuses
    assert status == 200
    assert waiting, "it waited until the storm was over"
    assert ask_for_token(server, "viewer", "pass")[0] == 200
    assert ask_for_token(server, "viewer", "wrong")[0] == 401


@pytest.fixture
def hashed(transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, bool]]:
    """(in a transaction, with a connection) of each hash that is computed, as in production but of one round."""
    found: list[tuple[bool, bool]] = []
    pbkdf2 = hashers.pbkdf2

    def compute(password: Any, salt: Any, iterations: int, **options: Any) -> bytes:
        found.append((connection.in_atomic_block, connection.connection is not None))
        return pbkdf2(password, salt, 1, **options)

    monkeypatch.setattr(hashers, "pbkdf2", compute)
    settings.PASSWORD_HASHERS = production.PASSWORD_HASHERS
    return found


def token(username: str, password: str, path: str = "/api/token/", client: Client | None = None) -> int:
    fields = {"username": username, "password": password, "workspace": "acme"}
    return (client or Client()).post(path, fields, content_type="application/json").status_code


def page(username: str, password: str) -> int:
    return Client().post("/sign-in/", {"username": username, "password": password}).status_code


def change(person: Person, old: str) -> int:
    fields = {"old_password": old, "new_password1": OWN, "new_password2": OWN}
    return person.client.post("/account/password/", fields).status_code


def add(person: Person) -> int:
    fields = {"username": "new", "password": "a long pass phrase"}
    return person.client.post(f"{person.base}admin/entities/membership/add/", fields).status_code


# The status and the number of hashes, which is the same for a name that nobody has.
DOORS: dict[str, tuple[int, int, Callable[[Person], int]]] = {
    "a token": (200, 1, lambda alice: token("alice", "pass")),
    "a token, wrong": (401, 1, lambda alice: token("alice", "wrong")),
    "a token, nobody": (401, 1, lambda alice: token("nobody", "wrong")),
    "a token in a workspace": (200, 1, lambda alice: token("alice", "pass", "/w/acme/api/token/", alice.client)),
    "the page": (302, 1, lambda alice: page("alice", "pass")),
    "the page, wrong": (200, 1, lambda alice: page("alice", "wrong")),
    "the page, nobody": (200, 1, lambda alice: page("nobody", "wrong")),
    "a new password": (302, 3, lambda alice: change(alice, "pass")),
    "a new password, wrong": (422, 2, lambda alice: change(alice, "wrong")),
    "a new member": (302, 1, add),
}


@pytest.mark.parametrize("door", DOORS)
def test_hashing_a_password_occupies_no_connection_and_no_transaction(
    hashed: list[tuple[bool, bool]], alice: Person, door: str
) -> None:
    status, count, knock = DOORS[door]
    assert alice.client.get(alice.base).status_code == 200
    hashed.clear()
    assert knock(alice) == status
    assert hashed == [(False, False)] * count


def test_no_password_is_hashed_for_a_member_who_does_not_administer(
    hashed: list[tuple[bool, bool]], viewer: Person
) -> None:
    hashed.clear()
    assert add(viewer) == 403
    assert hashed == []


def test_more_than_may_wait_are_answered_at_once_and_not_counted_as_wrong(
    hashed: list[tuple[bool, bool]], alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, pbkdf2 = Event(), hashers.pbkdf2

    def wait_for_turn(*args: Any, **options: Any) -> bytes:
        assert turn.wait(60)
        return pbkdf2(*args, **options)

    with ThreadPoolExecutor(MAX_RUNNING + MAX_WAITING) as pool, monkeypatch.context() as slow:
        slow.setattr(hashers, "pbkdf2", wait_for_turn)
        others = [pool.submit(PasswordHasher().encode, "pass", "salt") for _ in range(MAX_RUNNING + MAX_WAITING)]
        try:
            wait_for(lambda: passwords._admitted._value == 0, "a full queue")
            for _ in range(12):
                assert token("alice", "pass") == page("alice", "pass") == change(alice, "pass") == add(alice) == 429
            answer = Client().post("/sign-in/", {"username": "alice", "password": "pass"})
            assert str(passwords.BUSY) in answer.content.decode()
        finally:
            turn.set()
        assert len({other.result() for other in others}) == 1
    assert not User.objects.filter(username="new@acme").exists()
    assert token("alice", "pass") == 200
    assert change(alice, "pass") == 302
