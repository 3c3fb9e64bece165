"""A version that changed nothing which one may know of does not exist: no number, date, author, count or gap."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models.functions import Now

from entities.access import Scope
from entities.models import Classification, Workspace
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion import drift, known_versions
from ingestion.inline import process_all_waiting
from ingestion.models import File, FileRevision, Redo
from ingestion.queueing import publish_again
from ingestion.staleness import is_stale
from tests.conftest import Person, person
from tests.ingestion.helpers import REPORT, SALARY, ready, texts, upload

HIDDEN = REPORT.replace(
    b"## Next steps", b"Overtime for the crew of the crane comes to 12,300 pounds.\n\n## Next steps"
)
NOTED = HIDDEN.replace(b"## Next steps", b"A buoy was laid north of the pier.\n\n## Next steps")


def listed(who: Person, file: str) -> list[dict[str, Any]]:
    answer = who.api.get(f"/api/files/{file}/versions/")
    assert answer.status_code == 200, answer.content
    assert answer.json()["count"] == len(answer.json()["results"])
    return list(answer.json()["results"])


def told(who: Person, file: str) -> list[tuple[int, str, Any]]:
    return [(version["number"], version["state"], version["changes"]) for version in listed(who, file)]


def stored(service: Scope, file: str) -> dict[int, FileRevision]:
    with service.open():
        return {revision.number: revision for revision in FileRevision.objects.filter(file=file)}


@pytest.fixture
def file(alice: Person, contract: Contract, service: Scope) -> str:
    """Three versions, of which the second changed only what is Financial, which is concealed."""
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    pk = ready(alice, contract)
    ready(alice, contract, content=HIDDEN)
    ready(alice, contract, content=NOTED)
    return pk


def test_who_may_not_know_of_it_sees_what_they_would_if_it_had_never_come(
    transactional_db: None,
    file: str,
    alice: Person,
    cfo: Person,
    viewer: Person,
    contract: Contract,
    service: Scope,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twin = ready(alice, contract, "twin.md")
    ready(alice, contract, "twin.md", NOTED.replace(HIDDEN.split(b"\n\n")[-2], b""))
    assert [number for number, *_ in told(alice, file)] == [3, 2, 1]
    assert [number for number, *_ in told(cfo, file)] == [3, 2, 1], "who is cleared for it knows of it"
    assert [number for number, *_ in told(viewer, file)] == [2, 1]
    assert [(n, state) for n, state, _ in told(viewer, file)] == [(n, state) for n, state, _ in told(viewer, twin)]
    assert viewer.api.get(f"/api/files/{file}/").json()["revision"] == 2
    assert alice.api.get(f"/api/files/{file}/").json()["revision"] == 3
    page = viewer.client.get(f"{viewer.base}files/{file}/versions/").content.decode()
    assert "Version 2" in page
    assert "Version 3" not in page
    hidden = stored(service, file)[2]
    assert hidden.fetched_at.isoformat() not in {version["at"] for version in listed(viewer, file)}
    assert viewer.api.get(f"/api/files/{file}/versions/3/download/").status_code == 404
    # Broken on purpose: were all numbers known, it would be told.
    with monkeypatch.context() as broken:
        broken.setattr(known_versions, "load_known_numbers", lambda scope, files: {pk: {1, 2, 3} for pk in files})
        assert [number for number, *_ in told(viewer, file)] == [3, 2, 1]
    # Where it is acknowledged instead, its placeholder shows, and so does the version that brought it.
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=False)
    assert [number for number, *_ in told(viewer, file)] == [3, 2, 1]


def test_the_last_version_stands_for_a_hidden_one_that_came_after_it(
    transactional_db: None, alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    file = ready(alice, contract)
    ready(alice, contract, content=HIDDEN)
    assert [(n, state) for n, state, _ in told(viewer, file)] == [(1, "current")]
    assert viewer.api.get(f"/api/files/{file}/").json()["revision"] == 1
    ready(alice, contract, content=NOTED)
    assert [number for number, *_ in told(staff, file)] == [2, 1]
    # What comes back is what the file was last while they saw that version; they know of their own restoring.
    assert staff.api.post(f"/api/files/{file}/versions/1/restore/").status_code == 202
    process_all_waiting(service.workspace)
    assert [(v["number"], v["restores"], v["restored_by"]) for v in listed(staff, file)] == [
        (3, 1, "staff"), (2, None, None), (1, None, None),
    ]  # fmt: skip
    revisions = stored(service, file)
    assert revisions[4].blob_id == revisions[2].blob_id
    assert revisions[4].restores == 2
    assert any("12,300" in text for text in texts(alice, file))
    assert SALARY not in texts(staff, file)


def test_who_sent_an_earlier_version_is_told_of_that_one(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    """Its size, its pages and what was sent with it, as if a hidden version had never been published in its place."""
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    sent = str(uuid4())
    files = [upload(staff, contract, f"{n}.md", REPORT, batch=sent).json()["id"] for n in "abc"]
    process_all_waiting(service.workspace)

    def told() -> tuple[object, ...]:
        page = staff.client.get(f"{staff.base}entities/{contract.pk}/files/").content.decode()
        rows = re.findall(r'<td[^>]*data-title="[^"]+"[^>]*>.*?</td>', page, re.S)
        listed = staff.api.get(f"/api/entities/{contract.pk}/files/").json()
        return batch_of(staff, contract), listed, rows, staff.api.get(f"/api/files/{files[1]}/").json()

    before = told()
    assert "3 of 3 files done" in str(before[0])
    assert before[3]["size"] == len(REPORT)  # type: ignore[index]
    ready(alice, contract, "b.md", HIDDEN)
    assert any("12,300" in text for text in texts(alice, files[1]))
    assert told() == before
    with service.open():
        publish_again(UUID(files[1]))
    process_all_waiting(service.workspace)
    assert told() == before
    # The twin: of a version that they may know of they are told, and its size is its sender's.
    ready(alice, contract, "b.md", NOTED)
    assert "of 3 files" not in batch_of(staff, contract)
    assert staff.api.get(f"/api/files/{files[1]}/").json()["size"] is None


def jobs(who: Person) -> str:
    """What the top bar says to somebody: "1 job in progress" and "1 file failed"."""
    shown = who.client.get(f"{who.base}files/jobs/").content.decode()
    return " ".join(re.findall(r">(\d+ \w+ (?:in progress|failed))<", shown))


def administered(who: Person, state: str) -> str:
    """The list of files in this state, for administrators."""
    answer = who.client.get(f"{who.base}admin/ingestion/file/", {"told_state": state})
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_version_on_its_way_or_withheld_is_for_its_sender_and_stewards(
    alice: Person, cfo: Person, staff: Person, viewer: Person, contract: Contract, workspace: Workspace, service: Scope
) -> None:
    boss = person(workspace, "boss", [], ("Admin",))
    steward = person(workspace, "steward", [], ("Steward",))
    file = ready(staff, contract)
    upload(alice, contract, content=b"%PDF-1.4 nothing")
    for state in ("pending", "quarantined"):
        if state == "quarantined":
            process_all_waiting(service.workspace)
        with service.open():
            assert File.objects.get(pk=file).state == state
        assert alice.api.get(f"/api/files/{file}/").json()["state"] == state
        assert jobs(alice) == ("1 job in progress" if state == "pending" else "1 file failed")
        assert jobs(steward) == ("1 job in progress" if state == "pending" else ""), "failed ones are their sender's"
        assert (file in administered(alice, "ready"), file in administered(alice, state)) == (False, True)
        assert (file in administered(boss, "ready"), file in administered(boss, state)) == (True, False)
        page = boss.client.get(f"{boss.base}admin/ingestion/file/{file}/change/").content.decode()
        assert (
            "corrupt" in page,
            "damaged" in page,
            "quarantined" in page,
        ) == (False, False, False)
        for who in (cfo, staff, viewer):
            assert jobs(who) == "", state
            shown = who.api.get(f"/api/files/{file}/").json()
            assert (shown["state"], shown["error"], shown["revision"]) == ("ready", None, 1), state
            assert [number for number, *_ in told(who, file)] == [1]
    assert [(n, s) for n, s, _ in told(alice, file)] == [(2, "unpublished"), (1, "current")]


def test_who_may_not_know_of_a_version_does_not_try_it_again(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)

    def page(who: Person) -> bool:
        answer = who.client.post(f"{who.base}files/{file}/retry/", follow=True)
        return b"can be tried again" in answer.content

    nothing = staff.api.post(f"/api/files/{file}/retry/")
    assert (nothing.status_code, nothing.json()["error"]["code"]) == (422, "nothing_to_retry")
    assert page(staff)
    upload(alice, contract, content=b"%PDF-1.4 nothing")
    process_all_waiting(service.workspace)
    again = staff.api.post(f"/api/files/{file}/retry/")
    assert (again.status_code, again.content) == (422, nothing.content)
    assert page(staff)
    with service.open():
        assert File.objects.get(pk=file).state == "quarantined", "it stays as it was"
    assert alice.api.post(f"/api/files/{file}/retry/").status_code == 202, "whose it is tries it again"


def test_a_way_of_reading_is_told_with_the_version_that_it_came_with(
    alice: Person, staff: Person, viewer: Person, contract: Contract, workspace: Workspace, service: Scope,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    boss = person(workspace, "boss", [], ("Admin",))
    file = ready(alice, contract)

    def ways(*people: Person) -> set[str]:
        return {who.api.get(f"/api/files/{file}/").json()["strategy"] for who in people}

    def nothing_has_come(of: str) -> None:
        assert ways(staff, viewer, boss) == {of}
        before = staff.api.get(f"/api/files/{file}/").json()
        assert staff.api.patch(f"/api/files/{file}/", {"strategy": of}, format="json").json() == before
        page = staff.client.get(f"{staff.base}files/{file}/versions/").content.decode()
        assert f'value="{of}" selected' in page
        assert "how text is taken out" not in boss.client.get(f"{boss.base}admin/ingestion/file/").content.decode()

    upload(alice, contract, content=NOTED, strategy="layout")
    assert ways(alice) == {"layout"}
    nothing_has_come("auto")
    process_all_waiting(service.workspace)
    assert ways(alice, staff, viewer) == {"layout"}, "it is what is shown now"
    with service.open():
        assert not File.objects.filter(is_stale()).exists()
    monkeypatch.setattr(drift, "check_losses", lossy)
    upload(alice, contract, content=HIDDEN, strategy="text")
    process_all_waiting(service.workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "quarantined"
    assert ways(alice) == {"text"}
    nothing_has_come("layout")
    # The same again without a word is that version; a way that its sender chooses is that version's and all others'.
    upload(alice, contract, content=HIDDEN)
    with service.open():
        assert FileRevision.objects.filter(file=file).count() == 3
    monkeypatch.undo()
    assert alice.api.patch(f"/api/files/{file}/", {"strategy": "auto"}, format="json").status_code == 202
    process_all_waiting(service.workspace)
    assert ways(alice, staff, viewer) == {"auto"}
    assert any("12,300" in text for text in texts(alice, file))


@pytest.mark.parametrize("hidden", ["none", "on its way", "kept back"])
def test_reading_again_tells_of_no_hidden_version(
    alice: Person, staff: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch, hidden: str
) -> None:
    file = ready(alice, contract)
    if hidden != "none":
        with monkeypatch.context() as patch:
            patch.setattr(drift, "check_losses", lossy)
            upload(alice, contract, content=HIDDEN, strategy="layout")
            if hidden == "kept back":
                process_all_waiting(service.workspace)
    before = staff.api.get(f"/api/files/{file}/").json()
    again = {"strategy": "auto", "again": True}
    answer = staff.api.patch(f"/api/files/{file}/", again, format="json")
    assert (answer.status_code, answer.json()["state"], answer.json()["strategy"]) == (202, "pending", "auto")
    with service.open():
        newest = FileRevision.objects.filter(file=file).latest("number")
    assert newest.strategy == ("" if hidden == "none" else "layout"), "it is read as its sender chose"
    process_all_waiting(service.workspace)
    after = staff.api.get(f"/api/files/{file}/").json()
    assert after["state"] == "ready"
    if hidden == "on its way":
        assert any("12,300" in text for text in texts(alice, file))
    else:
        assert {**after, "updated_at": ""} == {**before, "updated_at": ""}


def lossy(path: Any, extraction: Any) -> None:
    raise drift.ContentLost([drift.Loss("tables", "It has 1 table, and none of them was read.")])


def batch_of(who: Person, contract: Contract) -> str:
    """What somebody is told of what they sent together."""
    answer = who.client.get(f"{who.base}entities/{contract.pk}/files/batch/")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


@pytest.mark.parametrize("how", ["waits", "fails", "is late"])
def test_what_was_sent_together_is_told_as_if_no_other_version_had_come(
    alice: Person, staff: Person, contract: Contract, service: Scope, how: str
) -> None:
    sent = str(uuid4())
    files = [upload(staff, contract, f"{n}.txt", b"The gate is open.", batch=sent).json()["id"] for n in "abc"]
    process_all_waiting(service.workspace)

    def told() -> tuple[str, object]:
        return batch_of(staff, contract), staff.api.get(f"/api/entities/{contract.pk}/files/").json()

    with service.open():
        old = FileRevision.objects.all() if how == "is late" else FileRevision.objects.exclude(file=files[1])
        old.update(published_at=Now() - timedelta(hours=1))
        File.objects.filter(revision__in=old).update(updated_at=Now() - timedelta(hours=1))
    before = told()
    assert ("3 of 3 files done" in before[0]) == (how != "is late")
    upload(alice, contract, "b.txt", b"%PDF-1.4 nothing" if how == "fails" else b"The gate is shut.")
    if how == "fails":
        process_all_waiting(service.workspace)
        with service.open():
            File.objects.filter(pk=files[1]).update(error_code="crashed")
    assert told() == before
    assert staff.api.post(f"/api/entities/{contract.pk}/files/retry/", {"batch": sent}).json() == {"retried": 0}
    with service.open():
        File.objects.filter(pk=files[1]).update(redo=Redo.STALE)
    assert "2 of 3 files done" in batch_of(staff, contract), "what is shown is worked over"
    # Their own next version takes it out.
    upload(staff, contract, "b.txt", b"The gate is ajar.", batch=str(uuid4()))
    assert "of 3 files" not in batch_of(staff, contract)


def test_a_steward_knows_that_a_newer_version_stands_in_place_of_what_they_sent(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    sent = str(uuid4())
    for name in "abc":
        upload(alice, contract, f"{name}.txt", b"The gate is open.", batch=sent)
    process_all_waiting(service.workspace)
    upload(staff, contract, "b.txt", b"The gate is shut.")
    assert "2 of 2 files done" in batch_of(alice, contract)
