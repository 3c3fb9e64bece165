"""The panel beside the button of an invitation is counted anew when a role is ticked, in a real browser."""

from typing import Any

import pytest
from playwright.sync_api import expect

from entities.access import Scope
from entities.models.classification import PII
from entities.types import Contract
from tests.conftest import Person
from tests.ingestion.helpers import label, ready

pytestmark = pytest.mark.browser


def test_an_administrator_sees_what_an_invitation_opens(
    chromium: Any, server: Any, alice: Person, viewer: Person, hr: Person, contract: Contract, service: Scope
) -> None:
    ready(alice, contract, "a.txt", b"The gate is green.\n\nThe yard is wide.")
    label(service, "The yard is wide.", PII)
    context = chromium.new_context()
    cookie = alice.client.cookies["clearance_session"].value
    context.add_cookies([{"name": "clearance_session", "value": cookie, "url": server.url}])
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.goto(f"{server.url}{alice.base}people/")
    panel = page.locator(".cl-opening")
    expect(panel).to_contain_text("will read 1 more paragraph of 1 file.")
    page.get_by_label("For whom").fill("Nina")
    page.get_by_role("checkbox", name="HR", exact=True).check()
    expect(panel).to_contain_text("Nina will read 2 more paragraphs of 1 file.")
    page.get_by_role("checkbox", name="HR", exact=True).uncheck()
    expect(panel).to_contain_text("Nina will read 1 more paragraph of 1 file.")
    assert said == []
    context.close()
