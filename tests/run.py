"""`make test`: every test. Browser tests run beside the others, because they mostly wait for pages.

    python -m tests.run [arguments of pytest]

Arguments may name tests of one kind only: finding none of the other is no failure.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests import costs

PYTEST = [sys.executable, "-m", "pytest"]
WORKERS = (os.cpu_count() or 1) + 1
"""One more than there are processors: a worker waits for its database a third of the time."""
PARALLEL = [f"--numprocesses={WORKERS}", "--dist=worksteal", "-m", "not browser"]
BROWSER = ["-m", "browser", "--timeout=1500"]
"""The first of them waits until a whole installation has started and read its demo, beside everything else."""
MARK = "pytest.mark.browser"


def find_browser_files() -> list[str]:
    """The files with browser tests: collecting the others, to leave them out, takes ten seconds."""
    return [str(path) for path in sorted(Path("tests").rglob("test_*.py")) if MARK in path.read_text()]


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="clearance-costs-") as directory:
        # Python is to keep what pytest makes of the tests, whatever the environment says: else each worker repeats it.
        environment = {**os.environ, costs.DIRECTORY: directory, "PYTHONDONTWRITEBYTECODE": ""}
        log = Path(directory) / "browser.log"
        with log.open("wb") as output:
            browser = subprocess.Popen(
                [*PYTEST, *BROWSER, *(arguments or find_browser_files())],
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            try:
                others = subprocess.run([*PYTEST, *PARALLEL, *arguments], env=environment, check=False).returncode
                statuses = {others, browser.wait()}
            finally:
                browser.kill()
        print("\nTests in Chromium, which ran beside the others:\n", flush=True)
        print(log.read_text(errors="replace"), flush=True)
        found = costs.read_costs(Path(directory))
        print(costs.format_table(found))
        print(f"\n{len(found):,} tests in {time.monotonic() - started:,.0f} s.", flush=True)
        over = [] if arguments else costs.exceeded(found)
        for sentence in over:
            print(f"*** Too much work: {sentence}", flush=True)
    failed = statuses - {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
    return int(bool(failed or over or statuses == {pytest.ExitCode.NO_TESTS_COLLECTED}))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
