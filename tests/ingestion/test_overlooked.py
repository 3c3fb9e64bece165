"""What a reading overlooks stays in the original, and a choice of reading tells nothing of withheld versions."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from entities.access import Scope
from entities.types import Contract
from ingestion import drift, pipeline
from ingestion.inline import process_all_waiting
from ingestion.models import File
from ingestion.staleness import is_stale
from tests.conftest import Person
from tests.ingestion.helpers import choose, lossy, read_anew, ready, texts, upload

LEASE = "The office is open from eight to six, and the canteen until two."
PAY = "Jane Doe's salary is 68,400 pounds a year and her bonus 4,000."


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A reader that overlooks what stands last, and says nothing of it. `undo` makes it see."""
    seeing = pipeline.extract_file

    def overlook(*given: Any, **options: Any) -> Any:
        found = seeing(*given, **options)
        return replace(found, paragraphs=found.paragraphs[:-1])

    monkeypatch.setattr(drift, "check_losses", lambda path, extraction: extraction)
    monkeypatch.setattr(pipeline, "extract_file", overlook)
    return monkeypatch


def has_original(who: Person, file: str, version: int) -> list[int]:
    """Status of the original as it is, and of that version's."""
    at = f"/api/files/{file}/"
    return [who.api.get(f"{at}{path}download/").status_code for path in ("", f"versions/{version}/")]


def test_what_a_reading_overlooks_is_in_the_original_still(
    alice: Person, viewer: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    given = f"{LEASE}\n\n{PAY}\n".encode()
    file = ready(alice, contract, "office.txt", given)
    assert has_original(viewer, file, 1) == [403, 403]
    request.getfixturevalue("blind")
    read_anew(alice, file, "layout")
    assert texts(alice, file) == [LEASE]
    assert has_original(viewer, file, 1) == [403, 403], "nothing shown needs a clearance, but the bytes hold the salary"
    assert has_original(alice, file, 1) == [200, 200]
    # Other bytes are theirs to have; those bytes come back as another version, which is read blindly from the start.
    ready(alice, contract, "office.txt", b"It is closed.\n\nThis is overlooked.\n")
    assert has_original(viewer, file, 1) == [200, 403]
    ready(alice, contract, "office.txt", given)
    assert texts(alice, file) == [LEASE]
    assert has_original(viewer, file, 3) == [403, 403]


@pytest.mark.parametrize("way", ["upload", "restore"])
def test_what_a_reading_overlooks_as_a_version_comes_is_in_its_original_too(
    alice: Person, viewer: Person, contract: Contract, request: pytest.FixtureRequest, way: str
) -> None:
    """The same bytes as another version; and a heading that says what was lost has not its label."""
    given = f"{LEASE}\n\n# Salary\n\n{PAY}\n".encode()
    file = ready(alice, contract, "office.md", given)
    assert has_original(viewer, file, 1) == [403, 403]
    if way == "restore":
        ready(alice, contract, "office.md", b"It is closed.\n\nNobody is there.\n")
        assert has_original(viewer, file, 2)[0] == 200
    request.getfixturevalue("blind")
    if way == "restore":
        assert alice.api.post(f"/api/files/{file}/versions/1/restore/").status_code == 202
        process_all_waiting(alice.scope.workspace)
    else:
        ready(alice, contract, "office.md", given, strategy="layout")
    assert texts(viewer, file) == [LEASE, "Salary"]
    assert has_original(viewer, file, 1)[0] == 403
    assert has_original(alice, file, 1)[0] == 200


@pytest.mark.parametrize("theirs", [True, False])
def test_a_choice_tells_nothing_of_a_version_that_is_withheld(
    alice: Person, staff: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch, theirs: bool
) -> None:
    file = ready(alice, contract, "office.txt", LEASE.encode())
    if theirs:
        monkeypatch.setattr(drift, "check_losses", lossy)
        upload(alice, contract, "office.txt", b"Other words.")
        process_all_waiting(alice.scope.workspace)
        assert alice.api.get(f"/api/files/{file}/").json()["state"] == "quarantined"
        monkeypatch.undo()
    chosen = choose(staff, file, "layout")
    assert (chosen.status_code, chosen.json()["state"], chosen.json()["strategy"]) == (202, "pending", "layout")
    process_all_waiting(alice.scope.workspace)
    assert staff.api.get(f"/api/files/{file}/").json()["state"] == "ready"
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == ("quarantined" if theirs else "ready")


def lossy_of_others(path: Path, extraction: Any) -> Any:
    if b"Other" in path.read_bytes():
        lossy(path, extraction)
    return extraction


@pytest.mark.parametrize("sent", ["by another", "by themselves"])
@pytest.mark.parametrize("ending", ["ready", "quarantined"])
def test_a_choice_answers_the_same_whether_or_not_a_version_is_on_its_way(
    alice: Person,
    staff: Person,
    contract: Contract,
    service: Scope,
    monkeypatch: pytest.MonkeyPatch,
    sent: str,
    ending: str,
) -> None:
    sender = staff if sent == "by themselves" else alice
    file, twin = (ready(sender, contract, name, LEASE.encode()) for name in ("office.txt", "office.text"))
    upload(alice, contract, "office.txt", b"Other words.\n\nAnd more of them.")

    def told(who: Person, pk: str) -> list[Any]:
        """What the API and the page say of it, but which of the two it is."""
        shown = {k: v for k, v in who.api.get(f"/api/files/{pk}/").json().items() if k not in ("id", "name", "path")}
        versions = who.api.get(f"/api/files/{pk}/versions/").json()["results"]
        page = who.client.get(f"{who.base}files/{pk}/versions/").content.decode()
        return [shown, [{**v, "at": ""} for v in versions], page.partition('id="reading"')[2].replace(pk, "")]

    def same(who: Person) -> bool:
        return _unsaid(told(who, file)) == _unsaid(told(who, twin))

    assert same(staff)
    assert not same(alice), "it is hers"
    here, there = choose(staff, file, "layout"), choose(staff, twin, "layout")
    own = ("id", "name", "path")
    assert {**here.json(), **dict.fromkeys(own)} == {**there.json(), **dict.fromkeys(own)}
    assert (here.status_code, here.json()["state"], here.json()["stage"]) == (202, "pending", "waiting")
    assert same(staff)
    if ending == "quarantined":
        monkeypatch.setattr(drift, "check_losses", lossy_of_others)
    process_all_waiting(alice.scope.workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == ending
    if ending == "quarantined":
        assert same(staff), "and what they see has been read in the way that they chose"
        assert staff.api.get(f"/api/files/{file}/").json()["state"] == "ready"
    with service.open():
        assert not File.objects.filter(is_stale()).exists()
        assert not File.objects.exclude(redo="").exists()


def _unsaid(told: list[Any]) -> list[Any]:
    """Without what a page says anew each time."""
    return [*told[:-1], re.sub(r'name="csrfmiddlewaretoken" value="\w+"|nonce-\w+', "", told[-1])]


@pytest.mark.django_db(transaction=True)
def test_what_is_found_again_is_decided_on_again(
    alice: Person, viewer: Person, steward: Person, contract: Contract, request: pytest.FixtureRequest
) -> None:
    file = ready(alice, contract, "office.txt", f"{LEASE}\n\n{PAY}\n".encode())
    blind: pytest.MonkeyPatch = request.getfixturevalue("blind")
    read_anew(alice, file, "layout")
    blind.undo()
    read_anew(alice, file, "text")
    assert has_original(viewer, file, 1) == [403, 403]
    rows = steward.api.get(f"/api/files/{file}/paragraphs/").json()["results"]
    (salary,) = [row["id"] for row in rows if row["text"] == PAY]
    decided = steward.api.patch(f"/api/paragraphs/{salary}/", {"labels": [], "reason": "an example"}, format="json")
    assert decided.status_code == 200
    process_all_waiting(alice.scope.workspace)
    assert texts(viewer, file) == [LEASE, PAY]
    assert has_original(viewer, file, 1) == [200, 200], "what was remembered of it has no say any more"
