"""Looking beside the text: what breaks there costs no text, and is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ingestion.extract.build import Builder
from ingestion.sandbox.limits import Quarantined

UNCHECKED = "Something besides the text could not be checked, so it is not known what it says."
Result = TypeVar("Result")


def attempt(builder: Builder, page: int | None, look: Callable[..., Result], *arguments: Any) -> Result | None:
    """What `look` returns; None, recorded as `unchecked`, where it raises anything but a refusal of the file."""
    try:
        return look(*arguments)
    except (MemoryError, Quarantined):
        raise
    except Exception:
        builder.miss("unchecked", UNCHECKED, page)
        return None
