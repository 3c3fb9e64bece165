"""What an entry of a table is: a year, a date, a time of day, another number, nothing, or words."""

import re

_CURRENCY = r"(?:[$€£¥]|EUR|USD|GBP|CHF|Rs\.?)"
_UNIT = r"(?:%|hrs?|kg|mg|cm|mm|km|ml|kWh|MWh|kW|GB|MB|pcs|[hgtmlWx])"
KINDS = {
    "year": re.compile(r"(?:FY ?)?(?:19|20)\d\d"),
    "date": re.compile(
        r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}\.? [A-Z][a-z]{2,8}\.?(?: \d{2,4})?|"
        r"[A-Z][a-z]{2,8}\.? \d{1,2}(?:, \d{4})?"
    ),
    "clock": re.compile(r"\d{1,2}[:.]\d{2}(?: ?[ap]\.?m\.?)?", re.IGNORECASE),
    "number": re.compile(
        rf"[-–−+(]?\s?{_CURRENCY}?\s?[-–−(]?\d[\d.,']{{0,20}}(?: \d{{3}}){{0,3}}\)?\s?(?:{_CURRENCY}|{_UNIT})?\)?",
        re.IGNORECASE,
    ),
}
NOTHING = re.compile(r"[-–−—]|n/?a|nil|none|\$\s?[-–−—]", re.IGNORECASE)
DIGIT = re.compile(r"\d")


def name_kind(text: str) -> str:
    """Of what kind a number is; empty for words."""
    if DIGIT.search(text) is None:
        return ""
    return next((kind for kind, pattern in KINDS.items() if pattern.fullmatch(text.strip())), "")
