"""The limited process in which uploaded bytes are opened (docs/sandbox.md).

`run_limited` is the only way a worker or a web process may open what somebody uploaded.
"""

from ingestion.sandbox.limits import Limits, ProcessKilled, Progress, Quarantined, TooWeak
from ingestion.sandbox.runner import run_limited

__all__ = ["Limits", "ProcessKilled", "Progress", "Quarantined", "TooWeak", "run_limited"]
