"""The offline engine's use of `list_records`: which questions the records answer, and the answer in words.

The tool's description names the types, fields and states that exist for who asks; nothing else is known here. A
question is one for the records when every word of it is a type, a state, a field, a date or a name: "Which contracts
end in 2026?", but not "Which contracts limit liability?".
"""

import re
from calendar import monthrange
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from llm.offline.reading import extract_passages
from llm.recognisers.findings import phrases
from text.terms import extract_content_words, stem_word
from text.words import words

LIST = "list_records"
ONE_DAY = timedelta(days=1)
TYPE_LINE = re.compile(r"^- (?P<key>\w+) \((?P<plural>[^)]*)\): (?P<fields>.*)$", re.MULTILINE)
FIELD = re.compile(r"(?P<name>\w+)(?: \((?P<kind>money|number|date)\)| = (?P<states>[\w |]+))?")
ASKS = re.compile(
    r"\b" + phrases("list; show; give me; how many; number of; count; which; what; all; every; total; sum; are there;"
                    "any; welche; wie viele; alle; zeige; liste; who owns") + r"\b",
    re.IGNORECASE,
)  # fmt: skip
SUM = re.compile(r"\b(?:total|sum|altogether|combined|add(?:ed)? up|gesamt\w*|summe)\b", re.IGNORECASE)
GREATEST = re.compile(r"\b(?:largest|biggest|highest|greatest|most expensive|latest|longest|größte[nrs]?)\b", re.I)
LEAST = re.compile(r"\b(?:smallest|lowest|cheapest|earliest|first|kleinste[nrs]?)\b", re.I)
# The records themselves do not say what is meant by these: such a question is searched for.
LEANING = re.compile(
    r"\b(?:not|no|never|without|except|my|mine|our|it|its|this|these|here|next|last"
    r"|nicht|kein\w*|ohne|mein\w*|unser\w*|dies\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
MONTHS = MONTH.split("|")
WHEN = re.compile(
    r"\b(?P<how>before|by|until|till|after|from|since|in|on)?\s*(?:the\s+)?(?P<end>end of\s+)?"
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:(?P<month>{MONTH})\s*,?\s*)?(?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
WORDS_OF_FIELD = {"ends_on": "end ends ending ended expire expires expiring run out", "due_on": "due deadline finish",
                  "starts_on": "start starts starting begin begins", "started_on": "start started joined hired",
                  "salary": "earn salary pay", "value": "value worth", "budget": "budget"}  # fmt: skip
# Words that name no more than that records are asked for.
FILLER = words(
    """we have has exist exists there list show give many number count total sum all every currently right now still
    please any work works working company our with by before until after end altogether combined together in of on is
    are the a an and or value welche welcher gibt es wie viele alle sind zeige liste insgesamt largest biggest highest
    greatest latest last smallest lowest earliest first next severity status state priority phase department records"""
)
GERMAN = {"risiken": "risk", "risiko": "risk", "aufgaben": "task", "vertrag": "contract", "verträge": "contract",
          "projekte": "project", "mitarbeiter": "employee", "offen": "open", "offene": "open", "offenen": "open",
          "blockiert": "blocked", "aktiv": "active", "aktive": "active", "aktiven": "active"}  # fmt: skip


@dataclass(frozen=True)
class RecordType:
    """A type as the tool's description has it. states: value -> its field. kinds: field -> money, number or date."""

    key: str
    plural: str
    fields: tuple[str, ...]
    states: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    def list_fields(self, kind: str) -> list[str]:
        return [name for name in self.fields if self.kinds.get(name) == kind]


def read_types(tools: list[dict[str, Any]]) -> list[RecordType]:
    """The types of the tool; none where it is not offered."""
    text = next((tool.get("description", "") for tool in tools if tool.get("name") == LIST), "")
    return [_read_type(line) for line in TYPE_LINE.finditer(text)]


def _read_type(line: re.Match[str]) -> RecordType:
    states, kinds, names = {}, {}, []
    for part in line["fields"].split(", "):
        found = FIELD.fullmatch(part.strip())
        if found is None:
            continue
        names.append(found["name"])
        if found["kind"]:
            kinds[found["name"]] = found["kind"]
        for state in (found["states"] or "").split(" | "):
            if state:
                states[state] = found["name"]
    return RecordType(line["key"], line["plural"], tuple(names), states, kinds)


def plan_list(question: str, tools: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The call that answers the question from the records; None where it is not one for them."""
    types = read_types(tools)
    asked = [GERMAN.get(word.lower(), word) for word in re.findall(r"[\w’'-]+", question)]
    wanted = next((t for word in asked for t in types if word.lower() in (t.key, f"{t.key}s", t.plural)), None)
    if wanted is None or not ASKS.search(question) or LEANING.search(question):
        return None
    where: dict[str, str] = {}
    left = [word for word in asked if word.lower() not in (wanted.key, f"{wanted.key}s", wanted.plural)]
    left = _take_states(wanted, left, where)
    try:
        dated, span = _take_dates(wanted, question, where)
    except (ValueError, OverflowError):
        return None  # there is no such day
    left = [word for word in left if word.lower() not in span]
    sum_field, order = _choose_numbers(wanted, question)
    used = {word for name in {*where, sum_field or "", order or "", dated or ""} for word in _split_words(name)}
    left = [word for word in left if word.lower() not in FILLER | used]
    left = [
        word
        for word in left
        if extract_content_words(word) and stem_word(word) not in {stem_word(each) for each in used}
    ]
    if (
        re.search(r"\b(?:value|worth|budget|salary|cost)s?\b", question, re.I)
        and SUM.search(question)
        and not sum_field
    ):
        return None  # the field does not exist for who asks
    names = [word for word in left if word[:1].isupper()]
    if len(names) < len(left) or (not (where or names or sum_field or order) and not _is_bare(question)):
        return None
    if names:
        text = next((f for f in _list_text_fields(wanted, " ".join(names))), None)
        if text is None:
            return None
        where[f"{text}__icontains"] = " ".join(names)
    call: dict[str, Any] = {"type": wanted.key}
    if where:
        call["where"] = where
    if sum_field:
        call["sum"] = sum_field
    if order:
        call |= {"order": order, "limit": 1}
    elif dated:
        call["order"] = dated
    return call


def _is_bare(question: str) -> bool:
    """All records of a type: a count, or a list of them."""
    return bool(
        re.search(r"\b(?:how many|number of|count|list|all|show|wie viele|alle|welche|are there)\b", question, re.I)
    )


def _split_words(name: str) -> set[str]:
    base = name.lstrip("-").partition("__")[0]
    return {*base.split("_"), *WORDS_OF_FIELD.get(base, "").split()}


def _take_states(wanted: RecordType, left: list[str], where: dict[str, str]) -> list[str]:
    rest = []
    for word in left:
        name = wanted.states.get(word.lower())
        if name and name not in where:
            where[name] = word.lower()
        else:
            rest.append(word)
    return rest


def _take_dates(wanted: RecordType, question: str, where: dict[str, str]) -> tuple[str | None, set[str]]:
    """The field of the dates in the question, and the words that name them."""
    match = WHEN.search(question)
    dates = wanted.list_fields("date")
    if match is None or not dates:
        return None, set()
    low = question.lower()
    name = next((f for f in dates if any(re.search(rf"\b{w}\b", low) for w in _split_words(f) - {"on"})), dates[-1])
    year, month = int(match["year"]), MONTHS.index(match["month"].lower()) + 1 if match["month"] else 0
    first = date(year, month or 1, int(match["day"] or 1))
    last_day = monthrange(year, month or 12)[1]
    last = date(year, month or 12, int(match["day"] or last_day))
    how = (match["how"] or "in").lower()
    if how in ("before", "by", "until", "till"):
        where[f"{name}__lte"] = str(last if match["end"] or how != "before" else first - ONE_DAY)
    elif how in ("after", "from", "since"):
        where[f"{name}__gte"] = str(last + ONE_DAY if how == "after" else first)
    else:
        where[f"{name}__gte"], where[f"{name}__lte"] = str(first), str(last)
    return name, set(match.group().lower().replace(",", "").split())


def _choose_numbers(wanted: RecordType, question: str) -> tuple[str | None, str | None]:
    """(field to add up, field to order by)."""
    low = question.lower()
    numbers = [*wanted.list_fields("money"), *wanted.list_fields("number")]
    named = next((f for f in numbers if any(re.search(rf"\b{w}s?\b", low) for w in _split_words(f))), None)
    if SUM.search(question):
        return named, None
    ordered = named or next(
        (f for f in wanted.list_fields("date") if any(re.search(rf"\b{w}\b", low) for w in _split_words(f) - {"on"})),
        None,
    )
    if ordered and GREATEST.search(question):
        return None, f"-{ordered}"
    return None, ordered if ordered and LEAST.search(question) else None


def _list_text_fields(wanted: RecordType, names: str) -> list[str]:
    """Where a name may stand: of a person in the owner, of a firm in the counterparty, else in the record's name."""
    plain = [f for f in wanted.fields if f not in wanted.kinds and f not in wanted.states.values() and f != "currency"]
    first = [f for f in ("counterparty", "owner_name", "department") if f in plain]
    return [*first, *(f for f in plain if f not in first)]


def read_list(result: str) -> list[str] | None:
    """The lines of an answer from the tool's result; None where it lists nothing."""
    head = result.split("<passages>", 1)[0].strip().splitlines()
    count = re.match(r"(\d+) ", head[0]) if head else None
    if count is None or count[1] == "0":
        return None
    lines = [f"- {passage.text} [{passage.n}]" for passage in extract_passages(result)]
    return ["\n".join(head), "\n".join(lines)] if lines else ["\n".join(head)]
