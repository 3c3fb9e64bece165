"""What a paper is called: the line at its beginning that names it."""

import re
from collections.abc import Sequence

from llm.quoting.clause_forms import OF_PAPER, PAPERS, compile_form
from llm.quoting.field_answers import Quote
from llm.quoting.reading import PromptPassage, get_document_title
from text.pieces import split_sentences
from text.words import words

MAX_TITLE_CHARACTERS = 140
MAX_TITLE_WORDS = 8
MAX_TITLES = 3
TITLE_ASKED = compile_form(
    rf"\b(?:name|title)\b(?: of (?:{OF_PAPER}|th(?:is|e) (?:document|paper)\b)|\W*$)"
    rf"|\bwhat is th(?:is|e) (?:{PAPERS}|document|paper) (?:called|titled|named)\b"
)
TITLE_WORDS = words("name title called titled named")
TITLE_END = compile_form(
    rf"(?:\b(?:{PAPERS}|policy|letter|guarantee|charter|engagement|plan|order|protocol|memorandum of understanding)"
    r"(?:\W{1,2}(?:no\W{1,2})?\d[\w/-]{0,12})?"
    r"|\b(?:amendment|addendum|exhibit|schedule|appendix)\W{1,3}(?:no\W{1,2})?[\w#]{1,4})\W{0,4}$"
)
SMALL = words("of to the and for on in by or a an with no")
NO_TITLE = compile_form(r"\b(?:whereas|shall|hereby|hereto|hereof|is|are|was|has|by:|item)\b")


def find_titles(found: Sequence[PromptPassage]) -> list[Quote]:
    """The first line of each document that has the form of a title."""
    titles: dict[str, Quote] = {}
    for passage in found:
        for place, line in enumerate(split_sentences(passage.text)):
            if _is_title(line, begins=place == 0):
                titles.setdefault(get_document_title(passage), Quote(line, passage.n))
    return list(titles.values())[:MAX_TITLES]


def _is_title(line: str, *, begins: bool) -> bool:
    """Whether a line names a paper and says nothing of it: in capitals or with each word capitalised, or a short one
    with which a passage begins.
    """
    line = line.strip("#* |")
    if len(line) > MAX_TITLE_CHARACTERS or NO_TITLE.search(line) or not TITLE_END.search(line):
        return False
    found = re.findall(r"[\w’'-]+", line)
    return (begins and len(found) <= MAX_TITLE_WORDS) or all(
        word.lower() in SMALL or not word[:1].islower() for word in found
    )
