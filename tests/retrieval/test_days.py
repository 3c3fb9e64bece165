"""A day is one thing, however the question and the text write it."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from entities.access import Scope
from entities.actions import create_entity
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion.models import ContextRow
from tests.conftest import Person
from tests.retrieval.conftest import Index

WRITTEN = ("2026-03-24", "24.3.2026", "24 March 2026", "March 24th, 2026", "24/03/2026", "24. März 2026", "24-Mar-2026")


@pytest.fixture
def days(index: Index, contract: Contract) -> None:
    for written in WRITTEN:
        index.row(contract, f"The crane was inspected on {written} by nobody.", vector=False)
    index.row(contract, "In March 2026, there were 24 cranes.", vector=False)
    index.row(contract, "The crane was inspected on 03/04/2026 and on 24 March 2025.", vector=False)


def test_every_way_to_write_a_day_finds_every_other(subtests: pytest.Subtests, days: None, viewer: Person) -> None:
    for question in ["2026-03-24", "24 March 2026?", "March 24, 2026", "24.03.2026"]:
        with subtests.test(question=question):
            found = viewer.api.get("/api/search/", {"q": question}).json()["results"]
            assert {result["text"] for result in found} == {
                f"The crane was inspected on {written} by nobody." for written in WRITTEN
            }
            assert all(result["why"].startswith(f"Matched “{question.rstrip('?')}”") for result in found)


def test_a_day_of_two_meanings_is_no_day(days: None, viewer: Person) -> None:
    found = viewer.api.get("/api/search/", {"q": "cranes on 4 March 2026"}).json()["results"]
    assert not any("2026" in result["why"] for result in found)


def test_a_day_is_marked_and_said_only_where_it_stands(days: None, viewer: Person) -> None:
    page = viewer.client.get(f"{viewer.base}search/", {"q": "inspected 2026-03-24"}).content.decode()
    assert "<mark>24 March 2026</mark>" in page
    assert "<mark>March 24th, 2026</mark>" in page
    assert "<mark>24 March 2025</mark>" not in page


def test_a_hidden_day_is_not_found(index: Index, contract: Contract, viewer: Person, cfo: Person) -> None:
    index.row(contract, "Paid on 24 March 2026.", label=FINANCIAL, vector=False)
    assert viewer.api.get("/api/search/", {"q": "2026-03-24"}).json()["results"] == []
    assert len(cfo.api.get("/api/search/", {"q": "2026-03-24"}).json()["results"]) == 1


def test_who_asks_when_finds_a_day_before_the_same_words(
    index: Index, contract: Contract, viewer: Person, cfo: Person
) -> None:
    for n in range(5):
        index.row(contract, f"Signature of the contract, copy {n}.", vector=False)
    index.row(contract, "Signature of the contract: 3/4/2026.", vector=False)
    index.row(contract, "Signature of the contract: 2 May 2026.", vector=False, label=FINANCIAL)

    def first(person: Person, question: str) -> str:
        return str(person.api.get("/api/search/", {"q": question}).json()["results"][0]["text"])

    assert first(viewer, "when was the signature of the contract?") == "Signature of the contract: 3/4/2026."
    assert "copy" in first(viewer, "where was the signature of the contract?")
    assert "2026" in first(cfo, "date of the signature of the contract?")


def test_what_came_in_last_stands_first_where_that_is_asked(
    index: Index, contract: Contract, alice: Person, viewer: Person, service: Scope
) -> None:
    """Days of two records by turns: neither a group of one of them nor a neighbour takes a place."""
    with alice.scope.open():
        other = create_entity(scope=alice.scope, model=Contract, fields={"name": "Annex", "counterparty": "Port"})
    texts = [f"The crane {'cap, the crane ' * n}cap." for n in range(6)]
    files = [index.file(contract, "a.pdf"), index.file(other, "b.pdf")]
    for n, text in enumerate(texts):
        record, file = (contract, other)[n % 2], files[n % 2]
        index.row(record, text, file=file, position=3 * n + 1, vector=False)
        for beside in (3 * n, 3 * n + 2):
            index.row(record, f"Beside it: {beside}.", file=file, position=beside, vector=False)
    index.row(contract, "A crane with a secret cap.", label=FINANCIAL, vector=False)
    with service.open():
        ContextRow.objects.update(created_at=timezone.now())
        for ago, text in enumerate(texts, start=1):
            ContextRow.objects.filter(text=text).update(created_at=timezone.now() - timedelta(days=ago))
    asked = {"q": "crane cap", "sort": "newest"}
    page = viewer.client.get(f"{viewer.base}search/", {**asked, "limit": 5}).content.decode()
    assert page.count("cl-result-text") == 5
    assert "Beside" not in page
    assert "limit=15" in page, "Show more"
    page = viewer.client.get(f"{viewer.base}search/", asked).content.decode()
    days = re.findall(r"cl-match\"><time datetime=\"(\d{4}-\d\d-\d\d)", page)
    assert len(days) == 6, "what is hidden has no day"
    assert days == sorted(days, reverse=True)
    assert "secret" not in page
    found = viewer.api.get("/api/search/", {**asked, "limit": 5}).json()["results"]
    assert len(found) == 5, "the same over the API"
    assert {result["entity"]["name"] for result in found[:3]} == {"Annex"}, "its file came in last"
    assert not [result for result in found if result["text"].startswith(("Beside", "A crane"))]
    assert viewer.api.get("/api/search/", {"q": "crane cap", "sort": "oldest"}).json()["error"]["fields"]["sort"]
    best = viewer.client.get(f"{viewer.base}search/", {"q": "crane cap"}).content.decode()
    assert 'cl-match"><time' not in best
