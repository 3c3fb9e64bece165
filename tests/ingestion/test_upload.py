"""Taking files: what is kept, what is refused with which words, and who may."""

import io
import zipfile
from collections.abc import Callable

import pikepdf
import pytest

from entities.access import Scope
from entities.types import Article, Contract, Employee
from ingestion.inline import process_all_waiting
from ingestion.models import Blob, File, FileRevision, Paragraph, StepResult
from ingestion.names import clean_name
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, ready, texts, upload


def files_url(contract: Contract) -> str:
    return f"/api/entities/{contract.pk}/files/"


# Who may


def test_an_editor_uploads_and_a_viewer_may_not(staff: Person, viewer: Person, contract: Contract) -> None:
    assert upload(staff, contract).status_code == 202
    refused = upload(viewer, contract)
    assert refused.status_code == 403
    assert "not add files" in refused.json()["error"]["detail"]


def test_hidden_foreign_and_absent_records_take_no_file_and_say_the_same(
    staff: Person, outsider: Person, contract: Contract, restricted: Contract, opened
) -> None:
    hidden = upload(staff, restricted)
    foreign = upload(outsider, contract)
    absent = staff.api.post("/api/entities/00000000-0000-4000-8000-000000000000/files/", {}, format="multipart")
    assert hidden.status_code == foreign.status_code == absent.status_code == 404
    assert hidden.content == foreign.content == absent.content
    with opened(outsider):
        assert not File.objects.exists()


def test_the_answer_has_the_shape_of_the_contract(alice: Person, contract: Contract) -> None:
    answer = upload(alice, contract)
    assert answer.status_code == 202
    file = answer.json()
    assert file == {
        "id": file["id"],
        "version": file["version"],
        "name": "report.md",
        "path": None,
        "media_type": "text/markdown",
        "size": len(REPORT),
        "state": "pending",
        "stage": "waiting",
        "progress": 0,
        "error": None,
        "pages": None,
        "entity": str(contract.pk),
        "collection": "documents",
        "labels": [],
        "revision": 1,
        "origin": None,
        "strategy": "auto",
        "notes": [],
        "unaccounted": [],
        "redacted": [],
    }
    assert alice.api.get(f"/api/files/{file['id']}/").json() == file
    listed = alice.api.get(files_url(contract)).json()
    assert {key: listed[key] for key in ("count", "next", "previous")} == {"count": 1, "next": None, "previous": None}
    assert listed["results"] == [file]


# The same again, and another version


def test_same_name_and_bytes_is_the_same_file(alice: Person, contract: Contract, service: Scope) -> None:
    first = ready(alice, contract)
    again = upload(alice, contract).json()
    assert again["id"] == first
    assert again["state"] == "ready"
    with service.open():
        assert File.objects.count() == FileRevision.objects.count() == Blob.objects.count() == 1


def test_other_bytes_are_the_next_revision_and_the_old_is_read_until_then(alice: Person, contract: Contract) -> None:
    file = ready(alice, contract, content=b"The gate is green.\n\nThe fence is new.\n")
    answer = upload(alice, contract, content=b"The gate is blue.\n\nThe fence is new.\n").json()
    assert (answer["id"], answer["revision"], answer["state"]) == (file, 2, "pending")
    assert texts(alice, file) == ["The gate is green.", "The fence is new."]
    process_all_waiting(alice.scope.workspace)
    assert texts(alice, file) == ["The gate is blue.", "The fence is new."]
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "ready"


def test_unchanged_text_keeps_its_rows_through_a_revision(alice: Person, contract: Contract, service: Scope) -> None:
    from ingestion.models import ContextRow, Kind

    sections = [f"# Section {n}\n\n" + f"Sentence about topic {n} and the works there. " * 15 for n in range(6)]
    file = ready(alice, contract, content="\n\n".join(sections).encode())
    with service.open():
        before = dict(ContextRow.objects.filter(file=file, kind=Kind.FILE_CHUNK).values_list("pk", "number"))
    sections[3] = "# Section 3\n\n" + "All of this was written anew. " * 15
    ready(alice, contract, content="\n\n".join(sections).encode())
    with service.open():
        after = dict(ContextRow.objects.filter(file=file, kind=Kind.FILE_CHUNK).values_list("pk", "number"))
    assert len(before.items() & after.items()) >= 5
    assert before.keys() - after.keys()


def test_quarantined_new_version_leaves_the_old_one_readable(alice: Person, contract: Contract) -> None:
    file = ready(alice, contract, name="plan.txt", content=b"The old plan.\n")
    upload(alice, contract, name="plan.txt", content=b"\x00\x01\x02" * 4000)
    process_all_waiting(alice.scope.workspace)
    shown = alice.api.get(f"/api/files/{file}/").json()
    assert shown["state"] == "quarantined"
    assert shown["error"]["detail"]
    assert texts(alice, file) == ["The old plan."]


def test_nothing_of_the_work_is_left_behind(alice: Person, contract: Contract, service: Scope) -> None:
    ready(alice, contract)
    with service.open():
        assert not StepResult.objects.exists()
        assert not File.objects.filter(claim__isnull=False).exists()


# Deleting


def test_deleting_needs_the_verb(
    alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    from ingestion.models import ContextRow

    file = ready(alice, contract)
    assert viewer.api.delete(f"/api/files/{file}/").status_code == 403
    assert staff.api.delete(f"/api/files/{file}/").status_code == 403
    assert alice.api.delete(f"/api/files/{file}/?forever=1").status_code == 204
    assert alice.api.get(f"/api/files/{file}/").status_code == 404
    with service.open():
        assert not ContextRow.objects.filter(file=file).exists()


# Bad input: a sentence, a status, and nothing left


def refusal(answer, status: int, code: str) -> str:
    assert answer.status_code == status, answer.content
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["detail"].endswith(".")
    return str(error["detail"])


def test_empty_file(alice: Person, contract: Contract, service: Scope) -> None:
    assert "empty" in refusal(upload(alice, contract, content=b""), 422, "empty")
    with service.open():
        assert not File.objects.exists()
        assert not Blob.objects.exists()


def test_no_file_at_all(alice: Person, contract: Contract) -> None:
    answer = alice.api.post(files_url(contract), {"collection": "documents"}, format="multipart")
    assert answer.status_code == 400
    assert "file" in answer.json()["error"]["fields"]


def test_too_large(alice: Person, contract: Contract, settings, service: Scope) -> None:
    settings.CLEARANCE_MAX_UPLOAD = 1000
    detail = refusal(upload(alice, contract, content=b"x" * 1001), 413, "too_large")
    assert "1.0" in detail
    assert upload(alice, contract, content=b"x" * 1000).status_code == 202


def test_unknown_collection_names_the_known_ones(alice: Person, contract: Contract) -> None:
    detail = refusal(upload(alice, contract, collection="nosuch"), 422, "unknown_collection")
    assert "documents" in detail
    assert upload(alice, contract, collection="hr_documents").status_code == 202


def test_labels_one_does_not_hold_cannot_be_given(subtests: pytest.Subtests, staff: Person, contract: Contract) -> None:
    for labels in ("6", "1,6", "1000", "77", "-3"):
        with subtests.test(labels=labels):
            refusal(upload(staff, contract, labels=labels), 422, "label_not_yours")


def test_labels_one_holds_become_the_floor(staff: Person, viewer: Person, contract: Contract) -> None:
    file = ready(staff, contract, content=b"The canteen opens at eight.\n", labels="1")
    assert texts(staff, file) == ["The canteen opens at eight."]
    assert viewer.api.get(f"/api/files/{file}/reader/").status_code == 404
    assert viewer.api.get(f"/api/files/{file}/").json()["labels"] == [{"value": 1, "label": "Internal"}]


def test_labels_that_are_no_numbers(alice: Person, contract: Contract) -> None:
    answer = upload(alice, contract, labels="secret")
    assert answer.status_code == 400
    assert "labels" in answer.json()["error"]["fields"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\plan.pdf", "plan.pdf"),
        ("a\x00b\x1b[31m.txt", "ab[31m.txt"),
        ("two\r\nlines.md", "two lines.md"),
        ("cod\u202etxt.exe", "codtxt.exe"),
        ("x" * 300 + ".pdf", "x" * 251 + ".pdf"),
        ("y" * 300, "y" * 255),
        ("..", "unnamed"),
        ("dir/", "unnamed"),
        ("", "unnamed"),
        ("re\u0301sume\u0301.docx", "résumé.docx"),
    ],
)
def test_names_are_made_safe(given: str, kept: str) -> None:
    assert clean_name(given) == kept


def test_a_name_of_300_characters_keeps_its_extension(alice: Person, contract: Contract) -> None:
    name = upload(alice, contract, name="n" * 300 + ".md").json()["name"]
    assert len(name) <= 255
    assert name.endswith(".md")
    long = upload(alice, contract, name="Re." + "n" * 250)
    assert (long.status_code, len(long.json()["name"])) == (202, 253)


def zipped(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


def pdf(*, pages: int, password: str = "") -> bytes:
    out, document = io.BytesIO(), pikepdf.new()
    for _ in range(pages):
        document.add_blank_page()
    document.save(out, encryption=pikepdf.Encryption(owner=password, user=password) if password else False)
    return out.getvalue()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "encrypted.pdf": lambda: pdf(pages=1, password="hush"),
    "nothing.pdf": lambda: pdf(pages=0),
    "renamed.pdf": lambda: zipped("a.txt", b"hello"),
    "corrupt.pdf": lambda: b"%PDF-1.7\nnothing that a PDF needs",
    "mislabelled.docx": lambda: b"MZ\x90\x00" + bytes(200),
    "bomb.docx": lambda: zipped("word/document.xml", b"0" * 300_000_000),
    "program.exe": lambda: b"MZ\x90\x00" + bytes(300),
}


def test_hostile_files_end_quarantined_with_a_reason_and_can_be_tried_again(
    subtests: pytest.Subtests, alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    files = {name: upload(alice, contract, name, content()).json()["id"] for name, content in HOSTILE.items()}
    good = upload(alice, contract, "good.md").json()["id"]
    process_all_waiting(alice.scope.workspace)
    for name, file in files.items():
        with subtests.test(name=name):
            shown = alice.api.get(f"/api/files/{file}/").json()
            assert shown["state"] == "quarantined"
            assert shown["error"]["code"]
            assert shown["error"]["detail"].endswith(".")
            assert alice.api.get(f"/api/files/{file}/reader/").status_code == 404
            assert viewer.api.get(f"/api/files/{file}/download/").status_code == 403
            assert viewer.api.post(f"/api/files/{file}/retry/").status_code == 403
            again = alice.api.post(f"/api/files/{file}/retry/")
            assert (again.status_code, again.json()["state"]) == (202, "pending")
    # The rest goes on.
    assert alice.api.get(f"/api/files/{good}/").json()["state"] == "ready"
    with service.open():
        assert not Paragraph.objects.exclude(file=good).exists()


def test_only_what_ended_badly_is_tried_again(alice: Person, contract: Contract) -> None:
    refusal(alice.api.post(f"/api/files/{ready(alice, contract)}/retry/"), 422, "nothing_to_retry")


def test_text_in_other_encodings_is_read(alice: Person, contract: Contract) -> None:
    file = ready(alice, contract, "latin.txt", "Die Brücke ist fertig, der Fluß schön.\n".encode("latin-1"))
    assert texts(alice, file) == ["Die Brücke ist fertig, der Fluß schön."]
    wide = ready(alice, contract, "wide.txt", "Мост готов.\n".encode("utf-16"))
    assert texts(alice, wide) == ["Мост готов."]


def test_types_with_one_collection_default_to_it(alice: Person, viewer: Person, service: Scope) -> None:
    from entities.actions import create_entity

    with alice.scope.open():
        article = create_entity(scope=alice.scope, model=Article, fields={"name": "Guide"})
        person = create_entity(scope=alice.scope, model=Employee, fields={"name": "Ann", "job_title": "Clerk"})
    assert upload(alice, article).json()["collection"] == "documents"
    assert upload(alice, person).json()["collection"] == "hr_documents"
    assert upload(viewer, person).status_code == 404
