"""A folder that is uploaded, how far it is, where its links lead, and what is tried again."""

import hashlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.hands import LONG, call, ended, give, make_contract, row_of
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


def test_all_that_failed_is_tried_again_together(browse, environment):
    page = browse("admin")
    record = make_contract(page, "Ladders at the dock")
    page.goto(record)
    bodies = {name: f"The {name} ladder is closed.".encode() for name in ("east", "north", "west")}
    give(page, *((f"{name}.txt", body) for name, body in bodies.items()))
    batch = page.locator("#batch")
    expect(batch).to_contain_text("3 of 3 files done")

    # The storage loses two of them, which shows when they are read anew.
    lost = []
    for name in ("east", "west"):
        digest = hashlib.sha256(bodies[name]).hexdigest()
        (path,) = Path(environment["CLEARANCE_HOME"]).glob(f"files/blobs/*/*/{digest}")
        lost.append((path, path.rename(path.with_suffix(".lost"))))
        file = row_of(page, f"{name}.txt").get_attribute("id").removeprefix("file-")
        assert call(page, "PATCH", f"files/{file}/", {"strategy": "layout"})[0] == 202
    page.reload()
    ended(page)
    expect(row_of(page, "east.txt")).to_contain_text("missing from storage")
    expect(batch).to_contain_text("3 of 3 files done")
    expect(batch).to_contain_text("2 could not be read")
    again = batch.get_by_role("button", name="Try all 2 failed ones again")
    expect(again).to_be_visible()
    # Who may work on the files too, and did not send them, is not asked to.
    staff = browse("staff")
    staff.goto(record)
    expect(row_of(staff, "east.txt").get_by_role("button", name="Try again")).to_be_visible()
    expect(staff.locator("#batch").get_by_role("button")).to_have_count(0)

    for path, away in lost:
        away.rename(path)
    again.click()
    expect(page.locator("#toasts")).to_contain_text("2 files are tried again.")
    ended(page)
    expect(page.locator("#files .cl-file[data-state=ready]")).to_have_count(3)
    expect(batch).to_contain_text("3 of 3 files done")
    expect(batch).not_to_contain_text("could not be read")
    expect(batch.get_by_role("button")).to_have_count(0)


def test_the_batch_never_says_less_than_the_rows_below_it(browse):
    """Also where answers are slow, and a file comes in or ends while the panel asks."""
    page = browse("admin")
    page.goto(make_contract(page, "Bollards on the mole"))
    batch = page.locator("#batch")
    held = []

    def hold_the_first(route):
        held.append(route)
        if len(held) > 1:
            route.continue_()

    page.route("**/files/batch/", hold_the_first)
    page.locator("#upload").set_input_files(
        [{"name": f"{n}.txt", "mimeType": "", "buffer": f"Bollard {n}.".encode()} for n in range(2)]
    )
    ended(page)
    assert len(held) == 1
    expect(batch).not_to_contain_text("files done")
    # It is answered as it stood then, without a batch; the panel asks anew by itself.
    attributes = f'id="batch" hx-get="{held[0].request.url}" hx-trigger="clearance:ask" hx-swap="outerHTML"'
    held[0].fulfill(status=200, content_type="text/html", body=f'<div class="cl-batch" {attributes}></div>')
    expect(batch).to_contain_text("2 of 2 files done")


def test_many_files_at_once_are_one_line_that_opens(browse):
    page = browse("admin")
    page.goto(make_contract(page, "Daily notes of the yard"))
    files = [{"name": f"day {n}.txt", "mimeType": "", "buffer": f"Day {n}: it rained.".encode()} for n in range(14)]
    page.locator("#upload").set_input_files(files)
    line = page.locator("#files .cl-file-group")
    expect(line.locator("summary").first).to_have_text("14 files of this upload")
    expect(row_of(page, "day 3.txt")).to_be_hidden()
    line.locator("summary").first.click()
    expect(row_of(page, "day 3.txt")).to_be_visible()
    ended(page)
    expect(page.locator("#batch")).to_contain_text("14 of 14 files done", timeout=LONG)
    expect(page.locator("[data-count-of='#files']")).to_have_text("14")
    expect(page.locator("[data-upload-left]")).to_be_hidden()
    page.reload()
    expect(page.locator("#files .cl-file-group summary").first).to_have_text("2 more files")
    expect(page.locator("#files .cl-file")).to_have_count(14)


def test_what_was_not_uploaded_is_not_hidden_among_many(browse):
    page = browse("admin")
    page.goto(make_contract(page, "Weekly notes of the yard"))
    files = [{"name": f"week {n}.txt", "mimeType": "", "buffer": f"Week {n}: sun.".encode()} for n in range(8)]
    page.locator("#upload").set_input_files([*files, {"name": "none.txt", "mimeType": "", "buffer": b""}])
    expect(row_of(page, "none.txt")).to_be_visible()
    expect(row_of(page, "none.txt")).to_contain_text("none.txt: it is empty.")
    left = page.locator("[data-upload-left]")
    expect(left).to_have_text("One file was not uploaded: its row says why.", timeout=LONG)
    row_of(page, "none.txt").get_by_role("button", name="Remove").click()
    expect(left).to_be_hidden()
