"""The classification desk, as a steward works at it and as nobody else may."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import paper
from tests.browser.accessible import assert_accessible
from tests.browser.hands import LONG

pytestmark = pytest.mark.browser


def band(page: Page, label: str, count: int) -> None:
    expect(page.locator(".cl-doc .cl-band").filter(has_text=f"needs {label}")).to_have_count(count)


def test_a_steward_looks_at_the_page_and_decides_otherwise_with_a_reason(shelf, browse):
    viewer = browse("viewer")
    viewer.goto(shelf.report)
    band(viewer, "Financial", 1)
    page = browse("steward")
    page.get_by_role("link", name="waiting at the classification desk").click()
    page.wait_for_url("**/desk/")
    page.get_by_label("Why it waits").select_option(label="Decrease waits")
    page.wait_for_url("**cause=decrease**")
    item = page.locator("[data-desk-item]").filter(has_text=paper.AGREED)
    expect(item).to_contain_text("Decrease waits")
    expect(item.locator(".cl-chip")).to_have_text(["Financial", "Public"])
    item.get_by_role("link", name="Look and decide").click()
    sheet = page.get_by_role("region", name="Picture of page 2")
    expect(sheet.locator("image")).to_have_count(1, timeout=LONG)
    assert sheet.locator("image").evaluate("image => image.getBBox().width") > 500
    expect(sheet.locator("[data-chosen] title")).to_have_text("Financial")
    assert sheet.locator("g title").all_text_contents().count("Public") >= 3
    expect(page.get_by_role("region", name="Votes")).to_contain_text("label before this version")
    financial, internal = (page.get_by_role("group").locator(f"[name=labels][value='{value}']") for value in (5, 1))
    expect(financial).to_be_checked()
    page.get_by_role("button", name="Decide", exact=True).click()
    expect(page.get_by_label("Why", exact=True)).to_be_focused()
    assert_accessible(page)
    financial.uncheck()
    internal.check()
    page.get_by_label("Why", exact=True).fill("only for those who plan")
    page.get_by_role("button", name="Decide", exact=True).click()
    page.wait_for_url(re.compile(r"/desk/"))
    expect(page.locator("#toasts [data-kind=success]")).to_be_visible()
    page.goto("desk/")
    expect(page.locator("[data-desk-item]").filter(has_text=paper.AGREED)).to_have_count(0)
    viewer.reload()
    band(viewer, "Financial", 0)
    band(viewer, "Internal", 1)
    assert paper.AGREED not in viewer.content()
    staff = browse("staff")
    staff.goto(shelf.report)
    expect(staff.locator(".cl-doc")).to_contain_text(paper.AGREED)


def test_many_are_ticked_by_keyboard_or_all_at_once_and_accepted(shelf, browse):
    viewer = browse("viewer")
    viewer.goto(shelf.fees)
    band(viewer, "Financial", 1)
    page = browse("steward")
    page.goto(f"desk/?file={shelf.fees.split('/')[1]}")
    items = page.locator("[data-desk-item]")
    expect(items).to_have_count(2)
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_text("1 of 2 ticked")).to_be_visible()
    expect(items.first.get_by_role("checkbox")).to_be_checked()
    page.get_by_label("All on this page").check()
    expect(page.get_by_text("2 of 2 ticked")).to_be_visible()
    assert_accessible(page)
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    accept = page.get_by_role("button", name="Accept what is ticked")
    accept.evaluate("button => { button.click(); setTimeout(() => button.click(), 50); }")
    expect(page.locator("#toasts [data-kind=success]")).to_contain_text("2 paragraphs decided as proposed")
    assert len(sent) == 1, "of a second sending one would be told that nothing was decided"
    expect(page.get_by_role("heading", name="Nothing of this waits")).to_be_visible()
    viewer.reload()
    band(viewer, "Financial", 0)
    expect(viewer.locator(".cl-doc")).to_contain_text("ladders of the second crew is as agreed")


@pytest.mark.parametrize("user", ["viewer", "cfo"])
def test_who_is_no_steward_has_no_desk(shelf, browse, complaints, installation, user):
    steward = browse("steward")
    steward.goto(f"desk/?file={shelf.fare.split('/')[1]}")
    href = steward.locator("[data-desk-open]").first.get_attribute("href")
    item = str(href).split("/w/demo/")[1].split("?")[0]
    page = browse(user)
    expect(page.get_by_role("link", name="classification desk")).to_have_count(0)
    page.locator("summary", has_text="your clearances and settings").click()
    expect(page.get_by_role("link", name="Requests for access")).to_be_visible()
    expect(page.get_by_role("link", name="Classification desk")).to_have_count(0)
    for path in ("desk/", item, f"{item}page/", "quarantine/"):
        complaints.refused.add(f"{installation}/w/demo/{path}")
        assert page.goto(path).status == 403
        assert "boat" not in page.content()
        assert "svg viewBox" not in page.locator("main").inner_html()
