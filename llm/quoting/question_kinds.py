"""What a question asks for, and whether a sentence has it: a person, a date, an amount, a number, a place, a reason."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from llm.quoting.asked import normalise_fragment
from llm.quoting.contacts import (
    ASKED_THING,
    MAIL,
    NUMBERED_THING,
    OF_WHOM,
    PHONE,
    PHONE_ASKED,
    has_number_of_thing,
    has_phone,
)
from llm.quoting.front_matter import POSTAL
from llm.quoting.measures import (
    DATE,
    DIMENSIONS,
    DURATION,
    FREQUENCY,
    LENGTH,
    MONTH,
    NUMBER,
    SIZE,
    SPELT_NUMBER,
    has_means,
)
from llm.quoting.persons import PEOPLE_WORDS, has_name, has_person
from llm.quoting.places import PLACE_LINE, has_place
from llm.quoting.times import (
    ASKED_DATE,
    UNTIL_WHEN,
    WHEN,
    has_duration,
    has_limit,
    has_time,
    has_time_asked,
    has_year,
)
from llm.recognisers.money import AMOUNT
from text.terms import extract_content_words, extract_terms, stem_word

REASON = re.compile(
    r"\b(?:because|since|due to|owing to|so that|therefore|reason|caused?|result(?:ed|s)?|as a|missing|failed"
    r"|not|no|lack\w*|could|before|after|diagnosed|in order to|showed)\b",
    re.IGNORECASE,
)
WHY = re.compile(
    r"\bwhy\b|\bwhat (?:is|was) the (?:reason|cause)\b|\bhow come\b|\bwhat (?:has |had )?(?:caused|led to)\b",
    re.IGNORECASE,
)
CAUSE_LINE = re.compile(r"^\W*(?:(?:root|main|likely|probable) )?(?:causes?|reasons?|ursache|grund)\s*:", re.IGNORECASE)
DONE_BY = re.compile(
    r"^\W*(?:and |so )?whom?\s+(?!(?:is|are|was|were|has|have|had|will|would|can|could|may|must|shall|should|do|does"
    r"|did|else|all)\b)([^\W\d_]+)",
    re.IGNORECASE,
)
"""Of "Who hit the door?" what was done."""
FIGURE = re.compile(r"\d")
MONEY_WORDS = (
    r"cost|price|amount|fee|salary|budget|value|worth|money|earn\w*|wage|paid?|pay|spend|charge[sd]?|dollars?|euros?|pounds|sum"
    r"|total(?= of\b|\W*$)"
)


def _split_terms(text: str) -> frozenset[str]:
    return frozenset(map(stem_word, text.split()))


@dataclass(frozen=True)
class QuestionKind:
    """A kind of question: how it is asked, and what a sentence that answers it has. must: without it is no answer.
    loose: nor need a sentence have it that stands under a heading with the question's words. line: begins a line of a
    form that has it. implied: terms of the question that a sentence with it need not have. value: what it is, where it
    stands behind a label. named: share of the question's words that a sentence with it has. label: implied terms by
    which a label names it. whose: every name of the question stands at it.
    """

    asked: re.Pattern[str]
    has: Callable[[str, str], bool]
    must: bool = True
    loose: bool = False
    line: re.Pattern[str] | None = None
    implied: frozenset[str] = frozenset()
    value: Callable[[str], bool] = bool
    named: float = 0
    label: frozenset[str] = frozenset()
    whose: bool = False


def _find(form: re.Pattern[str]) -> Callable[..., bool]:
    """Whether a text has a form, whatever the question is."""
    return lambda text, question="": bool(form.search(text))


def asks_for_time(kind: QuestionKind) -> bool:
    return kind.value in (has_time, has_duration, has_year)


def _has_count(sentence: str, question: str) -> bool:
    """A number of what is counted: "27 days" for "how many days"."""
    counted = COUNTED.search(question)
    if counted and counted[1].lower() in PEOPLE_WORDS:
        return bool(NUMBER.search(sentence))  # "121 fatal"
    if counted is None or stem_word(counted[1]) not in {stem_word(word) for word in extract_content_words(sentence)}:
        return bool(NUMBER.search(sentence)) and counted is None
    return bool(re.search(rf"(?:\d|\b{SPELT_NUMBER}\b)\W+(?:\w+\W+){{0,3}}{re.escape(counted[1][:4])}", sentence, re.I))


COUNTED = re.compile(r"\bhow many\s+(\w+)", re.IGNORECASE)
ON_TOP = re.compile(
    r"\bhow (?:much|high|large|big)\b[^?]*"
    r"\b(?:supplement|surcharge|premium|discount|rebate|bonus|interest|commission|vat|tax)\b",
    re.I,
)
PERMISSION = re.compile(
    r"\b(?:may|can(?:not)?|must|shall|will|only|allow\w*|permit\w*|permission|forb\w+|prohibit\w*|bann?ed|consent\w*|approv\w+"
    r"|agreed|entitle[ds]?|right|free to|eligible|restrict\w*|need\w*|requir\w+|available|not|no|never|yes)\b"
    r"|n[’']t\b",
    re.IGNORECASE,
)
"""Words that allow, forbid, or say under what condition."""
AS_A_SUM = re.compile(r"\bhow (?:large|big|high)\b", re.IGNORECASE)
HOW_HIGH, HOW_LONG = _split_terms("large big high"), _split_terms("long last run fast quickly soon valid")
SUM_STATED = re.compile(
    r"(?:\b(?:is|are|was|were|(?:amount|come)s? to)"
    r"|\b(?:puts?|estimate[sd]?|value[sd]?|assesse[sd])\b(?P<thing>[^.;]{0,40})\bat)\s+"
    rf"(?:{AMOUNT.pattern})",
    re.IGNORECASE,
)


def _has_size(sentence: str, question: str) -> bool:
    """A size, and not one of another dimension than is asked for: "40 m long" says not how deep. A sum is high, too."""
    asked, said = ({name for name, form in DIMENSIONS.items() if form.search(text)} for text in (question, sentence))
    if not said and AS_A_SUM.search(question) and (stated := SUM_STATED.search(sentence)):
        # "The deposit is three months' rent, that is £2,700" says not how high the rent is.
        subject = (stated["thing"] or "") + re.split(r"[,;:]", sentence[: stated.start()])[-1]
        return set(extract_terms(question)) - HOW_HIGH <= set(extract_terms(subject))
    if asked and said and not asked & said:
        return False
    return bool((LENGTH if asked else SIZE).search(sentence) or sentence[0] == "|" and NUMBER.search(sentence))


def _has_length(sentence: str, question: str) -> bool:
    """How long it takes or lasts; or how long what the question names is, where the sentence names it itself."""
    if DURATION.search(sentence):
        return True
    return bool(LENGTH.search(sentence)) and set(extract_terms(question)) - HOW_LONG <= set(extract_terms(sentence))


CHANGE = re.compile(
    rf"{AMOUNT.pattern}|\d\s?%|(?:\d|\b{SPELT_NUMBER})\s+per\s?cent\b|\bby\s+(?:a|one)\s+(?:half|third|quarter|fifth|tenth)\b",
    re.I,
)
"""How much more or less something is: a sum, or a part."""
RISE = re.compile(r"\b(?:ris(?:e|es|en|ing)|rose|rais\w+|increas\w+|up)\b", re.I)
FALL = re.compile(r"\b(?:fall(?:s|en|ing)?|fell|decreas\w+|drop\w*|reduc\w+|lower\w*|down)\b", re.I)


def _has_quantity(sentence: str, question: str) -> bool:
    """A number that is no telephone's, no date and no part of a code: "RK-2291", "the first half"."""
    for pattern in (CLOCK_DATE, PHONE, CODE):
        sentence = pattern.sub(" ", sentence)
    return bool(NUMBER.search(sentence))


def _has_change(sentence: str, question: str) -> bool:
    """By how much something rises, where that is asked, or falls."""
    if sentence[0] == "|":
        return bool(re.search(r"\+\s?\d" if RISE.search(question) else r"[-−]\s?\d", sentence))
    return bool(CHANGE.search(sentence)) and any(way.search(sentence) for way in (RISE, FALL) if way.search(question))


CODE = re.compile(r"\b[A-Z]{1,5}-\d+\b|\b(?:first|second|other) half\b", re.I)
CLOCK_DATE = re.compile(
    rf"\b\d{{1,2}}\.?\s+{MONTH}\w*(?:\s+\d{{4}})?(?:\s+\d{{1,2}}:\d{{2}}(?::\d{{2}})?)?(?:\s+[+-]\d{{4}})?", re.I
)
DEGREES = re.compile(r"\d\s?°|\bdegrees\b|°C")
AGE = re.compile(
    rf"\b(?:aged?|under|over|at least)\W+(?:\d{{1,3}}|{SPELT_NUMBER})\b"
    r"|\b(?:built|born|founded|made|began|begun|started|since)\b[^.]{0,40}\d{4}"
    rf"|\b(?:\d{{1,3}}|{SPELT_NUMBER})[\s-]+(?:year|month)s?[\s-]+(?:old|of age)\b"
    r"|\b\d{1,3}\s+(?:and|or)\s+(?:over|older|above|under|younger)\b|\bage\b[^.]{0,20}\d"
    rf"|\bage of {SPELT_NUMBER}\b",
    re.I,
)
UNIT_LABEL = re.compile(r"\|[^|()]{1,60}\(([^\W\d_]{1,8}|°C|[€$£])\)\s*\|")
LAST_DEED = re.compile(
    r"\b(?!(?:an?|the|of|for|from|to|with|over|our|my|your|their|his|her|its)\s)[\w'’-]+\s+[\w'’-]+\W*$", re.I
)
"""The end of a question whose last word is not only the thing: "is the door repaired", but not "of the grant"."""
YEARS = _split_terms("year decade century")
TERMS_OF_HAPPENING = _split_terms("take place happen occur")
MAX_TERMS_OF_DEED = 4
"""Of a question for the time of something: where it is longer its last word may say anything."""
MAX_QUESTION_CHARS = 600
"""Characters of a question that are read: a pasted text is no question, and some patterns look ahead."""

KINDS = (
    QuestionKind(re.compile(r"\bhow\b(?!\s+(?:much|many|long|often|old))[^?]*\b(?:pay|paid)\b", re.I),
                 lambda s, q: has_means(s), value=has_means, named=1),
    QuestionKind(re.compile(r"\bhow (?:often|frequently|regularly)\b", re.I),
                 _find(FREQUENCY), value=_find(FREQUENCY), implied=_split_terms("often frequently regularly")),
    QuestionKind(re.compile(rf"{ASKED_THING}e?-?mail{OF_WHOM}", re.I), _find(MAIL), value=_find(MAIL),
                 implied=_split_terms("mail email e-mail address"), label=_split_terms("mail email"), whose=True),
    QuestionKind(re.compile(rf"{ASKED_THING}(?<!mail )(?<!ip )address{OF_WHOM}", re.I), _find(POSTAL),
                 value=lambda v: not MAIL.search(v),
                 implied=_split_terms("address"), label=_split_terms("address"), whose=True),
    QuestionKind(PHONE_ASKED, has_phone, value=_find(PHONE), label=_split_terms("phone telephone tel fax mobile"),
                 implied=_split_terms("phone telephone tel fax mobile number nr no"), whose=True),
    QuestionKind(
        re.compile(
            r"^\W*(?:(?:is|are|am|was|were)\b[^?]*\b(?:allowed|permitted|forbidden|prohibited|banned)\b"
            r"|(?:may|can|are|am) (?:i|we|you|they|one|people|staff|employees|tenants|visitors)\b)",
            re.I,
        ),
        _find(PERMISSION), value=_find(PERMISSION), implied=_split_terms("allow permit forbid prohibit ban"), named=0.6,
    ),
    # What a thing can do is said without such a word, too: "The boat carries 12 passengers."
    QuestionKind(re.compile(r"^\W*(?:may|can)\b", re.I), value=_find(PERMISSION), named=0.6,
                 has=lambda s, q: bool(PERMISSION.search(s)) or set(extract_terms(q)) <= set(extract_terms(s))),
    QuestionKind(re.compile(r"\bhow many\b", re.I), _has_count, value=_find(FIGURE)),
    QuestionKind(NUMBERED_THING, has_number_of_thing,
                 implied=_split_terms("number id code no nr"), value=_find(FIGURE)),
    QuestionKind(ASKED_DATE, _find(DATE), value=has_time),
    QuestionKind(
        re.compile(
            r"\bhow much\b[^?]*\b(?:rise|increase|fall|decrease|drop|(?:go|going|went|gone) (?:up|down))\b"
            r"|\bwhat (?:is|was) (?:the )?(?:increase|decrease)\b",
            re.I,
        ),
        _has_change, value=_find(CHANGE), implied=_split_terms("rise increase fall decrease drop"), named=1,
    ),
    QuestionKind(ON_TOP, _find(CHANGE), value=_find(CHANGE)),
    QuestionKind(re.compile(rf"\b(?:how much|what|which|wie viel|welche[rs]?)\b[^?]*?\b(?:{MONEY_WORDS})\b", re.I),
                 _find(AMOUNT), value=lambda v: bool(AMOUNT.search(v) or re.match(r"\W*\d", v)),
                 implied=_split_terms("price"), label=_split_terms("price")),
    QuestionKind(re.compile(r"\bhow (?:large|big|high|far|tall|deep)\b", re.I), _has_size, named=1,
                 implied=_split_terms("large big high far tall deep"),
                 value=lambda v: bool(SIZE.search(v) or AMOUNT.match(v))),
    QuestionKind(re.compile(r"\bhow (?:hot|cold|warm)\b|\b(?:what|which) temperature\b", re.I), _find(DEGREES),
                 implied=_split_terms("hot cold warm temperature"), value=_find(FIGURE)),
    QuestionKind(re.compile(r"\bhow old\b", re.I), _find(AGE), implied=_split_terms("old"), value=_find(FIGURE)),
    QuestionKind(re.compile(r"\bhow much\b|\bwhat (?:percentage|number|share|cap)\b", re.I),
                 _has_quantity, value=_find(FIGURE)),
    QuestionKind(WHY, _find(REASON), must=False, loose=True, value=_find(REASON), line=CAUSE_LINE),
    # A term may be perpetual, and a period stand in a schedule.
    QuestionKind(re.compile(r"\b(?:what|which)\s+(?:is|was|are)\b[^?]*(?<!-)\b(?:period|duration|term of)\b", re.I),
                 _find(DATE), must=False, loose=True),
    QuestionKind(re.compile(r"\bhow (?:long|fast(?! is\b)|quickly|soon)\b", re.I),
                 _has_length, implied=HOW_LONG, value=has_duration),
    QuestionKind(re.compile(r"\b(?:in|since|until|by|from) (?:what|which) (?:year|decade|century)\b", re.I),
                 has_year, value=has_year, implied=YEARS, label=YEARS),
    QuestionKind(UNTIL_WHEN, has_limit, value=has_time, implied=TERMS_OF_HAPPENING),
    QuestionKind(WHEN, has_time_asked, value=has_time, implied=TERMS_OF_HAPPENING),
    QuestionKind(re.compile(r"\bwho(?:m|se)?\b|\bwhich (?:person|company|party|employee)\b", re.I),
                 has_person, value=has_name),
    QuestionKind(re.compile(r"\bwhere\b", re.I), has_place, line=PLACE_LINE,
                 value=lambda v: bool(re.search(r"[^\W\d_]{2}", DATE.sub("", v))),
                 implied=_split_terms("take place held happen located situated")),
)  # fmt: skip


def add_units(sentence: str) -> str:
    """A row whose label names a unit, with it behind each figure: "| Price (EUR) | 40 |" has "40 EUR"."""
    found = UNIT_LABEL.match(sentence)
    figures = re.findall(r"\|\s*([\d.,]+)\s*(?=\|)", sentence) if found else []
    return f"{sentence} {' '.join(f'{figure} {found[1]}' for figure in figures)}" if found and figures else sentence


def find_kind(question: str) -> QuestionKind | None:
    """What it asks for first: of "Who inspected it, and when?" a person."""
    question = normalise_fragment(question)
    found = [(match.start(), kind) for kind in KINDS if (match := kind.asked.search(question, 0, MAX_QUESTION_CHARS))]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def read_deed(question: str) -> str:
    """The term of what was done, of a question for who did it or when; "" for any other. One sentence has both."""
    if done := DONE_BY.match(question):
        return next(iter(extract_terms(done[1])), "")
    terms = extract_terms(question)
    if not WHEN.search(question) or len(terms) > MAX_TERMS_OF_DEED or not LAST_DEED.search(question):
        return ""
    return next(reversed([term for term in terms if term not in TERMS_OF_HAPPENING]), "")
