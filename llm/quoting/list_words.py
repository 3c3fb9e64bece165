"""The words of a question for the records, English and German: each is a type, field or state as the description of the
tool has it, a day, an amount, a word of the grammar below, or part of a name. A question with any other word is none.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Any

from llm.recognisers.figures import MONTH

MONTHS = re.compile(
    r"(jan)|(feb)|(m[aä]r)|(apr)|(ma[yi])|(jun)|(jul)|(aug)|(sep)|(o[ck]t)|(nov)|(de[cz])", re.IGNORECASE
)
DAY = re.compile(
    r"(?P<iso>\d{4}-\d\d-\d\d)\b|(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?(?P<y>\d{4})\b|(?P<short>\d\d?[./]\d\d?[./]\d\d)"
    rf"|(?:(?P<day>\d\d?)(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?(?P<month>{MONTH})\b\.?(?:,?\s+(?P<year>\d{{4}})\b)?"
    r"|(?P<only>(?:19|20)\d\d)\b(?![-.,/]?\d)",
    re.IGNORECASE,
)
PERIOD = re.compile(
    r"(?:(?:with)?in (?:the )?|(?:innerhalb )?(?:in )?(?:der |den |die )?)?"
    r"(?:(?P<this>this|dies\w+|current|laufend\w+)|(?P<next>next|coming|nächst\w+|kommend\w+)"
    r"|(?P<last>last|past|letzt\w+|vergangen\w+))\s(?:(?P<n>\d{1,3}) (?:days|tage\w?)|(?P<week>week|woche)"
    r"|(?P<month>month|monats?)|(?P<quarter>quarter|quartals?)|(?P<year>year|jahre?s?))\b",
    re.IGNORECASE,
)
AMOUNT = re.compile(
    r"(?:[€$£]|(?:eur|gbp|usd)(?= ))?\s?(?P<n>\d{1,3}(?:[.,]\d{3})+|\d+(?:[.,]\d+)?)"
    r"\s?(?P<times>millions?|mio\.?|mn|m|thousand|tausend|k)?\b"
    r"(?:\s?(?:€|euros?|eur|gbp|pounds?|pfund|usd|dollars?|days?|tagen?)(?!\w))?",
    re.IGNORECASE,
)
TIMES = {"m": 10**6, "t": 10**3, "k": 10**3}
UNITS = {
    "EUR": ("€", "eur"),
    "GBP": ("£", "gbp", "pound", "pfund"),
    "USD": ("$", "usd", "dollar"),
    "days": ("day", "tag"),
}
SHORT = re.compile(r"\d{1,3}(?![\d.,])")
GRAMMAR = """
count: how many; number of; count; wie viele; anzahl
sum: total; sum; sum of; altogether; in total; gesamt; summe; insgesamt; zusammen
mean: average; mean; on average; durchschnitt; im durchschnitt; durchschnittlich; im mittel
most: the most; most; die meisten; meisten; am meisten
extreme -money: largest; biggest; highest; greatest; most expensive; größte; höchste; teuerste
extreme money: smallest; lowest; cheapest; kleinste; niedrigste; günstigste; the least
extreme -date: latest; last; letzte; späteste; zuletzt
extreme date: earliest; first; soonest; früheste; erste; zuerst; als erstes
extreme next: next; nächste; als nächstes
compare gt: more than; over; above; greater than; higher than; longer than; mehr als; über; höher als; größer als;
  later than; länger als; after
compare gte: at least; mindestens; no less than; since; from; seit; ab
compare lt: less than; under; below; fewer than; lower than; weniger als; unter; kleiner als; niedriger als; before; vor
compare lte: at most; up to; no more than; höchstens; until; by the end of; before the end of; bis; bis ende
by lte: by
by gt: nach
group: per; for each; by each; grouped by; broken down by; pro; je; gruppiert nach; in each; in jedem
not: not; nicht; not yet; noch nicht
without: without; no; ohne; kein; without any
overdue 1: overdue; late; past due; behind schedule; überfällig; verspätet; in verzug; im verzug
finished 0: open; unfinished; pending; still open; offen; unerledigt
finished 1: finished; completed; complete; done; closed; fertig; erledigt; abgeschlossen
field updated_at: changed; updated; modified; edited; geändert; aktualisiert; bearbeitet
field created_at: created; added; new; angelegt; erstellt; hinzugefügt
side: compare; difference between; side by side; versus; vs; vergleiche; vergleich; unterschied zwischen
filler: how much; wie viel; wie hoch
day today: today; heute
day tomorrow: tomorrow; morgen
day yesterday: yesterday; gestern
amount 3: three; drei
"""
"""Kind and value of a word or phrase: the words. A line that is set in goes on with the one before it."""
LAST = ("finished", "field", "filler")
"""Kinds that give way to a field or a state of the same name."""
FILLER = """
    we have has is are was were be been do does did there list show give me us please which what all every any each the
    a an and that this currently right now still exist exists record records work works our you can tell find see it's
    let get got in of on for with at to about assigned named called than their its date dates belong belongs come go
    made set gehören gehört welche gibt es gibts wir haben hat sind ist alle zeige zeig liste nenne bitte mir uns und
    die das den dem des der ein eine derzeit aktuell noch auf aus unser werden wird sich zur denn wurden von vom für mit
    bei im am zu zum als ihr datum
"""
ALSO = """
employee: staff people mitarbeiter mitarbeiterin mitarbeiterinnen angestellte
end: end ends ending ended expire expires expiring expired run runs enden endet endete läuft laufen ablaufen auslaufen
due: due deadline deadlines fällig fälligkeit frist fristen
start: start starts started begin begins began joined hired beginn beginnt beginnen starten angefangen eingestellt
value: value values worth cost costs volume wert kostet kosten vertragswert
salary: salary salaries earn earns pay paid gehalt gehälter verdient verdienen lohn
owner: owner owners own owns manager manages managed lead leads leitet leiter verantwortlich verantwortet responsible
"""
"""Part of the name of a field or type: what it may be called besides its own name and titles."""
WORD = re.compile(r"[^\W_]+(?:[.'’&/-][^\W_]+)*")
ENDINGS = re.compile(r"(?<=\w\w\w)(?:en|er|es|em|e|n|s)++$")
ALIKE = {"hoh": "hoch", "mittler": "mittel", "mittl": "mittel"}
MOST_WORDS = 4


@dataclass(frozen=True)
class RecordType:
    """A type as the tool's description has it; what it is called is folded. titles: of fields; states: (field, value).
    kinds: field -> money, number, date, link, choice, text or flag. links: field -> type.
    """

    key: str
    names: frozenset[str]
    titles: Mapping[str, str]
    states: Mapping[str, tuple[str, str]]
    kinds: Mapping[str, str]
    links: Mapping[str, str]

    def list_fields(self, *kinds: str) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind in kinds]


@dataclass(frozen=True)
class QuestionToken:
    """kind: of GRAMMAR, or type, title (of a field or state), name or unknown. text: as written. An amount's value is
    "3", "3 EUR" or "3 days".
    """

    kind: str
    value: str
    text: str
    at: int


def fold_phrase(phrase: str) -> str:
    """Words without case, accents and the endings of plurals and of German adjectives."""
    bare = re.sub(r"[\u0300-\u036f]|['’]s\b", "", unicodedata.normalize("NFKD", phrase.casefold()))
    folded = [ENDINGS.sub("", word) for word in WORD.findall(bare)]
    return " ".join(ALIKE.get(word, word) for word in folded)


def _parse_lines(listing: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in listing.strip().replace("\n  ", " ").splitlines())


OTHER_TITLES = {key: listed.split() for key, listed in _parse_lines(ALSO).items()}
PHRASES = {phrase: kind for kind, listed in _parse_lines(GRAMMAR).items() for phrase in listed.split("; ")}
PHRASES |= {word: "filler" for word in FILLER.split() if word not in PHRASES}
FOLDED_PHRASES = {fold_phrase(phrase): kind for phrase, kind in reversed(PHRASES.items())}


def read_types(description: str) -> dict[str, RecordType]:
    """By their keys: of the lines that are JSON."""
    lines = [json.loads(line) for line in description.splitlines() if line.startswith('{"type"')]
    return {described["type"]: _read_type(described) for described in lines}


def _read_type(described: Mapping[str, Any]) -> RecordType:
    fields, titles, states = described["fields"], dict[str, str](), dict[str, tuple[str, str]]()
    for name, field in fields.items():
        also = [word for key, listed in OTHER_TITLES.items() if key in name for word in listed]
        for title in (name, name.removesuffix("_on").removesuffix("_name"), *field.get("titles", ()), *also):
            titles.setdefault(fold_phrase(title.partition(" (")[0]), name)
        for state, others in field.get("states", {}).items():
            for title in (state, *others):
                states.setdefault(fold_phrase(title), (name, state))
    called = [described["type"], *described["names"], *OTHER_TITLES.get(described["type"], ())]
    kinds = {name: field["kind"] for name, field in fields.items()}
    links = {name: field["to"] for name, field in fields.items() if "to" in field}
    return RecordType(described["type"], frozenset(map(fold_phrase, called)), titles, states, kinds, links)


def split_tokens(question: str, types: Sequence[RecordType]) -> list[QuestionToken]:
    """Without fillers; adjacent parts of a name are one."""
    tokens: list[QuestionToken] = []
    at = 0
    while at < len(question):
        last = tokens[-1] if tokens else None
        after_name = bool(last and last.kind == "name")
        token = None if after_name and SHORT.match(question, at) else _read_day(question, at)
        token = token or _read_words(question, at, types, after_name)
        at += len(token.text) if token else 1
        if last and token and last.kind == token.kind == "name":
            tokens[-1] = replace(last, text=question[last.at : at])
        elif token:
            tokens.append(token)
    return [token for token in tokens if token.kind != "filler"]


def _read_day(question: str, at: int) -> QuestionToken | None:
    """A day or period as the tool takes it, or an amount."""
    if at and question[at - 1].isalnum():
        return None
    if (match := PERIOD.match(question, at)) is not None:
        which = next((which for which in ("this", "last") if match[which]), "next")
        unit = f"{match['n']}_days" if match["n"] else match.lastgroup
        return QuestionToken("day", f"{which}_{unit}", match.group(), at)
    match = DAY.match(question, at)
    if match is not None and (match["month"] != "may" or match["year"] or match["day"]):
        day = _write_day(match)
        return QuestionToken("day" if day else "unknown", day, match.group(), at)
    if (match := AMOUNT.match(question, at)) is not None:
        whole = re.fullmatch(r"\d+(?:[.,]\d{3})+", match["n"])
        digits = re.sub(r"[.,]", "", match["n"]) if whole else match["n"].replace(",", ".")
        number = round(float(digits) * TIMES.get((match["times"] or " ")[0].lower(), 1))
        units = [unit for unit, written in UNITS.items() if any(word in match.group().lower() for word in written)]
        return QuestionToken("amount", " ".join([str(number), *units]), match.group(), at)
    return None


def _write_day(match: re.Match[str]) -> str:
    """ "" for a day that there is not, that may be another, or of a year that is not named."""
    named = MONTHS.match(match["month"] or "")
    month = int(match["m"] or (named.lastindex if named else None) or 0)
    with suppress(ValueError):
        day = date(int(match["y"] or match["year"] or 0), month, int(match["d"] or match["day"] or 1))
        return str(day) if match["d"] or match["day"] else f"{day:%Y-%m}"
    return match["iso"] or match["only"] or ""


def _read_words(question: str, at: int, types: Sequence[RecordType], after_name: bool) -> QuestionToken | None:
    """The longest phrase that is known; else a part of a name, or an unknown word."""
    if WORD.match(question, at) is None:
        return None
    matches = list(islice(WORD.finditer(question, at), MOST_WORDS))
    first = matches[0].group()
    is_capital = first[:1].isupper() and at > 0
    for match in reversed(matches):
        text = question[at : match.end()]
        kind, _, value = ("" if re.search(r"[,;:?!]", text) else _look_up(text, types)).partition(" ")
        if kind and not (after_name and is_capital and kind == "filler"):
            return QuestionToken(kind, value, text, at)
    is_part = is_capital or any(c.isdigit() for c in first)
    return QuestionToken("name" if is_part else "unknown", "", first, at)


def _look_up(text: str, types: Sequence[RecordType]) -> str:
    """Kind and value; "" for none. Words as they are written come before those that have the same stem."""
    exact, folded = " ".join(text.casefold().split()), fold_phrase(text)
    if (phrase := PHRASES.get(exact, "")) == "filler":
        return phrase
    if kind := next((one.key for one in types if folded in one.names), ""):
        return f"type {kind}"
    phrase = phrase or FOLDED_PHRASES.get(folded, "")
    is_title = any(folded in one.titles or folded in one.states for one in types)
    if is_title and (not phrase or phrase.startswith(LAST)):
        return f"title {folded}"
    return phrase
