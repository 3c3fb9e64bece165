"""How streams wait: what wakes them, who looks together, and how it is known that notifications arrive."""

import asyncio
import logging
import threading
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from chat import events, wakeups
from chat.log import EVENT
from chat.models import Turn
from entities.access import Scope
from entities.models import Token
from tests.chat.conftest import events_of, get_asgi, text_of


async def begin_listening():
    task = asyncio.create_task(wakeups.listen())
    async with asyncio.timeout(10):
        while not wakeups.is_live():
            await asyncio.sleep(0.02)
    return task


async def stop_listening(task):
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_stream_that_nobody_wakes_waits_and_one_that_is_woken_does_not(monkeypatch):
    monkeypatch.setattr(wakeups, "FALLBACK_SECONDS", 60.0)
    assert wakeups.choose_patience_seconds() == wakeups.POLL_SECONDS
    task = await begin_listening()
    assert wakeups.choose_patience_seconds() >= 40
    turn = uuid4()
    with wakeups.subscribed(turn) as news, wakeups.subscribed(uuid4()) as other:
        async with await psycopg.AsyncConnection.connect(settings.DATABASE_URL, autocommit=True) as writing:
            await writing.execute("SELECT pg_notify('chat_turn', %s)", [f"{EVENT} {turn}"])
        assert await wakeups.wait(news, 5)
        assert not other.is_set()
        # Who trusted the connection looks at once when it goes.
        await stop_listening(task)
        assert other.is_set()
    assert wakeups.choose_patience_seconds() == wakeups.POLL_SECONDS


async def test_where_notifications_do_not_arrive_streams_look_often_and_the_log_says_why(monkeypatch, caplog):
    """As behind a pooler that pools transactions: LISTEN succeeds and nothing comes."""
    monkeypatch.setattr(wakeups, "PROBE_PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(wakeups, "CHANNEL", "another")
    monkeypatch.setattr(wakeups, "notify", lambda payload: None)
    with caplog.at_level(logging.WARNING, "chat.wakeups"):
        task = asyncio.create_task(wakeups.listen())
        await asyncio.sleep(1)
        assert not wakeups.is_live()
        await stop_listening(task)
    assert [record.message for record in caplog.records] == [wakeups.DEAF]


def test_tabs_of_one_token_look_together_and_readers_apart(viewer, alice, contract, start, model, monkeypatch):
    model.says(text="Yes.")
    turn = start(viewer, contract).ask("Is it?")["id"]
    model.says(text="No.")
    other = start(viewer, contract).ask("Is it not?")["id"]
    with viewer.scope.open():
        last = Turn.objects.get(pk=turn).last_seq
    looks = []
    original = events.look_at_all
    monkeypatch.setattr(events, "look_at_all", lambda who, *given: looks.append(who) or original(who, *given))

    def asked(who, query="", turn=turn):
        headers = {"host": "localhost", "authorization": who.api._credentials["HTTP_AUTHORIZATION"]}
        return get_asgi(f"/api/chat/turns/{turn}/events/", query, headers)

    async def all_at_once():
        others = asked(viewer, f"after={last - 1}"), asked(viewer, turn=other)
        return await asyncio.gather(*(asked(viewer) for _ in range(20)), *(asked(alice) for _ in range(3)), *others)

    *found, (_, late), (_, of_other) = asyncio.run(all_at_once())
    assert [event.kind for event in events_of(late)] == ["done"]
    assert text_of(events_of(of_other)) == "No."
    assert [status for status, _ in found] == [200] * 20 + [404] * 3
    assert {text_of(events_of(body)) for _, body in found[:20]} == {"Yes."}
    assert len(looks) == len(set(looks)) == 2


@pytest.mark.parametrize("ended", ["nothing", "token"])
def test_what_ends_while_a_stream_begins_ends_the_stream(viewer, contract, start, model, monkeypatch, ended):
    """After its first look and before it waits for news."""
    monkeypatch.setattr(wakeups, "FALLBACK_SECONDS", 60.0)
    original, looks = events.look_together, []

    async def look_together(*given):
        found = await original(*given)
        looks.append(found)
        if len(looks) == 1 and ended == "token":
            await asyncio.to_thread(revoke)
            await asyncio.sleep(0.3)  # the notification arrives, and nobody waits for it
        return found

    def revoke():
        try:
            with Scope.for_service(viewer.scope.workspace).open():
                Token.objects.filter(membership__user=viewer.user).delete()
        finally:
            connection.close()

    hold, chat = threading.Event(), start(viewer, contract)
    model.says(text="Yes.", hold=hold)
    turn = chat.post("Is it?")
    headers = {"host": "localhost", "authorization": viewer.api._credentials["HTTP_AUTHORIZATION"]}
    monkeypatch.setattr(events, "look_together", look_together)

    async def follow():
        task = await begin_listening()
        await asyncio.sleep(1.5)  # the turn has come to its model, and writes nothing
        stream = asyncio.create_task(get_asgi(f"/api/chat/turns/{turn}/events/", "", headers))
        done, _ = await asyncio.wait({stream}, timeout=3)
        stream.cancel()
        await asyncio.gather(stream, return_exceptions=True)
        await stop_listening(task)
        return bool(done)

    try:
        assert asyncio.run(follow()) is (ended == "token")
        if ended == "nothing":
            assert len(looks) == 1  # a thousand streams that open at once do not look twice
    finally:
        hold.set()


@pytest.mark.parametrize("ended", ["sign-out", "token", "membership", "somebody else"])
def test_a_stream_in_which_nothing_happens_ends_with_what_opened_it(
    viewer, alice, contract, start, model, monkeypatch, ended
):
    monkeypatch.setattr(wakeups, "FALLBACK_SECONDS", 60.0)
    hold, chat = threading.Event(), start(viewer, contract)
    model.says(text="Yes.", hold=hold)
    turn = chat.post("Is it?")
    headers = {"host": "localhost", "authorization": viewer.api._credentials["HTTP_AUTHORIZATION"]}
    if ended == "sign-out":
        key = viewer.client.session.session_key
        headers = {"host": "localhost", "cookie": f"clearance_session={key}", "x-workspace": "acme"}

    def end():
        try:
            with Scope.for_service(viewer.scope.workspace).open():
                if ended == "token":
                    Token.objects.filter(membership__user=viewer.user).delete()
                elif ended == "membership":
                    viewer.user.memberships.all().delete()
                elif ended == "somebody else":
                    Token.objects.filter(membership__user=alice.user).delete()
            if ended == "sign-out":
                viewer.client.post("/sign-out/")
        finally:
            connection.close()

    async def follow():
        task = await begin_listening()
        stream = asyncio.create_task(get_asgi(f"/api/chat/turns/{turn}/events/", "", headers))
        await asyncio.sleep(1.5)
        assert not stream.done()
        await asyncio.to_thread(end)
        done, _ = await asyncio.wait({stream}, timeout=3)
        stream.cancel()
        await asyncio.gather(stream, return_exceptions=True)
        await stop_listening(task)
        return bool(done)

    try:
        assert asyncio.run(follow()) is (ended != "somebody else")
    finally:
        hold.set()
