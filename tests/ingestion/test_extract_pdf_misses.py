"""What a PDF holds beside its text is named, with its page; a bad page costs no other."""

import zlib
from pathlib import Path

import pikepdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from ingestion.sandbox import Limits
from tests.ingestion.extracted import missed, read, report, texts, the
from tests.ingestion.pdfs import HEIGHT, LOREM, added, changed, draw, picture, prose


def test_what_is_not_text_is_named_with_its_page(tmp_path: Path) -> None:
    def with_picture(canvas: Canvas) -> None:
        prose(canvas, 60, 90, 470, LOREM)
        picture(canvas, 60, 300, 300, 200)

    def scan(canvas: Canvas) -> None:
        picture(canvas, 0, 0, 595, 842, shade=50)

    def with_icon(canvas: Canvas) -> None:
        prose(canvas, 60, 90, 470, LOREM)
        picture(canvas, 60, 300, 20, 20, shade=90)

    def with_link(canvas: Canvas) -> None:
        prose(canvas, 60, 90, 470, LOREM)
        canvas.linkURL("https://example.org", (60, 700, 200, 720))

    def with_note(canvas: Canvas) -> None:
        prose(canvas, 60, 90, 470, LOREM)
        canvas.textAnnotation("Jane earns 98,000", Rect=[100, 100, 200, 200])

    def with_field(canvas: Canvas) -> None:
        prose(canvas, 60, 90, 470, LOREM)
        canvas.acroForm.textfield(name="pay", value="98,000", x=60, y=300)

    path = draw(
        tmp_path / "a.pdf", with_picture, scan, with_icon, with_link, with_note, with_field, lambda canvas: None
    )
    extraction = read(path)
    assert missed(extraction) - {("unexplained_ink", 1), ("unexplained_ink", 2)} == {("image", 1), ("no_text_layer", 2)}
    found = {(p.page, p.heading_path) for p in extraction.paragraphs if "98,000" in p.text}
    assert found == {(5, ("Comments",)), (6, ("Form fields",))}


def test_a_scan_with_its_text_behind_it_is_accounted_for(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        picture(canvas, 0, 0, 595, 842)
        text = canvas.beginText(60, HEIGHT - 100)
        text.setFont("Helvetica", 10)
        text.setTextRenderMode(3)
        text.textLine("Recognised words of a page that was scanned in.")
        canvas.drawText(text)

    extraction = read(draw(tmp_path / "a.pdf", page))
    assert texts(extraction) == ["Recognised words of a page that was scanned in."]
    assert missed(extraction) == set()


def attach(pdf: pikepdf.Pdf) -> None:
    pdf.attachments["pay.csv"] = b"jane,98000"


def script(pdf: pikepdf.Pdf) -> None:
    pdf.Root.OpenAction = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS="app.alert(1)")


def test_attached_files_are_named_and_programs_are_of_the_remainder(tmp_path: Path) -> None:
    assert missed(read(changed(draw(tmp_path / "a.pdf", report), attach))) == {("attachment", None)}
    extraction = read(changed(draw(tmp_path / "b.pdf", report), script))
    assert missed(extraction) == set()
    assert any("app." in text or "(" in text for text in extraction.remainder)


@pytest.mark.parametrize("change", ["contents", "page", "mark"])
def test_an_earlier_version_inside_the_file_is_of_the_remainder(tmp_path: Path, change: str) -> None:
    path = draw(tmp_path / "a.pdf", report, pageCompression=0)
    with pikepdf.open(path) as pdf:
        page, old = pdf.pages[0].obj, pdf.pages[0].Contents.objgen[0]
        number, new = page.objgen[0], int(pdf.trailer.Size)
        written = b"BT /F1 10 Tf 60 700 Td (Nothing to see.) Tj ET"
        stream = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(written), written)
        described = page.unparse(resolved=True)
    if change == "contents":
        added(path, {old: stream})
    elif change == "page":
        added(path, {number: described.replace(b"/Contents %d 0 R" % old, b"/Contents %d 0 R" % new), new: stream})
    else:  # as a program that signs does: the page says all that it said
        mark = b"/Annots [ << /Type /Annot /Subtype /Link /Rect [ 0 0 9 9 ] >> ] /Contents"
        added(path, {number: described.replace(b"/Contents", mark)})
    extraction = read(path)
    assert missed(extraction) == set()
    assert ("Jane" in extraction.text) == (change == "mark")
    assert any("Jane" in text for text in extraction.remainder) == (change != "mark")


def test_properties_are_text_unless_the_pages_say_the_same(tmp_path: Path) -> None:
    def named(title: str):
        def content(canvas: Canvas) -> None:
            canvas.setTitle(title)
            report(canvas)

        return content

    said = the(read(draw(tmp_path / "a.pdf", named("Severance of John"))), "Title:")
    assert said.text == "Title: Severance of John"
    assert said.page is None
    assert not [t for t in texts(read(draw(tmp_path / "b.pdf", named("Annual report")))) if t.startswith("Title")]


def test_a_property_of_damaged_letters_harms_nothing(tmp_path: Path) -> None:
    path = draw(tmp_path / "a.pdf", report)
    content = path.read_bytes()
    assert b"/Subject (unspecified)" in content
    path.write_bytes(content.replace(b"/Subject (unspecified)", b"/Sub\xc5ject (about pay)"))
    assert "about pay" in read(path).remainder


BEHIND = b" The salary of Mara Quill."


@pytest.mark.parametrize(
    ("between", "packing", "code", "is_read"),
    [
        (b"A word. " * 100, "Flate", None, True),
        (b"A word. " * 10_000, "Flate", "unknown_part", False),
        (b"A word. " * (17 << 17), "Flate", "unknown_part", False),
        (bytes(range(256)) * 8_000, "Flate Flate", "unknown_part", False),
        (b"A word. " * 100, "ASCIIHex Flate", None, True),
        (b"", "ASCIIHex", None, True),
        (zlib.compress(b"Mara Quill earns 98,000."), "Flate", "unknown_part", True),
    ],
    ids=["1 kB", "80 kB", "17 MB", "packed twice", "packed as letters", "letters", "packed itself"],
)
def test_what_stands_behind_the_end_of_packed_data_is_read_or_on_record(
    tmp_path: Path, between: bytes, packing: str, code: str | None, is_read: bool
) -> None:
    content = b"BT /F1 12 Tf 72 700 Td (The quay was closed.) Tj ET"
    for number, name in enumerate(reversed(packing.split())):
        content = zlib.compress(content) if name == "Flate" else content.hex().encode() + b">"
        content += between + BEHIND if number == 0 else b""
    with pikepdf.open(draw(tmp_path / "a.pdf", report)) as pdf:
        stream = pdf.make_stream(b"")
        stream.write(content, filter=pikepdf.Array([pikepdf.Name(f"/{name}Decode") for name in packing.split()]))
        pdf.pages[0].Contents = stream
        as_it_is = {"stream_decode_level": pikepdf.StreamDecodeLevel.none, "compress_streams": False}
        pdf.save(tmp_path / "b.pdf", **as_it_is)
    extraction = read(tmp_path / "b.pdf")
    assert missed(extraction) == ({(code, None)} if code else set())
    assert ("Mara Quill" in " ".join(extraction.remainder)) is is_read


def test_one_bad_page_does_not_cost_the_others(tmp_path: Path) -> None:
    path = draw(tmp_path / "a.pdf", *[report] * 3)

    def spoil(pdf: pikepdf.Pdf) -> None:
        stream, odd = pikepdf.Stream(pdf, b""), pikepdf.Stream(pdf, b"")
        stream.write(b"\x78\x9cthis is not what it says", filter=pikepdf.Name.FlateDecode)
        odd.write(b"Jane earns 98,000.", filter=pikepdf.Name.FlateDecode)
        pdf.pages[1].Contents, pdf.Root.Odd = pdf.make_indirect(stream), pdf.make_indirect(odd)

    changed(path, spoil)
    extraction = read(path)
    assert {("page_failed", 2), ("damaged_part", None)} <= missed(extraction)
    assert {p.page for p in extraction.paragraphs} == {1, 3}


def test_a_page_that_breaks_the_reader_is_left_out(tmp_path: Path) -> None:
    path = draw(tmp_path / "a.pdf", *[report] * 3)

    def overload(pdf: pikepdf.Pdf) -> None:
        pdf.pages[1].Contents = pdf.make_stream(b"0 0 m 9 9 l S\n" * 1_500_000)

    extraction = read(changed(path, overload), limits=Limits(memory_bytes=192 << 20))
    assert ("page_failed", 2) in missed(extraction)
    assert {p.page for p in extraction.paragraphs} == {1, 3}
