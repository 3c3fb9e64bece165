"""The first hour: from an installation that nobody has begun to a cited answer about one's own file."""

import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.complaints import Complaints
from tests.browser.conftest import BASE
from tests.browser.hands import LONG
from tests.processes import free_port, wait_for

pytestmark = pytest.mark.browser
MINUTES = b"""# Minutes of the berth meeting

The tug Perseverance is laid up until 4 May because her gearbox is being rebuilt.

The crane on the east quay is inspected every second Monday.
"""
GOAL_SECONDS = 60


@pytest.fixture
def empty(environment: dict[str, str]) -> Iterator[str]:
    """An installation of its own, without the sample company: whoever begins one changes what others find there."""
    with tempfile.TemporaryDirectory(prefix="clearance-begin-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o711)
        port = str(free_port())
        changed = {"CLEARANCE_HOME": home, "CLEARANCE_PORT": port, "CLEARANCE_DEMO": "0", "CLEARANCE_WORKERS": "1"}
        log = Path(home) / "supervisor.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "config.supervisor"],
                cwd=BASE,
                env=environment | changed,
                stdout=output,
                stderr=output,
            )
        url = f"http://127.0.0.1:{port}"
        try:
            wait_for(lambda: urllib.request.urlopen(f"{url}/readyz", timeout=2), "the installation", 240)
            yield url
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def test_one_begins_drops_a_file_and_gets_a_cited_answer(chromium: Browser, empty: str, complaints: Complaints) -> None:
    context = chromium.new_context(base_url=empty, reduced_motion="reduce", viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(20_000)
    complaints.listen(page)
    started = time.monotonic()
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Begin with your own data")
    page.get_by_label("Your user name").fill("maria")
    page.get_by_label("Your password").fill("a long pass phrase")
    page.get_by_label("Name of the workspace").fill("Berth 9")
    page.get_by_role("button", name="Create the workspace").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Connect a model")
    page.get_by_role("link", name="Not now").click()
    page.get_by_role("link", name="Add a project").click()
    page.get_by_label("Name").first.fill("East quay")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/entities/**")
    page.locator("#upload").set_input_files([{"name": "minutes.md", "mimeType": "", "buffer": MINUTES}])
    expect(page.locator("#files .cl-file")).to_have_attribute("data-state", "ready", timeout=LONG)
    page.locator("[data-tab-to=dock]").click()
    page.get_by_placeholder("Ask about this record").fill("Why is the tug Perseverance laid up?")
    page.get_by_role("button", name="Send").click()
    answer = page.locator("#talk .cl-turn[data-state=done]")
    expect(answer).to_contain_text("gearbox", timeout=LONG)
    answer.locator("a.cl-cite").first.click()
    page.wait_for_url("**/files/**")
    expect(page.locator(".cl-doc")).to_contain_text("her gearbox is being rebuilt")
    assert time.monotonic() - started < GOAL_SECONDS
    context.close()
