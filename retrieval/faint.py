"""Nonsense finds nothing, though something is always nearest in meaning."""

from dataclasses import replace

from retrieval.likeness import get_likeness
from retrieval.search import FoundHits


def drop_faint(found: FoundHits) -> FoundHits:
    """`found`, or nothing where nobody's words were met and the nearest meaning is no nearer than nonsense comes. A day
    that is found because the question asks when meets no word of it.
    """
    hits, faint = (*found.hits, *found.scored), get_likeness(found.query.model_id).faint
    certain = any(found.terms.matched(hit.terms) or (hit.similarity or 0) >= faint for hit in hits)
    return found if certain else replace(found, hits=(), scored=())
