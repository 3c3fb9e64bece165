"""What a limited process may use, what it reports, and how it ends when it may not go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

MIB = 1024 * 1024

CODES = frozenset(
    {
        "empty",
        "encrypted",
        "corrupt",
        "mislabelled",
        "no_pages",
        "too_large",
        "too_many_pages",
        "bomb",
        "timeout",
        "memory",
        "unsupported",
        "crashed",
        "drift",
        "rejected",
    }
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one limited run (design.md §4). docs/sandbox.md says which of them each operating system enforces.

    memory_bytes: address space of the child, so code and libraries count too. cpu_seconds: processor time of the
    child. silence_seconds: longest time without progress, outside pages. page_seconds: longest time on one page.
    wall_seconds: longest time in all. open_files: descriptors. pages: longest document. file_bytes: largest upload
    that is opened. inflated_bytes: what the compressed parts of one file may unpack to. output_bytes: largest answer.
    """

    memory_bytes: int = 512 * MIB
    cpu_seconds: int = 900
    silence_seconds: float = 30.0
    page_seconds: float = 30.0
    wall_seconds: float = 1800.0
    open_files: int = 64
    pages: int = 5_000
    file_bytes: int = 100 * MIB
    inflated_bytes: int = 256 * MIB
    output_bytes: int = 128 * MIB


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the child is. stage: a word such as `reading`. page: 1-based page being worked on. pages: of how many."""

    stage: str
    page: int | None = None
    pages: int | None = None


class Report(Protocol):
    """What a task calls when it gets further; `page` is the page it begins with."""

    def __call__(self, stage: str, page: int | None = None, pages: int | None = None) -> None: ...


class ProcessKilled(Exception):
    """Somebody else ended the limited process, as a machine that is short of memory does. The file is not to blame."""


class TooWeak(ProcessKilled):
    """The system does not offer what a file may not be opened without, and CLEARANCE_SANDBOX does not allow that. No
    file is to blame, and none was opened."""


class Quarantined(Exception):
    """The file was not read to its end, and never will be as it is.

    code: one of CODES. detail: a sentence its owner understands and can act on. page: 1-based, where it matters.
    """

    def __init__(self, code: str, detail: str, page: int | None = None) -> None:
        super().__init__(code, detail, page)
        if code not in CODES:
            raise ValueError(f"not a reason for quarantine: {code!r}")
        self.code = code
        self.detail = detail
        self.page = page

    def __str__(self) -> str:
        return self.detail
