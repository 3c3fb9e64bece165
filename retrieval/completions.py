"""Completions of the word that is being typed, of words in text that the reader sees (docs/adr/0021).

Words stand in a table of their own with the columns of the gate (`ingestion/migrations/completions.sql`). It is read by
label, from the first word on, one visible word after another: text under labels that the reader lacks is not even
passed over, so it costs no time either.
"""

import re

from entities.access import Scope
from retrieval.gate import build_gates
from retrieval.query import Within
from retrieval.statements import fetch_rows

FEWEST = 3
"""Letters from which a word is completed."""
READ = 200
"""Visible words with the same beginning and label among which the most used are chosen."""
COUNTED = 20
"""Entries of a word that are counted: more is often, whatever the number."""
LAST_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]++$")

NEXT = """(SELECT p.word FROM ingestion_word p WHERE {condition} AND p.data_classification = {label}
    AND p.word {after} AND p.word < %(end)s ORDER BY p.word LIMIT 1)"""
COMPLETIONS = """
WITH RECURSIVE {ctes},
walk (label, word, n) AS (
  SELECT l.label, {first}, 1 FROM unnest((SELECT app_allowed())::int[]) l (label)
  UNION ALL
  SELECT w.label, {next}, w.n + 1 FROM walk w WHERE w.word IS NOT NULL AND w.n < %(read)s)
SELECT k.word FROM (SELECT DISTINCT word FROM walk WHERE word IS NOT NULL) k
CROSS JOIN LATERAL (
  SELECT count(*) AS often FROM (
    SELECT FROM ingestion_word p WHERE {condition} AND p.word = k.word LIMIT %(counted)s) held) c
ORDER BY c.often DESC, length(k.word), k.word LIMIT %(limit)s
"""


def list_completions(scope: Scope, text: str, *, limit: int = 4) -> list[str]:
    """`text` with its last word completed, the words in most places first; the open scope is `scope`."""
    typed = LAST_WORD.search(text)
    if typed is None or len(typed.group()) < FEWEST:
        return []
    begin = typed.group().lower()
    through = build_gates(scope, Within()).each
    first = NEXT.format(condition=through.condition, label="l.label", after="> %(begin)s")
    following = NEXT.format(condition=through.condition, label="w.label", after="> w.word")
    statement = through.fill(COMPLETIONS, first=first, next=following)
    asked = {"begin": begin, "end": begin + chr(0x10FFFF), "read": READ, "counted": COUNTED, "limit": limit}
    params = {**through.params, **asked}
    return [text[: typed.start()] + word for (word,) in fetch_rows(statement, params)]
