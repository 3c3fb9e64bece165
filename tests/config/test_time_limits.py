"""The limit of a test's time, where a subtest fails or hangs first (tests/time_limits.py)."""

import subprocess
import sys
from pathlib import Path

HANGS = """
from time import sleep

def test_a_hang_after_a_failure(subtests):
    with subtests.test("wrong"):
        assert False
    with subtests.test("hangs"):
        sleep(60)
    print("went on")
"""


def test_a_subtest_that_hangs_ends_its_test_even_after_one_that_failed(tmp_path: Path) -> None:
    (tmp_path / "test_hangs.py").write_text(HANGS)
    plugins = ["-p", "no:django", "-p", "no:cacheprovider", "-p", "tests.time_limits"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "/dev/null", *plugins, "--timeout=1", "-rA", str(tmp_path)],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert run.returncode == 1, run.stdout + run.stderr
    assert "Timeout (>1" in run.stdout
    assert "went on" not in run.stdout
