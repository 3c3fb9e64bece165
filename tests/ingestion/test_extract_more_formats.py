"""Spreadsheets and presentations of OpenDocument, e-books, calendars, contacts, data and code."""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from ingestion import drift
from ingestion.documents import Extraction, UnreadContent
from ingestion.extract import structure
from ingestion.extract.inside import extract
from ingestion.sandbox import Limits, Quarantined
from tests.ingestion.packages import NAMESPACES, word

OPEN = f'{NAMESPACES} xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)
BOOK = (
    '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
    "<dc:title>The Harbour</dc:title><dc:creator>A. Writer</dc:creator></metadata><manifest>"
    '<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="a" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>'
    '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
)


def zipped(path: Path, parts: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def open_document(path: Path, kind: str, body: str) -> Path:
    body = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    content = f"<office:document-content {OPEN}>{body}</office:document-content>"
    return zipped(path, {"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content})


def book(path: Path, **parts: str) -> Path:
    pages = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": BOOK,
        "OEBPS/two.xhtml": "<html><body><h1>Second</h1><p>The ship leaves.</p></body></html>",
        "OEBPS/one.xhtml": '<?xml version="1.0" encoding="utf-8"?><html><body><h1>First</h1>'
        "<p>Café at the quay.</p></body></html>",
    }
    return zipped(path, {**pages, **{name.replace("__", "/"): text for name, text in parts.items()}})


def texts(extraction: Extraction) -> list[str]:
    return [one.text for one in extraction.paragraphs]


def read(path: Path, content: str | bytes | None = None) -> Extraction:
    """Read, and compared with what the file holds as every upload is."""
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    extraction = extract(path, path.name)
    source = structure.measure_structure(
        path, limits=Limits(), report=lambda *_, **__: None, media_type=extraction.media_type
    )
    assert [*drift.find_own_losses(extraction), *drift.find_losses(drift.read_structure(source), extraction)] == []
    return extraction


def refusal(path: Path) -> Quarantined:
    with pytest.raises(Quarantined) as caught:
        extract(path, path.name)
    return caught.value


def test_a_spreadsheet_has_a_table_a_sheet(tmp_path: Path) -> None:
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    head = cell.format("", "Name") + cell.format("", "Pay")
    note = "<office:annotation><dc:creator>Cy</dc:creator><text:p>Check this</text:p></office:annotation>"
    pay = cell.format(' office:value="9"', "9.00 €")
    rows = [head, f"<table:table-cell>{note}<text:p>Ana</text:p></table:table-cell>{pay}"]
    empty = '<table:table-cell table:number-columns-repeated="16000"/>'
    twice = cell.format(' table:number-columns-repeated="2"', "x")
    path = open_document(
        tmp_path / "a.ods",
        "spreadsheet",
        '<table:table table:name="Staff">'
        + "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
        + f'<table:table-row table:number-rows-repeated="1048000">{empty}</table:table-row></table:table>'
        + f'<table:table table:name="Twice"><table:table-row>{twice}</table:table-row></table:table>',
    )
    extraction = read(path)
    table = "| Name | Pay |\n| --- | --- |\n| Ana | 9.00 € |"
    assert texts(extraction) == ["Staff", table, "Cy: Check this", "Twice", "x | x"]
    assert extraction.paragraphs[2].heading_path == ("Comments",)


def test_a_presentation_has_a_page_a_slide(tmp_path: Path) -> None:
    box = "<draw:frame{}><draw:text-box>{}</draw:text-box></draw:frame>"
    listed = "<text:list><text:list-item><text:p>One<text:s/>point</text:p></text:list-item></text:list>"
    slide = box.format("", listed) + box.format(' presentation:class="title"', "<text:p>Our year</text:p>")
    notes = f"<presentation:notes>{box.format('', '<text:p>Pause here</text:p>')}</presentation:notes>"
    path = open_document(tmp_path / "a.odp", "presentation", f"<draw:page>{slide}{notes}</draw:page><draw:page/>")
    extraction = read(path)
    assert [(one.kind, one.text, one.page) for one in extraction.paragraphs] == [
        ("heading", "Our year", 1),
        ("list", "One point", 1),
        ("text", "Pause here", 1),
    ]
    assert extraction.pages == 2


@pytest.mark.parametrize(("name", "kind"), [("a.ods", "spreadsheet"), ("a.odp", "presentation")])
def test_entities_passwords_and_bombs_are_refused(tmp_path: Path, name: str, kind: str) -> None:
    path = open_document(tmp_path / name, kind, "")
    assert refusal(path).code == "empty"
    parts = {"mimetype": f"application/vnd.oasis.opendocument.{kind}"}
    entity = '<!DOCTYPE a [<!ENTITY b "secret">]><a>&b;</a>'
    assert refusal(zipped(path, {**parts, "content.xml": entity})).code == "corrupt"
    manifest = "<a><encryption-data/></a>"
    assert (
        refusal(zipped(path, {**parts, "content.xml": "<a/>", "META-INF/manifest.xml": manifest})).code == "encrypted"
    )
    zipped(path, {**parts, "content.xml": " " * (4 << 20)})
    with pytest.raises(Quarantined) as caught:
        extract(path, name, limits=Limits(inflated_bytes=1 << 20))
    assert caught.value.code == "bomb"


def test_an_e_book_is_read_in_its_order(tmp_path: Path) -> None:
    extraction = read(book(tmp_path / "a.epub"))
    assert texts(extraction) == [
        "First",
        "Café at the quay.",
        "Second",
        "The ship leaves.",
        "Title: The Harbour; Creator: A. Writer",
    ]
    assert not extraction.unaccounted


def test_a_protected_e_book_is_refused_and_one_with_hidden_fonts_is_not(tmp_path: Path) -> None:
    method = '<a><EncryptionMethod Algorithm="{}"/></a>'
    fonts = book(
        tmp_path / "a.epub", **{"META-INF__encryption.xml": method.format("http://www.idpf.org/2008/embedding")}
    )
    assert read(fonts).paragraphs
    locked = book(
        tmp_path / "b.epub",
        **{"META-INF__encryption.xml": method.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")},
    )
    assert refusal(locked).code == "encrypted"


def test_events_and_contacts_are_named_lines(tmp_path: Path) -> None:
    event = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1@example.com\r\nDTSTART:20240102T101500Z\r\n"
        'SUMMARY:Board meeting about the har\r\n bour\r\nATTENDEE;CN="Jane Roe":mailto:jane@example.com\r\n'
        "DESCRIPTION:Bring\\, please\\, papers\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    assert texts(read(tmp_path / "a.ics", event)) == [
        "Start: 2024-01-02 10:15 UTC\nSummary: Board meeting about the harbour\n"
        "Attendee: Jane Roe mailto:jane@example.com\nDescription: Bring, please, papers"
    ]
    name = "N;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:M=C3=BCl=\nler;J"
    card = f"BEGIN:VCARD\n{name}\nPHOTO;ENCODING=b:AAAA\n BBBB\nEND:VCARD\n"
    extraction = read(tmp_path / "a.vcf", card)
    assert texts(extraction) == ["Names: Müller; J"]
    assert {one.code for one in extraction.unaccounted} == {"image"}
    (tmp_path / "b.ics").write_text("no calendar at all")
    assert refusal(tmp_path / "b.ics").code == "corrupt"


def test_names_stand_by_the_values_of_json(tmp_path: Path) -> None:
    content = r'{"people": [{"name": "Jos\u00e9", "tags": ["a", null]}, {"name": "Bo"}], "n": 1, "n": 2.50, "none": {}}'
    assert texts(read(tmp_path / "a.json", content)) == [
        "people[0].name: José\npeople[0].tags[0]: a\npeople[0].tags[1]: null",
        "people[1].name: Bo",
        "n: 1",
        "n: 2.50",
        "none",
    ]
    assert texts(read(tmp_path / "b.jsonl", '{"a": 1}\n{"a": true}\n')) == ["a: 1", "a: true"]
    rows = [json.dumps({"name": f"Person {number}", "pay": number}) for number in range(501)]
    fields, records, blocks = (texts(read(tmp_path / "b.jsonl", "\n".join(rows[:count]))) for count in (250, 251, 501))
    assert (fields[14], fields[15], len(fields)) == ("name: Person 7", "pay: 7", 500)
    assert (records[7], len(records)) == ("name: Person 7\npay: 7", 251)
    assert len(blocks) < 20
    assert texts(read(tmp_path / "c.json", "{this is: no json,")) == ["{this is: no json,"]
    deep = "[" * 100_000 + "]" * 100_000
    assert read(tmp_path / "d.json", deep).paragraphs
    many = json.dumps([{"name": f"Number {number}"} for number in range(2_000)])
    assert len(read(tmp_path / "many.json", many).paragraphs) < 100
    long = json.dumps({"rows": {f"key {number}": "word " * 20 for number in range(300)}})
    assert max(map(len, texts(read(tmp_path / "e.json", long)))) <= 4_000


def test_xml_says_what_its_elements_and_attributes_say(tmp_path: Path) -> None:
    order = '<order id="7"><name>Jane</name><note>Call <b>me</b> back.</note><!-- a hint --></order>'
    content = f'<?xml version="1.0"?><orders>{order}</orders>'
    assert texts(read(tmp_path / "a.xml", content)) == ["order id: 7\nname: Jane", "Call me back.", "a hint"]
    entity = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>'
    assert texts(read(tmp_path / "b.xml", entity)) == [entity]
    word = (
        '<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body><w:p><w:r><w:t>Hel</w:t>'
        "</w:r><w:r><w:t>lo</w:t></w:r></w:p></w:body></w:wordDocument>"
    )
    extraction = read(tmp_path / "c.doc", '<?xml version="1.0"?>' + word)
    assert texts(extraction) == ["Hello"]
    assert [note.code for note in extraction.notes] == ["mislabelled"]


def test_code_and_settings_stay_as_they_are(tmp_path: Path) -> None:
    code = "def answer():\n    return 42\n\n\nprint(answer())\n"
    extraction = read(tmp_path / "a.py", code)
    assert [(one.kind, one.text) for one in extraction.paragraphs] == [("code", code.strip())]
    assert not extraction.notes
    assert texts(read(tmp_path / "a.yaml", "host: a\nport: 1\n")) == ["host: a\nport: 1"]


@pytest.mark.parametrize(
    ("content", "name", "remedy"),
    [
        (b"\x1f\x8b\x08\0" + b"\0" * 60, "a.tgz", "Unpack it"),
        (b"!BDN" + b"\0" * 600, "a.pst", "Export its messages as .msg or .eml"),
        (b"8BPS" + b"\0" * 60, "a.psd", "Export it as .png or PDF"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 60, "a.heic", "Save it as .jpg"),
        (b"\0\0\0\x18ftypisom" + b"\0" * 60, "a.mp4", "Upload its text"),
    ],
)
def test_a_refusal_says_what_to_do(tmp_path: Path, content: bytes, name: str, remedy: str) -> None:
    (tmp_path / name).write_bytes(content)
    refused = refusal(tmp_path / name)
    assert refused.code == "unsupported"
    assert remedy in refused.detail


def test_an_archive_is_told_from_office_files_by_its_types(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "x")
    (tmp_path / "a.zip").write_bytes(packed.getvalue())
    assert "Unpack it" in refusal(tmp_path / "a.zip").detail
    pages = zipped(tmp_path / "a.pages", {"Index/Document.iwa": "x"})
    assert "Export it as PDF" in refusal(pages).detail


def test_what_is_no_loss_is_not_taken_for_one(tmp_path: Path) -> None:
    """Tables without a word or in the text of a list, a tag that does not end."""
    word(
        tmp_path / "a.docx",
        "<w:p><w:r><w:t>Text</w:t></w:r></w:p><w:tbl>" + "<w:tr><w:tc><w:p/></w:tc><w:tc/></w:tr>" * 2 + "</w:tbl>",
    )
    assert texts(read(tmp_path / "a.docx")) == ["Text"]
    table = "Name of it | Amount of it\n--- | ---\nRent | 900\n"
    assert read(
        tmp_path / "a.md", f"Orders of the day\n| a | b |\n| - | - |\n| c | d |\nand so on\n\n{table}"
    ).paragraphs
    said = "All of these words are read, every one. " * 5
    assert texts(read(tmp_path / "a.html", f'<html><body><p>{said}</p><a href="http://a.example/b'))[0] == said.strip()


def test_words_lost_beside_a_picture_are_found(tmp_path: Path) -> None:
    """What is on record as a picture accounts for no word of the text; what is hidden does."""
    path = tmp_path / "a.txt"
    path.write_text(
        "Each of these twenty words is there to be read, and so they are counted one by one in the text of it."
    )
    extraction = extract(path, path.name)
    source = drift.read_structure(
        structure.measure_structure(path, limits=Limits(), report=lambda *_, **__: None, media_type="text/plain")
    )
    less = replace(extraction, paragraphs=())
    for code, losses in (("image", ["words"]), ("hidden_text", [])):
        missing = (UnreadContent(code, "Something was not read."),)
        assert [loss.code for loss in drift.find_losses(source, replace(less, unaccounted=missing))] == losses
