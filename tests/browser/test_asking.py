"""Asking in the chat beside a record: the composer is near by the keyboard, and what is sent stands at once."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import assert_accessible
from tests.browser.conftest import open_record

pytestmark = pytest.mark.browser


def test_what_is_sent_stands_at_once_and_comes_back_where_it_did_not_arrive(browse, complaints, installation):
    page = browse("viewer")
    open_record(page, "contract", "Tower Crane Hire")
    box = page.get_by_placeholder("Ask about this record")
    expect(box).to_be_visible()
    page.reload()
    expect(box).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(box).to_be_focused()

    held, lost = [], []
    # One handler for the whole test: between taking one away and setting another a request may slip through.
    page.route("**/ask/", lambda route: route.abort("connectionfailed") if lost else held.append(route))
    page.keyboard.type("By when must notice be given?")
    page.keyboard.press("Enter")
    sent = page.locator("#talk [data-sending]")
    expect(sent).to_contain_text("By when must notice be given?")
    expect(sent).to_contain_text("Sending…")
    expect(box).to_have_value("")
    page.keyboard.type("And by whom?")
    held[0].continue_()
    expect(page.locator("#talk [data-from=person]:not([data-sending])")).to_contain_text(
        "By when must notice be given?"
    )
    expect(sent).to_have_count(0)
    expect(box).to_have_value("And by whom?")
    expect(page.locator("#talk [data-state=done]")).to_be_visible(timeout=60_000)

    assert_accessible(page)
    complaints.refused.add(f"{installation}{page.locator('#chat-dock [data-composer]').get_attribute('action')}")
    complaints.abandoned += 1
    lost.append("what is asked from here on")
    page.keyboard.press("Enter")
    expect(page.locator("#toasts [data-kind=error]")).to_be_visible()
    expect(box).to_have_value("And by whom?")
    expect(sent).to_have_count(0)
    page.reload()
    expect(box).to_have_value("And by whom?")
