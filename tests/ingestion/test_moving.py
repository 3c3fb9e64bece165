"""A file goes to another folder: who may do it, what shows it, and where links lead then."""

from typing import Any

import pytest

from entities.access import Scope
from entities.actions import create_entity
from entities.models import Entity
from entities.models.classification import FINANCIAL
from entities.types import Contract, Project
from ingestion.models import File
from references.models import Reference
from tests.conftest import Person
from tests.ingestion.helpers import ready
from tests.ingestion.test_files_table import names, table

pytestmark = pytest.mark.django_db(transaction=True)


def move(who: Person, record: Entity, into: str, *files: str) -> Any:
    address = f"{who.base}entities/{record.pk}/files/change/"
    return who.client.post(address, {"act": "move", "into": into, "file": files}, follow=True)


def path_of(service: Scope, file: str) -> str:
    with service.open():
        return File.objects.values_list("path", flat=True).get(pk=file)


def test_files_are_moved_and_shown_by_folder(alice: Person, contract: Contract, service: Scope) -> None:
    plan = ready(alice, contract, "a plan.txt", b"The pier is long.")
    notes = ready(alice, contract, "b notes.txt", b"The gate is green.")
    assert "2 files moved." in move(alice, contract, "minutes/2026", plan, notes).content.decode()
    assert (path_of(service, plan), path_of(service, notes)) == (
        "/minutes/2026/a plan.txt",
        "/minutes/2026/b notes.txt",
    )
    assert "1 file moved." in move(alice, contract, "/minutes/", notes).content.decode()
    top = table(alice, contract)
    assert "?folder=/minutes" in top
    assert sorted(names(table(alice, contract, folder="/minutes"))) == ["a plan.txt", "b notes.txt"]
    assert names(table(alice, contract, folder="/minutes/2026")) == ["a plan.txt"]
    assert names(table(alice, contract, folder="/minute")) == []
    move(alice, contract, "", plan)
    assert names(table(alice, contract, folder="/minutes")) == ["b notes.txt"]


def test_an_integrator_moves_a_file(alice: Person, viewer: Person, contract: Contract, service: Scope) -> None:
    file = ready(alice, contract, "a plan.txt", b"The pier is long.")
    assert viewer.api.patch(f"/api/files/{file}/", {"folder": "/minutes"}).status_code == 403
    assert alice.api.patch(f"/api/files/{file}/", {}).status_code == 400
    assert alice.api.patch(f"/api/files/{file}/", {"folder": "/minutes"}).status_code == 202
    assert path_of(service, file) == "/minutes/a plan.txt"


def test_only_who_may_upload_moves_and_nothing_leaves_its_folder(
    alice: Person, viewer: Person, outsider: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "a plan.txt", b"The pier is long.")
    assert move(viewer, contract, "minutes", file).status_code == 403
    assert move(outsider, contract, "minutes", file).status_code == 404
    assert "leads out of its folder" in move(alice, contract, "../minutes", file).content.decode()
    assert (
        "longer than 600" in move(alice, contract, "m" * 200 + "/" + "n" * 255 + "/" + "o" * 255, file).content.decode()
    )
    assert path_of(service, file) == "a plan.txt"


def test_a_name_is_taken_only_for_who_may_read_it(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    there = ready(alice, contract, "a plan.txt", b"The pier is long.")
    move(alice, contract, "minutes", there)
    other = ready(alice, contract, "a plan.txt", b"The pier is short.")
    assert other != there
    assert "already a file" in move(staff, contract, "minutes", other).content.decode()
    with service.open():
        File.objects.filter(pk=there).update(name_classification=FINANCIAL)
    assert "1 file moved." in move(staff, contract, "minutes", other).content.decode()
    assert "may not read the name" in move(staff, contract, "elsewhere", there).content.decode()
    assert path_of(service, there) == "/minutes/a plan.txt"


def test_links_lead_to_where_a_file_is_now(alice: Person, contract: Contract, service: Scope) -> None:
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Journeys"})
    target = ready(alice, project, "visa.md", b"# Visas\n\nA visa takes two weeks.")
    ready(alice, contract, "travel.md", b"See [the visas](/travel/visa.md) before you book.", path="/guides/travel.md")

    def count_references() -> int:
        with service.open():
            return Reference.objects.filter(origin=Reference.Origin.DOCUMENT).count()

    assert count_references() == 0
    move(alice, project, "travel", target)
    assert count_references() == 1
    move(alice, project, "journeys", target)
    assert count_references() == 0
