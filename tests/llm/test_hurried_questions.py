"""Questions as they are typed in a hurry: slips, two in one, and comparisons. No database is needed."""

import pytest

from llm import prompts
from llm.prompts import NumberedPassage, PromptDocument
from llm.quoting import chatting
from llm.quoting.asked import normalise_question, split_parts
from llm.quoting.comparisons import split_compared
from llm.quoting.field_answers import Quote
from llm.quoting.tool_results import ToolResult, correct_question

TERMS = [
    PromptDocument(
        "Lease.md (Quay)",
        [
            NumberedPassage(
                1, "The deposit is £2,700.\n\nThe rent is £900 a month.\n\nThe service charge is not fixed."
            ),
            NumberedPassage(2, "The notice period is ninety days.\n\nThe lease term is three years."),
        ],
    ),
    PromptDocument("Bids.md (Quay)", [NumberedPassage(3, "Cedar is cheaper than Alder.\n\nBirch bids more.")]),
]


def ask(question: str, documents: list[PromptDocument]) -> list[Quote]:
    messages = [{"role": "user", "content": question}]
    found = prompts.render_passages(documents).text
    return chatting.find_best_answer({"messages": messages}, 0, normalise_question(question), [found]).quotes


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("is the deposit higher than the rent", ["The deposit is £2,700.", "The rent is £900 a month."]),
        ("which is higher, the rent or the deposit?", ["The rent is £900 a month.", "The deposit is £2,700."]),
        ("is the rent more than 1000 pounds", ["The rent is £900 a month."]),
        ("is the notice period longer than the lease term", ["The notice period is ninety days.",
                                                             "The lease term is three years."]),
        ("Is Cedar cheaper than Alder?", ["Cedar is cheaper than Alder."]),
        # One side is not known, or is not named.
        ("is the deposit higher than the service charge", []),
        ("is the deposit higher than the insurance", []),
        ("is the deposit higher than in 2023", []),
        ("is the deposit higher than for guests", []),
        ("is the lease term better than the rent", []),
        ("Is Birch cheaper than Alder?", []),
    ],
)  # fmt: skip
def test_of_two_that_are_compared_each_measure_is_quoted_or_none(question: str, quotes: list[str]) -> None:
    assert [quote.sentence for quote in ask(question, TERMS)] == quotes


CONTACTS = [
    PromptDocument(
        "Notes.md (Quay)",
        [
            NumberedPassage(1, "The caretaker can be reached on 01524 550 112.\n\nOffice fax: 01524 550 119."),
            NumberedPassage(2, "The privacy officer answers at privacy@quay.example.\n\nInternet: $50 a month"),
            NumberedPassage(3, "The phone allowance is paid in May.\n\nThe office is at 9 Mill Lane, Leeds.\n\n"
                               "The salary of the harbour master is not known.\n\nThe rent is £200 a week."),
        ],
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "has"),
    [
        ("phone of the caretaker", "550 112"),
        ("fax number office", "550 119"),
        ("privacy officer mail", "privacy@quay"),
        ("address of the office", "9 Mill Lane"),
        ("how much for internet per month", "$50"),
        ("phone of the office", None),
        ("phone of the privacy officer", None),
        ("caretaker mail", None),
        ("address of the caretaker", None),
        ("salary of the harbour master", None),
        ("how much is the rent per month", None),
        ("deadline for the rent", None),
    ],
)
def test_a_fragment_asks_for_what_it_names(question: str, has: str | None) -> None:
    found = [quote.sentence for quote in ask(question, CONTACTS)]
    assert [has in sentence for sentence in found] == [True] if has else found == []


PAPERS = [
    PromptDocument(
        "Letter.md (Quay)",
        [
            NumberedPassage(1, "Bright & Sons Ltd\n14 Canal Street, Leeds\n"
                               "Tel: 0113 555 0199\nEmail: post@bright.example"),
            NumberedPassage(2, "The rent must be paid by the third day of each month. It is paid to Petra Lind.\n\n"
                               "The work was done by Tom Bright.\n\n"
                               "We have to inform you that your claim no. 88213 of 14 April is rejected.\n\n"
                               "The deposit is refunded within a week after the move.\n\nThe rent is £1,150 a month."),
            NumberedPassage(3, "Cheques are not accepted. The boat carries up to 12 passengers.\n\n"
                               "Extra work costs £28 an hour.\n\nThe warranty lasts two years.\n\n"
                               "Working abroad is permitted for 20 days a year.\n\n"
                               "The allowance for internet costs is 30 euros a month.\n\nA lesson lasts 45 minutes.\n\n"
                               "The working week is 40 hours.\n\n"
                               "The tenant must give two months' notice. Keys are kept by the landlord."),
        ],
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "has"),
    [
        ("To whom is the rent paid?", "Petra Lind"),
        ("pls tell me when the rent must be paid", "third day"),
        ("can i pay by cheque?", "not accepted"),
        ("can the boat carry 12 passengers?", "12 passengers"),
        ("is the deposit refunded within a month?", "within a week"),
        ("price per hour for extra work", "£28"),
        ("is the warranty longer than a year?", "two years"),
        ("how many hours per week", "40 hours"),
        # What would have a word of it, and answers something else.
        ("price of extra work per day", None),
        ("weekly rent", None),
        ("internet allowance per year", None),
        ("is the claim more than 5000 euros?", None),
        ("how fast is a lesson?", None),
        ("is the tenant's notice shorter than the landlord's notice?", None),
        ("what is the address of Tom Bright?", None),
        ("phone of Tom Bright", None),
        ("email of Tom Bright", None),
        ("what's their address", None),
    ],
)
def test_what_is_quoted_answers_the_whole_question(question: str, has: str | None) -> None:
    found = [quote.sentence for quote in ask(question, PAPERS)]
    assert has in " ".join(found) if has else found == []


@pytest.mark.parametrize(
    "question", ["What if delivery is later than ten days?", "Who is more than a guest?", "Is it?"]
)
def test_what_is_no_comparison_of_two_is_none(question: str) -> None:
    assert split_compared(question) == []


def test_a_word_is_read_as_the_search_read_it_and_a_name_as_it_was_typed() -> None:
    found = ToolResult(
        "search_knowledge", f"{prompts.OTHER_SPELLING} deposit pain Smith\n", {"query": "depositt spain Smit"}
    )
    assert correct_question("How high is the depositt of Smit in spain?", [found]) == (
        "How high is the deposit of Smit in spain?"
    )
    within = ToolResult("search_knowledge", f"A text. {prompts.OTHER_SPELLING} deposit", {"query": "depositt"})
    assert correct_question("depositt?", [within]) == "depositt?"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("how long is the lease and does it renew", 2),
        ("when do i pay and to whom", 2),
        ("who pays for gas and water", 1),
        ("which tenants are late and have not paid", 2),
        ("what is and is not included", 1),
    ],
)
def test_two_questions_in_one_are_two(question: str, parts: int) -> None:
    assert len(split_parts(question)) == parts


@pytest.mark.parametrize("typed", ["whats he allergic to", "what's he allergic to", "What’s he allergic to"])
def test_whats_is_what_is(typed: str) -> None:
    assert normalise_question(typed).lower() == "what is he allergic to"
