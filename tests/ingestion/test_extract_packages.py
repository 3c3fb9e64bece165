"""Hostile office files: each ends in the limited process with a reason, and fetches nothing."""

from collections.abc import Callable
from pathlib import Path

import openpyxl
import pptx
import pytest

from ingestion.extract import extract_file, inside
from ingestion.sandbox import Limits, Quarantined
from tests.ingestion.packages import exchange, odt, part


def workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "before MARK after"
    book.save(path)


def deck(path: Path) -> None:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "before MARK after"
    deck.save(path)


def text(path: Path) -> None:
    odt(path, "<text:p>before MARK after</text:p>")


# name → (how it is made, the part with its text)
FORMATS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a.xlsx": (workbook, "xl/worksheets/sheet1.xml"),
    "a.odt": (text, "content.xml"),
    "a.pptx": (deck, "ppt/slides/slide1.xml"),
}
LAUGHS = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.fixture(params=FORMATS)
def office(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, str]:
    """(path, file name, part with the text)."""
    make, text_part = FORMATS[request.param]
    make(tmp_path / "upload")
    return tmp_path / "upload", request.param, text_part


def refused(path: Path, name: str, limits: Limits | None = None) -> str:
    with pytest.raises(Quarantined) as caught:
        extract_file(path, name, limits=limits)
    assert caught.value.detail[-1] == "."
    assert str(path) not in caught.value.detail
    return caught.value.code


@pytest.mark.parametrize(
    "entity",
    [LAUGHS, '<!ENTITY l9 SYSTEM "file:///etc/passwd">', '<!ENTITY l9 "the salary of Jane">', "", "remote", "utf-16"],
)
def test_entities_and_document_types_are_refused_whole(office: tuple[Path, str, str], entity: str) -> None:
    path, name, text_part = office
    text = part(path, text_part)
    start = text.index("<", text.index("?>")) if text.startswith("<?xml") else 0
    if entity == "remote":
        kind = '<!DOCTYPE d SYSTEM "http://127.0.0.1:9/evil.dtd">'
    else:
        kind = f"<!DOCTYPE d [{LAUGHS if entity == 'utf-16' else entity}]>"
    evil = kind + text[start:].replace("MARK", "&l9;" if "l9" in kind else "x")
    content = evil.encode("utf-16") if entity == "utf-16" else evil.encode()
    assert refused(exchange(path, {text_part: content}), name) == "corrupt"


def test_a_bomb(office: tuple[Path, str, str]) -> None:
    path, name, text_part = office
    bomb = part(path, text_part).replace("MARK", " " * (17 << 20))
    assert refused(exchange(path, {text_part: bomb}), name, Limits(inflated_bytes=16 << 20)) == "bomb"


def test_elements_in_elements_without_end(office: tuple[Path, str, str]) -> None:
    path, name, text_part = office
    deep = part(path, text_part).replace("MARK", "<b>" * 100_000 + "</b>" * 100_000)
    assert refused(exchange(path, {text_part: deep}), name) == "corrupt"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_one_that_breaks_off(office: tuple[Path, str, str], share: float) -> None:
    path, name, _ = office
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    assert refused(path, name) == "corrupt"


def test_a_part_that_is_no_xml_and_one_that_is_missing(office: tuple[Path, str, str]) -> None:
    path, name, text_part = office
    assert refused(exchange(path, {text_part: b"\x00\xff" * 500}), name) == "corrupt"
    assert refused(exchange(path, {text_part: None}), name) == "corrupt"


def test_the_wrong_name(office: tuple[Path, str, str]) -> None:
    path, name, _ = office
    right = inside.extract(path, name.upper())
    assert not right.notes
    assert inside.extract(path, "report") == right
    for other in ("report.pdf", "report.xyz"):
        wrong = inside.extract(path, other)
        assert (wrong.paragraphs, [note.code for note in wrong.notes]) == (right.paragraphs, ["mislabelled"])
