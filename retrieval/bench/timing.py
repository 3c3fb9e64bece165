"""Sides that take turns, and lines of a report."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np


@dataclass(frozen=True)
class BenchRow:
    """A line of the report. goal: what `value` is held against, in words; met: None where it has none."""

    name: str
    value: float
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True)
class Times:
    """p50 and p95 over questions in ms of each round."""

    p50s: Sequence[float]
    p95s: Sequence[float]

    @property
    def p50(self) -> float:
        return median(self.p50s)

    @property
    def p95(self) -> float:
        return median(self.p95s)

    @property
    def worst(self) -> float:
        """The p95 of the worst round."""
        return max(self.p95s)

    def rows(self, name: str) -> list[BenchRow]:
        return [
            BenchRow(f"{name}: p50 ms", self.p50),
            BenchRow(f"{name}: p95 ms", self.p95),
            BenchRow(f"{name}: p95 of the worst round, ms", self.worst),
        ]


def measure_sides(rounds: int, sides: dict[str, Callable[[Any], Any]], inputs: Sequence[Any]) -> dict[str, Times]:
    """Times of each side; they take turns question by question, after a round that is not counted."""
    taken: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in sides}
    for turn in range(rounds + 1):
        times: dict[str, list[float]] = {name: [] for name in sides}
        for given in inputs:
            for name, run in sides.items():
                start = time.perf_counter()
                run(given)
                times[name].append((time.perf_counter() - start) * 1000)
        for name, found in times.items():
            if turn:
                taken[name][0].append(float(np.percentile(found, 50)))
                taken[name][1].append(float(np.percentile(found, 95)))
    return {name: Times(*found) for name, found in taken.items()}
