"""Several files of a record get a label at once: who gains and loses sight, who may, and what the audit keeps."""

import re
from typing import Any

import pytest

from entities.access import Scope
from entities.actions import create_entity
from entities.models import AuditEntry, Entity, Workspace
from entities.models.classification import INTERNAL, PII
from entities.types import Contract
from ingestion.models import Paragraph
from tests.conftest import ALL, Person, person
from tests.ingestion.helpers import label, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)


def post(who: Person, record: Entity, door: str, files: list[str], **body: Any) -> Any:
    return who.client.post(f"{who.base}entities/{record.pk}/files/{door}/", {"file": files, **body}, follow=True)


def read_seen(page: Any) -> str:
    found = re.search(r'name="seen" value="(\w+)"', page.content.decode())
    assert found, page.content.decode()
    return found[1]


def test_a_steward_labels_several_files_after_a_look_at_who_gains_and_loses(
    alice: Person, steward: Person, viewer: Person, staff: Person, outsider: Person, contract: Contract, service: Scope
) -> None:
    files = [
        ready(alice, contract, "a.txt", b"The gate is green.\n\nThe yard is wide."),
        ready(alice, contract, "b.txt", b"The pier is long."),
    ]
    other = ready(alice, contract, "c.txt", b"The fence is new.")
    label(service, "The pier is long.", PII)
    with alice.scope.open():
        elsewhere = create_entity(scope=alice.scope, model=Contract, fields={"name": "Else", "counterparty": "Nobody"})

    for who, there in ((steward, True), (viewer, False), (staff, False)):
        table = who.client.get(f"{who.base}entities/{contract.pk}/files/table/").content.decode()
        assert ("Relabel the ticked files" in table) is there
    preview = post(steward, contract, "label", [*files, "nonsense"], labels=INTERNAL)
    told = preview.content.decode()
    assert "<strong>1 person</strong> would read more, <strong>1 person</strong> less" in told  # staff; viewer
    assert "Decide 3 paragraphs" in told
    seen = read_seen(preview)
    body = {"labels": INTERNAL, "reason": "Not for visitors.", "seen": seen}

    for who, status in ((viewer, 403), (staff, 403), (outsider, 404)):
        for door in ("label", "relabel"):
            assert post(who, contract, door, files, **body).status_code == status
    # Refused: no reason, no labels, one that there is not, Public with another, other files than were shown, none.
    for change, files_given, words in (
        ({"reason": " "}, files, "Say in a few words"),
        ({"labels": []}, files, "Choose labels, or Public."),
        ({"labels": 99}, files, "Labels are some of"),
        ({"labels": [0, INTERNAL]}, files, "Choose Public alone"),
        ({}, [*files, other], "have changed since they were shown"),
        ({}, files[:1], "have changed since they were shown"),
    ):
        assert words in post(steward, contract, "relabel", files_given, **body | change).content.decode()
    # On another record nothing of these files is shown, nor decided.
    assert "Nothing to decide" in post(steward, elsewhere, "label", files, labels=0).content.decode()
    assert "have changed" in post(steward, elsewhere, "relabel", files, **body).content.decode()
    assert texts(viewer, files[0]) == ["The gate is green.", "The yard is wide."], "nothing is decided yet"

    assert "3 paragraphs decided." in post(steward, contract, "relabel", files, **body).content.decode()
    assert [viewer.api.get(f"/api/files/{file}/reader/").status_code for file in files] == [404, 404]
    assert [texts(staff, file) for file in files] == [
        ["The gate is green.", "The yard is wide."],
        ["The pier is long."],
    ]
    assert texts(viewer, other) == ["The fence is new."]
    with service.open():
        votes = [vote for p in Paragraph.objects.all() for vote in p.votes if vote["source"] == "manual"]
        assert [(vote["reason"], vote["by"]) for vote in votes] == [("Not for visitors.", steward.user.pk)] * 3
        audited = AuditEntry.objects.filter(action="paragraph.relabelled")
        assert [(row.actor, row.detail["labels"]) for row in audited] == [(steward.user.pk, [INTERNAL])] * 3
    assert "have changed since" in post(steward, contract, "relabel", files, **body).content.decode(), "once is once"


def test_what_the_steward_may_not_read_stays_as_it_is_and_too_many_are_refused(
    workspace: Workspace, alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesser = person(workspace, "lesser", [level for level in ALL if level != PII], ("Steward",))
    file = ready(alice, contract, "a.txt", b"The gate is green.\n\nThe yard is wide.")
    label(service, "The yard is wide.", PII)
    preview = post(lesser, contract, "label", [file], labels=INTERNAL)
    assert "Decide 1 paragraph" in preview.content.decode()
    assert "PII" not in preview.content.decode().split("<main")[-1]
    body = {"labels": INTERNAL, "reason": "Not for visitors.", "seen": read_seen(preview)}
    assert "1 paragraph decided." in post(lesser, contract, "relabel", [file], **body).content.decode()
    with service.open():
        assert set(Paragraph.objects.values_list("text", "data_classification")) == {
            ("The gate is green.", INTERNAL),
            ("The yard is wide.", PII),
        }
    monkeypatch.setattr("ingestion.file_relabelling.MAX_PARAGRAPHS", 0)
    refused = post(lesser, contract, "label", [file], labels=INTERNAL).content.decode()
    assert "These files have 1 paragraphs, and at most 0 are labelled at once." in refused
