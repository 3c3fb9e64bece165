"""Tables whose heads speak of sums of money with words that stand for weights and settings as well."""

import re

TABLE_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
# Heads that speak of money as of weights and settings: beside sums, where no other head says what is measured.
AMOUNT_HEAD = re.compile(r"(?<![-\w])(?:values?|rates?|net|gross)\b", re.IGNORECASE)
MEASURE_HEAD = re.compile(
    r"\b(?:weights?|mass|tonnage|units?|uom|volume|length|width|height|diameter|area|pressure|temperature|density|flow"
    r"|speed|frequency|loads?|samples?|parameters?|settings?|propert(?:y|ies)|measure\w*|sensors?|registers?|coefficient"
    r"|variables?|symbol|limits?|(?:error|failure|success|hit|heart|refresh|frame|bit|data|sample|conversion)\s+rates?)\b"
    r"|\((?:kg|g|t|lbs?|mm|cm|m|km|m²|m³|l|bar|kpa|mpa|kn|kw|kwh|v|a|hz|°c|%|[\w³²]{1,4}/[\w³²]{1,4})\)",
    re.IGNORECASE,
)
TABLE_SUM = re.compile(
    r"\|[ \t]*[-+(]?(?:\d{1,3}(?:[,'’ ]\d{3}){1,6}(?:[.,]\d\d)?|\d{1,9}[.,]\d\d)[ \t]*\)?[ \t]*(?=\|)"
)


def has_sums(text: str) -> bool:
    """Whether a column of a table is of values, rates, net or gross, and holds sums of money."""
    row = TABLE_ROW.search(text)
    if row is None or not AMOUNT_HEAD.search(row.group()) or MEASURE_HEAD.search(row.group()):
        return False
    return TABLE_SUM.search(text, row.end()) is not None
