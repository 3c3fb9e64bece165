"""A classification that an administrator deletes: what still names it means nothing else, and breaks nothing."""

from typing import Any

import pytest

from entities.access import Scope
from entities.models import Classification, ClassificationGrant, LabelGrant
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion.inline import process_all_waiting
from llm import scripted
from tests.conftest import Person
from tests.ingestion.access_requests import ask, decide, listed, person_role
from tests.ingestion.desk_decisions import names
from tests.ingestion.helpers import labelled, ready, texts
from tests.ingestion.test_labels import passage, relabel

pytestmark = pytest.mark.django_db(transaction=True)
LINER, GATE = "The liner is grey.", "The gate is green."


def add(admin: Person, service: Scope, label: str) -> Classification:
    """As an administrator does, and gives it to a role of theirs."""
    form = {"label": label, "icon": "world", "color": "red", "description": ""}
    assert admin.client.post(f"{admin.base}admin/entities/classification/add/", form).status_code == 302
    with service.open():
        level = Classification.objects.get(label=label)
        role = person_role("alice role")
        ClassificationGrant.objects.create(workspace_id=service.workspace, role=role, classification=level)
    return level


def delete(admin: Person, level: Classification) -> None:
    page = f"{admin.base}admin/entities/classification/{level.pk}/delete/"
    assert admin.client.post(page, {"post": "yes"}).status_code == 302


def sent(alice: Person, contract: Contract, level: int, *lines: str) -> str:
    """The model gives the first line this level."""
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(len(lines), {0: [level]}))
        return ready(alice, contract, "a.txt", "\n\n".join(lines).encode())


def test_no_other_level_gets_its_value(alice: Person, viewer: Person, contract: Contract, service: Scope) -> None:
    """Or what a steward said of the one would hold for the other."""
    export = add(alice, service, "Export Controlled")
    file = sent(alice, contract, export.value, LINER, GATE)
    assert relabel(alice, passage(alice, file, LINER)["id"], []).status_code == 200
    process_all_waiting(service.workspace)
    assert texts(viewer, file) == [LINER, GATE]
    delete(alice, export)
    shown = passage(alice, file, LINER)
    assert ["Deleted classification"] in [names(vote["labels"]) for vote in shown["votes"]]
    assert alice.client.get(f"{alice.base}desk/paragraphs/{shown['id']}/").status_code == 200
    privileged = add(alice, service, "Attorney-Client")
    assert privileged.value == export.value + 1
    sent(alice, contract, privileged.value, LINER, "The gate is red.")
    assert texts(viewer, file) == ["[Attorney-Client]", "The gate is red."]


def test_what_was_asked_for_and_granted_of_it_goes_with_it(
    alice: Person, viewer: Person, cfo: Person, contract: Contract, service: Scope
) -> None:
    export = add(alice, service, "Export Controlled")

    def asked(who: Person, *labels: int) -> Any:
        return ask(who, entity=str(contract.pk), labels=[export.value, *labels])["id"]

    asked(viewer)
    both = asked(viewer, SECRET)
    decide(alice, asked(cfo), state="granted")
    decide(alice, asked(cfo, SECRET), state="granted")
    delete(alice, export)
    for who, left in ((viewer, [["Secret"]]), (cfo, [["Secret"]]), (alice, [["Secret"], ["Secret"]])):
        assert [names(one["requires"]) for one in listed(who)] == left
        assert who.client.get(f"{who.base}access-requests/").status_code == 200
    add(alice, service, "Attorney-Client")
    decide(alice, both, state="granted")
    with service.open():
        grants = LabelGrant.objects.order_by("pk").values_list("membership__user__username", "classification__value")
        assert set(grants) == {("viewer", SECRET), ("cfo", SECRET)}
    assert {atom["label"] for atom in cfo.api.get("/api/me/").json()["labels"]} == {"Public", "Financial", "Secret"}
