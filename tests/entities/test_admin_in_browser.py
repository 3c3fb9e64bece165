"""An administrator in a real browser makes a classification and a role, gives it to a member and takes it away."""

from typing import Any

import pytest

from entities.access import Scope
from entities.models import Classification, FieldParagraph, Membership
from entities.text import compute_digest
from entities.types import Contract
from tests.conftest import Person

pytestmark = pytest.mark.browser
TEXT = "The winch drawings fall under export control."


def page_of(chromium: Any, server: Any, person: Person) -> Any:
    context = chromium.new_context()
    cookie = person.client.cookies["clearance_session"].value
    context.add_cookies([{"name": "clearance_session", "value": cookie, "url": server.url}])
    return context.new_page()


def save(page: Any) -> None:
    with page.expect_navigation():
        page.locator("[name=_save]").first.click()
    assert page.locator(".errorlist").count() == 0


def test_the_next_request_obeys_what_an_administrator_does(
    chromium: Any, server: Any, alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    admin, reader = page_of(chromium, server, alice), page_of(chromium, server, viewer)
    base = f"{server.url}{alice.base}admin/entities/"
    record = f"{server.url}{viewer.base}entities/{contract.pk}/"

    admin.goto(f"{base}classification/add/")
    admin.fill("[name=label]", "Export Controlled")
    save(admin)
    with service.open():
        level = Classification.objects.get(label="Export Controlled")
        FieldParagraph.objects.create(
            workspace_id=service.workspace, entity_id=contract.pk, field="notes", position=1, text=TEXT,
            digest=compute_digest(TEXT), data_classification=level.value,
        )  # fmt: skip
        member = Membership.objects.get(user=viewer.user)
    reader.goto(record)
    assert TEXT not in reader.content()
    assert "Export Controlled" in reader.content()

    admin.goto(f"{base}role/add/")
    admin.fill("[name=name]", "Compliance")
    admin.get_by_text("Add another").first.click()
    admin.locator("select[name='classification_grants-0-classification']").select_option(label="Export Controlled")
    save(admin)
    reader.goto(record)
    assert TEXT not in reader.content(), "a role that nobody holds clears nobody"

    admin.goto(f"{base}membership/{member.pk}/change/")
    admin.get_by_label("Compliance").check()
    save(admin)
    reader.goto(record)
    assert TEXT in reader.content()

    admin.goto(f"{base}membership/{member.pk}/change/")
    admin.get_by_label("Compliance").uncheck()
    save(admin)
    reader.goto(record)
    assert TEXT not in reader.content()
    for page in (admin, reader):
        page.context.close()
