"""What all words of a paragraph say together. None of these texts was learned from."""

import pytest

from entities.actions import SEEDED
from entities.models.classification import CONFIDENTIAL, FINANCIAL, PII, SECRET
from ingestion.evaluation.learning import digest, learn
from ingestion.evaluation.sets import OWN, Sample, read_set
from llm.prompts import Level
from llm.recognisers import learned
from llm.recognisers.learned import TABLE, features, find_learned
from llm.rules import rule_votes

LEVELS = tuple(Level(value, label, text) for value, label, _, _, text in SEEDED)


@pytest.mark.parametrize(
    ("text", "harmless", "atom"),
    [
        ("Tell Bo that Ragna is at her brother's until Friday.", "Tell the crew that the ladder is at the quay.", PII),
        ("They let us have the two boats for 19.", "They let us see the two boats at the quay.", FINANCIAL),
        ("wifi for the boat: Guillemot / wet+feather9", "The boat: built in 1911, oak on oak.", SECRET),
    ],
)
def test_what_no_phrase_tells_is_told_by_the_words_together(text, harmless, atom):
    assert atom in rule_votes(text).atoms
    assert rule_votes(harmless).atoms == frozenset()


def test_a_vote_says_what_it_was_and_quotes_nothing():
    vote = rule_votes("They let us have the two boats for 19.")
    assert vote.reasons == ("reads like money",)
    assert not any("19" in reason for reason in vote.reasons)


def test_a_heading_or_a_cell_is_too_short_to_be_about_something():
    assert find_learned("Invoices and payments", of_person=False) == frozenset()
    assert find_learned("Invoices and payments: 4,100 are due and the bank is waiting", of_person=False)


def test_an_address_of_the_web_says_nothing():
    text = "The drawings of the new slipway are kept in the archive"
    assert find_learned(text, of_person=False) == frozenset()
    link = " https://x.example/password/invoice/9f8e7d6c5b4a/salary?price=90000&login=admin"
    assert find_learned(text + link, of_person=False) == frozenset()


def test_the_table_was_learned_from_the_half_that_is_tuned_to():
    """Who changes that half calls `manage.py learn_labels`; what is held is never learned from."""
    own = read_set(OWN, LEVELS)
    first = TABLE.read_text(encoding="utf-8").partition("\n")[0]
    assert digest(own.of("dev")) in first
    assert digest(own.of("held")) not in first


def test_learning_finds_the_words_that_tell_the_labels_apart():
    told = [
        Sample(n, f"the {word} was here again", frozenset({CONFIDENTIAL}), "dev") for n, word in enumerate("abcdef")
    ]
    plain = [Sample(n, f"the {word} went away again", frozenset(), "dev") for n, word in enumerate("abcdef", start=9)]
    table = learn([*told, *plain])
    column = learned.COLUMNS.index(CONFIDENTIAL)
    assert table["here"][column] > 0 > table["away"][column]
    assert learn([*told, *plain]) == table


@pytest.mark.parametrize("text", ["a" * 20_000, "Aa " * 6_000, "1,2" * 6_000, "é" * 9_000 + " x" * 4_000])
def test_hostile_lengths_are_read(text):
    assert features(text[:4_000])
    assert isinstance(rule_votes(text).atoms, frozenset)
