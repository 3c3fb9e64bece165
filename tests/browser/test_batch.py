"""A folder that is uploaded, how far it is, where its links lead, and what is tried again."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.hands import LONG, ended, give, make_contract, row_of
from tests.ingestion.pdfs import draw, line

pytestmark = pytest.mark.browser
README = "# Handbook\n\nRead [the travel page](travel/visa.md) and [the lost one](travel/lost.md) first.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("batch") / "handbook"
    (root / "travel").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "readme.md").write_text(README)
    (root / "travel" / "readme.md").write_text("# Travel\n\nAll that is to be known of journeys.\n")
    (root / "travel" / "visa.md").write_text("# Visa\n\nAsk for it four weeks before.\n")
    (root / "travel" / "cut.pdf").write_bytes(b"%PDF-1.7 cut")
    (root / ".git" / "config").write_text("[core]\n")
    (root / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    return root


def test_a_folder_keeps_its_paths_and_its_links_lead(folder, browse):
    page = browse("admin")
    record = make_contract(page, "Handbook for travellers")
    page.goto(record)
    page.evaluate("window.__stayed = true")
    held = []
    page.route("**/files/upload/", lambda route: held.append(route))
    page.locator("#upload-folder").set_input_files(folder)
    left = page.locator("[data-upload-left]")
    expect(left).to_have_text("4 files are still to be sent: keep this page open until then.")
    page.unroute("**/files/upload/")  # which lets go of those that are held
    expect(page.locator("#toasts")).to_contain_text("2 hidden files were left out.")
    ended(page)
    expect(left).to_be_hidden()
    names = page.locator("#files .cl-file-name")
    paths = ["readme.md", "travel › cut.pdf", "travel › readme.md", "travel › visa.md"]
    expect(names).to_have_text([f"handbook › {path}" for path in paths])
    batch = page.locator("#batch")
    expect(batch).to_contain_text("4 of 4 files done", timeout=LONG)
    expect(batch).to_contain_text("1 could not be read")
    assert page.evaluate("window.__stayed === true"), "nothing of this needs a reload"

    cut = row_of(page, "cut.pdf")
    expect(cut).to_contain_text(re.compile("cut.pdf: .* breaks off before its end"))
    with page.expect_response("**/retry/") as tried:
        cut.get_by_role("button", name="Try again").click()
    assert tried.value.status == 200
    expect(cut).to_have_attribute("data-state", "quarantined", timeout=LONG)

    # Loaded anew it stands where it stood, and for who may only read there is neither a zone nor a batch.
    viewer = browse("viewer")
    for who in (page, viewer):
        who.goto(record)
        expect(names if who is page else who.locator("#files .cl-file-name")).to_have_count(4)
        expect(who.locator("#files .cl-file-name").last).to_have_text("handbook › travel › visa.md")
    expect(viewer.locator("#upload, #upload-folder, #batch")).to_have_count(0)
    expect(viewer.get_by_role("button", name="Try again")).to_have_count(0)
    expect(viewer.get_by_text("How it was read")).to_have_count(0)

    row_of(page, "handbook › readme.md").get_by_role("link").first.click()
    links = page.get_by_role("region", name="Links")
    lost = links.get_by_role("listitem").filter(has_text="the lost one")
    expect(lost).to_contain_text("nothing here by that name that you may see", timeout=LONG)
    expect(lost.locator(".cl-tag")).to_have_text("absent")
    links.get_by_role("link", name="visa.md").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("visa.md")
    back = page.get_by_role("region", name="Links").get_by_role("link", name="readme.md")
    expect(back).to_be_visible(timeout=LONG)
    page.keyboard.press("Escape")
    page.wait_for_url(f"**/{record}")


def test_the_way_of_reading_is_chosen_beside_the_drop(browse, tmp_path):
    pdf = draw(tmp_path / "note.pdf", lambda canvas: line(canvas, 72, 120, "The bollard at the gate is red", 22))
    page = browse("admin")
    page.goto(make_contract(page, "Bollards at the gate"))
    zone = page.locator("form[data-upload]").first
    zone.get_by_text("How it is read").click()
    zone.get_by_label("How files that are added here are read").select_option(label="Read every page by OCR")
    give(page, ("note.pdf", pdf.read_bytes()))
    row = row_of(page, "note.pdf")
    row.get_by_text("How it was read").click()
    expect(row).to_contain_text("Read 1 page")
    row.get_by_role("link").first.click()
    expect(page.locator(".cl-doc")).to_contain_text("bollard")
    expect(page.locator("[data-read-by=ocr]")).to_have_count(1)
