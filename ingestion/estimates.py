"""How long work on a file will still take, told from how long files of the same person took (docs/adr/0034).

Nothing but what the caller may know anyway goes in: sizes and times of revisions that they sent, of stewards all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import median

from django.db.models import F

from entities.access import Scope
from ingestion.access import is_steward, visible_files
from ingestion.models import File, Stage, State

LOOKED_AT = 60
NEAREST = 7
FEWEST = 3
"""Fewer examples give no estimate."""
STAGES = (Stage.EXTRACT, Stage.CLASSIFY, Stage.SEGMENT, Stage.CHUNK, Stage.EMBED)


@dataclass(frozen=True)
class Example:
    """A finished file. size: bytes. seconds: by stage."""

    size: int
    seconds: Mapping[str, float]

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


def examples(scope: Scope) -> list[Example]:
    """The files that were finished last, of those whose times the caller may know. In the open scope."""
    ready = visible_files(scope).filter(state=State.READY, revision__isnull=False, size__gt=0)
    if not is_steward(scope):
        ready = ready.filter(revision__created_by=scope.principal)
    rows = ready.order_by(F("revision__fetched_at").desc()).values_list("size", "revision__stages")[:LOOKED_AT]
    found = [Example(size, {stage: took for stage, _, took in stages if took is not None}) for size, stages in rows]
    return [example for example in found if set(example.seconds) >= {stage.value for stage in STAGES}]


def seconds_left(file: File, known: Sequence[Example]) -> float | None:
    """Of work on one file, once it is its turn; None where too little is known.

    The median of those nearest in size, longer for what is larger than all of them; of the stage it is in the share
    that its progress leaves.
    """
    if len(known) < FEWEST:
        return None
    size = max(1, file.size)
    nearest = sorted(known, key=lambda example: abs(log(example.size / size)))[:NEAREST]
    grown = [max(1.0, size / example.size) for example in nearest]
    total = median(example.total * factor for example, factor in zip(nearest, grown, strict=True))
    if file.state == State.PENDING or file.stage not in STAGES:
        return 0.0 if file.stage == Stage.PUBLISH else total
    spent = sum(example.total for example in nearest) or 1.0
    share = {stage: sum(example.seconds[stage] for example in nearest) / spent for stage in STAGES}
    place = STAGES.index(Stage(file.stage))
    return total * (share[STAGES[place]] * (100 - file.progress) / 100 + sum(share[s] for s in STAGES[place + 1 :]))


def all_left(files: Iterable[File], known: Sequence[Example], at_once: int) -> float | None:
    """Of several files, of which `at_once` are worked on at a time; the longest of them is the least it takes."""
    each = [seconds_left(file, known) for file in files]
    if any(left is None for left in each):
        return None
    times = [left for left in each if left is not None]
    return max([sum(times) / max(1, at_once), *times], default=0.0)
