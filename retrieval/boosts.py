"""What raises passages beyond what their words and meaning give: that they open the one file that is searched."""

from collections.abc import Mapping

from ingestion.models import Kind
from retrieval.gate import INDEX_ROWS, Gates
from retrieval.query import Within
from retrieval.statements import fetch_rows

OPENING_BOOST = 0.2
"""Added to the score of the first passage of the only file that is searched; half of it to the second, and so on. What
a document is, who made it and when stands there, in few words that the rest has as well.
"""
OPENING_PASSAGES = 8

# The first passages that the reader sees: their places in the file would count what is hidden before them.
OPENINGS = """
WITH {ctes}
SELECT p."row" FROM ({rows} WHERE c.file_id = %(opened)s AND c.kind = %(passage)s) p
WHERE {condition} ORDER BY p.position, p."row" LIMIT %(most)s
"""


def boost_openings(within: Within, gates: Gates) -> dict[int, float]:
    """row -> what is added to its score, of the first passages of a file, where that alone is searched."""
    if len(within.files) != 1:
        return {}
    statement = gates.each.fill(OPENINGS, rows=INDEX_ROWS)
    params = {"opened": within.files[0], "passage": int(Kind.FILE_CHUNK), "most": OPENING_PASSAGES}
    rows = fetch_rows(statement, {**gates.each.params, **params})
    return {row: OPENING_BOOST / place for place, (row,) in enumerate(rows, start=1)}


def add_boosts(*boosts: Mapping[int, float]) -> dict[int, float]:
    """The sum for each row."""
    return {row: sum(boost.get(row, 0.0) for boost in boosts) for row in set().union(*boosts)}
