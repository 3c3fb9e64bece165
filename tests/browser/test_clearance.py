"""One document, one record, and two people who are cleared for different things."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import paper
from tests.browser.conftest import open_record
from tests.browser.hands import LONG, ask, finished, search

pytestmark = pytest.mark.browser
BAND = "needs Financial"


@pytest.mark.parametrize(("user", "cleared"), [("cfo", True), ("viewer", False)])
def test_pay_is_text_for_one_and_a_placeholder_for_the_other(uploaded, browse, user, cleared):
    page = browse(user)

    page.goto(uploaded.file)
    expect(page.locator(".cl-doc")).to_contain_text(paper.BESIDE_PAY)
    told(page, page.locator(".cl-doc"), cleared)

    found = search(page, "average salary of the rope crew").filter(has_text=paper.FIGURE)
    expect(found.first).to_be_visible() if cleared else expect(found).to_have_count(0)
    beside = search(page, paper.BESIDE_PAY).filter(has_text="keeps the same anchors")
    expect(beside).to_have_count(1)
    if not cleared:
        told(page, beside, cleared)

    page.goto(uploaded.record)
    told(page, finished(ask(page, "What is the average salary of the rope crew?")), cleared)

    told(page, page.locator("#pulse-panel"), cleared)


def told(page: Page, place: Locator, cleared: bool) -> None:
    """Text for who is cleared; for who is not, a band that names what is missing, and the figures nowhere in the
    page.
    """
    band = place.locator(".cl-band").filter(has_text=BAND)
    if cleared:
        expect(place).to_contain_text(paper.FIGURE, timeout=LONG)
        expect(band).to_have_count(0)
    else:
        expect(band).to_have_count(1, timeout=LONG)
        expect(band).to_be_visible()
        assert paper.FIGURE not in page.content()
        assert paper.TOTAL not in page.content()


@pytest.mark.parametrize(("user", "cleared"), [("cfo", True), ("viewer", False)])
def test_the_value_of_a_contract_is_masked_and_shown(browse, user, cleared):
    page = browse(user)
    page.goto("records/contract/")
    row = page.get_by_role("row").filter(has_text="Structural Steel Subcontract")
    assert ("£1,184,000" in row.inner_text()) is cleared
    row.get_by_role("link").first.click()
    value = page.locator(".cl-props > div").filter(has_text="Value").locator("dd")
    expect(value).to_contain_text("£1,184,000" if cleared else "Financial")
    assert ("1,184,000" in page.locator(".cl-props").inner_html()) is cleared


def test_a_restricted_contract_exists_only_for_who_may_see_it(browse, complaints, installation):
    page = browse("cfo")
    gannet = open_record(page, "contract", "Project Gannet")
    assert page.goto(gannet).status == 200
    complaints.refused.add(f"{installation}/w/demo/{gannet}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Project Gannet")
    expect(search(page, "Project Gannet").filter(has_text="Project Gannet").first).to_be_visible()
    for user in ("viewer", "staff"):
        page = browse(user)
        page.goto("records/contract/")
        expect(page.get_by_role("rowheader", name="Structural Steel")).to_have_count(1)
        expect(page.get_by_role("rowheader", name="Gannet")).to_have_count(0)
        search(page, "Project Gannet")
        expect(page.locator("#found")).not_to_contain_text("Gannet")
        assert page.goto(gannet).status == 404
        assert "Gannet" not in page.content()
