"""Pictures of all pages, for people to look at: `make screenshots` puts them into docs/screenshots."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Shelf, open_page, open_record
from tests.browser.hands import call

pytestmark = pytest.mark.browser
FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
WIDTHS = {390: 844, 1280: 860, 1920: 1080}
PEOPLE = ("admin", "cfo", "viewer")
QUESTION = "What is the liability cap?"


def keep(page: Page, name: str, full_page: bool = False) -> None:
    """The page as a PNG of a palette of 256 colours, once nothing is fetched any more."""
    page.wait_for_load_state("networkidle")
    page.evaluate("document.activeElement?.blur()")
    picture = Image.open(BytesIO(page.screenshot(full_page=full_page, animations="disabled")))
    FOLDER.mkdir(parents=True, exist_ok=True)
    picture.convert("RGB").quantize(256).save(FOLDER / f"{name}.png", optimize=True)


def settled(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("networkidle")
    if page.locator("#pulse-panel").count():
        page.locator("#pulse-panel .cl-prose, #pulse-panel .cl-band").first.wait_for(timeout=90_000)


@pytest.fixture(scope="module", params=PEOPLE)
def person(request, chromium: Browser, installation: str, shelf: Shelf):
    """A page, and the addresses to take pictures of: {name: path below the workspace}."""
    user = request.param
    page = open_page(chromium, installation, user)
    paths = {"home": "", "list": "records/contract/", "search": f"search/?q={QUESTION.replace(' ', '+')}"}
    paths["project"] = open_record(page, "project", "Quay 7")
    paths["record"] = open_record(page, "contract", "Structural Steel Subcontract")
    page.get_by_placeholder("Ask about this record").fill(QUESTION)
    page.get_by_role("button", name="Send").click()
    page.locator("#talk .cl-turn[data-state=done] a.cl-cite").first.wait_for(timeout=90_000)
    if page.get_by_role("link", name="Edit").count():
        paths["form"] = paths["record"] + "edit/"
    paths["reader"] = page.locator("#files a").first.get_attribute("href").split("/w/demo/")[1]
    page.locator("#talk .cl-turn[data-state=done] a.cl-cite").first.click()
    page.wait_for_url("**/files/**")
    paths["reader-cited"] = page.url.split("/w/demo/")[1]
    page.goto("chat/")
    paths["conversations"] = "chat/"
    page.locator("#main a[href*='/chat/']:not([href*='?'])").first.click()
    page.wait_for_url("**/chat/*-*/")
    paths["conversation"] = page.url.split("/w/demo/")[1]
    paths["not-found"] = "nowhere/"
    paths |= {"files": f"{shelf.record}files/", "versions": f"{shelf.report}versions/", "requests": "access-requests/"}
    if user == "admin":
        waits = call(page, "GET", f"desk/?file={shelf.report.split('/')[1]}")[1]["results"]
        paths |= {"desk": "desk/", "desk-item": f"desk/paragraphs/{waits[0]['id']}/", "quarantine": "quarantine/"}
    if user == "viewer":
        paths |= {"withheld": shelf.fare, "ask": f"access-requests/new/?file={shelf.fare.split('/')[1]}&labels=5"}
    yield user, page, paths
    page.context.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_pages(person, width):
    user, page, paths = person
    suffix = f"{width}" if user == "admin" else f"{width}-{user}"
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    for name, path in paths.items():
        settled(page, path)
        keep(page, f"{name}-{suffix}")
        if width == 390 and name == "record":
            keep(page, f"{name}-all-{suffix}", full_page=True)
            for part in ("left", "dock"):
                page.locator(f"[data-tab-to={part}]").click()
                keep(page, f"{name}-{part}-{suffix}")
    page.emulate_media(color_scheme="dark")
    for name in {"home", "record", "search", "reader-cited", "desk", "desk-item", "requests"} & paths.keys():
        settled(page, paths[name])
        keep(page, f"{name}-{suffix}-dark")
    page.emulate_media(color_scheme="light")


def test_sign_in(chromium: Browser, installation: str):
    context = chromium.new_context()
    page = context.new_page()
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{installation}/sign-in/")
        keep(page, f"sign-in-{width}")
    context.close()
