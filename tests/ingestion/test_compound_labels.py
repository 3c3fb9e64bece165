"""Text that two windows label differently needs both labels: one compound value, read by who holds both alone."""

import pytest

from entities.access import Scope, list_atoms
from entities.models import Workspace
from entities.models.classification import FINANCIAL, FIRST_COMPOUND, SECRET
from entities.types import Contract
from ingestion import classify
from ingestion.models import ContextRow, Paragraph
from llm import scripted
from llm.scripted import RecordedRequest
from tests.conftest import Person, person
from tests.ingestion.helpers import labelled, ready, texts

LINES = [f"Berth number {n:02} is dredged once more before the winter." for n in range(12)]
TWICE = 5
"""Stands in both windows: these hold six lines, each a page, and overlap by two."""


def is_window(request: RecordedRequest) -> bool:
    return "record_labels" in request.tools


@pytest.fixture
def both(workspace: Workspace) -> Person:
    return person(workspace, "both", [FINANCIAL, SECRET])


@pytest.fixture
def secret(workspace: Workspace) -> Person:
    return person(workspace, "secret", [SECRET])


@pytest.fixture
def file(alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of ten lines: the first window finds the sixth Financial, the second finds it Secret."""
    monkeypatch.setattr(classify, "PAGE", 60)
    monkeypatch.setattr(classify, "WINDOW", 6 * len(LINES[0]))
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(6, {0: [FINANCIAL], TWICE: [FINANCIAL]}), when=is_window)
        script.push(tool_use=labelled(6, {TWICE - 4: [SECRET], 5: [SECRET]}), when=is_window)
        made = ready(alice, contract, "berths.txt", "\n\n".join(LINES[:10]).encode())
        asked = [request.text for request in script.requests if is_window(request)]
        assert [LINES[TWICE] in text for text in asked] == [True, True]
    return made


def test_it_has_one_value_of_both_atoms_and_all_votes_are_kept(file: str, service: Scope) -> None:
    with service.open():
        rows = list(Paragraph.objects.filter(file=file).order_by("position"))
        compound = rows[TWICE].data_classification
        assert compound >= FIRST_COMPOUND
        assert set(list_atoms(compound)) == {FINANCIAL, SECRET}
        assert [rows[0].data_classification, rows[1].data_classification] == [FINANCIAL, 0]
        said = [vote["labels"] for vote in rows[TWICE].votes if vote["source"] == "model"]
        assert said == [[FINANCIAL], [SECRET]]
        chunks = ContextRow.objects.filter(file=file, text__contains=LINES[TWICE])
        assert set(chunks.values_list("data_classification", flat=True)) == {compound}


def test_only_who_holds_both_reads_and_finds_it(
    file: str, both: Person, cfo: Person, secret: Person, viewer: Person
) -> None:
    assert texts(both, file) == LINES[:10]
    shown = {who.user.username: texts(who, file) for who in (cfo, secret, viewer)}
    assert {who: lines[TWICE] for who, lines in shown.items()} == {
        "cfo": "[Secret]",
        "secret": "[Financial]",
        "viewer": "[Financial, Secret]",
    }
    # Each of the atoms alone is read by who holds it.
    assert (shown["cfo"][0], shown["cfo"][9]) == (LINES[0], "[Secret]")
    assert (shown["secret"][0], shown["secret"][9]) == ("[Financial]", LINES[9])
    for who in (both, cfo, secret, viewer):
        found = str(who.api.get("/api/search/", {"q": LINES[TWICE]}).json()["results"])
        assert (LINES[TWICE] in found) == (who is both), who.user.username


def test_two_readings_that_differ_wait_at_the_desk(file: str, steward: Person) -> None:
    waiting = steward.api.get("/api/desk/", {"file": file}).json()["results"]
    assert [(item["text"], item["causes"]) for item in waiting] == [(LINES[TWICE], ["conflict"])]
