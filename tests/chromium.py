"""The system's Chromium for browser tests. `python -m tests.chromium` installs it on Debian when it may.

Without one, browser tests are skipped with a loud line; with CI=true that is a failure.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")


def executable() -> str | None:
    """Path of a Chromium, also from CLEARANCE_CHROMIUM, or None."""
    named = os.environ.get("CLEARANCE_CHROMIUM")
    for candidate in (named, *NAMES, MAC):
        if candidate and (found := shutil.which(candidate)):
            return found
    return None


def install() -> None:
    """By apt, as root; the fonts are for screenshots that look the same everywhere."""
    print("Installing Chromium for the browser tests …", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    packages = ["chromium", "fonts-liberation"]
    for command in (
        ["apt-get", "-qq", "update"],
        ["apt-get", "-qq", "install", "--no-install-recommends", "-y", *packages],
    ):
        if subprocess.run(command, check=False, env=environment, stdout=subprocess.DEVNULL).returncode:
            return


def main() -> None:
    if executable() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install()
    if executable() is None:
        print("\n*** No Chromium: the BROWSER TESTS ARE SKIPPED. Install chromium to run them. ***\n", flush=True)
        if IN_CI:
            sys.exit("In CI that is a failure.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: playwright keeps an event loop in the main thread, beside which no asynchronous test runs.

    Skip them where there is no browser, unless this is CI, where they then fail.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
    if IN_CI or executable() is not None:
        return
    skip = pytest.mark.skip(reason="no Chromium on this machine")
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """A playwright `Browser` (synchronous API), one a test run; each test opens a context of its own."""
    from playwright.sync_api import sync_playwright

    # Playwright keeps an event loop in this thread, in which Django would refuse database work.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=executable(), args=arguments)
        yield browser
        browser.close()


if __name__ == "__main__":
    main()
