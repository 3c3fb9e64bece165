"""Figures of ranked lists, computed by hand; which passages show which places; question sets as files."""

import json
from math import log2
from uuid import UUID

import pytest

from retrieval.evaluation.metrics import (
    JudgedPassage,
    RankingFigures,
    compute_figures,
    compute_mean,
    compute_ndcg,
    compute_recall,
    compute_silence,
    count_gains,
    find_first_gain,
)
from retrieval.evaluation.readers import find_nearest_texts, format_as_lines, read_set
from retrieval.evaluation.relevance import ComparedPassage, choose_unit, judge_passages, shares_words, split_words
from retrieval.evaluation.sets import AnswerPlace, BadQuestionSet, SetQuestion


def shows(unit, *places):
    return JudgedPassage(unit, frozenset(places))


def test_a_page_that_stands_above_takes_no_second_rank():
    ranked = [shows("p1"), shows("p1"), shows("p7", 0), shows("p7", 0), shows("p2"), shows("p9", 1)]
    assert count_gains(ranked) == [0, 1, 0, 1]


def test_another_page_that_shows_the_same_place_takes_no_rank_either():
    assert count_gains([shows("p7", 0), shows("p8", 0), shows("p9", 1)]) == [1, 1]


def test_a_page_that_stands_above_counts_where_it_shows_a_new_place():
    assert count_gains([shows("p7", 0), shows("p7", 0, 1)]) == [1, 1]


def test_ndcg_by_hand():
    # One place at rank 2 of two: 1/log2(3) against 1/log2(2) + 1/log2(3).
    assert compute_ndcg([0, 1], 2) == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))
    assert compute_ndcg([1], 1) == 1
    assert compute_ndcg([0, 0, 0, 1], 1) == pytest.approx(1 / log2(5))
    assert compute_ndcg([], 3) == 0
    assert compute_ndcg([0] * 10 + [1], 1) == 0, "the eleventh does not count"


def test_ndcg_of_more_places_than_ranks_is_measured_against_ten():
    assert compute_ndcg([1] * 10, 25) == pytest.approx(1)


def test_a_passage_that_shows_two_places_does_not_lift_above_one():
    assert compute_ndcg([2], 2) == 1


def test_recall_and_the_first_rank():
    assert compute_recall([0, 1, 0, 1], 4, 2) == 0.25
    assert compute_recall([0, 1, 0, 1], 4, 5) == 0.5
    assert find_first_gain([0, 0, 1]) == 3
    assert find_first_gain([0, 0]) is None


def test_all_figures_of_a_question():
    assert compute_figures([0, 1], 1) == RankingFigures(1 / log2(3), 0.5, 1.0, 1.0, 1.0, 0.0)
    assert compute_figures([0] * 20 + [1], 1) == RankingFigures(0.0, 1 / 21, 0.0, 0.0, 0.0, 1.0)
    assert compute_figures([1], 1, far=False) == RankingFigures(1.0, 1.0, 1.0, 1.0, None, None)


def test_means_leave_out_what_is_not_known():
    assert compute_mean([RankingFigures(1, 1, 1, 1, 1, 0), RankingFigures(0, 0.5, 0, 0, None, None)]) == RankingFigures(
        0.5, 0.75, 0.5, 0.5, 1, 0
    )
    with pytest.raises(ValueError, match="no questions"):
        compute_mean([])


def test_silence_is_held_against_what_answerable_questions_get():
    answered = [n / 100 for n in range(100)]  # 95 of them at 0.05 or more
    found = compute_silence(answered, [None, 0.01, 0.05, 0.9])
    assert found is not None
    assert (found.questions, found.nothing, found.low, found.line) == (4, 0.25, 0.5, 0.05)
    assert compute_silence(answered, []) is None


# Which passages show which places


FILE = UUID(int=1)


def passage(text="", first=None, last=None, row=1, name="a.pdf"):
    return ComparedPassage(row, UUID(int=row), FILE, name, first, last, text)


def test_a_passage_shows_the_pages_that_it_runs_over():
    over = passage(first=6, last=8)
    assert over.shows(AnswerPlace("a.pdf", 7, 7))
    assert over.shows(AnswerPlace("a.pdf", 8, 9))
    assert not over.shows(AnswerPlace("a.pdf", 9, 9))
    assert not over.shows(AnswerPlace("b.pdf", 7, 7)), "the same page of another file"
    assert over.shows(AnswerPlace("a.pdf"))
    assert not passage(first=None).shows(AnswerPlace("a.pdf", 1, 1))


def test_a_quote_is_found_by_its_words_whatever_stands_between_them():
    quote = split_words(
        "Neither party shall assign this Agreement without the prior written consent of the other party"
    )
    assert shares_words(
        split_words("12.1 Neither  party\nshall assign this agreement — without the prior written consent …"), quote
    )
    assert not shares_words(
        split_words("Either party may terminate with the prior written consent of the other."), quote
    )
    assert shares_words(split_words("Dated March 1, 2000, in Delaware"), split_words("March 1, 2000"))
    assert not shares_words(split_words("Dated March 2, 2000, in Delaware"), split_words("March 1, 2000"))
    assert not shares_words([], quote)


def test_each_part_of_a_long_quote_shows_it():
    long = [f"w{n}" for n in range(300)]
    assert shares_words(long[:100], long), "wholly inside"
    assert not shares_words([*(f"x{n}" for n in range(80)), *long[:20]], long)


def test_ranks_count_in_the_most_exact_unit():
    assert choose_unit([AnswerPlace("a.pdf", 3, 3), AnswerPlace("a.pdf", quote="x")]) == "passage"
    assert choose_unit([AnswerPlace("a.pdf"), AnswerPlace("a.pdf", 3, 3)]) == "page"
    assert choose_unit([AnswerPlace("a.pdf")]) == "file"
    judged = judge_passages(
        [passage(first=1, row=1), passage(first=1, row=2), passage(first=2, row=3)], [AnswerPlace("a.pdf", 2, 2)]
    )
    assert count_gains(judged) == [0, 1]
    judged = judge_passages([passage("a b c d e", row=1), passage("f", row=2)], [AnswerPlace("a.pdf", quote="f")])
    assert count_gains(judged) == [0, 1]


# Sets


def write(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_documented_form_comes_back_as_it_was_written(tmp_path):
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("The cap is two million.")
    given = [
        {"id": "1", "question": "What is the cap?", "places": [{"file": "a.txt", "start": 4, "end": 11}], "labels": []},
        {"id": "2", "question": "Where?", "places": [{"file": "b.pdf", "page": 3, "to": 4}, {"file": "c.md"}]},
        {"id": "3", "question": "Who?", "answerable": False, "within": {"files": ["a.txt"]}, "labels": ["PII"]},
    ]
    write(tmp_path / "questions.jsonl", *given)
    found = read_set(tmp_path)
    assert [document.name for document in found.documents] == ["a.txt"]
    assert found.questions[0] == SetQuestion(
        "1", "What is the cap?", (AnswerPlace("a.txt", quote="cap is "),), labels=()
    )
    assert found.questions[1].places == (AnswerPlace("b.pdf", 3, 4), AnswerPlace("c.md"))
    assert (found.questions[2].answerable, found.questions[2].files) == (False, ("a.txt",))
    again = write(tmp_path / "again.jsonl")
    again.write_text(format_as_lines(found.questions))
    assert read_set(again).questions == found.questions
    assert read_set(again).digest == found.digest


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"id": "1", "question": " ", "places": [{"file": "a"}]}, "question"),
        ({"id": "1", "question": "Why?"}, "has places"),
        ({"id": "1", "question": "Why?", "answerable": False, "places": [{"file": "a"}]}, "has none"),
        ({"id": "1", "question": "Why?", "places": [{"file": "a", "page": 0}]}, "pages from 1"),
        ({"id": "1", "question": "Why?", "places": [{"file": "a", "pages": 3}]}, "a place is"),
        ({"id": "1", "question": "Why?", "places": [{"file": "a", "start": 1, "end": 2}]}, "does not come with"),
        ({"id": "1", "question": "Why?", "places": [{"file": "a"}], "label": []}, "unknown: label"),
        ({"id": "1", "question": "Why?", "places": [{"file": "a"}], "labels": "PII"}, "labels"),
        ({"id": 1, "question": "Why?", "places": [{"file": "a"}]}, "id"),
    ],
)
def test_a_mistake_in_a_set_is_told_with_its_line(tmp_path, line, says):
    path = write(tmp_path / "set.jsonl", {"id": "0", "question": "Why?", "places": [{"file": "a"}]}, line)
    with pytest.raises(BadQuestionSet, match=f"line 2: .*{says}"):
        read_set(path)


def test_other_mistakes_in_a_set(tmp_path):
    twice = {"id": "0", "question": "Why?", "places": [{"file": "a"}]}
    with pytest.raises(BadQuestionSet, match="two questions"):
        read_set(write(tmp_path / "twice.jsonl", twice, twice))
    with pytest.raises(BadQuestionSet, match="no questions"):
        read_set(write(tmp_path / "empty.jsonl"))
    (tmp_path / "broken.jsonl").write_text("{")
    with pytest.raises(BadQuestionSet, match="line 1"):
        read_set(tmp_path / "broken.jsonl")
    with pytest.raises(BadQuestionSet, match="is no question set"):
        read_set(tmp_path / "nowhere")


def test_collections_in_forms_of_their_own(tmp_path):
    """Of pages, of clauses and of answers, each recognised by what its folder holds."""
    pages = tmp_path / "pages"
    (pages / "pdf").mkdir(parents=True)
    (pages / "pdf" / "a.pdf").write_bytes(b"%PDF-")
    write(
        pages / "questions.jsonl",
        {"id": "1", "question": "Why?", "citations": [{"file": "a.pdf", "page": 7}], "answerable": True},
        {"id": "2", "question": "Who?", "citations": [], "answerable": False},
    )
    found = read_set(pages)
    assert found.questions[0].places == (AnswerPlace("a.pdf", 7, 8),), "of its page or the next"
    assert not found.questions[1].answerable
    assert found.questions[0].labels == ()

    clauses = tmp_path / "clauses"
    (clauses / "pdf").mkdir(parents=True)
    write(clauses / "documents.jsonl", {"doc": "A", "pdf": "pdf/A.pdf"})
    evidence = [
        {"text": "no assignment", "txt_start": 0, "txt_end": 13, "pdf_pages": [2, 3]},
        {"text": "nor change of control", "txt_start": 20, "txt_end": 41, "pdf_pages": None},
    ]
    write(
        clauses / "questions.jsonl",
        {"id": "A::1", "doc": "A", "question": "Assignable?", "answerable": True, "evidence": evidence},
        {"id": "A::2", "doc": "A", "question": "Capped?", "answerable": False, "evidence": []},
    )
    found = read_set(clauses)
    assert found.questions[0].places == (
        AnswerPlace("A.pdf", 2, 3, "no assignment"),
        AnswerPlace("A.pdf", quote="nor change of control"),
    )
    assert found.questions[0].files == ("A.pdf",)
    assert not found.questions[1].answerable

    answers = tmp_path / "answers"
    (answers / "docs" / "team").mkdir(parents=True)
    (answers / "docs" / "team" / "values.md").write_text("We value candour and patience above speed.")
    (answers / "docs" / "other.md").write_text("We value lunch.")
    write(answers / "questions_kite.jsonl", {"id": "1", "question": "What counts?", "answer": "Candour and patience."})
    assert read_set(answers).questions[0].places == (AnswerPlace("team › values.md"),)


def test_an_answer_is_looked_for_in_one_place_of_a_text():
    """A long text that holds its words here and there is not where it stands."""
    scattered = " ".join(["candour", *["filler"] * 900, "patience", *["filler"] * 900, "speed"])
    found = find_nearest_texts(
        ["candour patience speed"], {"long": scattered, "short": "candour, patience, speed", "none": "x"}
    )
    assert found == [["short"]]


def test_a_sample_is_the_same_whatever_the_order(tmp_path):
    lines = [{"id": str(n), "question": f"Why {n}?", "places": [{"file": "a"}]} for n in range(30)]
    there, back = read_set(write(tmp_path / "a.jsonl", *lines)), read_set(write(tmp_path / "b.jsonl", *lines[::-1]))
    assert {q.id for q in there.sample(7).questions} == {q.id for q in back.sample(7).questions}
    assert len(there.sample(7).questions) == 7
    assert there.sample(30).whole
    assert not there.sample(7).whole
