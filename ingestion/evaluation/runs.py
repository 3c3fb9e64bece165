"""Runs, kept as lines of JSON in the data directory, and what a run is held against (docs/adr/0025).

A line has figures, counts and digests, and no word of a paragraph.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from ingestion.evaluation.figures import VoterFigures
from ingestion.evaluation.sets import LabelledSet
from llm import rules

Measured = Mapping[str, Mapping[str, VoterFigures]]
"""Half -> voter -> figures."""


@dataclass(frozen=True)
class LabelDrop:
    """A figure that got worse: of which half, voter and label ("" for the share of under-classified paragraphs)."""

    split: str
    voter: str
    label: str
    figure: str
    before: float
    now: float


@dataclass(frozen=True)
class SavedRun:
    """A run as it was kept, and the one that it was compared with."""

    run: Mapping[str, Any]
    before: Mapping[str, Any] | None
    drops: tuple[LabelDrop, ...]


def save_run(given: LabelledSet, measured: Measured, *, threshold: float, accept: bool = False) -> SavedRun:
    """Compare with the last run of the same set that did not drop, and keep. accept: it is what later runs are
    compared with, whatever it lost.
    """
    before = find_last_run(given.digest)
    figures = {split: {voter: f.to_json() for voter, f in by.items()} for split, by in measured.items()}
    drops = tuple(find_drops(before["figures"] if before else {}, figures, threshold))
    run = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "set": given.name,
        "digest": given.digest,
        "rules_version": rules.VERSION,
        "dropped": bool(drops) and not accept,
        "figures": figures,
    }
    path = runs_path()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")
    return SavedRun(run, before, drops)


def runs_path() -> Path:
    return Path(settings.CLEARANCE_HOME) / "evaluations" / "classification.jsonl"


def find_last_run(digest: str) -> dict[str, Any] | None:
    """The last run of a set that did not drop. A line that was cut off by a crash is passed over."""
    found = None
    try:
        lines = runs_path().read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    for line in lines:
        try:
            run = json.loads(line)
        except ValueError:
            continue
        if run["digest"] == digest and not run["dropped"]:
            found = run
    return found


def find_drops(before: Mapping[str, Any], now: Mapping[str, Any], threshold: float) -> Iterator[LabelDrop]:
    """Precision and recall of a label that fell by more than `threshold`, and more under-classified paragraphs."""
    for split, voters in now.items():
        for voter, of in voters.items():
            then = before.get(split, {}).get(voter)
            if then is None:
                continue
            if of["under_rate"] - then["under_rate"] > threshold:
                yield LabelDrop(split, voter, "", "under_rate", then["under_rate"], of["under_rate"])
            for label, figures in of["labels"].items():
                for name in ("precision", "recall"):
                    was, is_now = then["labels"].get(label, {}).get(name), figures[name]
                    if was is not None and was - (is_now or 0.0) > threshold:
                        yield LabelDrop(split, voter, label, name, was, is_now or 0.0)
