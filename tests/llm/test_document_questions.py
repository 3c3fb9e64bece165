"""The first questions of somebody new to a record, before they know what its documents say. No database is needed."""

import pytest

from llm.prompts import NumberedPassage, PromptDocument, is_closest
from tests.llm.boat_yard import (
    ADDRESSED,
    BARE_ADDRESS,
    DRAWINGS,
    FIELDS,
    LEASE,
    LETTER,
    MINUTES,
    PAPER,
    PATIENTS,
    SALE,
    SHEET,
    ask,
)
from tests.refusals import quotes_nothing


@pytest.mark.parametrize(
    "question",
    [
        "What is this document about?",
        "what's this about",
        "Summarise this record",
        "Please summarize the documents",
        "Tell me about this project",
        "What are the main points?",
        "Give me a short summary",
        "tl;dr",
        "What does it say?",
        "What is in these files?",
        "Explain this to me",
        "Which documents are there?",
        "Key facts please",
        "Worum geht es hier?",
        "Fass das bitte zusammen",
    ],
)
def test_a_question_about_all_of_it_is_answered_from_each_document_with_its_numbers(question):
    text, calls = ask(question, [FIELDS, LEASE, MINUTES, LETTER])
    assert [name for name, _ in calls] == ["read_documents"]
    lines = text.splitlines()
    assert all(line.startswith("- ") and line.endswith("]") for line in lines), text
    assert "[8]" not in text  # the record's fields stand beside the conversation
    assert "This lease is made on 1 April 2026" in text
    assert any(f"[{n}]" in text for n in (4, 5))
    assert "[6]" in text
    assert "# Lease" not in text
    assert "3 Rent" not in text
    assert "Minutes of the yard meeting" not in text
    assert 4 <= len(lines) <= 9


def test_one_document_is_told_alone_where_it_is_named():
    text, calls = ask("Summarise the minutes", [FIELDS, LEASE, MINUTES])
    assert calls == [("read_documents", {"document": "minutes"})]
    assert "[4]" in text
    assert "[5]" in text
    assert "[1]" not in text
    assert "[8]" not in text


def test_what_no_document_is_called_is_the_record_where_it_may_be():
    text, calls = ask("What is this report about?", [LETTER])
    assert "Your licence for the slipway runs out" in text
    assert calls == [("read_documents", {})]
    text, calls = ask("What is the contract about?", [LEASE])
    assert [name for name, _ in calls] == ["read_documents"]  # the record is a contract
    text, calls = ask("What is the report about?", [LETTER])
    assert calls == [("read_documents", {"document": "report"}), ("read_documents", {})]
    assert "Your licence for the slipway runs out" in text


def test_what_names_something_else_is_searched_for():
    for question in ("Summarise the dispute with Tallis", "Tell me about Mara Quill"):
        text, calls = ask(question, [LEASE])
        assert calls[-1][0] == "search_knowledge"
        assert quotes_nothing(text)


def test_a_record_without_files_is_told_by_its_fields():
    text, _ = ask("What is this about?", [FIELDS])
    assert text == "- Contract: Boat yard with Harbour Estates; Status: Active. [8]"
    assert quotes_nothing(ask("What is this about?", [])[0])


def test_more_is_what_was_not_said_before():
    first, _ = ask("Summarise the lease", [LEASE])
    history = [{"role": "user", "content": "Summarise the lease"}, {"role": "assistant", "content": first}]
    more, calls = ask("Tell me more", [LEASE], history)
    assert calls[0][0] == "read_documents"
    assert not set(more.splitlines()) & set(first.splitlines())


@pytest.mark.parametrize(
    ("question", "documents", "has", "lacks"),
    [
        ("Who are the parties?", [LEASE], ["between Harbour Estates Ltd"], ["penalty"]),
        ("When does it end?", [LEASE], ["ends on 31 March 2031"], ["rent"]),
        ("How long does the contract run?", [LEASE], ["ends on 31 March 2031"], []),
        ("How much do we have to pay?", [LEASE], ["£4,200"], ["31 March"]),
        ("Can we cancel it?", [LEASE], ["six months' written notice"], ["rent"]),
        ("What was decided?", [MINUTES], ["agreed to close the slipway"], ["rotten"]),
        ("Who attended?", [MINUTES], ["Present: Mara Quill, Tobias Fenn, Ada Brook"], ["agreed"]),
        ("Who was at the meeting?", [MINUTES], ["Present: Mara Quill"], []),
        ("What are the action items?", [MINUTES], ["Mara Quill to order oak boards"], ["rotten"]),
        ("What are the next steps?", [MINUTES], ["Mara Quill to order oak boards"], []),
        ("Who is this letter from?", [LETTER], ["Northgate Council", "Helen Marsh"], ["Please send"]),
        ("What do they want from us?", [LETTER], ["Please send the insurance certificate"], ["Northgate"]),
        ("Are there any deadlines?", [LETTER], ["before 1 June 2026"], []),
        ("What is in this spreadsheet?", [SHEET], ["Item · Pieces · Price [7]", "Oak board · 12 · £1,140 [7]"], []),
        ("Who attended, and what was decided?", [MINUTES], ["Present: Mara Quill", "agreed to close"], ["rotten"]),
        ("When does it end and how much do we pay?", [LEASE], ["31 March 2031", "£4,200"], []),
        ("Who wrote it and when?", [PAPER], ["Birgit Kaufmann", "May 2024 [10]"], ["Contents", "Authors ."]),
        ("Who are the authors?", [PAPER], ["Birgit Kaufmann"], ["2024", "Authors ."]),
        ("Who is it written for?", [PAPER], ["intended for harbour masters"], ["Copyright"]),
        ("which dates are important", [PAPER], ["May 2024"], ["Contents"]),
        ("What do they recommend?", [PAPER], ["Raise the slipway", "Measure the tide"], ["Copyright"]),
        ("What is this about?", [PAPER], ["This Tides® publication describes"], ["Copyright", "......"]),
        ("When was it published?", [LETTER, PAPER], ["May 2024 [10]"], ["Overview"]),
        ("Who wrote it?", [ADDRESSED], ["Mara Quill"], ["John Smith"]),
        ("When was it signed?", [ADDRESSED], ["7 July 2022", "3 May 2021"], ["January"]),
        ("Who signed it?", [SALE], ["Birgit Kaufmann"], ["John Smith", "Ada Byron"]),
        ("How much do we pay?", [SALE], ["500 pounds", "900 pounds", "30 pounds"], []),
        ("What amounts are named?", [SALE], ["500 pounds", "900 pounds", "30 pounds"], []),
        ("What is this about?", [DRAWINGS], ["copyright in", "by phone", "www.tides"], ["Copyright", "Phone:"]),
        ("What are the risks?", [LEASE, MINUTES], ["penalty of two per cent"], ["Fisher Row"]),
    ],
)
def test_what_a_newcomer_asks_of_a_document_is_quoted_from_it(question, documents, has, lacks):
    text, calls = ask(question, documents)
    assert calls[0][0] == "read_documents", calls
    assert [words for words in has if words not in text] == [], text
    assert [words for words in lacks if words in text] == [], text
    assert all(line.endswith("]") for line in text.splitlines())


@pytest.mark.parametrize("document", [BARE_ADDRESS, PATIENTS])
def test_who_is_only_named_is_no_author(document):
    text, calls = ask("Who is the author?", [document])
    assert (is_closest(text), calls[0][0]) == (True, "read_documents")


def test_the_date_of_a_report_is_no_due_date():
    head = "INVENTORY REPORT Report ID: SP-1234 Report Date: 15 November 2024 Prepared By: Sarah Martinez"
    report = PromptDocument("SP invoice.md (Boat yard)", [NumberedPassage(1, head)])
    assert "15 November 2024" in ask("What is the date of the report?", [report])[0]
    for question in ("whats the due date of the invoice", "What is the delivery date of the invoice?"):
        assert quotes_nothing(ask(question, [report])[0]), question


def test_a_name_under_the_title_is_an_author_and_one_in_a_later_list_is_not():
    said_so = (
        "The tide rises by two metres at Fisher Row in every spring.\n\nFrom these heights we learn that it rises."
    )
    title = PromptDocument(
        "Tides.pdf (Yard), Tides", [NumberedPassage(1, f"John Smith\n\n{said_so}\n\nPublished by a council")]
    )
    crew = PromptDocument("Tides.pdf (Yard), Tides › On the crew list", [NumberedPassage(2, "Mara Quill")])
    text = ask("Who are the authors?", [title, crew])[0]
    assert text.startswith("- John Smith [1]")
    assert "Mara" not in text


def test_what_is_asked_for_comes_before_what_is_only_near_it():
    assert ["rent" in line for line in ask("What is the rent?", [SALE])[0].splitlines()] == [True]
    assert len(ask("Which amounts are named?", [SALE])[0].splitlines()) == 3
    assert "7 July 2022" in ask("When was it signed?", [ADDRESSED])[0].splitlines()[0]


@pytest.mark.parametrize(
    "question",
    [
        "Who signed the crane hire?",
        "When does the piling end?",
        "What was decided about the crane?",
        "Who is Mara Quill?",
    ],
)
def test_a_question_that_names_something_is_one_for_a_search(question):
    _, calls = ask(question, [LEASE])
    # What it names may be a document: that one is read first.
    assert {name for name, asked in calls if not asked.get("document")} == {"search_knowledge"}
