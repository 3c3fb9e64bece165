"""Minutes, a budget, a policy, a letter and a quotation, asked about as people do who are in a hurry."""

import pytest

from llm.quoting.answering import find_answer
from llm.quoting.asked import normalise_question
from llm.quoting.reading import PromptPassage

MINUTES = "minutes oct.docx (Kitchen), Minutes of the Board"
BUDGET = """| Line | 2026 actual | 2027 budget | Change |
| --- | --- | --- | --- |
| Grants | 28000 | 30500 | +2,500 |
| Wages | -21400 | -24200 | +2,800 |
| Energy | -4900 | -5600 | +700 |"""
PAPERS = [
    PromptPassage(1, MINUTES, "In the chair: Miriam Oduya. Minutes: Paul Teague.\n\nApologies: Lucy Marsh."),
    PromptPassage(2, f"{MINUTES} › 2. Lease", "The lease of the hall expires in June 2027."),
    PromptPassage(3, "budget 2027.xlsx (Kitchen), Budget 2027", BUDGET),
    PromptPassage(
        4,
        "volunteer policy.md (Kitchen), Volunteer policy › Who can volunteer",
        "Anyone aged 16 or over. Volunteers under 18 need the written consent of a parent. The policy is reviewed every"
        " two years.",
    ),
    PromptPassage(
        5,
        "Re Grant award.eml (Kitchen), Re: Grant award",
        "Re: Grant award RK-2291\n\nDate: Mon, 2 Nov 2026 15:40:00 +0000\n\n"
        "The trustees have awarded a grant of £15,000 over two years.\n\n"
        "The first half is paid on 15 January 2027, once we have your report. Please send the signed agreement by"
        " 30 November.\n\nKind regards,\nHelena Brook\nGrants Officer\nTel. 020 7946 0018",
    ),
    PromptPassage(6, "policy.md (Kitchen), Policy › Ending", "Please return the key fob and the apron."),
]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "when do we get the first half of the grant",
            ["The first half is paid on 15 January 2027, once we have your report."],
        ),
        ("when must the signed agreement be sent", ["Please send the signed agreement by 30 November."]),
        ("who was absent", ["Apologies: Lucy Marsh."]),
        ("who took the minutes", ["Minutes: Paul Teague."]),
        ("what is the budget for energy", ["| Energy | -4900 | -5600 | +700 |"]),
        ("how much do wages go up", ["| Wages | -21400 | -24200 | +2,800 |"]),
        ("do under 18s need consent", ["Volunteers under 18 need the written consent of a parent."]),
        ("what must be given back", ["Please return the key fob and the apron."]),
        ("how much is the fine", []),
        ("when do we get the first half of the loan", []),
        ("when must the signed agreement be shredded", []),
        ("who took the photos", []),
        ("what is the budget for travel", []),
        ("what did we spend on energy in 2019", []),
        ("do under 12s need consent", []),
    ],
)  # fmt: skip
def test_the_sentence_that_answers_is_quoted_alone(question: str, said: list[str]) -> None:
    assert [quote.sentence for quote in find_answer(normalise_question(question), PAPERS).quotes] == said


def test_a_row_that_is_asked_for_comes_without_the_others() -> None:
    row = "| Grants | 28000 | 30500 | +2,500 |"
    for question in ("what are the grants for 2027", "which grants are there"):
        found = [quote.sentence for quote in find_answer(question, PAPERS[2:3]).quotes]
        assert found == [row], question


def test_how_much_is_no_date_and_no_telephone_number() -> None:
    found = [quote.sentence for quote in find_answer("how much is the grant", PAPERS[4:5]).quotes]
    assert found == ["The trustees have awarded a grant of £15,000 over two years."]


def test_how_old_is_an_age_and_no_other_number() -> None:
    found = [quote.sentence for quote in find_answer("how old must a volunteer be", PAPERS).quotes]
    assert found == ["Anyone aged 16 or over.", "Volunteers under 18 need the written consent of a parent."]
