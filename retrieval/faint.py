"""Nonsense finds nothing, though something is always nearest in meaning."""

from dataclasses import replace

from retrieval.search import FoundHits

FAINT = 0.3
"""Cosine similarity. On the demo the nearest passage to a made-up word comes to 0.21 to 0.31, to a word that means
something there but stands nowhere mostly to 0.35 and more."""


def drop_faint(found: FoundHits) -> FoundHits:
    """`found`, or nothing where nobody's words were met and the nearest meaning is no nearer than nonsense comes. A day
    that is found because the question asks when meets no word of it.
    """
    hits = (*found.hits, *found.scored)
    certain = any(found.terms.matched(hit.terms) or (hit.similarity or 0) >= FAINT for hit in hits)
    return found if certain else replace(found, hits=(), scored=())
