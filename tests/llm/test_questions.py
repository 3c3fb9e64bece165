"""A question, or a label by itself, says what the answer in the next line or paragraph is. All people are made up."""

import pytest

from entities.models.classification import FINANCIAL, PII, PII_SENSITIVE, SECRET
from llm.rules import vote_by_rules

# A question, its answer, what the answer needs; then a question that is about something else, for the same answer.
ASKED = [
    ("Q: And your date of birth?", "A: 1965-11-04.", {PII}, "Q: And the date of the survey?"),
    ("Geburtsdatum:", "04.11.1965", {PII}, "Lieferdatum:"),
    ("What is your address?", "14 rue du Port, 29200 Brest", {PII}, "Where was the crane built?"),
    ("Home address", "Lindenstraße 14, 20099 Hamburg", {PII}, "Company address"),
    ("Q: What medication are you taking?", "A: The blue ones, twice a day.", {PII_SENSITIVE}, "Q: Which seals fit?"),
    ("Passport number", "X4471820P", {PII, PII_SENSITIVE}, "Drawing number"),
    ("Q: What is your salary?", "A: About 64,200.", {PII, FINANCIAL}, "Q: What does the crane lift?"),
    ("What's the wifi password?", "blue-Harbour77", {SECRET}, "What is the part number?"),
    ("Next of kin", "Elin Brandt", {PII}, "Site manager"),
]


@pytest.mark.parametrize(("question", "answer", "atoms", "other"), ASKED)
def test_an_answer_is_what_was_asked_for(question, answer, atoms, other):
    assert vote_by_rules(answer, before=question).atoms == atoms
    assert vote_by_rules(answer, before=other).atoms == frozenset()
    assert vote_by_rules(answer).atoms == frozenset()


@pytest.mark.parametrize(("question", "answer", "atoms", "other"), ASKED)
def test_question_and_answer_may_stand_in_one_paragraph(question, answer, atoms, other):
    assert vote_by_rules(f"{question}\n{answer}").atoms >= atoms
    assert not vote_by_rules(f"{other}\n{answer}").atoms & atoms


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Q: Are you taking any medication?", "A: No."),
        ("Q: Do you have any allergies?", "A: None that I know of."),
        ("How do I reset my password?", "Settings2 > Security"),
        ("Where can I find the address of the site?", "On sheet 14 of the drawings."),
    ],
)
def test_what_gives_nothing_away_is_no_answer(question, answer):
    assert vote_by_rules(answer, before=question).atoms == frozenset()


def test_only_the_line_above_asks():
    assert PII in vote_by_rules("1965-11-04", before="The form begins here.\nDate of birth?").atoms
    assert not vote_by_rules("2026-11-04", before="Date of birth?\nThe next inspection of the roof was on").atoms


@pytest.mark.parametrize(
    ("text", "atoms", "harmless"),
    [
        ("NPI 1598237714, DEA: AK1422011", {PII}, "Lot 1598237714, batch AK1422011"),
        ("Counsel for the plaintiff\nBar No. CA-816327", {PII}, "Counsel for the plaintiff\nBay No. CA-816327"),
        ("MRN-1202422\nMRN-1202423", {PII, PII_SENSITIVE}, "DRW-1202422\nDRW-1202423"),
        ("492-55-6776\n510-53-1235", {PII, PII_SENSITIVE}, "Parts 4925 and 5105"),
        ("user=kbrandt ip=81.2.69.14 result=ok", {PII}, "server=web ip=81.2.69.14 result=ok"),
        ("Jane Miller came from 2001:db8:85a3::8a2e:370:9976.", {PII}, "The host is 2001:db8:85a3::8a2e:370:9976."),
        ("Ravi Menon is on antiretroviral therapy.", {PII, PII_SENSITIVE}, "Ravi Menon is on the scaffold."),
        ("Customer Elin Brandt: account 1338331792.", {PII, FINANCIAL}, "Customer Elin Brandt: the crane is ready."),
        ("Visser, 12 Mill Court Apt. 26, Kelby 18431", {PII}, "Visser, Mill Court, Kelby"),
    ],
)
def test_identifiers_in_the_forms_that_people_write(text, atoms, harmless):
    assert vote_by_rules(text).atoms == atoms
    assert vote_by_rules(harmless).atoms == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "Prepared by Devika Rao, Project Director",
        "United States District Court for the Southern District of New York",
        "That's right.",
        "The renovation is 43 per cent complete.",
        "Thanks for joining the meeting this morning. Tara Novak will draft the agenda and circulate it on Monday.",
        "I spoke with Piet Hofer at Corvid Systems, Inc. and they are comfortable with the new language.",
        "By: ____________________\nName: Karin Dahl\nTitle: Vice President",
    ],
)
def test_ordinary_business_is_hidden_from_nobody(text):
    assert vote_by_rules(text).atoms == frozenset()


def test_an_answer_far_down_in_a_long_text_is_found():
    asked = "Date of birth?\n1965-11-04"
    assert PII in vote_by_rules("The quay was built of stone. " * 200 + "\n" + asked).atoms
    assert PII not in vote_by_rules("The quay was built of stone. " * 200 + "\nDate of the survey?\n1965-11-04").atoms
