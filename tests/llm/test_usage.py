from llm.client import Call, complete
from tests.conftest import Person


def test_usage_is_for_administrators_and_counts_calls(alice: Person, viewer: Person) -> None:
    assert alice.api.get("/api/usage/").json()["total"]["calls"] == 0
    request = {"system": "", "messages": [{"role": "user", "content": "Hello"}]}
    complete(Call(alice.scope.workspace, alice.scope.principal, "test", "fast"), **request)
    answer = alice.api.get("/api/usage/").json()
    assert answer["total"]["calls"] == 1
    assert [row["feature"] for row in answer["rows"]] == ["test"]
    assert viewer.api.get("/api/usage/").status_code == 403


def test_budget_is_set_in_admin_and_shown(alice: Person, outsider: Person) -> None:
    assert alice.client.post(f"{alice.base}admin/llm/budget/add/", {"monthly_cap": "12.50"}).status_code == 302
    assert alice.api.get("/api/usage/").json()["budget"] == "12.50"
    assert outsider.api.get("/api/usage/").json()["budget"] != "12.50"
