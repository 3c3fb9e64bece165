"""A segment is a run of neighbours with one label; text without a label is in none."""

from hypothesis import given
from hypothesis import strategies as st

from ingestion.segment import Labelled, heading_labels, headings_above, segments

LABELS = st.sampled_from([None, 0, 1, 5, 1000])


def paragraphs(labels: list[int | None]) -> list[Labelled]:
    return [Labelled(place, f"text {place}", label) for place, label in enumerate(labels)]


def test_neighbours_with_equal_labels_stand_together() -> None:
    found = segments(paragraphs([0, 0, 5, 5, 0, None, 0, None, None]))
    assert [(s.label, [p.id for p in s.paragraphs], s.first) for s in found] == [
        (0, [0, 1], 0),
        (5, [2, 3], 2),
        (0, [4], 4),
        (0, [6], 6),
    ]


@given(st.lists(LABELS, max_size=30))
def test_every_labelled_paragraph_is_in_one_segment_and_no_other_is(labels: list[int | None]) -> None:
    found = segments(paragraphs(labels))
    assert [p.id for s in found for p in s.paragraphs] == [i for i, label in enumerate(labels) if label is not None]
    for segment in found:
        assert {p.label for p in segment.paragraphs} == {segment.label}
        assert [p.id for p in segment.paragraphs] == list(range(segment.first, segment.first + len(segment.paragraphs)))


def test_the_labels_of_the_headings_above() -> None:
    document = [
        Labelled(0, "Pay", 5, "heading"),
        Labelled(1, "Text.", 5, heading_path=("Pay",)),
        Labelled(2, "Jane", None, "heading", heading_path=("Pay",)),
        Labelled(3, "Text.", 0, heading_path=("Pay", "Jane")),
        Labelled(4, "Pay", 0, "heading"),
        Labelled(5, "Text.", 0, heading_path=("Pay",)),
        Labelled(6, "Author: Jane", 0, heading_path=("Document properties",)),
    ]
    assert heading_labels(document) == [(), (5,), (5,), (5, None), (), (0,), (None,)]
    above = headings_above([(p.kind, p.text, p.heading_path) for p in document])
    assert above == [(), (0,), (0,), (0, 2), (), (4,), ()]
