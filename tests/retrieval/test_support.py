"""The support check finds figures and names that a passage does not have."""

from decimal import Decimal

import pytest

from retrieval.bearing import judge_support
from retrieval.support import (
    Support,
    check_sentence,
    check_support,
    extract_figures,
    find_bearing_sentence,
    list_sentences_citing,
)

PASSAGE = (
    "Brannock Steel shall pay EUR 1,200,000 on 10 March 2026. The liability cap is two million euros, "
    "15 % of the contract value. Notice is given by Maria Olsen in writing."
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Brannock Steel pays €1.2 million in March 2026.",
        "The liability cap is €2m.",
        "The cap on liability is 15% of the contract's value.",
        "Maria Olsen gives notice in writing.",
        "1. Notice is given in writing.",
    ],
)
def test_supported(sentence):
    assert check_sentence(sentence, PASSAGE) is Support.SUPPORTED


@pytest.mark.parametrize(
    "sentence",
    [
        "The liability cap is €3 million.",
        "Brannock Steel shall pay EUR 1,200,000 on 11 March 2026.",
        "Penguins live in Antarctica and eat krill.",
    ],
)
def test_unsupported(sentence):
    assert check_sentence(sentence, PASSAGE) is Support.UNSUPPORTED


@pytest.mark.parametrize(
    "sentence",
    ["The liability cap protects Gannet.", "The contract shows healthy margins, solid notice and punctual pay."],
)
def test_weak(sentence):
    assert check_sentence(sentence, PASSAGE) is Support.WEAK


def test_the_worst_sentence_decides():
    assert check_support(["The liability cap is €2m.", "The liability cap is €3m."], PASSAGE) is Support.UNSUPPORTED
    assert check_support([], PASSAGE) is Support.SUPPORTED


@pytest.mark.parametrize(
    "written", ["1,200,000", "1.200.000", "1 200 000", "1'200'000", "1.2 million", "€1.2m", "1.2M", "1200k"]
)
def test_one_number_however_it_is_written(written):
    assert extract_figures(f"It costs {written} in all") == {Decimal(1200000)}


def test_metres_are_not_millions():
    assert extract_figures("a beam of 5 m") == {Decimal(5)}


def test_the_sentence_that_bears_out_what_was_written():
    start, end = find_bearing_sentence(["The cap is €2 million."], PASSAGE)
    assert PASSAGE[start:end].startswith("The liability cap is two million")
    assert find_bearing_sentence(["Penguins."], PASSAGE) is None


def test_the_sentence_of_a_citation():
    text = "The cap is 5 [citation:1]. Rent is due monthly. [citation:2]\n- Notice [citation:1][citation:3] in writing"
    assert list_sentences_citing(text, 1) == ["The cap is 5 .", "- Notice in writing"]
    assert list_sentences_citing(text, 2) == ["Rent is due monthly."]
    assert list_sentences_citing(text, 9) == []


@pytest.mark.parametrize("end", ["", " ", "\n"])
def test_a_marker_at_the_end_of_the_text_belongs_to_the_sentence_before_it(end):
    text = f"Notice is given in writing. [citation:2] The cap is €3 million. [citation:1]{end}"
    assert list_sentences_citing(text, 1) == ["The cap is €3 million."]
    assert check_support(list_sentences_citing(text, 1), PASSAGE) is Support.UNSUPPORTED
    assert check_support(list_sentences_citing(text, 2), PASSAGE) is Support.SUPPORTED


QUOTE = "9.2 The total liability of the Subcontractor is limited to 125 per cent of the Subcontract Sum."


QUOTED, WEAK, SUPPORTED = Support.QUOTED, Support.WEAK, Support.SUPPORTED


@pytest.mark.parametrize(
    ("question", "sentence", "verdict"),
    [
        ("What is the limit of liability?", QUOTE, SUPPORTED),
        ("What is the limit of liability for rust?", QUOTE, QUOTED),
        ("Who inspected Sector 7?", "Ingrid Solheim inspected Sector 7 on 17 September.", SUPPORTED),
        ("Who inspected Sector 19?", "Ingrid Solheim inspected Sector 7 on 17 September.", WEAK),
        ("How much does the crane cost?", "The crane stands in the yard.", WEAK),
        ("When does the hire end?", "The crane stands in the yard.", WEAK),
        ("How many days of leave are there?", "Twenty-seven days of leave a year.", SUPPORTED),
        ("Who keeps the crane, and when does the hire end?", "The hire ends on 3 May 2027.", WEAK),
        ("", QUOTE, SUPPORTED),
    ],
)
def test_a_verbatim_quote_is_supported_only_where_it_has_all_that_is_asked(question, sentence, verdict):
    assert judge_support(question, [sentence], sentence) is verdict


@pytest.mark.parametrize(
    ("question", "verdict"),
    [("What is the limit of liability?", SUPPORTED), ("What is the colour of the vans?", WEAK)],
)
def test_other_words_are_supported_where_their_passage_bears_on_the_question(question, verdict):
    assert judge_support(question, ["It is 125 per cent of the Subcontract Sum."], QUOTE) is verdict
