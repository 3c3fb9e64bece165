"""The original of a file: for who is cleared for everything in it, one refusal for all others."""

from dataclasses import replace
from typing import Any

import pytest

from entities.access import Scope
from entities.access.scope import ScopeKind
from entities.models import AuditEntry, Classification
from entities.types import Contract
from ingestion.downloads import is_sender
from ingestion.models import FileRevision
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, SALARY, label, ready, upload


def test_the_original_is_for_who_is_cleared_for_all_of_it(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    answer = cfo.api.get(f"/api/files/{file}/download/")
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content) == REPORT
    assert answer["Content-Disposition"] == 'attachment; filename="report.md"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "html" not in answer["Content-Type"]
    page = cfo.client.get(f"{cfo.base}files/{file}/download/")
    assert b"".join(page.streaming_content) == REPORT
    for refused in (
        viewer.api.get(f"/api/files/{file}/download/"),
        viewer.client.get(f"{viewer.base}files/{file}/download/"),
    ):
        assert refused.status_code == 403
        assert b"68,400" not in refused.content
    with service.open():
        assert AuditEntry.objects.filter(action="file.downloaded", object_id=file).count() == 2


def test_what_was_not_accounted_for_blocks_the_original_for_all_but_stewards(
    alice: Person, cfo: Person, steward: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    with service.open():
        FileRevision.objects.filter(file=file).update(remainder_label=None)
    assert cfo.api.get(f"/api/files/{file}/download/").status_code == 403
    assert steward.api.get(f"/api/files/{file}/download/").status_code == 200


def test_an_unlabelled_paragraph_blocks_the_original_too(
    alice: Person, cfo: Person, steward: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    label(service, SALARY, None)
    assert cfo.api.get(f"/api/files/{file}/download/").status_code == 403
    assert steward.api.get(f"/api/files/{file}/download/").status_code == 200


def test_a_file_that_was_never_published_is_for_who_sent_it_and_for_stewards(
    staff: Person, cfo: Person, steward: Person, contract: Contract
) -> None:
    file = upload(staff, contract).json()["id"]
    assert cfo.api.get(f"/api/files/{file}/download/").status_code == 403
    assert staff.api.get(f"/api/files/{file}/download/").status_code == 200
    assert steward.api.get(f"/api/files/{file}/download/").status_code == 200


def test_a_refusal_does_not_tell_why(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    """Concealed, unlabelled, not accounted for: one answer, byte for byte, for the API and the page. A label that is
    acknowledged is named."""
    file = ready(alice, contract)
    refused, pages = set(), set()
    named = viewer.api.get(f"/api/files/{file}/download/").json()["error"]["detail"]
    assert named.endswith("It needs clearance for Financial at least.")
    assert named.encode() in viewer.client.get(f"{viewer.base}files/{file}/download/").content
    with service.open():
        Classification.objects.filter(value=5).update(conceal=True)
    for state in ("concealed", "unlabelled", "not accounted for"):
        if state == "unlabelled":
            label(service, SALARY, None)
        if state == "not accounted for":
            with service.open():
                FileRevision.objects.filter(file=file).update(remainder_label=None)
        answer = viewer.api.get(f"/api/files/{file}/download/")
        assert answer.status_code == 403, state
        refused.add(answer.content)
        pages.add(viewer.client.get(f"{viewer.base}files/{file}/download/").content)
    assert len(refused) == 1
    assert b"Financial" not in refused.pop()
    assert len(pages) == 1


@pytest.mark.parametrize(
    ("limited_to", "is_the_sender"),
    [({}, True), ({"narrowed_to": -4}, False), ({"atoms": frozenset()}, False), ({"principal": 8}, False)],
)
def test_who_looks_as_a_role_has_not_sent_what_they_sent(limited_to: dict[str, Any], is_the_sender: bool) -> None:
    scope = replace(Scope(1, 7, ScopeKind.USER, "acme"), **limited_to)
    assert is_sender(scope, FileRevision(created_by=7)) is is_the_sender
