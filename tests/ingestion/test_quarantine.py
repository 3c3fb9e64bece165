"""What was lost on the way is not published: invariants of what was read, and what a steward decides of a loss."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import pytest

from entities.access import Scope
from entities.models import AuditEntry
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion import drift
from ingestion.extract import extract_file, outside
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, FileRevision, Kind, Paragraph, StepResult
from ingestion.sandbox import Progress, Quarantined
from tests.conftest import Person, person
from tests.ingestion.helpers import SALARY, paragraph, ready, texts, upload
from tests.ingestion.losing import Loses, found, without

TABLE = "| Part | Hours |\n| --- | --- |\n| Piling | 40 |\n| Crane | 12 |"
PLAN = f"""# Plan of the quay

The work on the quay begins when the permit is there, and ends before the first storm of the winter.

{TABLE}

## Pay

{SALARY}

```
quay --begin november
```
"""


FIRST = b"# Plan\n\nNothing is planned yet for the quay on the east side.\n"


def change_label(steward: Person, service: Scope, text: str) -> None:
    pk = paragraph(service, text).pk
    answer = steward.api.patch(f"/api/paragraphs/{pk}/", {"labels": [SECRET], "reason": "So."}, format="json")
    assert answer.status_code == 200


def test_what_a_reader_loses_is_found(tmp_path: Path) -> None:
    marked, word, web = tmp_path / "plan.md", tmp_path / "plan.docx", tmp_path / "plan.html"
    marked.write_text(PLAN)
    document = docx.Document()
    document.add_heading("Plan of the quay")
    document.add_paragraph("The work begins when the permit is there, and ends before the first storm of the winter.")
    table = document.add_table(2, 2)
    table.cell(0, 0).text, table.cell(0, 1).text, table.cell(1, 0).text = "Part", "Hours", "Piling"
    document.save(str(word))
    web.write_text(
        "<h1>Plan</h1><p>The work begins when the permit is there, and ends before the first storm.</p>"
        "<table><tr><th>Part</th><th>Hours</th></tr><tr><td>Piling</td><td>40</td></tr></table>"
    )
    for path in (marked, word, web):
        read = extract_file(path, path.name)
        assert found(path, read) == set(), path
        assert found(path, without(read, lambda p: p.kind == "table")) >= {"tables"}, path
        assert "headings" in found(path, without(read, lambda p: p.kind == "heading")), path
    read = extract_file(marked, marked.name)
    assert found(marked, without(read, lambda p: p.kind == "code")) == {"code", "words"}
    assert found(marked, without(read, lambda p: "storm" in p.text)) == {"words"}
    # A text that a model has tidied is held to the text that it was made from.
    tidied = without(read, lambda p: p.kind == "table")
    assert {loss.code for loss in drift.find_losses(drift.measure_structure(read), tidied)} == {"tables", "words"}
    assert not list(drift.find_losses(drift.measure_structure(read), read))


def test_an_extraction_that_contradicts_itself_is_found(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text(PLAN)
    read = extract_file(path, path.name)
    first, *others = read.paragraphs
    at = next(n for n, p in enumerate(others) if p.kind == "table")

    def changed(place: int, **fields: Any) -> set[str]:
        rows = list(read.paragraphs)
        rows[place] = replace(rows[place], **fields)
        return {loss.code for loss in drift.find_own_losses(replace(read, paragraphs=tuple(rows), pages=1))}

    assert changed(0) == set()
    assert changed(0, end=first.end + 1) == {"spans"}
    assert changed(1, page=2) == {"places"}
    assert changed(1, heading_path=("Plan of the quay", "Of another text")) == {"sections"}
    assert changed(at + 1, text="| Part |", end=read.paragraphs[at + 1].start + 8) >= {"tables"}


@pytest.mark.django_db(transaction=True)
def test_what_could_not_be_compared_withholds_the_original(
    alice: Person, viewer: Person, steward: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text is counted by the process that reads it; where that breaks it, it is read without, and counted apart."""
    compared = ready(alice, contract, "plan.txt", b"The plan of the quay.")
    real, refusal = outside.run_limited, Quarantined("memory", "Counting needs more memory than it may take.")

    def stop_counting(task: str, path: Path, *, on_progress: Any = None, options: Any, **more: Any) -> Any:
        if task == "ingestion.extract.structure:measure_structure":
            raise refusal
        if options["counts"]:
            on_progress(Progress("checking"))
            raise refusal
        return real(task, path, on_progress=on_progress, options=options, **more)

    monkeypatch.setattr(outside, "run_limited", stop_counting)
    monkeypatch.setattr(drift, "run_limited", stop_counting)
    unknown = ready(alice, contract, "other.txt", b"The plan of the other quay.")
    for file, status in ((compared, 200), (unknown, 403)):
        assert viewer.api.get(f"/api/files/{file}/download/").status_code == status
        assert texts(viewer, file)
        page = steward.client.get(f"{steward.base}files/{file}/").content.decode()
        assert ("could not be compared" in page) == (status == 403)
        assert "could not be compared" not in viewer.client.get(f"{viewer.base}files/{file}/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_hyphens_that_nobody_sees_are_no_loss(alice: Person, contract: Contract) -> None:
    words = "The indem\u00adnity of the sup\u00adplier cov\u00aders every claim that third par\u00adties make."
    assert texts(alice, ready(alice, contract, "cover.txt", " ".join([words] * 3).encode())) == [
        " ".join([words.replace("\u00ad", "")] * 3)
    ]


def test_a_file_that_lost_a_table_waits_for_a_steward_who_releases_it(
    alice: Person,
    cfo: Person,
    staff: Person,
    steward: Person,
    contract: Contract,
    service: Scope,
    loses: Loses,
) -> None:
    loses(lambda p: p.kind == "table")
    file = upload(staff, contract, "plan.md", PLAN.encode()).json()["id"]
    process_all_waiting(service.workspace)
    shown = staff.api.get(f"/api/files/{file}/").json()
    assert (shown["state"], shown["error"]["code"]) == ("quarantined", "drift")
    assert "It has 1 table, and none of them was read." in shown["error"]["detail"]
    assert "1 table" not in cfo.api.get(f"/api/files/{file}/").json()["error"]["detail"]
    with service.open():
        assert not Paragraph.objects.filter(file=file).exists()
        assert not ContextRow.objects.filter(file=file).exists()
        assert not StepResult.objects.exists()
    # Trying again loses it again; who may not decide is refused.
    staff.api.post(f"/api/files/{file}/retry/")
    process_all_waiting(service.workspace)
    assert staff.api.get(f"/api/files/{file}/").json()["state"] == "quarantined"
    for who in (staff, cfo):
        assert who.api.get("/api/quarantine/").status_code == 403
        assert decide(who, file, "release").status_code == 403
        assert who.client.get(f"{who.base}quarantine/").status_code == 403
        assert who.client.post(f"{who.base}files/{file}/review/", {"decision": "release"}).status_code == 403
    (listed,) = steward.api.get("/api/quarantine/").json()["results"]
    assert listed["file"]["id"] == file
    assert listed["releasable"]
    assert "It has 1 table, and none of them was read." in listed["losses"]
    page = steward.client.get(f"{steward.base}quarantine/").content.decode()
    assert "plan.md" in page
    assert "none of them was read" in page
    for body in ({}, {"decision": "x"}):
        assert steward.client.post(f"{steward.base}files/{file}/review/", body).status_code == 302
        assert steward.api.get("/api/quarantine/").json()["count"] == 1, "nothing was decided"
    answer = steward.client.post(f"{steward.base}files/{file}/review/", {"decision": "release"}, follow=True)
    assert b"was released" in answer.content
    process_all_waiting(service.workspace)
    assert SALARY in texts(cfo, file)
    assert SALARY not in texts(staff, file), "it has its labels as any other"
    assert decide(steward, file, "release").json()["error"]["code"] == "nothing_to_release"
    with service.open():
        assert AuditEntry.objects.get(action="file.released").actor == steward.user.pk


def decide(who: Person, file: str, decision: str) -> Any:
    return who.api.post(f"/api/files/{file}/review/", {"decision": decision}, format="json")


def test_a_rejected_version_stays_withheld_and_the_one_before_it_shown(
    transactional_db: None,
    alice: Person,
    steward: Person,
    contract: Contract,
    service: Scope,
    loses: Loses,
) -> None:
    file = ready(alice, contract, "plan.md", FIRST)
    before = texts(alice, file)
    loses(lambda p: p.kind == "heading")
    upload(alice, contract, "plan.md", PLAN.encode())
    process_all_waiting(service.workspace)
    assert texts(alice, file) == before
    change_label(steward, service, before[-1])
    assert decide(steward, file, "reject").status_code == 200
    process_all_waiting(service.workspace)
    shown = alice.api.get(f"/api/files/{file}/").json()
    assert (shown["state"], shown["error"], shown["size"]) == ("ready", None, len(FIRST))
    with service.open():
        # What was decided while the other version waited is in the index again, with its label.
        chunk = ContextRow.objects.get(file=file, kind=Kind.FILE_CHUNK, text__contains="east side")
        assert chunk.data_classification == SECRET
    assert texts(alice, file) == before
    # The same bytes again are the version that was rejected.
    upload(alice, contract, "plan.md", PLAN.encode())
    process_all_waiting(service.workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["error"]["code"] == "rejected"
    assert decide(steward, file, "release").json()["error"]["code"] == "nothing_to_release"
    assert decide(steward, file, "reject").status_code == 200
    assert decide(steward, file, "reject").json()["error"]["code"] == "nothing_to_reject"
    with service.open():
        assert [r.review for r in FileRevision.objects.filter(file=file).order_by("number")] == ["", "rejected"]
        assert not StepResult.objects.exists()
        assert not Paragraph.objects.filter(file=file, text__contains="storm").exists()
        assert AuditEntry.objects.filter(action="file.rejected").count() == 2
    # A file with nothing before it stays where it is, and cannot be tried again.
    other = upload(alice, contract, "other.md", PLAN.encode()).json()["id"]
    process_all_waiting(service.workspace)
    assert decide(steward, other, "reject").json()["error"]["code"] == "rejected"
    assert alice.api.post(f"/api/files/{other}/retry/").status_code == 422
    with service.open():
        assert File.objects.get(pk=other).state == "quarantined"


def test_a_rejection_can_be_taken_back_by_stewards(
    transactional_db: None, alice: Person, staff: Person, steward: Person, contract: Contract, service: Scope,
    loses: Loses,
) -> None:  # fmt: skip
    loses(lambda p: p.kind == "table")
    file = upload(staff, contract, "plan.md", PLAN.encode()).json()["id"]
    kept = ready(staff, contract, "kept.md", FIRST)
    upload(staff, contract, "kept.md", PLAN.encode())
    process_all_waiting(service.workspace)
    for one in (file, kept):
        assert decide(steward, one, "take_back").json()["error"]["code"] == "nothing_to_take_back"
        assert decide(steward, one, "reject").status_code == 200
    process_all_waiting(service.workspace)
    assert decide(steward, kept, "take_back").json()["error"]["code"] == "nothing_to_take_back", "it is not here"
    upload(staff, contract, "kept.md", PLAN.encode())
    process_all_waiting(service.workspace)
    page = steward.client.get(f"{steward.base}quarantine/").content.decode()
    assert page.count('value="take_back"') == 2
    assert "has to upload it anew" not in page
    for who in (staff, person(contract.workspace, "boss", [], ("Admin",))):
        assert decide(who, file, "take_back").status_code == 403
        assert who.client.post(f"{who.base}files/{file}/review/", {"decision": "take_back"}).status_code == 403
    answer = steward.client.post(f"{steward.base}files/{file}/review/", {"decision": "take_back"}, follow=True)
    assert b"is being read again" in answer.content
    assert decide(steward, kept, "take_back").json()["state"] == "pending"
    process_all_waiting(service.workspace)
    for one in (file, kept):
        assert staff.api.get(f"/api/files/{one}/").json()["error"]["code"] == "drift", "nothing has been decided of it"
        assert decide(steward, one, "release").status_code == 200
    process_all_waiting(service.workspace)
    assert all(SALARY in texts(alice, one) and SALARY not in texts(staff, one) for one in (file, kept))
    with service.open():
        assert AuditEntry.objects.filter(action="file.rejection_taken_back", actor=steward.user.pk).count() == 2
