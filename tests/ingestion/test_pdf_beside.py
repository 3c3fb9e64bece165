"""What a PDF says beside its pages travels with the original: it is text with a label, or withholds the original."""

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from tests.ingestion.extracted import missed, read
from tests.ingestion.pdfs import added, changed, draw, line

TITLE, PLAIN = "Progress of the works", "The quay was closed for two days because of the storm."
DAV = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about=''"


def pay(of: str) -> str:
    return f"The average salary of a {of} is 68,400 pounds a year."


def page(canvas: object) -> None:
    line(canvas, 60, 90, TITLE, 18, bold=True)  # type: ignore[arg-type]
    line(canvas, 60, 130, PLAIN)  # type: ignore[arg-type]


def bookmark(pdf: pikepdf.Pdf, text: str) -> None:
    with pdf.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem(TITLE, 0))
        outline.root[0].children.append(pikepdf.OutlineItem(text, 0))


def packet(said: str, more: str = "") -> bytes:
    mine = "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:mm='http://ns.adobe.com/xap/1.0/mm/'"
    made = "xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:CreatorTool='Writer of Pay' mm:DocumentID='uuid:1-2-3'"
    text = f"<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>{said}</rdf:li></rdf:Alt></dc:description>"
    head = "<?xpacket begin='\ufeff' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>"
    return f"{head}{DAV} {mine} {made}{more}>{text}</rdf:Description></rdf:RDF></x:xmpmeta>".encode()


def metadata(pdf: pikepdf.Pdf, text: str) -> None:
    pdf.Root.Metadata = pdf.make_stream(packet(text), Type=Name.Metadata, Subtype=Name.XML)


def metadata_of_page(pdf: pikepdf.Pdf, text: str) -> None:
    more = f" xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/' photoshop:Headline='{text}'"
    pdf.pages[0].obj.Metadata = pdf.make_stream(packet("", more), Type=Name.Metadata, Subtype=Name.XML)


def description(pdf: pikepdf.Pdf, text: str, name: str = "/Alt") -> None:
    part = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Figure))
    part[name] = pikepdf.String(text)
    pdf.Root.StructTreeRoot = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=part))


def of_link(pdf: pikepdf.Pdf, text: str) -> None:
    action = Dictionary(S=Name.URI, URI="https://example.org/")
    mark = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([60, 700, 90, 720]), A=action, Contents=text)
    pdf.pages[0].obj.Annots = Array([pdf.make_indirect(mark)])


def layer(pdf: pikepdf.Pdf, text: str) -> None:
    one = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=text))
    pdf.Root.OCProperties = Dictionary(OCGs=Array([one]), D=Dictionary(Order=Array([one])))


def page_label(pdf: pikepdf.Pdf, text: str) -> None:
    pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(P=text, S=Name.D)]))


def keywords(pdf: pikepdf.Pdf, text: str) -> None:
    pdf.docinfo["/Keywords"] = "storm, quay, " * 60 + text


Change = Callable[[pikepdf.Pdf, str], None]
CHANNELS: dict[str, Change] = {
    "bookmark": bookmark, "packet": metadata, "headline": metadata_of_page, "figure": description,
    "replacement": partial(description, name="/ActualText"), "link": of_link, "layer": layer,
    "label": page_label, "keyword": keywords,
}  # fmt: skip


def made(folder: Path, *changes: Callable[[pikepdf.Pdf], None]) -> Path:
    path = draw(folder / "a.pdf", page)
    for change in changes:
        changed(path, change)
    return path


@pytest.mark.parametrize("channel", CHANNELS)
def test_what_is_said_beside_the_pages_is_read_or_of_the_remainder(tmp_path: Path, channel: str) -> None:
    change = CHANNELS[channel]
    said = read(made(tmp_path, lambda pdf: change(pdf, pay(channel))))
    assert pay(channel) in " ".join((said.text, *said.remainder))
    assert missed(said) == set()
    # Each word of it stands in the text, but nobody says it there.
    mixed = read(made(tmp_path, lambda pdf: change(pdf, "The storm was closed because of the works.")))
    assert "The storm was closed" in " ".join((mixed.text, *mixed.remainder))


def drop_page(pdf: pikepdf.Pdf) -> None:
    """As some tools do: the page leaves the list, and stays in the file."""
    kept = pdf.pages[1].obj
    del pdf.pages[1]
    pdf.Root.Kept = Array([kept])


def drop_contents(pdf: pikepdf.Pdf) -> None:
    pdf.Root.Kept = pdf.make_stream(b"BT /F1 10 Tf 60 700 Td (The salary is 68,400.) Tj ET")


def private(pdf: pikepdf.Pdf) -> None:
    data = pdf.make_stream(b"%!PS-Adobe-3.0 (the drawing before it was cut)")
    pdf.pages[0].obj.PieceInfo = Dictionary(Illustrator=Dictionary(Private=Dictionary(AIPrivateData1=data)))


def torn(pdf: pikepdf.Pdf) -> None:
    pdf.pages[0].obj.Metadata = pdf.make_stream(b"<x:xmpmeta> The salary <", Type=Name.Metadata, Subtype=Name.XML)


@pytest.mark.parametrize("change", [drop_page, drop_contents, private, torn])
def test_what_no_page_shows_is_of_the_remainder(tmp_path: Path, change: Callable[[pikepdf.Pdf], None]) -> None:
    found = read(changed(draw(tmp_path / "a.pdf", page, page), change))
    assert found.remainder or missed(found)


def test_what_programs_note_for_programs_is_neither_text_nor_missed(tmp_path: Path) -> None:
    def by_programs(pdf: pikepdf.Pdf) -> None:
        bookmark(pdf, PLAIN)
        metadata(pdf, "Untitled")
        description(pdf, "A picture containing text Description automatically generated")
        of_link(pdf, "")
        layer(pdf, "Layer 12")
        page_label(pdf, "A-")
        kept = Dictionary(Private=Dictionary(DocumentID="xmp.did:1"), LastModified="D:2026")
        pdf.pages[0].obj.PieceInfo = Dictionary(InDesign=kept)

    said = read(made(tmp_path, by_programs))
    assert [p.text for p in said.paragraphs] == [TITLE, PLAIN, "Links on this page: https://example.org/"]
    assert missed(said) == set()


def test_what_nothing_refers_to_is_of_the_remainder(tmp_path: Path) -> None:
    """As tools leave it that take a mark out of a page."""
    drawn = b"BT /F1 10 Tf 60 700 Td (The salary is 68,400.) Tj ET"
    form = b"<< /Subtype /Form /BBox [ 0 0 900 900 ] /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn)
    note = b"<< /Type /Annot /Subtype /Text /NM (a-1) /M (D:20260901) /Contents (%s) >>" % pay("clerk").encode()
    for left in (note, form):
        path = draw(tmp_path / "a.pdf", page)
        with pikepdf.open(path) as pdf:
            number = int(pdf.trailer.Size)
        found = read(added(path, {number: left}))
        assert "68,400" not in found.text
        assert "68,400" in " ".join(found.remainder)
        assert missed(found) == set()


def replaced(pdf: pikepdf.Pdf, how: str, other: str) -> None:
    """The pay stands on the page, and other words stand for it."""
    sheet = pdf.pages[0].obj
    mark = Dictionary(ActualText=other)
    sheet.Resources.Properties = Dictionary(Other=mark)
    marked = b"/Span /Other BDC" if how == "named" else b"/Span <</ActualText (%s)>> BDC" % other.encode()
    content = marked + b" BT /F1 12 Tf 60 442 Td (%s) Tj ET EMC" % pay("clerk").encode()
    if how == "in a form":
        form = pdf.make_stream(content, Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 595, 842]))
        form.Resources = Dictionary(Font=sheet.Resources.Font)
        sheet.Resources.XObject = Dictionary(Form=form)
        content = b"/Form Do"
    if how != "named":
        del sheet.Resources.Properties
    sheet.Contents = Array([sheet.Contents, pdf.make_stream(content)])


@pytest.mark.parametrize("how", ["here", "named", "in a form"])
def test_words_that_others_stand_for_are_read_as_well(tmp_path: Path, how: str) -> None:
    for other in ("Nothing.", " "):
        said = read(made(tmp_path, lambda pdf, other=other: replaced(pdf, how, other)))  # type: ignore[misc]
        (beneath,) = [p for p in said.paragraphs if p.text == pay("clerk")]
        assert len(beneath.boxes) == len(pay("clerk").split())
        assert ("Nothing." in said.text) == (other == "Nothing.")
    same = read(made(tmp_path, lambda pdf: replaced(pdf, how, pay("clerk"))))
    assert same.text.count(pay("clerk")) == 1


def test_a_loop_of_bookmarks_ends(tmp_path: Path) -> None:
    def loop(pdf: pikepdf.Pdf) -> None:
        bookmark(pdf, "Round and round")
        first = pdf.Root.Outlines.First
        first.Next = first

    out = io.BytesIO()
    with pikepdf.open(made(tmp_path, loop)) as pdf:
        pdf.save(out)
    assert read(tmp_path / "a.pdf").text.count("Round and round") == 1
