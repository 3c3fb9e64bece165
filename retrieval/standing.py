"""What the references of a record add to the scores of its passages: a small factor, told in the result (design §7)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from entities.access import Scope
from references.kinds import INCOMING, SALIENCE, Kind
from references.salience import Salience, compute_salience
from retrieval.fusion import Hit
from retrieval.statements import fetch_rows

COUNTING = [str(kind) for kind, weight in SALIENCE.items() if weight.target or weight.source]
# Few records have references: only of those is more asked. Whether the reader sees both ends is asked there.
REFERRED = """
SELECT c.number, c.entity_id FROM ingestion_contextrow c
WHERE c.number = ANY(%(rows)s::int[]) AND (
  EXISTS (SELECT FROM references_reference r WHERE r.target_id = c.entity_id AND r.kind = ANY(%(kinds)s::text[]))
  OR EXISTS (SELECT FROM references_reference r WHERE r.source_id = c.entity_id AND r.kind = ANY(%(kinds)s::text[])))
"""


def weigh_by_salience(scope: Scope, hits: Sequence[Hit], first: int) -> tuple[Hit, ...]:
    """`hits` in their new order: the scores of the `first` best are multiplied by the salience of their records, as far
    as the open scope sees its references. No score comes above 1.
    """
    records: Mapping[int, UUID] = dict(fetch_rows(REFERRED, {"rows": [h.row for h in hits[:first]], "kinds": COUNTING}))
    if not records:
        return tuple(hits)
    found = compute_salience(scope, set(records.values()))
    changed = [_apply_salience(hit, found[records[hit.row]]) if hit.row in records else hit for hit in hits]
    return tuple(sorted(changed, key=lambda hit: (-hit.score, hit.row)))


def _apply_salience(hit: Hit, of: Salience) -> Hit:
    if of.factor == 1:
        return hit
    how = "raised" if of.factor > 1 else "lowered"
    score, standing = min(1.0, hit.score * of.factor), f"{how} a little: its record is {_describe_references(of)}"
    return replace(hit, score=score, factor=of.factor, standing=standing)


def _describe_references(of: Salience) -> str:
    """The references that count, as their panel names them: “superseded by 1, related to 2”."""
    into = [f"{INCOMING[kind].lower()} {n}" for kind, n in of.incoming.items() if SALIENCE[kind].target]
    out = [f"{Kind(kind).label.lower()} {n}" for kind, n in of.outgoing.items() if SALIENCE[kind].source]
    return ", ".join(sorted(into + out))
