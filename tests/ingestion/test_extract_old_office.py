"""Word, Excel and PowerPoint files of 2003 and earlier are read without any of these programs."""

import struct
from pathlib import Path

import pytest

from ingestion.extract.inside import extract
from ingestion.extract.ole import Compound
from ingestion.sandbox import Quarantined
from tests.ingestion.old_office import (
    CELL,
    ROW,
    atom,
    compound,
    holder,
    label,
    number,
    old_document,
    old_presentation,
    old_workbook,
    record,
    text_box,
    words,
)

LINK = '\x13 HYPERLINK "https://intranet.example/rates" \x14the rates\x15'


def refusal(path: Path) -> Quarantined:
    with pytest.raises(Quarantined) as caught:
        extract(path, path.name)
    return caught.value


def test_a_document_has_its_headings_tables_links_and_notes(tmp_path: Path) -> None:
    path = old_document(
        tmp_path / "terms.doc",
        [
            ("Terms of supply\r", 1, b""),
            ("The supplier delivers in M\u00fcnchen; see " + LINK + ".\r", 0, b""),
            ("Place\x07", 0, CELL),
            ("Days\x07", 0, CELL),
            ("\x07", 0, ROW),
            ("K\u00f6ln\x07", 0, CELL),
            ("4\x07", 0, CELL),
            ("\x07", 0, ROW),
            ("A line\x0bbroken \U0001f600 in two.\r", 0, b""),
        ],
        notes="\x02 Working days only.\r",
    )
    extraction = extract(path, path.name)
    found = [(one.kind, one.text, one.heading_path) for one in extraction.paragraphs]
    above = ("Terms of supply",)
    assert found == [
        ("heading", "Terms of supply", ()),
        ("text", "The supplier delivers in M\u00fcnchen; see the rates (https://intranet.example/rates).", above),
        ("table", "| Place | Days |\n| --- | --- |\n| K\u00f6ln | 4 |", above),
        ("text", "A line\nbroken \U0001f600 in two.", above),
        ("text", "Working days only.", ("Footnotes",)),
    ]
    assert [link.target for link in extraction.links] == ["https://intranet.example/rates"]
    assert not extraction.unaccounted


def test_what_a_document_holds_beside_its_text_is_of_the_remainder_or_on_record(tmp_path: Path) -> None:
    streams = {
        "Macros/VBA/dir": b"x" * 600,
        "ObjectPool/_1/Ole": b"y" * 600,
        "Notes": "Kept by Mary Example".encode("utf-16-le"),
    }
    path = old_document(tmp_path / "a.doc", [("Text with a picture \x01.\r", 0, b"")], **streams)
    extraction = extract(path, path.name)
    assert {one.code for one in extraction.unaccounted} == {"image", "macros", "embedded_object"}
    assert "Kept by Mary Example" in extraction.remainder
    assert not any("Mary" in one.text for one in extraction.paragraphs)


def test_a_document_with_a_password_says_so(tmp_path: Path) -> None:
    path = old_document(tmp_path / "a.doc", [("Secret\r", 0, b"")], flags=0x0100)
    assert refusal(path).code == "encrypted"


def test_pieces_that_reach_beyond_the_file_are_damage(tmp_path: Path) -> None:
    path = old_document(tmp_path / "a.doc", [("Text\r", 0, b"")])
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<II", 0, 5) + struct.pack("<HIH", 0, 0x800, 0),
                                  struct.pack("<II", 0, 1 << 30) + struct.pack("<HIH", 0, 0x800, 0)))  # fmt: skip
    assert refusal(path).code == "corrupt"


def test_a_text_of_word_6_that_is_longer_than_its_file_is_damage(tmp_path: Path) -> None:
    head = bytearray(2_000)
    struct.pack_into("<HH", head, 0, 0xA5DC, 0x65)
    struct.pack_into("<II", head, 0x18, 0x300, 0xF0000000)
    assert refusal(compound(tmp_path / "a.doc", {"WordDocument": bytes(head)})).code == "corrupt"


def test_streams_that_lead_in_a_circle_are_damage(tmp_path: Path) -> None:
    path = compound(tmp_path / "a.doc", {"WordDocument": b"x" * 2_000, "1Table": b""})
    data = bytearray(path.read_bytes())
    table = len(data) - 512
    struct.pack_into("<4I", data, table, 1, 0, 1, 0)  # sectors 0 and 1 follow each other for ever
    place = bytes(data).index("WordDocument".encode("utf-16-le"))
    struct.pack_into("<Q", data, place + 120, 1 << 31)
    path.write_bytes(data)
    with pytest.raises(Quarantined) as caught:
        Compound(path).read("WordDocument")
    assert caught.value.code == "corrupt"
    assert refusal(path).code == "corrupt"


def test_a_workbook_shows_its_cells_as_formats_say(tmp_path: Path) -> None:
    rows = [label(0, 0, "Name"), label(0, 1, "Since"), label(0, 2, "Share")]
    rows += [label(1, 0, "Zo\u00eb"), number(1, 1, 40_179, style=1), number(1, 2, 0.25, style=2)]
    rows += [text_box("Ask before you pay"), record(0x14, b"\x0e\0\0&LConfidential")]
    path = old_workbook(tmp_path / "staff.xls", {"Staff": rows, "Other": [label(0, 0, "Alone")]})
    extraction = extract(path, path.name)
    assert [one.text for one in extraction.paragraphs] == [
        "Staff",
        "| Name | Since | Share |\n| --- | --- | --- |\n| Zo\u00eb | 2010-01-01 | 25% |",
        "Other",
        "Alone",
        "Ask before you pay",
        "Confidential",
    ]


def test_pictures_charts_and_macros_of_a_workbook_are_on_record(tmp_path: Path) -> None:
    picture = record(0x5D, struct.pack("<HHHHH12xHH", 0x15, 18, 8, 1, 0, 0, 0))
    title = record(0x100D, b"\0\0\x05\0Wages")
    macros = record(0x85, struct.pack("<IBB", 0, 0, 1) + b"\1\0M")
    path = old_workbook(tmp_path / "a.xls", {"Sheet": [label(0, 0, "x"), picture, title]}, [macros])
    extraction = extract(path, path.name)
    assert {one.code for one in extraction.unaccounted} == {"image", "macros"}
    assert "Wages" in extraction.text


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ([record(0x2F, b"\0" * 54)], "encrypted"),
        ([record(0x1B6, b"\0" * 18)], "empty"),
        ([record(0x5C, b"\0")], "corrupt"),
        ([], "empty"),
    ],
)
def test_workbooks_that_cannot_be_read_say_why(tmp_path: Path, records: list[bytes], code: str) -> None:
    assert refusal(old_workbook(tmp_path / "a.xls", {"Sheet": []}, records)).code == code


def test_a_presentation_has_a_page_a_slide(tmp_path: Path) -> None:
    box = holder(0x40C, holder(0xF002, holder(0xF004, atom(0xF9E, struct.pack("<I", 0)))))
    other = holder(0x40C, holder(0xF002, holder(0xF004, holder(0xF00D, words("Costs fell\rPrices rose", 4)))))
    path = old_presentation(
        tmp_path / "deck.ppt",
        [box + other, words("Thank you", 6)],
        outline=words("Our year", 0) + words("In the outline only", 1),
        notes=words("Pause here", 2),
    )
    extraction = extract(path, path.name)
    found = [(one.kind, one.text, one.page, one.heading_path) for one in extraction.paragraphs]
    assert found == [
        ("heading", "Our year", 1, ()),
        ("list", "Costs fell", 1, ("Our year",)),
        ("list", "Prices rose", 1, ("Our year",)),
        ("list", "In the outline only", 1, ("Our year",)),
        ("heading", "Thank you", 2, ()),
        ("text", "Pause here", 1, ("Speaker notes",)),
    ]
    assert extraction.pages == 2


def test_presentations_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    slide = words("Secret", 0)
    assert refusal(old_presentation(tmp_path / "a.ppt", [slide], b"", token=0xF3D1C4DF)).code == "encrypted"
    path = old_presentation(tmp_path / "b.ppt", [atom(0x40C, b"") + b"\x0f\0\xee\x03\xff\xff\xff\x7f"], b"")
    assert refusal(path).code == "corrupt"


@pytest.mark.parametrize(
    ("stream", "what"),
    [("VisioDocument", "Visio drawing"), ("Quill", "Publisher document"), ("Unheard of", "old Microsoft program")],
)
def test_what_is_not_read_is_named_with_what_to_do(tmp_path: Path, stream: str, what: str) -> None:
    refused = refusal(compound(tmp_path / "a.bin", {stream: b"x" * 600}))
    assert refused.code == "unsupported"
    assert what in refused.detail
    assert "PDF" in refused.detail
