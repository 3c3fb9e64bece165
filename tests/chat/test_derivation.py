"""What a question was typed below, or names, binds it and its answer where others read along: noted when it is sent."""

import threading

from chat import layout, runner
from chat.models import Event
from entities.access import list_atoms
from entities.models import Entity, Role
from entities.models.audit import AuditText
from entities.models.classification import FINANCIAL
from ingestion.bin import bin_file
from tests.chat.conftest import Chat, tail
from tests.chat.test_shared import INVOICE, joined
from tests.conftest import person


def texts(chat):
    return [message.get("content") for message in chat.messages()]


def title(who, chat):
    return who.api.get(chat.url).json()["title"]


def test_an_answer_is_drawn_from_what_its_question_mentions(alice, viewer, contract, restricted, index, share, model):
    """A record, a file and a conversation of a record that a reader does not see; its name in the answer alone."""
    file = index.file(restricted, "Gannet takeover.pdf")
    about = share(alice, restricted)
    model.says(text="Not found in what you can see.")
    about.ask("Gannet is kept in Hamburg. Is that right?")
    private = Chat(alice, alice.api.post("/api/chat/sessions/", {}).json()["id"])
    hidden = [share(alice, None) for _ in range(3)]
    for chat, mentions in zip(
        [*hidden, private],
        [{"records": [str(restricted.pk)]}, {"files": [str(file.pk)]}, {"conversations": [about.session]},
         {"records": [str(restricted.pk)]}],
        strict=True,
    ):  # fmt: skip
        model.says(text="I know nothing of Project Gannet.")
        turn = chat.ask("What of Gannet?", **mentions)
        assert turn["message"]["content"] == "I know nothing of Project Gannet."
        assert title(alice, chat) == "What of Gannet?"
        if chat is not private:
            assert texts(joined(viewer, chat)) == []
            assert title(viewer, chat) is None
            assert tail(viewer, turn["id"])[0] == 404
    # A name that the composer wrote brings its record where the id is lost, but not to who may not see that.
    written = share(alice, None)
    for who, count in ((alice, 0), (viewer, 2)):
        model.says(text="I know nothing of it.")
        joined(who, written).ask("What of @Settlement today?")
        assert len(texts(joined(viewer, written))) == count
    open_to_all = share(alice, None)
    model.says(text="It is the lease.")
    open_to_all.ask("What of it?", records=[str(contract.pk)])
    assert texts(joined(viewer, open_to_all)) == ["What of it?", "It is the lease."]
    assert title(viewer, open_to_all) == "What of it?"

    # With the record goes what was made of its name, everywhere; the rest stays.
    assert alice.api.delete(f"/api/entities/contract/{restricted.pk}/?forever=1").status_code == 204
    assert [texts(chat) for chat in (*hidden, private)] == [[]] * 4
    assert [title(alice, chat) for chat in (*hidden, private)] == [None] * 4
    assert (len(texts(open_to_all)), title(alice, open_to_all)) == (2, "What of it?")
    assert len(texts(written)) == 2

    # To who does not know of the first one, the second question is the first.
    for chat, is_first in ((hidden[0], True), (open_to_all, False)):
        model.says(text="Fine.")
        form = {"content": "How are things?", "session": chat.session}
        posted = viewer.client.post(f"{viewer.base}chat/ask/", form, headers={"HX-Request": "true"})
        assert ('id="chat-empty" hx-swap-oob="delete"' in posted.content.decode()) is is_first
        runner.wait_until_idle()


def test_a_question_is_labelled_by_all_that_its_asker_reads_when_it_is_sent(
    cfo, viewer, contract, workspace, index, share, model, service, wait_for, monkeypatch
):
    index.row(contract, INVOICE, label=FINANCIAL, file=index.file(contract, "Invoice.pdf"))
    chat, hold = share(cfo, contract), threading.Event()
    other, theirs = joined(person(workspace, "cfo2", [FINANCIAL]), chat), joined(viewer, chat)
    model.says(tool_use=("search_knowledge", {"query": "quarterly invoice"}))
    model.says(chunks=["40,000 euros [1].", " More."], hold=hold)
    first = chat.post("What came in this quarter?")

    def is_streamed():
        with cfo.scope.open():
            return Event.objects.filter(turn=first, kind="token").exists()

    try:
        wait_for(is_streamed)
        # While it is written an answer is its asker's alone: it binds what they type, and nobody else.
        assert cfo.api.patch(chat.url, {"title": "Forty thousand"}).status_code == 200
        assert (title(cfo, chat), title(viewer, chat)) == ("Forty thousand", None)
        with other.who.scope.open():
            assert not Event.objects.filter(turn=first).exists()
        model.says(text="Fine.")
        beside = theirs.post("How are things?")
        wait_for(lambda: theirs.turn(beside)["state"] == "done")
    finally:
        hold.set()
        runner.wait_until_idle()
    monkeypatch.setattr(layout, "KEPT_TURNS", 0)
    monkeypatch.setattr(layout, "BLOCK_TURNS", 1)  # no earlier turn is in a prompt word for word
    model.says(text="Yes.")
    below_window = chat.ask("So it is forty thousand?")["id"]
    model.says(text="Yes.")
    again = cfo.client.post(f"{cfo.base}chat/turns/{below_window}/again/")
    runner.wait_until_idle()
    assert again.status_code == 302
    assert [text for text in texts(theirs) if text] == ["What came in this quarter?", "How are things?", "Fine."]
    assert theirs.turn(beside)["drew_on"]["passages"] == 1, "the record's fields, and nothing of the other answer"
    assert "So it is forty thousand?" in texts(chat)

    # Who reads less is bound by less, and who loses the clearance before it is labelled by what they had.
    model.says(text="Fine.")
    theirs.ask("How are things?")
    assert texts(theirs)[-2:] == ["How are things?", "Fine."]

    def lose(*given):
        with service.open():
            cfo.user.groups.remove(Role.objects.get(name="cfo role").group)
        return 0

    monkeypatch.setattr("chat.turn.label_text", lose)
    chat.post("It is forty thousand, then?")
    runner.wait_until_idle()
    assert "It is forty thousand, then?" not in texts(theirs)
    assert "It is forty thousand, then?" in texts(other)


def test_a_typed_title_is_drawn_from_what_its_author_reads(alice, viewer, restricted, index, share, model):
    index.row(restricted, "The settlement goes to Acme.", file=index.file(restricted, "Settlement.pdf"))
    chat = share(alice, None)
    model.says(text="Fine.")
    chat.ask("How are things?")
    assert alice.api.patch(chat.url, {"title": "Weekly"}).status_code == 200
    assert title(viewer, chat) == "Weekly"
    model.says(tool_use=("search_knowledge", {"query": "settlement"}))
    model.says(text="It goes to Acme [1].")
    chat.ask("Where does the settlement go?")
    assert alice.api.patch(chat.url, {"title": "Settlement to Acme"}).status_code == 200
    assert (title(viewer, chat), title(alice, chat)) == (None, "Settlement to Acme")
    assert viewer.api.get("/api/chat/sessions/?q=Acme").json()["count"] == 0
    assert alice.api.get("/api/chat/sessions/?q=Acme").json()["count"] == 1
    # Nor does it come back by a mention of the conversation.
    elsewhere = share(alice, None)
    model.says(text="It was.")
    elsewhere.ask("@Settlement to Acme: what of it?", conversations=[chat.session])
    assert texts(joined(viewer, elsewhere)) == []


def test_what_a_mention_names_and_where_it_looks_is_no_more_than_its_asker_sees(
    alice, viewer, contract, restricted, index, share, model, service, monkeypatch
):
    chat = share(viewer, None)
    with service.open():
        Entity.objects.filter(pk=contract.pk).update(name_classification=FINANCIAL)
    model.says(text="Fine.")
    turn = chat.ask("What of this record?", records=[str(contract.pk)])
    assert (turn["state"], turn["question"]["labels"], turn["message"]["labels"]) == ("done", [], [])

    # Somebody else's question is marked as theirs.
    theirs = joined(alice, chat)
    model.says(text="Fine.")
    theirs.ask("And what of that?")
    assert "Somebody else who reads this conversation asked this.\n</reminder>\nWhat of this" in model.requests[-1].text
    assert "asked this.\n</reminder>\nAnd what" not in model.requests[-1].text

    # A mention that is gone by the time the tool looks is looked in no more, and not everywhere instead.
    file = index.file(contract, "Lease.pdf")
    index.row(contract, "The kestrel clause of the lease.", file=file)
    index.row(contract, "The kestrel clause of the annex.", file=index.file(contract, "Annex.pdf"))

    def lose_file(*given):
        with alice.scope.open():
            bin_file(scope=alice.scope, file=file)
        return 0

    for gone in (False, True):
        monkeypatch.setattr("chat.turn.label_text", lose_file if gone else lambda *given: 0)
        chat = share(viewer, None)
        model.says(tool_use=("search_knowledge", {"query": "kestrel clause"}))
        model.says(text="So.")
        assert chat.ask("Where is the kestrel clause?", files=[str(file.pk)])["state"] == "done"
        assert ("clause of the lease" in model.requests[-1].text) is not gone
        assert "clause of the annex" not in model.requests[-1].text


def test_words_of_a_refused_question_have_its_label_in_the_audit(viewer, alice, contract, share, model, monkeypatch):
    chat = share(viewer, contract)
    monkeypatch.setattr("chat.turn.label_text", lambda *given: FINANCIAL)
    assert chat.ask("What does the falcon plan say?")["state"] == "failed"
    with alice.scope.open():
        (words,) = AuditText.objects.filter(text="What does the falcon plan say?")
        assert FINANCIAL in list_atoms(words.data_classification)
