"""Where sentences end, in English and German."""

import pytest

from tests.llm.test_linear_time import assert_linear
from text.sentences import find_sentences, split_sentences
from text.terms import stem_word


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Am 3. Mai kommt er. Dann nicht.", ["Am 3. Mai kommt er.", "Dann nicht."]),
        ("Die 14. Sitzung war lang. Es gab Kuchen.", ["Die 14. Sitzung war lang.", "Es gab Kuchen."]),
        ("Das gilt lt. Vertrag. Ja!", ["Das gilt lt. Vertrag.", "Ja!"]),
        ("Kosten ca. 300 Euro. § 5 Abs. 2 gilt.", ["Kosten ca. 300 Euro.", "§ 5 Abs. 2 gilt."]),
        ("Bis 31. Dezember 2026. Danach nicht.", ["Bis 31. Dezember 2026.", "Danach nicht."]),
        ("See no. 4 and Fig. 3. It is red.", ["See no. 4 and Fig. 3.", "It is red."]),
        ("The answer is no. We left.", ["The answer is no.", "We left."]),
        ("The total is 45. Payment is due.", ["The total is 45.", "Payment is due."]),
        ("Mr. J. Smith came. He left.", ["Mr. J. Smith came.", "He left."]),
        ("He said “No.” Then he left.", ["He said “No.”", "Then he left."]),
        ("A heading\nA line; and more", ["A heading", "A line; and more"]),
        ("3. Sign it", ["3. Sign it"]),
        ("4.1. Scope of work", ["4.1. Scope of work"]),
        ("Invoice No. A-17 is due. Pay it.", ["Invoice No. A-17 is due.", "Pay it."]),
        ("Tel. (030) 12 34", ["Tel. (030) 12 34"]),
        ("The limit is 45. Maybe not.", ["The limit is 45.", "Maybe not."]),
        ("我们。好的。", ["我们。", "好的。"]),
        ("  \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, sentences):
    assert split_sentences(text) == sentences
    assert [text[start:end] for start, end in find_sentences(text)] == sentences


def test_no_word_is_lost():
    text = "One. two? Three! (Four.) five\n\nSix 7. Mai. "
    assert " ".join(split_sentences(text)).split() == text.split()


@pytest.mark.parametrize("unit", ["\n", ". ", "1. ", "a. ", ".\n", "。"])
def test_a_long_text_takes_no_quadratic_time(unit):
    assert_linear(split_sentences, unit)


def test_forms_of_a_word_share_a_stem():
    assert stem_word("terminates") == stem_word("Termination")
    assert stem_word("Verträge") == stem_word("Vertrage")
    assert stem_word("notice") != stem_word("note")
