"""Which of the rows that were found hold the question itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingestion.models import Kind
from retrieval.query import PreparedQuery
from retrieval.statements import rows_of
from retrieval.terms import Terms

# Of rows that hold every word: which are summaries, of which file, and which hold the words as they were asked.
VERBATIM = """
SELECT c.number, c.kind = %(summary)s, c.file_id,
  NOT EXISTS (SELECT FROM unnest(%(phrases)s::text[]) p (phrase)
    WHERE strpos(lower(regexp_replace(app_words(c.text), '\\s+', ' ', 'g')),
      lower(btrim(regexp_replace(app_words(p.phrase), '\\s+', ' ', 'g')))) = 0)
FROM ingestion_contextrow c WHERE c.number = ANY(%(rows)s::int[])
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
    asked = {"summary": int(Kind.FILE_SUMMARY), "phrases": list(query.phrases), "rows": whole}
    found = {row: (verbatim, summary, file) for row, summary, file, verbatim in rows_of(VERBATIM, asked)}
    passages: dict[object, int] = {}
    for row in sorted(found, key=lambda row: (not found[row][0], whole.index(row))):
        _, summary, file = found[row]
        if file is not None and not summary:
            passages.setdefault(file, row)
    behind = {row: passages[file] for row, (_, summary, file) in found.items() if summary and file in passages}
    rows = [row for row in whole if row in found and row not in behind]
    return Exact(tuple(row for row in rows if found[row][0]) or tuple(rows), behind)
