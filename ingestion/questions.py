"""What the rules find in a question. Questions are many and short: no model is asked for a label (docs/adr/0016)."""

import logging

from ingestion.classify import LONGEST_REASON
from ingestion.judges.pool import find_vote
from ingestion.votes import Vote

logger = logging.getLogger(__name__)


def find_atoms_by_rules(text: str) -> frozenset[int] | None:
    """The atoms that the text needs by the rules, without asking a model; None where they failed or it took too long:
    it stays unlabelled.

    Needs no scope open.
    """
    try:
        vote = find_vote(text)
    except Exception as failure:
        # The text itself is in no log.
        logger.error("a question could not be labelled: %s", type(failure).__name__)
        return None
    return None if vote is None else vote.atoms


def build_typed_vote(text: str) -> Vote | None:
    """The rules' vote on what somebody typed; None: not judged."""
    found = find_vote(text)
    if found is None:
        return None
    return Vote("rules", found.atoms, "; ".join(found.reasons)[:LONGEST_REASON])
