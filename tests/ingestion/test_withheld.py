"""What one reading found in bytes is in them still when another does not find it: in an attachment, or where nobody is
cleared for it. The original stays withheld."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from entities.access import Scope
from entities.types import Contract
from ingestion import drift, pipeline
from ingestion.documents import Extraction
from ingestion.inline import process_all_waiting
from tests.conftest import Person
from tests.ingestion.helpers import SALARY, paragraph, ready, texts, upload
from tests.ingestion.losing import without
from tests.ingestion.test_attachments import files_of, message

pytestmark = pytest.mark.django_db(transaction=True)

WAYS = ["read again", "sent again", "restored"]
OTHER = {"m.eml": message(subject="Tides").as_bytes(), "page.html": b"<!DOCTYPE html><p>Other words.</p>"}
PAID = message(("pay.txt", f"Of the crew.\n\n{SALARY}\n".encode())).as_bytes()
BEHIND = b"<!DOCTYPE html><p>Seen.</p><video src='data:video/mp4;base64,AAAA'></video>"

Blind = Callable[[str, Callable[[Extraction], Extraction]], None]


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> Blind:
    """From now on files of a name are read so."""

    def begin(name: str, lose: Callable[[Extraction], Extraction]) -> None:
        seeing = pipeline.extract_file

        def extract(path: Any, given: str, **options: Any) -> Extraction:
            found = seeing(path, given, **options)
            return lose(found) if given == name else found

        monkeypatch.setattr(drift, "check_losses", lambda path, extraction: extraction)
        monkeypatch.setattr(pipeline, "extract_file", extract)

    return begin


def again(who: Person, contract: Contract, way: str, name: str, content: bytes, file: str) -> None:
    """The same bytes are read anew: in place, or as a version."""
    if way == "sent again":
        assert ready(who, contract, name, content, strategy="layout") == file
    elif way == "restored":
        assert who.api.post(f"/api/files/{file}/versions/1/restore/").status_code == 202
    else:
        assert who.api.patch(f"/api/files/{file}/", {"strategy": "layout"}, format="json").status_code == 202
    process_all_waiting(who.scope.workspace)
    assert who.api.get(f"/api/files/{file}/").json()["state"] == "ready"


def original(who: Person, file: str, path: str = "") -> int:
    return int(who.api.get(f"/api/files/{file}/{path}download/").status_code)


@pytest.mark.parametrize("way", WAYS)
def test_an_attachment_that_a_reading_loses_is_in_the_original_still(
    alice: Person,
    cfo: Person,
    viewer: Person,
    steward: Person,
    contract: Contract,
    service: Scope,
    blind: Blind,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    mail = ready(alice, contract, "m.eml", PAID)
    assert [original(who, mail) for who in (viewer, cfo, alice)] == [403, 200, 200]
    if way == "restored":
        ready(alice, contract, "m.eml", OTHER["m.eml"])
        assert original(viewer, mail) == 200, "other bytes are theirs to have"
    blind("m.eml", lambda found: replace(found, attachments=()))
    again(alice, contract, way, "m.eml", PAID, mail)
    assert set(files_of(alice, contract)) == {"m.eml"}
    assert [original(who, mail) for who in (viewer, cfo, alice)] == [403, 403, 200]
    # Once it is found again it counts as it is labelled now.
    monkeypatch.undo()
    assert alice.api.patch(f"/api/files/{mail}/", {"strategy": "text"}, format="json").status_code == 202
    process_all_waiting(alice.scope.workspace)
    assert [original(who, mail) for who in (viewer, cfo, alice)] == [403, 200, 200]
    decision = {"labels": [], "reason": "an example"}
    salary = paragraph(service, SALARY).pk
    assert steward.api.patch(f"/api/paragraphs/{salary}/", decision, format="json").status_code == 200
    process_all_waiting(alice.scope.workspace)
    assert [original(who, mail) for who in (viewer, cfo, alice)] == [200, 200, 200]


def test_an_attachment_that_comes_back_and_is_not_all_read_holds_what_it_held(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, blind: Blind
) -> None:
    """It is another file than before, of which nothing is remembered but in its message."""
    mail = ready(alice, contract, "m.eml", PAID)
    ready(alice, contract, "m.eml", OTHER["m.eml"])
    blind("pay.txt", lambda found: replace(found, paragraphs=found.paragraphs[:-1]))
    again(alice, contract, "restored", "m.eml", PAID, mail)
    pay = files_of(alice, contract)["pay.txt"]["id"]
    assert texts(viewer, pay) == ["Of the crew."]
    assert [original(viewer, file) for file in (mail, pay)] == [403, 403]
    assert [original(cfo, file) for file in (mail, pay)] == [200, 200]


@pytest.mark.parametrize("way", WAYS)
def test_what_nobody_is_cleared_for_stays_the_stewards(
    alice: Person, staff: Person, steward: Person, contract: Contract, blind: Blind, way: str
) -> None:
    file = ready(alice, contract, "page.html", BEHIND)
    assert [original(who, file) for who in (staff, steward)] == [403, 200]
    if way == "restored":
        ready(alice, contract, "page.html", OTHER["page.html"])
        assert original(staff, file) == 200
    blind("page.html", lambda found: replace(found, unaccounted=()))
    again(alice, contract, way, "page.html", BEHIND, file)
    assert [original(who, file) for who in (staff, steward)] == [403, 200]
    last = alice.api.get(f"/api/files/{file}/").json()["revision"]
    ready(alice, contract, "page.html", OTHER["page.html"])
    assert [original(who, file) for who in (staff, steward)] == [200, 200]
    told = staff.api.get(f"/api/files/{file}/versions/").json()["count"] - 1  # by the numbers that they are told
    assert original(staff, file, f"versions/{told}/") == 403
    assert original(steward, file, f"versions/{last}/") == 200


@pytest.mark.parametrize("knows", [False, True])
def test_what_nobody_is_cleared_for_in_an_attachment_that_comes_back(
    alice: Person, staff: Person, steward: Person, contract: Contract, blind: Blind, knows: bool
) -> None:
    """Twins: nothing is behind the one page."""
    content = message(("page.html", OTHER["page.html"] if knows else BEHIND)).as_bytes()
    mail = ready(alice, contract, "m.eml", content)
    assert original(staff, mail) == (200 if knows else 403)
    ready(alice, contract, "m.eml", OTHER["m.eml"])
    blind("page.html", lambda found: replace(found, unaccounted=()))
    again(alice, contract, "restored", "m.eml", content, mail)
    page = files_of(alice, contract)["page.html"]["id"]
    expected = 200 if knows else 403
    assert [original(staff, file) for file in (mail, page)] == [expected, expected]
    assert [original(steward, file) for file in (mail, page)] == [200, 200]


def test_what_a_released_version_lost_has_no_label_and_is_in_its_original(
    alice: Person, cfo: Person, viewer: Person, steward: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = "| Post | Salary in pounds a year |\n|---|---|\n| Site manager | 68,400 |\n| Crane driver | 51,300 |\n"
    given = f"The quay is closed.\n\n{table}".encode()
    seeing = pipeline.extract_file

    def overlook(*given: Any, **options: Any) -> Extraction:
        return without(seeing(*given, **options), lambda p: p.kind == "table")

    with monkeypatch.context() as blind:
        blind.setattr(pipeline, "extract_file", overlook)
        file = upload(alice, contract, "plan.md", given).json()["id"]
        process_all_waiting(alice.scope.workspace)
        answer = steward.api.post(f"/api/files/{file}/review/", {"decision": "release"}, format="json")
        assert answer.status_code == 200, answer.content
        process_all_waiting(alice.scope.workspace)
    assert texts(viewer, file) == ["The quay is closed."]
    assert [original(who, file) for who in (viewer, steward)] == [403, 200]
    # All of it is read in another way, and counted again: it is as any other file.
    again(alice, contract, "read again", "plan.md", given, file)
    assert texts(viewer, file) == ["The quay is closed.", "[Financial]"]
    assert [original(who, file) for who in (viewer, cfo, steward)] == [403, 200, 200]
