"""What a question mentions: where it looks, as far as its asker may see it, and never a fetch."""

import threading
from uuid import uuid4

import pytest

from chat import runner
from chat.models import Turn
from entities.actions import create_entity
from entities.models import WorkspaceSettings
from entities.models.classification import FINANCIAL, PII
from entities.models.entity import Visibility
from entities.types import Risk
from ingestion.models import File, FileRevision, Paragraph
from tests.chat.conftest import Chat, is_somebody_waiting
from tests.chat.test_raised import raise_to_secret
from tests.chat.test_shared import joined
from tests.ingestion.helpers import ready
from tests.ingestion.test_document_kinds import change


@pytest.fixture
def about_all():
    def begin(who):
        return Chat(who, who.api.post("/api/chat/sessions/", {}).json()["id"])

    return begin


def look_for_clause(model, text="Here [1]."):
    model.says(tool_use=("search_knowledge", {"query": "kestrel clause"}))
    model.says(text=text)


def test_a_mention_is_where_the_question_looks(
    viewer, alice, contract, restricted, index, about_all, start, model, service
):
    with alice.scope.open():
        risk = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel"})
    one, other = index.file(contract, "Lease.pdf"), index.file(contract, "Annex.pdf")
    deep = index.file(contract, "Deep.pdf")
    hidden = index.file(restricted, "Settlement.pdf")
    with service.open():
        File.objects.filter(pk=other.pk).update(path="/annexes/Annex.pdf")
        File.objects.filter(pk=deep.pk).update(path="/annexes/old/Deep.pdf")
    for record, file, text in (
        (contract, one, "lease"), (contract, other, "annex"), (contract, deep, "old annex"), (risk, None, "steel"),
        (restricted, hidden, "settlement"),
    ):  # fmt: skip
        index.row(record, f"The kestrel clause of the {text}.", file=file, vector=False)
    chat = about_all(viewer)
    every = {"lease", "annex", "old annex", "steel"}
    for mentioned, expected in (
        ({"files": [str(one.pk)]}, {"lease"}),
        ({"folders": [str(other.pk)]}, {"annex", "old annex"}),
        ({"records": [str(risk.pk)]}, {"steel"}),
        ({"records": [str(risk.pk)], "files": [str(one.pk)]}, every),  # records, so that of the file
        ({}, every),
    ):
        look_for_clause(model)
        turn = chat.ask("Where is the kestrel clause?", **mentioned)
        assert turn["state"] == "done", turn
        found = {text for text in {*every, "settlement"} if f"clause of the {text}." in model.requests[-1].text}
        assert found == expected, mentioned
        tools = model.requests[-2].tools
        assert ("list_records" in tools) == (not mentioned)
    page = viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    assert page.count("Looked in: what the question mentions.") == 4

    # What is hidden is refused as what is not there, whatever it is.
    theirs = about_all(alice).session
    refused = [
        viewer.api.post(f"{chat.url}messages/", {"content": "What of it?", kind: [str(pk)]})
        for kind, pk in (
            ("records", restricted.pk), ("files", hidden.pk), ("folders", hidden.pk), ("conversations", theirs),
            ("records", uuid4()), ("files", uuid4()), ("folders", one.pk), ("conversations", chat.session),
        )
    ]  # fmt: skip
    assert {(answer.status_code, answer.content) for answer in refused} == {(400, refused[-1].content)}

    # What is gone by the time the tool looks is no mention any more.
    with service.open():
        turns = Turn.objects.filter(session=chat.session).order_by("number")
        assert turns[2].mentions == [["record", str(risk.pk)]]
        type(risk).objects.filter(pk=risk.pk).update(visibility=Visibility.RESTRICTED)
    links = viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    assert links.count(f"/entities/{risk.pk}/") == 0 < links.count(f"/files/{one.pk}/")

    def names(who, typed):
        page = who.client.get(f"{who.base}chat/mentions/?q={typed}").content.decode()
        return [part.split('"')[0] for part in page.split('data-name="')[1:]]

    assert names(viewer, "ann") == ["Annex.pdf", "annexes"]
    assert names(viewer, "late") == names(viewer, "settlement") == names(viewer, "") == []
    assert names(alice, "settlement") == ["Settlement", "Settlement.pdf"]


def test_a_mentioned_conversation_is_told_to_no_more_readers(
    cfo, viewer, contract, index, share, start, about_all, model
):
    index.row(contract, "The kestrel sum is seven.", label=FINANCIAL, file=index.file(contract, "Kestrel.pdf"))
    private, shared = start(cfo, contract), share(cfo, contract)
    for chat, words in ((private, "The kestrel sum is nine."), (shared, "The kestrel sum is seven.")):
        model.says(tool_use=("search_knowledge", {"query": "kestrel sum"}))
        model.says(text=words)
        chat.ask("What is the kestrel sum?")
    refused = cfo.api.post(f"{shared.url}messages/", {"content": "And?", "conversations": [private.session]})
    assert refused.status_code == 400
    model.says(text="Well.")
    both = [private.session, shared.session]
    asked = about_all(cfo).ask("Which kestrel sum did we speak of?", conversations=both)
    assert [label["value"] for label in asked["message"]["labels"]] == [FINANCIAL]  # of what was said there
    given = model.requests[-1].text
    assert "The kestrel sum is nine." in given
    assert "The kestrel sum is seven." in given
    # Somebody who is cleared for less is given what they may read of it: the question alone.
    model.says(text="Well.")
    joined(viewer, shared).ask("Go on.")
    model.says(text="Well.")
    start(viewer, contract).ask("Which kestrel sum did you speak of?", conversations=[shared.session])
    assert "The kestrel sum is seven." not in model.requests[-1].text
    assert "What is the kestrel sum?" in model.requests[-1].text


def test_a_name_in_a_question_brings_its_label(alice, viewer, contract, index, share, start, model):
    """The name was offered to who may read it; where others read along it binds them."""
    file = index.file(contract, "Jane Miller.pdf", name_label=PII)
    index.row(contract, "A text.", file=file)
    chat = share(alice, contract)
    model.says(text="Well.")
    turn = chat.ask("What stands in it?", files=[str(file.pk)])
    assert PII in [label["value"] for label in turn["question"]["labels"]]
    assert "What stands in it?" not in str(joined(viewer, chat).messages())
    page = viewer.client.get(f"{viewer.base}chat/mentions/?q=jane").content.decode()
    assert "Miller" not in page


def test_a_question_rises_with_what_names_the_attachment_that_it_names(
    alice, viewer, contract, index, share, model, service
):
    mail, figures = index.file(contract, "Mail.eml"), index.file(contract, "Figures.pdf")
    index.row(contract, "The figures are attached.", file=mail)
    with service.open():
        paragraph = Paragraph.objects.get(file=mail.pk)
        File.objects.filter(pk=figures.pk).update(origin=mail.pk, named_by=paragraph.pk)
    chat = share(alice, contract)
    model.says(text="Figures.pdf is short.")
    turn = chat.ask("Is @Figures.pdf long?", files=[str(figures.pk)])
    assert joined(viewer, chat).messages()[0]["content"] == "Is @Figures.pdf long?"
    assert turn["drew_on"]["names"] == 1
    raise_to_secret(alice, paragraph)
    assert "Figures.pdf" not in str(joined(viewer, chat).messages())
    assert viewer.api.get(chat.url).json()["title"] is None


@pytest.fixture
def figures(alice, contract, service):
    """A file that looks like a medical letter, a kind that is not kept yet, and one that looks like nothing."""
    made = [ready(alice, contract, name, b"The gate is green.") for name in ("Figures.txt", "Notes.txt")]
    with service.open():
        FileRevision.objects.filter(file=made[0]).update(kind="medical")
        WorkspaceSettings.objects.update(kind_floors={"medical": []})
    return made


@pytest.mark.parametrize("by", ["kind", "version"])
def test_a_question_rises_with_the_name_of_the_file_that_it_names(
    alice, viewer, contract, figures, share, model, service, by
):
    chats = [share(alice, contract), share(alice, contract)]
    for chat, name, file in zip(chats, ("Figures", "Notes"), figures, strict=True):
        model.says(text="It is short.")
        chat.ask(f"Is @{name}.txt long?", files=[file])
        assert joined(viewer, chat).messages()[0]["content"] == f"Is @{name}.txt long?"
    if by == "kind":
        assert change(alice, "medical", [PII]).status_code == 200
    else:
        ready(alice, contract, "Figures.txt", b"The gate is blue.", labels=str(PII))
    assert "Figures.txt" not in str(joined(viewer, chats[0]).messages())
    assert viewer.api.get(chats[0].url).json()["title"] is None
    assert joined(viewer, chats[1]).messages()[0]["content"] == "Is @Notes.txt long?"


def test_a_name_that_rises_while_its_question_is_answered_is_waited_for(
    alice, viewer, contract, figures, share, model, service, wait_for
):
    hold = threading.Event()
    chat = share(alice, contract)
    model.says(text="It is short.", hold=hold)
    turn = chat.post("Is @Figures.txt long?", files=[figures[0]])

    def over_or_waiting():
        return is_somebody_waiting() or Turn.objects.filter(pk=turn, state="done").exists()

    with service.open():
        wait_for(lambda: model.requests)
        File.objects.filter(pk=figures[0]).update(name_classification=PII)
        hold.set()
        wait_for(over_or_waiting)
    runner.wait_until_idle()
    assert joined(viewer, chat).messages()[-1]["type"] != "text"
