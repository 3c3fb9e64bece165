"""What a run of the tests costs: seconds by folder, and counts that have limits.

Machines differ by a factor of two from day to day, so no test fails by the clock. What makes a run slow is counted
instead: starts of limited processes, people and workspaces created, documents processed, starts of Chromium. A run of
everything that goes over a limit fails, with the table as the reason.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any

import pytest

LIMITS = {"processes": 2_700, "people": 5_500, "workspaces": 2_750, "documents": 1_930, "chromium": 2}
"""The most of each in a run of all tests, browser tests included: what was measured, and a fifth more."""
SLOWEST = 20
DIRECTORY = "CLEARANCE_TEST_COSTS"
COUNTS: Counter[str] = Counter()


@dataclass(frozen=True)
class TestCost:
    """One test with its fixtures. seconds: of the clock. cpu_seconds: of the test's process and of the children that
    it has waited for; the database and servers are not among them. counts: by the names of LIMITS."""

    __test__ = False
    test: str
    seconds: float
    cpu_seconds: float
    counts: dict[str, int]

    @property
    def folder(self) -> str:
        return "browser" if "browser" in self.test.split("::")[0] else self.test.split("/")[1]


def count_calls(module: Any, function: str, name: str) -> None:
    """Each call of `module.function` counts as one of `name`."""
    counted = getattr(module, function)

    @wraps(counted)
    def call(*arguments: Any, **options: Any) -> Any:
        COUNTS[name] += 1
        return counted(*arguments, **options)

    setattr(module, function, call)


def pytest_configure(config: pytest.Config) -> None:
    if DIRECTORY not in os.environ:
        return
    from django.db.models.signals import post_save

    from entities.models import Membership, Workspace
    from ingestion import processing
    from ingestion.sandbox import runner

    count_calls(runner, "start_process", "processes")
    count_calls(processing, "run_all_steps", "documents")
    for model, name in ((Membership, "people"), (Workspace, "workspaces")):
        post_save.connect(partial(_count_created, name=name), sender=model, weak=False)


def _count_created(*, created: bool, name: str, **_: Any) -> None:
    COUNTS[name] += created


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before, started, cpu_started = Counter(COUNTS), time.monotonic(), measure_cpu_seconds()
    yield
    if directory := os.environ.get(DIRECTORY):
        cost = TestCost(item.nodeid, time.monotonic() - started, measure_cpu_seconds() - cpu_started, COUNTS - before)
        with (Path(directory) / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(json.dumps([*vars(cost).values()]) + "\n")


def measure_cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(os.times()[:4])


def read_costs(directory: Path) -> list[TestCost]:
    lines = (line for path in sorted(directory.glob("*.jsonl")) for line in path.read_text().splitlines())
    return [TestCost(*json.loads(line)) for line in lines]


def format_table(costs: list[TestCost]) -> str:
    """By folder, then the slowest tests, then the counts beside their limits."""
    rows = [f"{'folder':<14}{'tests':>7}{'seconds':>9}{'CPU':>7}" + "".join(f"{name:>12}" for name in LIMITS)]
    for folder, of_folder in _grouped(costs, lambda cost: cost.folder):
        rows.append(_row(folder, of_folder))
    rows += [_row("all", costs), f"{'limit':<37}" + "".join(f"{limit:>12,}" for limit in LIMITS.values()), ""]
    for cost in sorted(costs, key=lambda cost: -cost.seconds)[:SLOWEST]:
        rows.append(f"{cost.seconds:>8.1f} s {cost.cpu_seconds:>6.1f} CPU s  {cost.test}")
    return "\n".join(rows)


def exceeded(costs: list[TestCost]) -> list[str]:
    """A sentence for each limit that the run goes over."""
    total = _sum_counts(costs)
    return [
        f"{total[name]:,} {name}, and at most {limit:,} are allowed (tests/costs.py)."
        for name, limit in LIMITS.items()
        if total[name] > limit
    ]


def _grouped(costs: list[TestCost], key: Callable[[TestCost], str]) -> list[tuple[str, list[TestCost]]]:
    groups: dict[str, list[TestCost]] = {}
    for cost in costs:
        groups.setdefault(key(cost), []).append(cost)
    return sorted(groups.items(), key=lambda group: -sum(cost.seconds for cost in group[1]))


def _row(name: str, costs: list[TestCost]) -> str:
    total = _sum_counts(costs)
    seconds, cpu_seconds = sum(cost.seconds for cost in costs), sum(cost.cpu_seconds for cost in costs)
    return f"{name:<14}{len(costs):>7,}{seconds:>9,.0f}{cpu_seconds:>7,.0f}" + "".join(
        f"{total[count]:>12,}" for count in LIMITS
    )


def _sum_counts(costs: list[TestCost]) -> Counter[str]:
    total: Counter[str] = Counter()
    for cost in costs:
        total.update(cost.counts)
    return total


def main(directory: str) -> None:
    """Prints the table of a run that has ended."""
    print(format_table(read_costs(Path(directory))))


if __name__ == "__main__":
    main(sys.argv[1])
