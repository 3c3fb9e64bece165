"""The words of a question for the records, English and German: each is a type, field or state as the description of the
tool has it, a day, an amount, a word of the grammar below, or part of a name. A question with any other word is none.
"""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from llm.recognisers.findings import words

TYPE_LINE = re.compile(r"^- (?P<key>\w+) \((?P<names>[^)]*)\): (?P<fields>.*)$", re.MULTILINE)
FIELD = re.compile(
    r'(?P<name>\w+)(?: "(?P<titles>[^"]*)")?'
    r"(?: \((?P<kind>money|number|date)\)| -> (?P<link>\w+)|(?P<states>(?: [=|] \w+(?: \"[^\"]*\")?)+))?(?:, |$)"
)
STATE = re.compile(r' [=|] (?P<value>\w+)(?: "(?P<titles>[^"]*)")?')
MONTHS = """january januar jan;february februar feb;march märz mar;april apr;may mai;june juni jun;july juli jul
august aug;september sept sep
october oktober oct okt;november nov;december dezember dec dez""".replace("\n", ";").split(";")
DAY = re.compile(
    r"(?P<iso>\d{4}-\d\d-\d\d)\b|(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?(?P<y>\d{4})\b"
    rf"|(?:(?P<day>\d\d?)(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?(?P<month>{'|'.join(' '.join(MONTHS).split())})\b\.?"
    r"(?:,?\s+(?P<year>\d{4})\b)?|(?P<only>(?:19|20)\d\d)\b(?![-.,/]?\d)",
    re.IGNORECASE,
)
PERIOD = re.compile(
    r"(?:(?:with)?in (?:the )?|(?:innerhalb )?(?:in )?(?:der |den |die )?)?"
    r"(?:(?P<this>this|dies\w+|current|laufend\w+)|(?P<next>next|coming|nächst\w+|kommend\w+)"
    r"|(?P<last>last|past|letzt\w+|vergangen\w+))\s"
    r"(?:(?P<n>\d{1,3}) (?:days|tage\w?)|(?P<week>week|woche)|(?P<month>month|monats?)|(?P<quarter>quarter|quartals?)"
    r"|(?P<year>year|jahre?s?))\b|(?:within|innerhalb von|binnen) (?P<within>\d{1,3}) (?:days|tagen)\b",
    re.IGNORECASE,
)
AMOUNT = re.compile(
    r"(?:[€$£]\s?|(?:eur|gbp|usd) )?(?P<n>\d{1,3}(?:[.,]\d{3})+|\d+(?:[.,]\d+)?)\s?(?P<unit>millions?|mio\.?|mn|m"
    r"|thousand|tausend|k)?\b(?:\s?(?:€|euros?|eur|gbp|pounds?|pfund|usd|dollars?|days?|tagen?)(?!\w))?",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"“„]([^\"“”„]{1,200})[\"”“]")
TIMES = {"m": 10**6, "t": 10**3, "k": 10**3}
GRAMMAR = """
count: how many; number of; count; wie viele; anzahl; anzahl der
sum: total; sum; sum of; altogether; combined; in total; add up; gesamt; summe; insgesamt; zusammen; gesamtwert;
  gesamtbudget; gesamten
mean: average; mean; on average; durchschnitt; im durchschnitt; durchschnittlich; im schnitt; im mittel
most: the most; most; die meisten; meisten; am meisten
extreme -money: largest; biggest; highest; greatest; most expensive; größte; höchste; teuerste; grösste
extreme money: smallest; lowest; cheapest; kleinste; niedrigste; günstigste; billigste; the least
extreme -date: latest; last; longest; letzte; späteste; zuletzt; längste; als letztes
extreme date: earliest; first; soonest; früheste; erste; zuerst; als erstes; am frühesten
extreme next: next; nächste; als nächstes
extreme created_at: oldest; älteste
extreme -created_at: newest; most recent; neueste; jüngste
top: top
compare gt: more than; over; above; greater than; higher than; exceed; exceeds; longer than; mehr als; über;
  höher als; größer als; later than; länger als; more
compare gte: at least; mindestens; no less than
compare lt: less than; under; below; fewer than; lower than; shorter than; weniger als; unter; kleiner als;
  niedriger als; earlier than; kürzer als
compare lte: at most; up to; no more than; höchstens; bis zu; maximal
when lt: before; vor; vor dem
when lte: by; until; till; by the end of; until the end of; before the end of; bis; bis zum; bis ende; by end of;
  vor ende; before end of
when gt: after; nach; nach dem
when gte: since; from; starting from; seit; ab; seit dem; ab dem
group: per; for each; by each; grouped by; broken down by; pro; je; gruppiert nach; aufgeteilt nach; in each; in jedem
not: not; without; no; except; that are not; nicht; ohne; kein; keine; without any; not yet; noch nicht
overdue 1: overdue; late; past due; behind schedule; überfällig; verspätet; in verzug; im verzug; past their due date;
  past the deadline
finished 0: open; outstanding; unfinished; pending; still open; remaining; offen; unerledigt; ausstehend
finished 1: finished; completed; complete; done; closed; fertig; erledigt; abgeschlossen
field updated_at: changed; updated; modified; edited; geändert; aktualisiert; bearbeitet
field created_at: created; added; new; angelegt; erstellt; hinzugefügt; hinzugekommen
side: compare; comparison of; difference between; differ; side by side; versus; vs; vergleiche; vergleich;
  unterschied zwischen; nebeneinander; gegenüber
who: who; wer; whose
each: how much; wie viel; wie hoch
with: of; for; with; in; on; at; under; by; von; vom; für; mit; bei; beim; im; am; zu; zum; belonging to; about;
  assigned to; des; der; named; called; to; unter; works in
than: than; als; their; its; ihr; ihre; ihrem; ihres; the; dem; den
day today: today; heute
day tomorrow: tomorrow; morgen
day yesterday: yesterday; gestern
number 2: two; zwei
number 3: three; drei
number 5: five; fünf
"""
"""Kind and value of a word or phrase: the words. A line that is set in goes on with the one before it."""
LAST = ("finished", "field", "with", "than")
"""Kinds that give way to a field or a state of the same name."""
FILLER = words("""
    we have has is are was were be been do does did there list show give me us please which what all every any each
    the a an and or that this' currently right now still exist exists records record work works working our you can
    tell find see it's whats let display overview get got in of on welche welcher welches welchen gibt es gibts wir
    haben hat sind ist alle aller allen alles zeige zeig liste nenne bitte mir uns und oder die das den dem ein eine
    einen einem einer derzeit aktuell noch auf unser unsere unseren unserer werden wird sich zur state status go goes
    going out come comes up made set aus denn wurden wurde worden sein
""")
ALSO = """
employee: staff people mitarbeiter mitarbeiterin mitarbeiterinnen angestellte
end: end ends ending ended expire expires expiring expired runs run enden endet endete läuft laufen ablaufen auslaufen
  ende
due: due deadline deadlines fällig fälligkeit frist fristen
start: start starts starting started begin begins began beginning joined hired beginnt beginnen startet starten
  angefangen eingestellt begonnen beginn
value: value values worth cost costs volume wert kostet kosten vertragswert
budget: budget budgets
salary: salary salaries earn earns earning pay paid gehalt gehälter verdient verdienen lohn durchschnittsgehalt
owner: owner owners owned own owns manager manages managed led lead leads leitet geleitet leiter verantwortlich
  verantwortet responsible person
counterparty: counterparty counterparties partner partners party company firm supplier vertragspartner firma lieferant
"""
"""Part of the name of a field or type: what it may be called besides its own name and titles."""
WORD = re.compile(r"[^\W_]+(?:[.'’&/-][^\W_]+)*")
ENDINGS = ("en", "er", "es", "em", "e", "n", "s")
ALIKE = {"hoh": "hoch", "mittler": "mittel", "mittl": "mittel"}
MOST_WORDS = 4


@dataclass(frozen=True)
class RecordType:
    """A type as the tool's description has it; what it is called is folded. titles: of fields; states: (field, value).
    kinds: field -> money, number, date, link, choice or text. links: field -> type.
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
    """kind: of GRAMMAR, or type, title (of a field or state), amount, filler, name or unknown. text: as written."""

    kind: str
    value: str
    text: str
    at: int


def fold_phrase(phrase: str) -> str:
    """Words without case, accents and the endings of plurals and of German adjectives."""
    return " ".join(_fold_word(word) for word in WORD.findall(phrase))


def _fold_word(word: str) -> str:
    bare = unicodedata.normalize("NFKD", word.casefold().removesuffix("'s").removesuffix("’s"))
    text = "".join(c for c in bare if not unicodedata.combining(c))
    while end := next((e for e in ENDINGS if text.endswith(e) and len(text) - len(e) >= 3), ""):
        text = text[: -len(end)]
    return ALIKE.get(text, text)


def _parse_lines(listing: str, separator: str) -> dict[str, list[str]]:
    lines = listing.strip().replace("\n  ", " ").splitlines()
    return {key: [w.strip() for w in said.split(separator)] for key, _, said in (x.partition(": ") for x in lines)}


OTHER_TITLES = {key: said[0].split() for key, said in _parse_lines(ALSO, ";").items()}
PHRASES: dict[str, tuple[str, str]] = {}
for _kind, _phrases in _parse_lines(GRAMMAR, ";").items():
    for _phrase in _phrases:
        PHRASES.setdefault(_phrase, (_kind.partition(" ")[0], _kind.partition(" ")[2]))
FOLDED_PHRASES = {fold_phrase(phrase): kind for phrase, kind in reversed(PHRASES.items())}
FOLDED_FILLER = frozenset(map(_fold_word, FILLER))


def read_types(description: str) -> list[RecordType]:
    return [_read_type(line) for line in TYPE_LINE.finditer(description)]


def _read_type(line: re.Match[str]) -> RecordType:
    kinds, links = {}, {}
    titles: dict[str, str] = {}
    states: dict[str, tuple[str, str]] = {}
    for part in FIELD.finditer(line["fields"]):
        name, given = part["name"], re.sub(r" ?\([^)]*\)", "", part["titles"] or "").split("/")
        kinds[name] = part["kind"] or ("link" if part["link"] else "choice" if part["states"] else "text")
        also = [word for key, listed in OTHER_TITLES.items() if key in name for word in listed]
        for title in (name, name.removesuffix("_on").removesuffix("_name"), *given, *also):
            titles.setdefault(fold_phrase(title.replace("_", " ")), name)
        links |= {name: part["link"]} if part["link"] else {}
        for state in STATE.finditer(part["states"] or ""):
            for title in (state["value"], *(state["titles"] or "").split("/")):
                states.setdefault(fold_phrase(title.replace("_", " ")), (name, state["value"]))
    titles.pop("", None)
    states.pop("", None)
    called = [line["key"], *line["names"].split(", "), *OTHER_TITLES.get(line["key"], ())]
    names = frozenset(map(fold_phrase, called))
    return RecordType(line["key"], names, titles, states, kinds, links)


def split_tokens(question: str, types: Sequence[RecordType], today: date) -> list[QuestionToken]:
    """Without fillers; adjacent parts of a name are one. Raises: ValueError for a day that there is not."""
    tokens: list[QuestionToken] = []
    for token in _iter_tokens(question, types, today):
        last = tokens[-1] if tokens else None
        if last and last.kind == token.kind == "name":
            tokens[-1] = replace(last, text=question[last.at : token.at + len(token.text)])
        else:
            tokens.append(token)
    return [token for token in tokens if token.kind != "filler"]


def _iter_tokens(question: str, types: Sequence[RecordType], today: date) -> Iterator[QuestionToken]:
    at, after_name = 0, False
    while at < len(question):
        token = None
        if (match := QUOTED.match(question, at)) is not None:
            token = QuestionToken("quoted", match[1].strip(), match.group(), at)
        elif not (after_name and re.match(r"\d{1,3}(?![\d.,])", question[at:])):
            token = _read_day(question, at, today)
        token = token or _read_words(question, at, types, after_name)
        if token is not None:
            yield token
            after_name = token.kind == "name"
        at += len(token.text) if token else 1


def _read_day(question: str, at: int, today: date) -> QuestionToken | None:
    """A day or period as the tool takes it, or an amount."""
    if at and question[at - 1].isalnum():
        return None
    if (match := PERIOD.match(question, at)) is not None:
        days = match["n"] or match["within"]
        which = next((which for which in ("this", "last") if match[which]), "next")
        unit = next((unit for unit in ("week", "month", "quarter", "year") if match[unit]), f"{days}_days")
        return QuestionToken("day", f"{which}_{unit}", match.group(), at)
    match = DAY.match(question, at)
    if match is not None and (match["month"] != "may" or match["year"] or match["day"]):
        return QuestionToken("day", _write_day(match, today), match.group(), at)
    if (match := AMOUNT.match(question, at)) is not None:
        digits = match["n"]
        digits = re.sub(r"[.,]", "", digits) if re.fullmatch(r"\d+(?:[.,]\d{3})+", digits) else digits.replace(",", ".")
        times = TIMES.get((match["unit"] or " ")[0].lower(), 1)
        return QuestionToken("amount", f"{round(float(digits) * times)}", match.group().rstrip(), at)
    return None


def _write_day(match: re.Match[str], today: date) -> str:
    """Of a month without a year the one that is nearest. Raises: ValueError."""
    if match["y"] or match["iso"]:
        return match["iso"] or str(date(int(match["y"]), int(match["m"]), int(match["d"])))
    if match["only"]:
        return match["only"]
    month = next(n for n, names in enumerate(MONTHS, 1) if match["month"].lower() in names.split())
    years = sorted(
        range(today.year - 1, today.year + 2), key=lambda y: abs((y - today.year) * 12 + month - today.month)
    )
    year, day = int(match["year"] or years[0]), int(match["day"] or 0)
    if day > monthrange(year, month)[1]:
        raise ValueError(match.group())
    return f"{year:04}-{month:02}-{day:02}" if day else f"{year:04}-{month:02}"


def _read_words(question: str, at: int, types: Sequence[RecordType], after_name: bool) -> QuestionToken | None:
    """The longest phrase that is known; else a part of a name, or an unknown word."""
    matches = list(WORD.finditer(question, at))[:MOST_WORDS]
    if not matches or matches[0].start() != at:
        return None
    first = matches[0].group()
    is_capital = first[:1].isupper() and at > 0
    for match in reversed(matches):
        text = question[at : match.end()]
        kind = None if re.search(r"[,;:?!]", text) else _look_up(text, types)
        if kind and not (after_name and is_capital and kind[0] in ("filler", "with", "than")):
            return QuestionToken(*kind, text, at)
    is_part = is_capital or any(c.isdigit() for c in first)
    return QuestionToken("name" if is_part else "unknown", first, first, at)


def _look_up(text: str, types: Sequence[RecordType]) -> tuple[str, str] | None:
    """Words as they are written come before those that have the same stem."""
    exact, folded = " ".join(text.casefold().split()), fold_phrase(text)
    phrase = PHRASES.get(exact)
    if phrase is None and exact in FILLER:
        return "filler", ""
    if kind := next((one.key for one in types if folded in one.names), ""):
        return "type", kind
    phrase = phrase or FOLDED_PHRASES.get(folded)
    is_title = any(folded in one.titles or folded in one.states for one in types)
    if is_title and (phrase is None or phrase[0] in LAST):
        return "title", folded
    return phrase or (("filler", "") if folded in FOLDED_FILLER else None)
