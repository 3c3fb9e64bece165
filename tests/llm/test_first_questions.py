"""The first questions of somebody new to a record, before they know what its documents say. No database is needed."""

import pytest

from llm import prompts
from llm.offline import engine
from llm.offline.answering import answer
from llm.offline.field_answers import find_field
from llm.offline.form_answers import find_address
from llm.offline.reading import PromptPassage
from llm.prompts import NOT_FOUND, NumberedPassage, PromptAgent, PromptDocument, Record
from tests.llm.offline_helpers import said

LEASE = PromptDocument(
    "Lease.pdf (Boat yard)",
    [
        NumberedPassage(
            1,
            "# Lease of the boat yard\n\nThis lease is made on 1 April 2026 between Harbour Estates Ltd (the Landlord)"
            " and Orrin Boats Ltd (the Tenant). It lets the boat yard at Fisher Row for the building of wooden boats.",
        ),
        NumberedPassage(
            2,
            "2 Term\n\nThe term is five years and ends on 31 March 2031. Either party may terminate this lease with six"
            " months' written notice.",
        ),
        NumberedPassage(
            3,
            "3 Rent\n\nThe Tenant shall pay a rent of £4,200 a month on the first working day. Where rent is late by"
            " more than ten days, a penalty of two per cent is due.",
        ),
    ],
)
MINUTES = PromptDocument(
    "Minutes 14 May.docx (Boat yard)",
    [
        NumberedPassage(
            4,
            "Minutes of the yard meeting\n\nPresent: Mara Quill, Tobias Fenn, Ada Brook\n\nThe slipway was inspected on"
            " 12 May 2026 and two boards are rotten.",
        ),
        NumberedPassage(
            5,
            "It was agreed to close the slipway until the boards are replaced. Mara Quill to order oak boards by"
            " 21 May 2026.",
        ),
    ],
)
LETTER = PromptDocument(
    "Letter.pdf (Boat yard)",
    [
        NumberedPassage(
            6,
            "From: Northgate Council, Licensing\n\nDear Mr Fenn,\n\nYour licence for the slipway runs out on 30 June"
            " 2026. Please send the insurance certificate before 1 June 2026.\n\nYours sincerely\n\nHelen Marsh",
        )
    ],
)
SHEET = PromptDocument(
    "Boards.xlsx (Boat yard)",
    [
        NumberedPassage(
            7, "| Item | Pieces | Price |\n| --- | --- | --- |\n| Oak board | 12 | £1,140 |\n| Nails | 400 | £36 |"
        )
    ],
)
PAPER = PromptDocument(
    "Tides.pdf (Boat yard), Tidal ranges of Fisher Row › Birgit Kaufmann",
    [
        NumberedPassage(9, "Institute of Tides, Norfleet birgit@tides.example"),
        NumberedPassage(
            10,
            "Contents\n\n1 Overview ........................................ 6\n\n2 Authors . . . . . . . . . . 7\n\n"
            "May 2024",
        ),
        NumberedPassage(
            11,
            "Preface\n\nThis Tides® publication describes how far the tide rises at Fisher Row. It is intended for"
            " harbour masters who build slipways.\n\n© Copyright Institute of Tides 2024. All rights reserved.",
        ),
        NumberedPassage(
            12,
            "Recommendations:\n\n1. Raise the slipway by a metre.\n\n2. Measure the tide twice a day.",
        ),
    ],
)
ADDRESSED = PromptDocument(
    "Letter of May.pdf (Boat yard)",
    [
        NumberedPassage(
            13,
            "John Smith\n\n12 Fisher Row\n\nLondon\n\nYour letter of 1 January 2020\n\n3 May 2021\n\nDear Mr Smith,\n\n"
            "This agreement is made on 7 July 2022 by the harbour and the yard.\n\nYours sincerely\n\nMara Quill",
        )
    ],
)
BARE_ADDRESS = PromptDocument(
    "Note.pdf (Boat yard)",
    [NumberedPassage(14, "John Smith\n\n12 Fisher Row\n\nLondon\n\nThe slipway is closed in May.")],
)
PATIENTS = PromptDocument("List.pdf (Boat yard)", [NumberedPassage(15, "Patients\n\nJohn Smith\n\nAda Byron")])
SALE = PromptDocument(
    "Sale.pdf (Boat yard)",
    [
        NumberedPassage(
            16,
            "Contract of sale\n\nJohn Smith\n\nAda Byron\n\nYou pay 500 pounds at signing.\n\nThe rent is 900 pounds a"
            " month.\n\nThe fee for the crane is 30 pounds.\n\nSigned by Birgit Kaufmann",
        )
    ],
)
DRAWINGS = PromptDocument(
    "Drawings.pdf (Boat yard)",
    [
        NumberedPassage(
            17,
            "The licensee acquires the copyright in all drawings on 3 May 2030 for 5,000 pounds.\n\nCall the harbour"
            " master by phone (020 7946 0000) before a crane is moved along the quay.\n\nForms of the council stand at"
            " www.tides.example for every boat builder.\n\nCopyright Institute of Tides 2024, for all its drawings.\n\n"
            "Phone: 020 7946 0000, in the harbour house on the quay.",
        )
    ],
)
FIELDS = PromptDocument(
    "Boat yard", [NumberedPassage(8, "Contract: Boat yard with Harbour Estates\nStatus: Active")], "fields"
)
READ = [
    {"name": "search_knowledge", "description": "Search.", "input_schema": {"type": "object", "properties": {}}},
    {"name": "read_documents", "description": "Read.", "input_schema": {"type": "object", "properties": {}}},
]


def ask(question, documents, history=(), rounds=4):
    """The answer, and the calls made for it: reading gives `documents`, a search gives nothing."""
    messages = [*history, {"role": "user", "content": question}]
    system = prompts.build_chat_system(PromptAgent("Assistant"), Record("Contract", "Boat yard", {"Status": "Active"}))
    calls = []
    for n in range(rounds):
        choice = {"type": "none"} if n == rounds - 1 else None
        answer = engine.answer(
            {"system": system, "messages": messages, "tools": READ, "tool_choice": choice, "max_tokens": 2000}
        )
        if not answer.tools:
            return said(answer), calls
        (tool,) = answer.tools
        calls.append((tool.name, tool.input))
        named = tool.input.get("document", "").lower()
        given = [d for d in documents if named in d.title.lower()] if tool.name == "read_documents" else []
        use = {"type": "tool_use", "id": f"t{n}", "name": tool.name, "input": tool.input}
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{n}",
            "content": prompts.render_passages(given).text if given else "Nothing.",
        }
        messages = [*messages, {"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    raise AssertionError("no answer")


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
        assert text == NOT_FOUND


def test_a_record_without_files_is_told_by_its_fields():
    text, _ = ask("What is this about?", [FIELDS])
    assert text == "- Contract: Boat yard with Harbour Estates; Status: Active. [8]"
    assert ask("What is this about?", [])[0] == NOT_FOUND


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
        ("Who are the authors?", [PAPER], ["Birgit Kaufmann: Institute of Tides"], ["2024", "Authors ."]),
        ("Who is it written for?", [PAPER], ["intended for harbour masters"], ["Copyright"]),
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
    assert (text, calls[0][0]) == (NOT_FOUND, "read_documents")


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
    rent, *others = ask("What is the rent?", [SALE])[0].splitlines()
    assert ("rent" in rent, len(others)) == (True, 2)
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


PROJECT = ("Ring road", "project", ["Phase: Planning", "Due on: 30 June 2028", "Owner: Devika Rao"])
TASK = ("Deck survey", "task", ["Status: To do", "Due on: 30 June 2028"])
HIRE = ("Crane hire", "contract", ["Value: €90,000", "Starts on: 1 May 2026", "Notice period (days): 30"])
EMPLOYEE = ("Mara Quill", "employee", ["Title: Pilot", "Email: mara@yard.example", "Started on: 1 May 2020"])


@pytest.mark.parametrize(
    ("record", "question", "line"),
    [
        (PROJECT, "When does the project end?", "Due on: 30 June 2028"),
        (PROJECT, "When does the Ring road end?", "Due on: 30 June 2028"),
        (PROJECT, "What is the deadline?", "Due on: 30 June 2028"),
        (PROJECT, "Who is the project manager?", "Owner: Devika Rao"),
        (("Ring road", "project", ["Budget: €9,000"]), "How much money is there?", "Budget: €9,000"),
        (PROJECT, "What is the stage?", "Phase: Planning"),
        (TASK, "What is the status?", "Status: To do"),
        (TASK, "Is it done?", "Status: To do"),
        (HIRE, "What is the crane hire worth?", "Value: €90,000"),
        (HIRE, "When did it start?", "Starts on: 1 May 2026"),
        (HIRE, "How many days of notice?", "Notice period (days): 30"),
        (EMPLOYEE, "What is Mara's job title?", "Title: Pilot"),
        (EMPLOYEE, "What is her e-mail address?", "Email: mara@yard.example"),
        (EMPLOYEE, "When was she hired?", "Started on: 1 May 2020"),
        # Something else is asked for than the field says.
        (PROJECT, "When does the crane hire end?", ""),
        (PROJECT, "When did the project start?", ""),
        (PROJECT, "Who is the insurer?", ""),
        (PROJECT, "What is the lead time?", ""),
        (PROJECT, "Is there a charge?", ""),
        (PROJECT, "Any leads?", ""),
        (PROJECT, "Who is the owner's manager?", ""),
        (PROJECT, "What is the project responsible for?", ""),
        (PROJECT, "When was it completed?", ""),
        (PROJECT, "When did the project end?", ""),
        (PROJECT, "Where does the Ring road end?", ""),
        (PROJECT, "What is the finish?", ""),
        (TASK, "What has been done?", ""),
        (TASK, "Who has done it?", ""),
        (HIRE, "Has notice been given?", ""),
        (HIRE, "How many days?", ""),
        (HIRE, "What is the crane worth?", ""),
        (HIRE, "Where does it start?", ""),
        (EMPLOYEE, "What is her address?", ""),
        (PROJECT, "What is the project's budget?", ""),  # a field that the asker is not shown is not in the prompt
    ],
)
def test_a_field_answers_by_its_other_names_and_nothing_else(
    record: tuple[str, str, list[str]], question: str, line: str
) -> None:
    assert find_field(question, *record) == line


def test_a_field_of_a_named_record_is_of_the_kind_that_is_asked_for() -> None:
    text = "Project: Eastmole Pumping Station\nDue on: 30 June 2028\nOwner: Devika Rao"
    fields = PromptPassage(1, "Eastmole Pumping Station", text, "fields")
    assert [q.sentence for q in answer("When is the Eastmole Pumping Station due?", [fields])] == text.split("\n")[1:2]
    for question in ("Who completed the Eastmole Pumping Station?", "Who is due at the Eastmole Pumping Station?"):
        assert answer(question, [fields]) == []


@pytest.mark.parametrize("head", ["GOLDEN CRUST BAKERY", "GOLDEN CRUST BAKERY\nBill to: Mara Quill", "Mara Quill"])
@pytest.mark.parametrize(
    "line",
    [
        "88 Castle Street",
        "Catering 120.00",
        "Spring 2025",
        "Engineering 3",
        "30 days to close",
        "2 Castle Rolls Way 9.00",
    ],
)
def test_where_a_shop_is_says_the_address_right_below_its_name(head: str, line: str) -> None:
    receipt = PromptPassage(1, "Receipt.pdf (April)", f"{head}\n{line}\nThanks from the bakery\nTotal 3.20")
    is_address = (head, line) == ("GOLDEN CRUST BAKERY", "88 Castle Street")
    assert [pair.value for pair in find_address("Where is the bakery?", set(), [receipt])] == [line] * is_address
    assert find_address("Where is the crane?", set(), [receipt]) == find_address("Where is it?", set(), [receipt]) == []
    if is_address:
        assert [quote.sentence for quote in answer("Where is the bakery?", [receipt])] == [line]


def test_what_was_bought_is_every_line_with_a_price_that_adds_nothing_up() -> None:
    bought = ["TV 499.00", "Öl 12,50", "New Balance 574 shoes 99.00"]
    lines = [*bought, "7 12.00", "Estimated total 610.50", "Member discount -3.00", "Balance 610.50"]
    receipt = PromptDocument("Receipt.pdf (April)", [NumberedPassage(1, "\n\n".join(lines))])
    assert set(ask("What was bought?", [receipt])[0].splitlines()) == {f"- {line} [1]" for line in bought}
