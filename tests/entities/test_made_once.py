"""A request with a key makes one thing, however often it comes: through forms, and over the API."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F

from entities.access import Scope
from entities.models import Entity, MadeOnce
from entities.models.entity import Visibility
from entities.tasks import forget_all_keys
from entities.types import Contract
from tests.conftest import Person
from tests.entities.test_two_editors import read_form

BODY = {"name": "Crane hire", "counterparty": "Orion"}
URL = "/api/entities/contract/"


def post(who: Person, key: str, body: Any = BODY, address: str = URL) -> Any:
    return who.api.post(address, body, format="json", HTTP_IDEMPOTENCY_KEY=key)


def count(who: Person) -> int:
    return int(who.api.get(URL).json()["count"])


def test_four_posts_of_one_form_make_one_record(alice: Person) -> None:
    address = f"{alice.base}records/contract/new/"
    form = read_form(alice.client.get(address).content.decode()) | BODY
    answers = [alice.client.post(address, form) for _ in range(4)]
    assert {answer.status_code for answer in answers} == {302}
    assert len({answer["Location"] for answer in answers}) == 1
    assert count(alice) == 1
    other = read_form(alice.client.get(address).content.decode()) | BODY
    assert alice.client.post(address, other)["Location"] != answers[0]["Location"]
    assert count(alice) == 2


def test_a_form_that_was_refused_can_be_sent_again(alice: Person) -> None:
    address = f"{alice.base}records/contract/new/"
    form = read_form(alice.client.get(address).content.decode()) | BODY
    assert alice.client.post(address, form | {"name": ""}).status_code == 422
    assert alice.client.post(address, form).status_code == 302
    assert count(alice) == 1


def test_a_form_that_comes_again_with_other_words_says_what_it_has_made(alice: Person) -> None:
    address = f"{alice.base}records/contract/new/"
    form = read_form(alice.client.get(address).content.decode()) | BODY
    alice.client.post(address, form)
    answer = alice.client.post(address, form | {"name": "Barge hire"})
    assert answer.status_code == 422
    assert "This form has made “Crane hire” before." in answer.content.decode()
    assert count(alice) == 1
    assert alice.client.post(address, read_form(answer.content.decode())).status_code == 302
    assert count(alice) == 2


def test_the_same_request_is_answered_with_the_same_record(alice: Person) -> None:
    key = str(uuid4())
    first = post(alice, key)
    assert first.status_code == 201
    again = post(alice, key, dict(reversed(BODY.items())))
    assert (again.status_code, again.json(), again["ETag"]) == (201, first.json(), first["ETag"])
    assert count(alice) == 1
    assert post(alice, str(uuid4())).json()["id"] != first.json()["id"]


def test_another_request_with_the_key_is_refused(alice: Person) -> None:
    post(alice, "k")
    refused = post(alice, "k", {**BODY, "name": "Barge hire"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "key_used")
    assert post(alice, "k", {"name": "Move"}, "/api/entities/project/").status_code == 422
    assert count(alice) == 1


def test_a_key_is_of_one_person_in_one_workspace(alice: Person, staff: Person, outsider: Person) -> None:
    first, second, third = (post(who, "k") for who in (alice, staff, outsider))
    assert {answer.status_code for answer in (first, second, third)} == {201}
    assert len({answer.json()["id"] for answer in (first, second, third)}) == 3


def test_what_was_refused_leaves_no_key(alice: Person) -> None:
    assert post(alice, "k", {"name": ""}).status_code == 400
    assert post(alice, "k").status_code == 201


def test_the_answer_is_of_today_and_not_of_then(alice: Person, staff: Person, service: Scope) -> None:
    """Nothing outlives a clearance: the answer is written anew from the record."""
    made = post(staff, "k").json()
    alice.api.patch(f"{URL}{made['id']}/", {"name": "Hire of a crane"}, format="json")
    assert post(staff, "k").json()["name"] == "Hire of a crane"
    with service.open():
        from entities.models import EntityUserGrant

        EntityUserGrant.objects.filter(content_object=made["id"]).delete()
        Entity.objects.filter(pk=made["id"]).update(visibility=Visibility.RESTRICTED)
    assert post(staff, "k").status_code == 404
    assert alice.client.get("/").status_code == 302


def test_no_text_of_the_request_is_kept(alice: Person, service: Scope) -> None:
    post(alice, "a key of mine")
    with service.open():
        (row,) = MadeOnce.objects.values()
    assert not any(word in str(row) for word in ("a key of mine", "Crane", "Orion"))


def test_keys_of_others_are_not_there(alice: Person, staff: Person) -> None:
    post(alice, "k")
    with alice.scope.open():
        assert MadeOnce.objects.count() == 1
    with staff.scope.open():
        assert MadeOnce.objects.count() == 0


def test_a_key_ends_after_a_day(alice: Person, service: Scope) -> None:
    first = post(alice, "k").json()
    with service.open():
        MadeOnce.objects.update(at=F("at") - timedelta(hours=23))
    assert post(alice, "k").json()["id"] == first["id"]
    with service.open():
        MadeOnce.objects.update(at=F("at") - timedelta(hours=2))
    second = post(alice, "k").json()
    assert second["id"] != first["id"]
    post(alice, "other")
    with service.open():
        MadeOnce.objects.filter(made=[second["id"]]).update(at=F("at") - timedelta(hours=25))
    forget_all_keys()
    with service.open():
        assert MadeOnce.objects.count() == 1


def test_a_batch_is_made_once(alice: Person) -> None:
    body = [BODY, {**BODY, "name": "Barge hire"}]
    first, again = (post(alice, "k", body, f"{URL}batch/") for _ in range(2))
    assert first.json() == again.json()
    assert count(alice) == 2


@pytest.mark.parametrize("key", ["", "x" * 201, "a\tb"])
def test_what_is_no_key_is_refused(alice: Person, key: str) -> None:
    refused = post(alice, key)
    assert refused.status_code == 400
    assert "Idempotency-Key" in refused.json()["error"]["fields"]
    assert count(alice) == 0


def test_who_may_not_create_makes_nothing_with_a_key(viewer: Person, contract: Contract) -> None:
    assert post(viewer, "k").status_code == 403
    with viewer.scope.open():
        assert MadeOnce.objects.count() == 0
