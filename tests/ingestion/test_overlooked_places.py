"""What stands beside the text of a file has a label or is on record, in places where it was once overlooked."""

import struct
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import pytest

from ingestion.documents import Extraction
from ingestion.extract.inside import extract
from ingestion.extract.mail_parts import MOST_PARTS
from tests.ingestion.old_office import label, old_document, old_workbook, outlook, record
from tests.ingestion.places.packages import CUSTOM, WORKBOOK, packed
from tests.ingestion.places.pictures import jpeg

NUMBERS = ("Tel. 091 234 567", "+385 91 234 567", "SSN 078-05-1120")
SHOWN = "The quay of 1120 was closed."


def rich_text(text: bytes) -> bytes:
    """As Outlook packs it, in literals only."""
    runs = b"".join(b"\0" + text[at : at + 8] for at in range(0, len(text), 8))
    return struct.pack("<IIII", len(runs) + 12, len(text), 0x75465A4C, 0) + runs


def joined(extraction: Extraction) -> str:
    return "\n".join((extraction.text, *extraction.remainder))


def codes(extraction: Extraction) -> set[str]:
    return {item.code for item in extraction.unaccounted}


def extract_bytes(folder: Path, name: str, content: bytes) -> Extraction:
    path = folder / name
    path.write_bytes(content)
    return extract(path, name)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16-le"])
@pytest.mark.parametrize("place", ["Notes", "Data"])
def test_numbers_in_any_stream_of_an_old_document_are_of_the_remainder(
    tmp_path: Path, encoding: str, place: str
) -> None:
    streams: Mapping[str, bytes] = {place: "\0\0".join(NUMBERS).encode(encoding)}
    extraction = extract_old(tmp_path, streams)
    assert set(NUMBERS) <= set(extraction.remainder)
    assert not any(text in extraction.remainder for text in ("The quay of 1120 was closed.", "quay"))


def extract_old(folder: Path, streams: Mapping[str, bytes]) -> Extraction:
    path = old_document(folder / "a.doc", [(f"{SHOWN}\r", 0, b"")], **streams)
    return extract(path, path.name)


@pytest.mark.parametrize("kind", [0x31, 0x41E, 0x293, 0x88E])
def test_fonts_formats_and_styles_of_an_old_workbook_are_swept(tmp_path: Path, kind: int) -> None:
    rows = [label(0, 0, SHOWN), record(kind, b"\0" * 16 + NUMBERS[2].encode())]
    path = old_workbook(tmp_path / "a.xls", {"Plan": rows})
    assert NUMBERS[2] in joined(extract(path, path.name))


def test_pictures_behind_a_picture_are_walked_one_after_the_other(tmp_path: Path) -> None:
    extraction = extract_bytes(tmp_path, "a.jpg", jpeg("") + b"\xff\xd8\xff\xd9" * 3_000 + NUMBERS[2].encode())
    assert NUMBERS[2] in joined(extraction)
    assert "thumbnail" in codes(extraction)


LETTERS = b64encode(bytes(range(256)) * 3)
MAIL = "From: a@a.example\nSubject: Quay\n"
EXTERNAL = f"{MAIL}Content-Type: message/external-body; access-type=url\n\nContent-Type: text/plain\n\n"


def test_parts_of_a_message_beyond_the_last_that_is_read_are_on_record(tmp_path: Path) -> None:
    parts = "--b\nContent-Type: text/plain\n\nx\n" * (MOST_PARTS + 5)
    mail = f'{MAIL}Content-Type: multipart/mixed; boundary="b"\n\n{parts}--b--\n'
    assert "attachment" in codes(extract_bytes(tmp_path, "a.eml", mail.encode()))


@pytest.mark.parametrize("lines", [1, 20])
def test_packed_data_in_a_body_that_lies_elsewhere_are_on_record(tmp_path: Path, lines: int) -> None:
    size = len(LETTERS) // lines
    body = "\n".join(LETTERS.decode()[at : at + size] for at in range(0, len(LETTERS), size))
    extraction = extract_bytes(tmp_path, "a.eml", f"{EXTERNAL}{body}\n{NUMBERS[2]}\n".encode())
    assert "packed_data" in codes(extraction)
    assert NUMBERS[2] in joined(extraction)
    assert not codes(extract_bytes(tmp_path, "b.eml", EXTERNAL.encode())) & {"packed_data", "attachment"}


def test_text_around_packed_data_is_of_the_remainder(tmp_path: Path) -> None:
    page = f"<p>The quay.</p><p title='/9j/{LETTERS.decode()} {NUMBERS[2]}'></p>"
    extraction = extract_bytes(tmp_path, "a.html", page.encode())
    assert NUMBERS[2] in extraction.remainder
    assert codes(extraction) == {"thumbnail"}


def outlook_of(folder: Path, inner: Mapping[str, bytes]) -> Extraction:
    path = outlook(folder / "a.msg", {"1013": b"<p>The quay.</p>"}, inner)
    return extract(path, path.name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("__substg1.0_8001101F-00000000", NUMBERS[2].encode("utf-16-le")),
        ("__substg1.0_8001101E-00000001", NUMBERS[2].encode()),
        ("__substg1.0_80020102", b"\1\2" + NUMBERS[2].encode() + b"\0\1"),
        ("Notes", NUMBERS[2].encode()),
        ("__substg1.0_10090102", rich_text(b"{\\rtf1\\ansi The quay. " + NUMBERS[2].encode() + b"\\par}")),
        ("__substg1.0_10090102", rich_text(b"{\\rtf1\\ansi The quay.{\\*\\odd " + NUMBERS[2].encode() + b"}\\par}")),
        ("__substg1.0_001A001F", NUMBERS[2].encode("utf-16-le")),
    ],
)
def test_every_stream_of_an_outlook_message_is_swept(tmp_path: Path, name: str, content: bytes) -> None:
    extraction = outlook_of(tmp_path, {name: content})
    assert NUMBERS[2] in joined(extraction)
    assert not codes(extraction)


def test_damaged_rich_text_of_an_outlook_message_is_on_record(tmp_path: Path) -> None:
    whole = rich_text(b"{\\rtf1\\ansi The quay.\\par}")
    for damaged, code in ((whole[:-9], "damaged"), (b"x" * 40, "damaged_part")):
        assert code in codes(outlook_of(tmp_path, {"__substg1.0_10090102": damaged}))
    assert not codes(outlook_of(tmp_path, {"__substg1.0_10090102": whole}))


def test_attachments_of_an_outlook_message_beyond_the_last_that_is_read_are_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingestion.extract.outlook.MOST", 1)
    for count, found in ((1, set[str]()), (2, {"attachment"})):
        properties = {f"__attach_version1.0_#{n:08X}/__substg1.0_37010102": b"plan" for n in range(count)}
        assert codes(outlook_of(tmp_path, properties)) == found


@pytest.mark.parametrize(
    ("group", "code"),
    [
        (f"{{\\*\\objdata {LETTERS.hex()}}}", {"embedded_object"}),
        (f"{{\\*\\datastore {(b'PK' + bytes([3, 4]) + LETTERS).hex()}}}", {"unknown_part"}),
        (f"{{\\*\\datastore {LETTERS.hex()}}}", set()),
        (f"{{\\*\\themedata {(b'PK' + bytes([3, 4]) + LETTERS).hex()}}}", set()),
    ],
)
def test_bytes_in_groups_of_rich_text_are_on_record(tmp_path: Path, group: str, code: set[str]) -> None:
    assert codes(extract_bytes(tmp_path, "a.rtf", f"{{\\rtf1\\ansi{group}The quay.\\par}}".encode())) == code


def test_what_stands_for_the_picture_of_a_contact_is_of_the_remainder(tmp_path: Path) -> None:
    card = f"BEGIN:VCARD\nFN:A\nPHOTO:{NUMBERS[2]}\nEND:VCARD\n"
    assert NUMBERS[2] in joined(extract_bytes(tmp_path, "a.vcf", card.encode()))


FONT = b"\0\1\0\0\0\1" + b"\0" * 100
TABLES = b"".join(tag + b"\0" * 12 for tag in (b"OS/2", b"cmap", b"glyf", b"head", b"hhea", b"maxp"))
CHANGED_FONT = bytes(range(12)) + bytes(range(16)) + TABLES[16:]
NOISE = bytes(range(256)) * 3


def book(folder: Path, parts: Mapping[str, str | bytes], around: tuple[bytes, bytes] = (b"", b"")) -> set[str]:
    """What is on record of a workbook with these parts, and with bytes before and behind all of them."""
    return codes(extract_bytes(folder, "a.xlsx", around[0] + packed({**WORKBOOK, **parts}) + around[1]))


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("xl/fonts/a.ttf", FONT, "font"),
        ("xl/fonts/a.odttf", CHANGED_FONT, "font"),
        ("xl/fonts/a.ttf", NUMBERS[2].encode(), "unknown_part"),
        ("xl/fonts/a.odttf", NOISE, "unknown_part"),
        ("xl/printerSettings/a.bin", NOISE, None),
        ("xl/printerSettings/a.bin", NOISE + packed({"a": "b"}), "unknown_part"),
        ("xl/revisions/a.log", b"A note. " * 9, None),
        ("xl/odd.xml", b"<a " + NOISE, "unknown_part"),
    ],
)
def test_a_part_is_what_its_bytes_say(tmp_path: Path, name: str, content: bytes, code: str | None) -> None:
    assert book(tmp_path, {name: content}) - book(tmp_path, {}) == ({code} if code else set())


@pytest.mark.parametrize(
    ("before", "behind", "code"),
    [
        (packed({"a": "b"})[:40], b"", {"unknown_part"}),
        (b"", NOISE, {"unknown_part"}),
        (b"", b"\0" * 500, set()),
        (b"", b"A note in words. " * 9, set()),
    ],
)
def test_what_lies_between_the_parts_of_a_package_is_on_record(
    tmp_path: Path, before: bytes, behind: bytes, code: set[str]
) -> None:
    assert book(tmp_path, {}, (before, behind)) - book(tmp_path, {}) == code


def test_a_font_of_a_page_is_one(tmp_path: Path) -> None:
    for content, code in ((FONT, "font"), (NOISE, "embedded_object")):
        page = f"<p style='src: url(data:font/ttf;base64,{b64encode(content).decode()})'>The quay.</p>"
        assert codes(extract_bytes(tmp_path, "a.html", page.encode())) == {code}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("<odd><SSN>078051120</SSN></odd>", "SSN: 078051120"),
        ("<odd SSN='078051120'/>", "SSN: 078051120"),
        ("<odd><property name='SSN'><i>078051120</i></property></odd>", "i: 078051120"),
        ("<odd><DigestValue>SSN 078-05-1120</DigestValue></odd>", "SSN 078-05-1120"),
        ("<odd a='http://www.w3.org/078-05-1120'/>", "http://www.w3.org/078-05-1120"),
    ],
)
def test_a_number_of_a_strange_vocabulary_stands_with_its_name(tmp_path: Path, content: str, found: str) -> None:
    extraction = extract_bytes(tmp_path, "a.xlsx", packed({**WORKBOOK, "customXml/item1.xml": content}))
    assert found in extraction.remainder


def test_a_number_among_the_properties_stands_with_its_name(tmp_path: Path) -> None:
    content = CUSTOM.replace('name="Client"', 'name="SSN"').replace("Quay", "078051120")
    extraction = extract_bytes(tmp_path, "a.xlsx", packed({**WORKBOOK, "docProps/custom.xml": content}))
    assert "SSN: 078051120" in joined(extraction)


def test_what_signs_by_letters_says_nothing(tmp_path: Path) -> None:
    content = "<odd><DigestValue>yJ1mTQnUqL0mTQnUqL0abcdefgh=</DigestValue></odd>"
    extraction = extract_bytes(tmp_path, "a.xlsx", packed({**WORKBOOK, "customXml/item1.xml": content}))
    assert not any("yJ1mT" in text for text in extraction.remainder)
