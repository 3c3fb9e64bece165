"""An answer without a model quotes, shows what comes nearest, or says that nothing is near; and tells which."""

import pytest

from chat.confidence import find_confidence, is_undecided
from chat.models import Session, State, Turn
from chat.running import Run
from chat.turn import _build_unfinished
from entities.models import Entity
from entities.models.classification import FINANCIAL
from ingestion.models import Paragraph
from llm.prompts import CLOSEST, NOT_FOUND, SELF
from references.models import Reference
from tests.chat.conftest import CAP, Chat, text_of

RAMP = "The ferry ramp at the east pier is closed to lorries above twelve tonnes."
HARD = "Who pays for the ramp at the pier when lorries break it?"
RENT = "The tenant of the ferry ramp and the pier pays 910,000 euros for lorries."


@pytest.fixture
def ramp(index, contract):
    file = index.file(contract, "Ramp.pdf")
    index.row(contract, RAMP, file=file, page=3)
    return file


def kinds(events):
    """What the events tell of how sure the answer is: (before the first word, at the end)."""
    order = [event.kind for event in events]
    assert order.index("started") < order.index("token")
    return [event.data.get("confidence") for event in events if event.kind in ("started", "done")]


def test_a_quote_says_so_before_its_first_word_and_at_the_end(viewer, contract, index, start):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"))
    chat = start(viewer, contract)
    turn = chat.ask("What is the liability cap?")
    assert CAP in turn["message"]["content"]
    assert (turn["message"]["confidence"], turn["message"]["closest"]) == ("quoted", [])
    assert kinds(chat.events(turn["id"])) == ["quoted", "quoted"]


def test_what_comes_nearest_is_shown_whole_and_never_as_a_quote(viewer, contract, ramp, start):
    chat = start(viewer, contract)
    turn = chat.ask(HARD)
    message = turn["message"]
    assert message["content"] == f"{CLOSEST} [citation:1]"
    assert message["confidence"] == "closest"
    (passage,) = message["closest"]
    assert (passage["n"], passage["text"], passage["sentence"]) == (1, RAMP, RAMP)
    assert (passage["name"], passage["where"], passage["labels"]) == ("Ramp.pdf", "p. 3", [])
    events = chat.events(turn["id"])
    assert kinds(events) == ["closest", "closest"]
    assert text_of(events) == message["content"]
    assert [m for m in chat.messages() if m["role"] == "assistant"][0]["closest"] == [passage]
    page = viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    assert f"<mark>{RAMP}</mark>" in page
    assert "Search for it" in page
    assert "not supported by it" not in page
    assert viewer.client.get(passage["url"]).status_code == 200
    text = viewer.api.get(f"{chat.url}export/").content.decode()
    assert f"> {RAMP}" in text
    assert "[1] Ramp.pdf, p. 3" in text


def test_where_no_passage_is_found_nothing_is_near(alice, viewer, contract, start):
    chat = start(viewer, contract)
    turn = chat.ask(HARD)
    assert turn["message"]["content"] == NOT_FOUND
    assert (turn["message"]["confidence"], turn["message"]["closest"]) == ("none", [])
    assert kinds(chat.events(turn["id"])) == ["none", "none"]
    page = viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    assert "Search for it" in page
    assert "Add a file" not in page
    hers = start(alice, contract)
    hers.ask(HARD)
    assert "Add a file" in alice.client.get(f"{alice.base}chat/{hers.session}/").content.decode()


def test_a_hidden_passage_is_near_for_nobody_else(viewer, cfo, contract, ramp, index, start):
    index.row(contract, RENT, file=ramp, page=4, label=FINANCIAL)
    seen = start(cfo, contract).ask(HARD)
    assert RENT in str(seen["message"])
    chat = start(viewer, contract)
    turn = chat.ask(HARD)
    assert [passage["text"] for passage in turn["message"]["closest"]] == [RAMP]
    assert "910,000" not in f"{turn}{chat.events(turn['id'])}{chat.messages()}"
    assert "910,000" not in viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    assert "910,000" not in viewer.api.get(f"{chat.url}export/").content.decode()


def test_who_may_no_longer_read_the_answer_is_not_told_which_it_was(alice, viewer, contract, ramp, start, index):
    chat = start(viewer, contract)
    turn = chat.ask(HARD)
    with index.service.open():
        paragraph = Paragraph.objects.get(file=ramp.pk)
    raised = {"labels": [FINANCIAL], "reason": "the toll"}
    assert alice.api.patch(f"/api/paragraphs/{paragraph.pk}/", raised, format="json").status_code == 200
    again = chat.turn(turn["id"])
    assert "closest" not in str(again["message"] or "")
    events = chat.events(turn["id"])
    assert [event.kind for event in events if event.kind == "started"] == []
    assert [event.data["confidence"] for event in events if event.kind == "done"] == [None]


def test_what_was_near_and_is_hidden_since_is_left_out(viewer, contract, ramp, index, start, alice):
    chat = start(viewer, contract)
    turn = chat.ask(HARD)
    assert alice.api.delete(f"/api/files/{ramp.pk}/").status_code in (200, 204)
    message = chat.turn(turn["id"])["message"]
    assert RAMP not in str(message)


def test_a_models_answer_tells_nothing_of_the_kind(viewer, contract, ramp, start, model):
    model.says(text=f"{CLOSEST} it is the ramp.")
    chat = start(viewer, contract)
    turn = chat.ask(HARD)
    assert (turn["message"]["confidence"], turn["message"]["closest"]) == (None, [])
    assert kinds(chat.events(turn["id"])) == [None, None]
    assert "cl-passage" not in viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()


def test_a_reader_without_its_label_is_not_told_which_it_was(cfo, viewer, contract, index, share):
    index.row(contract, RAMP, label=FINANCIAL, file=index.file(contract, "Ramp.pdf"))
    chat = share(cfo, contract)
    turn = chat.ask(HARD)
    assert turn["message"]["confidence"] == "closest"
    theirs = Chat(viewer, chat.session)
    (hidden,) = [m for m in theirs.messages() if m["role"] == "assistant"]
    assert hidden["type"] == "placeholder"
    assert {"confidence", "closest"} & set(hidden) == set()
    assert "confidence" not in str(theirs.turn(turn["id"])["message"] or "")
    assert [(event.kind, set(event.data)) for event in theirs.events(turn["id"])] == [("done", {"state", "message"})]
    page = viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    text = viewer.api.get(f"{chat.url}export/").content.decode()
    for shown in (page, text):
        assert RAMP not in shown
        assert CLOSEST not in shown


def test_what_was_near_in_a_record_that_is_closed_since_is_left_out(alice, viewer, contract, ramp, start):
    chat = start(viewer, contract)
    turn = chat.ask(HARD)
    with alice.scope.open():
        Entity.objects.filter(pk=contract.pk).update(visibility="private")
    for url in (f"{chat.url}export/", f"/api/chat/turns/{turn['id']}/", f"{chat.url}messages/"):
        assert RAMP not in viewer.api.get(url).content.decode()


def test_a_passage_that_is_near_is_not_cited(viewer, contract, index, ramp, start, service):
    def count_cited():
        with service.open():
            return Reference.objects.filter(owner__isnull=False).count()

    chat = start(viewer, contract)
    chat.ask(HARD)
    assert count_cited() == 0
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"))
    chat.ask("What is the liability cap?")
    assert count_cited() == 1


@pytest.mark.parametrize("opening", [CLOSEST, NOT_FOUND])
def test_a_document_that_begins_like_an_answer_is_quoted(viewer, contract, index, start, opening):
    quote = f"{opening.rstrip('.')} the liability cap is 2,000,000 euros."
    index.row(contract, quote, file=index.file(contract, "Trick.pdf"))
    chat = start(viewer, contract)
    turn = chat.ask("What is the liability cap?")
    assert "the liability cap is 2,000,000 euros." in turn["message"]["content"]
    assert turn["message"]["confidence"] == "quoted"
    assert kinds(chat.events(turn["id"])) == ["quoted", "quoted"]


@pytest.mark.parametrize(
    "whole",
    [
        SELF,
        NOT_FOUND,
        CLOSEST,
        f"{CLOSEST} [citation:1] [citation:22]",
        f"{CLOSEST} the cap.",
        f"{NOT_FOUND} More.",
        CAP,
    ],
)
def test_the_kind_is_told_as_soon_as_it_is_certain(whole):
    early = {find_confidence(whole[:n]) for n in range(1, len(whole) + 1) if not is_undecided(whole[:n])}
    assert early <= {find_confidence(whole)}


def test_of_an_answer_that_was_stopped_only_what_was_shown_is_stored(viewer, contract, start):
    run = Run(None, None, Session(), None, Turn(), text="Nothing says", unshown="Nothing says")  # type: ignore[arg-type]
    assert _build_unfinished(run, State.STOPPED).content == ""
    run = Run(None, None, Session(), None, Turn(), text="The cap is 2")  # type: ignore[arg-type]
    assert _build_unfinished(run, State.STOPPED).content == "The cap is 2"


def test_the_nearest_come_in_the_order_of_the_search(index, contract, viewer, start):
    file = index.file(contract, "Pier.pdf")
    for page, text in enumerate(("Lorries use the pier.", "The ramp is steel.", RAMP), start=1):
        index.row(contract, text, file=file, page=page, position=page)
    found = start(viewer, contract).ask(HARD)["message"]["closest"]
    assert len(found) > 1
    assert found[0]["text"] == RAMP
