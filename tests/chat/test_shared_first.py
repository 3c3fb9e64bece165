"""Where others read along, what all of them may read is given first, and the rest where the question needs it."""

import pytest

from chat import runner
from chat.models import Session
from chat.readers import load_common_atoms
from entities.models import AuditEntry, Role
from entities.models.classification import FINANCIAL, INTERNAL, PII
from tests.chat.conftest import CAP, Chat
from tests.conftest import person
from tests.pulse.conftest import pulse_of, work  # noqa: F401  fixture

INVOICE = "The quarterly invoice of the harbour master is 40,000 euros."
VALUE = "1200000"
SEARCH = ("search_knowledge", {"query": "liability cap"})
SEARCH_INVOICE = ("search_knowledge", {"query": "quarterly invoice", "restricted": True})


@pytest.fixture
def lease(contract, index):
    """A record with a field, and a passage beside an open one, that need Financial."""
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"))
    index.row(contract, INVOICE, label=FINANCIAL, file=index.file(contract, "Invoice.pdf"))
    index.row(contract, f"Quay lease\nValue: {VALUE} EUR", label=FINANCIAL)
    return contract


def labels(turn):
    return [label["value"] for label in turn["message"]["labels"]]


def last_message(who, chat):
    return Chat(who, chat.session).messages()[-1]


def find_digits(text):
    return text.replace(",", "").replace(".", "")


def ask_invoice(chat, model):
    model.says(tool_use=SEARCH_INVOICE)
    model.says(text="40,000 euros [1].")
    return chat.ask("How high is the invoice?")


def choices(request):
    """Tools that offer to look in what is restricted."""
    tools = request.body["tools"]
    return [tool["name"] for tool in tools if "restricted" in tool["input_schema"]["properties"]]


def test_a_public_question_gets_an_answer_for_all(cfo, viewer, lease, share, start, model):
    """The record has a field that needs Financial, and so has a passage beside the one that answers."""
    chat, private = share(cfo, lease), start(cfo, lease)
    for one in (chat, private):
        model.says(tool_use=SEARCH)
        model.says(text="Two million euros [1].")
        turn = one.ask("What is the liability cap?")
        assert labels(turn) == ([] if one is chat else [FINANCIAL])
    shared, found, alone, found_alone = model.requests
    assert CAP in found.text
    assert "40,000" not in found.text
    assert VALUE not in find_digits(found.text)
    assert "Port" in shared.text  # what all may read is there
    assert last_message(viewer, chat)["content"].startswith("Two million")
    assert choices(shared) == ["search_knowledge", "read_documents"]
    # A private one is as it was.
    assert VALUE in find_digits(alone.system)
    assert "40,000" in found_alone.text
    assert "restricted" not in str(alone.body)
    assert "everybody who reads" not in found_alone.text


def test_the_pulse_is_the_one_that_all_may_read(cfo, viewer, lease, share, start, model, work):  # noqa: F811
    work()
    assert "40,000" in pulse_of(cfo, lease)["text"]
    chat = share(cfo, lease)
    model.says(text="Well.")
    assert labels(chat.ask("How are things?")) == []
    assert CAP not in model.requests[-1].system
    work()  # the one of who holds no more was asked for
    model.says(text="Well.")
    assert labels(chat.ask("How are things now?")) == []
    assert CAP in model.requests[-1].system
    assert "40,000" not in model.requests[-1].system
    model.says(text="Well.")
    start(cfo, lease).ask("How are things?")
    assert "40,000" in model.requests[-1].system


def test_what_is_restricted_comes_where_the_model_asks_for_it(cfo, viewer, lease, share, model):
    chat = share(cfo, lease)
    turn = ask_invoice(chat, model)
    assert "40,000" not in model.requests[0].text
    assert "40,000" in model.requests[1].text
    assert labels(turn) == [FINANCIAL]
    assert last_message(cfo, chat)["content"] == "40,000 euros [citation:1]."
    assert last_message(viewer, chat)["type"] == "placeholder"
    # What the answer needs anyway is looked at in later calls of the same turn without asking.
    model.says(tool_use=("read_documents", {"fields": True, "restricted": True}))
    model.says(tool_use=("search_knowledge", {"query": "quarterly invoice"}))
    model.says(text="So it is.")
    other = share(cfo, lease)
    assert labels(other.ask("What is its value?")) == [FINANCIAL]
    assert "40,000" not in model.requests[-2].text
    assert VALUE in find_digits(model.requests[-2].text)
    assert "40,000" in model.requests[-1].text


def test_where_nothing_is_found_it_looks_in_all_at_once(cfo, viewer, contract, index, share, model):
    index.row(contract, INVOICE, label=FINANCIAL, file=index.file(contract, "Invoice.pdf"))
    chat = share(cfo, contract)
    model.says(tool_use=("search_knowledge", {"query": "quarterly invoice"}))
    model.says(text="40,000 euros [1].")
    assert labels(chat.ask("How high is the invoice?")) == [FINANCIAL]
    assert last_message(viewer, chat)["type"] == "placeholder"


def test_after_a_restricted_answer_a_new_subject_is_for_all(cfo, viewer, lease, share, model):
    chat = share(cfo, lease)
    ask_invoice(chat, model)
    model.says(tool_use=SEARCH)
    model.says(text="Two million euros.")
    turn = chat.ask("What is the liability cap?", new_subject=True)
    assert "40,000" not in model.requests[-1].text
    assert (labels(turn), turn["question"]["labels"]) == ([], [])
    shown = last_message(viewer, chat)
    assert (shown["type"], shown["content"]) == ("text", "Two million euros.")
    # It may still need more, by tool.
    model.says(tool_use=SEARCH_INVOICE)
    model.says(text="40,000 euros [1].")
    assert labels(chat.ask("And the invoice?", new_subject=True)) == [FINANCIAL]
    assert last_message(viewer, chat)["type"] == "placeholder"


def test_a_question_that_leans_on_a_restricted_answer_needs_what_it_needs(cfo, viewer, lease, share, model):
    chat = share(cfo, lease)
    ask_invoice(chat, model)
    model.says(text="A twelfth: 3,333 euros [1].")
    turn = chat.ask("And per month?")
    assert "40,000" in model.requests[-1].text
    assert VALUE in find_digits(model.requests[-1].system)  # it costs no reader anything more
    assert labels(turn) == [FINANCIAL]
    assert chat.turn(turn["id"])["message"]["content"].startswith("A twelfth")
    assert [m["type"] for m in Chat(viewer, chat.session).messages()[-2:]] == ["placeholder", "placeholder"]
    # What is recalled is held to the same, once it is out of the prompt.
    for _ in range(9):
        model.says(text="Well.")
        chat.ask("How is the weather?", new_subject=True)
    model.says(text="Well.")
    assert labels(chat.ask("What was the quarterly invoice?", new_subject=True)) == []
    assert "40,000" not in model.requests[-1].text
    model.says(text="40,000 euros [1].")
    assert labels(chat.ask("What was the quarterly invoice?")) == [FINANCIAL]
    assert "<earlier>" in model.requests[-1].text
    assert "40,000" in model.requests[-1].text


def test_a_new_subject_is_no_less_than_the_classifier_finds_nor_than_what_it_mentions(
    cfo, viewer, lease, index, share, model
):
    chat = share(cfo, lease)
    secret = index.file(lease, "Ledger.pdf", name_label=FINANCIAL)
    index.row(lease, INVOICE, label=FINANCIAL, file=secret)
    model.says(text="Well.")
    turn = chat.ask("What is in it?", new_subject=True, files=[str(secret.pk)])
    assert [label["value"] for label in turn["question"]["labels"]] == [FINANCIAL]
    assert last_message(viewer, chat)["type"] == "placeholder"
    assert labels(turn) == [FINANCIAL]


def test_what_was_said_elsewhere_goes_in_where_it_is_mentioned(cfo, viewer, lease, share, model):
    before, chat = share(cfo, lease), share(cfo, lease)
    ask_invoice(before, model)
    model.says(text="Forty.")
    turn = chat.ask("How high was the quarterly invoice?", conversations=[before.session])
    assert "40,000" in model.requests[-1].text
    assert labels(turn) == [FINANCIAL]
    assert last_message(viewer, chat)["type"] == "placeholder"
    model.says(text="Well.")
    assert labels(share(cfo, lease).ask("How high was the quarterly invoice?")) == []
    assert "40,000" not in model.requests[-1].text


def test_who_vouches_on_the_page_is_in_the_audit(cfo, viewer, lease, share, start, model, service):
    chat, private = share(cfo, lease), start(cfo, lease)
    ask_invoice(chat, model)
    for one, offers in ((chat, True), (private, False)):
        page = cfo.client.get(f"{cfo.base}chat/{one.session}/").content.decode()
        assert ('name="new_subject"' in page) == offers
        for vouched in ("on", ""):
            model.says(text="Well.")
            asked = {"content": "How is the weather?", "session": one.session, "new_subject": vouched}
            answer = cfo.client.post(f"{cfo.base}entities/{lease.pk}/chat/ask/", asked)
            assert answer.status_code in (200, 302)
            runner.wait_until_idle()
            shown = last_message(viewer, chat)["type"]
            assert not offers or (shown == "text") == bool(vouched)
    with service.open():
        (entry,) = AuditEntry.objects.filter(action="question.detached")
    assert entry.actor == cfo.user.pk


def test_who_gains_nothing_has_the_prompt_that_they_had(viewer, cfo, lease, share, model):
    """Nothing tells a reader that there is more: no choice, no note, no count."""
    chat = share(viewer, lease)
    model.says(tool_use=SEARCH)
    model.says(text="Two million euros [1].")
    turn = chat.ask("What is the liability cap?")
    assert [choices(request) for request in model.requests] == [[], []]
    assert "everybody who reads" not in model.requests[-1].text
    assert "restricted" not in str(model.requests[-1].body)
    assert labels(turn) == []
    model.says(tool_use=SEARCH_INVOICE)
    model.says(text="I do not know.")
    assert labels(chat.ask("And the invoice?")) == []
    assert "40,000" not in model.requests[-1].text
    # What somebody else was given of the rest moves nothing for them.
    asked = ask_invoice(share(cfo, lease), model)
    assert viewer.api.get(f"/api/chat/turns/{asked['id']}/context/").json()["passages"] == []


def test_without_a_model_what_is_restricted_answers_too(cfo, viewer, lease, share):
    def ask(question):
        chat = share(cfo, lease)
        turn = chat.ask(question)
        return turn["message"]["content"], labels(turn), last_message(viewer, chat)["type"]

    said, needs, shown = ask("What is the liability cap?")
    assert ("two million" in said, needs, shown) == (True, [], "text")
    said, needs, shown = ask("How high is the quarterly invoice?")
    assert ("40,000" in said, needs, shown) == (True, [FINANCIAL], "placeholder")
    said, needs, shown = ask("What is its value?")
    assert (VALUE in find_digits(said), needs, shown) == (True, [FINANCIAL], "placeholder")


def test_who_cannot_read_it_leaves_nothing_out(cfo, viewer, steward, workspace, lease, share, service):
    """Only readers count: active members, of the role that was chosen, who see the record."""

    def load(session):
        with service.open():
            return load_common_atoms(service, Session.objects.get(pk=session))

    everybody = share(cfo, lease).session
    of_role = share(cfo, None, "role cfo role").session
    assert load(everybody) == frozenset()
    assert load(of_role) == {FINANCIAL}
    with service.open():
        steward.user.groups.add(Role.objects.get(name="cfo role").group)
    assert load(of_role) == {FINANCIAL}
    with service.open():
        viewer.user.groups.add(Role.objects.get(name="cfo role").group)
    assert load(everybody) == {FINANCIAL}  # the role clears them as well
    with service.open():
        type(lease).objects.filter(pk=lease.pk).update(visibility="restricted")
    assert load(everybody) >= {FINANCIAL, PII, INTERNAL}  # its maker alone
    with service.open():
        type(lease).objects.filter(pk=lease.pk).update(visibility="workspace")
    late = person(workspace, "late", [])
    assert load(everybody) == frozenset()
    late.user.is_active = False
    late.user.save()
    assert load(everybody) == {FINANCIAL}
