"""Versions of a file: what each changed, as far as one may know; bringing one back; and originals of earlier ones."""

from typing import Any
from uuid import UUID

import pytest
from django.core.files.storage import default_storage
from django.db import connection

from entities.access import Scope, list_atoms
from entities.models import AuditEntry, Classification
from entities.models.classification import CONFIDENTIAL, FINANCIAL, SECRET
from entities.types import Contract
from ingestion import tasks
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, FileRevision, Paragraph, PastParagraph
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, SALARY, paragraph, ready, texts, upload
from tests.prove.deletions import named_anywhere

QUAY = "The quay was closed for two days because of the storm."
CLOSED_LONGER = "Nobody could pass the quay from Monday to Thursday while the wind stood in the north."
SECOND = REPORT.replace(QUAY.encode(), CLOSED_LONGER.encode()).replace(
    b"## Next steps", b"Overtime for the crew of the crane comes to 12,300 pounds.\n\n## Next steps"
)
THIRD = SECOND.replace(SALARY.encode() + b"\n\n", b"")


def versions(who: Person, file: str) -> dict[int, dict[str, Any]]:
    answer = who.api.get(f"/api/files/{file}/versions/")
    assert answer.status_code == 200, answer.content
    return {version["number"]: version for version in answer.json()["results"]}


def changes(who: Person, file: str, number: int) -> tuple[int, int, int]:
    """(added, removed, relabelled), as counted for somebody."""
    found = versions(who, file)[number]["changes"]
    return found["added"], found["removed"], found["relabelled"]


def restore(who: Person, file: str, number: int) -> Any:
    answer = who.api.post(f"/api/files/{file}/versions/{number}/restore/")
    process_all_waiting(who.scope.workspace)
    return answer


def original(who: Person, file: str, number: int) -> bytes | int:
    """The bytes, or the status of a refusal; the page answers as the API does."""
    answer = who.api.get(f"/api/files/{file}/versions/{number}/download/")
    page = who.client.get(f"{who.base}files/{file}/versions/{number}/download/")
    assert page.status_code == answer.status_code
    if answer.status_code != 200:
        return int(answer.status_code)
    content = b"".join(answer.streaming_content)
    assert b"".join(page.streaming_content) == content
    return content


def relabel(who: Person, service: Scope, text: str, labels: list[int]) -> None:
    pk = paragraph(service, text).pk
    answer = who.api.patch(f"/api/paragraphs/{pk}/", {"labels": labels, "reason": "Because."}, format="json")
    assert answer.status_code == 200, answer.content
    process_all_waiting(who.scope.workspace)


def atoms(service: Scope, text: str) -> set[int]:
    with service.open():
        return set(list_atoms(Paragraph.objects.get(text=text).data_classification or 0))


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    """Three versions: one paragraph edited and one added, then the salary gone."""
    pk = ready(alice, contract)
    assert ready(alice, contract, content=SECOND) == pk
    assert ready(alice, contract, content=THIRD) == pk
    return pk


def test_each_version_says_what_it_changed_as_far_as_one_may_know(
    file: str, alice: Person, cfo: Person, viewer: Person, outsider: Person, service: Scope
) -> None:
    assert [v["state"] for v in versions(alice, file).values()] == ["current", "earlier", "earlier"]
    assert changes(alice, file, 1) == (6, 0, 0)
    assert changes(alice, file, 2) == (2, 1, 0)
    assert changes(alice, file, 3) == (0, 1, 0)
    assert changes(cfo, file, 3) == (0, 1, 0)
    # The salary and the overtime are Financial: whoever is not cleared is told of neither.
    assert changes(viewer, file, 1) == (5, 0, 0)
    assert changes(viewer, file, 2) == (1, 1, 0)
    assert changes(viewer, file, 3) == (0, 0, 0)
    first = versions(alice, file)[1]
    assert first["by"] == "alice"
    assert first["size"] == len(REPORT)
    assert versions(viewer, file)[1]["size"] is None
    assert outsider.api.get(f"/api/files/{file}/versions/").status_code == 404
    page = viewer.client.get(f"{viewer.base}files/{file}/versions/").content.decode()
    assert "Version 3" in page
    assert "Restore" not in page.split("Changes are counted", 1)[1].split("labels that were given", 1)[1]
    with service.open():
        # Nothing of the text is kept beside the paragraphs that are there.
        assert set(PastParagraph.objects.values_list("since", "until")) == {(1, 2), (1, 3)}


def test_an_earlier_version_comes_back_with_its_labels_and_decisions(
    transactional_db: None, file: str, alice: Person, viewer: Person, staff: Person, service: Scope, contract: Contract
) -> None:
    relabel(alice, service, CLOSED_LONGER, [CONFIDENTIAL])
    answer = restore(alice, file, 1)
    assert answer.status_code == 202, answer.content
    assert answer.json()["revision"] == 4
    back = versions(alice, file)
    assert back[4]["state"] == "current"
    assert back[4]["restores"] == 1
    assert back[4]["restored_by"] == "alice"
    assert QUAY in texts(alice, file)
    assert atoms(service, SALARY) == {FINANCIAL}
    # Gone and back: decided upon in the version that is there no longer, and in the one before.
    relabel(alice, service, QUAY, [SECRET])
    ready(alice, contract, content=SECOND)
    assert CONFIDENTIAL in atoms(service, CLOSED_LONGER)
    restore(alice, file, 4)
    assert SECRET in atoms(service, QUAY)
    assert QUAY not in texts(staff, file)
    with service.open():
        votes = Paragraph.objects.get(text=QUAY).votes
        assert [vote["labels"] for vote in votes if vote["source"] == "manual"] == [[SECRET]]
        audited = AuditEntry.objects.filter(action="file.restored", object_id=file)
        assert [entry.detail["version"] for entry in audited.order_by("pk")] == [1, 4]


def test_who_may_bring_one_back(file: str, alice: Person, staff: Person, viewer: Person, outsider: Person) -> None:
    assert restore(viewer, file, 1).status_code == 403
    assert restore(outsider, file, 1).status_code == 404
    assert viewer.client.post(f"{viewer.base}files/{file}/versions/1/restore/").status_code == 403
    assert restore(alice, file, 9).status_code == 404
    assert restore(alice, file, 3).json()["error"]["code"] == "nothing_to_restore"
    assert list(versions(alice, file)) == [3, 2, 1]
    # An editor may, who is not cleared for the salary: it comes back, and not for them; sent twice, it comes once.
    again = staff.client.post(f"{staff.base}files/{file}/versions/1/restore/")
    assert again.status_code == 302
    page = staff.client.post(f"{staff.base}files/{file}/versions/1/restore/", follow=True)
    assert b"on its way back" in page.content
    process_all_waiting(alice.scope.workspace)
    assert SALARY in texts(alice, file)
    assert SALARY not in texts(staff, file)
    assert list(versions(alice, file)) == [4, 3, 2, 1]
    shown = versions(staff, file)[4]
    assert shown["restored_by"] == "staff"
    assert shown["by"] == "alice"
    # They have not sent the bytes: they learn no more of them than others.
    assert shown["size"] is None
    assert staff.api.get(f"/api/files/{file}/").json()["size"] is None


def test_a_version_that_was_never_read_cannot_be_restored(alice: Person, contract: Contract) -> None:
    file = ready(alice, contract, "plan.md", b"Just text.")
    upload(alice, contract, "plan.md", b"%PDF-1.4 nothing")
    process_all_waiting(alice.scope.workspace)
    assert versions(alice, file)[2]["state"] == "unpublished"
    assert versions(alice, file)[2]["changes"] is None
    assert restore(alice, file, 2).json()["error"]["code"] == "never_published"
    # What is shown is left while its successor waits in quarantine.
    assert restore(alice, file, 1).json()["error"]["code"] == "nothing_to_restore"


def test_earlier_originals_are_for_who_may_have_the_present_one_and_all_that_went(
    transactional_db: None, file: str, alice: Person, cfo: Person, viewer: Person, outsider: Person, service: Scope
) -> None:
    assert original(cfo, file, 1) == REPORT
    assert original(cfo, file, 2) == SECOND
    assert original(cfo, file, 3) == THIRD
    assert original(viewer, file, 1) == 403
    assert original(outsider, file, 1) == 404
    assert original(cfo, file, 9) == 404
    assert versions(cfo, file)[1]["downloadable"]
    assert not versions(viewer, file)[1]["downloadable"]
    # What stands there today in other words is no less secret in the words of then.
    relabel(alice, service, CLOSED_LONGER, [SECRET])
    assert original(cfo, file, 1) == 403
    assert original(alice, file, 1) == REPORT


def test_what_has_gone_keeps_its_secret(
    transactional_db: None, alice: Person, cfo: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    relabel(alice, service, QUAY, [SECRET])
    ready(alice, contract, content=REPORT.replace(QUAY.encode(), b"Nothing else happened on the site in that week."))
    assert original(cfo, file, 2) == 403, "what was made of it inherits the decision"
    relabel(alice, service, "Nothing else happened on the site in that week.", [])
    assert isinstance(original(cfo, file, 2), bytes)
    assert original(cfo, file, 1) == 403
    assert original(alice, file, 1) == REPORT


def test_what_is_not_known_of_an_earlier_version_makes_it_the_stewards(
    file: str, alice: Person, cfo: Person, steward: Person, service: Scope
) -> None:
    with service.open():
        level = Classification.objects.create(
            workspace_id=service.workspace, value=7, label="Export", description="Goods under export control.",
            icon="plane", color="blue", components=[7],
        )  # fmt: skip
    assert isinstance(original(cfo, file, 3), bytes)
    assert original(cfo, file, 1) == 403, "it was labelled when nobody asked for this"
    assert original(steward, file, 1) == 403
    with service.open():
        level.delete()
    assert original(cfo, file, 1) == REPORT
    for unknown in ({"remainder_label": None}, {"attachments": 1}, {"witness": ""}):
        with service.open():
            before = FileRevision.objects.filter(file=file, number=1).values(*unknown).get()
            FileRevision.objects.filter(file=file, number=1).update(**unknown)
        assert original(cfo, file, 1) == 403, unknown
        assert original(steward, file, 1) == REPORT, unknown
        with service.open():
            FileRevision.objects.filter(file=file, number=1).update(**before)
    assert original(cfo, file, 1) == REPORT


def test_a_file_goes_with_all_its_versions_and_every_row_drawn_from_them(
    transactional_db: None, file: str, alice: Person, contract: Contract, service: Scope
) -> None:
    other = ready(alice, contract, "copy.md", SECOND)
    with service.open():
        ids = {UUID(file), *FileRevision.objects.filter(file=file).values_list("pk", flat=True)}
        ids |= set(ContextRow.objects.filter(file=file).values_list("pk", flat=True))
        ids |= set(Paragraph.objects.filter(file=file).values_list("pk", flat=True))
        ids |= set(PastParagraph.objects.filter(file=file).values_list("paragraph", flat=True))
        number = File.objects.get(pk=file).number
        paths = dict(FileRevision.objects.filter(file=file).values_list("number", "blob__path"))
    assert alice.api.delete(f"/api/files/{file}/?forever=1").status_code == 204
    tasks.tidy_storage()
    with service.open():
        for table in ("ingestion_vector", "ingestion_posting"):
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT count(*) FROM {table} WHERE file = %s", [number])
                assert cursor.fetchone() == (0,), table
    assert named_anywhere(ids) == []
    # The bytes that the copy has too stay, the others went.
    assert [default_storage.exists(paths[n]) for n in (1, 2, 3)] == [False, True, False]
    assert SALARY in texts(alice, other)
