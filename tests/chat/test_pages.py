"""Pages of conversations, without a browser: what they hold, and for whom."""

import re
from uuid import uuid4

import pytest
from django.test import override_settings

from chat import conversation, runner
from chat.models import Session, Turn
from entities.middleware import WORKSPACE_URLS
from entities.models import Source
from references.locations import build_location_url
from tests.chat.conftest import CAP
from tests.chat.test_memory import say

HTMX = {"HX-Request": "true"}


@pytest.fixture
def asked(viewer, contract, index):
    """viewer has asked in the dock, with htmx; returns the turn's id."""
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    form = {"content": "What is the liability cap?", "client_id": "one"}
    answer = viewer.client.post(f"{viewer.base}entities/{contract.pk}/chat/ask/", form, headers=HTMX)
    assert answer.status_code == 200, answer.content
    assert "What is the liability cap?" in answer.content.decode()
    runner.wait_until_idle()
    with viewer.scope.open():
        return Turn.objects.get()


PAGES = [
    "chat/{session}/",
    "chat/turns/{turn}/",
    "chat/turns/{turn}/context/",
    "chat/turns/{turn}/earlier/",
    "chat/{session}/export/",
]


def test_a_page_of_a_conversation_is_its_askers_alone(subtests, asked, viewer, alice):
    for page in PAGES:
        with subtests.test(page=page):
            real = page.format(session=asked.session_id, turn=asked.pk)
            absent = page.format(session=uuid4(), turn=uuid4())
            mine = viewer.client.get(viewer.base + real, headers=HTMX)
            assert mine.status_code == 200
            assert mine["Cache-Control"] == "no-store"
            theirs = alice.client.get(alice.base + real, headers=HTMX)
            assert theirs.status_code == 404
            assert "two million" not in theirs.content.decode()
            assert alice.client.get(alice.base + absent, headers=HTMX).status_code == 404
    for path in ("change", "delete"):
        assert alice.client.post(f"{alice.base}chat/{asked.session_id}/{path}/").status_code == 404
    for path in ("stop", "again"):
        assert alice.client.post(f"{alice.base}chat/turns/{asked.pk}/{path}/").status_code == 404


def test_lists_hold_ones_own_conversations(asked, viewer, alice, contract):
    for path in ("chat/", "chat/recent/", f"entities/{contract.pk}/chat/"):
        assert "What is the liability cap?" in viewer.client.get(viewer.base + path).content.decode()
        assert "What is the liability cap?" not in alice.client.get(alice.base + path).content.decode()
    # What is done to one in the list leads back to the part of it that was shown.
    shown = viewer.client.get(f"{viewer.base}chat/?q=liability cap").content.decode()
    assert '<input type="hidden" name="q" value="liability cap">' in shown
    form = {"do": "pin", "listed": "1", "q": "liability cap", "page": "2"}
    answer = viewer.client.post(f"{viewer.base}chat/{asked.session_id}/change/", form)
    assert answer["Location"] == f"{viewer.base}chat/?q=liability+cap&page=2"


def test_an_archived_conversation_stays_out_of_the_dock(asked, viewer, contract):
    """Also where a tab remembers it: its own page is where it is read and restored."""
    dock, page = f"{viewer.base}entities/{contract.pk}/chat/", f"{viewer.base}chat/{asked.session_id}/"
    remembered = f"{dock}?session={asked.session_id}"

    def told(address):
        return "two million euros" in viewer.client.get(address, headers=HTMX).content.decode()

    assert [told(dock), told(remembered), told(page)] == [True, True, True]
    viewer.client.post(f"{page}change/", {"do": "archive"})
    assert [told(dock), told(remembered), told(page)] == [False, False, True]
    assert viewer.client.get(remembered, headers=HTMX).status_code == 200
    viewer.client.post(f"{page}change/", {"do": "restore"})
    assert [told(dock), told(remembered)] == [True, True]


def test_the_finished_answer_is_sanitised_markdown_with_chips(asked, viewer):
    html = viewer.client.get(f"{viewer.base}chat/turns/{asked.pk}/", headers=HTMX).content.decode()
    assert "two million euros" in html
    assert 'class="cl-cite"' in html
    assert "<span>Lease.pdf</span><span> · p. 4</span>" in html


def test_the_same_form_twice_is_one_conversation(asked, viewer, contract):
    form = {"content": "What is the liability cap?", "client_id": "one"}
    again = viewer.client.post(f"{viewer.base}entities/{contract.pk}/chat/ask/", form)
    assert again.status_code == 302
    assert str(asked.session_id) in again["Location"]
    with viewer.scope.open():
        assert (Session.objects.count(), Turn.objects.count()) == (1, 1)


def test_a_refused_question_leaves_nothing_behind(viewer, contract):
    url = f"{viewer.base}entities/{contract.pk}/chat/ask/"
    refused = viewer.client.post(url, {"content": " "}, headers=HTMX)
    assert refused.status_code == 400
    assert refused.json()["error"]["detail"] == "Write a question first."
    assert viewer.client.post(url, {"content": "x" * 20_001}).status_code == 302
    with viewer.scope.open():
        assert not Session.objects.exists()


def test_a_session_of_another_record_is_not_written_to(asked, viewer, alice, contract):
    from entities.actions import create_entity
    from entities.types import Contract

    with alice.scope.open():
        other = create_entity(scope=alice.scope, model=Contract, fields={"name": "Other", "counterparty": "X"})
    form = {"content": "And here?", "session": str(asked.session_id)}
    viewer.client.post(f"{viewer.base}entities/{other.pk}/chat/ask/", form, headers=HTMX)
    runner.wait_until_idle()
    with viewer.scope.open():
        assert Turn.objects.filter(session=asked.session_id).count() == 1
        assert Session.objects.filter(entity=other.pk).count() == 1


def test_a_page_holds_the_latest_turns_and_leads_to_earlier_ones(
    viewer, alice, contract, restricted, share, service, monkeypatch
):
    """Of turns that a reader may not know of nothing is told: neither by a link to them, nor by one that is shorter."""
    monkeypatch.setattr(conversation, "TURNS_ON_PAGE", 2)
    chat = share(viewer, contract)
    for n in (1, 2):
        say(service, chat, f"Hidden {n}?", "Hidden.", sources=[restricted], owner=alice.user.pk)
    for n in range(1, 6):
        say(service, chat, f"Question {n}?", "Answered.")
    with service.open():
        turns = {turn.number: turn for turn in Turn.objects.all()}
        for number in (1, 2):
            own = {"derived": turns[number].question, "entity": restricted}
            Source.objects.create(workspace_id=service.workspace, **own)
    page = f"chat/{chat.session}/"

    def told(who, path, **headers):
        """The questions, and the number of the turn before which there are more."""
        html = who.client.get(who.base + path, headers=headers).content.decode()
        found = re.search("/chat/turns/([0-9a-f-]{36})/earlier/", html)
        before = [number for number, turn in turns.items() if found and found[1] == str(turn.pk)]
        return list(dict.fromkeys(re.findall(r"(?:Question|Hidden) \d", html))), before

    def told_earlier(who, number):
        return told(who, f"chat/turns/{turns[number].pk}/earlier/", **HTMX)

    assert told(viewer, page) == (["Question 4", "Question 5"], [6])
    assert told(viewer, f"entities/{contract.pk}/chat/?session={chat.session}", **HTMX) == told(viewer, page)
    assert told_earlier(viewer, 6) == (["Question 2", "Question 3"], [4])
    assert told_earlier(viewer, 4) == (["Question 1"], [])
    assert told_earlier(alice, 4) == (["Hidden 2", "Question 1"], [2])
    assert told(viewer, f"{page}?at={turns[5].pk}") == ([f"Question {n}" for n in (2, 3, 4, 5)], [4])
    assert told(viewer, f"{page}?at={turns[3].pk}") == ([f"Question {n}" for n in (1, 2, 3, 4, 5)], [])
    for path in (f"chat/turns/{turns[4].pk}/earlier/", f"chat/turns/{turns[4].pk}/"):
        leads_to = viewer.client.get(viewer.base + path)["Location"]
        assert leads_to == f"{viewer.base}{page}?at={turns[4].pk}#t-{turns[4].pk}"
    for pk in (turns[1].pk, uuid4()):
        assert told(viewer, f"{page}?at={pk}") == told(viewer, page)
        gone = viewer.client.get(f"{viewer.base}chat/turns/{pk}/earlier/", headers=HTMX)
        assert (gone.status_code, gone["HX-Refresh"]) == (404, "true"), "the page, which is older, begins anew"

    # What was found, and where a text cites a message, is on the page that the link opens.
    def find_link(words):
        html = viewer.client.get(f"{viewer.base}chat/", {"q": words}).content.decode()
        return re.search(rf'href="[^"]*/({page}\?at=[^"#]+)#(m-[^"]+)"', html).groups()

    address, message = find_link("Question 1")
    assert f'id="{message}"' in viewer.client.get(viewer.base + address).content.decode()
    location = {"session": str(chat.session), "message": str(turns[3].answer)}
    with override_settings(ROOT_URLCONF=WORKSPACE_URLS):
        address, message = build_location_url(contract.pk, "Message", location).split("#")
    assert f'id="{message}"' in viewer.client.get(viewer.base + address.lstrip("/")).content.decode()

    with service.open():  # one's own turns that show nothing, as their source is not open any more, take no place
        Source.objects.bulk_create(
            Source(workspace_id=service.workspace, derived=derived, entity=restricted)
            for number in (4, 6, 7)
            for derived in (turns[number].question, turns[number].answer)
        )
    assert told(viewer, page) == (["Question 1", "Question 3"], [])
    assert told(viewer, f"{page}?at={turns[3].pk}") == (["Question 1", "Question 3"], [])
    assert find_link("Question")[1] == f"m-{turns[5].question}"
