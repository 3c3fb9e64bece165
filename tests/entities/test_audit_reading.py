"""What administrators see of the audit, over the API and in the administration, and what leaves it."""

import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from entities.access import Scope
from entities.actions import create_workspace
from entities.audit import AuditedQuery, record_question
from entities.audit.chain import ProblemKind, verify_chain
from entities.audit.retention import Why, apply_retention, redact_rows
from entities.models import (
    AuditEntry,
    AuditText,
    Classification,
    ClassificationGrant,
    Role,
    Workspace,
    WorkspaceSettings,
)
from entities.models.classification import FINANCIAL, INTERNAL
from entities.types import Contract
from tests.conftest import ALL, Person, person

World = dict[str, Any]


def seal() -> None:
    """What a commit does, for tests that are rolled back."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


@pytest.fixture
def world(alice: Person, cfo: Person, viewer: Person, contract: Contract, restricted: Contract) -> World:
    """Two questions: the cfo's about a loan, which found an open and a restricted record, and the viewer's."""
    found = ((uuid4(), contract.pk), (uuid4(), restricted.pk))
    within = {"types": ["contract"], "entities": [str(contract.pk), str(restricted.pk)], "files": [str(uuid4())]}
    with cfo.scope.open():
        record_question(
            cfo.scope, "search", AuditedQuery("the loan", {FINANCIAL}, found, within), door="page", latency_ms=7
        )
    with viewer.scope.open():
        record_question(viewer.scope, "search", AuditedQuery("parking", ()), door="api")
    seal()
    return {"contract": contract, "restricted": restricted, "found": found}


def listed(who: Person, **query: Any) -> list[dict[str, Any]]:
    answer = who.api.get("/api/audit/", query)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def searches(who: Person) -> list[dict[str, Any]]:
    return listed(who, action="search")


def page(who: Person, query: str = "action=search") -> str:
    answer = who.client.get(f"{who.base}admin/entities/auditentry/?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_words_show_to_administrators_who_are_cleared_for_them(
    world: World, alice: Person, workspace: Workspace
) -> None:
    clerk = person(workspace, "clerk", [INTERNAL], ("Admin",))
    by_viewer, by_cfo = searches(alice)
    assert by_cfo["question"] == {
        "state": "shown",
        "text": "the loan",
        "labels": [{"value": 1, "label": "Internal"}, {"value": 5, "label": "Financial"}],
        "retrieved": [{"row": str(row), "entity": str(record)} for row, record in world["found"]],
        "within": {"types": ["contract"], "entities": [str(r) for _, r in world["found"]]},
    }
    assert by_cfo["detail"] == {"door": "page", "latency_ms": 7}
    assert by_viewer["question"]["text"] == "parking"
    assert by_viewer["number"] == by_cfo["number"] + 1
    by_viewer, by_cfo = searches(clerk)
    assert by_cfo["question"] == {"state": "hidden"}
    assert by_cfo["actor"]
    assert by_viewer["question"]["text"] == "parking"
    for who, hidden in ((alice, False), (clerk, True)):
        shown = page(who)
        assert "parking" in shown
        assert ("the loan" not in shown) is hidden
        assert ("Words you are not cleared for" in shown) is hidden
    assert listed(alice, action="entity.created")[0]["question"] is None


def test_found_records_show_to_who_may_see_them(world: World, workspace: Workspace) -> None:
    """Cleared for every label, and not for the record that alice alone may see: no trace of it, in no count either."""
    other = person(workspace, "auditor", ALL, ("Admin",))
    _, by_cfo = searches(other)
    assert [r["entity"] for r in by_cfo["question"]["retrieved"]] == [str(world["contract"].pk)]
    assert by_cfo["question"]["within"]["entities"] == [str(world["contract"].pk)]
    shown = page(other)
    assert world["contract"].pk.hex[:8] in shown
    assert world["restricted"].pk.hex[:8] not in shown


def test_filters_and_pages(world: World, alice: Person, viewer: Person, cfo: Person) -> None:
    assert {row["actor"] for row in listed(alice, actor=viewer.user.pk)} == {viewer.user.pk}
    today = timezone.now().date()
    assert len(listed(alice, since=str(today), until=str(today), action="search")) == 2
    assert listed(alice, until=str(today - timedelta(days=1))) == []
    assert listed(alice, since="0001-01-01", until="9999-12-31", action="search") == searches(alice)
    assert listed(alice, action="nothing") == []
    answer = alice.api.get("/api/audit/", {"page_size": 1, "page": 2, "action": "search"}).json()
    assert (answer["count"], answer["results"][0]["actor"]) == (2, cfo.user.pk)
    for wrong in ({"since": "yesterday"}, {"actor": "me"}, {"actor": "9" * 30}, {"action": "a\x00"}, {"page": 99}):
        assert alice.api.get("/api/audit/", wrong).status_code == 400, wrong
    both = page(alice)
    assert "the loan" in both
    assert f"?action=search&amp;actor={viewer.user.pk}" in both
    for query, loan, parking in (
        (f"actor={cfo.user.pk}", True, False),
        (f"actor={viewer.user.pk}", False, True),
        (f"day={today}", True, True),
        (f"day={today - timedelta(days=1)}", False, False),
        ("actor=x", False, False),
        ("day=x", False, False),
        ("day=9999-12-31", False, False),
        ("action=nothing", False, False),
        (f"q={world['contract'].pk}", False, False),
    ):
        shown = page(alice, query)
        assert ("the loan" in shown, "parking" in shown) == (loan, parking), query
    assert str(world["contract"].pk) in page(alice, f"q={world['contract'].pk}")


def test_only_administrators_read_it(world: World, viewer: Person, cfo: Person, outsider: Person) -> None:
    for who in (viewer, cfo):
        assert who.api.get("/api/audit/").status_code == 403
        assert who.client.get(f"{who.base}admin/entities/auditentry/").status_code == 403
    assert searches(outsider) == []
    assert "parking" not in page(outsider, "")


def test_a_page_of_rows_costs_the_same_however_many_there_are(world: World, alice: Person, cfo: Person) -> None:
    def statements(look: Callable[[Person], Any]) -> int:
        with CaptureQueriesContext(connection) as caught:
            look(alice)
        return len(caught)

    page(alice)  # signs in
    few = [statements(searches), statements(page)]
    with cfo.scope.open():
        for _ in range(20):
            record_question(cfo.scope, "search", AuditedQuery("again", (), world["found"]))
    assert page(alice).count("again") >= 20
    assert [statements(searches), statements(page)] == few


def test_redacted_words_are_gone_and_the_row_says_so(
    world: World, alice: Person, viewer: Person, service: Scope
) -> None:
    number = searches(alice)[1]["number"]
    call_command("redact_audit", "acme", str(number), str(number), "1", why="erasure", stdout=(out := io.StringIO()))
    assert out.getvalue().startswith("1 of 3")
    seal()
    assert searches(alice)[1]["question"] == {"state": "redacted"}
    assert "Words taken out" in page(alice)
    (said,) = listed(alice, action="audit.redacted")
    assert said["detail"] == {"rows": [[number, number]], "why": "erasure"}
    with service.open():
        found = verify_chain(service)
        assert (found.problem, found.redacted) == (None, 1)
        assert redact_rows([number], Why.MISTAKE) == 0
    for who, refused in ((viewer, True), (alice, False)):
        with who.scope.open():
            if refused:
                with pytest.raises(ProgrammingError, match="administrators"), transaction.atomic():
                    redact_rows([number + 1], Why.ERASURE)
            else:
                assert redact_rows([number + 1], Why.ERASURE) == 1
    for wrong in (["nope", "1", "--why", "erasure"], ["acme", "1", "--why", "because"]):
        with pytest.raises(CommandError):
            call_command("redact_audit", *wrong)


def test_a_classification_goes_with_the_words_that_carry_it(
    world: World, alice: Person, cfo: Person, service: Scope
) -> None:
    """Its holders' questions carry it; or nobody could ever delete a classification that somebody held."""
    with service.open():
        level = Classification.objects.create(workspace_id=service.workspace, value=7, label="Own", components=[7])
        role = Role.objects.get(name="cfo role")
        ClassificationGrant.objects.create(workspace_id=service.workspace, role=role, classification=level)
    with cfo.scope.open():
        record_question(cfo.scope, "search", AuditedQuery("drawings", ()))
    seal()
    with service.open():
        kept = AuditText.objects.count()
    url = f"{alice.base}admin/entities/classification/{level.pk}/delete/"
    assert alice.client.post(url, {"post": "yes"}).status_code == 302
    seal()
    with service.open():
        assert not Classification.objects.filter(value=7).exists()
        assert AuditText.objects.count() == kept - 1
        assert AuditEntry.objects.get(action="audit.redacted").detail["why"] == "label"
        assert verify_chain(service).problem is None


def test_what_a_workspace_keeps_no_longer_leaves_and_the_chain_holds(
    transactional_db: None, owner_connection: psycopg.Connection
) -> None:
    """Ten rows, 900 to 0 days old, every second one with words."""
    service = Scope.for_service(create_workspace(slug="acme", name="Acme").pk)
    for age in range(900, -1, -100):
        with owner_connection.transaction():  # the owner's clock is not the database's
            owner_connection.execute("SELECT set_config('app.workspace', %s, true)", [str(service.workspace)])
            row = owner_connection.execute(
                "INSERT INTO entities_auditentry (workspace_id, at, actor, action, object_kind, object_id, detail)"
                " VALUES (%s, now() - %s * interval '1 day', 0, 'search', 'row', %s, '{}') RETURNING id",
                [service.workspace, age, str(age)],
            ).fetchone()
            if row and age % 200 == 0:
                owner_connection.execute(
                    "INSERT INTO entities_audittext"
                    " (entry_id, workspace_id, text, retrieved, within, salt, floor, data_classification)"
                    " VALUES (%s, %s, 'asked', '[]', '{}', gen_random_uuid(), 1, 1)",
                    [row[0], service.workspace],
                )
    assert apply_retention(service.workspace) == (0, 0), "for ever, when nothing is said"
    with service.open():
        WorkspaceSettings.objects.update(keep_questions_days=10**6, keep_audit_days=10**6)
    assert apply_retention(service.workspace) == (0, 0), "longer than there have been days"
    with service.open():
        WorkspaceSettings.objects.update(keep_questions_days=250, keep_audit_days=450)
    assert apply_retention(service.workspace) == (3, 5)
    assert apply_retention(service.workspace) == (0, 0)
    with service.open():
        assert set(AuditEntry.objects.filter(action="search").values_list("object_id", flat=True)) == {
            "400", "300", "200", "100", "0"
        }  # fmt: skip
        assert [entry.detail for entry in AuditEntry.objects.filter(action__startswith="audit.").order_by("pk")] == [
            {"rows": [[2, 2], [4, 4], [6, 6]], "why": "retention"},
            {"rows": [[1, 5]], "why": "retention"},
        ]
        found = verify_chain(service)
        assert (found.rows, found.redacted, found.removed, found.problem) == (12, 1, 5, None)
        WorkspaceSettings.objects.update(keep_questions_days=None, keep_audit_days=1)
    apply_retention(service.workspace)
    with service.open():
        assert AuditEntry.objects.filter(action="search").values_list("object_id", flat=True).get() == "0", "30 days"
        assert verify_chain(service).problem is None
    owner_connection.execute("DELETE FROM entities_auditentry WHERE action = 'audit.redacted'")
    with service.open():
        problem = verify_chain(service).problem
        assert problem
        assert (problem.row, problem.kind) == (11, ProblemKind.REMOVED)
