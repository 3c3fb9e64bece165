"""How dates, lengths, sizes, and means of payment are written."""

import re

MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?"
MONTH_NAME = r"(?:january|february|march|april|may(?! be\b)|june|july|august|september|october|november|december)\b"
COUNT = r"(?:\w+\s+\(?\d+\)?|\d+|one|two|three|six|twelve|thirty|sixty|ninety)"
SPELT_NUMBER = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|hundred|thousand|million|half|third|quarter)"
)
NUMBER = re.compile(rf"\d|\b{SPELT_NUMBER}\b", re.IGNORECASE)
FREQUENCY = re.compile(
    r"\b(?:daily|weekly|fortnightly|monthly|quarterly|yearly|annual(?:ly)?|once|twice|\w+ times|regular(?:ly)?"
    r"|(?:each|every|per) (?:\w+ ){0,2}(?:day|week|month|quarter|year|shift)s?)\b",
    re.IGNORECASE,
)
RATE = re.compile(
    r"\b(?:in|within|after|for|than|of|least|most)\s+(?:an?|each|every)\s+\w+"
    r"|\b(?:per|each|every|an?)\s+(hour|day|week|month|quarter|year)\b"
    r"|\b((?:hour|dai|week|month|quarter|year)(?=ly\b)|annual)",
    re.IGNORECASE,
)
ORDINAL = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\w+teenth|\w+fth)"
)
PAST_YEAR = (
    r"(?:in|since|by|until|till|before|after|around|circa|year|during) 1[0-8]\d\d"
    r"(?=\W*$|[,;:.)–-]"
    r"|\s(?:the|an?|and|or|in|by|when|as|was|were|with|of|for|at|on|he|she|they|it)\b|\s(?-i:[A-Z])\w+\b)"
)
"""Before 1900 only what can be no number of things."""
DATE = re.compile(
    r"\b(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}|(?:19|20)\d{2}|(?:1\d|20)\d0s"
    rf"|\d{{1,4}} (?-i:BCE?|CE|AD)|{ORDINAL}[\s-](?:century|(?:working )?day)|{PAST_YEAR}"
    rf"|{MONTH}\s+\d{{1,2}}|\d{{1,2}}\.?\s+{MONTH}|(?:in|early|late|mid|since|until) {MONTH_NAME}"
    rf"|{COUNT}\s+(?:working\s+|business\s+|calendar\s+)?(?:days?|weeks?|months?|years?|hours?|minutes?)"
    r"|day of (?:each|every) month|monday|tuesday|wednesday|thursday|friday|annual(?:ly)?|monthly|quarterly|weekly)\b",
    re.IGNORECASE,
)
CLOCK_OR_DAY = re.compile(
    r"(?<![\d.,$€£¥])(?:\d{1,2}[/:]\d{1,2}|\d{1,2}\.\d{1,2}\.|\d{1,2}\.\d\d\s?(?:uhr|h|[ap]\.?m)\b)(?!\d)"
    r"|\bat (?:half past |quarter (?:past|to) )?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)"
    r"(?=\W*$|[.;)]|\s(?:in|on|o['’]clock|sharp|every|each|until|till)\b)",
    re.IGNORECASE,
)
"""14:32, 3/5, "3.5."; an amount is none of them."""
LENGTH = re.compile(
    r"\d\s?(?:[cmk]?m|met(?:re|er)s?|millimet\w+|kilomet\w+|feet|foot|ft|inch(?:es)?|miles?|yards|characters?|letters|digits"
    r"|words|pages?|lines)\b",
    re.IGNORECASE,
)
SIZE = re.compile(
    rf"{LENGTH.pattern}|\d\s?(?:m[²³]|%|[kmg]b\b|sq\w*|acres|hectares|ha\b|litres|tonnes|kg\b|people|persons|employees|members"
    r"|rooms|beds|seats|floors|storeys|sectors)",
    re.IGNORECASE,
)
"""A figure with the unit of a length, an area, a volume, or with what a thing is made of."""
DIMENSIONS = {
    name: re.compile(rf"\b(?:{forms})\b", re.IGNORECASE)
    for name, forms in {
        "deep": "deep|depth",
        "high": "high|tall|height",
        "far": "far|away|distant|distance",
        "long": "long|length",
        "wide": "wide|width|broad|breadth|thick",
    }.items()
}
"""What measures are called."""
DURATION = re.compile(
    rf"(?:\d|\b(?:an?|few|several|{SPELT_NUMBER})\b)[\s)-]{{0,3}}(?:\([^()]{{1,20}}\)\s)?"
    r"(?:(?:working|business|calendar|full|more|further|consecutive)\s)?"
    r"(?:second|minute|min|hour|hr|h|day|night|week|month|quarter|year|yr)s?\b"
    rf"|\b(?:until|till|through|since|en(?:d|ds|ded|ding)|expir\w+)\b[^.;|]{{0,40}}?{DATE.pattern}|(?:\bto|–|-)\s{DATE.pattern}",
    re.IGNORECASE,
)
"""A number of days, or until when; a moment is neither."""
CLOCK = re.compile(r"\d:\d\d")
MEANS = re.compile(
    r"\b(?:cash|card|visa|master\s?card|amex|american express|maestro|che(?:que|ck)s?|transfer|debit|paypal|contactless"
    r"|(?:apple|google) pay|voucher|instal?lments?|standing order|karte|überweisung|lastschrift)\b",
    re.IGNORECASE,
)
"""By what is paid."""
NEGATED = re.compile(r"\b(?:not?|never|neither|nor|without|cannot|nicht|kein\w*)\b|n['’]t\b", re.IGNORECASE)
CLAUSE = re.compile(r"[,;]|\.\s|\bbut\b", re.IGNORECASE)


def read_rates(text: str) -> set[str]:
    """The stems of the times by which something is counted: of "£200 a week" and of "weekly" it is "week"."""
    found = {(by or ly).lower() for by, ly in RATE.findall(text)} - {""}
    return {{"day": "dai", "annual": "year"}.get(rate, rate) for rate in found}


def has_means(text: str) -> bool:
    """By what is paid, and not by what it is not: "in cash" of "not by card but in cash"."""
    return any(MEANS.search(part) and not NEGATED.search(part) for part in CLAUSE.split(text))
