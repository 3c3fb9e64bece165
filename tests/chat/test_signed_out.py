"""A stream of events that is open when the session or token that opened it ends. Each with its twin."""

import asyncio
import threading

import pytest
from django.test import Client

from chat import runner
from entities.access import Scope
from entities.models import Token
from tests.chat.conftest import events_of, get_asgi, tail, text_of


def by_cookie(who):
    return {"cookie": f"clearance_session={who.client.session.session_key}", "x-workspace": "acme"}


def by_token(who):
    return {"authorization": who.api._credentials["HTTP_AUTHORIZATION"]}


def sign_out(who):
    assert who.client.post("/sign-out/").status_code == 302


def change_password(who):
    who.user.set_password("another")
    who.user.save()


def revoke_token(who):
    with Scope.for_service(who.scope.workspace).open():
        assert Token.objects.filter(membership__user=who.user).delete()[0] == 1


def deactivate(who):
    who.user.is_active = False
    who.user.save()


def nothing(who):
    pass


@pytest.mark.parametrize(
    ("opened", "ended", "text"),
    [
        (by_cookie, nothing, "Half of it and the rest."),
        (by_cookie, sign_out, "Half of it"),
        (by_cookie, change_password, "Half of it"),
        (by_cookie, revoke_token, "Half of it and the rest."),
        (by_token, nothing, "Half of it and the rest."),
        (by_token, revoke_token, "Half of it"),
        (by_token, deactivate, "Half of it"),
        (by_token, sign_out, "Half of it and the rest."),
    ],
)
def test_a_stream_lasts_as_long_as_what_opened_it(viewer, contract, start, model, wait_for, opened, ended, text):
    chat, hold = start(viewer, contract), threading.Event()
    model.says(chunks=["Half of it ", "and the rest."], hold=hold)
    turn, headers, sent = chat.post("Tell me."), opened(viewer), []
    path = f"/api/chat/turns/{turn}/events/"
    listening = threading.Thread(
        target=lambda: asyncio.run(get_asgi(path, "", {"host": "localhost", **headers}, sent)), daemon=True
    )
    listening.start()
    try:
        wait_for(lambda: b"Half of it" in b"".join(sent))
        ended(viewer)
    finally:
        hold.set()
    runner.wait_until_idle()
    listening.join(10)
    assert not listening.is_alive()
    assert text_of(events_of(b"".join(sent))) == text


def test_a_cookie_makes_no_bad_token_good(viewer, contract, start, model):
    """Under a workspace's address too, and in the bytes of the API."""
    model.says(text="Yes.")
    chat = start(viewer, contract)
    turn = chat.ask("Is it?")["id"]
    refused = Client().get("/api/me/")
    bad = {**by_cookie(viewer), "authorization": "Token made-up"}
    for prefix in ("", "/w/acme"):
        path = f"{prefix}/api/chat/turns/{turn}/events/"
        asked = {name: asyncio.run(get_asgi(path, "", {"host": "localhost", **headers})) for name, headers in
                 {"good": by_cookie(viewer), "bad": bad, "nobody": {}}.items()}  # fmt: skip
        assert asked["good"][0] == 200
        assert asked["bad"] == asked["nobody"] == (401, refused.content)
        told = viewer.client.get(f"{prefix}/api/me/", headers={"Authorization": "Token made-up", "X-Workspace": "acme"})
        assert told.status_code == 401


def test_a_password_that_somebody_else_chose_opens_no_stream(viewer, contract, start, model):
    model.says(text="Yes.")
    turn = start(viewer, contract).ask("Is it?")["id"]
    assert tail(viewer, turn)[0] == 200
    viewer.user.password_by_other = True
    viewer.user.save()
    assert tail(viewer, turn)[0] == 401
