"""An administrator finds a model on this computer, leaves while it is slow, and comes back to what it cannot do."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessible import assert_accessible
from tests.browser.hands import LONG
from tests.llm.completions import Raw, serve_completions, whole
from tests.llm.trials import refuse_tools

pytestmark = pytest.mark.browser


def test_a_model_on_this_computer_is_found_and_tested_with_patience(
    environment: dict[str, str], browse: Callable[..., Page]
) -> None:
    loaded = threading.Event()

    def respond(body: dict[str, Any]) -> Raw:
        loaded.wait(120)
        return refuse_tools(body)

    page = browse("admin")
    with serve_completions(int(environment["CLEARANCE_LOCAL_MODEL_PORTS"])) as server:
        server.respond = respond
        server.pages["/v1/models"] = whole(data=[{"id": "nomic-embed-text"}, {"id": "tiny-3b"}, {"id": "large-70b"}])
        page.goto("model/")
        page.get_by_role("button", name="Look on this computer").click()
        found = page.locator("#local")
        expect(found).to_contain_text("tiny-3b proposed as the fast one")
        expect(found).to_contain_text("nomic-embed-text not for answers")
        expect(page.get_by_label("Name of the model").last).to_have_value("tiny-3b")
        expect(page.get_by_label("Name of a larger model for answers")).to_have_value("large-70b")
        assert_accessible(page)

        page.get_by_role("button", name="Test and save").last.click()
        test = page.locator("#model-test")
        expect(test).to_contain_text("loaded for a minute or longer", timeout=LONG)
        assert_accessible(page)
        page.goto("")
        page.goto("model/")
        expect(test).to_contain_text("loaded for a minute or longer")
        loaded.set()
        result = page.get_by_role("alert").filter(has_text="its server gives it no tools")
        expect(result).to_contain_text("its first answer came in", timeout=LONG)
        expect(result).to_contain_text("Nothing was saved.")
        assert_accessible(page)
        page.get_by_role("button", name="Close").click()
        expect(result).to_have_count(0)
        expect(page.get_by_role("heading", name="On this computer")).to_be_visible()
