"""What the opening of a document tells about it: who wrote it, and its date. Nothing is inferred: a line is quoted."""

import re

from llm.quoting.measures import MONTH
from llm.recognisers.people import find_people
from text.words import words

MAX_BYLINE_CHARACTERS = 400
MAX_DATED_CHARACTERS = 260
OPENING_PASSAGES = 5
"""So many of the earliest passages of a document are its opening, or all up to the first that states something."""
BETWEEN_NAMES = words("and und et de del van von der den la le el al bin di da y by")
ADDRESSES = re.compile(r"\((?:https?:|/|mailto:)[^)]{0,500}\)|[^\s@]{1,200}@\S+|https?:\S+|[\d*†‡§¶∗]+")
STREET = (
    r"(?:street|st|road|rd|row|lane|avenue|ave|way|drive|close|court|square|place|terrace|quay|wharf|hill|gardens?|grove"
    r"|crescent|boulevard|blvd|mews|walk|parade)"
)
POSTAL = re.compile(
    r"\b\d{1,5}[a-z]?,?\s(?:(?:(?-i:[^\W\d_a-zß-öø-ÿ])[\w'’-]{0,30}\s|\d{1,3}(?:st|nd|rd|th)\s){1,3}"
    rf"{STREET}\b|(?:rue|avenue)\s)"
    r"|\b[^\W\d_][\w-]{0,30}(?:straße|strasse|str\.|weg|platz|gasse|allee)\s+\d|\bP\.?O\.? Box\b",
    re.IGNORECASE,
)
SALUTATION = re.compile(r"^\W*(?:dear|to whom|sehr geehrt\w*|liebe[rs]?)\b", re.IGNORECASE)
NAME_LIKE = re.compile(r"[^\W\d_a-zß-öø-ÿ][\w'’-]+(?:\s[^\W\d_a-zß-öø-ÿ][\w'’-]+){1,2}")
PEOPLE_LISTED = re.compile(
    r"\b(?:patients|participants|members?|staff|team|attendees|present|apologies|distribution|guests|customers|clients"
    r"|tenants|contacts?|employees|candidates|parties|persons?|people|students|witness(?:es)?|recipients?|names)$"
    r"|^\W*[^\W\d_]+(?:[eo]r|ee|ist|ant|ent|ian)s$",
    re.IGNORECASE,
)
WRITERS = re.compile(r"\W{0,40}\b(?:authors?|writers?|by|written|editors?|autor\w*|verfasser\w*)\b", re.IGNORECASE)
ANOTHER_PAPER = re.compile(
    r"\b(?:your|our|ihr\w*|unser\w*)\s+(?:\w+\s+)?(?:letter|e-?mail|message|invoice|offer|order|notice|report|call"
    r"|schreiben|brief|angebot|rechnung)\b",
    re.IGNORECASE,
)
CALENDAR_DATE = re.compile(
    rf"\b(?:\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|(?:19|20)\d\d-\d\d(?:-\d\d)?"
    rf"|{MONTH}\s+(?:\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?(?:st|nd|rd|th)?,?\s+)?(?:19|20)\d\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{MONTH},?\s+(?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)


def is_byline(line: str) -> bool:
    """Whether a line names people and says nothing else: an author with an institute, or a list of names."""
    bare = ADDRESSES.sub(" ", line).strip(" ,;·-–—")
    if (
        len(line) > MAX_BYLINE_CHARACTERS
        or POSTAL.search(line)
        or any(word[0].islower() and word not in BETWEEN_NAMES for word in re.findall(r"[^\W\d_]+", bare))
    ):
        return False
    people = [person for person in find_people(bare) if " " in bare[person.start : person.end]]
    if not people or ":" in bare[: people[0].end + 1]:
        return False
    return bare[: people[0].start].strip().lower() in ("", "by")


def is_dated(line: str) -> bool:
    """Whether a line is short and has a day, or a month with its year, and not that of another paper."""
    return len(line) <= MAX_DATED_CHARACTERS and bool(CALENDAR_DATE.search(line)) and not ANOTHER_PAPER.search(line)


def find_others(lines: list[str]) -> set[str]:
    """Of the lines of an opening, headings among them, those with people who did not write it: whom a letter is for,
    who has an address, and those of a list.
    """
    greets = max((at for at, line in enumerate(lines) if SALUTATION.match(line)), default=-1)
    others: set[str] = set()
    above = ""
    for at, line in enumerate(lines):
        if _is_list_of_people(line) or not (is_byline(line) or NAME_LIKE.fullmatch(line)):
            above = line
        elif WRITERS.match(line):
            continue
        elif at < greets or _is_list_of_people(above) or POSTAL.match("".join(lines[at + 1 : at + 2])):
            others.add(line)
    return others


def _is_list_of_people(heading: str) -> bool:
    """Whether names under a heading are no writers': "Patients", "Site staff"."""
    return bool(PEOPLE_LISTED.search(heading.rstrip("#*: "))) and not WRITERS.search(heading)
