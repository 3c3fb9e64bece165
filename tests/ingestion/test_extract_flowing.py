"""Page numbers and running lines of a printed document that stand in the flow of another are no paragraphs."""

from functools import partial
from pathlib import Path

import pytest

from entities.types import Contract
from ingestion.extract import inside
from ingestion.extract.flowing import find_running_margins
from tests.conftest import Person
from tests.ingestion.extracted import read, texts
from tests.ingestion.helpers import ready
from tests.ingestion.helpers import texts as shown
from tests.ingestion.pdfs import draw, line, prose

SOURCE = "Source: HARBOUR & PIER INC, 10-Q, 11/6/2019"
WORD = ["agreement", "harbour", "delivery", "payment", "quay", "notice", "party", "term", "steel", "crane", "permit"]


def prose_of(page: int) -> str:
    """A page of text that no other page has."""
    pairs = [(page * 7 + n * n, page + 3 * n) for n in range(80)]
    return " ".join(f"{WORD[a % len(WORD)]} {WORD[b % len(WORD)]}" for a, b in pairs) + "."


def filing(count: int, footer: str, above: str = "") -> list[str]:
    """Paragraphs of a document whose pages ended with `footer`, {} being their number."""
    found = []
    for page in range(1, count + 1):
        found += [above, prose_of(page), *footer.format(page).split("\n")]
    return [text for text in found if text]


def kept(paragraphs: list[str], kind: str = "text") -> list[str]:
    left = find_running_margins(paragraphs, [kind] * len(paragraphs))
    return [text for place, text in enumerate(paragraphs) if place not in left]


BODY = [prose_of(page) for page in range(1, 8)]


@pytest.mark.parametrize("footer", ["{}", "- {} -", "Page {}", "Page {} of 7", "E-{}", "III - {}"])
def test_numbers_between_pages_go(footer: str) -> None:
    assert kept(filing(7, footer)) == BODY


@pytest.mark.parametrize("footer", ["Harbour Supply Agreement page {} 083096", "Confidential, page {} of the lease"])
def test_of_a_line_with_a_number_the_first_stays(footer: str) -> None:
    assert kept(filing(7, footer)) == [BODY[0], footer.format(1), *BODY[1:]]


def test_lines_that_say_something_else_each_time_stay() -> None:
    fees = [text for page in range(1, 8) for text in (BODY[page - 1], f"Page {page}: fee {page * 700 + 40} EUR")]
    assert kept(fees) == fees
    marks = [text for page, sign in enumerate(["#", "1", "2", "3"]) for text in (BODY[page], sign)]
    assert kept(marks)[:2] == marks[:2], "and a sign that stands for numbers here is a sign there"


NUMBERED = [
    "Payslip no. {}", "Exhibit {}", "Resolution {}", "Invoice {} of Harbour and Pier", "Minutes of the meeting {}",
    "Bates HPI 000{}", "HPI000{}", "Certificate {} for the Western Pier", "{}/2024", "Page 1 of payslip {}",
]  # fmt: skip


@pytest.mark.parametrize("line", NUMBERED)
def test_lines_with_a_number_of_their_own_stay(line: str) -> None:
    """A document of one page each has numbers that go up with its pages."""
    assert kept(filing(12, line)) == filing(12, line)
    assert kept(filing(12, line, above="CONFIDENTIAL")) == filing(12, line, above="CONFIDENTIAL")


@pytest.mark.parametrize("line", NUMBERED)
def test_web_pages_lose_no_line_with_a_number(tmp_path: Path, line: str) -> None:
    paragraphs = "".join(f"<p>{text}</p>" for text in filing(12, line))
    (tmp_path / "a.html").write_text(f"<html><body>{paragraphs}</body></html>")
    found = texts(read(tmp_path / "a.html"))
    assert [line.format(number) for number in range(1, 13)] == [text for text in found if len(text) < 60]


def test_what_stands_beside_the_numbers_stays_once() -> None:
    assert kept(filing(7, f"{SOURCE}\n{{}}")) == [BODY[0], SOURCE, *BODY[1:]]
    assert kept(filing(7, "- {} -", above="CONFIDENTIAL")) == ["CONFIDENTIAL", *BODY]


@pytest.mark.parametrize(
    "footer",
    [
        "{}.",
        "({})",
        "Section {}",
        "EXHIBIT {}",
        "Amendment No. {} to the Supply Agreement",
        "Clause {}\nTerm",
        "HPI-00{}",
    ],
)
def test_headings_and_points_that_are_numbered_stay(footer: str) -> None:
    assert kept(filing(7, footer), "heading") == filing(7, footer)


def test_numbers_that_count_no_pages_stay() -> None:
    rows = [text for n in range(1, 30) for text in (str(n), "A row of the list of parts.")]
    assert kept(rows) == rows, "too close"
    figures = [text for n, body in zip([68, 12, 400, 3, 55, 9, 21], BODY, strict=True) for text in (str(n), body)]
    assert kept(figures) == figures, "not in order"
    assert kept(filing(2, "{}")) == filing(2, "{}"), "two say nothing"
    said = [text for body in BODY for text in (body, "Agreed.")]
    assert kept(said) == said, "no number beside it"
    assert kept(filing(7, "{}"), "table") == filing(7, "{}")


def test_a_running_heading_is_no_section(tmp_path: Path) -> None:
    parts = [f"<h2>Supply of steel</h2><p>{prose_of(page)}</p><h3>Page {page} of 7</h3>" for page in range(1, 8)]
    (tmp_path / "a.html").write_text(f"<html><body>{''.join(parts)}</body></html>")
    extraction = read(tmp_path / "a.html")
    assert [text for text in texts(extraction) if text.startswith("Page")] == []
    assert {p.heading_path for p in extraction.paragraphs if p.kind == "text"} <= {("Supply of steel",), ()}


def test_numbers_in_the_flow_of_a_pdf_go_and_places_stay(tmp_path: Path) -> None:
    def page(canvas, first: int) -> None:
        for place in range(3):
            top = 100 + 210 * place
            prose(canvas, 60, top, 450, prose_of(first + place))
            line(canvas, 290, top + 180, f"Lease of the Western Pier, page {first + place}")

    path = draw(tmp_path / "a.pdf", *(partial(page, first=1 + 3 * n) for n in range(4)))
    extraction = inside.extract(path, "a.pdf")
    running_lines = [p for p in extraction.paragraphs if p.text.startswith("Lease")]
    assert [p.text for p in running_lines] == ["Lease of the Western Pier, page 1"]
    assert {box.page for box in running_lines[0].boxes} == {1, 2, 3, 4}
    assert all(0 <= box.start <= box.end <= len(running_lines[0].text) for box in running_lines[0].boxes)


@pytest.mark.django_db(transaction=True)
def test_a_filing_is_ready_without_them(alice: Person, contract: Contract) -> None:
    """What was left out on purpose is no loss; a numbered list of the same document stays."""
    body = "".join(f"<p>{text}</p>" for text in filing(5, f"{SOURCE}\n{{}}"))
    points = "".join(f"<p>{n}.</p><p>Point {n} of the list.</p>" for n in range(1, 6))
    page = f"<!DOCTYPE html><html><body>{body}{points}</body></html>".encode()
    found = shown(alice, ready(alice, contract, "filing.html", page))
    assert found.count(SOURCE) == 1
    assert not [text for text in found if text.isdigit()]
    assert "Point 5 of the list." in " ".join(found)
    assert all(prose_of(n) in found for n in range(1, 6))
