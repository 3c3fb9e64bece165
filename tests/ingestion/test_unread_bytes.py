"""What is not text in a file has a digest: another where its bytes change, and the same where only the text does."""

import io
from base64 import b64encode
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from pathlib import Path

import pikepdf
import pytest

from ingestion.documents import Extraction, UnreadContent
from ingestion.extract.inside import extract
from ingestion.extract.unread_bytes import digest_unread_of_pdf
from tests.ingestion.pdfs import added, assembled
from tests.ingestion.places.packages import FILES, packed


def document(text: str, unread: bytes) -> bytes:
    parts = {name: part if isinstance(part, bytes) else part.encode() for name, part in FILES["docx"].items()}
    parts["word/document.xml"] = parts["word/document.xml"].replace(b"quay", text.encode())
    return packed({**parts, "word/embeddings/sound.bin": unread})


def page(text: str, unread: bytes) -> bytes:
    return f"<!DOCTYPE html><p>{text}</p><audio src='data:audio/mpeg;base64,{b64encode(unread).decode()}'>".encode()


def message(text: str, unread: bytes) -> bytes:
    made = EmailMessage()
    made["Message-ID"] = "<1@firm.example>"
    made.set_content(text)
    made.add_attachment(unread, maintype="image", subtype="jpeg", disposition="inline", cid="<a>")
    made.set_boundary("part")
    return made.as_bytes()


def pdf(text: str, unread: bytes) -> bytes:
    out = io.BytesIO()
    with pikepdf.new() as made:
        made.add_blank_page()
        font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
        made.pages[0].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        made.pages[0].Contents = made.make_stream(f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode())
        sound = pikepdf.AttachedFileSpec(made, unread, filename="sound.bin")  # type: ignore[call-arg]
        made.attachments["sound.bin"] = sound
        made.save(out)
    return out.getvalue()


def scan(text: str, unread: bytes) -> bytes:
    """Text on the first page, and a picture that nothing reads on the second."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf(text, b""))) as made:
        del made.attachments["sound.bin"]
        del made.Root["/Names"]
        picture = made.make_stream(unread.ljust(200 * 200, b"\x55"), Subtype=pikepdf.Name.Image, Width=200, Height=200)
        picture.BitsPerComponent, picture.ColorSpace = 8, pikepdf.Name.DeviceGray
        made.add_blank_page()
        made.pages[1].Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(P=picture))
        made.pages[1].Contents = made.make_stream(b"q 300 0 0 300 72 72 cm /P Do Q")
        made.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "make"),
    [("a.docx", document), ("a.html", page), ("a.eml", message), ("a.pdf", pdf), ("scan.pdf", scan)],
)
def test_other_bytes_are_told_from_another_text(tmp_path: Path, name: str, make: Callable[[str, bytes], bytes]) -> None:
    def digest(text: str, unread: bytes) -> str:
        (tmp_path / name).write_bytes(make(text, unread))
        return extract(tmp_path / name, name).unread

    first = digest("The quay is closed.", b"\0\1\2 sound")
    assert first
    # Of a PDF with parts that are not known any byte may be one of theirs.
    assert (digest("It is open again.", b"\0\1\2 sound") == first) is (name != "a.pdf")
    assert digest("The quay is closed.", b"\0\1\3 sound") != first


def test_where_all_is_read_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"<!DOCTYPE html><p>The quay is closed.</p>")
    assert extract(tmp_path / "a.html", "a.html").unread == ""


DRAWS_PICTURE, DRAWS_STROKES = b"q 300 0 0 300 72 72 cm /P Do Q", b"0 0 m 300 %d l 9 w S"
PIXELS, OTHER_PIXELS = b"\x55" * 40_000, b"\x56" * 40_000
GREY = b"/Subtype /Image /Width 200 /Height 200 /BitsPerComponent 8 /ColorSpace /DeviceGray"
PALETTE = GREY.replace(b"/DeviceGray", b"9 0 R")
COLOURS = b"[/Indexed /DeviceRGB 255 10 0 R]"
MASKED = GREY + b" /SMask 9 0 R"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << %s >> /Contents %s >>"
FONTS = b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
ABOVE, FROM_ABOVE = (
    b"0 2000 m 300 %d l 9 w S",
    b"q 1 0 0 1 0 -2000 cm /P Do Q",
)  # ink that the first page has no place for
OF_BOTH = {3: PAGE % (FONTS, b"[5 0 R 8 0 R]")}
TALL = b"/Subtype /Form /BBox [0 0 600 3000]"
FORM = b"/Type /Metadata /Subtype /Form /BBox [0 0 600 800]"


def stream(head: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (head, len(content), content)


def sheets(
    path: Path,
    drawn: bytes,
    more: Mapping[int, bytes],
    text: bytes = b"The quay is closed.",
    before: bytes = b"",
) -> Path:
    """Text on the first page; on the second what `drawn` shows, with the picture that is object 8. before: bytes in
    front of the objects."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>",
        3: PAGE % (FONTS, b"5 0 R"),
        4: PAGE % (b"/XObject << /P 8 0 R >>", b"6 0 R"),
        5: stream(b"", b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % text),
        6: drawn,
    }
    objects |= more
    return assembled(path, [objects.get(number, b"null") for number in range(1, 11)], before=before)


def read(path: Path) -> Extraction:
    return extract(path, path.name)


@pytest.mark.parametrize(
    ("drawn", "more", "change"),
    [
        (stream(b"/Type /B\xffCD", DRAWS_STROKES % 300), {}, {6: stream(b"/Type /B\xffCD", DRAWS_STROKES % 301)}),
        (None, {8: stream(b"/Type /Metadata " + GREY, PIXELS)}, {8: stream(b"/Type /Metadata " + GREY, OTHER_PIXELS)}),
        (None, {8: stream(FORM, DRAWS_STROKES % 300)}, {8: stream(FORM, DRAWS_STROKES % 301)}),
        (None, {8: stream(GREY, PIXELS)}, {8: stream(GREY + b" /Decode [1 0]", PIXELS)}),
        (None, {8: stream(PALETTE, PIXELS), 9: COLOURS, 10: b"<%s>" % (b"ff" * 768)}, {10: b"<%s>" % (b"0f" * 768)}),
        (None, {8: stream(MASKED, PIXELS), 9: stream(GREY, PIXELS)}, {9: stream(GREY + b" /Decode [1 0]", PIXELS)}),
        (stream(b"", FROM_ABOVE), OF_BOTH | {8: stream(TALL, ABOVE % 2300)}, {8: stream(TALL, ABOVE % 2301)}),
    ],
    ids=[
        "name that is no text",
        "picture as metadata",
        "drawing as metadata",
        "decoding",
        "colours",
        "mask",
        "content",
    ],
)
def test_what_a_page_shows_counts_whatever_its_dictionary_says(
    tmp_path: Path, drawn: bytes | None, more: dict[int, bytes], change: dict[int, bytes]
) -> None:
    """The twin: the same beside another text, and written again with other numbers for its objects."""
    path, drawn = tmp_path / "a.pdf", drawn or stream(b"", DRAWS_PICTURE)
    first = read(sheets(path, drawn, more))
    assert first.unread
    again = read(sheets(path, drawn, more, b"It is open again."))
    assert {(missed.code, missed.page) for missed in again.unaccounted} == {
        (missed.code, missed.page) for missed in first.unaccounted
    }
    assert read(sheets(path, drawn, more | change)).unread != first.unread
    if any(missed.code == "damaged_part" for missed in first.unaccounted):
        return  # all bytes of the file count
    assert again.unread == first.unread
    with pikepdf.open(sheets(path, drawn, more), allow_overwriting_input=True) as pdf:
        pdf.save(path, compress_streams=False, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    assert read(path).unread == first.unread


def test_all_bytes_count_where_a_stream_refers_to_itself(tmp_path: Path) -> None:
    circle, head = {9: b"[9 0 R]"}, b"/Width 1 /Next 9 0 R"
    digests = {
        read(sheets(tmp_path / "a.pdf", stream(head, DRAWS_STROKES % width), circle, text)).unread
        for width in (300, 301)
        for text in (b"The quay is closed.", b"It is open again.")
    }
    assert len(digests) == 4


def test_a_picture_of_an_earlier_version_is_on_record(tmp_path: Path) -> None:
    """Its number is given to another, or to nothing. The twin: a later version that leaves it where it is."""
    digests = set()
    new_text = {5: stream(b"", b"BT /F1 12 Tf 72 700 Td (It is open again.) Tj ET")}
    no_picture = {8: b"null", 6: stream(b"", b"BT /F1 12 Tf 72 700 Td (Nothing is here.) Tj ET")}
    for pixels in (PIXELS, OTHER_PIXELS):
        for later in (new_text, no_picture, {8: stream(GREY, b"\x57" * 40_000)}):
            path = sheets(tmp_path / "a.pdf", stream(b"", DRAWS_PICTURE), {8: stream(GREY, pixels)})
            found = read(added(path, later))
            codes = {missed.code for missed in found.unaccounted}
            assert ("earlier_revision" in codes) is (later is not new_text), codes
            digests.add(found.unread)
        inline = b"q 300 0 0 300 72 72 cm BI /W 200 /H 200 /BPC 8 /CS /G ID %s EI Q" % pixels
        in_a_row = {4: PAGE % (b"", b"[6 0 R]")}
        found = read(added(sheets(tmp_path / "a.pdf", stream(b"", inline), in_a_row), no_picture))
        assert "earlier_revision" in {missed.code for missed in found.unaccounted}
        digests.add(found.unread)
    assert len(digests) == 8
    for drawn, is_lost in (
        (b"10 10 m 20 30 40 30 50. 10.\0c S\n" * 40, True),
        (b"10 10 2 2 re f\n" * 400, True),
        (b"10 10 m 20 30 l S\n" * 40, False),
    ):
        path = sheets(tmp_path / "a.pdf", stream(b"", drawn), {})
        codes = {missed.code for missed in read(added(path, {6: stream(b"", b"0 0 m 9 9 l S")})).unaccounted}
        assert ("earlier_revision" in codes) is is_lost, codes


@pytest.mark.parametrize(
    "written",
    [
        b"8 0 obj\n%s\nendobj\n",
        b"8\n0\nobj%s\nendobj\n",
        b"endobj 8 0 obj%s\nendobj\n",
        b"8 %%\n0 obj%s\nendobj\n",
        b"%s\n",
        b"99999999999999 0 obj %s\nendobj\n",
        b"%%%s\n",
    ],
)
@pytest.mark.parametrize("behind", [b"\nstream\n", b"\nstream\r", b"\nstream \n", b"\n"])
def test_a_picture_that_no_table_names_is_on_record(tmp_path: Path, written: bytes, behind: bytes) -> None:
    """Its number is given to another that stands further down. The twin: the same bytes as the picture of the page."""

    def find_codes(before: bytes, more: Mapping[int, bytes]) -> set[str]:
        found = read(sheets(tmp_path / "a.pdf", stream(b"", DRAWS_PICTURE), more, before=before))
        return {missed.code for missed in found.unaccounted}

    picture = stream(GREY, bytes(range(128, 256)) * 300)
    hidden = written % picture.replace(b"\nstream\n", behind)
    assert "unknown_part" in find_codes(hidden, {8: b"<< /A 1 >>"})
    assert "unknown_part" not in find_codes(b"", {8: picture})


@pytest.mark.parametrize("value", [b"<< /A 1 >>", b"[1 2]", b"(abc)"])
def test_a_picture_behind_the_value_of_an_object_is_on_record(tmp_path: Path, value: bytes) -> None:
    """Readers stop at the value. The twin: the value by itself."""
    for more, is_hidden in ((stream(GREY, PIXELS), True), (b"", False)):
        found = read(sheets(tmp_path / "a.pdf", stream(b"", b"0 0 m 9 9 l S"), {8: b"null", 9: value + more}))
        assert ("unknown_part" in {missed.code for missed in found.unaccounted}) is is_hidden


def test_the_earlier_version_of_a_linear_file_is_read(tmp_path: Path) -> None:
    """Whether its first table ends as others do, or not. The twin: the linear file by itself."""
    path = sheets(tmp_path / "a.pdf", stream(b"", b"BT /F1 12 Tf 72 700 Td (Mara earns 98,000.) Tj ET"), {})
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(path, linearize=True)
    with pikepdf.open(path) as pdf:
        number = pdf.pages[1].obj.Contents.objgen[0]
    linear = path.read_bytes()
    assert linear.count(b"%%EOF") == 2
    for whole in (linear, linear.replace(b"%%EOF", b"%%EOX", 1)):
        path.write_bytes(whole)
        assert "earns" in str(read(path))
        changed = read(added(path, {number: stream(b"", b"BT /F1 12 Tf 72 700 Td (Mara left.) Tj ET")}))
        assert any("earns" in text for text in changed.remainder), changed.remainder


def test_an_earlier_table_that_names_objects_wrongly_is_on_record(tmp_path: Path) -> None:
    """It is made anew without a word, and names what it did not. The twin: a table that names nothing wrongly."""
    for number, is_damaged in ((b"7", True), (b"8", False)):
        path = sheets(tmp_path / "a.pdf", stream(b"", b"0 0 m 9 9 l S"), {8: b"<< /A 1 >>"})
        path.write_bytes(path.read_bytes().replace(b"8 0 obj", number + b" 0 obj"))
        found = read(added(path, {8: b"<< /A 2 >>"}))
        assert ("earlier_revision" in {missed.code for missed in found.unaccounted}) is is_damaged, number


def test_content_of_several_pages_counts_where_one_of_them_was_not_read(tmp_path: Path) -> None:
    def digest(content: bytes, pages: list[int]) -> str:
        return digest_unread_of_pdf(tmp_path, [(content, pages)], [UnreadContent("page_failed", "", 2)])

    assert digest(b"one", [1, 2]) != digest(b"other", [1, 2])
    assert digest(b"one", [1, 3]) == digest(b"other", [1, 3])
    assert digest(b"one", []) != digest(b"other", [])
