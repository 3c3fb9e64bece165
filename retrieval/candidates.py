"""The two branches: rows near in meaning, and rows that hold the words. Each is one statement over visible rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import connection

from ingestion.models import Kind
from retrieval.fusion import Vectors
from retrieval.gate import Gate
from retrieval.matches import Matcher
from retrieval.query import PreparedQuery
from retrieval.tuning import tuning

CONFIGS = (
    "english", "german", "french", "spanish", "italian", "dutch", "portuguese", "swedish", "danish", "norwegian",
    "finnish", "simple",
)  # fmt: skip
"""What `app_text_config` can answer, the default first."""


@dataclass(frozen=True)
class Terms:
    """The words of a question as the index knows them: term (hash of a lexeme) -> the words that gave it.

    stems: the lexemes of each word, by which matches are shown.
    """

    words: Mapping[int, frozenset[str]]
    stems: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def matcher(self) -> Matcher:
        """Finds the words in a text."""
        return Matcher(self.stems.items())

    def matched(self, terms: Iterable[int]) -> list[str]:
        """The words behind `terms`, in the order of the question."""
        found = {word for term in terms for word in self.words.get(term, ())}
        return [word for word in self.stems if word in found]


VECTOR = """
WITH {ctes}
SELECT "row", 1 - distance FROM (
  SELECT p."row", (p.embedding <=> %s::halfvec) + 0 AS distance FROM ingestion_vector p
  WHERE {condition}
  AND p.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %s)
  ORDER BY distance, p."row" LIMIT %s) nearest
WHERE distance < 'NaN'
ORDER BY distance, "row"
"""

# The columns of the gate, for rows of one file on one side of a hit.
SIDE = """(SELECT {way} AS way, row_number() OVER (ORDER BY p.position {order}, p."row" {order}) AS distance,
     p."row", p.data_classification
   FROM (SELECT c.workspace_id, c.data_classification, c.audience, e.number AS entity, f.number AS file,
           c.number AS "row", c.kind, c.position
         FROM ingestion_contextrow c
         JOIN entities_entity e ON e.id = c.entity_id JOIN ingestion_file f ON f.id = c.file_id
         WHERE c.file_id = h.file_id AND c.kind = h.kind AND (c.position, c.number) {than} (h.position, h.number)) p
   WHERE {condition} ORDER BY distance LIMIT %s)"""

BESIDE = """
WITH {ctes}
SELECT h.number, n.way, n.distance, n."row", n.data_classification = h.data_classification
FROM ingestion_contextrow h CROSS JOIN LATERAL (
  {before}
  UNION ALL
  {after}
) n
WHERE h.number = ANY(%s) ORDER BY 1, 2, 3
"""

LEXEMES = """
SELECT w.word, c.config::text, t.lexeme, hashtext(t.lexeme)
FROM unnest(%s::text[]) w (word) CROSS JOIN unnest(%s::regconfig[]) c (config)
LEFT JOIN LATERAL unnest(to_tsvector(c.config, app_words(w.word))) t ON true
"""

# df, n and mean are counts of what the reader sees. float8 throughout: numeric arithmetic takes twice as long.
LEXICAL = """
WITH {ctes},
hits AS MATERIALIZED (
  SELECT p.term, p."row", p.tf, p.dl FROM ingestion_posting p WHERE {condition} AND p.term = ANY(%s)),
rows AS MATERIALIZED (
  SELECT count(*)::float8 AS n, avg(p.dl)::float8 AS mean FROM ingestion_posting p WHERE {condition} AND p.term = 0),
df AS MATERIALIZED (SELECT term, count(*)::float8 AS df FROM hits GROUP BY term),
idf AS MATERIALIZED (
  SELECT d.term, ln(1::float8 + (r.n - d.df + 0.5::float8) / (d.df + 0.5::float8)) AS weight
  FROM df d CROSS JOIN rows r),
best AS MATERIALIZED (
  SELECT h."row", sum(i.weight * h.tf::float8 * (%s::float8 + 1::float8)
    / (h.tf::float8 + %s::float8 * (1::float8 - %s::float8 + %s::float8 * h.dl::float8 / r.mean))) AS score
  FROM hits h JOIN idf i USING (term) CROSS JOIN rows r
  GROUP BY h."row" ORDER BY score DESC, h."row" LIMIT %s)
SELECT b."row", b.score, array_agg(h.term) FROM best b JOIN hits h USING ("row")
GROUP BY b."row", b.score ORDER BY b.score DESC, b."row"
"""


# Of rows that hold every word: which are summaries, of which file, and which hold the words as they were asked.
VERBATIM = """
SELECT c.number, c.kind = %s, c.file_id,
  NOT EXISTS (SELECT FROM unnest(%s::text[]) p (phrase)
    WHERE strpos(lower(regexp_replace(app_words(c.text), '\\s+', ' ', 'g')),
      lower(btrim(regexp_replace(app_words(p.phrase), '\\s+', ' ', 'g')))) = 0)
FROM ingestion_contextrow c WHERE c.number = ANY(%s)
"""


@dataclass(frozen=True)
class Exact:
    """Rows that hold a question as it was asked, best first; where none does, those that hold every word of it.

    behind: a file's summary that holds every word -> the passage of the same file that does too.
    """

    rows: tuple[int, ...] = ()
    behind: Mapping[int, int] = field(default_factory=dict)


def word_for_word(query: PreparedQuery, terms: Terms, worded: Sequence[tuple[int, float, frozenset[int]]]) -> Exact:
    """Which of the rows that `by_words` found hold the question itself.

    Where a passage of a file does, the summary of that file comes behind it: it has no page to open.
    """
    whole = [row for row, _, found in worded if len(terms.matched(found)) == len(terms.stems)]
    if not whole:
        return Exact()
    found = {
        row: (verbatim, summary, file)
        for row, summary, file, verbatim in _all(VERBATIM, [Kind.FILE_SUMMARY, list(query.phrases), whole])
    }
    passages: dict[object, int] = {}
    for row in sorted(found, key=lambda row: (not found[row][0], whole.index(row))):
        _, summary, file = found[row]
        if file is not None and not summary:
            passages.setdefault(file, row)
    behind = {row: passages[file] for row, (_, summary, file) in found.items() if summary and file in passages}
    rows = [row for row in whole if row in found and row not in behind]
    return Exact(tuple(row for row in rows if found[row][0]) or tuple(rows), behind)


def by_meaning(query: PreparedQuery, gate: Gate) -> list[tuple[int, float]]:
    """(row, cosine similarity) of the visible rows nearest to the question, by exact scan (docs/adr/0003)."""
    if not query.vector:
        return []
    params = [
        *gate.cte_params, query.literal, *gate.condition_params, query.model_id, tuning().candidates,
    ]  # fmt: skip
    return [(row, similarity) for row, similarity in _all(_filled(VECTOR, gate), params)]


def by_words(terms: Terms, gate: Gate) -> list[tuple[int, float, frozenset[int]]]:
    """(row, BM25 score, matched terms) of the visible rows that hold a word of the question.

    Okapi BM25 (Robertson and Zaragoza, 2009) with the idf that is never negative; k1 and b from `Tuning`.
    """
    if not terms.words:
        return []
    t = tuning()
    params = [
        *gate.cte_params, *gate.condition_params, list(terms.words), *gate.condition_params,
        t.k1, t.k1, t.b, t.b, t.candidates,
    ]  # fmt: skip
    return [(row, score, frozenset(found)) for row, score, found in _all(_filled(LEXICAL, gate), params)]


def terms_of(words: Sequence[str]) -> Terms:
    """Stems of `words` in every language that rows may be in. Touches no workspace data.

    Words that say nothing in the question's own language are left out: in an index of another language they would
    be rare, and rare words weigh most. Its language is the one that knows most of the words as stop words.
    """
    if not words:
        return Terms({})
    found = [row for row in _all(LEXEMES, [list(words), list(CONFIGS)]) if row[2] is not None and row[3] != 0]
    spoken = {(config, word) for word, config, _, _ in found}
    silent = {
        config: {word for word in words if (config, word) not in spoken and ("simple", word) in spoken}
        for config in CONFIGS
    }
    own = max(CONFIGS, key=lambda config: (len(silent[config]), config == CONFIGS[0]))
    said = [word for word in words if word not in silent[own]] or list(words)
    by_term: dict[int, set[str]] = {}
    stems: dict[str, set[str]] = {word: set() for word in said}
    for word, _, lexeme, term in found:
        if word in stems:
            by_term.setdefault(term, set()).add(word)
            stems[word].add(lexeme)
    return Terms({t: frozenset(w) for t, w in by_term.items()}, {w: frozenset(s) for w, s in stems.items()})


def vectors_of(rows: Sequence[int], model_id: str) -> Vectors:
    """The vectors of rows that a branch has found, in float32 and of length 1."""
    if not rows:
        return {}
    found = _all(
        'SELECT v."row", halfvec_send(v.embedding) FROM ingestion_vector v WHERE v."row" = ANY(%s)'
        " AND v.model = (SELECT m.id FROM ingestion_vectormodel m WHERE m.model_id = %s)",
        [list(rows), model_id],
    )
    vectors = {}
    for row, sent in found:
        # pgvector's wire form: two 16-bit integers (dimensions, unused), then big-endian half floats.
        vector = np.frombuffer(bytes(sent), dtype=">f2", offset=4).astype(np.float32)
        length = float(np.linalg.norm(vector))
        if length > 0:
            vectors[row] = vector / length
    return vectors


def beside(rows: Sequence[int], gate: Gate, window: int) -> dict[int, list[tuple[int, int]]]:
    """row -> (neighbour, distance) up to `window` steps either way in the same file, never across a label.

    Neighbours are the nearest rows that the reader sees: a hidden passage between two is no different from none.
    """
    if not rows or not window:
        return {}
    side = [*gate.condition_params, window]
    before = SIDE.format(way=-1, order="DESC", than="<", condition=gate.condition)
    after = SIDE.format(way=1, order="ASC", than=">", condition=gate.condition)
    statement = _filled(BESIDE, gate, before=before, after=after)
    found = _all(statement, [*gate.cte_params, *side, *side, list(rows)])
    broken: set[tuple[int, int]] = set()
    result: dict[int, list[tuple[int, int]]] = {}
    for row, way, distance, neighbour, same_label in found:
        if not same_label:
            broken.add((row, way))
        if (row, way) not in broken:
            result.setdefault(row, []).append((neighbour, distance))
    return result


def _filled(statement: str, gate: Gate, **parts: str) -> str:
    return statement.format(ctes=gate.ctes, condition=gate.condition, **parts)


def _all(statement: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
