"""The door to extraction for everybody outside the limited process."""

from __future__ import annotations

from pathlib import Path

from ingestion.documents import Extraction
from ingestion.sandbox import Limits, Quarantined, run_limited
from ingestion.sandbox.runner import Listener

STRATEGIES = frozenset({"text", "layout"})
MAX_BAD_PAGES = 5
OF_ONE_PAGE = frozenset({"timeout", "memory", "crashed"})


def take_attachment(path: Path, part: int, *, limits: Limits | None = None) -> bytes:
    """The bytes of a part of a message, by the number that its extraction gave it. Raises Quarantined."""
    answer = run_limited("ingestion.extract.mail:attachment", path, limits=limits, options={"part": part})
    blob = answer.get("blob")
    if not isinstance(blob, bytes):
        raise Quarantined("crashed", "The reader gave an answer that makes no sense for this file.")
    return blob


def extract_file(
    path: Path,
    name: str,
    *,
    limits: Limits | None = None,
    on_progress: Listener | None = None,
    strategy: str | None = None,
) -> Extraction:
    """Reads one uploaded file. name: the name it came with, which its content is compared with.

    strategy: `text` (fast, no tables), `layout` (tables are looked for on every page), or None: layout for pages whose
    ruling lines suggest a table. A page that breaks the reader, takes too long or too much memory is left out and
    recorded as `page_failed`; the others are read again without it, up to MAX_BAD_PAGES times.

    Raises Quarantined with a reason for people, ValueError for an unknown strategy.
    """
    if strategy is not None and strategy not in STRATEGIES:
        raise ValueError(f"not a strategy of extraction: {strategy!r}")
    limits = limits or Limits()
    skip: list[int] = []
    while True:
        options = {"name": name, "strategy": strategy, "skip": skip}
        try:
            answer = run_limited(
                "ingestion.extract.inside:task", path, limits=limits, on_progress=on_progress, options=options
            )
        except Quarantined as refusal:
            page = refusal.page
            if refusal.code not in OF_ONE_PAGE or page is None or page in skip or len(skip) == MAX_BAD_PAGES:
                raise
            skip = [*skip, page]
            continue
        try:
            return Extraction.from_json(answer, answer.get("rows", []))
        except ValueError:
            raise Quarantined("crashed", "The reader gave an answer that makes no sense for this file.") from None
