"""Originals: who is cleared for all of a file has it, and a steward settles what was not read."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import call, give, make_contract, row_of

pytestmark = pytest.mark.browser

SOUND = (
    b"<!DOCTYPE html><title>Call</title><p>The call of Monday, as it was recorded.</p>"
    b"<audio src='data:audio/wav;base64,AAAA'></audio>"
)


def downloads(page: Page, file: str) -> int:
    root = page.url.split("/w/demo/")[0]
    return page.request.get(f"{root}/w/demo/files/{file}/download/").status


def pdfs_of_demo(page: Page) -> dict[str, frozenset[int]]:
    """By id, the labels of the PDFs that were read and that the page's user may know of."""
    found = {}
    for kind in ("contract", "employee", "project", "article"):
        status, records = call(page, "GET", f"entities/{kind}/?page_size=200")
        for record in records["results"] if status == 200 else ():
            for file in call(page, "GET", f"entities/{record['id']}/files/")[1]["results"]:
                is_read = file["state"] == "ready" and file["media_type"] == "application/pdf"
                if is_read and file["origin"] is None:
                    found[file["id"]] = frozenset(label["value"] for label in file["labels"])
    return found


def test_who_holds_all_labels_of_a_pdf_downloads_it(browse):
    reader, all_of_them = browse("cfo"), browse("admin")
    given = {file: labels <= {5} for file, labels in pdfs_of_demo(reader).items()}
    assert any(given.values())
    assert {file: downloads(reader, file) == 200 for file in given} == given
    everything = pdfs_of_demo(all_of_them)
    assert {downloads(all_of_them, file) for file in everything} == {200}


def test_a_steward_settles_what_was_not_read(browse):
    admin = browse("admin")
    record = make_contract(admin, "Calls of the crew")
    admin.goto(record)
    give(admin, ("call.html", SOUND))
    href = str(row_of(admin, "call.html").locator(".cl-file-name a").get_attribute("href"))
    file = href.rstrip("/").split("/")[-1]
    viewer = browse("viewer")
    viewer.goto(f"files/{file}/")
    expect(viewer.get_by_role("link", name="Original")).to_have_count(0)
    steward = browse("steward")
    steward.goto("desk/")
    row = steward.get_by_role("region", name="Not all read").get_by_role("listitem").filter(has_text="call.html")
    row.get_by_role("link", name="Look and decide").click()
    expect(steward.get_by_role("heading", name="Not read in call.html")).to_be_visible()
    expect(steward.get_by_role("region", name="What the reader does not show")).to_contain_text(
        "Sound or film is embedded in this page"
    )
    steward.get_by_label("Why", exact=True).fill("Nothing but the weather.")
    steward.get_by_role("button", name="Decide", exact=True).click()
    expect(steward.locator("#toasts [data-kind=success]")).to_be_visible()
    viewer.reload()
    expect(viewer.get_by_role("link", name="Original")).to_have_count(1)
    assert downloads(viewer, file) == 200
