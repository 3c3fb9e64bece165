"""What a hostile member, administrator or stranger tries on records, lists, sign-in and admin."""

from typing import Any

import pytest
from django.core.cache import cache
from django.urls import set_script_prefix

from entities.access import Scope
from entities.actions import create_entity
from entities.models import Classification, Entity, FieldParagraph, Membership
from entities.text import MOST_PARAGRAPHS
from entities.types import Article, Contract, Project
from tests.conftest import Person


@pytest.fixture(autouse=True)
def _clean() -> Any:
    cache.clear()
    yield
    cache.clear()
    set_script_prefix("/")


def article(alice: Person, *labels: int) -> str:
    """An article of `labels` paragraphs, each labelled."""
    with alice.scope.open():
        texts = {"body": "\n\n".join(f"Paragraph {i} about the granary roof." for i in range(len(labels)))}
        made = create_entity(scope=alice.scope, model=Article, fields={"name": "Guide"}, texts=texts)
    with Scope.for_service(alice.scope.workspace).open():
        for row, label in zip(FieldParagraph.objects.order_by("position"), labels, strict=True):
            FieldParagraph.objects.filter(pk=row.pk).update(data_classification=label, floor=label)
    return str(made.pk)


def floors(alice: Person) -> list[int]:
    with Scope.for_service(alice.scope.workspace).open():
        return list(FieldParagraph.objects.order_by("position").values_list("floor", flat=True))


@pytest.mark.parametrize(
    "body",
    [
        "Paragraph 0 about the granary roof. Paragraph 1 about the granary roof.",  # merged
        "Paragraph 1 about the granary's roof, moved up.\n\nParagraph 0 about the granary roof.",  # edited and moved
        "Paragraph 0 about the granary roof.\n\nSomething else entirely stands here.",  # rewritten
    ],
)
def test_an_edit_lowers_nothing(alice: Person, body: str) -> None:
    pk = article(alice, 0, 6)
    assert alice.api.patch(f"/api/entities/article/{pk}/", {"body": body}, format="json").status_code == 200
    assert 6 in floors(alice)


def test_an_edit_elsewhere_raises_nothing(alice: Person) -> None:
    pk = article(alice, 0, 6)
    body = "The opening hours are new and different.\n\nParagraph 1 about the granary roof."
    assert alice.api.patch(f"/api/entities/article/{pk}/", {"body": body}, format="json").status_code == 200
    assert floors(alice) == [0, 6]


def test_a_text_of_too_many_paragraphs_is_refused_at_once(alice: Person) -> None:
    pk = article(alice, 0)
    answer = alice.api.patch(f"/api/entities/article/{pk}/", {"body": "a\n\n" * (MOST_PARAGRAPHS + 1)}, format="json")
    assert answer.status_code == 400
    assert "put longer text into a file" in answer.content.decode()


def test_lists_are_not_ordered_by_links(
    alice: Person, viewer: Person, restricted: Contract, contract: Contract
) -> None:
    with alice.scope.open():
        for name, link in (("A", None), ("B", restricted.pk), ("C", None)):
            create_entity(scope=alice.scope, model=Project, fields={"name": name, "contract_id": link})
    assert viewer.api.get("/api/entities/project/?ordering=contract").status_code == 400
    assert viewer.client.get(f"{viewer.base}records/project/").status_code == 200


def test_a_concealed_field_does_not_show_in_the_date(alice: Person, viewer: Person, contract: Contract) -> None:
    where = f"/api/entities/contract/{contract.pk}/"
    before = viewer.api.get(where).json()["updated_at"]
    with Scope.for_service(alice.scope.workspace).open():
        Classification.objects.filter(value=5).update(conceal=True)
    alice.api.patch(where, {"value": "5"}, format="json")
    assert viewer.api.get(where).json()["updated_at"] == before
    alice.api.patch(where, {"status": "active"}, format="json")
    assert viewer.api.get(where).json()["updated_at"] != before


def test_a_batch_is_all_or_none(alice: Person) -> None:
    good, bad = {"name": "A", "counterparty": "B"}, {"name": "C"}
    assert alice.api.post("/api/entities/contract/batch/", [good, bad], format="json").status_code == 400
    assert alice.api.get("/api/entities/contract/").json()["count"] == 0
    assert alice.api.post("/api/entities/contract/batch/", [good, good], format="json").status_code == 201
    assert alice.api.get("/api/entities/contract/").json()["count"] == 2


def test_bad_queries_are_answered_not_broken(subtests: pytest.Subtests, alice: Person, contract: Contract) -> None:
    for query in [
        "q=%00",
        "name=%00",
        "value=1e999999",
        "value=NaN",
        "status__icontains=%00",
        "page=99999999999999999999",
    ]:
        with subtests.test(query=query):
            assert alice.api.get(f"/api/entities/contract/?{query}").status_code in (400, 404)
            assert alice.client.get(f"{alice.base}records/contract/?{query}").status_code in (200, 400)


def test_a_value_that_no_column_can_have_is_blamed_on_who_sent_it(
    subtests: pytest.Subtests, alice: Person, contract: Contract
) -> None:
    for name in ["q", "name", "status__icontains", "ordering", "archived"]:
        with subtests.test(name=name):
            answer = alice.api.get("/api/entities/contract/", {name: "a\x00"})
            assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, [name])


def test_bad_bodies_are_answered_not_broken(alice: Person) -> None:
    for body in ([1], [[1]]):
        assert alice.api.post("/api/entities/contract/batch/", body, format="json").status_code == 400
    deep = alice.api.generic("POST", "/api/entities/contract/", "[" * 200_000, content_type="application/json")
    assert deep.status_code == 400
    assert alice.client.get("/w/%00/").status_code == 404


def test_admin_offers_members_of_this_workspace_only(alice: Person, viewer: Person, outsider: Person) -> None:
    page = alice.client.get(f"{alice.base}admin/entities/entityusergrant/add/").content.decode()
    assert "viewer" in page
    assert "outsider" not in page
    assert "Can delete session" not in page


def test_admin_cannot_be_asked_about_hidden_columns(alice: Person, contract: Contract) -> None:
    for lookup in ("name__startswith=Quay", "source_id__startswith=a", "created_by=1"):
        page = alice.client.get(f"{alice.base}admin/entities/entity/?{lookup}")
        assert page.status_code in (302, 400)
    for lookup in ("user__password__startswith=a", "user__email=a"):
        assert alice.client.get(f"{alice.base}admin/entities/membership/?{lookup}").status_code in (302, 400)


def test_every_admin_page_of_a_row_opens(alice: Person, viewer: Person, contract: Contract) -> None:
    admin = f"{alice.base}admin/entities/"
    with alice.scope.open():
        membership = Membership.objects.get(user=viewer.user)
    for path in (f"entity/{contract.pk}/change/", f"membership/{membership.pk}/change/", "entityrolegrant/add/"):
        page = alice.client.get(admin + path)
        assert page.status_code == 200, path
        assert "Quay lease" not in page.content.decode()


def test_admin_restricts_a_record_and_the_next_request_obeys(alice: Person, viewer: Person, contract: Contract) -> None:
    where = f"/api/entities/contract/{contract.pk}/"
    assert viewer.api.get(where).status_code == 200
    change = f"{alice.base}admin/entities/entity/{contract.pk}/change/"
    assert alice.client.post(change, {"visibility": "restricted"}).status_code == 302
    assert viewer.api.get(where).status_code == 404
    with alice.scope.open():
        assert Entity.objects.filter(pk=contract.pk).values_list("name", flat=True).get() == "Quay lease"
