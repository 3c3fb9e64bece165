"""What the reader is sure of is quoted in other words than the question's; what it doubts is only shown."""

import pytest

from llm.prompts import NumberedPassage, PromptDocument, is_closest
from llm.quoting import meaning
from tests.llm.quoting_helpers import chat, quotes, said

HALL = [
    PromptDocument(
        "Boiler.md (Hall)", [NumberedPassage(1, "The boiler was serviced on 14 March 2026 by Hallam Heating.")]
    ),
    PromptDocument("Hire.md (Hall)", [NumberedPassage(2, "Hirers pay £42 for an evening. The deposit is £100.")]),
    PromptDocument("Keys.md (Hall)", [NumberedPassage(3, "Marta Quill keeps the spare keys in the office safe.")]),
    PromptDocument("Rules.md (Hall)", [NumberedPassage(4, "Dogs are not let in, except guide dogs.")]),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what do you charge for an evening", ("Hirers pay £42 for an evening.", 2)),
        ("who has the spare key", ("Marta Quill keeps the spare keys in the office safe.", 3)),
        ("can i bring my dog", ("Dogs are not let in, except guide dogs.", 4)),
    ],
)
def test_other_words_are_quoted(question, answer):
    assert quotes(said(chat(question, HALL))) == [answer]


@pytest.mark.parametrize("question", ["when was the roof repaired", "who keeps the alarm code"])
def test_what_only_resembles_is_shown_and_not_quoted(question):
    assert is_closest(said(chat(question, HALL)))


def test_the_likeliest_passage_stands_first_among_the_closest():
    assert said(chat("when did they last look at the heating", HALL)).startswith(
        "Nothing says this plainly. Closest: [1]"
    )


def test_without_its_encoder_the_rules_answer_alone(monkeypatch):
    monkeypatch.setattr(meaning, "_find_encoder", [])
    assert quotes(said(chat("What is the deposit?", HALL))) == [("The deposit is £100.", 2)]
    assert is_closest(said(chat("what do you charge for an evening", HALL)))
