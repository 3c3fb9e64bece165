"""What the rules find in a question. Questions are many and short: no model is asked for a label (docs/adr/0016)."""

import logging

from ingestion.extract import language
from llm.rules import vote_by_rules

logger = logging.getLogger(__name__)


def find_atoms_by_rules(text: str) -> frozenset[int] | None:
    """The atoms that the text needs by the rules, without asking a model; None where they failed: it stays unlabelled.

    Milliseconds at most. Needs no scope open.
    """
    try:
        return vote_by_rules(text, language.guess_language(text)).atoms
    except Exception as failure:
        # The text itself is in no log.
        logger.error("a question could not be labelled: %s", type(failure).__name__)
        return None
