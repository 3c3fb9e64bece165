"""What somebody may send to make chat break, stall or tell more than it should."""

from datetime import timedelta

import pytest
from django.utils import timezone

from chat import actions, runner
from chat.models import Session, State, Turn
from tests.chat.conftest import tail


def test_a_senseless_after_is_the_whole_stream(subtests, viewer, contract, start, model):
    chat = start(viewer, contract)
    model.says(text="Hello.")
    turn = chat.ask("Tell me.")["id"]
    whole = tail(viewer, turn)
    assert b"event: done" in whole[1]
    for after in ["-1", "x", "1e3", "99999999999999999999", "%00", "", "٣", "1&after=0"]:
        with subtests.test(after=after):
            assert tail(viewer, turn, f"after={after}") == whole


def test_an_after_past_the_end_of_an_ended_turn_ends_at_once(viewer, contract, start, model):
    chat = start(viewer, contract)
    model.says(text="Hello.")
    turn = chat.ask("Tell me.")["id"]
    status, body = tail(viewer, turn, "after=999999999")
    assert status == 200
    assert b"event:" not in body


def test_a_models_images_and_links_do_no_more_outside_the_page_than_on_it(viewer, contract, start, model):
    chat = start(viewer, contract)
    model.says(
        text="See ![it](https://evil.example/?q=1) or [that](https://evil.example/2) <img src=x> [go](javascript:x)"
    )
    turn = chat.ask("What is ![mine](https://example.org/) like?")["id"]
    neutral = "See it or [that](https://evil.example/2) (evil.example) &lt;img src=x> go"
    assert viewer.api.get(f"/api/chat/turns/{turn}/").json()["message"]["content"] == neutral
    question, answer = (message["content"] for message in chat.messages())
    assert (question, answer) == ("What is ![mine](https://example.org/) like?", neutral)
    exported = viewer.api.get(f"{chat.url}export/").content.decode()
    assert neutral in exported
    assert "What is mine like?" in exported, "who opens a shared conversation has not written the question"
    assert viewer.client.get(f"{viewer.base}chat/{chat.session}/export/").content.decode() == exported


def test_bodies_that_no_table_can_hold_are_refused_with_a_sentence(subtests, viewer, contract, start):
    for body in [
        b'{"content": "a\\u0000b"}',
        b'{"content": "a\\ud800b"}',
        b'{"content": "fine", "client_id": "a\\u0000b"}',
        b'{"content": "fine", "client_id": "a\\u001bb"}',
        b'{"content": "' + b"x" * 1_000_000 + b'"}',
    ]:
        with subtests.test(body=body):
            chat = start(viewer, contract)
            answer = viewer.api.generic("POST", f"{chat.url}messages/", body, content_type="application/json")
            assert answer.status_code == 400, answer.content
            assert answer.json()["error"]["detail"]
            assert chat.messages() == []


@pytest.mark.parametrize("key", ["a\x00b", "y" * 65])
def test_the_form_refuses_a_key_that_no_table_can_hold(viewer, contract, key):
    url = f"{viewer.base}entities/{contract.pk}/chat/ask/"
    answer = viewer.client.post(url, {"content": "Hello?", "client_id": key}, HTTP_HX_REQUEST="true")
    assert answer.status_code == 400, answer.content
    with viewer.scope.open():
        assert not Session.objects.exists()


def test_questions_in_many_conversations_at_once_are_limited(viewer, cfo, contract, start, monkeypatch):
    monkeypatch.setattr(runner, "start", lambda *given: None)
    for _ in range(actions.AT_ONCE):
        start(viewer, contract).post("Tell me.")
    another = start(viewer, contract)
    refused = viewer.api.post(f"{another.url}messages/", {"content": "Tell me."})
    assert refused.status_code == 429
    assert "being answered" in refused.json()["error"]["detail"]
    start(cfo, contract).post("Tell me.")
    with viewer.scope.open():
        Turn.objects.filter(pk=Turn.objects.values("pk")[:1]).update(state=State.DONE)
    another.post("Tell me.")


def test_questions_of_a_minute_are_limited(viewer, contract, start, service, model):
    chat = start(viewer, contract)
    with viewer.scope.open():
        for number in range(1, actions.A_MINUTE + 1):
            Turn.objects.create(
                workspace_id=service.workspace, audience=viewer.user.pk, session_id=chat.session,
                number=number, state=State.DONE, lease_until=timezone.now(),
            )  # fmt: skip
    ask_url = f"{viewer.base}entities/{contract.pk}/chat/ask/"
    refused = viewer.client.post(ask_url, {"content": "Tell me."}, HTTP_HX_REQUEST="true")
    assert refused.status_code == 429
    assert "within a minute" in refused.json()["error"]["detail"]
    with viewer.scope.open():
        assert Session.objects.count() == 1, "a refused question left an empty conversation"
        Turn.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    model.says(text="Hello.")
    assert viewer.client.post(ask_url, {"content": "Tell me."}, HTTP_HX_REQUEST="true").status_code == 200
