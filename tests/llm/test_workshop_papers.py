"""A lease, an incident report, an invoice and a rota, asked about as people do who are in a hurry."""

import pytest

from llm.quoting.answering import find_answer
from llm.quoting.asked import normalise_question
from llm.quoting.reading import PromptPassage

LEASE = "lease unit 4.docx (Canal Yard workshop), Tenancy of Unit 4"
PAPERS = [
    PromptPassage(
        1,
        f"{LEASE} › Rent",
        "The rent is £1,850 per month, payable by standing order.\n\n"
        "The rent is reviewed in May and may rise by no more than four per cent.",
    ),
    PromptPassage(2, f"{LEASE} › Ending", "Keys are returned to the site office, Mrs Oduya."),
    PromptPassage(
        3,
        "incident 3 nov.md (Canal Yard workshop), Incident report: forklift, Canal Yard",
        "Date of incident: 3 November 2026, 10:40\nInjured: nobody\n\nWhat happened: The forklift hit the roller door"
        " while reversing.\n\nCause: The reversing camera had failed the week before.\n\nAction: Door repair quoted at"
        " 640 pounds by Rollfix; approved by Helen on 9 November.\n\nWitness: Aisha Noor",
    ),
    PromptPassage(
        4,
        "invoice 2291.pdf (Canal Yard workshop)",
        "Subtotal 1,652.00\nVAT 20 % 330.40\nTotal GBP 1,982.40\nPaid on account 500.00\nBalance due 1,482.40",
    ),
    PromptPassage(
        5,
        "staff rota.txt (Canal Yard workshop)",
        "Rota week 48\n\nMonday   Aisha, Tomek\nTuesday  Aisha, Ben\nThursday closed for stocktake\n\n"
        "Ben is on holiday from 7 to 18 December. Cover: Jolene (agency, 0161 496 0733).",
    ),
]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how much can the rent go up", ["The rent is reviewed in May and may rise by no more than four per cent."]),
        ("who do we give the keys back to", ["Keys are returned to the site office, Mrs Oduya."]),
        ("what do we still owe", ["Balance due 1,482.40"]),
        ("why did the forklift hit the door", ["Cause: The reversing camera had failed the week before."]),
        ("was anybody hurt in the incident", ["Injured: nobody"]),
        ("who saw the accident", ["Witness: Aisha Noor"]),
        ("when is ben on holiday", ["Ben is on holiday from 7 to 18 December."]),
        ("what is the phone number of jolene", ["Cover: Jolene (agency, 0161 496 0733)."]),
        ("how much can the rent go down", []),
        ("who do we give the deposit back to", []),
        ("who hit the roller door", []),
        ("who paid the roller door", []),
        ("why did the crane hit the door", []),
        ("was anybody hurt in the fire", []),
        ("what is the phone number of aisha", []),
    ],
)  # fmt: skip
def test_the_sentence_that_answers_is_quoted_alone(question: str, said: list[str]) -> None:
    assert [quote.sentence for quote in find_answer(normalise_question(question), PAPERS).quotes] == said
