"""The two branches: rows near in meaning, and rows that hold the words. Each is one statement over visible rows.

Which statement is chosen by `survey`: what a search finds does not depend on it but in the two ways that
docs/adr/0013 gives, the graph above `Tuning.scan` visible rows and common words above `Tuning.hits`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.fusion import Vectors
from retrieval.gate import Gate, Gates
from retrieval.graph_index import find_by_graph, find_graph
from retrieval.query import PreparedQuery
from retrieval.statements import fetch_rows
from retrieval.survey import HIGHEST, SAMPLED, Survey
from retrieval.terms import Terms
from retrieval.tuning import load_tuning

# The rows of a table that pass the gate: under the reader's labels first, or the visible records first.
BY_LABEL = "{table} p WHERE {condition}"
# Only records that hold something under those labels are looked up: of the others there may be very many. Asked of the
# set as a whole: else what is held would be gathered for each of its parts.
BY_RECORD = """(
  SELECT number FROM (SELECT DISTINCT number FROM seen) records WHERE (number IN (
    SELECT entity FROM holding)) IS TRUE
  OFFSET 0
) s CROSS JOIN LATERAL (
  SELECT * FROM {table} p WHERE p.entity = s.number AND {cleared} {also} OFFSET 0) p WHERE true"""

VECTOR = """
WITH {ctes}
SELECT "row", 1 - distance FROM (
  SELECT p."row", (p.embedding <=> %(vector)s::halfvec) + 0 AS distance FROM {rows}
  ORDER BY distance, p."row" LIMIT %(candidates)s) nearest
WHERE distance < 'NaN'
ORDER BY distance, "row"
"""
# Of vectors that are short enough there is a copy in the index that they are chosen by (docs/adr/0027).
MOST_COVERED = 1300
COVERED = f"AND vector_dims(p.embedding) <= {MOST_COVERED}"

# Numbers that were not estimated are counted: rows and their mean length, and in how many a word stands.
# float8 throughout: numeric arithmetic takes twice as long. But sums are of whole numbers: a sum of floats depends on
# the order of what is added, and so on the plan, which hidden rows can change.
LEXICAL = """
WITH {ctes}, {mine}
hits AS MATERIALIZED ({hits}),
rows (n, mean) AS MATERIALIZED ({counted}),
known (term, df) AS (SELECT * FROM unnest(%(terms)s::int[], %(known)s::float8[])),
held (term, df) AS MATERIALIZED (SELECT h.term, count(*)::float8 FROM hits h GROUP BY h.term),
frequencies (term, df) AS MATERIALIZED (
  SELECT k.term, coalesce(k.df, h.df, 0::float8) FROM known k LEFT JOIN held h USING (term)),
owned (word, term, df) AS MATERIALIZED (
  SELECT w.word, w.term, sum(d.df) OVER (PARTITION BY w.word)
  FROM unnest(%(words)s::int[], %(word_terms)s::int[]) w (word, term) JOIN frequencies d USING (term)),
idf AS MATERIALIZED (SELECT f.term, {idf} AS weight FROM rows r CROSS JOIN (
  SELECT term, max(df) AS df FROM owned GROUP BY term OFFSET 0) f),
telling (weight) AS MATERIALIZED (SELECT sum(weight) FROM (
  SELECT {idf} AS weight FROM rows r CROSS JOIN (SELECT word, max(df) AS df FROM owned GROUP BY word OFFSET 0) f
  ORDER BY weight DESC LIMIT {telling}) best),
first AS MATERIALIZED (SELECT h."row", {bm25} AS score
  FROM hits h JOIN idf i USING (term) CROSS JOIN rows r GROUP BY h."row" ORDER BY score DESC, h."row" LIMIT %(first)s)
{tail}
"""
HITS = 'SELECT p.term, p."row", p.tf, p.dl FROM {rows} AND {also}'
COUNTED = "SELECT count(*)::float8, avg(p.dl)::float8 FROM {rows} AND p.term = 0"
ESTIMATED = "SELECT %(visible)s::float8, %(length)s::float8"
# Of a reader of few rows: those are counted once, by their records. Rare words are read; common ones are looked up in
# those rows.
MINE = """mine AS MATERIALIZED (SELECT p."row", p.dl FROM {rows}),"""
HITS_OF_MINE = """SELECT p.term, p."row", p.tf, p.dl FROM ingestion_posting p
WHERE {cleared} AND p.term = ANY(%(rare)s::int[]) AND (p."row" IN (SELECT "row" FROM mine)) IS TRUE
UNION ALL
SELECT p.term, p."row", p.tf, p.dl FROM mine CROSS JOIN LATERAL (
  SELECT * FROM ingestion_posting p WHERE p."row" = mine."row" AND p.term = ANY(%(common)s::int[]) OFFSET 0) p"""
COUNTED_OF_MINE = "SELECT count(*)::float8, avg(dl)::float8 FROM mine"
IDF = "ln(1::float8 + (greatest(r.n - f.df, 0::float8) + 0.5::float8) / (f.df + 0.5::float8))"
TELLING_WORDS = 4
"""Of a question: a passage that has them all, each as often as passages have words, scores 1, whatever else is asked.
So words count by how much of the question they explain: little where it is in another language than the text, and most
where a number or a name is all of it (docs/adr/0071)."""
BM25 = """sum((1e6::float8 * i.weight * h.tf::float8 * (%(k1)s::float8 + 1::float8)
  / (h.tf::float8 + %(k1)s::float8 * (1::float8 - %(b)s::float8 + %(b)s::float8 * h.dl::float8 / r.mean)))::integer
  )::float8 / 1e6::float8"""
WHOLE = """SELECT f."row", f.score, array_agg(h.term), (SELECT weight FROM telling)
FROM first f JOIN hits h USING ("row") GROUP BY f."row", f.score ORDER BY f.score DESC, f."row" LIMIT %(candidates)s"""
# The words that were not looked for still count, in what the others found.
REFINED = """SELECT f."row", {bm25} AS score, array_agg(h.term), (SELECT weight FROM telling)
FROM first f JOIN ingestion_posting h ON h."row" = f."row" AND h.term = ANY(%(terms)s::int[])
JOIN idf i ON i.term = h.term CROSS JOIN rows r
GROUP BY f."row" ORDER BY score DESC, f."row" LIMIT %(candidates)s"""


def find_by_meaning(query: PreparedQuery, gates: Gates, size: Survey) -> list[tuple[int, float]]:
    """(row, cosine similarity) of the visible rows nearest to the question.

    Exact up to `Tuning.scan` visible rows; above, by the model's graph where it has one (docs/adr/0003, 0013).
    """
    if not query.has_meaning:
        return []
    t = load_tuning()
    if size.beyond_scan and not (t.strict or size.strict) and (graph := find_graph(query, size)):
        return find_by_graph(query, gates, graph, size, t.candidates)
    gate = gates.choose_cheaper(size.at_most)
    also = "AND p.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %(model)s)"
    if size.by_record:
        rows = BY_RECORD.format(table="ingestion_vector", cleared=gate.cleared, also=also)
    else:
        covered = COVERED if len(query.vector) <= MOST_COVERED else ""
        rows = f"{BY_LABEL.format(table='ingestion_vector', condition=gate.condition)} {also} {covered}"
    params = {**gate.params, "vector": query.literal, "model": query.model_id, "candidates": t.candidates}
    return [(row, similarity) for row, similarity in fetch_rows(gate.fill(VECTOR, rows=rows), params)]


@dataclass(frozen=True)
class LexicalPlan:
    """Which words are looked for, and which only weighed in what those found.

    looked_for: all of their passages. most_used: a further word, of which only the passages that hold it `least` times
    or more; sliced: of those, only the sample's.
    """

    looked_for: tuple[int, ...]
    weighed: tuple[int, ...] = ()
    most_used: int | None = None
    least: int = 1
    sliced: bool = False

    def estimate_rows_read(self, size: Survey) -> float:
        """Rows under the reader's labels that are read, roughly: a reader sees a share of them."""
        looked_for = sum(size.under.get(term, 0.0) for term in self.looked_for) + SAMPLED
        if self.most_used is None:
            return looked_for
        return looked_for + load_tuning().hits * size.cleared / size.visible


def plan_lexical_search(terms: Sequence[int], size: Survey) -> LexicalPlan:
    """Rare words first, until `Tuning.hits` passages are to be read; the common rest tells little."""
    limit = load_tuning().hits
    ordered = sorted(terms, key=lambda term: (size.get_frequency(term), term))
    if size.exact or sum(map(size.get_frequency, ordered)) <= limit:
        return LexicalPlan(tuple(ordered))
    taken: list[int] = []
    reads = 0.0
    while ordered and reads + size.get_frequency(ordered[0]) <= limit:
        reads += size.get_frequency(ordered[0])
        taken.append(ordered.pop(0))
    if not ordered or reads > limit / 20:
        return LexicalPlan(tuple(taken), tuple(ordered))
    first, counts = ordered[0], size.holding[ordered[0]]
    least = next((k for k in range(2, HIGHEST + 1) if counts[k] <= limit), HIGHEST + 1)
    if least > HIGHEST or counts[least] < limit / 20:
        return LexicalPlan(tuple(taken), tuple(ordered), first, min(least, HIGHEST) - 1, sliced=True)
    return LexicalPlan(tuple(taken), tuple(ordered), first, least)


def find_by_words(terms: Terms, gates: Gates, size: Survey) -> tuple[list[tuple[int, float, frozenset[int]]], float]:
    """(row, BM25 score, matched terms) of the visible rows that hold a word of the question, and the idf of its words
    that tell most (`TELLING_WORDS`).

    Okapi BM25 (Robertson and Zaragoza, 2009) with the idf that is never negative; k1 and b from `Tuning`. Frequencies
    are of the reader's rows alone, and of a word in all languages: its stem in one of them may be rare.
    """
    if not terms.numbers:
        return [], 0.0
    t = load_tuning()
    way = plan_lexical_search(terms.numbers, size)
    owned = [(n, term) for n, word in enumerate(terms.stems) for term, of in terms.words.items() if word in of]
    owned += [(-n, term) for n, term in enumerate(terms.implied, start=1)]
    gate = gates.choose_cheaper(size.at_most if size.exact else way.estimate_rows_read(size))
    params: dict[str, object] = {
        **gate.params,
        "k1": t.k1,
        "b": t.b,
        "terms": terms.numbers,
        "words": [word for word, _ in owned],
        "word_terms": [term for _, term in owned],
        "known": [size.get_frequency(term) if term in way.weighed else None for term in terms.numbers],
        "looked_for": list(way.looked_for),
        "first": 2 * t.candidates if way.weighed else t.candidates,
        "candidates": t.candidates,
    }
    tail = REFINED.format(bm25=BM25) if way.weighed else WHOLE
    if size.exact and size.by_record:
        rows = BY_RECORD.format(table="ingestion_posting", cleared=gate.cleared, also="AND p.term = 0")
        hits = HITS_OF_MINE.format(cleared=gate.cleared)
        parts = {"mine": MINE.format(rows=rows), "hits": hits, "counted": COUNTED_OF_MINE}
        rare = [term for term in terms.numbers if size.under.get(term, 0) + SAMPLED < 4 * size.visible]
        params |= {"rare": rare, "common": [term for term in terms.numbers if term not in rare]}
    else:
        parts = {"mine": "", **_build_lexical_parts(way, gate, size, params)}
    found = fetch_rows(gate.fill(LEXICAL, bm25=BM25, idf=IDF, telling=str(TELLING_WORDS), tail=tail, **parts), params)
    return [(row, score, frozenset(held)) for row, score, held, _ in found], found[0][3] if found else 0.0


def _build_lexical_parts(way: LexicalPlan, gate: Gate, size: Survey, params: dict[str, object]) -> dict[str, str]:
    """The passages of the words that are looked for. Rows and their mean length are counted, or estimated."""
    by_label = BY_LABEL.format(table="ingestion_posting", condition=gate.condition)
    hits = [HITS.format(rows=by_label, also="p.term = ANY(%(looked_for)s::int[])")]
    if way.most_used is not None:
        sliced = " AND p.sample >= 5" if way.sliced else ""
        hits.append(HITS.format(rows=by_label, also=f"p.term = %(most_used)s AND p.tf >= %(least)s{sliced}"))
        params |= {"most_used": way.most_used, "least": way.least}
    if not size.exact:
        params |= {"visible": size.visible, "length": size.length}
    counted = COUNTED.format(rows=by_label) if size.exact else ESTIMATED
    return {"hits": " UNION ALL ".join(hits), "counted": counted}


SIMILARITIES = """
SELECT "row", 1 - distance FROM (
  SELECT v."row", v.embedding <=> %(vector)s::halfvec AS distance FROM ingestion_vector v
  WHERE v."row" = ANY(%(rows)s::int[])
    AND v.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %(model)s)) measured
WHERE distance < 'NaN'
"""


def load_similarities(query: PreparedQuery, rows: Sequence[int]) -> dict[int, float]:
    """row -> cosine similarity to the question, of rows that a branch has found and that have a vector of its model."""
    if not rows or not query.has_meaning:
        return {}
    return dict(fetch_rows(SIMILARITIES, {"vector": query.literal, "model": query.model_id, "rows": list(rows)}))


def load_vectors(rows: Sequence[int], model_id: str) -> Vectors:
    """The vectors of rows that a branch has found, in float32 and of length 1."""
    if not rows:
        return {}
    found = fetch_rows(
        'SELECT v."row", halfvec_send(v.embedding) FROM ingestion_vector v WHERE v."row" = ANY(%(rows)s::int[])'
        " AND v.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %(model)s)",
        {"rows": list(rows), "model": model_id},
    )
    vectors = {}
    for row, sent in found:
        # pgvector's wire form: two 16-bit integers (dimensions, unused), then big-endian half floats.
        vector = np.frombuffer(bytes(sent), dtype=">f2", offset=4).astype(np.float32)
        length = float(np.linalg.norm(vector))
        if length > 0:
            vectors[row] = vector / length
    return vectors
