"""Which of the rows that were found hold the question itself."""

from collections.abc import Sequence

from retrieval.query import PreparedQuery
from retrieval.statements import fetch_rows
from retrieval.terms import Terms
from retrieval.tuning import load_tuning

# Of rows that hold every word: those that hold the words as they were asked.
VERBATIM = """
SELECT c.number FROM ingestion_contextrow c WHERE c.number = ANY(%(rows)s::int[])
  AND NOT EXISTS (SELECT FROM unnest(%(phrases)s::text[]) p (phrase)
    WHERE strpos(lower(regexp_replace(app_words(c.text), '\\s+', ' ', 'g')),
      lower(btrim(regexp_replace(app_words(p.phrase), '\\s+', ' ', 'g')))) = 0)
"""


def boost_verbatim(
    query: PreparedQuery, terms: Terms, worded: Sequence[tuple[int, float, frozenset[int]]]
) -> dict[int, float]:
    """What is added to the scores of rows that `find_by_words` found: of those that hold the question as it was asked;
    where none does, of those that hold every word of it.
    """
    whole = [row for row, _, found in worded if len(terms.matched(found)) == len(terms.stems)]
    if not whole:
        return {}
    verbatim = fetch_rows(VERBATIM, {"phrases": list(query.phrases), "rows": whole})
    if verbatim:
        return {row: load_tuning().exact for (row,) in verbatim}
    return dict.fromkeys(whole, load_tuning().every_word)
