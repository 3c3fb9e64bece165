"""Ctrl-K: go to, search and create from the keyboard, of what the person may reach."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import assert_accessible

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [390, 1280])
def test_one_goes_searches_and_creates_from_the_keyboard(browse, width):
    page = browse("staff", viewport={"width": width, "height": 844})
    palette = page.locator("#palette")
    page.keyboard.press("Control+k")
    expect(palette).to_be_visible()
    expect(palette.get_by_role("option", name="Contracts")).to_be_visible()
    assert_accessible(page)
    page.keyboard.type("new art")
    expect(palette.get_by_role("option").first).to_have_text("New article")
    page.keyboard.press("Enter")
    page.wait_for_url("**/records/article/new/")

    page.get_by_label("Name").first.focus()
    page.keyboard.press("Control+k")  # also while typing
    page.keyboard.type("steelworks")
    expect(palette.locator("#palette-found [role=option]").first).to_be_visible()
    page.keyboard.press("End")
    palette.get_by_role("option", name="Search for “steelworks”").click()
    page.wait_for_url(re.compile(r"search/\?q=steelworks"))

    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()


def test_nobody_is_led_where_they_may_not_go(browse):
    viewer, admin = browse("viewer"), browse("admin")
    for page, count in ((viewer, 0), (admin, 1)):
        page.keyboard.press("Control+k")
        for name in ("People and roles", "Model", "New contract", "Classification desk"):
            expect(page.locator("#palette").get_by_role("option", name=name, exact=True)).to_have_count(count)
