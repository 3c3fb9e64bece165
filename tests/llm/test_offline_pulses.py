"""The offline engine's Pulse: counts, quotes with their numbers, and no field twice."""

from llm import prompts
from llm.prompts import NumberedPassage, PromptDocument, Record
from llm.quoting import engine
from tests.llm.quoting_helpers import DOCUMENTS, LEASE, body, flat, quotes, said
from tests.refusals import quotes_nothing


def test_a_bullet_of_a_pulse_is_no_list_within():
    text = "6. Give notice about the crane by 20 November. 8.1 The buyer shall deliver the papers by May."
    documents = [PromptDocument("Report.pdf", [NumberedPassage(2, text)])]
    bullets = said(engine.answer(body(prompts.build_pulse_prompt(LEASE, documents).request))).splitlines()[1:]
    assert sorted(bullets) == [
        "- 8.1 The buyer shall deliver the papers by May. [2]",
        "- Give notice about the crane by 20 November. [2]",
    ]


def test_a_pulse_starts_with_the_counts_and_quotes_the_passages_and_repeats_no_field():
    prompt = prompts.build_pulse_prompt(LEASE, DOCUMENTS, focus="Liabilities, termination and inspection")
    lines = said(engine.answer(body(prompt.request))).splitlines()
    assert lines[0] == "Tasks: 2 open."
    assert "Port of Skerrow" not in " ".join(lines)
    found = quotes("\n".join(lines[1:]))
    assert {n for _, n in found} == {4, 7, 9}
    printed = {p.n: flat(p.text) for d in DOCUMENTS for p in d.passages}
    assert all(sentence in printed[n] for sentence, n in found)


def test_a_pulse_of_a_contract_quotes_its_own_figures_before_standard_terms():
    standard = [
        f"{n}.1 {text}"
        for n, text in enumerate(
            (
                "The Supplier shall complete each section of the services by the date stated for it in Schedule 3.",
                "Nothing in this agreement limits liability for fraud, or for what cannot be limited by law.",
                "The Supplier shall indemnify the Customer where its drawings infringe the rights of others.",
                "Neither party is liable to the other for any indirect loss, except as part of an indemnity.",
                "The Supplier shall keep in force the insurance that clause 12 demands, until the end of the contract.",
                "The Customer may inspect the works of the Supplier without delay, with whoever must be present.",
            ),
            start=2,
        )
    ]
    particular = [
        "9.1 The liability of the Supplier is limited to 125 per cent of the yearly charge.",
        "10.1 The Customer may end this agreement by forty-five days' notice.",
        "11.1 The defects period is twenty-four months from acceptance.",
        "12.1 The Customer retains 5 per cent of each valuation.",
        "13.1 Interest of 4 per cent a year is owed from the day on which a charge fell due.",
        "14.1 An extra crew is charged at £3,150 a day.",
    ]
    passages = [NumberedPassage(n, text) for n, text in enumerate([*standard, *particular], start=1)]
    prompt = prompts.build_pulse_prompt(LEASE, [PromptDocument("Agreement.pdf", passages)])
    points = said(engine.answer(body(prompt.request))).splitlines()[1:]
    assert sorted(points) == sorted(f"- {text} [{n}]" for n, text in enumerate(particular, start=7))


def test_a_pulse_without_a_sentence_lists_the_fields():
    lines = said(engine.answer(body(prompts.build_pulse_prompt(LEASE, []).request))).splitlines()
    assert lines == ["Status: Active; Counterparty: Port of Skerrow; Tasks: 2 open."]


def test_a_pulse_of_nothing_says_so():
    prompt = prompts.build_pulse_prompt(Record("Contract", "Empty"), [])
    assert said(engine.answer(body(prompt.request))) == "Nothing is known about this yet."


def test_a_question_to_a_pulse_is_answered_or_not_found():
    asked = prompts.build_pulse_prompt(LEASE, DOCUMENTS, question="Who inspected Sector 7?")
    assert quotes(said(engine.answer(body(asked.request))))[0][1] == 9
    asked = prompts.build_pulse_prompt(LEASE, DOCUMENTS, question="Who painted the vans?")
    assert quotes_nothing(said(engine.answer(body(asked.request))))


def test_footnotes_of_a_web_page_stand_in_no_pulse():
    text = (
        "^ Blodget, Henry (August 23, 2013).\n\nArchived from the original on April 24, 2014.\n\n"
        "The archive of the original deeds moves to the quay on 24 April 2026."
    )
    documents = [PromptDocument("Page.html", [NumberedPassage(2, text)])]
    points = said(engine.answer(body(prompts.build_pulse_prompt(LEASE, documents).request))).splitlines()[1:]
    assert points == ["- The archive of the original deeds moves to the quay on 24 April 2026. [2]"]
