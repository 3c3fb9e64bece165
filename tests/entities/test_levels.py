"""Administrators describe levels and name the workspace; nobody else does."""

import re

from entities.models import AuditEntry, Classification, Workspace, WorkspaceSettings
from entities.models.classification import FINANCIAL
from entities.registry import list_entity_types
from entities.types import Contract
from tests.conftest import Person


def test_an_administrator_describes_and_conceals_a_level(alice: Person, viewer: Person, cfo: Person) -> None:
    change = {"level": FINANCIAL, "description": "Prices and pay.", "conceal": "on"}
    for who in (viewer, cfo):
        assert who.client.get(f"{who.base}levels/").status_code == 403
        assert who.client.post(f"{who.base}levels/", change).status_code == 403
    assert alice.client.post(f"{alice.base}levels/", change).status_code == 302
    page = alice.client.get(f"{alice.base}levels/").content.decode()
    assert "Prices and pay." in page
    assert "cfo role" in page, "who holds it"
    with alice.scope.open():
        level = Classification.objects.get(value=FINANCIAL)
        assert (level.description, level.conceal) == ("Prices and pay.", True)
        assert AuditEntry.objects.get(action="classification.changed").detail == {"value": FINANCIAL, "conceal": True}


def test_a_level_that_is_none_is_not_found(alice: Person) -> None:
    for level in ("0", "999", "1000", "", "5\x00", "²"):
        answer = alice.client.post(f"{alice.base}levels/", {"level": level, "description": "x"})
        assert answer.status_code == 404, level


def test_an_administrator_renames_the_workspace(alice: Person, viewer: Person, outsider: Person) -> None:
    assert viewer.client.post(f"{viewer.base}workspace/", {"name": "Mine"}).status_code == 403
    assert alice.client.post(f"{alice.base}workspace/", {"name": "  Harbour   works "}).status_code == 302
    assert "Harbour works" in viewer.client.get(viewer.base).content.decode()
    assert dict(Workspace.objects.values_list("slug", "name")) == {"acme": "Harbour works", "other": "Other"}
    assert alice.client.post(f"{alice.base}workspace/", {"name": " "}).status_code == 422


def test_an_administrator_names_orders_and_hides_kinds(
    alice: Person, viewer: Person, outsider: Person, contract: Contract
) -> None:
    form = {f"{key}-place": str(place) for place, key in enumerate(list_entity_types(), start=1)}
    form |= {"kinds": "1", "contract-shown": "on", "risk-shown": "on", "contract-place": "90"}
    named = form | {"contract-one": "Agreement", "contract-several": "Agreements"}
    assert viewer.client.post(f"{viewer.base}workspace/", named).status_code == 403
    assert alice.client.post(f"{alice.base}workspace/", named | {"risk-place": "first"}).status_code == 422
    assert "Contracts" in viewer.client.get(viewer.base).content.decode()
    assert alice.client.post(f"{alice.base}workspace/", named).status_code == 302

    home = viewer.client.get(viewer.base).content.decode()
    assert home.index("/records/risk/") < home.index("/records/contract/")
    assert "/records/task/" not in home
    listed = f"{viewer.base}records/contract/"
    for page, words in ((viewer.base, "Agreements"), (listed, "1 agreement"), (f"{alice.base}workspace/", "Agreement")):
        for language in ("en", "de"):
            text = alice.client.get(page, HTTP_ACCEPT_LANGUAGE=language).content.decode()
            assert words.lower() in text.lower()
            assert ("Contracts" in text, "Verträge" in text) == (False, False)
    assert "Contracts" in outsider.client.get(outsider.base).content.decode()
    assert outsider.client.get(listed).status_code == 404

    # A name that is left empty is the usual one again, and all kinds are what nobody has chosen.
    every = form | {f"{key}-shown": "on" for key in list_entity_types()} | {"contract-place": "1"}
    assert alice.client.post(f"{alice.base}workspace/", every).status_code == 302
    assert "Contracts" in viewer.client.get(viewer.base).content.decode()


def test_a_kind_moves_by_a_place_and_keeps_the_names_of_its_own(alice: Person) -> None:
    types = list_entity_types()
    usual = {f"{key}-place": str(place) for place, key in enumerate(types, start=1)} | {"kinds": "1"}
    usual |= {f"{key}-shown": "on" for key in types}

    def save(language: str = "en", **changes: str) -> str:
        form = usual | {name.replace("_", "-"): value for name, value in changes.items()}
        answer = alice.client.post(f"{alice.base}workspace/", form, follow=True, HTTP_ACCEPT_LANGUAGE=language)
        return answer.content.decode()

    def read_order() -> list[str]:
        found = re.findall(r'name="(\w+)-place"', alice.client.get(f"{alice.base}workspace/").content.decode())
        return found[: len(types)]

    # Down by one, down by two, up by one; what is saved again is no change.
    for place, was, now in ((2, 0, 1), (3, 0, 2), (1, 1, 0)):
        save()
        moved = list(types)
        moved.insert(now, moved.pop(was))
        assert "are changed." in save(**{f"{list(types)[was]}_place": str(place)})
        assert read_order() == moved
    save()
    assert "No change." in save()
    with alice.scope.open():
        assert AuditEntry.objects.filter(action="workspace.kinds").count() == 6

    # The usual name in another language is no name of its own; one word may be its own without the other.
    save(
        "de", **{f"{key}_one": model.singular_title.capitalize() for key, model in types.items()}, task_several="iPads"
    )
    with alice.scope.open():
        assert WorkspaceSettings.objects.get().kind_names == {"task": ["", "iPads"]}
    page = alice.client.get(f"{alice.base}workspace/", HTTP_ACCEPT_LANGUAGE="de").content.decode()
    assert 'name="task-one" value="Aufgabe"' in page
    assert 'name="task-several" value="iPads"' in page
    assert "IPads" not in page

    # No two are called the same, in any language, and the error is tied to its field.
    for name in ("Risk", "Risiken", "risk"):
        page = save(contract_several=name)
        assert 'name="contract-several"' in page
        assert 'aria-invalid="true" aria-describedby="kind-contract-several-error"' in page
        assert 'id="kind-contract-several-error">Another kind has this name.' in page
