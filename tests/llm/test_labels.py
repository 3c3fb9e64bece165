"""What a model says about labels is checked; what is not certain is missing."""

from dataclasses import replace
from decimal import Decimal

import pytest

from llm.labels import is_cut, read_labels
from llm.messages import Reply, ToolUse, Usage


def reply(paragraphs, summaries=()):
    use = ToolUse("t", "record_labels", {"paragraphs": paragraphs, "summaries": list(summaries)})
    return Reply("", (use,), "tool_use", Usage(cost=Decimal(0)), "m", False)


def said(n, labels):
    return {"n": n, "labels": labels, "confidence": 0.9, "reason": "x"}


def test_labels_and_summaries_are_read():
    window = read_labels(
        reply([said(0, [0]), said(1, [5, 3])], [{"labels": [3, 5], "summary": "Pay for ⟦30⟧ days."}]),
        count=2,
        levels={3, 5},
    )
    assert window.paragraphs[0].atoms == frozenset()
    assert window.paragraphs[1].atoms == {3, 5}
    assert window.missing == frozenset()
    assert window.summaries == {frozenset({3, 5}): "Pay for (30) days."}


@pytest.mark.parametrize(
    "paragraphs",
    [
        [said(0, [0])],  # left out
        [said(0, [0]), said(1, [9])],  # a level that does not exist
        [said(0, [0]), said(1, [3]), said(1, [])],  # contradicts itself
        [said(0, [0]), said(1, "3")],
        [said(0, [0]), said(1, [True])],
        [said(0, [0]), {"n": 1}],
        [said(0, [0]), said("1", [0]), said(5, [0])],
    ],
)
def test_a_paragraph_without_a_certain_answer_is_missing(paragraphs):
    assert read_labels(reply(paragraphs), count=2, levels={3}).missing == {1}


@pytest.mark.parametrize("odd", [None, "no", {"n": 0}, [None, 3]])
def test_an_answer_of_another_shape_leaves_everything_missing(odd):
    assert read_labels(reply(odd), count=2, levels={3}).missing == {0, 1}


def in_words(text):
    return Reply(text, (), "end_turn", Usage(cost=Decimal(0)), "m", False)


ANSWER = '{"paragraphs": [{"n": 0, "labels": [3], "confidence": 0.5, "reason": "x"}], "summaries": []}'


@pytest.mark.parametrize(
    "text", [ANSWER, f"```json\n{ANSWER}\n```", f"Here you are:\n{ANSWER}\nDone.", f"<think>{{[3]}}</think>{ANSWER}"]
)
def test_labels_are_read_in_json(text):
    window = read_labels(in_words(text), count=1, levels={3}, as_json=True)
    assert window.paragraphs[0].atoms == {3}
    assert window.missing == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Public.",
        ANSWER[:-3],
        ANSWER + ANSWER,
        f"[{ANSWER}, 1]x}}",
        "{" * 100_000,
        '{"paragraphs": ' + "[" * 100_000 + "]" * 100_000 + "}",
        ANSWER.replace("[3]", "[9]"),
        ANSWER.replace("0.5", "1e999, 2"),
        ANSWER.replace("[3]", '[3], "labels": [0]'),
        ANSWER.replace('"summaries"', '"paragraphs": [{"n": 0, "labels": [0]}], "summaries"'),
    ],
)
def test_of_what_is_no_json_nothing_is_believed(text):
    assert read_labels(in_words(text), count=1, levels={3}, as_json=True).missing == {0}


def test_text_is_no_answer_where_a_tool_was_asked_for():
    assert read_labels(in_words(ANSWER), count=1, levels={3}).missing == {0}


@pytest.mark.parametrize(
    ("given", "cached", "cut"),
    [(0, 0, False), (1, 0, True), (8_000, 3_000, True), (11_800, 0, False), (1_000, 10_800, False)],
)
def test_a_server_that_counts_too_few_tokens_has_cut_the_prompt(given, cached, cut):
    answer = replace(in_words(ANSWER), usage=Usage(given, 9, cached))
    assert is_cut(answer, ["The cap is high.", "Two million and 40 of it. " * 3_000]) is cut


def test_blanks_to_fill_in_are_few_tokens():
    assert not is_cut(replace(in_words(ANSWER), usage=Usage(8)), ["Name: " + "_" * 900 + " Street: " + "." * 900])


@pytest.mark.parametrize(
    ("odd", "sure"), [(10**400, 1.0), (-1, 0.0), (float("nan"), 0.0), (float("inf"), 1.0), ("1", 0)]
)
def test_confidence_is_between_nothing_and_one(odd, sure):
    window = read_labels(reply([{"n": 0, "labels": [0], "confidence": odd, "reason": ""}]), count=1, levels={3})
    assert window.paragraphs[0].confidence == sure
