"""Rows of forms, lists, reasons, and questions that only seem to be answered. No database is needed."""

import pytest

from llm import prompts
from llm.prompts import PromptDocument
from llm.quoting.answering import answer
from llm.quoting.chatting import find_best_answer, search_input
from llm.quoting.follow_ups import read_meanings
from llm.quoting.reading import PromptPassage
from tests.llm.boat_yard import PAPER, ask
from tests.refusals import quotes_nothing
from text.terms import extract_content_words

RECEIPT = PromptDocument(
    "Receipt.pdf (Shopping)",
    [
        prompts.NumberedPassage(
            1,
            "Wireless headphones, black AUDIO-5521 1 @ $349.99 Member discount $-50.00 $299.99\n"
            "Portable disk 2TB STOR-2241 1 @ $289.00\nScreen cleaning kit CARE-1156 3 @ $12.99 $38.97",
        ),
        prompts.NumberedPassage(
            2, "SUBTOTAL $638.96 Sales tax (8.5%) $54.31\n\nTOTAL $693.27\n\nYou pay $693.27 by card.\n\n7.30"
        ),
    ],
)
NOTICE = [
    PromptPassage(
        1,
        "Notice.pdf (Creditors)",
        "Case No.: 09-13654 (JHW)\n\nFax: (973) 645-5993\n\nLocation: One Newark Center, Room 2106\n\nIt matters"
        " that you attend the formation meeting in person. There must be at least three creditors willing to serve"
        " before a committee can be formed.\n\nThe committee was not heard. This is because the court had no time.",
    ),
    PromptPassage(
        2,
        "Notice.pdf (Creditors), Exhibit A",
        "Filing entities of the case:\n\n09-13654 - Taj Holdings, Inc.\n\n09-13655 - Plaza Associates, Inc.\n\n"
        "09-13656 - Marina Associates, Inc.",
    ),
]
SEASON = [
    PromptPassage(
        3, "Sharks.pdf (Fishery)", "The season opens on January 1. Landings of sandbar decrease by 84 percent."
    )
]


def sentences_of(question: str, found: list[PromptPassage]) -> list[str]:
    return [quote.sentence for quote in answer(question, found)]


def test_what_was_bought_is_the_lines_with_a_price_that_add_nothing_up() -> None:
    text, calls = ask("What was bought?", [RECEIPT])
    assert calls[0][0] == "read_documents"
    assert [line.split()[1] for line in text.splitlines()] == ["Wireless", "Portable", "Screen"]
    assert quotes_nothing(ask("What did we order?", [PAPER])[0])


def test_a_price_has_its_currency_behind_it_or_no_cents() -> None:
    bought = [
        "Laptop 15 inch, 1 pc, 999.00 EUR",
        "2 x Office chair 249,00 EUR",
        "Desk lamp €49",
        "3 Notebook, tax-free 4.99",
        "Office desk incl. VAT 300.00 EUR",
    ]
    sums = [
        "Sales tax (8.5%) $54.31",
        "VAT 19 % 10.00 EUR",
        "Amount due 999.00 EUR",
        "Total 1,602.99 EUR",
        "Ratio 1.25x",
    ]
    for separator in ("\n", "\n\n"):
        bill = PromptDocument("Bill.pdf (Shopping)", [prompts.NumberedPassage(1, separator.join([*bought, *sums]))])
        text, _ = ask("What was bought?", [bill])
        assert [line.removeprefix("- ").rpartition(" [")[0] for line in text.splitlines()] == bought


@pytest.mark.parametrize(
    ("question", "has"),
    [
        ("What is the case number?", ["Case No.: 09-13654 (JHW)"]),
        ("What is the fax number?", ["Fax: (973) 645-5993"]),
        ("What is the policy number?", []),
        ("Where does the meeting take place?", ["Location: One Newark Center, Room 2106"]),
        ("Where does the auction take place?", []),
        (
            "How many creditors are needed to form a committee?",
            ["There must be at least three creditors willing to serve before a committee can be formed."],
        ),
        ("How many debtors are needed to form a committee?", []),
    ],
)
def test_a_line_of_a_form_and_a_reason_are_quoted_where_they_are_of_what_is_asked(
    question: str, has: list[str]
) -> None:
    assert sentences_of(question, NOTICE) == has


def test_a_list_that_is_asked_for_is_quoted_to_its_end() -> None:
    found = sentences_of("List the filing entities", NOTICE)
    assert [s for s in found if s.startswith("09-")] == [
        "09-13654 - Taj Holdings, Inc.",
        "09-13655 - Plaza Associates, Inc.",
        "09-13656 - Marina Associates, Inc.",
    ]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("When does the season open?", True),
        ("When does the next season open?", True),
        ("When does the tuna season open?", False),
        ("By how much do sandbar landings decrease?", True),
        ("By how much will mako landings decrease?", False),
    ],
)
def test_what_says_which_one_is_meant_must_be_there(question: str, found: bool) -> None:
    assert bool(sentences_of(question, SEASON)) is found


NUTS = PromptDocument(
    "Nuts.pdf (Hardware)",
    [
        prompts.NumberedPassage(
            1,
            "Wing-type nuts are made of anodized aluminium. The bellows type is made of copper only.\n\n"
            "Location: Shed 4 keeps both types.",
        )
    ],
)


@pytest.mark.parametrize(
    ("follows", "has"), [("And the bellows type?", "copper only"), ("And where are they?", "Location: Shed 4")]
)
def test_a_question_that_goes_on_asks_the_same_of_something_else_or_something_else_of_the_same(
    follows: str, has: str
) -> None:
    first = "What is the wing type made of?"
    messages = [
        {"role": "user", "content": first},
        {"role": "assistant", "content": "Wing-type nuts are made of anodized aluminium. [1]"},
        {"role": "user", "content": follows},
    ]
    answered = find_best_answer({"messages": messages}, 2, follows, [prompts.render_passages([NUTS]).text])
    assert [has in quote.sentence for quote in answered.quotes] == [True], answered


@pytest.mark.parametrize(
    ("earlier", "question", "meant"),
    [
        ("What is the price of the boat?", "And of the crane?", "What is the price of the crane?"),
        ("What is the price of the boat?", "And in May?", "What is the price of the boat? And in May?"),
        ("What is due on a" + "-'" * 20_000 + " b c d", "And on Monday?", "What is due on Monday?"),
    ],
)
def test_what_is_asked_of_another_one_stands_behind_the_same_preposition(
    earlier: str, question: str, meant: str
) -> None:
    messages = [{"role": "user", "content": earlier}, {"role": "user", "content": question}]
    assert next(read_meanings({"messages": messages}, 1, question)) == meant


def test_how_it_was_paid_has_nothing_of_the_total_that_was_asked_before() -> None:
    messages = [{"role": "user", "content": text} for text in ("What is the total of the receipt?", "how did they pay")]
    meant = next(read_meanings({"messages": messages}, 1, "how did they pay"))
    assert extract_content_words(meant) == ["pay", "receipt"]


@pytest.mark.parametrize(
    ("earlier", "meant"),
    [
        ("how did they pay", "who is the subcontractor?"),
        ("how did the Batmobile break down", "who is the subcontractor did the Batmobile break down"),
    ],
)
def test_who_does_one_thing_is_asked_by_itself_where_nothing_was_named(earlier: str, meant: str) -> None:
    question = "who is the subcontractor?"
    messages = [{"role": "user", "content": text} for text in (earlier, question)]
    assert next(read_meanings({"messages": messages}, 1, question)) == meant
    assert ("Batmobile" in search_input({"messages": messages})["query"]) == ("Batmobile" in earlier)


@pytest.mark.parametrize(
    "question",
    [
        "What is the total amount?",
        "Which medications does the patient take?",
        "When is the payment due?",
        "When did the tenant move in?",
    ],
)
def test_what_every_paper_has_is_not_looked_for_in_other_records(question: str) -> None:
    near = PromptDocument("Note.pdf (Here)", [prompts.NumberedPassage(1, "The slipway is closed in May.")])
    far = PromptDocument(
        "Report.pdf (Elsewhere)",
        [
            prompts.NumberedPassage(
                9,
                "The total amount is £900.00. The patient takes two medications in the morning. The payment is due on"
                " 3 May 2026. The tenant moved in on 4 May 2026.",
            )
        ],
    )
    system = prompts.build_chat_system(prompts.PromptAgent("Assistant"), prompts.Record("Contract", "Here", {}))
    request = {"system": system, "messages": [{"role": "user", "content": question}]}
    results = [prompts.render_passages([near]).text, prompts.render_passages([far]).text]
    assert find_best_answer(request, 0, question, results).quotes == []
    assert find_best_answer(request, 0, question, results[1:]).quotes != []  # around the record it answers


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who maintains the client portal?", "Mara Quill maintains the client portal."),
        ("How is the order book backed up?", "The order book is backed up to tape every night."),
        ("Who approves the case budget?", "The board approves the case budget."),
    ],
)
def test_a_compound_is_looked_for_in_other_records(question: str, text: str) -> None:
    near = PromptDocument("Note.pdf (Here)", [prompts.NumberedPassage(1, "The slipway is closed in May.")])
    far = PromptDocument("Report.pdf (Elsewhere)", [prompts.NumberedPassage(9, text)])
    system = prompts.build_chat_system(prompts.PromptAgent("Assistant"), prompts.Record("Contract", "Here", {}))
    request = {"system": system, "messages": [{"role": "user", "content": question}]}
    results = [prompts.render_passages([near]).text, prompts.render_passages([far]).text]
    assert [quote.sentence for quote in find_best_answer(request, 0, question, results).quotes] == [text]
