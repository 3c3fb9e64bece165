"""Questions about rules of one sentence each: how long, whether one may, and "what's" for "what is"."""

import pytest

from llm.prompts import NOT_FOUND
from llm.quoting.answering import answer
from llm.quoting.asked import normalise_question
from llm.quoting.follow_ups import read_meanings
from llm.quoting.reading import PromptPassage

RULES = (
    "The notice period is ninety days from the end of a month.",
    "The warranty runs for two years after delivery.",
    "The deposit is three months' rent, that is £2,700.",
    "The quarterly fee is 40,000 euros.",
    "The landlord is Harbour Estates Ltd.",
    "Smoking is prohibited.",
    "Pets are kept with written consent only.",
    "Employees may work from home two days a week.",
    "Staff must not share passwords.",
    "The canteen opens at noon.",
)


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("How long is the notice period?", "ninety days"),
        ("How long does the warranty last?", "two years"),
        ("what's the deposit", "three months' rent"),
        ("whats the deposit?", "three months' rent"),
        ("Who’s the landlord?", "Harbour Estates"),
        ("How high is the quarterly fee?", "40,000"),
        ("How deep is the quarterly fee?", None),
        ("How high is the rent?", None),
        ("May I smoke?", "prohibited"),
        ("Is smoking allowed?", "prohibited"),
        ("Are pets allowed?", "written consent"),
        ("Can I work from home?", "two days a week"),
        ("May I share my password?", "must not share"),
        ("How long is the probation period?", None),
        ("How long is the canteen?", None),
        ("May I work from China?", None),
        ("Can I bring a bicycle?", None),
        ("Can I open the canteen?", None),
        ("what's the fax number", None),
    ],
)
def test_the_rule_is_quoted_or_none(question: str, rule: str | None) -> None:
    passages = [PromptPassage(n, "Rules.md", text) for n, text in enumerate(RULES, start=1)]
    found = [quote.sentence for quote in answer(normalise_question(question), passages)]
    assert [rule in sentence for sentence in found] == [True] if rule else found == []


@pytest.mark.parametrize(("question", "says_enough"), [("Who is the landlord?", True), ("Who pays it?", False)])
def test_a_question_that_names_its_thing_is_asked_by_itself_too(question: str, says_enough: bool) -> None:
    """After one that was about something else. The twin points back, and is not."""
    said = [("user", "Can I keep a dog?"), ("assistant", NOT_FOUND), ("user", question)]
    messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in said]
    asked = list(read_meanings({"messages": messages}, 2, question))
    assert "dog" in asked[0]
    assert (question in asked) is says_enough
