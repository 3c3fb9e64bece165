"""The words of a question for the records, English and German: each is a type, field or state as the description of the
tool has it, a day, an amount, a word of the grammar below, or part of a name. A question with any other word is none.
"""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from llm.recognisers.findings import words

TYPE_LINE = re.compile(r"^- (?P<key>\w+) \((?P<names>[^)]*)\): (?P<fields>.*)$", re.MULTILINE)
FIELD = re.compile(
    r'(?P<name>\w+)(?: "(?P<titles>[^"]*)")?'
    r"(?: \((?P<kind>money|number|date)\)| -> (?P<link>\w+)|(?P<states>(?: [=|] \w+(?: \"[^\"]*\")?)+))?(?:, |$)"
)
STATE = re.compile(r' [=|] (?P<value>\w+)(?: "(?P<titles>[^"]*)")?')
MONTHS = [
    words(names)
    for names in (
        "january januar jan", "february februar feb", "march märz mar", "april apr", "may mai", "june juni jun",
        "july juli jul", "august aug", "september sept sep", "october oktober oct okt", "november nov",
        "december dezember dec dez",
    )
]  # fmt: skip
MONTH = "|".join(sorted((name for names in MONTHS for name in names), key=len, reverse=True))
DAY = re.compile(
    rf"(?P<iso>\d{{4}}-\d\d-\d\d)\b|(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?(?P<y>\d{{4}})\b"
    rf"|(?:(?P<day>\d\d?)(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?(?P<month>{MONTH})\b\.?,?(?:\s+(?P<year>\d{{4}})\b)?"
    r"|(?P<only>(?:19|20)\d\d)\b(?![-.,/]?\d)",
    re.IGNORECASE,
)
PERIOD = re.compile(
    r"(?:(?:with)?in (?:the )?|(?:innerhalb )?(?:in )?(?:der |den |die )?)?"
    r"(?:(?P<now>this|dies\w+|current|laufend\w+)|(?P<next>next|coming|nächst\w+|kommend\w+)"
    r"|(?P<last>last|past|letzt\w+|vergangen\w+))\s"
    r"(?:(?P<n>\d{1,3}) (?:days|tage\w?)|(?P<week>week|woche)|(?P<month>month|monats?)|(?P<quarter>quarter|quartals?)"
    r"|(?P<year>year|jahre?s?))\b|(?:within|innerhalb von|binnen) (?P<within>\d{1,3}) (?:days|tagen)\b",
    re.IGNORECASE,
)
AMOUNT = re.compile(
    r"(?P<money>[€$£]\s?|(?:eur|gbp|usd) )?(?P<n>\d{1,3}(?:[.,]\d{3})+|\d+(?:[.,]\d+)?)\s?"
    r"(?P<unit>millions?|mio\.?|mn|m|thousand|tausend|k)?\b(?P<after>\s?(?:€|euros?|eur|gbp|pounds?|pfund|usd|dollars?"
    r"|days?|tagen?)(?!\w))?",
    re.IGNORECASE,
)
TIMES = {"m": 10**6, "t": 10**3, "k": 10**3}
# What a word of the grammar is. Longer ones are tried first; spaces are any white space.
GRAMMAR: dict[tuple[str, str], str] = {
    ("count", ""): "how many; number of; count; wie viele; anzahl; anzahl der",
    ("sum", ""): "total; sum; sum of; altogether; combined; in total; add up; gesamt; summe; insgesamt; zusammen"
    "; gesamtwert; gesamtbudget; gesamten",
    ("mean", ""): "average; mean; on average; durchschnitt; im durchschnitt; durchschnittlich; im schnitt; im mittel",
    ("most", ""): "the most; most; die meisten; meisten; am meisten",
    ("extreme", "-money"): "largest; biggest; highest; greatest; most expensive; größte; höchste; teuerste; grösste",
    ("extreme", "money"): "smallest; lowest; cheapest; kleinste; niedrigste; günstigste; billigste; the least",
    ("extreme", "-date"): "latest; last; longest; letzte; späteste; zuletzt; längste; als letztes",
    ("extreme", "date"): "earliest; first; soonest; früheste; erste; zuerst; als erstes; am frühesten",
    ("extreme", "next"): "next; nächste; als nächstes",
    ("extreme", "created_at"): "oldest; älteste",
    ("extreme", "-created_at"): "newest; most recent; neueste; jüngste",
    ("top", ""): "top",
    ("compare", "gt"): "more than; over; above; greater than; higher than; exceed; exceeds; longer than; mehr als"
    "; über; höher als; größer als; later than; länger als; more",
    ("compare", "gte"): "at least; mindestens; no less than",
    ("compare", "lt"): "less than; under; below; fewer than; lower than; shorter than; weniger als; unter; kleiner als"
    "; niedriger als; earlier than; kürzer als",
    ("compare", "lte"): "at most; up to; no more than; höchstens; bis zu; maximal",
    ("when", "lt"): "before; vor; vor dem",
    ("when", "lte"): "by; until; till; by the end of; until the end of; before the end of; bis; bis zum; bis ende"
    "; by end of; vor ende; before end of",
    ("when", "gt"): "after; nach; nach dem",
    ("when", "gte"): "since; from; starting from; seit; ab; seit dem; ab dem",
    ("group", ""): "per; for each; by each; grouped by; broken down by; pro; je; gruppiert nach"
    "; aufgeteilt nach; in each"
    "; in jedem",
    ("not", ""): "not; without; no; except; that are not; nicht; ohne; kein; keine; without any; not yet; noch nicht",
    ("overdue", "1"): "overdue; late; past due; behind schedule; überfällig; verspätet; in verzug; im verzug"
    "; past their due"
    " date; past the deadline",
    ("finished", "0"): "open; outstanding; unfinished; pending; still open; remaining; offen; unerledigt; ausstehend",
    ("finished", "1"): "finished; completed; complete; done; closed; fertig; erledigt; abgeschlossen",
    ("field", "updated_at"): "changed; updated; modified; edited; geändert; aktualisiert; bearbeitet",
    ("field", "created_at"): "created; added; new; angelegt; erstellt; hinzugefügt; hinzugekommen",
    ("side", ""): "compare; comparison of; difference between; differ; side by side; versus; vs; vergleiche; vergleich"
    "; unterschied zwischen; nebeneinander; gegenüber",
    ("who", ""): "who; wer; whose",
    ("each", ""): "how much; wie viel; wie hoch",
    ("with", ""): "of; for; with; in; on; at; under; by; von; vom; für; mit; bei; beim; im; am; zu; zum"
    "; belonging to; about"
    "; assigned to; des; der; named; called; to; unter; works in",
    ("than", ""): "than; als; their; its; ihr; ihre; ihrem; ihres; the; dem; den",
}  # fmt: skip
LAST = ("finished", "field", "with", "than")
"""Of the grammar, what gives way to a field or a state of the same name."""
WORDS = {"today": ("day", "today"), "heute": ("day", "today"), "tomorrow": ("day", "tomorrow"), "gestern": ("day", "yesterday"),
         "morgen": ("day", "tomorrow"), "yesterday": ("day", "yesterday")}  # fmt: skip
WORDS |= {
    word: ("number", str(n))
    for n, pair in enumerate(["two zwei", "three drei", "four vier", "five fünf"], 2)
    for word in pair.split()
}
FILLER = words(
    """we have has is are was were be been do does did there list show give me us please which what all every any each
    the a an and or that this' currently right now still exist exists records record work works working our us you can tell
    find see it's whats let display overview get got in of on welche welcher welches welchen was gibt es gibts wir haben hat
    sind ist alle aller allen alles zeige zeig liste nenne bitte mir uns und oder die das den dem ein eine einen einem einer
    derzeit aktuell noch auf unser unsere unseren unserer haben werden wird sich zur state status go goes going out come
    comes up made set aus denn wurden wurde worden sein"""
)
# What a field may be called besides its own name and titles, by a part of its name.
ALSO = {
    "end": "end ends ending ended expire expires expiring expired runs run enden endet endete läuft laufen ablaufen"
    " auslaufen ende",
    "due": "due deadline deadlines fällig fälligkeit frist fristen",
    "start": "start starts starting started begin begins began beginning joined hired beginnt beginnen startet starten"
    " angefangen eingestellt begonnen beginn",
    "value": "value values worth cost costs volume wert kostet kosten vertragswert",
    "budget": "budget budgets",
    "salary": "salary salaries earn earns earning pay paid gehalt gehälter verdient verdienen lohn durchschnittsgehalt",
    "owner": "owner owners owned own owns manager manages managed led lead leads leitet geleitet leiter verantwortlich"
    " verantwortet responsible person",
    "counterparty": "counterparty counterparties partner partners party company firm supplier vertragspartner firma"
    " lieferant",
}
WORD = re.compile(r"[^\W_]+(?:[.'’&/-][^\W_]+)*")
ENDINGS = ("en", "er", "es", "em", "e", "n", "s")
ALIKE = {"hoh": "hoch", "mittler": "mittel", "mittl": "mittel"}


@dataclass(frozen=True)
class RecordType:
    """A type as the tool's description has it. names: folded. titles: folded title -> field; states: folded title ->
    (field, value). kinds: field -> money, number, date, text or choice. links: field -> type.
    """

    key: str
    names: frozenset[str]
    titles: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)

    def list_fields(self, *kinds: str) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind in kinds]


@dataclass(frozen=True)
class QuestionToken:
    """kind: of GRAMMAR, or type, title (a field by its title), state, day, amount, filler or name. text: as written."""

    kind: str
    value: str
    text: str
    at: int


def fold_word(word: str) -> str:
    """Without case, accents and the endings of plurals and of German adjectives."""
    bare = unicodedata.normalize("NFKD", word.casefold().removesuffix("'s").removesuffix("’s"))
    text = "".join(c for c in bare if not unicodedata.combining(c))
    while end := next((e for e in ENDINGS if text.endswith(e) and len(text) - len(e) >= 3), ""):
        text = text[: -len(end)]
    return ALIKE.get(text, text)


def fold_phrase(phrase: str) -> str:
    return " ".join(fold_word(word) for word in WORD.findall(phrase))


def read_types(description: str) -> list[RecordType]:
    return [_read_type(line) for line in TYPE_LINE.finditer(description)]


def _read_type(line: re.Match[str]) -> RecordType:
    kinds, links = {}, {}
    titles: dict[str, str] = {}
    states: dict[str, tuple[str, str]] = {}
    for part in FIELD.finditer(line["fields"]):
        name = part["name"]
        kinds[name] = part["kind"] or ("link" if part["link"] else "choice" if part["states"] else "text")
        own = [name.replace("_", " "), name.removesuffix("_on").removesuffix("_name").replace("_", " ")]
        also = [word for key, listed in ALSO.items() if key in name for word in listed.split()]
        for title in (*own, *re.sub(r" ?\([^)]*\)", "", part["titles"] or "").split("/"), *also):
            titles.setdefault(fold_phrase(title), name)
        if part["link"]:
            links[name] = part["link"]
        for state in STATE.finditer(part["states"] or ""):
            for title in (state["value"].replace("_", " "), *(state["titles"] or "").split("/")):
                states.setdefault(fold_phrase(title), (name, state["value"]))
    names = frozenset(fold_phrase(name) for name in (line["key"], *line["names"].split(", ")))
    titles.pop("", None)
    return RecordType(line["key"], names, titles, states, kinds, links)


def _build_grammar() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for kind, listed in GRAMMAR.items():
        for phrase in listed.split(";"):
            found.setdefault(" ".join(phrase.split()), kind)
    return found


PHRASES = _build_grammar()
FOLDED_PHRASES = {fold_phrase(phrase): kind for phrase, kind in reversed(PHRASES.items())}
FOLDED_FILLER = frozenset(map(fold_word, FILLER))
MOST_WORDS = 4


def split_tokens(question: str, types: Sequence[RecordType], today: date) -> list[QuestionToken]:
    """The tokens of a question, with adjacent parts of a name as one."""
    tokens: list[QuestionToken] = []
    for token in _iter_tokens(question, types, today):
        last = tokens[-1] if tokens else None
        if last and last.kind == token.kind == "name":
            tokens[-1] = replace(last, text=question[last.at : token.at + len(token.text)])
        else:
            tokens.append(token)
    return tokens


def _iter_tokens(question: str, types: Sequence[RecordType], today: date) -> Iterator[QuestionToken]:
    at, after_name = 0, False
    while at < len(question):
        if not question[at].isalnum() and question[at] not in "€$£\"“„'’":
            at += 1
            continue
        token = (
            _read_quoted(question, at)
            or (
                None if after_name and re.match(r"\d{1,3}(?![\d.,])", question[at:]) else _read_day(question, at, today)
            )
            or _read_words(question, at, types, after_name)
        )
        if token is None:
            at += 1
            continue
        yield token
        after_name = token.kind == "name"
        at += len(token.text)


def _read_quoted(question: str, at: int) -> QuestionToken | None:
    match = re.compile(r"[\"“„]([^\"“”„]{1,200})[\"”“]").match(question, at)
    return QuestionToken("quoted", match[1].strip(), match.group(), at) if match else None


def _read_day(question: str, at: int, today: date) -> QuestionToken | None:
    """A day or period as the tool takes it, or an amount."""
    if (match := PERIOD.match(question, at)) is not None:
        days = match["n"] or match["within"]
        which = "this" if match["now"] else "last" if match["last"] else "next"
        unit = next((u for u in ("week", "month", "quarter", "year") if match[u]), "")
        return QuestionToken("day", f"{which}_{days}_days" if days else f"{which}_{unit}", match.group(), at)
    match = DAY.match(question, at)
    if match is not None and (match["month"] != "may" or match["year"] or match["day"]):
        return QuestionToken("day", _write_day(match, today), match.group(), at)
    if (match := AMOUNT.match(question, at)) is not None:
        digits = match["n"]
        if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits):
            digits = re.sub(r"[.,]", "", digits)
        times = TIMES.get((match["unit"] or " ")[0].lower(), 1)
        return QuestionToken("amount", f"{round(float(digits.replace(',', '.')) * times)}", match.group().rstrip(), at)
    return None


def _write_day(match: re.Match[str], today: date) -> str:
    """Of a month without a year the one that is nearest. Raises: ValueError for no such day."""
    if match["iso"] or match["only"]:
        return str(date.fromisoformat(match["iso"])) if match["iso"] else match["only"]
    if match["y"]:
        return str(date(int(match["y"]), int(match["m"]), int(match["d"])))
    month = next(n for n, names in enumerate(MONTHS, 1) if match["month"].lower() in names)
    year = int(match["year"] or 0) or min(
        (today.year - 1, today.year, today.year + 1), key=lambda y: abs((y - today.year) * 12 + month - today.month)
    )
    day = int(match["day"] or 0)
    if day > monthrange(year, month)[1]:
        raise ValueError(match.group())
    return f"{year:04}-{month:02}-{day:02}" if day else f"{year:04}-{month:02}"


def _read_words(question: str, at: int, types: Sequence[RecordType], after_name: bool) -> QuestionToken | None:
    """The longest phrase that is known; else a part of a name, or an unknown word."""
    found = []
    matches = list(WORD.finditer(question, at))[:MOST_WORDS]
    if not matches or matches[0].start() != at:
        return None
    first = matches[0].group()
    is_capital = first[:1].isupper() and at > 0
    for count in range(len(matches), 0, -1):
        text = question[at : matches[count - 1].end()]
        if re.search(r"[,;:?!]", text):
            continue
        folded = fold_phrase(text)
        kind = _look_up(folded, text, types)
        if kind and not (after_name and is_capital and kind[0] in ("filler", "with", "than", "day")):
            return QuestionToken(*kind, text, at)
        found.append(folded)
    is_part = is_capital or any(c.isdigit() for c in first)
    return QuestionToken("name" if is_part else "unknown", first, first, at)


def _look_up(folded: str, text: str, types: Sequence[RecordType]) -> tuple[str, str] | None:
    """Words as they are written come before those that have the same stem."""
    exact = " ".join(text.casefold().split())
    phrase = PHRASES.get(exact)
    if exact in FILLER and phrase is None:
        return "filler", ""
    for one in types:
        if folded in one.names:
            return "type", one.key
    phrase = phrase or FOLDED_PHRASES.get(folded)
    if phrase and phrase[0] not in LAST:
        return phrase
    if any(folded in one.titles or folded in one.states for one in types):
        return "title", folded
    if phrase or exact in WORDS:
        return phrase or WORDS[exact]
    return ("filler", "") if folded in FOLDED_FILLER else None
