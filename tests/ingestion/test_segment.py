"""A segment is a run of neighbours with one label, as who may read it knows them; unlabelled text is in none."""

from hypothesis import given
from hypothesis import strategies as st

from ingestion.segment import (
    Clearances,
    LabelledParagraph,
    find_headings_above,
    list_disclosed_headings,
    split_segments,
)
from ingestion.summaries import split_sentences, summarise_paragraphs

LABELS = st.sampled_from([None, 0, 1, 5, 6, 1000])
BOTH = {1000: frozenset({5, 6})}
"""The atoms of a compound."""


def paragraphs(labels: list[int | None]) -> list[LabelledParagraph]:
    return [LabelledParagraph(place, f"text {place}", label) for place, label in enumerate(labels)]


def test_neighbours_with_equal_labels_stand_together() -> None:
    found = split_segments(paragraphs([0, 0, 5, 5, 0, None, 0, None, None]))
    assert [(s.label, [p.id for p in s.paragraphs], s.places) for s in found] == [
        (0, [0, 1], (0, 1)),
        (5, [2, 3], (2, 3)),
        (0, [4, 6], (4, 6)),
    ]


def test_only_what_all_its_readers_know_of_parts_a_label() -> None:
    labels: list[int | None] = [0, 6, 0, 5, 1000, 5, 6, None, 6]
    told = split_segments(paragraphs(labels), Clearances(BOTH))
    assert [s.places for s in told] == [(0,), (1,), (2,), (3,), (4,), (5,), (6, 8)]
    hidden = split_segments(paragraphs(labels), Clearances(BOTH, frozenset({6})))
    # Who may read 6 knows of the 5 between two of it, and who may read 5 of no 6.
    assert [(s.label, s.places) for s in hidden] == [(0, (0, 2)), (6, (1,)), (5, (3, 5)), (1000, (4,)), (6, (6, 8))]


@given(st.lists(LABELS, max_size=30), st.sets(st.sampled_from([1, 5, 6])))
def test_every_labelled_paragraph_is_in_one_segment_and_no_other_is(
    labels: list[int | None], concealed: set[int]
) -> None:
    found = split_segments(paragraphs(labels), Clearances(BOTH, frozenset(concealed)))
    assert sorted(place for s in found for place in s.places) == [i for i, n in enumerate(labels) if n is not None]
    for segment in found:
        assert {p.label for p in segment.paragraphs} == {segment.label}
        assert [p.id for p in segment.paragraphs] == list(segment.places) == sorted(segment.places)
    assert [s.places[0] for s in found] == sorted(s.places[0] for s in found)


def test_the_headings_above() -> None:
    document = [
        LabelledParagraph(0, "Pay", 5, "heading"),
        LabelledParagraph(1, "Text.", 5, heading_path=("Pay",)),
        LabelledParagraph(2, "Jane", None, "heading", heading_path=("Pay",)),
        LabelledParagraph(3, "Text.", 0, heading_path=("Pay", "Jane")),
        LabelledParagraph(4, "Pay", 0, "heading"),
        LabelledParagraph(5, "Text.", 0, heading_path=("Pay",)),
        LabelledParagraph(6, "Author: Jane", 0, heading_path=("Document properties",)),
    ]
    above = find_headings_above([(p.kind, p.text, p.heading_path) for p in document])
    assert above == [(), (0,), (0,), (0, 2), (), (4,), ()]
    kinds, labels = [p.kind for p in document], [p.label for p in document]
    # The heading of the fourth has no label: to all it stands where it would without that.
    assert list_disclosed_headings(kinds, labels, above, 0, Clearances()) == {
        0: (),
        1: (0,),
        3: (0,),
        4: (),
        5: (4,),
        6: (),
    }
    hidden = list_disclosed_headings(kinds, labels, above, 0, Clearances(concealed=frozenset({5})))
    assert hidden == {3: (), 4: (), 5: (4,), 6: ()}


def test_a_summary_says_a_line_once_however_it_was_cut() -> None:
    text = "Store no. 0342 Downtown\nof 11 November\nReceipt 98765\nThe till is closed at six."
    cuts = ["Store no. 0342 Downtown of 11 November", "Store no. 0342 Downtown", "The till is closed at six."]
    assert summarise_paragraphs({0: [text]}, {0: [*cuts, "Store no. 0342 Downtown of 11 November Receipt 98765"]}) == {
        0: [cuts[0], cuts[2]]
    }


def test_a_number_is_within_its_sentence() -> None:
    assert split_sentences("Invoice no. 2291 of Mr. Hart is due. It is unpaid.") == [
        "Invoice no. 2291 of Mr. Hart is due.",
        "It is unpaid.",
    ]
    assert split_sentences("It says no! It ends.") == ["It says no!", "It ends."]
