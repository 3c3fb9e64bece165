"""Which of the sentences that were scored make an answer, and what is quoted with them."""

import re

from llm.quoting.field_answers import Answered, Quote
from llm.quoting.units import Unit
from text.pieces import ITEM
from text.terms import extract_terms

# Share of the question's weight that the best sentence, with its surroundings, must carry. Measured on 296 questions
# about six HR documents, five passages each by BM25: 223 of 251 answerable ones answered, 190 of them from the cited
# page or the next; 29 of 45 unanswerable ones refused, among them all that have nothing to do with the documents.
ENOUGH = 0.42
# A further sentence must come this near the best one.
NEAR_BEST = 0.75
MOST = 3
ENTRY = re.compile(rf"{ITEM.pattern}|\d")
"""An item of a list, or an entry that begins with its number."""
# List items quoted under the sentence that announces them.
ITEMS = 6
ASKS_LIST = re.compile(r"^\W*(?:list|name|enumerate|(?:what|which)(?: \w+)? are|what is in)\b", re.IGNORECASE)


def choose_best(
    scored: list[tuple[float, int]], units: list[Unit], bags: list[set[str]], question: str
) -> Answered | None:
    """The best of the scored sentences with those that are nearly as good and unlike it, in reading order, and the
    lists that belong to them; None where none is good enough. scored: pairs of a score and a place.
    """
    ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1]))
    if not ranked or ranked[0][0] < ENOUGH:
        return None
    chosen: list[int] = []
    for score, index in ranked:
        if score < NEAR_BEST * ranked[0][0] or len(chosen) == MOST:
            break
        if all(len(bags[index] & bags[o]) < 0.7 * max(1, min(len(bags[index]), len(bags[o]))) for o in chosen):
            chosen.append(index)
    asked = set(extract_terms(question))
    whole = _add_list_items(
        sorted(chosen),
        units,
        {i for i in chosen if units[i][1][0] == "|" and bags[i] & asked},
        everything=bool(ASKS_LIST.match(question)),
    )
    return Answered([Quote(units[index][1], units[index][0].n) for index in whole], ranked[0][0])


def _add_list_items(chosen: list[int], units: list[Unit], alone: set[int], *, everything: bool = False) -> list[int]:
    """With a sentence that announces a list ("… as follows:"), or with an item where `everything` of a list is asked
    for, the items under it. alone: rows of a table that are asked for themselves.
    """
    found: list[int] = []
    for index in chosen:
        found.append(index)
        begins = units[index][1]
        announces = begins.endswith(":")
        entry = (
            None
            if index in alone
            else ENTRY
            if everything and (announces or ENTRY.match(begins))
            else ITEM
            if announces
            else None
        )
        if entry is None:
            continue
        for item in range(index + 1, min(index + 1 + ITEMS, len(units))):
            if units[item][0].n != units[index][0].n or not entry.match(units[item][1]):
                break
            found.append(item)
    return list(dict.fromkeys(found))
