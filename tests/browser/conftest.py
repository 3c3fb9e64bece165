"""A whole installation, started as a new user starts it, and people who browse it in a real Chromium."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect

from tests.browser import paper
from tests.browser.complaints import Complaints
from tests.browser.hands import LONG, drop, give, make_contract, row_of
from tests.processes import free_port, wait_for

BASE = Path(__file__).parents[2]
expect.set_options(timeout=40_000)  # of a busy machine
CONTRACT = "Façade Cleaning Framework"
# Notes what stood in the lines that change while a file is read and a turn runs.
WITNESS = """
window.__seen = {stages: [], steps: [], texts: []};
const note = (list, text) => { text = (text || "").trim(); if (text && list.at(-1) !== text) list.push(text); };
new MutationObserver(() => {
  const seen = window.__seen;
  note(seen.stages, document.querySelector("#files .cl-file .cl-status, #files [data-slot=status]")?.textContent);
  const turns = document.querySelectorAll("[data-turn]");
  for (const turn of turns) {
    note(seen.steps, turn.querySelector("[data-turn-line]").textContent);
    note(seen.texts, turn.querySelector("[data-turn-text]").textContent);
  }
}).observe(document, {subtree: true, childList: true, characterData: true});
"""


@pytest.fixture(scope="session")
def environment() -> Iterator[dict[str, str]]:
    """Of the installation and of its commands. Its CLEARANCE_HOME is BROWSER_TEST_HOME, or a new one."""
    running = os.environ.get("BROWSER_TEST_HOME")
    home = Path(running or tempfile.mkdtemp(prefix="clearance-browser-"))
    home.chmod(0o711)
    dropped = ("CLEARANCE_", "DATABASE_", "ANTHROPIC_", "OPENAI_", "DJANGO_SETTINGS_MODULE")
    made = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    made |= {"CLEARANCE_HOME": str(home), "CLEARANCE_PORT": str(free_port())}
    made["CLEARANCE_OFFLINE_PACE"] = "0.25"  # an answer lasts long enough to reload in the middle of it
    made["CLEARANCE_LOCAL_MODEL_PORTS"] = os.environ.get("CLEARANCE_LOCAL_MODEL_PORTS", str(free_port()))
    yield made
    if not running:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def installation(chromium: Browser, environment: dict[str, str]) -> Iterator[str]:
    """`make up` in an empty CLEARANCE_HOME: the URL of the running installation, demo workspace loaded and read.

    BROWSER_TEST_URL names one that runs already instead, with BROWSER_TEST_HOME, to write tests by; the tests leave
    things behind in it.
    """
    if running := os.environ.get("BROWSER_TEST_URL"):
        yield running.rstrip("/")
        return
    log = Path(environment["CLEARANCE_HOME"]) / "supervisor.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "config.supervisor"], cwd=BASE, env=environment, stdout=output, stderr=output
        )
    url = f"http://127.0.0.1:{environment['CLEARANCE_PORT']}"
    try:
        wait_for(lambda: urllib.request.urlopen(f"{url}/readyz", timeout=2), "the installation", 600)
    except AssertionError:
        process.kill()
        raise AssertionError(log.read_text()) from None
    page = open_page(chromium, url, "admin")
    jobs = f"{url}/w/demo/files/jobs/"
    wait_for(lambda: "data-jobs" not in page.request.get(jobs).text(), "the demo's files", 420, pause_seconds=2)
    open_what_rests(page, f"{url}/w/demo/resting/")
    page.context.close()
    yield url
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(30)
    process.kill()


def open_what_rests(page: Page, resting: str) -> None:
    """As an administrator: text that nobody has judged is for everybody. Most tests are about what rules find in it;
    those about new text close it again.
    """
    page.goto(resting)
    page.get_by_label("everybody").check()
    page.get_by_role("button", name="See who gains and who loses").click()
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="who reads it until then has changed")).to_be_visible()


SIGNED_IN: dict[tuple[str, str], StorageState] = {}
"""By installation and user: hashing a password takes a third of a second, and each test opens two or three pages."""


def open_page(browser: Browser, installation: str, user: str, **options: object) -> Page:
    """A page of a browser context of its own, signed in to the demo workspace; close it by `page.context.close()`."""
    state = SIGNED_IN.get((installation, user))
    context = browser.new_context(
        base_url=f"{installation}/w/demo/",
        reduced_motion="reduce",
        storage_state=state,
        **options,  # type: ignore[arg-type]
    )
    context.set_default_timeout(40_000)
    page = context.new_page()
    if state:
        page.goto("")
    else:
        sign_in(page, installation, user)
        SIGNED_IN[installation, user] = context.storage_state()
    return page


def sign_in(page: Page, installation: str, user: str) -> None:
    page.goto(f"{installation}/sign-in/")
    page.get_by_label("Username").fill(user)
    page.get_by_label("Password").fill("demo")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/w/demo/")


def open_record(page: Page, type_name: str, name: str) -> str:
    """Goes to the record of that name by the list of its type; returns its path below the workspace."""
    page.goto(f"records/{type_name}/")
    page.get_by_role("rowheader", name=name).get_by_role("link").click()
    page.wait_for_url("**/entities/**")
    return page.url.split("/w/demo/")[1]


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """What the browsers of a test say; at its end they must have had nothing to complain of."""
    said = Complaints()
    yield said
    assert said.heard == []
    assert len(said.unanswered) <= 2 * said.abandoned, said


@pytest.fixture
def browse(chromium: Browser, installation: str, complaints: Complaints) -> Iterator[Callable[..., Page]]:
    """`page = browse("cfo")`: see `open_page`; options are those of a playwright context."""
    contexts: list[BrowserContext] = []

    def open_listened(user: str, **options: object) -> Page:
        page = open_page(chromium, installation, user, **options)
        contexts.append(page.context)
        complaints.listen(page)
        return page

    yield open_listened
    for context in contexts:
        context.close()


@dataclass(frozen=True)
class Uploaded:
    record: str  # paths below the workspace
    file: str
    stages: list[str]  # what the row of the file said, in order
    stayed: bool  # the page was never loaded anew while the file was read


@pytest.fixture(scope="session")
def uploaded(chromium: Browser, installation: str) -> Iterator[Uploaded]:
    """Admin opens a contract and drops the PDF on it; ready when the row of the file says so."""
    page = open_page(chromium, installation, "admin")
    page.add_init_script(WITNESS)
    record = open_record(page, "contract", CONTRACT)
    page.evaluate("window.__stayed = true")  # gone with the document
    drop(page, paper.NAME, paper.rope_access_review())
    row = row_of(page, paper.NAME)
    expect(row).to_have_attribute("data-state", "ready", timeout=LONG)
    stages, href = page.evaluate("window.__seen.stages"), row.get_by_role("link").first.get_attribute("href")
    yield Uploaded(record, str(href).split("/w/demo/")[1], stages, page.evaluate("window.__stayed === true"))
    page.context.close()


@dataclass(frozen=True)
class Shelf:
    """A record whose files wait for a steward: paths below the workspace. report, fees, fare: in their second versions
    nothing speaks for the label Financial any more that paragraphs of them had; fare is left as it is. tide: has two
    versions. cut: no PDF.
    """

    record: str
    report: str
    fees: str
    fare: str
    tide: str
    cut: str = "cut.pdf"


@pytest.fixture(scope="session")
def shelf(chromium: Browser, installation: str) -> Shelf:
    page = open_page(chromium, installation, "admin")
    record = make_contract(page, "Hoist on the yard side")
    page.goto(record)
    give(
        page,
        (paper.HOIST, paper.hoist_report()),
        ("fees.md", paper.FEES),
        ("fare.md", paper.FARE),
        ("tide.md", paper.TIDE),
        (Shelf.cut, b"%PDF-1.7 cut"),
    )
    give(
        page,
        (paper.HOIST, paper.hoist_report(paper.AGREED)),
        ("fees.md", paper.FEES_AGREED),
        ("fare.md", paper.FARE_AGREED),
        ("tide.md", paper.TIDE_LATER),
    )
    found = []
    for name in (paper.HOIST, "fees.md", "fare.md", "tide.md"):
        expect(row_of(page, name)).to_contain_text("version 2")
        href = row_of(page, name).locator(".cl-file-name a").get_attribute("href")
        found.append(str(href).split("/w/demo/")[1])
    page.context.close()
    return Shelf(record, *found)
