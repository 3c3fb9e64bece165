"""What a question asks for is told from what it only mentions."""

import pytest

from llm.quoting.answering import answer
from llm.quoting.reading import PromptPassage


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the day rate of the crane?", "The day rate of the crane is agreed with the yard."),
        ("Which rooms are cleaned every day?", "The rooms on the ground floor are cleaned every day."),
        ("What is a working day?", "A working day is any on which the yard is open."),
        ("Which law governs if no date is agreed?", "Where no date is agreed, Danish law governs."),
        # Nor do a period and a term.
        ("What is the term of the lease?", "The term of the lease is perpetual."),
        ("What is the notice period?", "The notice period is set out in the schedule."),
        ("What was the long-term goal of the programme?", "The long-term goal of the programme was clean water."),
        ("Which is the payment term of the supplier?", "The payment term agreed with the supplier is net cash."),
        ("What was the reporting period of the audit?", "The reporting period of the audit was the first quarter."),
    ],
)
def test_a_day_that_is_only_mentioned_needs_no_date(question: str, text: str) -> None:
    assert [quote.sentence for quote in answer(question, [PromptPassage(1, "a.md", text)])] == [text]


def test_of_two_terms_the_one_with_a_time_answers_first() -> None:
    text = "The term of the crane lease is in the schedule. The term of the quay is five years."
    headed = "2 Notice period\n\nAs set out in the schedule."
    assert answer("What is the notice period?", [PromptPassage(1, "a.md", headed)])[0].sentence.startswith("As set out")
    assert answer("What is the term of the quay?", [PromptPassage(1, "a.md", text)])[0].sentence.endswith("five years.")


@pytest.mark.parametrize(
    ("question", "label", "value"),
    [
        ("What is the total due?", "Total due", "£4,200.00"),
        ("What is the invoice date?", "Invoice date", "12.03.2026"),
        ("What is the reference number?", "Reference number", "7781-22"),
        ("What is the floor area of the shed?", "Floor area of the shed", "840 m²"),
        ("What is the year of the crane?", "Year of the crane", "1987"),
    ],
)
def test_a_value_on_a_line_of_its_own_is_no_page_number(question: str, label: str, value: str) -> None:
    text = f"{label}\n\n- 12 -\n\n{value}"
    assert [q.sentence for q in answer(question, [PromptPassage(1, "a.md", text)])] == [f"{label} {value}"]
    for page in ("12", "- 12 -", "3 / 14", "xii", "* * *"):
        assert answer(question, [PromptPassage(1, "a.md", text.replace(value, page))]) == []


@pytest.mark.parametrize(
    ("title", "text", "answered"),
    [
        ("a.md", "4 Deposit\n\nThe deposit is three months of rent.", True),
        ("a.md", "4. The deposit is three months of rent.", True),
        ("a.md", "§ 4 Deposit\n\nThe deposit is three months of rent.", True),
        ("a.md", "Under section 4 the deposit is three months of rent.", True),
        ("Lease.pdf (Yard), 4 Deposit", "The deposit is three months of rent.", True),
        ("a.md", "9 Deposit\n\nThe deposit is 4 months of rent.", False),
        ("a.md", "9 Deposit\n\nThe deposit and fee are\n4 months of rent.", False),
    ],
)
def test_the_number_of_a_section_is_not_that_of_anything_else(title: str, text: str, answered: bool) -> None:
    assert bool(answer("What does section 4 say about the deposit?", [PromptPassage(1, title, text)])) is answered


@pytest.mark.parametrize(
    "question",
    [
        "What is the delivery date of the pumps?",
        "Which day is the delivery of the pumps?",
        "On what date is the delivery of the pumps?",
        "What is the deadline for the delivery of the pumps?",
    ],
)
def test_a_date_that_is_asked_for_is_one(question: str) -> None:
    dated = "The delivery of the pumps has the deadline 3 May 2026, and this date is fixed."
    assert answer(question, [PromptPassage(1, "a.md", dated)])
    assert not answer(question, [PromptPassage(1, "a.md", dated.replace("3 May 2026", "of the yard"))])


@pytest.mark.parametrize(
    ("question", "text", "answered"),
    [
        ("What is the dress code?", "Our dress code is business casual on all days.", True),
        ("What is the code of conduct for suppliers?", "The code of conduct for suppliers forbids gifts.", True),
        ("What is the zip code?", "Zip code: 20457", True),
        ("What is the zip code?", "The zip code is printed on the letter.", False),
        ("What is the serial number?", "Serial number: XK-PQ-771", True),
        ("What is the serial number of the pump?", "The serial number of the pump is XK-771.", True),
        ("What is the serial number of the pump?", "The serial number of the pump is on the lid.", False),
        ("What is the maximum number of guests?", "The maximum number of guests is 40 at any time.", True),
        ("Where is our head office?", "Our head office is Hamburg.", True),
        ("Where is our head office?", "Our head office is very large.", False),
        ("Where is the emergency exit?", "The emergency exit is beside the kitchen.", True),
        ("Where are backups kept?", "Backups are kept under lock, inside the vault of the bank.", True),
        ("Where did the accident happen?", "The accident happened outside Leeds, along the M62.", True),
    ],
)
def test_a_code_a_number_and_a_place_are_what_is_asked_for(question: str, text: str, answered: bool) -> None:
    assert bool(answer(question, [PromptPassage(1, "a.md", text)])) is answered


@pytest.mark.parametrize(
    ("question", "text", "answered"),
    [
        ("What is the labor cost?", "The labour cost of the roof is £4,200.", True),
        ("What is the material cost?", "The labour cost of the roof is £4,200.", False),
        ("How far is the theatre from the harbour?", "The theater is 300 m from the harbor.", True),
        ("How old was Ann Holt when she retired?", "Ann Holt retired at the age of sixty-two.", True),
        ("How old was Ann Holt when she retired?", "Ann Holt retired at the end of sixty years.", False),
    ],
)
def test_spellings_of_two_countries_and_ages_in_words(question: str, text: str, answered: bool) -> None:
    assert bool(answer(question, [PromptPassage(1, "a.md (A), Costs", text)])) is answered
