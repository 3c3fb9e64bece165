"""Why can't I see this: from the placeholder to a steward, a clearance that ends, and one that is taken back."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessible import assert_accessible
from tests.browser.hands import call

pytestmark = pytest.mark.browser
TEXT = "The fare of the boat"


def hidden(page: Page) -> None:
    page.reload()
    expect(page.locator(".cl-doc .cl-band")).to_contain_text("needs Financial")
    assert TEXT not in page.content()


def test_a_viewer_asks_a_steward_grants_for_a_day_and_takes_it_back(shelf, browse, complaints, installation):
    # One on a phone, one on a laptop.
    viewer, steward = browse("viewer", viewport={"width": 390, "height": 844}), browse("steward")
    viewer.goto(shelf.fare)
    hidden(viewer)
    band = viewer.locator(".cl-doc .cl-band")
    band.get_by_text("why?").click()
    expect(band).to_contain_text("Needs Financial; your roles hold Public.")
    assert_accessible(viewer)
    band.get_by_role("link", name="Ask for access").click()
    expect(viewer.get_by_role("heading", level=1)).to_have_text("Why can’t I see this?")
    viewer.get_by_label("What do you need it for?").fill("For the plan of the crossing.")
    viewer.get_by_role("button", name="Ask the stewards").click()
    viewer.wait_for_url(f"**/{shelf.fare}**")
    expect(viewer.locator("#toasts [data-kind=success]")).to_contain_text("Sent to the stewards")
    hidden(viewer)

    # Neither the asker nor another reader is offered to decide, nor may they.
    (asked,) = call(viewer, "GET", "access-requests/?state=open")[1]["results"]
    for who, status in ((viewer, 403), (browse("cfo"), 404)):
        who.goto("access-requests/")
        expect(who.get_by_role("heading", name="What you asked for")).to_be_visible()
        expect(who.get_by_role("heading", name="Waiting for you")).to_have_count(0)
        expect(who.get_by_role("button", name="Grant")).to_have_count(0)
        complaints.refused.add(f"{installation}/w/demo/api/access-requests/{asked['id']}/")
        assert call(who, "PATCH", f"access-requests/{asked['id']}/", {"state": "granted"})[0] == status

    steward.reload()
    steward.get_by_role("link", name="for access waiting for you").click()
    request = steward.get_by_role("article").filter(has_text="For the plan of the crossing.")
    expect(request.get_by_role("link", name="fare.md")).to_be_visible()
    assert_accessible(steward)
    request.get_by_label("How long").select_option(label="for a day")
    request.get_by_role("button", name="Grant").click()
    expect(steward.locator("#toasts [data-kind=success]")).to_contain_text("Granted")
    expect(steward.get_by_role("heading", name="Nothing waits for you")).to_be_visible()

    viewer.goto(shelf.fare)
    expect(viewer.locator(".cl-doc")).to_contain_text(TEXT)
    viewer.get_by_role("link", name="1 new notification").click()
    viewer.get_by_role("link", name="Your request was granted").first.click()
    mine = viewer.get_by_role("article").filter(has_text="fare.md").first
    expect(mine).to_contain_text("Granted")
    expect(mine).to_contain_text(re.compile("ends in (a day|1 day|2[34] h)"))

    assert_accessible(viewer)
    withdrawn = steward.get_by_role("article").filter(has_text="For the plan of the crossing.")
    withdrawn.get_by_label("Why it is withdrawn").fill("The crossing is planned.")
    withdrawn.get_by_role("button", name="Withdraw").click()
    expect(steward.locator("#toasts [data-kind=success]")).to_contain_text("Withdrawn")
    viewer.goto(shelf.fare)
    hidden(viewer)
