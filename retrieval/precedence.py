"""What is drawn from passages stands behind those that say the same, and a heading leads to the passage under it.

A reader opens a passage: a summary has no page, a record's own line no paragraph, and a heading no answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingestion.models import Kind
from retrieval.candidates import load_similarities
from retrieval.fusion import Hit
from retrieval.gate import INDEX_ROWS, Gates
from retrieval.query import PreparedQuery
from retrieval.statements import rows_of

BEHIND = 0.999
"""Share of its passage's score that a line drawn from passages has."""
MIN_SHARE = 0.5
"""Of the score of a line without words, which a passage must have to stand before it."""
DRAWN = (Kind.METADATA, Kind.FILE_SUMMARY, Kind.RELATIONSHIP)

ORIGINS = """
SELECT c.number, c.kind, c.field, c.file_id::text, c.entity_id::text FROM ingestion_contextrow c
WHERE c.number = ANY(%(rows)s::int[])
"""
# Of rows that are headings and nothing else: the first passage that the reader sees of what stands under the last one.
LEADS = """
WITH {ctes}
SELECT h.number, n."row"
FROM (
  SELECT c.number, c.file_id, c.kind, c.position,
    (SELECT q.id FROM ingestion_rowparagraph l JOIN ingestion_paragraph q ON q.id = l.paragraph_id
     WHERE l.row_id = c.id ORDER BY q.position DESC LIMIT 1) AS heading
  FROM ingestion_contextrow c
  WHERE c.number = ANY(%(rows)s::int[]) AND c.kind = %(passage)s AND length(c.text) < %(longest)s AND NOT EXISTS (
    SELECT FROM ingestion_rowparagraph l JOIN ingestion_paragraph q ON q.id = l.paragraph_id
    WHERE l.row_id = c.id AND q.kind <> 'heading')) h
CROSS JOIN LATERAL (
  SELECT p."row" FROM ({rows} WHERE c.file_id = h.file_id AND c.kind = h.kind AND c.position > h.position
    AND EXISTS (SELECT FROM ingestion_rowparagraph l JOIN ingestion_paragraph q ON q.id = l.paragraph_id
      WHERE l.row_id = c.id AND q.kind <> 'heading' AND h.heading = ANY(q.headings))) p
  WHERE {condition} ORDER BY p.position, p."row" LIMIT 1) n
WHERE h.heading IS NOT NULL
"""
MAX_HEADING_CHARS = 300


@dataclass(frozen=True)
class Origin:
    """Of a row. drawn: made from what other rows say."""

    drawn: bool
    passage: bool
    place: str
    record: str


def put_passages_first(hits: Sequence[Hit], first: int) -> tuple[Hit, ...]:
    """`hits`, where among the `first` best a line drawn from passages gives its place to the best passage of its file
    or record that holds the same words of the question; where it holds none, to one that is not much farther off.
    """
    origins = _load_origins([hit.row for hit in hits[:first]])
    scores: dict[int, float] = {}
    for hit in hits[:first]:
        if (of := origins.get(hit.row)) is None or not of.drawn:
            continue
        for passage in hits[:first]:
            by = origins.get(passage.row)
            if by is None or not by.passage or of.place not in (by.place, by.record) or not hit.terms <= passage.terms:
                continue
            if hit.terms or passage.score >= MIN_SHARE * hit.score:
                taken = scores[passage.row] = max(scores.get(passage.row, passage.score), hit.score)
                scores[hit.row] = min(hit.score, taken * BEHIND)
                break
    if not scores:
        return tuple(hits)
    changed = [replace(hit, score=scores.get(hit.row, hit.score)) for hit in hits]
    return tuple(sorted(changed, key=lambda hit: (-hit.score, hit.row)))


def _load_origins(rows: Sequence[int]) -> dict[int, Origin]:
    found = {}
    for row, kind, field, file, record in rows_of(ORIGINS, {"rows": list(rows)}) if rows else ():
        drawn = kind in DRAWN and not (kind == Kind.METADATA and field)
        passage = kind == Kind.FILE_CHUNK or (kind == Kind.METADATA and bool(field))
        found[row] = Origin(drawn, passage, file or record, record)
    return found


def follow_headings(asked: PreparedQuery, hits: Sequence[Hit], gates: Gates, first: int) -> tuple[Hit, ...]:
    """`hits`, with the passage under it in the place of each heading among the `first` best, as far as it is seen."""
    statement = gates.each.fill(LEADS, rows=INDEX_ROWS)
    params = {"passage": int(Kind.FILE_CHUNK), "longest": MAX_HEADING_CHARS, "rows": [hit.row for hit in hits[:first]]}
    leads: dict[int, int] = dict(rows_of(statement, {**gates.each.params, **params})) if hits else {}
    if not leads:
        return tuple(hits)
    found = {hit.row: hit for hit in hits if hit.row not in leads}
    similarities = load_similarities(asked, sorted({*leads.values()} - found.keys()))
    for hit in hits[:first]:
        if (row := leads.get(hit.row)) is not None:
            below = found.get(row, Hit(row, 0.0, similarities.get(row)))
            found[row] = replace(below, score=max(below.score, hit.score))
    return tuple(sorted(found.values(), key=lambda hit: (-hit.score, hit.row)))
