"""Markers in streamed text. Whatever way the text is cut, the same comes out."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.citation_stream import MARKER, UNFINISHED, CitationStream, normalise_citations

KNOWN = {1, 2, 3, 12}
SRC = {"a1b2c3d4": 3}


def whole(text: str):
    return normalise_citations(text, KNOWN.__contains__, SRC.get)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("The cap is 5 [1].", "The cap is 5 [citation:1]."),
        ("Both [1][2] say so.", "Both [citation:1][citation:2] say so."),
        ("Both [1, 2] say so.", "Both [citation:1][citation:2] say so."),
        ("All [1-3] say so.", "All [citation:1][citation:2][citation:3] say so."),
        ("All [ 1 – 2; citation:12 ] say so.", "All [citation:1][citation:2][citation:12] say so."),
        ("Said [citation:1-citation:2].", "Said [citation:1][citation:2]."),
        ("Said [citation:12] once.", "Said [citation:12] once."),
        ("Said [src:a1b2c3d4] once.", "Said [citation:3] once."),
        ("Said [SRC:A1B2C3D4] once.", "Said [citation:3] once."),
    ],
)
def test_known_markers_take_one_form(written, shown):
    assert whole(written).text == shown
    assert whole(written).dropped == 0


@pytest.mark.parametrize(
    ("written", "shown", "dropped"),
    [
        ("The cap is 5 [9].", "The cap is 5.", 1),
        ("The cap [9] is 5.", "The cap is 5.", 1),
        ("The cap is 5 [9]\nNext", "The cap is 5\nNext", 1),
        ("The cap is 5 [1, 9].", "The cap is 5 [citation:1].", 1),
        ("The cap is 5 [2-5].", "The cap is 5 [citation:2][citation:3].", 2),
        ("The cap is 5 [7–9].", "The cap is 5.", 3),
        ("The cap is 5 [src:00000000] [8] [7].", "The cap is 5.", 3),
        ("[citation:9]", "", 1),
    ],
)
def test_invented_markers_are_dropped_and_counted(written, shown, dropped):
    assert (whole(written).text, whole(written).dropped) == (shown, dropped)


@pytest.mark.parametrize(
    "code",
    [
        "Use `a[1]` and ``b ` [9]`` here.",
        "```python\nx = a[1]\ny = a[9]\n```\n",
        "~~~\n[1]\n~~~\n",
        "Text.\n\n    x = a[9]\n    y = a[1]\n",
        "An escaped \\[1] bracket.",
        "1. Item:\n   ```\n   a[9]\n   ```\n",
    ],
)
def test_code_is_left_alone(code):
    assert whole(code) == type(whole(code))(code, (), 0)


def test_text_after_code_is_normalised_again():
    assert whole("```\na[9]\n```\nSo [1].").text == "```\na[9]\n```\nSo [citation:1]."
    assert whole("Use `a[1]`. So [9] it is [1].").text == "Use `a[1]`. So it is [citation:1]."


def test_a_backtick_without_its_twin_is_text():
    assert whole("A ` tick [9] and [1].\n\nNext `x`.").text == "A ` tick and [citation:1].\n\nNext `x`."


def test_list_items_are_not_code():
    assert whole("- one\n\n    still one [1]\n").text == "- one\n\n    still one [citation:1]\n"


def test_what_a_drop_leaves_does_not_close_up_into_a_marker():
    assert not re.search(r"\[(?:citation:)?\d+\]", whole("[cita[9]tion:7]").text)
    assert not re.search(r"\[(?:citation:)?\d+\]", whole("[1[9]2]").text)
    assert whole(whole("[1[9]-3]").text).cited == ()


def test_brackets_that_are_no_markers_stay():
    text = "An [aside], a [link](https://example.org), [^1], [ ] and [x], in [2019-2021], [3-1] and [1-300]."
    assert whole(text).text == text


def test_holds_back_only_what_may_become_a_marker():
    stream = CitationStream(KNOWN.__contains__)
    assert stream.feed("The cap is 5 [cit") == "The cap is 5"
    assert stream.feed("ation:") == ""
    assert stream.feed("1] and") == " [citation:1] and"
    assert stream.close() == ""


def test_numbers_given_out_meanwhile_count():
    known = {1}
    stream = CitationStream(known.__contains__)
    stream.feed("First [1]. ")
    known.add(2)
    assert stream.feed("Then [2]") + stream.close() == " Then [citation:2]"


PIECES = st.sampled_from(
    [
        "[1]", "[9]", "[citation:2]", "[citation:77]", "[src:a1b2c3d4]", "[src:ffffffff]", "[1, 2]", "[", "]", "[cit",
        "`", "``", "```", "~~~", "\n", "\n\n", " ", "  ", "    ", "\t", "word", "Cap", ".", ",", "- ", "1. ", "> ",
        "\\", "[1](u)", "```py\n", "x = a[1]", "1", "12]", ":", "src:", "citation:",
        "[1-3]", "[2–", "-", "–3]",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@given(text=TEXTS, cuts=st.lists(st.integers(0, 200), max_size=30))
def test_the_same_however_it_is_cut(text, cuts):
    expected = whole(text)
    stream = CitationStream(KNOWN.__contains__, SRC.get)
    bounds = sorted({0, len(text), *(c for c in cuts if c < len(text))})
    shown = "".join(stream.feed(text[a:b]) for a, b in zip(bounds, bounds[1:], strict=False)) + stream.close()
    assert (shown, tuple(stream.cited), stream.dropped) == (expected.text, expected.cited, expected.dropped)


@given(text=TEXTS)
def test_the_same_letter_by_letter(text):
    stream = CitationStream(KNOWN.__contains__, SRC.get)
    shown = "".join(stream.feed(letter) for letter in text) + stream.close()
    assert shown == whole(text).text


@given(text=TEXTS)
def test_nothing_but_markers_and_blanks_is_lost(text):
    kept = re.sub(r"\s", "", MARKER.sub("", text))
    shown = re.sub(r"\s", "", MARKER.sub("", whole(text).text))
    assert shown == kept


@given(marker=st.from_regex(MARKER, fullmatch=True), size=st.integers(0, 600))
def test_every_beginning_of_a_marker_is_held_back(marker, size):
    beginning = marker[: min(size, len(marker) - 1)]
    assert not beginning or UNFINISHED.fullmatch(beginning)
