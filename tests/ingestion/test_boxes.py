"""Boxes of words, packed: what goes into either form comes out again, and what is no form is refused."""

import pytest

from ingestion.boxes import WIRE, Box, Boxes

WORDS = (
    Box(1, 10.0, 20.5, 41.3, 30.0, 0, 5),
    Box(1, 44.0, 20.5, 80.1, 30.0, 6, 12),
    Box(2, 5.0, 7.1, 9.9, 8.0, 13, 20),
)


@pytest.mark.parametrize("form", [Boxes.to_json, Boxes.to_wire])
def test_boxes_come_back_from_either_form(form):
    assert Boxes.from_json(form(Boxes(WORDS))) == WORDS
    assert Boxes.from_json(form(Boxes())) == ()


@pytest.mark.parametrize(
    "said", ["1 2 3", "x", WIRE + "AAAA", WIRE + "not base64!", WIRE + "AAAAAAAA", "99999999999 0 0 0 0 0 0"]
)
def test_what_is_no_boxes_is_refused(said):
    with pytest.raises(ValueError):
        Boxes.from_json(said)


def test_a_part_of_a_text_keeps_its_boxes_and_counts_from_its_own_start():
    assert Boxes(WORDS).part(6, 15) == (
        Box(1, 44.0, 20.5, 80.1, 30.0, 0, 6),
        Box(2, 5.0, 7.1, 9.9, 8.0, 7, 9),
    )
    assert Boxes(WORDS).part(20, 30) == ()
