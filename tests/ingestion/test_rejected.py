"""What a steward has kept back stays so, whatever was sent or read in between, until one takes that back."""

from typing import Any

import pytest

from entities.access import Scope
from entities.types import Contract
from ingestion import pipeline
from ingestion.documents import Extraction
from ingestion.extract import extract_file
from ingestion.inline import process_all_waiting
from ingestion.models import FileRevision
from tests.conftest import Person
from tests.ingestion.helpers import read_anew, ready, texts, upload
from tests.ingestion.losing import without
from tests.ingestion.test_attachments import files_of, message
from tests.ingestion.test_quarantine import FIRST, PLAN, decide
from tests.ingestion.test_withheld import original

pytestmark = pytest.mark.django_db(transaction=True)

STORM = "before the first storm"


def mail(plan: bytes, subject: str = "Plans") -> bytes:
    return message(("plan.md", plan), subject=subject).as_bytes()


def reject(steward: Person, contract: Contract, name: str) -> str:
    file = files_of(steward, contract)[name]
    assert file["error"]["code"] == "drift"
    assert decide(steward, file["id"], "reject").status_code == 200
    process_all_waiting(contract.workspace_id)
    return str(file["id"])


def overlooks_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def extract(path: Any, name: str, **options: Any) -> Extraction:
        found = extract_file(path, name, **options)
        return without(found, lambda p: p.kind == "table") if name == "plan.md" else found

    monkeypatch.setattr(pipeline, "extract_file", extract)


def sees_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "extract_file", extract_file)


def numbers(service: Scope, file: str) -> list[int]:
    with service.open():
        return list(FileRevision.objects.filter(file=file).order_by("number").values_list("number", flat=True))


@pytest.mark.parametrize("earlier", [False, True])
def test_an_attachment_that_was_kept_back_is_when_its_message_is_read_again(
    alice: Person, staff: Person, steward: Person, contract: Contract, service: Scope,
    monkeypatch: pytest.MonkeyPatch, earlier: bool,
) -> None:  # fmt: skip
    """earlier: a version of it was published before, which stays what is shown, and is not what the message holds."""
    if earlier:
        message_ = ready(alice, contract, "m.eml", mail(FIRST, "First"))
        assert original(staff, message_) == 200
    overlooks_tables(monkeypatch)
    message_ = ready(alice, contract, "m.eml", mail(PLAN.encode()))
    plan = reject(steward, contract, "plan.md")
    sent = numbers(service, plan)
    assert original(staff, message_) == 403
    sees_again(monkeypatch)
    read_anew(alice, message_, "layout")
    assert numbers(service, plan) == sent
    shown = alice.api.get(f"/api/files/{plan}/").json()
    assert (shown["state"], (shown["error"] or {}).get("code")) == (
        ("ready", None) if earlier else ("quarantined", "rejected")
    )
    assert not any(STORM in text for text in (texts(alice, plan) if earlier else []))
    assert original(staff, message_) == 403
    ready(alice, contract, "m.eml", mail(PLAN.encode(), "Once more"))
    assert alice.api.get(f"/api/files/{plan}/").json()["error"]["code"] == "rejected"
    assert numbers(service, plan) == sent
    # Twin: the same from somebody else is a version of its own, and is read.
    ready(staff, contract, "m.eml", mail(PLAN.encode(), "Again"))
    assert any(STORM in text for text in texts(alice, plan))
    assert numbers(service, plan) == [*sent, len(sent) + 1]


def test_an_attachment_that_was_kept_back_is_after_another_one(
    alice: Person, steward: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    overlooks_tables(monkeypatch)
    ready(alice, contract, "m.eml", mail(PLAN.encode()))
    plan = reject(steward, contract, "plan.md")
    sees_again(monkeypatch)
    ready(alice, contract, "m.eml", mail(FIRST))
    assert texts(alice, plan)
    ready(alice, contract, "m.eml", mail(PLAN.encode(), "Again"))
    assert alice.api.get(f"/api/files/{plan}/").json()["error"]["code"] == "rejected"
    assert not any(STORM in text for text in texts(alice, plan))


def test_what_was_kept_back_is_when_other_bytes_came_in_between(
    alice: Person, staff: Person, steward: Person, contract: Contract, service: Scope,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def send(who: Person, content: bytes, **fields: Any) -> dict[str, Any]:
        pk = upload(who, contract, "plan.md", content, **fields).json()["id"]
        process_all_waiting(service.workspace)
        return dict(alice.api.get(f"/api/files/{pk}/").json())

    overlooks_tables(monkeypatch)
    send(alice, PLAN.encode())
    file = reject(steward, contract, "plan.md")
    sees_again(monkeypatch)
    assert send(alice, FIRST)["state"] == "ready"
    assert send(alice, PLAN.encode())["error"]["code"] == "rejected"
    assert not any(STORM in text for text in texts(alice, file))
    # To be read in another way, or by somebody else, it is another version.
    assert send(alice, PLAN.encode(), strategy="layout")["state"] == "ready"
    assert send(alice, FIRST, strategy="auto")["state"] == "ready"
    assert send(alice, PLAN.encode(), strategy="auto")["error"]["code"] == "rejected"
    # Taken back, it is read, and stays so when it comes once more.
    assert decide(steward, file, "take_back").status_code == 200
    process_all_waiting(service.workspace)
    assert any(STORM in text for text in texts(alice, file))
    assert send(alice, FIRST)["state"] == "ready"
    assert send(alice, PLAN.encode())["state"] == "ready"
