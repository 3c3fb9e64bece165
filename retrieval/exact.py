"""Which of the rows that were found hold the question itself."""

from collections.abc import Sequence

from retrieval.query import PreparedQuery
from retrieval.statements import rows_of
from retrieval.terms import Terms

# Of rows that hold every word: those that hold the words as they were asked.
VERBATIM = """
SELECT c.number FROM ingestion_contextrow c WHERE c.number = ANY(%(rows)s::int[])
  AND NOT EXISTS (SELECT FROM unnest(%(phrases)s::text[]) p (phrase)
    WHERE strpos(lower(regexp_replace(app_words(c.text), '\\s+', ' ', 'g')),
      lower(btrim(regexp_replace(app_words(p.phrase), '\\s+', ' ', 'g')))) = 0)
"""


def word_for_word(
    query: PreparedQuery, terms: Terms, worded: Sequence[tuple[int, float, frozenset[int]]]
) -> frozenset[int]:
    """Which of the rows that `by_words` found hold a question as it was asked; where none does, those that hold every
    word of it.
    """
    whole = [row for row, _, found in worded if len(terms.matched(found)) == len(terms.stems)]
    if not whole:
        return frozenset()
    verbatim = rows_of(VERBATIM, {"phrases": list(query.phrases), "rows": whole})
    return frozenset(row for (row,) in verbatim) or frozenset(whole)
