"""Both branches, of a question or of the parts of a long one: a row counts by the part that it answers best.

What is best of all is among the best of one part, so the parts are searched one after the other and nothing is lost.
"""

from collections.abc import Sequence

from retrieval.candidates import find_by_meaning, find_by_words, load_similarities
from retrieval.gate import Gates
from retrieval.query import PreparedQuery
from retrieval.survey import Survey
from retrieval.terms import Terms
from retrieval.tuning import load_tuning

MAX_EXPLAINED = 2.0
"""Of what the words that tell most can give: a passage that repeats them has no more."""
OTHERS_SHARE = 0.1
"""Of what the other parts of a long question find in a row by their words, so much is added to the best."""


def search_meaning(asked: PreparedQuery, gates: Gates, size: Survey) -> list[tuple[int, float]]:
    """As `find_by_meaning`. The likeness to a part that only states something counts by its weight."""
    if not asked.parts:
        return find_by_meaning(asked, gates, size)
    best: dict[int, float] = {}
    for part in asked.parts:
        for row, similarity in find_by_meaning(part, gates, size):
            best[row] = max(best.get(row, -1.0), part.weight * similarity)
    return sorted(best.items(), key=lambda found: (-found[1], found[0]))[: load_tuning().candidates]


def search_words(
    asked: PreparedQuery, terms: Terms, gates: Gates, size: Survey
) -> list[tuple[int, float, frozenset[int]]]:
    """As `find_by_words`, with scores as shares of what the words that tell most can give; of a long question, whose
    talk no passage explains, as shares of the best. terms: of the whole question.
    """
    if not asked.parts:
        worded, telling = find_by_words(terms, gates, size)
        return [(row, min(score / telling, MAX_EXPLAINED), found) for row, score, found in worded]
    best: dict[int, float] = {}
    whole: dict[int, float] = {}
    held: dict[int, frozenset[int]] = {}
    for part in asked.parts:
        worded, _ = find_by_words(terms.select_part(part.text, part.words), gates, size)
        for row, score, found in worded:
            score *= part.weight
            best[row] = max(best.get(row, 0.0), score)
            whole[row] = whole.get(row, 0.0) + score
            held[row] = held.get(row, frozenset()) | found
    scores = {row: best[row] + OTHERS_SHARE * (whole[row] - best[row]) for row in best}
    rows = sorted(scores, key=lambda row: (-scores[row], row))[: load_tuning().candidates]
    return [(row, scores[row] / (scores[rows[0]] or 1.0), held[row]) for row in rows]


def compare_rows(asked: PreparedQuery, rows: Sequence[int]) -> dict[int, float]:
    """As `load_similarities`."""
    if not asked.parts:
        return load_similarities(asked, rows)
    best: dict[int, float] = {}
    for part in asked.parts:
        for row, similarity in load_similarities(part, rows).items():
            best[row] = max(best.get(row, -1.0), part.weight * similarity)
    return best
