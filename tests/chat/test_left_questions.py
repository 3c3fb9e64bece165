"""A question that had no label when its turn ended is read again by who typed it, and by nobody who lacks its label."""

from datetime import timedelta

import pytest
from django.utils import timezone

from chat import left_questions
from chat.left_questions import label_all_left_questions
from chat.models import Turn
from tests.chat.conftest import Chat

PLAIN, SECRET = "Where is the crane?", "Why is the salary of Anna Berg, born 4 May 1980, 84,000 euros?"


@pytest.fixture
def is_silent(monkeypatch):
    """`is_silent(True)`: the classifier answers nobody."""
    label_text = left_questions.label_text

    def silence_classifier(silent):
        monkeypatch.setattr("chat.turn.label_text", (lambda *given: None) if silent else label_text)
        monkeypatch.setattr("chat.left_questions.label_text", (lambda *given: None) if silent else label_text)

    return silence_classifier


def list_questions(chat):
    return [m.get("content") for m in chat.messages() if m["role"] == "user" and m["type"] == "text"]


def test_what_was_typed_comes_back_when_the_classifier_does(viewer, alice, contract, start, is_silent):
    chat = start(viewer, contract)
    is_silent(True)
    assert chat.ask(SECRET)["state"] == "failed"
    assert label_all_left_questions() == 0
    assert list_questions(chat) == []
    is_silent(False)
    assert label_all_left_questions() == 1
    assert list_questions(chat) == [SECRET], "they typed it themselves, and it is theirs alone"
    assert SECRET in viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode().replace("&#x27;", "'")
    assert label_all_left_questions() == 0
    assert alice.api.get(f"{chat.url}messages/").status_code == 404


@pytest.mark.parametrize("typed", [PLAIN, SECRET])
def test_where_others_read_along_it_has_its_whole_label(viewer, cfo, contract, share, is_silent, typed):
    chat = share(cfo, contract)
    theirs = Chat(viewer, chat.session)
    is_silent(True)
    chat.ask(typed)
    assert (list_questions(chat), list_questions(theirs)) == ([], [])
    is_silent(False)
    assert label_all_left_questions() == 1
    assert list_questions(theirs) == ([typed] if typed == PLAIN else [])


@pytest.mark.parametrize("why", ["the asker has left", "long ago", "it is being answered"])
def test_what_is_not_labelled_any_more(viewer, contract, start, service, is_silent, why):
    chat = start(viewer, contract)
    is_silent(True)
    chat.ask(PLAIN)
    is_silent(False)
    with service.open():
        if why == "the asker has left":
            viewer.user.memberships.all().delete()
        elif why == "long ago":
            Turn.objects.update(ended_at=timezone.now() - left_questions.WITHIN - timedelta(minutes=1))
        else:
            Turn.objects.update(state="running", lease_until=timezone.now() + timedelta(minutes=1))
    assert label_all_left_questions() == 0
