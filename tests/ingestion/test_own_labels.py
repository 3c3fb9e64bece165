"""A steward gives and takes only labels that they hold, at every door; the same act by one who holds them is done."""

import re
from typing import Any

import pytest

from entities.access import Scope
from entities.models import AuditEntry, Classification
from entities.models.classification import FINANCIAL, INTERNAL, SECRET
from entities.types import Contract
from tests.conftest import Person, person
from tests.ingestion.desk_decisions import accept, causes, contested, waiting
from tests.ingestion.helpers import PROPOSED, label, paragraph, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)

GATE, YARD = "The gate is green.", "The yard is wide."
NOT_YOURS = "You can give labels that you are cleared for yourself, and no others."


@pytest.fixture
def clerk(contract: Contract) -> Person:
    """A steward who is cleared for Internal alone."""
    return person(contract.workspace, "clerk", [INTERNAL], ("Steward",))


def decide(who: Person, key: str, labels: list[int]) -> Any:
    return who.api.patch(f"/api/paragraphs/{key}/", {"labels": labels, "reason": "so"}, format="json")


def post(who: Person, address: str, **body: Any) -> str:
    """What the page says in the end."""
    return str(who.client.post(f"{who.base}{address}", body, follow=True).content.decode())


def test_one_paragraph_over_the_api(
    clerk: Person, steward: Person, alice: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, content=f"{GATE}\n\n{YARD}".encode())
    gate = str(paragraph(service, GATE).pk)
    refused = decide(clerk, gate, [INTERNAL, SECRET])
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "label_not_yours")
    assert texts(clerk, file) == [GATE, YARD], "nothing was decided"
    assert decide(clerk, gate, [INTERNAL]).status_code == 200, "its twin: what they hold they give"
    assert decide(clerk, gate, []).status_code == 200, "and take"
    assert decide(steward, gate, [INTERNAL, SECRET]).status_code == 200
    assert texts(clerk, file) == ["[Secret]", YARD]
    assert decide(clerk, gate, [INTERNAL]).status_code == 404, "what they do not hold they do not take"
    assert decide(steward, gate, [INTERNAL]).status_code == 200
    assert texts(clerk, file) == [GATE, YARD]


def test_a_concealed_level_is_refused_as_one_that_there_is_not(
    clerk: Person, steward: Person, alice: Person, contract: Contract, service: Scope
) -> None:
    ready(alice, contract, content=GATE.encode())
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)
    gate = str(paragraph(service, GATE).pk)
    concealed, absent = decide(clerk, gate, [SECRET]), decide(clerk, gate, [99])
    assert (concealed.status_code, concealed.json()) == (absent.status_code, absent.json())
    assert absent.json()["error"]["code"] == "unknown_label"
    assert str(SECRET) not in absent.json()["error"]["detail"]
    assert decide(clerk, gate, [FINANCIAL]).json()["error"]["code"] == "label_not_yours"
    assert decide(steward, gate, [SECRET]).status_code == 200


def test_one_and_many_at_the_desk(clerk: Person, steward: Person, alice: Person, contract: Contract) -> None:
    contested(alice, contract)
    (item,) = waiting(clerk)
    one, key = f"desk/paragraphs/{item['id']}/", f"{item['id']} {item['seen']}"
    shown = clerk.client.get(f"{clerk.base}{one}").content.decode()
    ticks = set(re.findall(r'name="labels" value="(\d+)"', shown))
    assert ticks == {str(INTERNAL)}, "only their own are offered"
    for address in (f"{one}decide/", "desk/preview/", "desk/decide/"):
        body = {"item": key, "own": "1", "labels": [SECRET], "reason": "so", "seen": item["seen"]}
        assert NOT_YOURS in post(clerk, address, **body), address
    assert waiting(clerk) == [item]
    assert NOT_YOURS not in post(clerk, "desk/preview/", item=key, own="1", labels=[INTERNAL])
    assert "1 paragraph decided." in post(clerk, "desk/decide/", item=key, own="1", labels=[INTERNAL], reason="so")
    more = next(one for one in waiting(steward) if one["labels"])
    key = f"{more['id']} {more['seen']}"
    assert "1 paragraph decided." in post(steward, "desk/decide/", item=key, own="1", labels=[SECRET], reason="so")


def test_a_proposal_above_a_steward_waits_for_another(
    clerk: Person,
    steward: Person,
    viewer: Person,
    alice: Person,
    contract: Contract,
    service: Scope,
    proposing: None,
) -> None:
    file = ready(alice, contract, content=f"{GATE}\n\n{PROPOSED}\n".encode())
    (item,) = waiting(clerk, cause="raise")
    body = {"paragraphs": [{"id": item["id"], "seen": item["seen"]}]}
    refused = clerk.api.post("/api/desk/accept/", body, format="json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "label_not_yours")
    assert NOT_YOURS in post(clerk, "desk/accept/", item=f"{item['id']} {item['seen']}")
    for query in ("", "?group=document", "?group=reason"):
        page = clerk.client.get(f"{clerk.base}desk/{query}").content.decode()
        assert ("who holds what is proposed" in page, 'name="item"' in page) == (True, False), query
        assert 'name="item"' in steward.client.get(f"{steward.base}desk/{query}").content.decode()
    assert texts(viewer, file) == [GATE, PROPOSED], "nothing was decided"
    assert accept(steward, item)["accepted"] == [item["id"]]
    assert texts(viewer, file) == [GATE, "[Secret]"]
    assert causes(clerk) == {}


def test_several_files(clerk: Person, steward: Person, alice: Person, contract: Contract, service: Scope) -> None:
    files = [ready(alice, contract, "a.txt", GATE.encode()), ready(alice, contract, "b.txt", b"The fence is new.")]
    label(service, "The fence is new.", INTERNAL)
    folder = f"entities/{contract.pk}/files"
    table = clerk.client.get(f"{clerk.base}{folder}/table/").content.decode()
    assert set(re.findall(r'name="labels" value="(\d+)"', table)) == {"0", str(INTERNAL)}
    preview = post(clerk, f"{folder}/label/", file=files, labels=INTERNAL)
    found = re.search(r'name="seen" value="(\w+)"', preview)
    assert found
    body = {"file": files, "reason": "so", "seen": found[1]}
    for door in ("label", "relabel"):
        assert NOT_YOURS in post(clerk, f"{folder}/{door}/", labels=SECRET, **body)
    with service.open():
        assert not AuditEntry.objects.filter(action="paragraph.relabelled").exists()
    assert "2 paragraphs decided." in post(clerk, f"{folder}/relabel/", labels=0, **body)
    preview = post(steward, f"{folder}/label/", file=files, labels=SECRET)
    found = re.search(r'name="seen" value="(\w+)"', preview)
    assert found
    body["seen"] = found[1]
    assert "2 paragraphs decided." in post(steward, f"{folder}/relabel/", labels=SECRET, **body)
