"""Numbers, truth values and nulls may be objects of their own in a PDF (ISO 32000-1, 7.3.10), and often are: pikepdf
gives them as values of Python, which have no number and nothing in them."""

from pathlib import Path

import pytest

from entities.types import Contract
from tests.conftest import Person
from tests.ingestion.extracted import missed, read
from tests.ingestion.extracted import texts as texts_of
from tests.ingestion.helpers import ready, texts
from tests.ingestion.pdfs import added, assembled

SENTENCE = "The quay is closed for two days because of the storm."
CONTENT = b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % SENTENCE.encode()
PAY = b"(Jane earns 98,000)"
SCALARS = {
    "int": b"7", "negative": b"-7", "real": b"1.5", "true": b"true", "false": b"false", "null": b"null",
    "name": b"/Name", "string": b"(D:20260901)", "empty": b"()",
}  # fmt: skip
FREE = 12  # number of the first object that `document` leaves to a test


def document(path: Path, *more: bytes, root: bytes = b"", page: bytes = b"", trailer: bytes = b"") -> Path:
    """A page with a sentence, whose plain values are objects of their own. more: objects from number FREE on."""
    return assembled(
        path,
        [
            b"<< /Type /Catalog /Pages 2 0 R %s >>" % root,
            b"<< /Type /Pages /Kids [3 0 R] /Count 6 0 R >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 8 0 R 842] /Rotate 9 0 R /UserUnit 11 0 R /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R >> >> %s >>" % page,
            b"<< /Length 7 0 R >>\nstream\n%s\nendstream" % CONTENT,
            b"<< /Type /Font /Subtype 10 0 R /BaseFont /Helvetica >>",
            b"1",
            b"%d" % len(CONTENT),
            b"595.5",
            b"0",
            b"/Type1",
            b"1.0",
            *more,
        ],
        trailer,
    )


def test_an_upload_whose_lengths_are_objects_is_ready(alice: Person, contract: Contract, tmp_path: Path) -> None:
    file = ready(alice, contract, "a.pdf", document(tmp_path / "a.pdf").read_bytes())
    assert texts(alice, file) == [SENTENCE]
    assert alice.api.get(f"/api/files/{file}/download/").status_code == 200


@pytest.mark.parametrize("scalar", SCALARS)
def test_plain_values_that_are_objects_are_no_damage(tmp_path: Path, scalar: str) -> None:
    for root in (b"", b"/Kept %d 0 R" % FREE, b"/Kept [%d 0 R]" % FREE):
        extraction = read(document(tmp_path / "a.pdf", SCALARS[scalar], root=root))
        assert texts_of(extraction) == [SENTENCE]
        assert missed(extraction) == set()


@pytest.mark.parametrize(
    "key", ["Names", "Outlines", "OCProperties", "AcroForm", "Metadata", "PageLabels", "PieceInfo", "OpenAction"]
)
def test_a_plain_value_in_the_place_of_a_dictionary_does_not_break_the_reader(tmp_path: Path, key: str) -> None:
    for name, scalar in SCALARS.items():
        extraction = read(document(tmp_path / "a.pdf", scalar, root=b"/%s %d 0 R" % (key.encode(), FREE)))
        assert texts_of(extraction) == [SENTENCE]
        assert {code for code, _ in missed(extraction)} <= ({"damaged"} if name != "null" else set())


@pytest.mark.parametrize("scalar", SCALARS)
def test_properties_that_are_plain_values_do_not_break_the_reader(tmp_path: Path, scalar: str) -> None:
    path = document(tmp_path / "a.pdf", SCALARS[scalar], trailer=b"/Info %d 0 R" % FREE)
    before = path.read_bytes()
    assert texts_of(read(path)) == [SENTENCE]
    path.write_bytes(before)
    assert texts_of(read(added(path, {FREE + 1: b"7"}))) == [SENTENCE], "a version was added"


def test_a_property_that_is_null_is_none(tmp_path: Path) -> None:
    for value, text in ((b"null", []), (b"%d 0 R" % FREE, []), (b"(Jane)", ["Subject: Jane"])):
        properties = b"<< /Title null /Author 99 0 R /Subject %s >>" % value
        path = document(tmp_path / "a.pdf", b"null", properties, trailer=b"/Info %d 0 R" % (FREE + 1))
        assert [p.text for p in read(path).paragraphs if p.text != SENTENCE] == text


LINK = b"<< /Type /Annot /Subtype /Link /Rect [60 700 90 720] /A << /S /URI /URI (https://example.org/) >> >>"
KEPT = (FREE, FREE + 1, FREE + 2)
NOTE = b"<< /Type /Annot /Subtype /Text /Rect [60 700 90 720] /Contents %s >>" % PAY


def test_marks_that_were_taken_out_are_no_damage_and_hide_no_others(tmp_path: Path) -> None:
    """Programs that take out a mark free its object, and a reference to a free object is null (7.3.10)."""
    page = b"/Annots [null %d 0 R 99 0 R %d 0 R]" % (FREE, FREE + 1)
    for mark in (LINK, NOTE):
        extraction = read(document(tmp_path / "a.pdf", b"null", mark, page=page))
        assert missed(extraction) == set()
        assert ("https://example.org/" in extraction.text) == (mark == LINK)


def test_layers_that_were_taken_out_are_no_damage_and_hide_no_others(tmp_path: Path) -> None:
    layers = b"/OCProperties << /OCGs [null %d 0 R %d 0 R] /D << >> >>" % (FREE, FREE + 1)
    extraction = read(document(tmp_path / "a.pdf", b"null", b"<< /Type /OCG /Name %s >>" % PAY, root=layers))
    assert missed(extraction) == set()
    assert "Jane earns 98,000" in extraction.remainder


def test_values_of_an_earlier_version_are_of_the_remainder(tmp_path: Path) -> None:
    path = document(tmp_path / "a.pdf", PAY, b"7", b"/A", root=b"/Kept [%d 0 R %d 0 R %d 0 R null]" % KEPT)
    before = path.read_bytes()
    assert missed(read(added(path, {FREE + 3: b"8"}))) == set(), "nothing is lost"
    for number, now in zip(KEPT, (b"(Nothing)", b"8", b"/B"), strict=True):
        path.write_bytes(before)
        extraction = read(added(path, {number: now}))
        assert missed(extraction) == set()
        assert "Jane earns 98,000" in extraction.remainder


def test_an_earlier_property_is_read_and_no_earlier_version(tmp_path: Path) -> None:
    path = document(tmp_path / "a.pdf", b"<< /Subject %d 0 R >>" % (FREE + 1), PAY, trailer=b"/Info %d 0 R" % FREE)
    extraction = read(added(path, {FREE + 1: b"(Nothing)"}))
    assert "Jane earns 98,000" in extraction.remainder
    assert missed(extraction) == set()
