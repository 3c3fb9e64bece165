"""Outlook messages are read as e-mail is: who, the text, and attachments as files of their own."""

import struct
from pathlib import Path

import pytest

from ingestion.extract.inside import extract
from ingestion.extract.mail import read_attachment
from ingestion.extract.outlook_rtf import unpack_rtf
from ingestion.sandbox import Limits, Quarantined
from tests.ingestion.old_office import fixed_properties, outlook, property_streams

HEADERS = (
    "Microsoft Mail Internet Headers Version 2.0\r\n"
    "From: Ana <ana@example.com>\r\nSubject: =?utf-8?q?=C3=9Cbergabe?=\r\n"
)


def silent(stage: str, page: int | None = None, pages: int | None = None) -> None:
    return None


def recipient(number: int, kind: int, **texts: str) -> dict[str, bytes]:
    place = f"__recip_version1.0_#{number:08X}/"
    numbers = {f"{key[1:]}": value for key, value in texts.items()}
    return {f"{place}__properties_version1.0": fixed_properties({0x0C15: kind}), **property_streams(numbers, place)}


def attached(number: int, method: int, texts: dict[str, str | bytes], place: str = "") -> dict[str, bytes]:
    place = f"{place}__attach_version1.0_#{number:08X}/"
    return {f"{place}__properties_version1.0": fixed_properties({0x3705: method}), **property_streams(texts, place)}


def test_people_text_and_attachments_of_a_message(tmp_path: Path) -> None:
    inner = {
        **recipient(0, 1, _3001="Bo Example", _39FE="bo@example.com"),
        **recipient(1, 3, _3001="Cy", _3003="/O=EXAMPLE/CN=CY"),
        **attached(0, 1, {"3707": "plan.txt", "3701": b"The plan", "370E": "text/plain"}),
        **attached(1, 7, {"3707": "elsewhere.docx"}),
        **attached(2, 6, {"3707": "drawing"}),
    }
    texts = {"0037": "Our plan", "1000": "See what is attached.\r\n\r\nAna", "0C1A": "Ana", "5D01": "ana@example.com"}
    path = outlook(tmp_path / "a.msg", {**texts, "8001": "A note beside the text"}, inner)
    extraction = extract(path, path.name)
    assert extraction.media_type == "application/vnd.ms-outlook"
    assert [one.text for one in extraction.paragraphs] == [
        "Our plan",
        "From: Ana\nTo: Bo Example\nBcc: Cy",
        "From: Ana <ana@example.com>\nTo: Bo Example <bo@example.com>",
        "See what is attached.",
        "Ana",
        "Attachment: plan.txt",
        "Attachment: drawing",
    ]
    assert {one.code for one in extraction.unaccounted} == {"attachment"}
    assert [one.name for one in extraction.attachments] == ["plan.txt"]
    part = extraction.attachments[0].part
    assert read_attachment(path, limits=Limits(), report=silent, part=part) == {"blob": b"The plan"}
    assert "A note beside the text" in extraction.remainder
    assert not any("beside" in one.text for one in extraction.paragraphs)


def test_headers_with_which_a_message_travelled_come_first(tmp_path: Path) -> None:
    path = outlook(tmp_path / "a.msg", {"007D": HEADERS, "0037": "another", "1000": "Text"})
    extraction = extract(path, path.name)
    assert [one.text for one in extraction.paragraphs] == [
        "Übergabe",
        "From: Ana",
        "From: Ana <ana@example.com>",
        "Text",
    ]


def test_of_several_versions_the_web_page_is_read(tmp_path: Path) -> None:
    page = '<meta charset="windows-1252"><h1>Za\xefda</h1><p>Come at <b>nine</b>.</p>'.encode("cp1252")
    path = outlook(tmp_path / "a.msg", {"1000": "Come at nine. Bring a pen.", "1013": page})
    found = [(one.kind, one.text) for one in extract(path, path.name).paragraphs]
    assert found[:2] == [("heading", "Za\xefda"), ("text", "Come at nine.")]
    assert any("pen" in text for _, text in found)


def test_a_message_in_a_message_becomes_a_message_of_its_own(tmp_path: Path) -> None:
    place = "__attach_version1.0_#00000000/__substg1.0_3701000D/"
    inner = {
        **attached(0, 5, {}),
        f"{place}__properties_version1.0": b"\0" * 24,
        **property_streams({"0037": "Inner", "1000": "Deep text"}, place),
        **attached(0, 1, {"3707": "deep.txt", "3701": b"Deeper"}, place),
    }
    path = outlook(tmp_path / "a.msg", {"0037": "Outer", "1000": "Above"}, inner)
    extraction = extract(path, path.name)
    assert [one.name for one in extraction.attachments] == ["Inner.eml"]
    assert not any("Deep" in one.text for one in extraction.paragraphs)
    blob = read_attachment(path, limits=Limits(), report=silent, part=extraction.attachments[0].part)["blob"]
    (tmp_path / "inner.eml").write_bytes(blob)
    within = extract(tmp_path / "inner.eml", "inner.eml")
    assert [one.text for one in within.paragraphs] == ["Inner", "Deep text", "Attachment: deep.txt"]
    assert len(within.attachments) == 1


def test_a_protected_message_is_refused(tmp_path: Path) -> None:
    kind = {"3707": "message.rpmsg", "3701": b"x", "370E": "application/x-microsoft-rpmsg-message"}
    path = outlook(tmp_path / "a.msg", {"1000": "This message is protected."}, attached(0, 1, kind))
    with pytest.raises(Quarantined) as caught:
        extract(path, path.name)
    assert caught.value.code == "encrypted"


def packed(text: bytes) -> bytes:
    """As literals only, eight behind each byte of flags."""
    runs = b"".join(b"\0" + text[at : at + 8] for at in range(0, len(text), 8))
    return struct.pack("<IIII", len(runs) + 12, len(text), 0x75465A4C, 0) + runs


def test_rich_text_is_unpacked_and_read_where_there_is_no_other(tmp_path: Path) -> None:
    path = outlook(tmp_path / "a.msg", {"0037": "Rich", "1009": packed(rb"{\rtf1\ansi Only in rich text.\par}")})
    assert [one.text for one in extract(path, path.name).paragraphs] == ["Rich", "Only in rich text."]


def test_rich_text_that_refers_to_itself_is_unpacked() -> None:
    # "ab", then four letters from two places back, which overlap what is being written, then the end.
    start = 207
    body = bytes([0b1100]) + b"ab" + struct.pack(">HH", start << 4 | 2, (start + 6) << 4)
    assert unpack_rtf(struct.pack("<IIII", 0, 6, 0x75465A4C, 0) + body) == b"ababab"


@pytest.mark.parametrize("damaged", [b"", b"x" * 20, struct.pack("<IIII", 9, 1 << 31, 0x75465A4C, 0) + b"\xff" * 40])
def test_damaged_rich_text_costs_nothing_else(tmp_path: Path, damaged: bytes) -> None:
    path = outlook(tmp_path / "a.msg", {"1000": "Plain", "1009": damaged})
    assert [one.text for one in extract(path, path.name).paragraphs] == ["Plain"]
