"""How well the process is bounded that opens files on this machine: for start-up, `/readyz` and administrators."""

from __future__ import annotations

import functools
import sys
from enum import StrEnum

from ingestion.sandbox.runner import describe_process


class Strength(StrEnum):
    FULL = "full"
    WEAK = "weak"  # something of docs/sandbox.md is missing, and files are opened nevertheless
    REFUSED = "refused"  # something is missing, so no file is opened


@functools.cache
def list_lacking() -> tuple[str, ...]:
    """What a limited process should be under and is not, as `landlock`. Starts one, once in the life of this process.

    Raises Quarantined, ProcessKilled, OSError where none could be started just now.
    """
    return tuple(describe_process()["missing"]) if sys.platform == "linux" else ("the limits of Linux",)


def measure_strength() -> Strength:
    """Raises as `list_lacking` does."""
    from django.conf import settings  # limited processes import this package, and must not hold Django

    if not list_lacking():
        return Strength.FULL
    allowed = settings.LIMITED_PROCESS_MAY_BE_WEAK or sys.platform != "linux"
    return Strength.WEAK if allowed else Strength.REFUSED
