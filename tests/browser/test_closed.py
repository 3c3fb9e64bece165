"""A medical letter: kept for its kind from the moment it is read, until a steward opens it."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import assert_accessible
from tests.browser.hands import give, make_contract, row_of
from tests.ingestion.test_heads import DISCHARGE

pytestmark = pytest.mark.browser
LINE = "He tires quickly and is frightened of the nights."


def test_a_medical_letter_is_kept_until_a_steward_opens_it(browse, complaints):
    founder = browse("admin")
    record = make_contract(founder, "Ward round")
    founder.goto(record)
    expect(founder.get_by_label("Who may read it").first).to_have_value("")
    give(founder, ("Lindgren.txt", DISCHARGE.encode()))
    expect(row_of(founder, "Lindgren.txt")).to_contain_text("This document looks like a medical letter or report.")
    assert_accessible(founder)

    reader = browse("staff")
    reader.goto(record)
    row = reader.locator("#files .cl-file")
    expect(row).to_contain_text("Document, needs PII-Sensitive")
    assert "Lindgren" not in reader.content()
    assert LINE not in reader.content()

    steward = browse("steward")
    steward.goto(record)
    row_of(steward, "Lindgren.txt").get_by_role("link").first.click()
    expect(steward.get_by_role("note").filter(has_text="looks like a medical letter or report")).to_be_visible()
    steward.get_by_role("button", name="Not so: open it").click()
    assert_accessible(steward)
    steward.get_by_label("Why", exact=True).fill("An invented letter.")
    steward.get_by_role("button", name="Decide 7 paragraphs").click()
    expect(steward.locator("#toasts [data-kind=success]")).to_be_visible()

    reader.goto(record)
    row_of(reader, "Lindgren.txt").get_by_role("link").first.click()
    expect(reader.locator(".cl-doc")).to_contain_text(LINE)
