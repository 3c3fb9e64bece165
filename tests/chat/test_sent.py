"""What somebody sent, and rests, in conversations: in those that they alone read, and only as long."""

from uuid import uuid4

import pytest

from chat import runner
from chat.labelling import label_question
from chat.models import Message, Role
from entities.access import list_atoms, raise_labels
from entities.models import AuditText, Source, WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PUBLIC, STEWARDS
from ingestion import publish
from ingestion.inline import process_all_waiting
from ingestion.models import FileRevision, Paragraph
from ingestion.text_labels import UNJUDGED
from tests.chat.conftest import Chat
from tests.chat.test_attachments import BRIEF, CLAUSE, attach, begin, look
from tests.conftest import person
from tests.ingestion.helpers import ready
from tests.ingestion.test_document_kinds import change

pytestmark = pytest.mark.usefixtures("closed")


@pytest.fixture
def sender(workspace):
    return person(workspace, "sender", [], ("Editor",))


def said(chat: Chat) -> str:
    """The last message as its reader gets it: its text, or what it needs."""
    last = chat.messages()[-1]
    return last["content"] if last["type"] == "text" else str([one["label"] for one in last["requires"]])


@pytest.fixture
def answered(sender, contract, start, model):
    """(conversation, turn, file) in which the sender was told what they sent."""
    file = ready(sender, contract, "brief.md", BRIEF)
    look(model)
    chat = start(sender, contract)
    turn = chat.ask("What does the kestrel clause say?")
    assert CLAUSE in model.requests[-1].text
    assert said(chat) == "In June [citation:1]."
    return chat, turn, file


def judge(steward, service, labels):
    with service.open():
        pk = Paragraph.objects.get(text=CLAUSE).pk
    given = {"labels": labels, "reason": "about one of us"}
    assert steward.api.patch(f"/api/paragraphs/{pk}/", given, format="json").status_code == 200
    process_all_waiting(service.workspace)


def test_who_sent_it_is_answered_from_it_and_its_citation_opens(answered, sender, alice, model):
    chat, turn, file = answered
    answer = turn["message"]["id"]
    cited = sender.api.get(f"/api/citations/{answer}/1/").json()
    assert cited["available"]
    assert "kestrel clause" in cited["preview"]
    assert cited["source"]["file"]["name"] == "brief.md"
    assert "brief.md" not in model.requests[-1].text, "a name brings its label along"
    assert CLAUSE in sender.client.get(cited["url"]).content.decode()
    assert "In June" in sender.client.get(f"{sender.base}chat/{chat.session}/").content.decode()
    for path in (chat.url, f"/api/chat/turns/{turn['id']}/", f"/api/citations/{answer}/1/"):
        assert alice.api.get(path).status_code == 404


def test_once_it_is_judged_the_answer_needs_what_it_needs(answered, alice, sender, service):
    chat, turn, _ = answered
    judge(alice, service, [INTERNAL])  # as what it rested
    assert said(chat) == "['Internal']"
    assert not sender.api.get(f"/api/citations/{turn['message']['id']}/1/").json().get("available")


def test_judged_public_the_answer_stays(answered, alice, service):
    chat, _, _ = answered
    judge(alice, service, [])
    assert said(chat) == "In June [citation:1]."


def test_judged_by_the_pipeline_under_the_same_label_the_answer_needs_it(answered, service):
    chat, _, file = answered
    with service.open():
        found = [{"source": "rules", "labels": [INTERNAL], "reason": "a mark", "confidence": None}]
        row = Paragraph.objects.get(text=CLAUSE)
        assert row.data_classification == INTERNAL
    with service.open():
        rested = {row.pk: row}
        Paragraph.objects.filter(pk=row.pk).update(votes=found)
        assert publish.find_no_longer_sent(row.revision_id, rested) == {row.pk: INTERNAL}
        Paragraph.objects.filter(pk=row.pk).update(votes=[])
        assert publish.find_no_longer_sent(row.revision_id, rested) == {}
    assert said(chat) == "In June [citation:1]."


def test_once_its_kind_is_kept_for_the_label_that_it_rested_with_the_answer_needs_it(answered, alice, sender, service):
    chat, _, file = answered
    with service.open():
        FileRevision.objects.filter(file=file).update(kind="medical")
        WorkspaceSettings.objects.update(kind_floors={"medical": []})
    assert change(alice, "payslip", [INTERNAL]).status_code == 200
    assert said(chat) == "In June [citation:1]."
    assert change(alice, "medical", [INTERNAL]).status_code == 200
    assert said(chat) == "['Internal']"
    assert sender.api.get(f"/api/files/{file}/reader/").status_code == 404


@pytest.mark.parametrize("body", [BRIEF + b"\nThe end.\n", b"# Brief\n\nNothing is left.\n"])
def test_a_newer_version_by_somebody_else_takes_it_away(answered, alice, contract, body):
    chat, _, file = answered
    assert ready(alice, contract, "brief.md", body) == file
    assert said(chat) == "['Internal']"


def test_a_newer_version_of_their_own_does_not(answered, sender, contract):
    chat, _, file = answered
    assert ready(sender, contract, "brief.md", BRIEF + b"\nThe end.\n") == file
    assert said(chat) == "In June [citation:1]."


def test_where_others_read_along_it_is_not_there(sender, contract, share, model):
    ready(sender, contract, "brief.md", BRIEF)
    look(model, text="I do not know.")
    chat = share(sender, contract)
    chat.post("Is there a kestrel clause in it?")
    runner.wait_until_idle()
    assert not any(CLAUSE in request.text for request in model.requests)


def test_others_are_not_answered_from_it(sender, viewer, contract, start, model):
    ready(sender, contract, "brief.md", BRIEF)
    look(model, text="I do not know.")
    start(viewer, contract).ask("What does the kestrel clause say?")
    assert not any(CLAUSE in request.text for request in model.requests)


def test_a_file_dropped_into_a_conversation_answers_who_dropped_it(viewer, model):
    chat = begin(viewer)
    attach(chat)
    look(model)
    chat.ask("What does the kestrel clause say?")
    assert CLAUSE in model.requests[-1].text
    assert said(chat) == "In June [citation:1]."


def test_the_audits_words_have_the_label_that_it_rests_as(sender, contract, start, model, service):
    with service.open():
        WorkspaceSettings.objects.update(resting=CONFIDENTIAL)
    ready(sender, contract, "brief.md", BRIEF)
    look(model)
    turn = start(sender, contract).ask("What does the kestrel clause say?")
    with service.open():
        assert Message.objects.get(pk=turn["message"]["id"]).data_classification == PUBLIC
        asked = AuditText.objects.get(entry__action="answer")
        assert CONFIDENTIAL in list_atoms(asked.data_classification)


ASKED = "Is there a kestrel clause in it?"


def list_said(chat):
    return [m["content"] if m["type"] == "text" else [one["label"] for one in m["requires"]] for m in chat.messages()]


def test_what_is_typed_where_others_read_along_rests(staff, viewer, cfo, contract, share):
    chat = share(staff, contract)
    chat.ask(ASKED)
    assert list_said(chat)[0] == ASKED
    for other in (viewer, cfo):
        shown = list_said(Chat(other, chat.session))
        assert shown == [["Internal"]] * len(shown)
        assert shown
        page = other.client.get(f"{other.base}chat/{chat.session}/").content.decode()
        assert "kestrel" not in page
        assert other.api.get("/api/chat/sessions/?q=kestrel").json()["count"] == 0
        (listed,) = other.api.get("/api/chat/sessions/").json()["results"]
        assert "kestrel" not in str(listed)


def test_who_typed_it_without_the_level_reads_it_alone_and_is_not_answered(viewer, cfo, staff, contract, share):
    chat = share(viewer, contract)
    turn = chat.ask(ASKED)
    assert turn["state"] == "failed"
    assert "only you see" in turn["error"]["detail"]
    assert list_said(chat) == [ASKED]
    assert list_said(Chat(staff, chat.session)) == [ASKED]
    assert list_said(Chat(cfo, chat.session)) == [["Internal"]]


def test_with_stewards_alone_what_rules_find_in_a_question_ends_nothing(alice, cfo, contract, share):
    assert alice.client.post(f"{alice.base}resting/", {"to": str(STEWARDS)}).status_code == 302
    asked = "Is 68,400 pounds a year the salary of the kestrel keeper?"
    chat = share(cfo, contract)
    assert chat.ask(asked)["state"] == "failed"
    assert list_said(chat) == [asked]
    assert list_said(Chat(alice, chat.session)) == [asked]
    other = person(contract.workspace, "other", [FINANCIAL])
    assert list_said(Chat(other, chat.session)) == [["Stewards and its sender alone"]]


def test_what_is_typed_in_a_conversation_of_ones_own_rests_for_nobody(viewer, contract, start):
    chat = start(viewer, contract)
    turn = chat.ask(ASKED)
    assert turn["state"] == "done"
    assert turn["question"]["labels"] == []
    assert list_said(chat)[0] == ASKED


def test_a_model_that_finds_nothing_opens_it_and_a_finding_replaces_what_it_rests_as(
    staff, cfo, viewer, contract, share
):
    chat = share(cfo, contract)
    chat.ask("Was the invoice 40,000 euros?")
    assert list_said(Chat(viewer, chat.session))[0] == ["Financial"]
    assert list_said(chat)[0] == "Was the invoice 40,000 euros?", "Financial, and not Internal as well"


def test_a_question_that_rests_is_for_its_author_no_longer_than_what_it_may_repeat(viewer, contract, share, service):
    chat = share(viewer, contract)
    chat.ask(ASKED)
    with service.open():
        question = Message.objects.get(role=Role.USER)
        assert (question.data_classification, question.own_classification) == (INTERNAL, 0)
    with viewer.scope.limit_to([]).open():
        assert not Message.objects.exists()
    with viewer.scope.open():
        assert Message.objects.count() == 1
        assert Message.objects.update(content="other") == 0
    with service.open():
        Source.objects.create(
            workspace_id=service.workspace, derived=question.pk, entity_id=contract.pk, passage=(passage := uuid4())
        )
        raise_labels({passage: INTERNAL})
    with viewer.scope.open():
        assert not Message.objects.exists()


def test_the_next_question_below_ones_own_is_ones_own_too(viewer, cfo, contract, share):
    chat = share(viewer, contract)
    chat.ask(ASKED)
    chat.ask("And a falcon clause?")
    assert list_said(chat) == [ASKED, "And a falcon clause?"]
    assert list_said(Chat(cfo, chat.session)) == [["Internal"], ["Internal"]]


def test_a_clearance_that_ended_meanwhile_is_not_taken_for_what_ones_own_rests_as(viewer, contract, share, service):
    chat = share(viewer, contract)
    turn = chat.ask(ASKED)
    for repeated, shown in ((INTERNAL, ASKED), (FINANCIAL, ["Internal", "Financial"])):
        with service.open():
            # As it is sent by somebody who reads so much, and labelled once they hold nothing of it.
            Message.objects.update(found=[repeated])
            label_question(service, turn["id"], UNJUDGED, frozenset())
        assert list_said(chat) == [shown]
