"""Versions of a file, going back to an earlier one, and what a steward does about a file that was not published."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import assert_accessible
from tests.browser.hands import LONG

pytestmark = pytest.mark.browser


def test_an_earlier_version_comes_back_while_one_looks_on(shelf, browse):
    page = browse("admin")
    page.goto(f"{shelf.tide}versions/")
    versions = page.locator(".cl-version")
    expect(versions.locator(".cl-version-what h2")).to_have_text(["Version 2", "Version 1"])
    expect(versions.first).to_contain_text("Shown now")
    page.get_by_role("button", name="Restore version 1").click()
    dialog = page.get_by_role("dialog", name="Restore version 1?")
    expect(dialog).to_contain_text("Nothing is lost")
    assert_accessible(page)
    dialog.get_by_role("button", name="Keep it").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Restore version 1").click()
    dialog.get_by_role("button", name="Restore it").click()
    expect(page.locator("#toasts [data-kind=success]")).to_contain_text("Version 1 is on its way back")
    expect(versions.locator(".cl-version-what h2")).to_have_text(["Version 3", "Version 2", "Version 1"])
    expect(versions.first).to_contain_text("Shown now", timeout=LONG)
    page.keyboard.press("Escape")
    expect(page.locator(".cl-doc")).to_contain_text("High water is at six.")

    viewer = browse("viewer")
    viewer.goto(f"{shelf.tide}versions/")
    expect(viewer.locator(".cl-version").first).to_contain_text("Shown now")
    expect(viewer.get_by_role("button", name="Restore")).to_have_count(0)
    expect(viewer.get_by_role("link", name="Original")).to_have_count(0)
    assert "31,500 pounds" not in viewer.content()


def test_a_file_in_quarantine_is_rejected_after_a_question(shelf, browse, complaints, installation):
    page = browse("steward")
    page.locator("summary", has_text="your clearances and settings").click()
    page.get_by_role("link", name="Quarantine").click()
    found = (
        page.locator(".cl-version")
        .filter(has=page.get_by_role("heading", name=shelf.cut))
        .filter(has_text="Hoist on the yard side")
    )
    expect(found).to_contain_text("breaks off before its end")
    found.get_by_role("button", name="Reject").click()
    dialog = page.get_by_role("dialog", name="Reject this version?")
    dialog.get_by_role("button", name="Keep it").click()
    expect(found.get_by_role("button", name="Reject")).to_be_focused()
    found.get_by_role("button", name="Reject").click()
    dialog.get_by_role("button", name="Reject it").click()
    expect(page.locator("#toasts [data-kind=success]")).to_contain_text("cut.pdf was rejected")
    expect(found.get_by_role("button", name=f"Reject {shelf.cut}", exact=True)).to_have_count(0)
    expect(found.get_by_role("button", name=f"Take back the rejection of {shelf.cut}")).to_be_visible()

    viewer = browse("viewer")
    complaints.refused.add(f"{installation}/w/demo/quarantine/")
    assert viewer.goto("quarantine/").status == 403
    viewer.goto(shelf.record)
    row = viewer.locator("#files .cl-file").filter(has_text=shelf.cut)
    expect(row).to_contain_text("A steward has looked at this file and rejected it.")
    expect(row.get_by_role("button")).to_have_count(0)
