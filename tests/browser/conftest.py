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
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.processes import free_port, wait_for

BASE = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def environment() -> Iterator[dict[str, str]]:
    """Of the installation and of its commands. Its CLEARANCE_HOME is BROWSER_TEST_HOME, or a new one."""
    running = os.environ.get("BROWSER_TEST_HOME")
    home = Path(running or tempfile.mkdtemp(prefix="clearance-browser-"))
    home.chmod(0o711)
    dropped = ("CLEARANCE_", "DATABASE_", "ANTHROPIC_", "DJANGO_SETTINGS_MODULE")
    made = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    made |= {"CLEARANCE_HOME": str(home), "CLEARANCE_PORT": str(free_port())}
    made["CLEARANCE_OFFLINE_PACE"] = "0.15"  # an answer lasts long enough to reload in the middle of it
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
        wait_for(lambda: urllib.request.urlopen(f"{url}/readyz", timeout=2), "the installation", 240)
    except AssertionError:
        process.kill()
        raise AssertionError(log.read_text()) from None
    page = open_page(chromium, url, "admin")
    wait_for(lambda: "data-jobs" not in page.request.get(f"{url}/w/demo/files/jobs/").text(), "the demo's files", 180)
    page.context.close()
    yield url
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(30)
    process.kill()


def open_page(browser: Browser, installation: str, user: str, **options: object) -> Page:
    """A page of a browser context of its own, signed in to the demo workspace; close it by `page.context.close()`."""
    context = browser.new_context(base_url=f"{installation}/w/demo/", reduced_motion="reduce", **options)  # type: ignore[arg-type]
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(f"{installation}/sign-in/")
    page.get_by_label("Username").fill(user)
    page.get_by_label("Password").fill("demo")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/w/demo/")
    return page


def open_record(page: Page, type_name: str, name: str) -> str:
    """Goes to the record of that name by the list of its type; returns its path below the workspace."""
    page.goto(f"records/{type_name}/")
    page.get_by_role("rowheader", name=name).get_by_role("link").click()
    page.wait_for_url("**/entities/**")
    return page.url.split("/w/demo/")[1]


@pytest.fixture
def browse(chromium: Browser, installation: str) -> Iterator[Callable[..., Page]]:
    """`page = browse("cfo")`: see `open_page`; options are those of a playwright context."""
    contexts: list[BrowserContext] = []

    def sign_in(user: str, **options: object) -> Page:
        page = open_page(chromium, installation, user, **options)
        contexts.append(page.context)
        return page

    yield sign_in
    for context in contexts:
        context.close()
