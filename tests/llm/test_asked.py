"""What a question asks for is told from what it only mentions."""

import pytest

from llm.offline.answering import answer
from llm.offline.reading import Passage


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the day rate of the crane?", "The day rate of the crane is agreed with the yard."),
        ("Which rooms are cleaned every day?", "The rooms on the ground floor are cleaned every day."),
        ("What is a working day?", "A working day is any on which the yard is open."),
        ("Which law governs if no date is agreed?", "Where no date is agreed, Danish law governs."),
    ],
)
def test_a_day_that_is_only_mentioned_needs_no_date(question: str, text: str) -> None:
    assert [quote.sentence for quote in answer(question, [Passage(1, "a.md", text)])] == [text]


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
    assert answer(question, [Passage(1, "a.md", dated)])
    assert not answer(question, [Passage(1, "a.md", dated.replace("3 May 2026", "of the yard"))])
