"""Searches in the audit (docs/audit.md).

Written at the doors, in the transaction that searched, so that nobody is shown what is not on record. Suggestions while
one types are no searches.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import fields
from datetime import date
from enum import Enum
from typing import Any, Literal
from uuid import UUID

from entities.access import Scope
from entities.audit import AuditedQuery, record_question
from ingestion.questions import find_atoms_by_rules
from retrieval.query import Within
from retrieval.results import SearchResult
from retrieval.search import FoundHits, Read

Door = Literal["page", "api", "chat"]


def note_search(
    scope: Scope,
    door: Door,
    found: FoundHits,
    within: Within,
    shown: Sequence[tuple[UUID, UUID]],
    started: float,
    *,
    depth: int = 0,
    written: str = "",
    behind: Collection[int] = (),
    turn: UUID | None = None,
) -> None:
    """Append a search, in two statements. Nothing is written for an empty question, which searches nothing.

    within: as it was asked, before references widened it. shown: (index row, record) of the results, in order. started:
    `time.monotonic()` from before the search. behind: atoms of what the words were made from. turn: of the conversation
    that searched. written: the question with its operators, at a door that reads them: their words need labels too.
    """
    query = found.query
    if not query.text:
        return
    asked = " ".join(written.split()) or query.typed or query.text
    inside = find_atoms_by_rules(asked)
    atoms = None if inside is None else {*inside, *behind}
    question = AuditedQuery(asked, atoms, tuple(shown), describe_within(within, depth))
    record_question(
        scope,
        "search",
        question,
        "turn" if turn else "",
        turn or "",
        door=door,
        model=query.model_id,
        latency_ms=round((time.monotonic() - started) * 1000),
        **(_describe_reranking(found.read) if found.read else {}),
    )


def _describe_reranking(read: Read) -> dict[str, Any]:
    """Who read the best again, and what that cost, under the names that answers have."""
    told: dict[str, Any] = {"reranked_by": str(read.by)}
    if read.usage is None:
        return told
    tokens = {name: getattr(read.usage, name) for name in ("input", "output", "cached")}
    return {**told, "rerank_model": read.model, "tokens": tokens, "cost": str(read.usage.cost)}


def list_disclosed(results: Sequence[SearchResult]) -> list[tuple[UUID, UUID]]:
    return [(result.id, result.entity.id) for result in results]


def describe_within(within: Within, depth: int = 0) -> dict[str, Any]:
    """Where it was looked for, as JSON: the fields that narrow."""
    given = {field.name: getattr(within, field.name) for field in fields(within)}
    found = {name: _convert_to_json(value) for name, value in given.items() if value}
    return found | ({"reference_depth": depth} if depth else {})


def _convert_to_json(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, date | UUID):
        return str(value)
    return value if isinstance(value, str) else [_convert_to_json(each) for each in value]
