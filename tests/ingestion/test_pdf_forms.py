"""What is filled into a PDF form is read: of every kind of field, with its name, at its place."""

from pathlib import Path

import pytest

from ingestion.documents import Extraction
from tests.ingestion.extracted import read, texts
from tests.ingestion.pdfs import assembled

SENTENCE = "The quay is closed."
FIRST = 6  # number of the first field
TICK = b"/AP << /N << /%s 5 0 R /Off 5 0 R >> >>"


def form(path: Path, *fields: bytes, on_page: int | None = None, more: bytes = b"") -> Path:
    """A page with a sentence and a form. fields: objects from number FIRST on; on_page: how many of them stand on the
    page, all where it says nothing."""
    numbers = [b"%d 0 R" % (FIRST + place) for place in range(len(fields))]
    content = b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % SENTENCE.encode()
    return assembled(
        path,
        [
            b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [%s] /NeedAppearances true %s >> >>"
            % (b" ".join(numbers), more),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [%s]"
            b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
            % b" ".join(numbers[:on_page]),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 0 >>\nstream\n\nendstream",
            *fields,
        ],
    )


def widget(said: bytes, top: int = 600) -> bytes:
    return b"<< /Type /Annot /Subtype /Widget /Rect [72 %d 172 %d] %s >>" % (top - 20, top, said)


def values(extraction: Extraction) -> list[str]:
    return [p.text for p in extraction.paragraphs if p.heading_path == ("Form fields",)]


FIELDS = {
    "text": (b"/FT /Tx /T (name) /TU (Full name) /V (Jane Harbour)", ["Full name: Jane Harbour"]),
    "without a tooltip": (b"/FT /Tx /T (form1[0].#sub[0].LastName[0]) /V (Harbour)", ["LastName: Harbour"]),
    "UTF-16": (b"/FT /Tx /T (city) /V <FEFF004D00FC006E006300680065006E>", ["city: München"]),
    "several lines": (b"/FT /Tx /Ff 4096 /T (address) /V (Quay 1\\r2000 Port)", ["address: Quay 1 2000 Port"]),
    "number": (b"/FT /Tx /T (pay) /V 98000", ["pay: 98000"]),
    "choice": (b"/FT /Ch /T (country) /V (C) /Opt [[(A) (Austria)] [(C) (Chile)]]", ["country: Chile (C)"]),
    "choices": (b"/FT /Ch /T (ports) /V [(Cork) (Bergen)] /Opt [(Cork) (Bergen) (Ostend)]", ["ports: Cork, Bergen"]),
    "tick": (b"/FT /Btn /T (night) /TU (Works at night) /V /Yes /AS /Yes " + TICK % b"Yes", ["Works at night: Yes"]),
    "radio": (b"/FT /Btn /Ff 32768 /T (shift) /V /Early /AS /Early " + TICK % b"Early", ["shift: Early"]),
    "radio by number": (b"/FT /Btn /T (shift) /AS /1 /Opt [(Early) (Late)] " + TICK % b"1", ["shift: Late"]),
    "tick without a state": (b"/FT /Btn /T (night) /V /On " + TICK % b"On", ["night: On"]),
    "signed": (b"/FT /Sig /T (sign) /V << /Type /Sig /Name (Ann Pier) /Reason (Lease) >>", ["sign: Ann Pier; Lease"]),
    "empty": (b"/FT /Tx /T (name) /TU (Full name) /V ()", []),
    "not ticked": (b"/FT /Btn /T (night) /V /Off /AS /Off " + TICK % b"Yes", []),
    "other one ticked": (b"/FT /Btn /T (shift) /V /Late /AS /Off " + TICK % b"Early", []),
    "button": (b"/FT /Btn /Ff 65536 /T (send) /V /Yes /AS /Yes", []),
}


@pytest.mark.parametrize(("said", "expected"), FIELDS.values(), ids=FIELDS)
def test_values_of_every_kind_are_read(tmp_path: Path, said: bytes, expected: list[str]) -> None:
    extraction = read(form(tmp_path / "a.pdf", widget(said)))
    assert values(extraction) == expected
    assert texts(extraction) == [SENTENCE, *expected]
    for paragraph in extraction.paragraphs[1:]:
        ((box),) = paragraph.boxes
        assert (box.page, round(box.x0), round(box.y0)) == (1, 72, 242)


def test_a_field_takes_what_stands_above_it(tmp_path: Path) -> None:
    """Two places of one field say its value each, and a field of several levels is named by the nearest."""
    above = b"<< /FT /Tx /T (person) /V (Jane Harbour) /Kids [7 0 R 8 0 R] >>"
    one, other = widget(b"/Parent 6 0 R"), widget(b"/Parent 6 0 R /T (again)", 500)
    path = form(tmp_path / "a.pdf", above, one, other)
    assert values(read(path)) == ["person: Jane Harbour", "again: Jane Harbour"]


def test_fields_that_no_page_shows_are_read_once(tmp_path: Path) -> None:
    fields = widget(b"/FT /Tx /T (name) /V (Jane)"), b"<< /FT /Tx /T (pay) /V (98,000) >>", b"<< /Kids [6 0 R 8 0 R] >>"
    extraction = read(form(tmp_path / "a.pdf", *fields, on_page=1))
    assert values(extraction) == ["name: Jane", "pay: 98,000"]
    assert [p.page for p in extraction.paragraphs] == [1, 1, None]


def test_a_form_without_any_text_is_read(tmp_path: Path) -> None:
    path = form(tmp_path / "a.pdf", widget(b"/FT /Tx /T (name) /V (Jane)"))
    path.write_bytes(path.read_bytes().replace(SENTENCE.encode(), b" " * len(SENTENCE)))
    assert texts(read(path)) == ["name: Jane"]


def test_a_field_that_stands_above_itself_costs_no_other(tmp_path: Path) -> None:
    path = form(tmp_path / "a.pdf", widget(b"/Parent 6 0 R /T (round)"), widget(b"/FT /Tx /T (name) /V (Jane)"))
    assert values(read(path)) == ["name: Jane"]
