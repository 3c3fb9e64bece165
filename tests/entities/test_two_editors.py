"""Two people change one record: through its form, and over the API."""

import re
from html import unescape
from typing import Any

import pytest
from django.db.models import Model

from entities.access import Scope
from entities.models import FieldParagraph, WorkspaceSettings
from entities.models.classification import FINANCIAL
from entities.types import Contract
from tests.conftest import Person


def url(contract: Model) -> str:
    return f"/api/entities/contract/{contract.pk}/"


def open_form(who: Person, contract: Contract) -> dict[str, str]:
    """The fields of the form as the page has them, hidden ones too."""
    return read_form(who.client.get(f"{who.base}entities/{contract.pk}/edit/").content.decode())


def read_form(page: str) -> dict[str, str]:
    form = page.split('<form method="post" class="cl-panel"')[1].split("</form>")[0]
    found = dict(re.findall(r'<input[^>]* name="([^"]+)"[^>]*? value="([^"]*)"', form))
    found |= {n: v.removeprefix("\n") for n, v in re.findall(r'<textarea name="([^"]+)"[^>]*>([^<]*)</textarea>', form)}
    for name, options in re.findall(r'<select name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        found[name] = (re.findall(r'value="([^"]*)" selected', options) or [""])[0]
    dates = re.findall(r'<input type="(?:date|number|text|hidden)" name="([^"]+)"(?![^>]*value)', form)
    return {name: unescape(value) for name, value in (dict.fromkeys(dates, "") | found).items()}


def save(who: Person, contract: Contract, form: dict[str, str], **changed: str) -> Any:
    return who.client.post(f"{who.base}entities/{contract.pk}/edit/", {**form, **changed})


def read(who: Person, contract: Contract) -> Any:
    return who.api.get(url(contract)).json()


# --- the form


def test_what_another_changed_meanwhile_stays(alice: Person, staff: Person, contract: Contract) -> None:
    mine = open_form(alice, contract)
    assert save(staff, contract, open_form(staff, contract), status="active").status_code == 302
    answer = alice.client.post(f"{alice.base}entities/{contract.pk}/edit/", {**mine, "name": "Pier lease"}, follow=True)
    after = read(alice, contract)
    assert (after["name"], after["status"]) == ("Pier lease", "active")
    assert "Somebody else has changed Status meanwhile; that stays." in answer.content.decode()


def test_a_field_that_both_changed_is_shown_with_both_values(alice: Person, staff: Person, contract: Contract) -> None:
    mine = open_form(alice, contract)
    save(staff, contract, open_form(staff, contract), name="Berth lease", status="active")
    answer = save(alice, contract, mine, name="Pier lease", counterparty="Orion")
    page = answer.content.decode()
    assert answer.status_code == 409
    assert read(alice, contract)["name"] == "Berth lease", "nothing is written"
    assert "Berth lease" in page
    again = read_form(page)
    assert (again["name"], again["counterparty"], again["status"]) == ("Pier lease", "Orion", "active")
    assert save(alice, contract, again).status_code == 302
    after = read(alice, contract)
    assert (after["name"], after["counterparty"], after["status"]) == ("Pier lease", "Orion", "active")


def test_a_form_of_somebody_who_may_not_read_a_field_is_not_in_conflict_with_it(
    alice: Person, staff: Person, contract: Contract
) -> None:
    theirs, before = open_form(staff, contract), read(staff, contract)["version"]
    save(alice, contract, open_form(alice, contract), value="7")
    assert read(staff, contract)["version"] == before, "the version tells nothing of it"
    assert save(staff, contract, theirs, status="active").status_code == 302
    assert read(alice, contract)["value"] == "7.00"


def test_a_version_tells_who_may_read_the_field(alice: Person, cfo: Person, contract: Contract) -> None:
    before = read(cfo, contract)["version"]
    save(alice, contract, open_form(alice, contract), value="7")
    assert read(cfo, contract)["version"] != before


def test_a_field_that_came_into_sight_is_not_overwritten_unseen(
    alice: Person, staff: Person, contract: Contract
) -> None:
    old = open_form(staff, contract)
    save(alice, contract, open_form(alice, contract), value="7")
    answer = save(staff, contract, old, status="active", value="1")  # not theirs to write: there is no such field
    assert answer.status_code == 302
    assert read(alice, contract)["value"] == "7.00"


# --- long texts


def write_notes(who: Person, contract: Contract, notes: str, public: bool = True) -> None:
    assert who.api.patch(url(contract), {"notes": notes}, format="json").status_code == 200
    with who.scope.open():
        pass
    if public:
        with Scope.for_service(who.scope.workspace).open():
            FieldParagraph.objects.update(data_classification=0)


def list_notes(contract: Contract, who: Person) -> list[str]:
    with Scope.for_service(who.scope.workspace).open():
        return [p.text for p in FieldParagraph.objects.filter(entity=contract.pk).order_by("position")]


def test_paragraphs_that_another_added_stay(alice: Person, staff: Person, contract: Contract) -> None:
    write_notes(alice, contract, "One.\n\nTwo.")
    mine = open_form(alice, contract)
    write_notes(staff, contract, "One.\n\nTwo.\n\nThree.")
    assert save(alice, contract, mine, notes="One, changed.\n\nTwo.").status_code == 302
    assert list_notes(contract, alice) == ["One, changed.", "Two.", "Three."]


def test_a_paragraph_that_another_changed_is_a_conflict(alice: Person, staff: Person, contract: Contract) -> None:
    write_notes(alice, contract, "One.\n\nTwo.")
    mine = open_form(alice, contract)
    write_notes(staff, contract, "One, by staff.\n\nTwo.")
    answer = save(alice, contract, mine, notes="One, by Alice.\n\nTwo.")
    assert answer.status_code == 409
    assert "One, by staff." in answer.content.decode()
    assert list_notes(contract, alice) == ["One, by staff.", "Two."]
    assert save(alice, contract, read_form(answer.content.decode())).status_code == 302
    assert list_notes(contract, alice) == ["One, by Alice.", "Two."]


def test_what_its_writer_could_not_read_yet_is_not_lost(alice: Person, staff: Person, contract: Contract) -> None:
    write_notes(staff, contract, "One.", public=False)
    mine = open_form(staff, contract)
    assert mine["notes"] == "", "not classified yet"
    version = read(staff, contract)["version"]
    with Scope.for_service(alice.scope.workspace).open():
        FieldParagraph.objects.update(data_classification=0)
    assert read(staff, contract)["version"].split(".")[:-1] == version.split(".")[:-1], "a worker is nobody's conflict"
    assert save(staff, contract, mine, notes="Two.").status_code == 302
    assert sorted(list_notes(contract, alice)) == ["One.", "Two."]


def test_hidden_paragraphs_are_in_no_version(alice: Person, staff: Person, contract: Contract) -> None:
    write_notes(alice, contract, "One.\n\nTwo.")
    with Scope.for_service(alice.scope.workspace).open():
        FieldParagraph.objects.filter(text="Two.").update(data_classification=FINANCIAL)
    before = read(staff, contract)["version"]
    seen = read(alice, contract)["version"]
    assert alice.api.patch(url(contract), {"notes": "One.\n\nTwo, changed."}, format="json").status_code == 200
    assert read(staff, contract)["version"] == before
    assert read(alice, contract)["version"] != seen


# --- the API


def test_an_older_version_is_refused_with_what_has_changed(alice: Person, staff: Person, contract: Contract) -> None:
    etag = alice.api.get(url(contract))["ETag"]
    assert etag == f'"{read(alice, contract)["version"]}"'
    changed = staff.api.patch(
        url(contract), {"status": "active"}, format="json", HTTP_IF_MATCH=etag_of(staff, contract)
    )
    assert changed.status_code == 200
    refused = alice.api.patch(url(contract), {"name": "Pier lease"}, format="json", HTTP_IF_MATCH=etag)
    assert refused.status_code == 412
    assert refused.json()["error"]["code"] == "precondition_failed"
    assert list(refused.json()["error"]["fields"]) == ["status"]
    assert read(alice, contract)["name"] == "Quay lease"
    assert alice.api.delete(url(contract), HTTP_IF_MATCH=etag).status_code == 412
    new = etag_of(alice, contract)
    kept = alice.api.patch(url(contract), {"name": "Pier lease"}, format="json", HTTP_IF_MATCH=f'"other", {new}')
    assert kept.status_code == 200
    assert kept["ETag"] == etag_of(alice, contract) != new
    assert alice.api.delete(url(contract), HTTP_IF_MATCH=kept["ETag"]).status_code == 204


def etag_of(who: Person, contract: Contract) -> str:
    return f'"{read(who, contract)["version"]}"'


@pytest.mark.parametrize("sent", ["", "x", '"', '"' + "a." * 50_000 + '"', '""', "W/"])
def test_what_is_no_version_is_an_older_one(alice: Person, contract: Contract, sent: str) -> None:
    refused = alice.api.patch(url(contract), {"name": "Pier lease"}, format="json", HTTP_IF_MATCH=sent)
    assert refused.status_code == 412
    assert read(alice, contract)["name"] == "Quay lease"


def test_lists_give_the_same_versions(alice: Person, contract: Contract) -> None:
    write_notes(alice, contract, "One.\n\nTwo.")
    (row,) = alice.api.get("/api/entities/contract/").json()["results"]
    assert row["version"] == read(alice, contract)["version"]


def test_a_change_of_what_the_caller_may_not_read_is_no_older_version(
    alice: Person, staff: Person, contract: Contract
) -> None:
    etag = etag_of(staff, contract)
    assert alice.api.patch(url(contract), {"value": "7"}, format="json").status_code == 200
    assert staff.api.patch(url(contract), {"status": "active"}, format="json", HTTP_IF_MATCH=etag).status_code == 200
    refused = alice.api.patch(url(contract), {"status": "terminated"}, format="json", HTTP_IF_MATCH=etag)
    assert refused.status_code == 412, "the version is that of one reader's sight"


def test_a_text_of_ones_own_that_came_into_sight_is_not_replaced_unseen(staff: Person, contract: Contract) -> None:
    write_notes(staff, contract, "One.", public=False)
    etag = etag_of(staff, contract)
    with Scope.for_service(staff.scope.workspace).open():
        FieldParagraph.objects.update(data_classification=0)
    refused = staff.api.patch(url(contract), {"notes": "Two."}, format="json", HTTP_IF_MATCH=etag)
    assert refused.status_code == 412
    assert list(refused.json()["error"]["fields"]) == ["notes"]
    assert staff.api.patch(url(contract), {"status": "active"}, format="json", HTTP_IF_MATCH=etag).status_code == 200


def test_a_workspace_may_demand_versions(alice: Person, contract: Contract, service: Scope) -> None:
    assert alice.api.patch(url(contract), {"name": "Pier lease"}, format="json").status_code == 200
    with service.open():
        WorkspaceSettings.objects.update(needs_versions=True)
    refused = alice.api.patch(url(contract), {"name": "Berth lease"}, format="json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (428, "precondition_required")
    assert alice.api.delete(url(contract)).status_code == 428
    etag = etag_of(alice, contract)
    assert alice.api.patch(url(contract), {"name": "B"}, format="json", HTTP_IF_MATCH=etag).status_code == 200


def test_who_may_not_change_it_learns_nothing_of_its_version(viewer: Person, contract: Contract) -> None:
    for etag in ('"x"', etag_of(viewer, contract)):
        assert viewer.api.patch(url(contract), {"name": "X"}, format="json", HTTP_IF_MATCH=etag).status_code == 403
