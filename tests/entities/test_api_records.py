import json
from typing import Any

from entities.access import Scope
from entities.models import Classification
from entities.models.classification import PII, PII_SENSITIVE
from entities.types import Contract
from tests.conftest import Person


def url(contract: Contract) -> str:
    return f"/api/entities/contract/{contract.pk}/"


def test_cfo_reads_the_value(cfo: Person, contract: Contract) -> None:
    answer = cfo.api.get(url(contract)).json()
    assert answer["value"] == "1200000.00"
    assert answer["redacted"] == []


def test_viewer_learns_only_that_the_value_is_financial(viewer: Person, contract: Contract) -> None:
    response = viewer.api.get(url(contract))
    assert response.json()["redacted"] == [{"field": "value", "requires": [{"value": 5, "label": "Financial"}]}]
    assert "value" not in response.json()
    assert b"1200000" not in response.content


def test_concealed_field_leaves_no_trace(viewer: Person, contract: Contract, service: Any) -> None:
    from entities.models import Classification

    with service.open():
        Classification.objects.filter(value=5).update(conceal=True)
    assert viewer.api.get(url(contract)).json()["redacted"] == []


def test_viewer_cannot_order_or_filter_by_the_value(cfo: Person, viewer: Person, contract: Contract) -> None:
    for query in ("ordering=value", "value=1200000", "value__gte=1"):
        assert cfo.api.get(f"/api/entities/contract/?{query}").status_code == 200
        refused = viewer.api.get(f"/api/entities/contract/?{query}")
        assert refused.status_code == 400
        absent = viewer.api.get(f"/api/entities/contract/?{query.replace('value', 'nosuch', 1)}")
        assert refused.json() == json.loads(absent.content.replace(b"nosuch", b"value"))


def test_viewer_cannot_write_the_value(staff: Person, contract: Contract) -> None:
    refused = staff.api.patch(url(contract), {"value": "1"}, format="json")
    assert refused.status_code == 400
    assert staff.api.patch(url(contract), {"status": "active"}, format="json").status_code == 200


def test_foreign_restricted_and_absent_answer_the_same_bytes(
    viewer: Person, alice: Person, outsider: Person, contract: Contract, restricted: Contract
) -> None:
    assert alice.api.get(url(restricted)).status_code == 200
    absent = viewer.api.get("/api/entities/contract/00000000-0000-4000-8000-000000000000/")
    hidden = viewer.api.get(url(restricted))
    foreign = outsider.api.get(url(contract))
    assert absent.status_code == hidden.status_code == foreign.status_code == 404
    assert absent.content == hidden.content == foreign.content


def test_restricted_record_is_in_no_list_or_count(
    viewer: Person, alice: Person, contract: Contract, restricted: Contract
) -> None:
    assert alice.api.get("/api/entities/contract/").json()["count"] == 2
    assert [r["name"] for r in viewer.api.get("/api/entities/contract/").json()["results"]] == ["Quay lease"]
    assert viewer.api.get("/api/entities/contract/").json()["count"] == 1


def test_viewer_may_not_create_change_or_delete(viewer: Person, staff: Person, contract: Contract) -> None:
    body = {"name": "New", "counterparty": "X"}
    assert staff.api.post("/api/entities/contract/", body, format="json").status_code == 201
    assert viewer.api.post("/api/entities/contract/", body, format="json").status_code == 403
    assert viewer.api.patch(url(contract), {"status": "active"}, format="json").status_code == 403
    assert viewer.api.delete(url(contract)).status_code == 403


def test_link_to_a_hidden_record_is_refused_as_an_absent_one(
    staff: Person, alice: Person, restricted: Contract
) -> None:
    body = {"name": "Annex", "contract": str(restricted.pk)}
    hidden = staff.api.post("/api/entities/project/", body, format="json")
    absent = staff.api.post(
        "/api/entities/project/", {**body, "contract": "00000000-0000-4000-8000-000000000000"}, format="json"
    )
    assert hidden.status_code == absent.status_code == 400
    assert hidden.content.replace(str(restricted.pk).encode(), b"") == absent.content.replace(
        b"00000000-0000-4000-8000-000000000000", b""
    )
    made = alice.api.post("/api/entities/project/", body, format="json").json()
    assert made["contract"] == str(restricted.pk)
    assert staff.api.get(f"/api/entities/project/{made['id']}/").json()["contract"] is None


def test_long_text_is_hidden_until_it_is_labelled(staff: Person, steward: Person, viewer: Person, service: Any) -> None:
    from entities.models import FieldParagraph

    body = {"name": "Guide", "body": "Open hours.\n\nThe safe holds cash."}
    made = staff.api.post("/api/entities/article/", body, format="json").json()
    where = f"/api/entities/article/{made['id']}/"
    with service.open():
        FieldParagraph.objects.update(data_classification=None)
    assert viewer.api.get(where).json()["body"] == []
    assert [b["text"] for b in steward.api.get(where).json()["body"]] == ["Open hours.", "The safe holds cash."]
    with service.open():
        first, second = FieldParagraph.objects.all()
        FieldParagraph.objects.filter(pk=first.pk).update(data_classification=0)
        FieldParagraph.objects.filter(pk=second.pk).update(data_classification=6)
    blocks = viewer.api.get(where).json()["body"]
    assert [b["type"] for b in blocks] == ["text", "placeholder"]
    assert blocks[1]["requires"] == [{"value": 6, "label": "Secret"}]
    # An edit by somebody who does not see a paragraph leaves it where it is.
    assert staff.api.patch(where, {"body": "Open hours are 8 to 5."}, format="json").status_code == 200
    assert [b["text"] for b in steward.api.get(where).json()["body"]] == [
        "Open hours are 8 to 5.",
        "The safe holds cash.",
    ]


def test_me_names_the_clearances(cfo: Person, viewer: Person) -> None:
    assert [x["label"] for x in cfo.api.get("/api/me/").json()["labels"]] == ["Public", "Financial"]
    assert [x["label"] for x in viewer.api.get("/api/me/").json()["labels"]] == ["Public"]


def test_token_for_a_workspace_one_is_not_in_is_refused(outsider: Person, workspace: Any) -> None:
    wrong = {"username": "outsider", "password": "pass", "workspace": "acme"}
    assert outsider.client.post("/api/token/", wrong, content_type="application/json").status_code == 401
    right = {**wrong, "workspace": "other"}
    assert "token" in outsider.client.post("/api/token/", right, content_type="application/json").json()


def test_pages_answer_for_a_member_and_not_for_an_outsider(
    viewer: Person, outsider: Person, contract: Contract, restricted: Contract
) -> None:
    for path in ("", "records/contract/", f"entities/{contract.pk}/"):
        shown = viewer.client.get(viewer.base + path)
        assert shown.status_code == 200
        assert b"Settlement" not in shown.content
        assert b"1,200,000" not in shown.content
        assert outsider.client.get(viewer.base + path).status_code == 404
    assert viewer.client.get(f"{viewer.base}entities/{restricted.pk}/").status_code == 404


def test_admin_is_for_workspace_admins(alice: Person, viewer: Person, contract: Contract) -> None:
    for path in (
        "admin/",
        "admin/entities/role/",
        "admin/entities/classification/",
        "admin/entities/membership/add/",
        "admin/entities/entity/",
    ):
        page = alice.client.get(alice.base + path)
        assert page.status_code == 200, path
        assert b"Quay lease" not in page.content
        assert viewer.client.get(viewer.base + path).status_code == 403


def test_types_name_no_classification_that_is_concealed_from_the_caller(
    alice: Person, viewer: Person, service: Scope
) -> None:
    def named(who: Person) -> str:
        return str(who.api.get("/api/types/").json())

    assert "PII" in named(viewer)
    with service.open():
        Classification.objects.filter(value__in=[PII, PII_SENSITIVE]).update(conceal=True)

    assert "PII" not in named(viewer)
    assert "PII" in named(alice)
