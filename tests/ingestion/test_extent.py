"""How much there is in a file, what it is called and why it failed: told as far as the text of it is."""

import re

import pytest

from entities.access import Scope
from entities.models import Classification, Workspace
from entities.models.classification import PII, SECRET
from entities.rag import Collection
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import File, FileRevision, State
from tests.conftest import Person, person
from tests.ingestion.helpers import ready, upload

pytestmark = pytest.mark.django_db(transaction=True)
QUAY = b"The quay is open to all today, they say."
HERON = b"\n\nThe code word is heron and nothing else is said."
KOWALSKI = "Kowalski dismissal.txt"


@pytest.fixture(autouse=True)
def _secret_is_concealed(service: Scope) -> None:
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)


def decide(by: Person, file: str, match: str, labels: list[int]) -> None:
    rows = by.api.get(f"/api/files/{file}/paragraphs/").json()["results"]
    paragraph = next(row["id"] for row in rows if match in row["text"])
    answer = by.api.patch(f"/api/paragraphs/{paragraph}/", {"labels": labels, "reason": "so it is"}, format="json")
    assert answer.status_code == 200
    process_all_waiting(by.scope.workspace)


def shown(who: Person, file: str) -> dict[str, object]:
    answer = who.api.get(f"/api/files/{file}/")
    assert answer.status_code == 200
    return dict(answer.json())


def row(who: Person, file: str) -> str:
    """The row's HTML. It has neither the file's id nor a form's token: digits in these are random."""
    page = who.client.get(f"{who.base}files/{file}/row/").content.decode().replace(file, "")
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


# The revision that is shown


def test_who_sent_the_first_revision_learns_no_more_of_the_second_than_others(
    alice: Person, staff: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(staff, contract, "n.txt", QUAY)
    before = row(staff, file)
    assert "Cut into" in before
    assert ready(alice, contract, "n.txt", QUAY + HERON) == file
    decide(alice, file, "heron", [SECRET])
    assert shown(alice, file)["size"] == len(QUAY + HERON)
    assert shown(viewer, file)["size"] is None
    assert shown(staff, file)["size"] == len(QUAY), "theirs: a size that goes away would tell that another one came"
    assert shown(staff, file)["revision"] == 1
    assert row(staff, file) == before
    assert row(alice, file) not in (before, row(viewer, file))


def test_who_sent_the_first_revision_is_not_told_the_size_of_the_second_that_they_know_of(
    alice: Person, staff: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(staff, contract, "n.txt", QUAY)
    assert "Cut into" in row(staff, file)
    assert ready(alice, contract, "n.txt", QUAY + HERON + b"\n\nThe gate is green.") == file
    decide(alice, file, "heron", [SECRET])
    assert shown(staff, file)["revision"] == 2
    assert shown(staff, file)["size"] is shown(viewer, file)["size"] is None
    assert "Cut into" in row(alice, file)
    assert "Cut into" not in row(staff, file)


def test_who_sent_what_is_shown_knows_its_size(alice: Person, staff: Person, contract: Contract) -> None:
    file = ready(alice, contract, "n.txt", QUAY)
    assert ready(staff, contract, "n.txt", QUAY + HERON) == file
    decide(alice, file, "heron", [SECRET])
    assert shown(staff, file)["size"] == len(QUAY + HERON)


def test_a_revision_on_its_way_does_not_tell_the_pages_of_the_one_before_it(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "n.txt", QUAY)
    with service.open():
        File.objects.filter(pk=file).update(pages=41)
    assert upload(staff, contract, "n.txt", QUAY + HERON).json()["id"] == file
    assert shown(staff, file)["pages"] is None
    assert shown(alice, file)["pages"] == 41


def test_a_file_whose_later_revision_is_concealed_is_gone_for_who_sent_the_first(
    alice: Person, staff: Person, contract: Contract
) -> None:
    file = ready(staff, contract, "n.txt", QUAY)
    assert ready(alice, contract, "n.txt", HERON, labels=str(SECRET)) == file
    assert staff.api.get(f"/api/files/{file}/").status_code == 404
    assert staff.api.get(f"/api/entities/{contract.pk}/files/").json()["count"] == 0
    assert alice.api.get(f"/api/files/{file}/").status_code == 200


def test_who_sent_a_file_that_came_out_concealed_sees_that_it_is_there(
    alice: Person, staff: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(staff, contract, "n.txt", QUAY)
    decide(alice, file, "quay", [SECRET])
    assert staff.api.get(f"/api/files/{file}/").status_code == 200
    assert viewer.api.get(f"/api/files/{file}/").status_code == 404


def test_how_far_a_file_is_tells_its_pages_to_who_sent_it_only(
    alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    """One page of seven is 14 per cent."""
    file = upload(staff, contract, "n.txt", QUAY).json()["id"]
    with service.open():
        File.objects.filter(pk=file).update(state=State.PROCESSING, stage="extract", progress=14, page=2, page_count=7)
    assert shown(staff, file)["progress"] == shown(alice, file)["progress"] == 14
    assert (shown(viewer, file)["progress"], shown(viewer, file)["stage"]) == (0, "extract")
    assert "page 2 of 7" in row(staff, file)
    assert "14" not in row(viewer, file)
    with service.open():
        File.objects.filter(pk=file).update(state=State.QUARANTINED, error_code="timeout")
    assert shown(viewer, file)["progress"] == 0


# Errors


def test_why_a_file_failed_is_told_with_numbers_to_who_sent_it_only(
    alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = upload(staff, contract, "n.txt", QUAY).json()["id"]
    for code, kind in (("timeout", "Reading this file took too long."), ("new", "This file could not be processed.")):
        with service.open():
            File.objects.filter(pk=file).update(
                state=State.QUARANTINED, error_code=code, error_detail="Page 41 of 977 took too long.", error_page=41
            )
        full = {"code": code, "detail": "Page 41 of 977 took too long.", "page": 41}
        assert shown(staff, file)["error"] == shown(alice, file)["error"] == full
        assert shown(viewer, file)["error"] == {"code": code, "detail": kind}
        assert "977" in row(staff, file)
        assert "977" not in row(viewer, file)


# Names


@pytest.fixture
def _names_are_pii(monkeypatch: pytest.MonkeyPatch) -> None:
    collections = {"documents": Collection("Documents", name_classification=PII)}
    monkeypatch.setattr(Contract.Rag, "collections", collections)


@pytest.mark.usefixtures("_names_are_pii")
def test_a_name_that_one_may_not_read_is_not_found_by_guessing_it(
    alice: Person, staff: Person, workspace: Workspace, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, KOWALSKI, QUAY)
    told = ("name", "size", "state", "stage", "revision", "labels", "error", "pages")
    right, wrong = (upload(staff, contract, name, b"Other words.").json() for name in (KOWALSKI, "Smith.txt"))
    assert right["id"] != file
    assert {key: right[key] for key in told} == {key: wrong[key] for key in told}
    again = upload(staff, contract, KOWALSKI, b"Yet other words.").json()
    assert (again["id"], again["revision"]) == (right["id"], 2)
    with service.open():
        assert FileRevision.objects.filter(file=file).count() == 1
    assert ready(alice, contract, KOWALSKI, b"The next one.") == file


@pytest.mark.usefixtures("_names_are_pii")
def test_files_are_in_the_order_of_names_that_are_readable_and_no_others(
    alice: Person, hr: Person, staff: Person, contract: Contract
) -> None:
    made = {name: ready(alice, contract, f"{name}.txt", QUAY) for name in ("Z", "A", "M")}

    def order(who: Person) -> list[str]:
        found = who.api.get(f"/api/entities/{contract.pk}/files/").json()["results"]
        return [next(name for name, pk in made.items() if pk == row["id"]) for row in found]

    assert order(hr) == ["A", "M", "Z"]
    assert order(staff) == ["Z", "A", "M"]


# Paragraphs


def test_a_steward_cannot_count_the_paragraphs_that_are_concealed(
    alice: Person, workspace: Workspace, contract: Contract
) -> None:
    bare = person(workspace, "bare", [], ("Steward",))
    file = ready(alice, contract, "n.txt", QUAY + HERON + b"\n\nThe last line is about weather.")
    decide(alice, file, "heron", [SECRET])
    found = bare.api.get(f"/api/files/{file}/paragraphs/").json()["results"]
    assert [row["text"][:8] for row in found] == ["The quay", "The last"]
    assert all("position" not in row for row in found)
