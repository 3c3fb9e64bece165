"""What raises passages beyond what their words and meaning give: that they open the one file that is searched."""

import re
from collections.abc import Mapping

from ingestion.models import Kind
from retrieval.gate import INDEX_ROWS, Gates
from retrieval.query import PreparedQuery, Within
from retrieval.statements import fetch_rows

OPENING_BOOST = 0.2
"""Added to the score of the first passage of the only file that is searched; half of it to the second, and so on. What
a document is, who made it and when stands there, in few words that the rest has as well.
"""
OPENING_PASSAGES = 8
ABOUT_A_DOCUMENT = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "this",
        "that",
        "is",
        "are",
        "was",
        "were",
        "and",
        "or",
        "what",
        "who",
        "whom",
        "when",
        "which",
        "how",
        "by",
        "to",
        "from",
        "between",
        "on",
        "in",
        "it",
        "its",
        "with",
        "name",
        "names",
        "title",
        "titles",
        "called",
        "headed",
        "heading",
        "kind",
        "type",
        "sort",
        "version",
        "number",
        "reference",
        "subject",
        "about",
        "date",
        "dated",
        "day",
        "made",
        "signed",
        "signatory",
        "signatories",
        "signs",
        "effective",
        "issued",
        "begin",
        "begins",
        "start",
        "starts",
        "two",
        "more",
        "party",
        "parties",
        "author",
        "authors",
        "written",
        "wrote",
        "sent",
        "sender",
        "recipient",
        "addressed",
        "document",
        "file",
        "paper",
        "contract",
        "agreement",
        "deed",
        "lease",
        "letter",
        "mail",
        "report",
        "memo",
        "minutes",
        "policy",
        "invoice",
        "form",
    ]
)
"""Words of questions that ask for nothing but what a document is: "the name of the contract", "who signed this"."""
DOCUMENT_BOOST = 1.4
"""`OPENING_BOOST` of such a question: more than a passage has that holds each of its words, as many do."""

# The first passages that the reader sees: their places in the file would count what is hidden before them.
OPENINGS = """
WITH {ctes}
SELECT p."row" FROM ({rows} WHERE c.file_id = %(opened)s AND c.kind = %(passage)s) p
WHERE {condition} ORDER BY p.position, p."row" LIMIT %(most)s
"""


def boost_openings(query: PreparedQuery, within: Within, gates: Gates) -> dict[int, float]:
    """row -> what is added to its score, of the first passages of a file, where that alone is searched."""
    if len(within.files) != 1:
        return {}
    statement = gates.each.fill(OPENINGS, rows=INDEX_ROWS)
    params = {"opened": within.files[0], "passage": int(Kind.FILE_CHUNK), "most": OPENING_PASSAGES}
    rows = fetch_rows(statement, {**gates.each.params, **params})
    is_about_document = set(re.findall(r"\w+", query.text.lower())) <= ABOUT_A_DOCUMENT
    most = DOCUMENT_BOOST if is_about_document else OPENING_BOOST
    return {row: most / place for place, (row,) in enumerate(rows, start=1)}


def add_boosts(*boosts: Mapping[int, float]) -> dict[int, float]:
    """The sum for each row."""
    return {row: sum(boost.get(row, 0.0) for boost in boosts) for row in set().union(*boosts)}
