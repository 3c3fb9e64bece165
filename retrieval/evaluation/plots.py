"""A figure over runs, as the numbers that an SVG of a template needs: no script draws it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 100.0, 100.0
"""Of the picture's own units; the page stretches it, and its labels stand beside it as text."""
LEAST = 0.1
"""The axis shows no less than this, or noise would look like change."""


@dataclass(frozen=True)
class Series:
    """name: the ranking, by which it is coloured. line: the path through its runs. dots: a path that draws a dot a run.
    last: the newest value.
    """

    name: str
    title: str
    line: str
    dots: str
    last: float


@dataclass(frozen=True)
class Plot:
    """ticks: labels of the axis, from above."""

    series: Sequence[Series]
    ticks: Sequence[str]
    described: str


def build_plot(values: Mapping[str, Sequence[float]], titles: Mapping[str, str]) -> Plot:
    """values: ranking -> figure of each run, oldest first, as many for each. titles: as people read them."""
    every = [value for of in values.values() for value in of]
    low, high = choose_axis(min(every), max(every))
    series = [
        Series(name, titles[name], draw_path(of, low, high), draw_dots(of, low, high), of[-1])
        for name, of in values.items()
    ]
    told = ", ".join(f"{one.title} {one.last:.3f}" for one in series)
    middle = (low + high) / 2
    runs = len(next(iter(values.values())))
    return Plot(series, [f"{tick:.3f}" for tick in (high, middle, low)], f"{runs} runs; newest: {told}")


def choose_axis(least: float, most: float) -> tuple[float, float]:
    """Where it begins and ends: whole twentieths around the values, within 0 to 1."""
    low, high = int(least * 20) / 20, -int(-most * 20 // 1) / 20
    while high - low < LEAST:
        low, high = max(0.0, low - 0.05), min(1.0, high + 0.05)
    return round(low, 2), round(high, 2)


def compute_points(values: Sequence[float], low: float, high: float) -> list[tuple[float, float]]:
    """One run stands in the middle; several from edge to edge."""
    step = WIDTH / (len(values) - 1) if len(values) > 1 else 0.0
    start = 0.0 if len(values) > 1 else WIDTH / 2
    return [
        (round(start + n * step, 2), round(HEIGHT * (high - value) / (high - low), 2)) for n, value in enumerate(values)
    ]


def draw_path(values: Sequence[float], low: float, high: float) -> str:
    return "M" + " L".join(f"{x:g} {y:g}" for x, y in compute_points(values, low, high))


def draw_dots(values: Sequence[float], low: float, high: float) -> str:
    """Lines of no length, which round caps make dots of, however the picture is stretched."""
    return " ".join(f"M{x:g} {y:g}h0" for x, y in compute_points(values, low, high))
