"""No pattern of the product is slow on a sign, a pair of signs or a sentence that is repeated (tests/pattern_walk.py).

A pattern that Python runs stops every other thread of its process until it is done.
"""

import json
import os
import re
import signal
import subprocess
import sys

from tests import pattern_walk

SIZE = "CLEARANCE_PATTERNS"
"""Of the walk: 120 tries every pair, in a quarter of an hour of processor time."""


def test_no_pattern_is_slow_on_repeated_signs_pairs_and_sentences() -> None:
    walked = subprocess.run(
        [sys.executable, "-m", "tests.pattern_walk", os.environ.get(SIZE, "1")],
        cwd=pattern_walk.ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(walked.stdout)
    assert told["patterns"] > 800
    assert told["slow"] == []


def test_the_walk_notices_a_pattern_whose_time_grows_faster_than_its_text() -> None:
    before = signal.signal(signal.SIGVTALRM, pattern_walk.stop_slow_one)
    try:
        assert pattern_walk.is_slow(re.compile(r"\s*,?\s*and"), pattern_walk.ANYWHERE, " ")
        assert pattern_walk.is_slow(re.compile(r"(?:ab|a|b)*c"), "match", "ab")
        assert not pattern_walk.is_slow(re.compile(r"(?<!\s)\s++and"), pattern_walk.ANYWHERE, " ")
    finally:
        signal.signal(signal.SIGVTALRM, before)
