"""Strings of a PDF's syntax: each is read, whatever stands before it, and none is read twice."""

import pytest

from ingestion.extract.pdf_object_offsets import cut_streams
from ingestion.extract.pdf_strings import list_content_strings, list_syntax_strings


@pytest.mark.parametrize(
    ("syntax", "found"),
    [
        (b"<< /Title (Jane earns 98,000) >>", ["Jane earns 98,000"]),
        (b"(a (b (c) d) e \\) f)", ["a (b (c) d) e ) f"]),
        (b"<<4A616E65206561726E73>>", []),  # a dictionary, not a string
        (b"<4A61 6E65 20 6561726E73>", ["Jane earns"]),
        (b"/Jane#20Smith-1234567 /Font /F1", ["Jane Smith-1234567"]),
        (b"(one is not closed (Jane earns 98,000)", ["Jane earns 98,000"]),
        (b"(not closed" + 2_000 * b" word", []),
    ],
)
def test_strings_and_names_are_read(syntax: bytes, found: list[str]) -> None:
    assert list(list_syntax_strings(syntax, set())) == found


def test_what_was_read_is_left_out_and_what_is_new_is_not() -> None:
    known: set[bytes] = set()
    assert list(list_syntax_strings(b"/A (Jane earns 98,000)", known)) == ["Jane earns 98,000"]
    assert list(list_syntax_strings(b"/A (Jane earns 98,000) (Jane earns 99,000)", known)) == ["Jane earns 99,000"]


def test_long_strings_are_not_remembered() -> None:
    known: set[bytes] = set()
    list(list_syntax_strings(b"(%s)" % (b"Jane " * 1_000), known))
    assert not known


def test_strings_beside_the_data_of_a_picture_that_is_written_into_a_page_are_read() -> None:
    content = b"q BI /W 1 /H 1 /Note (the bid is low) ID \x00\xff EI Q"
    assert "the bid is low" in list(list_content_strings(content, set()))


def test_text_that_is_drawn_is_no_string_of_a_content() -> None:
    content = b"BT [(Ja) -20 (ne)] TJ (earns) Tj <41> Tj ET /Span << /ActualText (98,000 a year) >> BDC"
    assert list(list_content_strings(content, set())) == ["98,000 a year"]


@pytest.mark.parametrize(
    ("content", "rest"),
    [
        (b"1 0 obj << >> stream\r\n(a)endstream endobj (b)", b"1 0 obj << >> stream endstream endobj (b)"),
        (b"stream\n(a)endstream (b) stream\n(c)endstream", b"stream endstream (b) stream endstream"),
        (b"a stream\n(a) without an end", b"a stream\n(a) without an end"),
        (b"upstream\n(a)endstream", b"upstream\n(a)endstream"),
        (b"stream (a)endstream", b"stream (a)endstream"),
        (b"stream\n" * 100_000, b"stream\n" * 100_000),  # each asks how far it goes, and no search is made twice
    ],
)
def test_streams_are_cut_out_and_nothing_else(content: bytes, rest: bytes) -> None:
    assert cut_streams(content)[0] == rest
