"""A password is its owner's: who made the account can sign in with theirs, and get nowhere with it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from django.contrib.auth import authenticate
from django.db import connection
from django.test import Client

from entities.access import Scope
from entities.account import change_password
from entities.api import account
from entities.join_codes import build_code, find_user_by_code
from entities.models import AuditEntry, Membership, Token, User
from tests.conftest import Person

GIVEN, OWN = "a long pass phrase", "one of my very own"
PAGE = "/account/password/"
API_PAGES = ("/w/acme/api/me/", "/api/schema/")


@pytest.fixture
def newcomer(alice: Person) -> User:
    """Made by alice, who knows the password."""
    made = alice.client.post(f"{alice.base}admin/entities/membership/add/", {"username": "newcomer", "password": GIVEN})
    assert made.status_code == 302
    return User.objects.get(username="newcomer@acme")


def signed_in(password: str) -> Client:
    client = Client()
    answer = client.post("/sign-in/", {"username": "newcomer@acme", "password": password})
    assert answer.status_code == 302
    return client


def change(client: Client, old: str, new: str, again: str = "", **more: str) -> Any:
    fields = {"old_password": old, "new_password1": new, "new_password2": again or new}
    return client.post(PAGE, {**fields, **more})


def token(password: str) -> Any:
    fields = {"username": "newcomer@acme", "password": password, "workspace": "acme"}
    return Client().post("/api/token/", fields, content_type="application/json")


def test_a_password_of_somebody_else_opens_the_page_for_changing_it_and_nothing_else(newcomer: User) -> None:
    client = signed_in(GIVEN)
    for path in ("/", "/join/", "/w/acme/", "/w/acme/records/contract/", "/w/acme/admin/"):
        answer = client.get(path)
        assert (answer.status_code, answer["Location"]) == (302, f"{PAGE}?next={path}"), path
    assert client.post("/w/acme/records/contract/new/", {"name": "x"})["Location"] == f"{PAGE}?next=/"
    assert client.post("/join/", {"workspace": "other"}).status_code == 302
    for path in API_PAGES:
        refused = client.get(path)
        assert refused.status_code == 403
        assert refused.json()["error"]["code"] == "password_first"
    page = client.get(PAGE)
    assert page.status_code == 200
    assert "Choose your own password" in page.content.decode()

    assert change(client, GIVEN, OWN, next="/w/acme/")["Location"] == "/w/acme/"
    for path in ("/join/", "/w/acme/", *API_PAGES):
        assert client.get(path).status_code == 200, path


def test_no_token_is_made_with_a_password_of_somebody_else(newcomer: User) -> None:
    refused = token(GIVEN)
    assert refused.status_code == 403
    assert "Somebody else chose this password" in refused.json()["error"]["detail"]
    assert token("wrong").status_code == 401, "who does not know it is not told"
    change(signed_in(GIVEN), GIVEN, OWN)
    assert token(OWN).status_code == 200
    assert token(GIVEN).status_code == 401


def test_who_knew_the_password_gets_in_no_more_and_follows_nowhere(newcomer: User, outsider: Person) -> None:
    known = signed_in(GIVEN)
    change(signed_in(GIVEN), GIVEN, OWN)
    assert known.get("/w/acme/")["Location"].startswith("/sign-in/")
    assert not Client().login(username="newcomer@acme", password=GIVEN)
    owner = signed_in(OWN)
    code = owner.post("/join/", {"workspace": "other"}).context["code"]
    add = outsider.client.post(f"{outsider.base}admin/entities/membership/add/", {"code": code})
    assert add.status_code == 302
    assert owner.get("/w/other/").status_code == 200


def test_a_changed_password_ends_sessions_tokens_and_codes_and_is_in_every_audit(
    viewer: Person, hr: Person, outsider: Person
) -> None:
    code = build_code(viewer.user, "other")
    other = Client()
    assert other.login(username="viewer", password="pass")
    assert viewer.api.get("/api/me/").status_code == 200
    with Scope.for_service(outsider.scope.workspace).open():
        Membership.objects.create(workspace_id=outsider.scope.workspace, user=viewer.user)
    answer = change(viewer.client, "pass", OWN, next="https://elsewhere.example/")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert viewer.client.get("/w/acme/").status_code == 200, "this session stays"
    assert other.get("/w/acme/").status_code == 302
    assert viewer.api.get("/api/me/").status_code == 401
    assert hr.api.get("/api/me/").status_code == 200, "other people's tokens stay"
    assert find_user_by_code(code, "other") is None
    for scope in (viewer.scope, outsider.scope):
        with Scope.for_service(scope.workspace).open():
            assert AuditEntry.objects.filter(
                action="password.changed", actor=viewer.user.pk, object_id=str(viewer.user.pk)
            ).exists()
            assert not Token.objects.filter(membership__user=viewer.user).exists()


def elsewhere(work: Callable[[], Any]) -> Any:
    """Done on a connection of its own."""

    def run() -> Any:
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result(30)


def asked_of(viewer: Person) -> Any:
    fields = {"username": "viewer", "password": "pass", "workspace": "acme"}
    return Client().post("/api/token/", fields, content_type="application/json")


def test_a_token_asked_for_before_the_password_changed_is_not_made_after_it(
    transactional_db: None, viewer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def authenticate_then_change(*args: Any, **fields: Any) -> Any:
        user = authenticate(*args, **fields)
        elsewhere(lambda: change_password(user=User.objects.get(pk=viewer.user.pk), password=OWN))
        return user

    monkeypatch.setattr(account, "authenticate", authenticate_then_change)
    assert asked_of(viewer).status_code == 401
    with viewer.scope.open():
        assert not Token.objects.filter(membership__user=viewer.user).exists()


def test_a_token_waits_for_a_change_of_the_password_that_is_under_way(
    transactional_db: None, viewer: Person, owner_connection: psycopg.Connection
) -> None:
    with ThreadPoolExecutor(1) as pool:
        with owner_connection.transaction():
            owner_connection.execute("UPDATE entities_user SET password = 'x' WHERE id = %s", [viewer.user.pk])
            asked = pool.submit(elsewhere, lambda: asked_of(viewer))
            with suppress(TimeoutError):
                asked.result(1.5)
            assert not asked.done(), "made while the password was about to change"
        assert asked.result(30).status_code == 401


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (("wrong", OWN), "Your old password was entered incorrectly"),
        ((GIVEN, GIVEN), "This is your current password"),
        ((GIVEN, "short"), "This password is too short"),
        ((GIVEN, "newcomer@acme"), "too similar to the username"),
        ((GIVEN, OWN, "another one of mine"), "two password fields"),
        ((GIVEN, ""), "This field is required"),
    ],
)
def test_a_bad_new_password_is_refused_with_a_sentence(newcomer: User, fields: tuple[str, ...], says: str) -> None:
    client = signed_in(GIVEN)
    refused = change(client, *fields)
    assert refused.status_code == 422
    assert says in refused.content.decode()
    assert client.get("/w/acme/").status_code == 302, "it is still somebody else's"
    assert Client().login(username="newcomer@acme", password=GIVEN)


def test_guessing_the_old_password_is_slowed(viewer: Person) -> None:
    for _ in range(10):
        change(viewer.client, "wrong", OWN)
    refused = change(viewer.client, "pass", OWN)
    assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)
    assert "Too many wrong passwords" in refused.content.decode()
    assert Client().post("/sign-in/", {"username": "viewer", "password": "pass"}).status_code == 429
    assert viewer.client.get(viewer.base).status_code == 200, "who is signed in goes on working"


def test_the_page_is_for_who_is_signed_in_and_linked_from_their_menu(viewer: Person) -> None:
    assert Client().get(PAGE)["Location"].startswith("/sign-in/")
    page = viewer.client.get(PAGE)
    assert "Change your password" in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    assert f'href="{PAGE}"' in viewer.client.get(viewer.base).content.decode()


def test_administration_has_no_password_page_of_its_own(alice: Person) -> None:
    admin = f"{alice.base}admin/"
    assert alice.client.get(f"{admin}password_change/")["Location"] == PAGE
    posted = alice.client.post(
        f"{admin}password_change/", {"old_password": "pass", "new_password1": OWN, "new_password2": OWN}
    )
    assert posted["Location"] == PAGE
    assert Client().login(username="alice", password="pass")
    assert alice.client.get(admin).status_code == 200


@pytest.mark.parametrize("password", ["pass", "wrong"])
def test_administration_has_no_sign_in_of_its_own(alice: Person, viewer: Person, password: str) -> None:
    """Passwords are checked where wrong ones are counted."""
    path = f"{alice.base}admin/login/"
    answer = alice.client.post(path, {"username": "viewer", "password": password})
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/")
    assert alice.client.session["_auth_user_id"] == str(alice.user.pk)
