"""What a page keeps while one chooses: searches in the browser, and the choices of a new reference."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CONTRACT, open_record, sign_in

pytestmark = pytest.mark.browser


def test_two_people_on_one_browser_do_not_see_each_others_recent_searches(browse, installation):
    page = browse("staff")
    for filters in ("", "&type=contract"):
        page.goto(f"search/?q=steel+beams{filters}")
    page.goto("search/")
    recent = page.locator("[data-searches-recent]")
    expect(recent.get_by_role("link")).to_have_text(["steel beams · Contract", "steel beams"])
    recent.get_by_role("button", name="Save: steel beams · Contract", exact=True).click()
    expect(page.get_by_role("button", name="Remove: steel beams · Contract")).to_be_visible()

    page.context.clear_cookies()  # the session ended, and nobody signed out
    sign_in(page, installation, "viewer")
    page.goto("search/")
    expect(page.locator("[data-searches]")).to_be_hidden()
    kept = "Object.keys(localStorage).filter(key => key.startsWith('clearance.searches'))"
    assert [key.split()[-1] for key in page.evaluate(kept)] == ["saved"]

    page.goto("search/?q=cranes")
    page.goto("")
    page.locator("form[data-draft=forget] .cl-menu-item").evaluate("button => button.click()")
    page.wait_for_url("**/sign-in/**")
    assert [key.split()[-1] for key in page.evaluate(kept)] == ["saved"]


def test_looking_for_another_record_keeps_what_was_chosen(browse):
    page = browse("staff")
    page.goto(f"{open_record(page, 'contract', CONTRACT)}references/new/")
    page.get_by_label("How they are linked").select_option("BuildsOn")
    first = page.locator("#targets input").first
    chosen = first.get_attribute("value")
    first.check()
    page.locator("#target-q").fill("no such record at all")
    expect(page.locator("#targets input")).to_have_count(1)
    page.locator("#target-q").press("Enter")
    page.wait_for_load_state("networkidle")
    expect(page.locator("#targets input:checked")).to_have_value(str(chosen))
    expect(page.get_by_label("How they are linked")).to_have_value("BuildsOn")
