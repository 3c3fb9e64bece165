"""A decision on a file whose newer version waits for a steward or failed: the index follows at once, and the newer
version stays as it was."""

import signal
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from entities.access import Scope
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion import pipeline
from ingestion.blobs import BlobMissing
from ingestion.extract import extract_file
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, FileRevision, Paragraph, RowParagraph, StepResult
from ingestion.staleness import is_stale
from tests.conftest import Person
from tests.ingestion.helpers import choose, paragraph, ready, texts, upload
from tests.ingestion.test_quarantine import without

pytestmark = pytest.mark.django_db(transaction=True)

CRANE = "The crane on the east side is greased every second Monday."
FIRST = f"# Plan\n\n{CRANE}\n\n# Tides\n\nHigh water stands at the lock for two hours.\n".encode()
SECOND = FIRST + b"\n# Storms\n\nThe dredger leaves the basin when a storm is announced.\n"

Break = Callable[[str], None]


@pytest.fixture
def breaks(monkeypatch: pytest.MonkeyPatch) -> Break:
    """The next version of a file ends so."""

    def extract(*args: Any, **options: Any) -> Any:
        if ending == "failed":
            raise BlobMissing
        read = extract_file(*args, **options)
        return without(read, lambda p: p.kind == "heading") if ending == "quarantined" else read

    ending = ""

    def begin(how: str) -> None:
        nonlocal ending
        ending = how
        monkeypatch.setattr(pipeline, "extract_file", extract)

    return begin


def decide(steward: Person, service: Scope, labels: list[int]) -> None:
    body = {"labels": labels, "reason": "So."}
    answer = steward.api.patch(f"/api/paragraphs/{paragraph(service, CRANE).pk}/", body, format="json")
    assert answer.status_code == 200


def found(person: Person, words: str = "crane greased Monday") -> int:
    hits = person.api.get("/api/search/", {"q": words}).json()["results"]
    return sum(CRANE in hit["text"] for hit in hits if hit["kind"] == "file_chunk")


def state(person: Person, file: str) -> tuple[str, str | None]:
    shown = person.api.get(f"/api/files/{file}/").json()
    return shown["state"], shown["error"] and shown["error"]["code"]


def assert_once(service: Scope, file: str, label: int) -> None:
    """Every paragraph stands in rows of its label, every row has one vector, nothing is there twice."""
    with service.open():
        rows = list(ContextRow.objects.filter(file=file).values_list("kind", "text", "data_classification"))
        assert len(rows) == len(set(rows))
        assert {row[2] for row in rows if CRANE in row[1]} == {label}
        for told in Paragraph.objects.filter(file=file).exclude(kind="heading"):
            assert RowParagraph.objects.filter(paragraph=told).count() == 1, told.text
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM ingestion_vector v JOIN ingestion_file f ON f.number = v.file WHERE f.id = %s",
                [file],
            )
            assert cursor.fetchone()[0] == len(rows)


def waiting(alice: Person, contract: Contract, breaks: Break, ending: str) -> str:
    """A file that is published, and whose next version ended badly."""
    file = ready(alice, contract, "plan.md", FIRST)
    breaks(ending)
    upload(alice, contract, "plan.md", SECOND)
    process_all_waiting(alice.scope.workspace)
    return file


ENDINGS = {"quarantined": ("quarantined", "drift"), "failed": ("failed", "bytes_missing")}


@pytest.mark.parametrize(
    ("ending", "resolved"), [("quarantined", "release"), ("quarantined", "reject"), ("failed", "retry")]
)
def test_relabelled_up_and_down_the_rows_are_made_again_and_the_newer_version_waits_on(
    alice: Person,
    viewer: Person,
    steward: Person,
    contract: Contract,
    service: Scope,
    breaks: Break,
    ending: str,
    resolved: str,
) -> None:
    file = waiting(alice, contract, breaks, ending)
    before = texts(alice, file)
    assert (found(alice), found(viewer)) == (1, 1)
    for labels, label, seen in (([SECRET], SECRET, 0), ([], 0, 1), ([SECRET], SECRET, 0)):
        decide(steward, service, labels)
        assert found(viewer) == 0, "no row is left from before the decision"
        process_all_waiting(service.workspace)
        assert (found(alice), found(viewer)) == (1, seen)
        assert state(alice, file) == ENDINGS[ending]
        assert texts(alice, file) == before, "the newer version is not published"
        assert_once(service, file, label)
    with service.open():
        assert [bool(r.witness) for r in FileRevision.objects.filter(file=file)] == [True, False]
    if resolved == "retry":
        breaks("")
        assert alice.api.post(f"/api/files/{file}/retry/").status_code == 202
    else:
        assert steward.api.get("/api/quarantine/").json()["count"] == 1
        answer = steward.api.post(f"/api/files/{file}/review/", {"decision": resolved}, format="json")
        assert answer.status_code == 200
    process_all_waiting(service.workspace)
    assert state(alice, file) == ("ready", None)
    shown = texts(alice, file)
    assert (shown == before) == (resolved == "reject")
    assert (found(alice), found(viewer)) == (1, 0)
    assert_once(service, file, SECRET)


@pytest.mark.parametrize("ending", ENDINGS)
def test_decided_while_the_newer_version_is_on_its_way_to_a_bad_end(
    alice: Person, viewer: Person, steward: Person, contract: Contract, service: Scope, breaks: Break, ending: str
) -> None:
    file = ready(alice, contract, "plan.md", FIRST)
    upload(alice, contract, "plan.md", SECOND)
    decide(steward, service, [SECRET])
    breaks(ending)
    process_all_waiting(service.workspace)
    assert (found(alice), found(viewer)) == (1, 0)
    assert state(alice, file) == ENDINGS[ending]
    assert_once(service, file, SECRET)


@pytest.mark.parametrize("decision", ["release", "reject"])
def test_the_newer_version_can_be_reviewed_before_the_rows_are_made_again(
    alice: Person,
    viewer: Person,
    steward: Person,
    contract: Contract,
    service: Scope,
    breaks: Break,
    decision: str,
) -> None:
    file = waiting(alice, contract, breaks, "quarantined")
    decide(steward, service, [SECRET])
    for who, status in ((viewer, 403), (steward, 200)):
        answer = who.api.post(f"/api/files/{file}/review/", {"decision": decision}, format="json")
        assert answer.status_code == status
    process_all_waiting(service.workspace)
    assert state(alice, file) == ("ready", None)
    assert any("dredger" in told for told in texts(alice, file)) == (decision == "release")
    assert (found(alice), found(viewer)) == (1, 0)
    assert_once(service, file, SECRET)


def test_an_upload_in_between_overtakes_the_version_that_waits(
    alice: Person, viewer: Person, steward: Person, contract: Contract, service: Scope, breaks: Break
) -> None:
    file = waiting(alice, contract, breaks, "quarantined")
    decide(steward, service, [SECRET])
    breaks("")
    upload(alice, contract, "plan.md", SECOND + b"\nThe third version.\n")
    process_all_waiting(service.workspace)
    assert state(alice, file) == ("ready", None)
    assert "The third version." in texts(alice, file)
    assert (found(alice), found(viewer)) == (1, 0)
    assert_once(service, file, SECRET)


def test_workers_killed_in_making_the_rows_again_lose_and_double_nothing(
    alice: Person,
    viewer: Person,
    steward: Person,
    contract: Contract,
    service: Scope,
    breaks: Break,
    killed: Callable[[str, int, object], int],
) -> None:
    file = waiting(alice, contract, breaks, "quarantined")
    decide(steward, service, [SECRET])
    for where in ("claim", "extract", "statement:40", "chunk", "embed", "publishing", "published"):
        assert killed(where, service.workspace, file) == -signal.SIGKILL, where
        if where != "published":
            assert state(alice, file)[0] == "processing"
            assert (found(alice), found(viewer)) == (0, 0)
        with service.open():
            File.objects.filter(claim__isnull=False).update(claimed_until=Now() - timedelta(seconds=1))
    assert (found(alice), found(viewer)) == (1, 0)
    process_all_waiting(service.workspace)
    assert state(alice, file) == ENDINGS["quarantined"]
    assert_once(service, file, SECRET)
    with service.open():
        assert not StepResult.objects.filter(revision=File.objects.get(pk=file).revision_id).exists()
    assert steward.api.post(f"/api/files/{file}/review/", {"decision": "release"}, format="json").status_code == 200
    process_all_waiting(service.workspace)
    assert state(alice, file) == ("ready", None)
    assert_once(service, file, SECRET)


@pytest.mark.parametrize("relabelled", [True, False])
def test_a_version_in_quarantine_stays_where_the_published_one_ends_badly_too(
    alice: Person,
    staff: Person,
    steward: Person,
    contract: Contract,
    service: Scope,
    breaks: Break,
    relabelled: bool,
) -> None:
    file = ready(alice, contract, "plan.md", FIRST)
    upload(alice, contract, "plan.md", SECOND)
    if relabelled:
        decide(steward, service, [SECRET])
    assert choose(staff, file, "layout").status_code == 202
    breaks("quarantined")
    process_all_waiting(service.workspace)
    assert state(alice, file) == ("quarantined", "drift")
    assert found(alice) == 1
    reviews = 1 if relabelled else 2  # of the newer one, and before it of the published one as it was read anew
    for n in range(reviews):
        assert steward.api.get("/api/quarantine/").json()["count"] == 1
        assert not any("dredger" in text for text in texts(alice, file)), "nobody has released it"
        answer = steward.api.post(f"/api/files/{file}/review/", {"decision": "release"}, format="json")
        assert answer.status_code == 200
        process_all_waiting(service.workspace)
        assert (state(alice, file) == ("ready", None)) == (n + 1 == reviews)
    assert any("dredger" in text for text in texts(alice, file))
    assert_once(service, file, SECRET if relabelled else 0)


def test_what_somebody_chose_is_done_although_a_newer_version_came_and_ended_badly(
    alice: Person, staff: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def extract(path: Path, *args: Any, **options: Any) -> Any:
        if b"dredger" in path.read_bytes():
            raise BlobMissing
        return extract_file(path, *args, **options)

    monkeypatch.setattr(pipeline, "extract_file", extract)
    file = ready(alice, contract, "plan.md", FIRST)
    assert choose(staff, file, "layout").status_code == 202
    upload(alice, contract, "plan.md", SECOND)
    assert state(staff, file) == ("pending", None), "what they see has not been read anew yet"
    process_all_waiting(service.workspace)
    assert (state(staff, file), state(alice, file)) == (("ready", None), ENDINGS["failed"])
    with service.open():
        assert not File.objects.filter(is_stale()).exists()
