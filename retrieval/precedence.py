"""What is drawn from passages stands behind those that say the same, and a heading leads to the passage under it.

A reader opens a passage: a summary has no page, a record's own line no paragraph, and a heading no answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingestion.models import Kind
from retrieval.branches import compare_rows
from retrieval.fusion import Hit
from retrieval.gate import INDEX_ROWS, Gates
from retrieval.query import PreparedQuery
from retrieval.statements import fetch_rows

BEHIND = 0.999
"""Share of its passage's score that a line drawn from passages has."""
MIN_SHARE = 0.5
"""Of the score of a line without words, which a passage must have to stand before it."""
MAX_HEADING_CHARS = 200
DRAWN = (Kind.METADATA, Kind.FILE_SUMMARY, Kind.RELATIONSHIP)

ORIGINS = """
SELECT c.number, c.kind, c.field, c.file_id::text, c.entity_id::text, length(c.text) < %(longest)s
FROM ingestion_contextrow c WHERE c.number = ANY(%(rows)s::int[])
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
  WHERE c.number = ANY(%(rows)s::int[]) AND c.kind = %(passage)s AND NOT EXISTS (
    SELECT FROM ingestion_rowparagraph l JOIN ingestion_paragraph q ON q.id = l.paragraph_id
    WHERE l.row_id = c.id AND q.kind <> 'heading')) h
CROSS JOIN LATERAL (
  SELECT p."row" FROM ({rows} WHERE c.file_id = h.file_id AND c.kind = h.kind AND c.position > h.position
    AND EXISTS (SELECT FROM ingestion_rowparagraph l JOIN ingestion_paragraph q ON q.id = l.paragraph_id
      WHERE l.row_id = c.id AND q.kind <> 'heading' AND h.heading = ANY(q.headings))) p
  WHERE {condition} ORDER BY p.position, p."row" LIMIT 1) n
WHERE h.heading IS NOT NULL
"""


@dataclass(frozen=True)
class Origin:
    """Of a row. drawn: made from what other rows say. summary: of a file. place: its file, else its record. short:
    perhaps a heading.
    """

    drawn: bool
    summary: bool
    passage: bool
    place: str
    record: str
    short: bool


def weigh_summaries(hits: Sequence[Hit], origins: Mapping[int, Origin], factor: float) -> tuple[Hit, ...]:
    """`hits`, where the scores of summaries among those of `origins` are multiplied by `factor`: they are about all of
    a file, so they are near to every question on it, and its passages say the same with a page to open.
    """
    lowered = [
        replace(hit, score=hit.score * factor) if hit.row in origins and origins[hit.row].summary else hit
        for hit in hits
    ]
    return tuple(sorted(lowered, key=lambda hit: (-hit.score, hit.row)))


def put_passages_first(hits: Sequence[Hit], origins: Mapping[int, Origin]) -> tuple[Hit, ...]:
    """`hits`, where among those of `origins` a line drawn from passages gives its place to the best passage of its file
    or record that holds the same words of the question; where it holds none, to one that is not much farther off.
    """
    known = [(hit, origins[hit.row]) for hit in hits if hit.row in origins]
    scores: dict[int, float] = {}
    for hit, of in known:
        if not of.drawn:
            continue
        for passage, by in known:
            if not by.passage or of.place not in (by.place, by.record) or not hit.terms <= passage.terms:
                continue
            if hit.terms or passage.score >= MIN_SHARE * hit.score:
                taken = scores[passage.row] = max(scores.get(passage.row, passage.score), hit.score)
                scores[hit.row] = min(hit.score, taken * BEHIND)
                break
    if not scores:
        return tuple(hits)
    changed = [replace(hit, score=scores.get(hit.row, hit.score)) for hit in hits]
    return tuple(sorted(changed, key=lambda hit: (-hit.score, hit.row)))


def load_origins(hits: Sequence[Hit]) -> dict[int, Origin]:
    """Row -> where it is from."""
    params = {"rows": [hit.row for hit in hits], "longest": MAX_HEADING_CHARS}
    found = {}
    for row, kind, field, file, record, short in fetch_rows(ORIGINS, params) if hits else ():
        drawn = kind in DRAWN and not (kind == Kind.METADATA and field)
        passage = kind == Kind.FILE_CHUNK or (kind == Kind.METADATA and bool(field))
        found[row] = Origin(
            drawn, kind == Kind.FILE_SUMMARY, passage, file or record, record, short and kind == Kind.FILE_CHUNK
        )
    return found


def follow_headings(
    asked: PreparedQuery, hits: Sequence[Hit], gates: Gates, origins: Mapping[int, Origin]
) -> tuple[Hit, ...]:
    """`hits`, with the passage under it in the place of each heading among those of `origins`, as far as it is seen."""
    short = [row for row, of in origins.items() if of.short]
    statement = gates.each.fill(LEADS, rows=INDEX_ROWS)
    params = {"passage": int(Kind.FILE_CHUNK), "rows": short}
    leads: dict[int, int] = dict(fetch_rows(statement, {**gates.each.params, **params})) if short else {}
    if not leads:
        return tuple(hits)
    found = {hit.row: hit for hit in hits if hit.row not in leads}
    similarities = compare_rows(asked, sorted({*leads.values()} - found.keys()))
    for hit in hits:
        if (row := leads.get(hit.row)) is not None:
            below = found.get(row, Hit(row, 0.0, similarities.get(row)))
            found[row] = replace(below, score=max(below.score, hit.score))
    return tuple(sorted(found.values(), key=lambda hit: (-hit.score, hit.row)))
