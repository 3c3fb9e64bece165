"""Pages of records over HTTP: what a form shows is what saving it keeps."""

import re
from datetime import date

from entities.access.grants import grant_entity
from entities.actions import create_entity
from entities.types import Contract, Employee
from tests.conftest import Person


def test_saving_a_form_as_it_was_opened_changes_nothing(alice: Person, contract: Contract):
    page = f"{alice.base}entities/{contract.pk}/edit/"
    filled = {"name": "Quay lease", "counterparty": "Port", "currency": "GBP", "status": "active"}
    assert alice.client.post(page, filled | {"value": "1200000", "starts_on": "2026-03-27"}).status_code == 302
    html = alice.client.get(page).content.decode()
    inputs = re.findall(r"<input[^>]*>", html)
    shown = {name: value for tag in inputs for name, value in re.findall(r'name="(\w+)".*?value="([^"]*)"', tag)}
    # Only this form does a browser's date field take; it shows any other as empty, and sends it back empty.
    assert shown["starts_on"] == "2026-03-27"
    assert alice.client.post(page, shown | {"status": "active"}).status_code == 302
    with alice.scope.open():
        kept = Contract.objects.get(pk=contract.pk)
        assert (kept.starts_on, kept.ends_on, str(kept.value)) == (date(2026, 3, 27), None, "1200000.00")


def test_the_menu_names_a_type_to_who_has_something_to_find_there(alice: Person, viewer: Person):
    def menu(who: Person) -> bool:
        return "records/employee/" in who.client.get(f"{who.base}search/").content.decode()

    with alice.scope.open():
        jane = create_entity(scope=alice.scope, model=Employee, fields={"name": "Jane", "job_title": "Clerk"})
    assert menu(alice)
    assert not menu(viewer)
    assert "records/contract/" in viewer.client.get(f"{viewer.base}search/").content.decode()
    with alice.scope.open():
        grant_entity(jane, viewer.user.pk, ["view"])
    assert menu(viewer)
