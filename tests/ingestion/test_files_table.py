"""A record's files as a table: what it shows, in which order, and what is done to several at once."""

import re
from typing import Any

import pytest

from entities.access import Scope
from entities.actions import create_entity
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion.models import File, Redo, State
from tests.conftest import Person
from tests.ingestion.helpers import ready

pytestmark = pytest.mark.django_db(transaction=True)


def table(who: Person, record: Contract, **query: str) -> str:
    return who.client.get(f"{who.base}entities/{record.pk}/files/table/", query).content.decode()


def names(page: str) -> list[str]:
    return re.findall(r'<th scope="row">.*?([\w ]+\.txt)', page)


def change(who: Person, record: Contract, act: str, *files: str) -> Any:
    return who.client.post(f"{who.base}entities/{record.pk}/files/change/", {"act": act, "file": files}, follow=True)


@pytest.fixture
def files(alice: Person, contract: Contract) -> list[str]:
    return [
        ready(alice, contract, "b notes.txt", b"The gate is green and the yard is wide."),
        ready(alice, contract, "a plan.txt", b"The pier is long."),
    ]


def test_it_is_sorted_and_filtered(alice: Person, contract: Contract, files: list[str]) -> None:
    assert names(table(alice, contract)) == ["a plan.txt", "b notes.txt"]
    assert names(table(alice, contract, ordering="-name")) == ["b notes.txt", "a plan.txt"]
    assert names(table(alice, contract, ordering="size")) == ["a plan.txt", "b notes.txt"]
    assert names(table(alice, contract, ordering="-size")) == ["b notes.txt", "a plan.txt"]
    assert names(table(alice, contract, ordering="password")) == ["a plan.txt", "b notes.txt"]
    assert names(table(alice, contract, q="PLAN")) == ["a plan.txt"]
    assert names(table(alice, contract, state="failed")) == []


def test_several_are_deleted_brought_back_or_read_again_at_once(
    alice: Person, viewer: Person, contract: Contract, files: list[str], service: Scope
) -> None:
    assert "2 files are being read again." in change(alice, contract, "again", *files).content.decode()
    with service.open():
        assert File.objects.exclude(redo=Redo.NOTHING).count() == 2
    page = change(alice, contract, "delete", *files, files[0], "nonsense").content.decode()
    assert "2 files are in the bin." in page
    with service.open():
        assert not File.objects.exists()
    # Undo brings both back, and somebody who may not delete here brings back nothing.
    undo = re.search(r'action="(\S+/restore/)"', page)
    also = re.findall(r'name="also" value="(\S+)"', page)
    assert undo
    assert len(also) == 1
    assert viewer.client.post(undo[1], {"also": also}).status_code == 404
    assert names(alice.client.post(undo[1], {"also": [*also, "nonsense"]}, follow=True).content.decode()) == [
        "a plan.txt",
        "b notes.txt",
    ]
    assert "Tick the files first." in change(alice, contract, "delete").content.decode()


def test_what_is_too_many_is_counted_and_an_unknown_act_is_refused(
    alice: Person, contract: Contract, files: list[str], service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    for act in ("", "keep"):
        assert change(alice, contract, act, *files).status_code == 400
    monkeypatch.setattr("ingestion.files_table_views.MAX_FILES", 1)
    page = change(alice, contract, "delete", *files).content.decode()
    assert "1 file is in the bin." in page
    assert "1 more were ticked and left as they are: at most 1 at once." in page
    with service.open():
        assert File.objects.exclude(redo=Redo.NOTHING).count() == 0
        assert File.objects.count() == 1
    assert "more were ticked" not in change(alice, contract, "delete", *files[:1]).content.decode()


def test_only_who_may_does_it_and_only_on_this_record(
    alice: Person, staff: Person, viewer: Person, outsider: Person, contract: Contract, files: list[str], service: Scope
) -> None:
    for who, act, status in (
        (viewer, "again", 403),
        (viewer, "delete", 403),
        (staff, "delete", 403),
        (outsider, "delete", 404),
    ):
        assert change(who, contract, act, *files).status_code == status
    page = table(viewer, contract)
    assert ("Tick" in page, "Read again" in page, "a plan.txt" in page) == (False, False, True)
    with alice.scope.open():
        other = create_entity(scope=alice.scope, model=Contract, fields={"name": "Other", "counterparty": "Nobody"})
    assert isinstance(other, Contract)
    assert "Tick the files first." in change(alice, other, "delete", *files).content.decode()
    with service.open():
        assert File.objects.count() == 2


def test_sizes_and_names_that_are_not_theirs_sort_nothing(
    alice: Person, viewer: Person, contract: Contract, files: list[str], service: Scope
) -> None:
    with service.open():
        File.objects.filter(name="b notes.txt").update(name_classification=FINANCIAL)
    shown = [table(viewer, contract, ordering=ordering) for ordering in ("size", "-size")]
    for page in shown:
        rows = re.findall(r'<th scope="row">(.*?)</th>', page, re.DOTALL)
        assert [("a plan.txt" in row, "notes" in row) for row in rows] == [(True, False), (False, False)]
    assert "notes" not in table(viewer, contract, q="notes").replace('value="notes"', "")


def test_where_rows_are_folded_away_those_that_failed_stay_before(
    alice: Person, contract: Contract, files: list[str], service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stand() -> list[str]:
        page = alice.client.get(f"{alice.base}entities/{contract.pk}/files/").content.decode()
        return re.findall(r'id="file-([0-9a-f-]+)"', page)

    with service.open():
        File.objects.filter(pk=files[0]).update(state=State.FAILED)
    assert stand() == [files[1], files[0]]
    monkeypatch.setattr("ingestion.views.UNFOLDED_ROWS", 1)
    assert stand() == files
