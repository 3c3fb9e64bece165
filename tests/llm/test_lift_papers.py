"""A maintenance agreement, minutes, a mail and a stock list, asked about as people do who are in a hurry."""

import pytest

from llm.quoting.answering import find_answer
from llm.quoting.asked import normalise_question
from llm.quoting.chatting import search_input
from llm.quoting.field_answers import Quote
from llm.quoting.reading import PromptPassage
from llm.quoting.tool_results import write_quotes

AGREEMENT = "lift agreement.docx (Lift maintenance), Service Agreement: Lift maintenance"
MINUTES = "minutes.md (Lift maintenance), Residents' meeting, 12 November 2026"
PAPERS = [
    PromptPassage(1, AGREEMENT, "1. Services\n\nThe firm services both passenger lifts every six weeks.\n\n2. Charges"),
    PromptPassage(
        2,
        AGREEMENT,
        "3. Term\n\nThe agreement runs for three years from April. Either party may end it by ninety days' notice.\n\n"
        "4. Liability",
    ),
    PromptPassage(
        3, f"{AGREEMENT} › 4. Liability", "The liability of the firm is limited to £2,000,000 for each event."
    ),
    PromptPassage(4, f"{AGREEMENT} › 4. Liability", "Contact for faults: Priya Raman, 07700 900142"),
    PromptPassage(
        5,
        MINUTES,
        "- Lift B stopped four times in October. The door drive is replaced on 24 November; the lift is out of use from"
        " 8:00 to 16:00.\n- The service charge rises by 3.5 % from January.",
    ),
    PromptPassage(
        6,
        "Re delivery.eml (Lift maintenance), Re: Delivery of PO-332",
        "We can send 400 pieces from stock this Friday if you pay the carriage of 45 pounds.\n\nRegards\n"
        "Dana Whitlock\nNorfix, Sales\n\n> Hello Dana, when do we get PO-332? We have 180 left. Sam",
    ),
    PromptPassage(
        7,
        "stock list.xlsx (Lift maintenance), Stock",
        "| SKU | Description | Qty | Supplier | Unit cost |\n| --- | --- | --- | --- | --- |\n"
        "| AN-90 | Chemical anchor 380 ml | 22 | Hiltrud | £18.40 |\n"
        "| GL-07 | Rigger gloves, size 10 | 64 | SafeHand | £3.95 |",
    ),
]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what is the liability cap", "The liability of the firm is limited to £2,000,000 for each event."),
        ("how much does the service charge go up", "- The service charge rises by 3.5 % from January."),
        ("what is the increase of the service charge", "- The service charge rises by 3.5 % from January."),
        ("who do i call when the lift is broken", "Contact for faults: Priya Raman, 07700 900142"),
        ("who supplies the chemical anchors", "| AN-90 | Chemical anchor 380 ml | 22 | Hiltrud | £18.40 |"),
        (
            "what does norfix want for sending 400 pieces",
            "We can send 400 pieces from stock this Friday if you pay the carriage of 45 pounds.",
        ),
    ],
)
def test_the_sentence_answers_and_no_heading_and_no_signature(question: str, said: str) -> None:
    assert [quote.sentence for quote in find_answer(normalise_question(question), PAPERS).quotes] == [said]


@pytest.mark.parametrize(
    "question",
    [
        "what is the liability insurance",
        "how much does the deposit go up",
        "how much does the service charge go down",
        "who do i call when the gate is broken",
        "who supplies the ladders",
    ],
)
def test_a_question_without_an_answer_in_the_papers_is_not_found(question: str) -> None:
    assert find_answer(normalise_question(question), PAPERS).quotes == []


def test_one_of_several_is_named_by_its_letter() -> None:
    asked = normalise_question("when is lift b out of service")
    assert "the lift is out of use from 8:00 to 16:00." in find_answer(asked, PAPERS).quotes[-1].sentence
    for other in ("when is lift c out of service", "when is block B out of service"):
        assert find_answer(normalise_question(other), PAPERS).quotes == [], other
    request = {"messages": [{"role": "user", "content": "when is lift b serviced"}]}
    assert search_input(request)["query"] == "when is lift b serviced"
    request = {"messages": [{"role": "user", "content": "when is a lift serviced by Robert J Smith"}]}
    assert search_input(request)["query"] == "when is a lift serviced by Robert J Smith"


def test_a_numbered_heading_is_none_among_the_items_of_a_list() -> None:
    items = "What is packed:\n\n1. Rope of forty metres\n2. Lamp with two batteries\n3. Blue tarpaulin"
    for text, said in ((items, ["2. Lamp with two batteries"]), ("2. Lamp with two batteries\n\nIt is old.", [])):
        found = find_answer("How many batteries has the lamp?", [PromptPassage(1, "Kit.md (Yard), Kit", text)])
        assert [quote.sentence for quote in found.quotes] == said


def test_one_sentence_with_and_without_the_sign_of_its_list_is_quoted_once() -> None:
    quotes = [Quote("- Next meeting: 10 December", 1), Quote("Next meeting: 10 December", 4), Quote("In flat 6.", 4)]
    assert write_quotes(quotes, {"messages": []}, []) == "- Next meeting: 10 December [1] [4]\n\nIn flat 6. [4]"
