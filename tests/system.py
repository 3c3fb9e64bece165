"""What tests need of the system: Chromium and Tesseract. `python -m tests.system` installs them on Debian when it may.

Without one, the tests that are marked `browser` or `ocr` are skipped with a loud line; with CI=true that is a failure.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from ctypes.util import find_library
from dataclasses import dataclass

import pytest

from tests.costs import COUNTS

# The first is the same browser without windows: a page costs a third of the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")


def executable() -> str | None:
    """Path of a Chromium, also from CLEARANCE_CHROMIUM, or None."""
    named = os.environ.get("CLEARANCE_CHROMIUM")
    for candidate in (named, *NAMES, MAC):
        if candidate and (found := shutil.which(candidate)):
            return found
    return None


@dataclass(frozen=True)
class Need:
    """mark: of the tests that need it. packages: of Debian's, each list instead of the one before. program: the one
    to install where another serves too."""

    name: str
    mark: str
    packages: tuple[tuple[str, ...], ...]
    there: Callable[[], bool]
    program: str | None = None

    def is_best(self) -> bool:
        return self.there() and (self.program is None or shutil.which(self.program) is not None)


FONTS = "fonts-liberation"  # screenshots look the same everywhere
NEEDS = (
    Need(
        "Chromium",
        "browser",
        (("chromium-headless-shell", FONTS), ("chromium", FONTS)),
        lambda: executable() is not None,
        NAMES[0],
    ),
    Need("Tesseract", "ocr", (("tesseract-ocr",),), lambda: find_library("tesseract") is not None),
)


def install(needs: list[Need]) -> None:
    """By apt, as root."""
    print(f"Installing {' and '.join(need.name for need in needs)} for the tests …", flush=True)
    run_apt("update")
    for need in needs:
        any(run_apt("install", "--no-install-recommends", "-y", *packages) for packages in need.packages)


def run_apt(*arguments: str) -> bool:
    """Whether it succeeded."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", *arguments]
    return not subprocess.run(command, check=False, env=environment, stdout=subprocess.DEVNULL).returncode


def main() -> None:
    to_install = [need for need in NEEDS if not need.is_best()]
    if to_install and os.geteuid() == 0 and shutil.which("apt-get"):
        install(to_install)
    missing = [need for need in NEEDS if not need.there()]
    for need in missing:
        print(f"\n*** No {need.name}: TESTS THAT NEED IT ARE SKIPPED. Install it to run them. ***\n", flush=True)
    if missing and IN_CI:
        sys.exit("In CI that is a failure.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: playwright keeps an event loop in the main thread, beside which no asynchronous test runs.

    Skip what cannot run, unless this is CI, where it then fails.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
    for need in NEEDS:
        if IN_CI or need.there():
            continue
        skip = pytest.mark.skip(reason=f"no {need.name} on this machine")
        for item in items:
            if item.get_closest_marker(need.mark):
                item.add_marker(skip)


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """A playwright `Browser` (synchronous API), one a test run; each test opens a context of its own."""
    from playwright.sync_api import sync_playwright

    COUNTS["chromium"] += 1

    # Playwright keeps an event loop in this thread, in which Django would refuse database work.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=executable(), args=arguments)
        yield browser
        browser.close()


if __name__ == "__main__":
    main()
