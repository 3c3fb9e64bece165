"""A question about all of a record is answered from what the asker may see of its documents, and from nothing else."""

import re

import pytest

from chat.document_overviews import MAX_DOCUMENTS
from chat.models import EventKind
from entities.models.classification import FINANCIAL
from ingestion.models import Kind
from tests.conftest import make_contract
from tests.refusals import quotes_nothing

OPENING = "This lease lets the north quay of Skerrow to the ferry company for ten years."
NOTICE = "Either party may terminate this lease with ninety days of written notice."
PRICE = "The ferry company pays a yearly rent of 910,000 euros for the north quay."
MINUTES = "It was agreed on 4 May 2026 to dredge the north berth before the winter."
ABOUT = "What is this document about?"


@pytest.fixture
def papers(index, contract):
    """Two documents: a lease whose rent is Financial, and minutes."""
    lease = index.file(contract, "Lease.pdf")
    for place, (text, label) in enumerate([(OPENING, 0), (PRICE, FINANCIAL), (NOTICE, 0)]):
        index.row(contract, text, file=lease, position=2 * place, page=place + 1, label=label)
    index.row(contract, MINUTES, file=index.file(contract, "Minutes.docx"), page=1)
    return lease


def test_a_summary_is_cited_sentences_of_each_document(viewer, contract, papers, start):
    chat = start(viewer, contract)
    for question in (ABOUT, "Summarise this record", "What are the main points?"):
        turn = chat.ask(question)
        text = turn["message"]["content"]
        assert [sentence for sentence in (OPENING, NOTICE, MINUTES) if sentence not in text] == []
        assert all("[citation:" in line for line in text.splitlines())
        steps = [event.data["text"] for event in chat.events(turn["id"]) if event.kind == EventKind.STEP]
        assert "Reading: the documents of this record" in steps


def test_a_summary_has_no_more_than_its_reader_may_read(viewer, cfo, contract, papers, start):
    everything = start(cfo, contract).ask(ABOUT)["message"]
    assert PRICE in everything["content"]
    chat = start(viewer, contract)
    turn = chat.ask(ABOUT)
    assert "910,000" not in str(turn)
    assert "910,000" not in str(chat.events(turn["id"]))
    page = viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    assert "910,000" not in page
    assert "Text nearby in Lease.pdf" in page  # the placeholder that may stand there


def test_a_named_document_is_told_alone_and_only_where_its_name_may_be_read(
    viewer, cfo, contract, index, papers, start
):
    index.row(contract, "The auditor found a gap in the harbour dues.", file=index.file(
        contract, "Audit findings.pdf", name_label=FINANCIAL))  # fmt: skip
    text = start(viewer, contract).ask("Summarise Minutes.docx")["message"]["content"]
    assert MINUTES in text
    assert OPENING not in text
    asked = "Summarise the audit findings"
    assert "gap in the harbour dues" in start(cfo, contract).ask(asked)["message"]["content"]
    chat = start(viewer, contract)
    chat.ask(asked)
    assert "Audit findings.pdf" not in viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    # A file that is called by nothing is found by what it begins with, as far as its reader may read that.
    scan = index.file(contract, "scan-0042.pdf")
    index.row(contract, "Receipt of the harbour shop\n\nTOTAL $41.50", label=FINANCIAL, file=scan)
    total = "What is the total of the receipt?"
    assert "TOTAL $41.50" in start(cfo, contract).ask(total)["message"]["content"]
    assert "41.50" not in start(viewer, contract).ask(total)["message"]["content"]


def test_the_agreement_is_the_only_paper_of_the_record_and_not_one_elsewhere(alice, viewer, contract, index, start):
    other = make_contract(alice)
    index.row(other, "Signed on 7 July 2024 in Oslo.", file=index.file(other, "Ferry agreement.pdf"))
    index.row(contract, "Signed on 4 March 2026 at Skerrow.", file=index.file(contract, "Berth.pdf"))
    asked = "When was the agreement signed?"
    assert "4 March 2026" in start(viewer, contract).ask(asked)["message"]["content"]
    index.row(contract, "Signed for by the crane driver.", file=index.file(contract, "Crane.pdf"))
    assert "7 July 2024" in start(viewer, contract).ask(asked)["message"]["content"], "of two papers neither is meant"


def test_documents_of_a_hidden_record_are_not_read_by_name(viewer, alice, contract, restricted, index, start):
    index.row(restricted, "The settlement with Olufsen ends the dispute.", file=index.file(restricted, "Olufsen.pdf"))
    asked = "Summarise Olufsen.pdf"
    assert "ends the dispute" in start(alice, contract).ask(asked)["message"]["content"]
    assert quotes_nothing(start(viewer, contract).ask(asked)["message"]["content"])


def test_without_documents_the_fields_answer_and_what_is_hidden_is_a_placeholder(viewer, contract, index, start):
    index.row(contract, "Contract: Quay lease with Port of Skerrow\nStatus: Active", kind=Kind.METADATA)
    chat = start(viewer, contract)
    text = chat.ask("What is this about?")["message"]["content"]
    assert text == "- Contract: Quay lease with Port of Skerrow; Status: Active. [citation:1]"
    index.row(contract, PRICE, file=index.file(contract, "Rent.pdf"), label=FINANCIAL)
    again = chat.ask("Summarise this record")["message"]["content"]
    assert again == text
    page = viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    assert "910,000" not in page
    assert "Text in this record" in page


def test_a_field_that_answers_is_cited_and_leads_to_the_field(viewer, cfo, contract, papers, index, start):
    shown = "Contract: Quay lease\nStatus: Draft"
    index.row(contract, shown, kind=Kind.METADATA)
    index.row(contract, "Contract: Quay lease\nValue: €1,200,000", kind=Kind.METADATA, label=FINANCIAL)
    message = start(viewer, contract).ask("What is the status?")["message"]
    assert message["content"] == "Status: Draft [citation:1]"
    cited = viewer.api.get(f"/api/citations/{message['id']}/1/").json()
    assert (cited["preview"], cited["support"]) == ("Contract: Quay lease Status: Draft", "quoted")
    assert cited["url"].endswith(f"/entities/{contract.pk}/#f-status")
    assert 'id="f-status"' in viewer.client.get(cited["url"]).content.decode()
    asked = "What is the value?"
    assert start(cfo, contract).ask(asked)["message"]["content"] == "Value: €1,200,000 [citation:2]"
    assert quotes_nothing(start(viewer, contract).ask(asked)["message"]["content"])
    # What the index does not hold yet, or holds differently, is said without a source.
    with index.service.open():
        type(contract).objects.filter(pk=contract.pk).update(status="active")
    assert start(viewer, contract).ask("What is the status?")["message"]["content"] == "Status: Active"


def test_a_model_reads_the_documents_by_name_and_focus(viewer, contract, papers, start, model):
    model.says(tool_use=("read_documents", {"document": "lease", "focus": "notice"}))
    model.says(tool_use=("read_documents", {"document": "nothing such"}))
    model.says(tool_use=("read_documents", {"document": 7}))
    model.says(text="Done.")
    start(viewer, contract).ask("What is in it?")
    results = [request.body["messages"][-1]["content"][0] for request in model.requests[1:]]
    assert OPENING in results[0]["content"]
    assert MINUTES not in results[0]["content"]
    assert results[1]["content"] == "No document that the person asking may see is called so."
    assert results[2]["is_error"]


def test_the_fields_of_a_mentioned_record_are_read_alone(viewer, contract, papers, index, start, model):
    index.row(contract, "Contract: Quay lease\nStatus: Draft", kind=Kind.METADATA)
    for asked in ({"fields": True}, {}):
        model.says(tool_use=("read_documents", asked))
    model.says(text="Done.")
    start(viewer, contract).ask("What is in it?", records=[str(contract.pk)])
    fields, every = [request.body["messages"][-1]["content"][0]["content"] for request in model.requests[1:]]
    assert ("Status: Draft" in fields, OPENING in fields) == (True, False)
    assert OPENING in every


def test_signs_that_no_database_stores_do_not_end_the_turn(viewer, contract, papers, start, model):
    model.says(tool_use=("read_documents", {"document": "lease\x00", "focus": "notice"}))
    model.says(tool_use=("search_knowledge", {"query": "quay\x00 lease"}))
    model.says(tool_use=("search_knowledge", {"query": "\x00"}))
    model.says(tool_use=("list_records", {"type": "contract\x00"}))
    model.says(text="Done.")
    assert start(viewer, contract).ask("What is in it?")["message"]["content"] == "Done."
    results = [request.body["messages"][-1]["content"][0] for request in model.requests[1:]]
    assert OPENING in results[0]["content"]
    assert [bool(result.get("is_error")) for result in results] == [False, False, True, True]


def test_an_answer_is_labelled_by_what_it_shows_and_the_conversation_by_what_it_was_made_from(
    cfo, contract, papers, start
):
    chat = start(cfo, contract)
    for question, shown in [
        ("What is the status?", "Public"),
        ("What is the value?", "Financial"),
        ("Summarise Minutes.docx", "Public"),
        ("Summarise the lease", "Financial"),
    ]:
        turn = chat.ask(question)
        assert [label["label"] for label in turn["message"]["labels"]] == ["Financial"]
        page = cfo.client.get(f"{cfo.base}chat/turns/{turn['id']}/", headers={"HX-Request": "true"}).content.decode()
        foot = page[page.index("cl-turn-foot") :]
        assert [name for name in ("Public", "Financial") if name in foot] == [shown], (question, page)


def test_documents_with_a_word_of_the_focus_are_read_before_newer_ones_as_far_as_it_may_be_read(
    viewer, cfo, contract, index, start, model
):
    """The oldest two have the word, one of them for the cfo alone; more documents are newer than are read."""
    index.row(contract, "The kedge anchor is rusty.", file=index.file(contract, "Old.pdf"))
    index.row(contract, "The kedge anchor costs £90,000.", file=index.file(contract, "Cost.pdf"), label=FINANCIAL)
    for n in range(MAX_DOCUMENTS):
        index.row(contract, f"Berth {n} is free.", file=index.file(contract, f"Berth-{n}.pdf"))
    for who, read in ((viewer, (True, False, MAX_DOCUMENTS - 1)), (cfo, (True, True, MAX_DOCUMENTS - 2))):
        chat = start(who, contract)
        model.says(tool_use=("read_documents", {"focus": "kedge"}))
        model.says(text="Read.")
        chat.ask("What of the kedge?")
        given = model.requests[-1].text
        assert ("is rusty" in given, "£90,000" in given, given.count("is free")) == read


def test_short_documents_are_read_whole_as_far_as_their_passages_are_few(viewer, contract, index, start, model):
    """A receipt has many short lines. A list of more is cut, and so is a second receipt beside the first."""
    for name, count in (("Rolls", 35), ("Loaves", 35), ("Cakes", 110)):
        paper = index.file(contract, f"{name}.pdf")
        for n in range(count):
            index.row(contract, f"{name} {n}", file=paper, position=n)
    chat = start(viewer, contract)
    for asked, given in (({"document": "Rolls"}, 35), ({"document": "Cakes"}, 14), ({"focus": "x"}, 4 + 35 + 4)):
        model.says(tool_use=("read_documents", asked))
        model.says(text="Read.")
        chat.ask("What was bought?")
        read = model.requests[-1].body["messages"][-1]["content"][0]["content"]
        assert len(re.findall(r"^\[\d+\] (?:Rolls|Loaves|Cakes) ", str(read), re.MULTILINE)) == given
