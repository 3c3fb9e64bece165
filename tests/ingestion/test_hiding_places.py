"""What stands in a file is in a paragraph, in the remainder or on record, wherever in the file it was put."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from ingestion.extract.eyes import Eyes
from ingestion.extract.inside import extract
from ingestion.picture_reading import PictureReading, SeenWord
from ingestion.sandbox.limits import Quarantined
from tests.ingestion.places import packages, pdf, pictures, texts
from tests.ingestion.places.pictures import Place

SECRET = "IBAN DE89370400440532013000"
Places = Callable[[str, str], Iterator[Place]]
FORMATS: dict[str, Places] = {
    **dict.fromkeys(("docx", "xlsx", "pptx", "odt"), packages.places),
    "pdf": pdf.places,
    **dict.fromkeys(("jpeg", "png", "other"), pictures.places),
    **dict.fromkeys(texts.KINDS, texts.places),
}


def letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()


@pytest.fixture
def looked(tmp_path: Path) -> Path:
    """What was seen on the one page of a picture."""
    word = SeenWord("quay", 1, 1, 20, 9, 9, 8, 99)
    seen = PictureReading(60, 40, ink=0.1, words=(word,))
    path = tmp_path / "seen"
    path.write_text(json.dumps(["page 1", seen.to_json()]) + "\n")
    return path


def outcome(
    path: Path, content: bytes, looked: Path, secrets: Sequence[str] = (SECRET,)
) -> tuple[list[bool], set[str]]:
    """Of each secret, whether it is text that gets a label; and what is on record as not read."""
    path.write_bytes(content)
    try:
        found = extract(path, path.name, eyes=Eyes(None, looked))
    except Quarantined as refused:
        return [False for _ in secrets], {f"refused: {refused.code}"}
    known = "\n".join(letters(text) for text in (found.text, *found.remainder))
    return [letters(secret.split()[-1]) in known for secret in secrets], {item.code for item in found.unaccounted}


def lost(kind: str, folder: Path, looked: Path) -> tuple[list[str], int, int]:
    """Places that reading does not account for; how many there are, and how many are in files that are refused."""
    missing, count, refused = [], 0, 0
    usual: set[str] = set()  # what is on record for the file without the secret says nothing of the secret
    for place, name, content in each_by_itself(kind, folder, looked):
        labelled, codes = outcome(folder / name, content, looked)
        if not place:
            usual = codes
            continue
        count += 1
        refused += any(code.startswith("refused") for code in codes)
        if not all(labelled) and not codes - usual:
            missing.append(place)
    return missing, count, refused


def each_by_itself(kind: str, folder: Path, looked: Path) -> Iterator[Place]:
    """Of places in XML only those of which not all in one file are labelled: so many are tried at once."""
    yield from FORMATS[kind](kind, SECRET)
    if kind not in packages.FILES:
        return
    doubtful = set()
    many = [f"{SECRET}{number:02}" for number in range(20)]
    for names, name, content in packages.in_xml(kind, many):
        labelled, _ = outcome(folder / name, content, looked, many[: len(names)])
        doubtful.update(place for place, known in zip(names, labelled, strict=True) if not known)
    for (place,), name, content in packages.in_xml(kind, [SECRET]):
        if place in doubtful:
            yield place, name, content


@pytest.mark.parametrize("kind", FORMATS)
def test_no_place_of_a_file_is_overlooked(kind: str, tmp_path: Path, looked: Path) -> None:
    missing, count, refused = lost(kind, tmp_path, looked)
    assert missing == []
    assert refused < count / 3, "a file that is refused shows nothing of its places"
