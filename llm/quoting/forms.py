"""What a question asks for, and what a piece of text has: a date, an amount, a person. English and German."""

import re

ASKED = {
    name: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    for name, pattern in {
        "when": r"when|what (?:date|day|time)|which (?:date|day|month|year)|until|by when|deadline|wann|bis wann|datum"
        r"|uhrzeit",
        "who": r"who|whom|whose|wer|wem|wen|wessen",
        "where": r"where|wo|wohin|woher|address|adresse|anschrift",
        "money": r"how much|cost\w*|price\w*|fee\w*|pay\w*|paid|rent|charge\w*|rate|deposit|wieviel|wie viel|kost\w*"
        r"|preis\w*|gebühr\w*|miete|zahl\w*|betrag|beitrag",
        "count": r"how many|number of|wie viele|wieviele|anzahl",
        "long": r"how (?:long|often|soon|quick(?:ly)?|fast)|notice|wie (?:lange|oft|schnell)|frist",
        "size": r"how (?:big|large|far|high|deep|heavy|hot|cold|old)|wie (?:groß|hoch|weit|schwer|alt|warm|kalt|tief)",
        "why": r"why|how come|reason|cause\w*|warum|wieso|weshalb|grund|ursache",
        "may": r"can|may|must|allowed?|do (?:we|i|they) (?:have|need)|is it|are (?:we|they)|darf|dürfen|muss|müssen"
        r"|kann|können",
        "contact": r"phone|number|e-?mail|contact|call|ring|telefon\w*|nummer|erreich\w*|anrufen",
        "which": r"which|what|welche[rsmn]?|was",
        "how": r"how|wie",
    }.items()
}
MONTH = r"(?:jan|feb|m[aä]r|apr|may|mai|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zä]*"
HAS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "date": rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{MONTH}\b|\b{MONTH}\s+\d{{1,4}}\b"
        r"|\b\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\b|\b(?:19|20)\d\d\b|\b\d{1,2}\.\d{1,2}\.",
        "time": r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s?(?:am|pm|uhr)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
        r"|\b(?:mon|diens|donners|frei|sams|sonn)tags?\b|\bmittwochs?\b",
        "money": r"[€$£¥]\s?\d|\d\s?[€$£¥]|\b(?:EUR|GBP|USD|CHF)\b|\b\d+[.,]\d{2}\b"
        r"|\b\d[\d.,]*\s?(?:euros?|pounds?|pence|dollars?|cents?|p)\b",
        "number": r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b"
        r"|\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf)\b",
        "part": r"\d\s?%|\bper ?cent\b|\bprozent\b",
        "span": r"\b(?:minutes?|hours?|days?|weeks?|months?|years?|daily|weekly|monthly|annually|quarterly|every)\b"
        r"|\b(?:minuten?|stunden?|tagen?|tage|wochen?|monate?n?|jahre?n?)\b"
        r"|\b(?:täglich|wöchentlich|monatlich|jährlich|jede[nrs]?)\b",
        "name": r"(?-i:\b(?:Mrs?|Ms|Dr|Herrn?|Frau)\b\.?\s+[A-ZÄÖÜ]|\b[A-ZÄÖÜ][a-zäöüß]+\s+[A-ZÄÖÜ][a-zäöüß'’-]+)",
        "contact": r"\S@\S|\b0\d{2,5}[\s/-]?\d{3,}|\+\d{2}",
        "reason": r"\b(?:because|since|due to|so that|as|after|weil|da|wegen|damit|aufgrund|nachdem|denn)\b",
        "rule": r"\b(?:may|must|only|not|no|never|allow\w*|permit\w*|requir\w*|need\w*)\b"
        r"|\b(?:nicht|kein\w*|nur|darf|dürfen|muss|müssen)\b",
    }.items()
}
FITS = {
    "when": ("date", "time"),
    "who": ("name",),
    "where": ("number", "name"),
    "money": ("money",),
    "count": ("number",),
    "long": ("span", "number"),
    "size": ("number",),
    "why": ("reason",),
    "may": ("rule",),
    "contact": ("contact",),
}
"""What a question asks for -> what an answer has, any of them."""


def read_asked(question: str) -> list[bool]:
    """For each of `ASKED`, in order."""
    return [bool(form.search(question)) for form in ASKED.values()]


def read_has(text: str) -> list[bool]:
    """For each of `HAS`, in order."""
    return [bool(form.search(text)) for form in HAS.values()]
