"""A heading leads to the passage under it; a summary and a record's own line stand behind what says the same."""

import pytest

from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion.models import File, Kind, Paragraph
from retrieval.search import search
from tests.conftest import Person
from tests.retrieval.conftest import Index

HEADING, BODY = "Remuneration of cranemen", "Each is handed forty marks on the last Friday."


def texts(person: Person, question: str) -> list[str]:
    with person.scope.open():
        return [result.text for result in search(person.scope, question) if result.is_found]


@pytest.fixture
def section(index: Index, contract: Contract) -> File:
    """A Financial heading over a Public body, and a section after it."""
    file = index.file(contract)
    index.row(contract, HEADING, file=file, position=1, label=FINANCIAL)
    index.row(contract, BODY, file=file, position=2)
    index.row(contract, "Berths are let by the month.", file=file, position=3)
    with index.service.open():
        paragraphs = Paragraph.objects.filter(file=file)
        heading = paragraphs.get(text=HEADING)
        paragraphs.filter(pk=heading.pk).update(kind="heading")
        paragraphs.filter(text=BODY).update(headings=[heading.pk])
    return file


def test_a_heading_leads_to_the_passage_under_it(section: File, cfo: Person) -> None:
    found = texts(cfo, "remuneration of cranemen")
    assert found[0] == BODY
    assert HEADING not in found


def test_who_may_not_read_a_heading_does_not_find_by_it(
    section: File, index: Index, viewer: Person, cfo: Person
) -> None:
    """Its meaning alone may bring the passage; the words of its heading move nothing."""

    def list_scores(person: Person) -> list[tuple[str, float]]:
        with person.scope.open():
            return [(r.text, r.score) for r in search(person.scope, "remuneration cranemen") if r.is_found]

    with_heading, by_its_reader = list_scores(viewer), list_scores(cfo)
    with index.service.open():
        Paragraph.objects.filter(file=section, text=BODY).update(headings=[])
    assert with_heading == list_scores(viewer)
    assert by_its_reader != list_scores(cfo)


def test_a_heading_over_nothing_that_its_reader_sees_stays(section: File, index: Index, cfo: Person) -> None:
    with index.service.open():
        Paragraph.objects.filter(file=section, text=BODY).update(headings=[])
    assert texts(cfo, "remuneration of cranemen")[0] == HEADING, "what follows is another section"


@pytest.mark.parametrize("kind", [Kind.FILE_SUMMARY, Kind.METADATA])
def test_a_line_drawn_from_passages_stands_behind_them(
    kind: Kind, index: Index, contract: Contract, viewer: Person
) -> None:
    file = index.file(contract)
    line = "Contract: liability cap"
    passage = "The liability of the tenant has a cap, which is two million euros for each claim and for each year."
    index.row(contract, line, kind=kind, file=file if kind == Kind.FILE_SUMMARY else None)
    index.row(contract, passage, file=file, position=1)
    assert texts(viewer, "liability cap") == [passage, line]
    assert texts(viewer, "contract about a liability cap")[0] == line, "the passage lacks a word of the question"
