"""Whose a pair of a label and a value is, in a form that names several people."""

import re

from llm.offline.pairs import Pair, read_pairs
from llm.offline.ranking import extract_terms
from llm.offline.reading import PromptPassage, split_headings
from llm.recognisers.people import find_people

WHOSE = re.compile(r"^\W*whose\b|\bbelongs? to\b|^\W*wessen\b", re.IGNORECASE)


def find_strangers(question: str, found: list[PromptPassage]) -> set[Pair]:
    """Where a question names one person: the pairs that are somebody else's. They stand behind another's name, and
    behind none of the person's; a label that names the person begins another's pairs where it comes again.
    """
    people = [set(extract_terms(question[each.start : each.end])) for each in find_people(question)]
    strangers: set[Pair] = set()
    for passage in found if len(people) == 1 else ():
        heading = split_headings(passage)[-1]
        is_other = bool(find_people(heading)) and not people[0] <= set(extract_terms(heading))
        naming: set[str] = set()  # labels that have named somebody
        for pair in read_pairs(passage):
            if pair.about:
                continue
            label = pair.label.split()[0]
            if people[0] <= set(extract_terms(pair.text)):
                is_other = False
                naming.add(label)
            elif find_people(pair.text):
                is_other = is_other or not naming or label in naming
                naming.add(label)
            elif is_other:
                strangers.add(pair)
    return strangers


def find_owner(question: str, names: set[str], found: list[PromptPassage]) -> list[Pair]:
    """Of "Whose claim is SF-1008?" the pair with a person before the one with the number, and that one."""
    for passage in found if names and WHOSE.search(question) else ():
        owner: Pair | None = None
        for pair in read_pairs(passage):
            if owner and names <= set(extract_terms(pair.text)):
                return [owner, pair]
            owner = pair if find_people(pair.text) and not pair.about else owner
    return []
