"""What a hurried question seems to say and does not: each beside what it says."""

import pytest

from llm.quoting.answering import find_answer
from llm.quoting.asked import normalise_question
from llm.quoting.reading import PromptPassage
from llm.quoting.summaries import summarise


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (
            "Norfix owes us £300. We owe Hiltrud £120.\n\nBalance due 1,200.00",
            "what does norfix owe",
            "Norfix owes us £300.",
        ),
        (
            "Norfix owes us £300. We owe Hiltrud £120.\n\nBalance due 1,200.00",
            "what do we owe hiltrud",
            "We owe Hiltrud £120.",
        ),
        (
            "Three months' notice is due from the tenant. The fee for late notice is £50.",
            "how much notice is due from the tenant",
            "Three months",
        ),
        ("Prices went up by 4 % in May.", "how much did prices go up", "Prices went up by 4 % in May."),
        (
            "Wages rise by 2 % in April. The rent rises to £900 from May.",
            "how much do wages go up",
            "Wages rise by 2 % in April.",
        ),
        ("The number of staff increased by 5 %. Prices were stable.", "how much did prices rise", None),
        ("The fee drops to £40 in June.", "how much does the fee rise", None),
        ("Ring Bob Ray on 0113 496 0001 if the alarm goes off.", "who do i ring if the alarm goes off", "Ring Bob Ray"),
        ("Ann lives in flat B. Bob moved to flat C.", "who lives in flat b", "Ann lives in flat B."),
        ("The tenant of flat A in Leeds is Mr Brown.", "who is the tenant of flat A", "The tenant of flat A"),
        ("The email of Ann Lee is ann@x.example.", "what is the e mail of ann lee", "The email of Ann Lee"),
        ("The case was closed on 4 March 2026.", "when was the case opened", None),
        (
            "The café was moved because the roof leaks.\n\nReason: staff shortage",
            "why was the café moved",
            "The café was moved because",
        ),
        ("Start date\n12. May 2027\n\nEnd date\n30. June 2028", "what is the end date", "30. June 2028"),
        ("1. Call Ann Lee before 3 May\n\nShe has the key.", "who do we call", "1. Call Ann Lee before 3 May"),
        ("The 80s night is on 4 May.", "when is the 80s night", "The 80s night is on 4 May."),
        ("VAT is excluded from the price.", "is vat allowed", None),
    ],
)
def test_who_and_what_is_meant(text: str, question: str, said: str | None) -> None:
    answered = find_answer(normalise_question(question), [PromptPassage(1, "Paper.docx", text)])
    found = [quote.sentence for quote in answered.quotes]
    assert [sentence.startswith(said) for sentence in found] == [True] if said else found == [], found


def test_a_summary_goes_on_after_a_sentence_of_small_words() -> None:
    text = "We are here and this is it. Ann Lee chairs the board. The roof of the hall was repaired by Rollfix."
    assert "Rollfix" in summarise([text])
