"""What stands beside the text of a file has a label or is on record, in places where it was once overlooked."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ingestion.documents import Extraction
from ingestion.extract.inside import extract
from tests.ingestion.old_office import label, old_document, old_workbook, record
from tests.ingestion.places.pictures import jpeg

NUMBERS = ("Tel. 091 234 567", "+385 91 234 567", "SSN 078-05-1120")
SHOWN = "The quay of 1120 was closed."


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
