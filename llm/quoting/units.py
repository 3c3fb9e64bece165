"""The pieces of passages that can be quoted, in order, and what stands around each."""

import re

from llm.quoting.reading import PromptPassage
from llm.quoting.summaries import REMOVED
from text.pieces import is_furniture, is_heading, split_sentences

Unit = tuple[PromptPassage, str]
MAX_QUOTE_CHARACTERS = 700
LIST_NUMBER = re.compile(r"\d{1,2}[.)]\s")
SECTION = re.compile(rf"{LIST_NUMBER.pattern}[^\W\d_][^\s.:;!?|]*(?:\s[^\s\d.:;!?|]+){{0,3}}$")


def list_quotable(text: str) -> list[str]:
    found = (s for s in split_sentences(text) if REMOVED not in s and len(s) <= MAX_QUOTE_CHARACTERS)
    return [s for s in found if not is_furniture(s)]


def is_heading_at(units: list[Unit], index: int) -> bool:
    """Whether a unit is a heading: "3. Term" too, but not among the items of a list."""
    passage, sentence = units[index]
    if is_heading(sentence) or not SECTION.match(sentence):
        return is_heading(sentence)
    adjacent = [units[other] for other in (index - 1, index + 1) if 0 <= other < len(units)]
    return not any(other.n == passage.n and LIST_NUMBER.match(text) for other, text in adjacent)


def is_table_head(units: list[Unit], index: int) -> bool:
    """The first row of a table names its columns."""
    if not units[index][1].startswith("|"):
        return False
    before = units[index - 1] if index else None
    return before is None or before[0].n != units[index][0].n or not before[1].startswith("|")


def announces_list(units: list[Unit], index: int) -> bool:
    """Whether something follows what ends in a colon."""
    return (
        index + 1 < len(units) and units[index + 1][0].n == units[index][0].n and not units[index + 1][1].endswith(":")
    )


def list_nearby_terms(units: list[Unit], bags: list[set[str]], index: int) -> tuple[set[str], set[str]]:
    """Terms of the sentences beside it, of the headings above and of a table's head, in the same passage; and of the
    nearest heading above alone.
    """
    around: set[str] = set()
    heading: set[str] | None = None
    n = units[index][0].n
    for other in range(index - 1, -1, -1):
        if units[other][0].n != n:
            break
        in_table = units[index][1].startswith("|") and units[other][1].startswith("|")
        starts_table = in_table and is_table_head(units, other)
        if other == index - 1 or is_heading_at(units, other) or starts_table:
            around |= bags[other]
        if heading is None and is_heading_at(units, other):
            heading = bags[other]
    if index + 1 < len(units) and units[index + 1][0].n == n:
        around |= bags[index + 1]
    return around, set(heading or ())
