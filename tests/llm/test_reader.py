"""Without a model: what the reader is sure of is quoted, in other words than the question's too."""

import pytest

from ingestion.embed import find_reading_encoder
from llm.prompts import CLOSEST, NumberedPassage, PromptDocument, is_closest
from llm.quoting import meaning
from llm.quoting.features import Piece
from llm.quoting.judging import judge_pieces
from llm.quoting.reader import ReadPiece
from llm.quoting.reading import PromptPassage
from tests.llm.quoting_helpers import chat, quotes, said

PIECE = Piece(PromptPassage(1, "Rules.md (Hall)", "Dogs stay out."), "Dogs stay out.", "Dogs stay out.", "", 0, 0)
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
    assert said(chat("when did they last look at the heating", HALL[::-1])).startswith(f"{CLOSEST} [1]")


def test_the_opposite_is_not_quoted_however_alike():
    most = [PromptDocument("Hire.md (Hall)", [NumberedPassage(5, "The maximum deposit for the hall is £400.")])]
    assert quotes(said(chat("What is the maximum deposit for the hall?", most))) == [
        ("The maximum deposit for the hall is £400.", 5)
    ]
    assert is_closest(said(chat("What is the minimum deposit for the hall?", most)))


def test_what_the_reader_does_not_read_stands_as_the_rules_quote_it():
    till = [PromptDocument("Receipt.txt (Shop)", [NumberedPassage(6, "CASHIER\nEmily Rodriguez\nTotal 4.20")])]
    assert "Emily Rodriguez" in said(chat("Who was the cashier?", till))
    ferry = [PromptDocument("Ferrow", [NumberedPassage(8, "Project: Ferrow\nBudget: 50,000 EUR")], "fields")]
    assert "50,000 EUR" in said(chat("What is the budget of the Ferrow project?", ferry))


def test_the_encoder_is_none_of_a_service(settings):
    assert find_reading_encoder() is not None
    settings.CLEARANCE_EMBEDDER = {"kind": "openai", "model": "multilingual-e5-small", "url": "http://127.0.0.1:9/v1"}
    assert find_reading_encoder() is None


@pytest.mark.parametrize(
    ("rules", "other", "chosen"),
    [(0.6, 0.9, "rules"), (0.4, 0.9, "other"), (0.2, 0.4, "rules"), (0.05, 0.4, ""), (0.05, 0.6, "other")],
)
def test_whose_piece_is_quoted(rules, other, chosen):
    read = [ReadPiece(PIECE, other, False), ReadPiece(PIECE, rules, True)]
    assert [one.is_quoted for one in judge_pieces(read)] == {"rules": [True], "other": [False], "": []}[chosen]


def test_without_its_encoder_the_rules_answer_alone(monkeypatch):
    monkeypatch.setattr(meaning, "_find_encoder", [])
    assert quotes(said(chat("What is the deposit?", HALL))) == [("The deposit is £100.", 2)]
    assert is_closest(said(chat("what do you charge for an evening", HALL)))
