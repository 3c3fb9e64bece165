"""How large a proof is: CLEARANCE_PROVE, a factor. At 1 all parts take minutes on two idle cores."""

import os
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

FACTOR = max(1, int(os.environ.get("CLEARANCE_PROVE") or 1))


def sized(count: int) -> int:
    """`count` examples at factor 1, and so many times more at a larger one."""
    return count * FACTOR


def sample(cases: Sequence[T], count: int, seed: str) -> list[T]:
    """`count` of `cases` at factor 1, in their order; all of them where the factor allows. The same ones every time."""
    wanted = sized(count)
    if wanted >= len(cases):
        return list(cases)
    chosen = set(random.Random(seed).sample(range(len(cases)), wanted))
    return [case for n, case in enumerate(cases) if n in chosen]
