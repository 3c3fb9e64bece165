"""Bad input to records: a sentence and a 4xx each time, and nothing saved."""

import json
from typing import Any

import pytest

from entities.actions import create_entity
from entities.models import Entity
from entities.types import Contract, Project, Task
from tests.conftest import Person

URL = "/api/entities/contract/"
GOOD: dict[str, Any] = {"name": "x", "counterparty": "x"}
BAD = [
    {"name": "x" * 301}, {"name": "\ud800"}, {"name": "a\x00"}, {"name": "two\nlines"}, {"name": "a\x1b[31m"},
    {"name": "a\u202etxt"}, {"name": "a\u2028b"}, {"name": None}, {"name": {}}, {"name": "  "}, {"\ud800": 1},
    {"a\x00": 1}, {"value": 1e30}, {"value": float("inf")}, {"value": "NaN"}, {"value": "1e999999"},
    {"value": "9" * 5000}, {"notice_days": 99999999999}, {"notice_days": -1},
    {"starts_on": "10000-01-01"}, {"starts_on": "0000-00-00"}, {"starts_on": {}}, {"status": "nosuch"},
    {"status": ["draft"]}, {"currency": "EURO"}, {"notes": ["a"]}, {"notes": {"a": 1}}, {"notes": "a\x00"},
    {"visibility": "private"}, {"created_by": 1}, {"workspace": 2}, {"id": "x"},
]  # fmt: skip


def test_a_bad_field_is_named_and_nothing_is_saved(
    subtests: pytest.Subtests, alice: Person, contract: Contract
) -> None:
    for change in BAD:
        with subtests.test(change=change):
            for method, path, body in (
                ("POST", URL, {**GOOD, **change}),
                ("PATCH", f"{URL}{contract.pk}/", change),
                ("POST", f"{URL}batch/", [GOOD, {**GOOD, **change}]),
            ):
                response = alice.api.generic(method, path, json.dumps(body), content_type="application/json")
                assert response.status_code == 400, (method, response.content)
                assert response.json()["error"]["detail"]
            with alice.scope.open():
                assert Entity.objects.count() == 1


def test_the_batch_says_which_record_is_wrong(alice: Person) -> None:
    answer = alice.api.post(f"{URL}batch/", [GOOD, {"name": "y"}], format="json").json()
    assert answer["error"]["fields"] == {"items[1]": {"counterparty": ["This field is required."]}}


def test_words_of_other_scripts_are_welcome(alice: Person) -> None:
    for name in ("עברית ‏3", "合同 A-1", "Ünïcode ✓ 👩‍🚀"):
        assert alice.api.post(URL, {**GOOD, "name": name}, format="json").status_code == 201


def test_bodies_of_another_kind_are_refused(subtests: pytest.Subtests, alice: Person) -> None:
    for kind, status in [("text/plain", 415), ("application/xml", 415), ("multipart/form-data", 415), ("", 415)]:
        with subtests.test(kind=kind):
            assert alice.api.generic("POST", URL, b"name=x", content_type=kind).status_code == status


def test_the_form_refuses_what_the_api_refuses(alice: Person, contract: Contract) -> None:
    for fields in (
        {},
        {"name": "a\x00"},
        {"name": "two\nlines"},
        {"value": "1e30"},
        {"starts_on": "x"},
        {"status": "q"},
    ):
        body = {**GOOD, "currency": "EUR", "status": "draft", **fields} if fields else {}
        response = alice.client.post(f"{alice.base}records/contract/new/", body)
        assert response.status_code == 422, fields
    with alice.scope.open():
        assert Entity.objects.count() == 1


def test_an_edit_leaves_a_link_alone_that_the_editor_does_not_see(
    alice: Person, staff: Person, restricted: Contract
) -> None:
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "P", "contract_id": restricted.pk})
    edit = f"{staff.base}entities/{project.pk}/edit/"
    assert str(restricted.pk) not in staff.client.get(edit).content.decode()
    body = {"name": "Renamed", "phase": "planning", "currency": "EUR", "contract": ""}
    assert staff.client.post(edit, body).status_code == 302
    with alice.scope.open():
        saved = Project.objects.get(pk=project.pk)
        assert (saved.name, saved.contract_id) == ("Renamed", restricted.pk)  # type: ignore[attr-defined]
    # Who sees the link takes it away by the same form.
    assert alice.client.post(f"{alice.base}entities/{project.pk}/edit/", body).status_code == 302
    with alice.scope.open():
        assert Project.objects.get(pk=project.pk).contract_id is None  # type: ignore[attr-defined]


def test_a_required_link_that_the_editor_does_not_see_does_not_stop_them(alice: Person, staff: Person) -> None:
    with alice.scope.open():
        hidden = create_entity(scope=alice.scope, model=Project, fields={"name": "Hidden"}, visibility="restricted")
        task = create_entity(scope=alice.scope, model=Task, fields={"name": "T", "project_id": hidden.pk})
    edit = f"{staff.base}entities/{task.pk}/edit/"
    assert staff.client.post(edit, {"name": "Done", "status": "done", "project": ""}).status_code == 302
    chosen = staff.client.post(edit, {"name": "Done", "status": "done", "project": str(hidden.pk)})
    assert chosen.status_code == 422
    assert alice.client.post(f"{alice.base}entities/{task.pk}/edit/", {"name": "T", "project": ""}).status_code == 422


def test_links_into_another_workspace_are_refused_as_absent_ones(
    outsider: Person, alice: Person, contract: Contract
) -> None:
    body = {"name": "P", "phase": "planning", "currency": "EUR"}
    for pk in (contract.pk, "00000000-0000-4000-8000-000000000000"):
        refused = outsider.api.post("/api/entities/project/", {**body, "contract": str(pk)}, format="json")
        said = refused.json()["error"]["fields"]["contract"][0].replace(str(pk), "…")
        assert (refused.status_code, said) == (400, 'Invalid pk "…" - object does not exist.')
        form = outsider.client.post(f"{outsider.base}records/project/new/", {**body, "contract": str(pk)})
        assert form.status_code == 422
    assert alice.api.post("/api/entities/project/", {**body, "contract": str(contract.pk)}).status_code == 201
