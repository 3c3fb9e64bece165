"""What all words of a paragraph say together. None of these texts was learned from."""

import numpy as np
import pytest

from entities.actions import SEEDED
from entities.models.classification import CONFIDENTIAL, SECRET
from ingestion.classify import build_rules_vote
from ingestion.evaluation.learning import NEVER, Lesson, draw_line, hash_samples, learn_weights
from ingestion.evaluation.sets import OWN, read_set
from llm.prompts import Level
from llm.recognisers import learned
from llm.recognisers.learned import TABLE, compute_features, find_learned
from llm.rules import vote_by_rules

LEVELS = tuple(Level(value, label, text) for value, label, _, _, text in SEEDED)


HINT = "Password hint: the name of the dog, then 1987."


@pytest.mark.parametrize(
    ("text", "harmless", "atom"),
    [
        (HINT, "The boat: built in 1911, oak on oak.", SECRET),
    ],
)
def test_what_no_phrase_tells_is_proposed_by_the_words_together_and_hides_nothing(text, harmless, atom):
    assert vote_by_rules(text).atoms == vote_by_rules(harmless).atoms == vote_by_rules(harmless).proposed == frozenset()
    assert vote_by_rules(text).proposed == {atom}


def test_a_proposal_says_what_it_is_and_quotes_nothing():
    assert vote_by_rules(HINT).reasons == ("perhaps a password or a key",)


def test_what_a_rule_finds_is_not_proposed_as_well():
    vote = vote_by_rules("The password for the pump controller is Tide-4711!")
    assert SECRET in vote.atoms
    assert SECRET not in vote.proposed
    assert not any("a password or a key" in reason for reason in vote.reasons)


def test_a_collection_may_have_what_is_proposed_given_at_once():
    text = HINT
    assert build_rules_vote(text, "en").labels == build_rules_vote(text, "en", learned="label").proposed == frozenset()
    assert build_rules_vote(text, "en").proposed == build_rules_vote(text, "en", learned="label").labels == {SECRET}


def test_a_heading_or_a_cell_is_too_short_to_be_about_something():
    assert find_learned("Guillemot wet+feather9") == (frozenset(), frozenset())
    assert find_learned("wifi for the boat: Guillemot / wet+feather9")[1]


def test_an_address_of_the_web_says_nothing():
    text = "The drawings of the new slipway are kept in the archive"
    link = " https://x.example/password/invoice/9f8e7d6c5b4a/salary?price=90000&login=admin"
    assert find_learned(text) == find_learned(text + link) == (frozenset(), frozenset())


def test_the_table_was_learned_from_the_half_that_is_tuned_to():
    """Who changes that half calls `manage.py learn_labels`; what is held is never learned from."""
    own = read_set(OWN, LEVELS)
    first = TABLE.read_text(encoding="utf-8").partition("\n")[0]
    assert hash_samples(own.select_split("dev")) in first
    assert hash_samples(own.select_split("held")) not in first


def lessons(count: int) -> list[Lesson]:
    told = [
        Lesson(f"the {word} was here again", frozenset({CONFIDENTIAL}), frozenset(), word) for word in WORDS[:count]
    ]
    plain = [Lesson(f"the {word} went away again", frozenset(), frozenset(), word) for word in WORDS[count:]]
    return [*told, *plain]


WORDS = [first + second for first in "bdfgkl" for second in ("ail", "oat", "ump", "est", "ink", "orn", "ell")]


def test_learning_finds_the_words_that_tell_the_labels_apart_and_draws_its_lines():
    given = lessons(20)
    table = learn_weights(given, [lesson.text for lesson in given])
    column = learned.COLUMNS.index(CONFIDENTIAL)
    assert table["here"][column] > 0 > table["away"][column]
    assert table[learned.LABEL][column] < 9_900, "twenty votes in twenty are right"
    assert learn_weights(given, [lesson.text for lesson in given]) == table


def test_a_line_that_would_not_hold_is_not_drawn():
    sums = np.array([3.0, 2.0, 1.0, 0.5] * 5)
    right = np.array([True, True, True, False] * 5)
    assert draw_line(sums, right, 0.9) == 1.0
    assert draw_line(sums, ~right, 0.9) == NEVER
    assert draw_line(sums[:4], right[:4], 0.9) == NEVER, "too few votes to know"


def test_no_word_gets_into_the_table_from_files_of_others():
    given = [*lessons(20), Lesson("Quorvex went away again", frozenset(), frozenset(), "other.txt")]
    assert not any("quor" in word for word in learn_weights(given, [lesson.text for lesson in given[:-1]]))


@pytest.mark.parametrize("text", ["a" * 20_000, "Aa " * 6_000, "1,2" * 6_000, "é" * 9_000 + " x" * 4_000])
def test_hostile_lengths_are_read(text):
    assert compute_features(text[:4_000])
    assert isinstance(vote_by_rules(text).atoms, frozenset)
