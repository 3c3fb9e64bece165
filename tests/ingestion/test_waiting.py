"""Connecting a model later offers to judge text that rests: how much, for how much, in one press."""

from decimal import Decimal
from typing import Any

import pytest

from entities.access import Scope
from entities.models import AuditEntry
from entities.models.classification import FINANCIAL, INTERNAL, PII
from entities.rag import Collection
from entities.types import Contract
from ingestion import waiting
from ingestion.inline import process_all_waiting
from ingestion.models import File
from ingestion.resting import change_resting
from llm import scripted
from llm.endpoints import Endpoint, save_endpoint
from llm.models import ModelCall
from tests.conftest import Person, person
from tests.ingestion.helpers import labelled, ready, texts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed")]
URL = "/api/unjudged/"
GATE, ILL = "The gate is green.", "Tom is away again since the thing with his lungs came back."
PAY = "The average salary of a site manager is 68,400 pounds a year."
LETTER = f"{GATE}\n\n{ILL}\n\n{PAY}\n".encode()
OFFER = "Judge 2 waiting paragraphs"


def measure(who: Person) -> Any:
    return who.api.get(URL).json()


def show(who: Person) -> str:
    return str(who.client.get(f"{who.base}waiting/").content.decode())


def press(who: Person) -> int:
    return int(who.client.post(f"{who.base}waiting/", headers={"HX-Request": "true"}).status_code)


def test_what_rests_is_judged_when_a_model_has_come(
    alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    assert (measure(alice)["paragraphs"], "<button" in show(alice)) == (0, False), "the offline engine offers nothing"
    with scripted.use_scripted_model() as script:
        found = measure(alice)
        assert (found["paragraphs"], found["files"], found["left"]) == (2, 1, 0)
        assert found["tokens"] > len(LETTER) // 4
        assert Decimal(found["cost"]) > 0
        assert OFFER in show(alice)
        for page in ("model/", "resting/"):
            assert f"{alice.base}waiting/" in alice.client.get(f"{alice.base}{page}").content.decode()
        assert press(alice) == 200
        found = measure(alice)
        assert (found["paragraphs"], found["left"]) == (0, 2)
        assert "The model is judging: 2 paragraphs left." in show(alice)
        assert "<button" not in show(alice)
        assert texts(staff, file) == [GATE, ILL, "[Financial]"], "it is read as before until it is judged"
        script.push(tool_use=labelled(3, {1: [PII], 2: [FINANCIAL]}))
        process_all_waiting(service.workspace)
        assert measure(alice) == {"paragraphs": 0, "files": 0, "tokens": 0, "cost": None, "left": 0}
        assert "<section" not in show(alice)
    assert texts(viewer, file) == [GATE, "[PII]", "[Financial]"]
    assert texts(staff, file) == [GATE, "[PII]", "[Financial]"]
    with service.open():
        entry = AuditEntry.objects.get(action="judging.started")
        assert (entry.actor, entry.detail) == (alice.user.pk, {"files": 1})


def test_what_the_model_has_read_and_left_is_not_offered_again(
    alice: Person, contract: Contract, service: Scope
) -> None:
    with scripted.use_scripted_model() as script:
        name, answer = labelled(3, {2: [FINANCIAL]})
        answer["paragraphs"][1]["labels"] = []  # it names no level, not even Public
        script.push(tool_use=(name, answer))
        ready(alice, contract, "letter.txt", LETTER)
        assert measure(alice)["paragraphs"] == 0
        asked = len(script.requests)
        assert press(alice) == 200
        process_all_waiting(service.workspace)
        assert len(script.requests) == asked


def test_without_a_model_nothing_is_started(alice: Person, contract: Contract, service: Scope) -> None:
    ready(alice, contract, "letter.txt", LETTER)
    assert alice.api.post(URL).status_code == 409
    assert press(alice) == 200
    with service.open():
        assert not File.objects.exclude(redo="").exists()
        assert not AuditEntry.objects.filter(action="judging.started").exists()


def test_stewards_and_administrators_are_offered_it_and_others_are_not(
    alice: Person, steward: Person, viewer: Person, staff: Person, outsider: Person, contract: Contract
) -> None:
    ready(alice, contract, "letter.txt", LETTER)
    with scripted.use_scripted_model():
        assert OFFER in show(steward)
        page = steward.client.get(f"{steward.base}resting/").content.decode()
        assert f"{steward.base}waiting/" in page
        assert 'name="to"' not in page
        assert steward.client.post(f"{steward.base}resting/", {"to": "0"}).status_code == 403
        for who in (viewer, staff):
            assert who.client.get(f"{who.base}waiting/").status_code == 403
            assert (press(who), who.api.get(URL).status_code, who.api.post(URL).status_code) == (403, 403, 403)
        assert outsider.client.get(f"{alice.base}waiting/").status_code == 404
        assert measure(outsider)["paragraphs"] == 0
        assert steward.api.post(URL).json()["left"] == 2


def test_nobody_learns_how_much_rests_that_they_may_not_read(
    workspace: Any, alice: Person, contract: Contract, restricted: Contract, service: Scope
) -> None:
    bare = person(workspace, "bare", [], ("Admin",))
    clerk = person(workspace, "clerk", [INTERNAL], ("Admin",))
    ready(alice, contract, "letter.txt", LETTER)
    ready(alice, restricted, "closed.txt", LETTER + b"\nThe fence is new.\n")
    with scripted.use_scripted_model():
        nothing = measure(bare)
        assert (nothing["paragraphs"], nothing["tokens"], nothing["cost"]) == (0, 0, None)
        assert "<section" not in show(bare)
        assert press(bare) == 200
        assert measure(alice)["paragraphs"] == 5
        told = measure(clerk)
        assert (told["paragraphs"], told["files"]) == (2, 1)
        assert told["tokens"] < measure(alice)["tokens"]
        assert press(clerk) == 200
        assert measure(alice)["paragraphs"] == 3, "what they may not read is left to those who may"
        assert (measure(clerk)["left"], measure(bare)["left"]) == (2, 0)
    with alice.scope.open():
        change_resting(scope=alice.scope, label=FINANCIAL)
    process_all_waiting(service.workspace)


def test_a_collection_that_no_model_labels_is_not_offered(
    alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = Collection("Plans", classification=INTERNAL, classify=False)
    monkeypatch.setattr(Contract.Rag, "collections", {"documents": Collection("Documents"), "plans": plans})
    ready(alice, contract, "plan.txt", LETTER, collection="plans")
    with scripted.use_scripted_model():
        assert measure(alice)["paragraphs"] == 0


def test_what_failed_is_offered_again(alice: Person, contract: Contract, service: Scope) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    with scripted.use_scripted_model() as script:
        assert press(alice) == 200
        with service.open():
            File.objects.filter(pk=file).update(state="failed", attempts=9)
        found = measure(alice)
        assert (found["paragraphs"], found["left"]) == (2, 0)
        assert press(alice) == 200
        script.push(tool_use=labelled(3, {2: [FINANCIAL]}))
        process_all_waiting(service.workspace)
        assert measure(alice)["paragraphs"] == 0
        assert texts(alice, file) == [GATE, ILL, PAY]


def test_the_price_counts_pages_that_are_read_again(alice: Person, contract: Contract, service: Scope) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    with scripted.use_scripted_model():
        costs = []
        for columns in ({}, {"pages": 30}, {"strategy": "vision"}):
            with service.open():
                File.objects.filter(pk=file).update(**columns or {"pages": None})
            costs.append(Decimal(measure(alice)["cost"]))
    assert costs[0] == costs[1] < costs[2]


def test_of_many_files_the_price_is_by_the_average(
    alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(alice, contract, "one.txt", LETTER)
    ready(alice, contract, "two.txt", LETTER)
    with scripted.use_scripted_model():
        whole = measure(alice)
        monkeypatch.setattr(waiting, "MOST_PLANNED", 1)
        found = measure(alice)
    assert (found["files"], found["tokens"], Decimal(found["cost"])) == (2, whole["tokens"], Decimal(whole["cost"]))


def test_while_something_is_judged_the_page_asks_for_nothing_but_how_much_is_left(
    alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(alice, contract, "one.txt", LETTER)
    with scripted.use_scripted_model():
        assert press(alice) == 200
        monkeypatch.setattr(waiting, "select_unread", None)
        assert "The model is judging: 2 paragraphs left." in show(alice)


def test_a_server_of_ones_own_has_no_price(alice: Person, contract: Contract, service: Scope) -> None:
    ready(alice, contract, "letter.txt", LETTER)
    with alice.scope.open():
        save_endpoint(alice.scope, Endpoint("", "http://127.0.0.1:9", "local-7b", own=True))
    found = measure(alice)
    assert (found["paragraphs"], found["cost"]) == (2, None)
    assert "what they cost is not known here" in show(alice)
    assert OFFER in show(alice)
    with service.open():
        assert not ModelCall.objects.filter(model="local-7b").exists(), "looking asks no model"
