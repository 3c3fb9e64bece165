"""What was raised or concealed stays so, whichever way round: merged text, equal bytes, equal names, sizes, races."""

import threading
import zlib
from typing import Any
from uuid import UUID

import pytest
from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from entities.access import Scope
from entities.models import Classification, Workspace
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion import actions, downloads, pipeline, processing
from ingestion.access import get_file_or_404
from ingestion.claims import ClaimLost, claim_file
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, Kind, Stage, StepResult
from ingestion.pipeline import run_steps
from ingestion.summaries import extract_words, is_supported_by
from ingestion.work import Work, load_work
from tests.conftest import Person, person
from tests.ingestion.helpers import ready, texts, upload

pytestmark = pytest.mark.django_db(transaction=True)
HERON = b"The code word is heron and nothing else is said."
QUAY = b"The quay is open to all today, they say."


@pytest.fixture
def secret_is_concealed(service: Scope) -> None:
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)


def decide(by: Person, file: str, beginning: str, labels: list[int]) -> None:
    """A steward's decision on the paragraph that begins so."""
    rows = by.api.get(f"/api/files/{file}/paragraphs/").json()["results"]
    paragraph = next(row["id"] for row in rows if row["text"].startswith(beginning))
    answer = by.api.patch(f"/api/paragraphs/{paragraph}/", {"labels": labels, "reason": "so it is"}, format="json")
    assert answer.status_code == 200, answer.content
    process_all_waiting(by.scope.workspace)


def said(to: Person, file: str) -> str:
    """Everything the reader and the index give a person of a file."""
    answer = to.api.get(f"/api/files/{file}/reader/")
    with to.scope.open():
        rows = list(ContextRow.objects.filter(file=file).values_list("text", flat=True))
    return answer.content.decode() + " ".join(rows)


# Summaries


SUMMARISED = b"""The contract with Brannock may be terminated by either party with due notice given.

Some other words about weather stand here so that this is a document at all, with cranes.

We will inspect the crane with Brannock.
"""


def test_a_summary_lets_go_of_a_paragraph_that_was_raised(alice: Person, viewer: Person, contract: Contract) -> None:
    file = ready(alice, contract, "n.txt", SUMMARISED)
    assert "We will inspect" in said(viewer, file)
    decide(alice, file, "We will", [SECRET])
    assert "We will inspect" not in said(viewer, file)
    assert "We will inspect" in said(alice, file)
    with viewer.scope.open():
        assert ContextRow.objects.filter(file=file, kind=Kind.FILE_SUMMARY).exists()


def test_a_summary_that_a_killed_worker_left_lets_go_of_what_was_raised_since(
    alice: Person, viewer: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = ready(alice, contract, "n.txt", SUMMARISED)
    upload(alice, contract, "n.txt", SUMMARISED + b"\nThe gate is new.\n")
    save = pipeline.save

    def killed(work: Work, stage: Stage, *given: Any, **options: Any) -> None:
        save(work, stage, *given, **options)
        if stage == Stage.SEGMENT:
            raise ClaimLost

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "save", killed)
        patch.setattr(pipeline, "SAVE_AFTER_SECONDS", 0.0)
        assert processing.process_file(service.workspace, UUID(file))
    with service.open():
        (left,) = StepResult.objects.filter(step=Stage.SEGMENT)
        assert b"We will inspect" in zlib.decompress(bytes(left.payload))
    decide(alice, file, "We will", [SECRET])
    with service.open():
        File.objects.filter(pk=file).update(claimed_until=timezone.now())
    process_all_waiting(service.workspace)
    assert "The gate is new." in said(viewer, file)
    assert "We will inspect" not in said(viewer, file)
    assert "We will inspect" in said(alice, file)


def test_a_summary_no_paragraph_of_which_changed_is_kept(alice: Person, contract: Contract, service: Scope) -> None:
    def summaries() -> list[str]:
        with service.open():
            return list(
                ContextRow.objects.filter(file=file, data_classification=0, kind=Kind.FILE_SUMMARY).values_list(
                    "text", flat=True
                )
            )

    file = ready(alice, contract)
    before = summaries()
    decide(alice, file, "The average salary", [SECRET])
    assert before
    assert summaries() == before


def test_words_gathered_from_several_paragraphs_are_not_drawn_from_them() -> None:
    paragraphs = [extract_words("The crane will go to Rotterdam."), extract_words("We do not sell in May.")]
    assert is_supported_by("the crane will go.", paragraphs)
    assert not is_supported_by("We sell the crane.", paragraphs)
    assert not is_supported_by("The cranes go.", paragraphs)  # another word with the same beginning
    assert not is_supported_by("The crane is to go.", paragraphs)  # a short word that is not there
    assert not is_supported_by("…", paragraphs)


# The floor given at upload


def test_a_floor_declared_with_the_same_bytes_binds_every_paragraph(
    alice: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract, "n.txt", QUAY)
    assert "quay" in said(viewer, file)
    assert upload(alice, contract, "n.txt", QUAY, labels="6").json()["id"] == file
    assert "quay" not in said(viewer, file)
    process_all_waiting(alice.scope.workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["labels"] == [{"value": 6, "label": "Secret"}]
    assert "quay" not in said(viewer, file)
    assert "quay" in said(alice, file)


def test_a_floor_declared_with_other_bytes_binds_the_published_ones_at_once(
    alice: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract, "n.txt", QUAY)
    upload(alice, contract, "n.txt", b"The quay is open to all today, and tomorrow too.", labels="6")
    assert "quay" not in said(viewer, file)
    assert viewer.api.get(f"/api/files/{file}/download/").status_code in (403, 404)
    assert "quay" in said(alice, file)
    process_all_waiting(alice.scope.workspace)
    assert "quay" not in said(viewer, file)
    assert "tomorrow" in said(alice, file)


def test_a_floor_and_the_bytes_it_came_with_are_one_transaction(
    alice: Person, viewer: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The web process dies when the request has committed: then nothing of the upload has happened, until the sweep
    ends it or the same is sent again."""
    file = ready(alice, contract, "n.txt", QUAY)
    newer = b"The quay is open to all today, and tomorrow too."

    def die(*given: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(actions, "take_with_floor", die)
        with pytest.raises(SystemExit):
            upload(alice, contract, "n.txt", newer, labels="6")
    process_all_waiting(alice.scope.workspace)
    assert "tomorrow" not in said(alice, file)
    assert "quay" in said(viewer, file)
    with service.open():
        assert list(File.objects.values_list("floor", "state", "pending_revision")) == [(0, "ready", None)]
    assert upload(alice, contract, "n.txt", newer, labels="6").json()["state"] == "pending"
    process_all_waiting(alice.scope.workspace)
    assert "tomorrow" in said(alice, file)
    assert "quay" not in said(viewer, file)


def test_a_floor_declared_while_the_file_waits_binds_what_was_built(
    alice: Person, viewer: Person, contract: Contract
) -> None:
    file = upload(alice, contract, "n.txt", QUAY).json()["id"]
    claim = claim_file(alice.scope.workspace, UUID(file))
    assert claim is not None
    with Scope.for_service(alice.scope.workspace).open():
        work = load_work(claim)
    run_steps(work)  # a worker that is killed before it publishes
    upload(alice, contract, "n.txt", QUAY, labels="6")
    process_all_waiting(alice.scope.workspace)
    assert "quay" in said(alice, file)
    assert "quay" not in said(viewer, file)


# A steward's decision, through the next version


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The quay is open to all.\n\nBluebird begins in May.", "The quay is open to all. Bluebird begins in May."),
        (
            "Bluebird begins in May, they say.\n\nThe quay is open to all.",
            "The quay is open to all.\n\nBluebird begins in May, so they say.",
        ),
        (
            "The gate is green.\n\nBluebird begins in May, and the quay is closed for it.",
            "The gate is green.\n\nBluebird begins in May.\n\nThe quay is closed for it.",
        ),
        ("The gate is green.\n\nBluebird begins in May.", "The gate is green.\n\nOur Bluebird starts soon."),
    ],
    ids=["merged", "moved", "split", "rewritten"],
)
def test_a_decision_follows_the_text_it_was_given_to(
    alice: Person, viewer: Person, contract: Contract, before: str, after: str
) -> None:
    file = ready(alice, contract, "n.txt", before.encode())
    decide(alice, file, "Bluebird", [SECRET])
    assert "Bluebird" not in said(viewer, file)
    ready(alice, contract, "n.txt", after.encode())
    assert "Bluebird" not in said(viewer, file)
    assert "Bluebird" in said(alice, file)


def test_a_decision_does_not_spread_to_text_that_stays_or_comes_elsewhere(
    alice: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract, "n.txt", b"Bluebird begins in May.\n\nThe gate is green.")
    decide(alice, file, "Bluebird", [SECRET])
    ready(alice, contract, "n.txt", b"Bluebird begins in May.\n\nThe gate is green.\n\nLamps were painted yesterday.")
    assert texts(viewer, file) == ["[Secret]", "The gate is green.", "Lamps were painted yesterday."]


# The original


def test_a_download_judges_and_gives_one_revision(alice: Person, viewer: Person, contract: Contract) -> None:
    pay = b"The salary of Jane Miller is 91,000 euros a year at the quay."
    file = ready(alice, contract, "r.txt", pay)

    def publish_another() -> None:
        upload(alice, contract, "r.txt", b"Nothing to see here, just some public words.")
        process_all_waiting(alice.scope.workspace)
        connection.close()

    with viewer.scope.open():
        loaded = get_file_or_404(viewer.scope, file)
        with pytest.raises(PermissionDenied):
            downloads.open_original(viewer.scope, loaded)
        thread = threading.Thread(target=publish_another)
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
        blob, _ = downloads.open_original(viewer.scope, loaded)
    with default_storage.open(blob.path) as stored:
        assert stored.read().startswith(b"Nothing to see")


def test_a_steward_needs_the_declared_label_for_what_is_not_published(
    alice: Person, workspace: Workspace, contract: Contract
) -> None:
    bare = person(workspace, "bare", [], ("Steward",))
    file = upload(alice, contract, "s.txt", HERON, labels="6").json()["id"]
    assert bare.api.get(f"/api/files/{file}/download/").status_code == 403
    assert alice.api.get(f"/api/files/{file}/download/").status_code == 200
    plain = upload(alice, contract, "plain.txt", QUAY).json()["id"]
    assert bare.api.get(f"/api/files/{plain}/download/").status_code == 200


# Concealed files


@pytest.mark.usefixtures("secret_is_concealed")
def test_an_upload_under_the_name_of_a_concealed_file_is_as_if_it_were_not_there(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    hidden = ready(alice, contract, "plan.txt", HERON, labels="6")
    assert staff.api.get(f"/api/files/{hidden}/").status_code == 404
    given = upload(staff, contract, "plan.txt", HERON).json()
    bare = upload(staff, contract, "other.txt", HERON).json()
    told = ("name", "size", "state", "stage", "revision", "labels", "error", "pages")
    assert {key: given[key] for key in told} == {**{key: bare[key] for key in told}, "name": "plan.txt"}
    assert given["id"] != hidden
    # Their own is found again, and the concealed one is what it was.
    again = upload(staff, contract, "plan.txt", b"Now the word is stork.").json()
    assert (again["id"], again["revision"]) == (given["id"], 2)
    with service.open():
        assert list(File.objects.filter(name="plan.txt").order_by("twin").values_list("twin", "floor")) == [
            (0, SECRET),
            (1, 0),
        ]
    assert HERON.decode() in texts(alice, hidden)


def test_only_who_may_have_the_original_learns_that_theirs_is_the_same(
    alice: Person, staff: Person, contract: Contract
) -> None:
    pay = b"The average salary of a site manager is 68,400 pounds a year."
    file = ready(alice, contract, "pay.txt", pay)
    guessed = upload(staff, contract, "pay.txt", pay).json()
    assert (guessed["id"], guessed["state"], guessed["revision"]) == (file, "pending", 2)
    process_all_waiting(alice.scope.workspace)
    same = upload(alice, contract, "pay.txt", pay).json()
    assert (same["state"], same["revision"]) == ("ready", 2)


@pytest.mark.usefixtures("secret_is_concealed")
def test_size_and_pages_do_not_tell_of_concealed_text(alice: Person, viewer: Person, contract: Contract) -> None:
    both = ready(alice, contract, "both.txt", QUAY + b"\n\nBluebird begins in May, says the board.")
    decide(alice, both, "Bluebird", [SECRET])
    alone = ready(alice, contract, "alone.txt", QUAY)
    shown = [viewer.api.get(f"/api/files/{file}/").json() for file in (both, alone)]
    assert shown[0]["size"] is shown[1]["size"] is None
    assert shown[0]["pages"] == shown[1]["pages"]
    assert alice.api.get(f"/api/files/{both}/").json()["size"] == len(QUAY) + len(
        "\n\nBluebird begins in May, says the board."
    )


@pytest.mark.usefixtures("secret_is_concealed")
def test_the_jobs_indicator_leads_to_no_record_because_of_a_concealed_file(
    alice: Person, viewer: Person, contract: Contract
) -> None:
    upload(alice, contract, "plan.txt", HERON, labels="6")
    url = f"{viewer.base}files/jobs/"
    assert str(contract.pk) not in viewer.client.get(url).content.decode()
    upload(alice, contract, "open.txt", QUAY)
    assert str(contract.pk) in viewer.client.get(url).content.decode()
