"""Questions as people in a hurry type them, about papers of everyday kinds; some ask for what is not there."""

import pytest

from llm.quoting.answering import find_answer
from llm.quoting.asked import normalise_question
from llm.quoting.passage_fit import bears_on
from llm.quoting.reading import PromptPassage
from text.pieces import write_cells

TRIP = """Dear parents,

On Thursday 14 May 2026 Year 8 will go to Whitby. The coach leaves from the Mill Road gate at 7:45 and is back by 18:30.

The trip costs £32. They may bring up to £10 spending money. Phones stay on the coach.

If your child cannot come, they have lessons as usual in room B12."""
OUTAGE = """At 14:05 Karl Beck deployed version 4.12. Alerts fired at 14:11, but the phone was on silent.

The rollback took 40 minutes because the migration could not be reversed."""
SPECIFICATION = """| Property | HX-40 | HX-60 |
| --- | --- | --- |
| Weight (kg) | 310 | 455 |
| Noise at 1 m (dB) | 58 | 61 |
| Warranty (years) | 5 | 7 |
| Price (EUR) | 18,400 | 24,900 |"""
PROCEDURE = """Version 3. Responsible: Dr. Petra Klein (ext. 4417).

1. Only trained staff may use the autoclave. Training is renewed every two years.

2. Liquids: 121 °C for 20 minutes. Waste: 134 °C for 30 minutes."""
CLAIM = """The burst pipe is covered; the worn floor is not, because wear is excluded.

The assessor, Paul Finch, puts the damage at £6,420. Your excess is £500.

Please return the attached form by 1 December."""


@pytest.mark.parametrize(
    ("paper", "question", "part"),
    [
        (TRIP, "when are they back", "18:30"),
        (TRIP, "how much pocket money", "£10"),
        (TRIP, "can they bring phones", ""),
        (TRIP, "how hot is it", ""),
        (OUTAGE, "when did the alert fire", "14:11"),
        (OUTAGE, "why did the rollback take so long", "could not be reversed"),
        (OUTAGE, "when did the server fire", ""),
        (SPECIFICATION, "how heavy is the hx-40", "Weight (kg)"),
        (SPECIFICATION, "how long is the warranty of the hx-60", "Warranty (years)"),
        (SPECIFICATION, "what does the hx-60 cost", "Price (EUR)"),
        (SPECIFICATION, "how loud is the hx-40", "Noise"),
        (SPECIFICATION, "what is the warranty of the hx-80", ""),
        (PROCEDURE, "who may use the autoclave", "Only trained staff"),
        (PROCEDURE, "how often is training renewed", "every two years"),
        (PROCEDURE, "how hot for liquids", "121 °C"),
        (PROCEDURE, "extension of dr klein", "ext. 4417"),
        (PROCEDURE, "who may use the centrifuge", ""),
        (CLAIM, "why is the floor not covered", "wear is excluded"),
        (CLAIM, "how high is the damage", "£6,420"),
        (CLAIM, "when do we have to send the form back", "1 December"),
        (CLAIM, "how high is the rent", ""),
    ],
)
def test_a_hurried_question_is_answered_from_its_paper(paper: str, question: str, part: str) -> None:
    quotes = find_answer(normalise_question(question), [PromptPassage(1, "Paper.docx (Office)", paper)]).quotes
    assert (part in quotes[-1].sentence) if part and quotes else (quotes == [] and not part)


def test_a_row_is_written_with_the_names_of_what_is_asked_of() -> None:
    passage = PromptPassage(1, "Sheet.csv (Office)", SPECIFICATION)
    for question in ("How heavy is the HX-40?", "What is the weight?"):
        [quote] = find_answer(question, [passage]).quotes
        assert quote.sentence == "| Weight (kg) | 310 | 455 |"
        assert "HX-40: " in write_cells(quote.sentence, SPECIFICATION)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("The slate covering of the roof is late. The floor is dry.", False),
        ("The roof is late. Nothing is covered by this policy.", False),
        ("The roof is covered by the policy.", True),
    ],
)
def test_a_short_question_is_about_one_sentence_of_another_record(text: str, fits: bool) -> None:
    passage = PromptPassage(1, "Report.docx (Elsewhere)", text)
    assert bears_on("is the roof covered", passage, [passage]) is fits
