"""The content security policies against the pages of other people's packages, in a real browser."""

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def complaints(chromium, server, alice):
    """Opens a path as alice and returns what the browser complained of, with the page."""
    context = chromium.new_context()
    cookie = alice.client.cookies["clearance_session"].value
    context.add_cookies([{"name": "clearance_session", "value": cookie, "url": server.url}])
    page = context.new_page()
    found = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("response", lambda answer: found.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
    page.on("pageerror", lambda error: found.append(str(error)))

    def visit(path):
        page.goto(server.url + path)
        page.wait_for_load_state("networkidle")
        return page, found

    yield visit
    context.close()


def test_pages_of_other_peoples_packages_draw_themselves_without_complaint(complaints):
    page, found = complaints("/api/docs/")
    assert page.get_by_text("Clearance").first.is_visible()
    complaints("/w/acme/admin/")
    assert page.get_by_role("link", name="Roles").first.is_visible()
    complaints("/w/acme/")
    assert "\n".join(found) == ""
