"""A run of all tests that goes over a limit of its counts fails, with a table that shows where."""

import json
from pathlib import Path

from tests.costs import LIMITS, TestCost, exceeded, format_table, read_costs


def cost(test: str, seconds: float = 1.0, **counts: int) -> TestCost:
    return TestCost(test, seconds, seconds / 2, counts)


def test_a_run_over_a_limit_says_which_and_one_at_the_limit_says_nothing():
    at_limit = [cost("tests/pulse/test_a.py::test_b", **LIMITS)]
    assert exceeded(at_limit) == []
    (sentence,) = exceeded([*at_limit, cost("tests/chat/test_a.py::test_b", documents=1)])
    assert f"{LIMITS['documents'] + 1:,} documents" in sentence


def test_the_table_sums_by_folder_and_names_the_slowest(tmp_path: Path):
    (tmp_path / "1.jsonl").write_text(json.dumps(["tests/pulse/test_a.py::test_slow", 7.25, 4.0, {"people": 2}]) + "\n")
    (tmp_path / "2.jsonl").write_text(
        json.dumps(["tests/pulse/test_a.py::test_quick", 0.5, 0.5, {"people": 3}])
        + "\n"
        + json.dumps(["tests/chat/test_in_browser.py::test_page", 1.0, 0.0, {}])
        + "\n"
    )
    table = format_table(read_costs(tmp_path)).splitlines()
    assert table[0].split()[:4] == ["folder", "tests", "seconds", "CPU"]
    assert table[1].split()[:6] == ["pulse", "2", "8", "4", "0", "5"]
    assert table[2].split()[:4] == ["browser", "1", "1", "0"]
    assert table[3].split()[:6] == ["all", "3", "9", "4", "0", "5"]
    assert "7.2 s    4.0 CPU s  tests/pulse/test_a.py::test_slow" in table[6]
