"""Whose a pair of a label and a value is, in a form that names several people."""

import re

from llm.quoting.long_questions import has_term
from llm.quoting.pairs import Pair, read_pairs
from llm.quoting.reading import PromptPassage, split_headings
from llm.recognisers.people import find_people
from text.terms import extract_terms

WHOSE = re.compile(r"^\W*whose\b|\bbelongs? to\b|^\W*wessen\b", re.IGNORECASE)


def find_strangers(question: str, found: list[PromptPassage]) -> set[Pair]:
    """Where a question names one person: the pairs that are somebody else's. They stand behind another's name, and
    behind none of the person's; a label that names the person begins another's pairs where it comes again. A form that
    names its people last, behind the same labels, has no strangers.
    """
    people = [set(extract_terms(question[each.start : each.end])) for each in find_people(question)]
    strangers: set[Pair] = set()
    for passage in found if len(people) == 1 else ():
        heading = split_headings(passage)[-1]
        is_other = bool(find_people(heading)) and not people[0] <= set(extract_terms(heading))
        naming: set[str] = set()  # labels that have named somebody
        before: set[str] = set()  # labels in front of all names
        theirs: set[Pair] = set()
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
                theirs.add(pair)
            elif not naming:
                before.add(pair.label)
        if not any(pair.label in before for pair in theirs):
            strangers |= theirs
    return strangers


def find_owner(question: str, names: set[str], found: list[PromptPassage]) -> list[Pair]:
    """Of "Whose claim is SF-1008?" the pair with a person before the one with the number, and that one.

    Of several people the one whose label shares a word with the number's ("Claimant"), else nobody. Where a form
    begins with its number, only such a one, behind it.
    """
    for passage in found if names and WHOSE.search(question) else ():
        pairs = [pair for pair in read_pairs(passage) if not pair.about]
        at = next((i for i, pair in enumerate(pairs) if names <= set(extract_terms(pair.text))), len(pairs))
        alike = [i for i, pair in enumerate(pairs) if at < len(pairs) and pair.label == pairs[at].label]
        if not alike:
            continue
        is_behind = not any(find_people(pair.text) for pair in pairs[: alike[0]])
        begin = at + 1 if is_behind else max((i + 1 for i in alike if i < at), default=0)
        end = min((i for i in alike if i > at), default=len(pairs)) if is_behind else at
        owners = [pair for pair in pairs[begin:end] if find_people(pair.text)]
        noun = [term for term in extract_terms(pairs[at].label) if term in extract_terms(question)]
        if len(owners) > 1 or is_behind:
            owners = [pair for pair in owners if any(has_term(term, set(extract_terms(pair.label))) for term in noun)]
        if owners:
            return [owners[0], pairs[at]] if len(owners) == 1 else []
    return []
