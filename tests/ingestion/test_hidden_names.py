"""The name of a thing that somebody may see and whose name they may not: what stands in its place, everywhere."""

import json
from typing import Any

import pytest

from entities.access import Scope, combine_many
from entities.actions import create_entity
from entities.models import Classification, Entity, User
from entities.models.classification import CONFIDENTIAL, FINANCIAL, SECRET
from entities.types import Contract
from ingestion.models import File
from tests.conftest import Person, person
from tests.ingestion.helpers import ready

pytestmark = pytest.mark.django_db(transaction=True)
RECORD, DOCUMENT = "Merger with Aldgate", "Aldgate price.txt"
PLACES = [
    "",
    "records/contract/",
    "entities/{pk}/",
    "entities/{pk}/references/",
    "entities/{pk}/files/",
    "entities/{pk}/files/table/",
    "files/{file}/",
    "search/?q=gate",
]


def make_records(who: Person, *names: str) -> list[Entity]:
    with who.scope.open():
        return [create_entity(scope=who.scope, model=Contract, fields={"name": name}) for name in names]


@pytest.fixture
def named(alice: Person, service: Scope) -> dict[str, str]:
    (record,) = make_records(alice, RECORD)
    with service.open():
        Entity.objects.filter(pk=record.pk).update(name_classification=CONFIDENTIAL)
    file = ready(alice, record, DOCUMENT, b"The gate is green and the yard is wide.")
    with service.open():
        File.objects.filter(pk=file).update(name_classification=FINANCIAL)
    return {"pk": str(record.pk), "file": file}


def look(who: Person, named: dict[str, str], place: str) -> str:
    answer = who.client.get(who.base + place.format(**named))
    assert answer.status_code == 200, place
    return answer.content.decode()


def fetch(who: Person, address: str) -> Any:
    return who.api.get(f"/api/{address}").json()


def test_what_it_needs_stands_in_its_place(alice: Person, viewer: Person, cfo: Person, named: dict[str, str]) -> None:
    for place in PLACES:
        page = look(viewer, named, place)
        assert "Contract, needs Confidential" in page, place
        assert "Aldgate" not in page, place
        if "file" in place or "search" in place:
            assert "Document, needs Financial" in page, place
            assert DOCUMENT in look(cfo, named, place), "whoever holds it reads the name"
        assert RECORD in look(alice, named, place)
        assert ", needs" not in look(alice, named, place)


def test_the_api_says_what_a_name_needs(alice: Person, viewer: Person, cfo: Person, named: dict[str, str]) -> None:
    def redacted(who: Person, address: str) -> list[tuple[str, list[str]]]:
        found = fetch(who, address)
        lines = [(line["field"], [atom["label"] for atom in line["requires"]]) for line in found["redacted"]]
        assert (found["name"] is None) == ("name" in dict(lines))
        return [line for line in lines if line[0] == "name"]

    record, file = f"entities/contract/{named['pk']}/", f"files/{named['file']}/"
    assert redacted(viewer, record) == [("name", ["Confidential"])]
    assert redacted(viewer, file) == [("name", ["Financial"])]
    assert redacted(cfo, file) == []
    assert redacted(alice, record) == []
    hit = fetch(viewer, "search/?q=gate")["results"][0]
    assert (hit["file"]["name"], hit["entity"]["name"]) == (None, None)


def test_several_levels_are_named_in_the_readers_language(
    viewer: Person, named: dict[str, str], service: Scope
) -> None:
    User.objects.update(language="de")
    with service.open():
        Entity.objects.filter(pk=named["pk"]).update(name_classification=combine_many([CONFIDENTIAL, SECRET]))
    assert "Vertrag, Freigabe Vertraulich und Geheim nötig" in look(viewer, named, "entities/{pk}/")
    assert "Dokument, Freigabe Finanzen nötig" in look(viewer, named, "entities/{pk}/files/")


@pytest.mark.parametrize("concealed", [FINANCIAL, CONFIDENTIAL])
def test_a_concealed_level_is_not_named(viewer: Person, named: dict[str, str], service: Scope, concealed: int) -> None:
    with service.open():
        Classification.objects.filter(value=concealed).update(conceal=True)
    page = look(viewer, named, "entities/{pk}/files/")
    assert ("Document, needs Financial" in page) == (concealed != FINANCIAL)
    assert ("Contract, needs Confidential" in page) == (concealed != CONFIDENTIAL)
    assert "name not cleared" in page
    hidden = {"entities/contract": CONFIDENTIAL, "files": FINANCIAL}
    for kind, key in (("entities/contract", "pk"), ("files", "file")):
        assert ("name" in json.dumps(fetch(viewer, f"{kind}/{named[key]}/")["redacted"])) == (hidden[kind] != concealed)


def test_nothing_is_sorted_or_found_by_a_hidden_name(
    alice: Person, viewer: Person, workspace: Any, service: Scope
) -> None:
    """Names that come in the other order than the records and files did."""
    reader = person(workspace, "reader", [FINANCIAL])
    records = make_records(alice, "c deal", "b deal", "a deal")
    files = [ready(alice, records[0], f"{letter} plan.txt", b"The pier is long.") for letter in "cba"]
    with service.open():
        Entity.objects.update(name_classification=FINANCIAL)
        File.objects.update(name_classification=FINANCIAL)

    def list_files(who: Person) -> list[str]:
        return [row["id"] for row in fetch(who, f"entities/{records[0].pk}/files/")["results"]]

    def list_records(who: Person, **query: str) -> list[str]:
        answer = who.api.get("/api/entities/contract/", query)
        return [row["id"] for row in answer.json()["results"]]

    given = [str(record.pk) for record in records]
    assert list_records(reader, ordering="name") == given[::-1]
    assert list_records(viewer, ordering="name") == sorted(given)
    assert list_records(viewer, ordering="-name") == sorted(given)
    assert len(list_records(reader, q="a deal")) == 1
    assert list_records(viewer, q="a deal") == []
    assert list_files(viewer) == files, "as they came"
    assert list_files(reader) == files[::-1]
