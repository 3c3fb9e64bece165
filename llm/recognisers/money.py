"""Amounts of money, financial figures and pay."""

import re

from llm.recognisers.findings import Finding, any_inside, matches, phrases, sentence_spans

# Every repetition is bounded: text of a hostile length must not cost quadratic time.
NUMBER = r"\d{1,3}(?:[.,'’\u00a0 ]\d{3}){1,6}(?:[.,]\d{1,2})?|\d{1,15}(?:[.,]\d{1,6})?"
SCALE = (
    r"(?:\s?"
    + phrases(
        r"""k; m; mn; bn; mio\.?; mrd\.?; tsd\.?; thousand; millions?; billion; millionen; milliarden; milliards?;
        millones; crore; lakh"""
    )
    + r"\b)"
)
CODES = phrases(
    """USD; EUR; GBP; CHF; JPY; CAD; AUD; NZD; SEK; NOK; DKK; PLN; CZK; HUF; RON; INR; CNY; RMB; BRL; MXN; ZAR; SGD;
    HKD; KRW; TRY; ILS; AED"""
)
WORDS = r"(?:(?:US|Canadian|Australian)\s+)?" + phrases(
    "dollars?; euros?; pounds?(?: sterling)?; francs?; yen; rupees?; kroner; kronor; zloty"
)
SPELLED = phrases(
    """one; two; three; four; five; six; seven; eight; nine; ten; twelve; fifteen; twenty; thirty; forty; fifty;
    sixty; seventy; eighty; ninety; hundred; thousand; million; billion"""
)
AMOUNT = re.compile(
    r"(?<![\w$])(?:"
    rf"(?:US|CA|AU|C|A)?[$€£¥₹₩₽₪₺]\s?(?:{NUMBER}){SCALE}?"
    rf"|{CODES}\s?(?:{NUMBER}){SCALE}?"
    rf"|(?:Rs\.?|kr\.?)\s?(?:{NUMBER}){SCALE}?"
    rf"|(?:{NUMBER}){SCALE}?\s?(?:[€£¥₹]|{CODES}\b|{WORDS}\b|kr\b|Kč|zł|T€|k€|m€|€k|€m)"
    rf"|\b{SPELLED}\s+(?:and\s+)?(?:[\w-]+)?\s*{WORDS}\b)",
    re.IGNORECASE,
)
SHELL_VARIABLE = re.compile(r"\$\d(?![\d.,])")

METRIC = phrases(
    r"""revenues?; turnover; net sales; sales; ebitda?; gross (?:margins?|profits?); profits?; profitability;
    losses; operating (?:margins?|profits?|income|loss); net (?:income|profits?|loss|margins?|debt);
    working capital; liquidity; cash (?:flow|balance|reserves?|position|runway); burn rate; ARR; MRR; bookings;
    valuation; budgets?; overspend; cost overrun; forecasts?; discounts?; rebates?; royalt(?:y|ies); commissions?;
    purchase price; list prices?; contract (?:value|sum|price); unit prices?; price (?:increases?|list|cap);
    interest rates?; interest (?:at|of|is|on|shall|accru\w+); equity stake; credit (?:limit|line|facility);
    dividends?; earn-?out; total costs?; costs? (?:to|at) complet(?:e|ion); invoice (?:total|amount|value|sum);
    (?:amount|total|balance) due;
    late (?:payment )?(?:fee|charge|interest); retention; liquidated damages; day rates?; hourly rates?; umsatz;
    gewinn; verlust; rendite; marge; budget; rabatt; chiffre d['’]affaires; bénéfice; ingresos; beneficio; ricavi;
    omzet; winst"""
)
SHARE = r"[-+]?\d{1,9}(?:[.,]\d{1,4})?\s?(?:%|percent|per\s+cent|prozent|basis\s+points|bps)"
FIGURE = rf"(?:{SHARE}|(?:{NUMBER}){SCALE}|\d{{1,3}}(?:[.,'’ ]\d{{3}}){{1,6}}|\d{{1,9}}(?:\.\d{{1,3}})?[x×]\s)"
METRIC_FIGURE = re.compile(
    rf"\b{METRIC}\b[^.\n|]{{0,80}}?{FIGURE}|(?<![\d.,]){FIGURE}[^.\n|]{{0,40}}?\b{METRIC}\b", re.IGNORECASE
)
# A large figure for a year or a month is money also where no currency stands: of anything else the noun would follow.
PERIOD = (
    r"(?:(?:per|a|an|each|every)\s+(?:annum|year|month)\b|p\.\s?a\.|(?:annually|monthly|yearly)(?=\s*(?:[.,;)]|$))"
    r"|/\s?(?:year|yr|month|jahr|monat|an|mois|mes|año)\b|(?:im|pro)\s+(?:jahr|monat)\b|par\s+(?:an|mois)\b"
    r"|al\s+(?:año|mes)\b)"
)
PERIODIC = re.compile(
    r"(?<![\d.,])(?!(?:19|20)\d\d\b)(?:\d{1,3}(?:[.,'’\u00a0 ]\d{3}){1,6}|\d{4,9}|\d{2,4}\s?k)(?:[.,]\d{1,2})?"
    rf"\s?{PERIOD}|\b(?:hundred|thousand|million)\s+{PERIOD}",
    re.IGNORECASE | re.MULTILINE,
)
RATE = re.compile(
    r"\b(?:day|daily|hourly|weekly|monthly|annual|quarterly)\s+(?:rates?|fees?|rents?|charges?|premiums?|instal?lments?)\b"
    r"[^.\n|%]{0,24}?(?<![\d.,])\d{2,7}(?![\d%]|\s?(?:%|per\s?cent|days|hours|months|years))",
    re.IGNORECASE,
)
CURRENCY_TABLE = re.compile(
    rf"\|[^|\n]*(?:\b{CODES}\b|[€£$¥]|\b(?:budget|cost|price|amount|revenue|value|salary|rate)s?\b)[^|\n]*\|",
    re.IGNORECASE,
)
PEOPLE_TABLE = re.compile(
    r"^[ \t]*\|(?=[^\n]*\b(?:name|employee|staff|mitarbeiter\w*)\b)"
    r"[^\n]*\b(?:grade|band|annual|monthly|gross|net|gehalt|lohn)\b",
    re.IGNORECASE | re.MULTILINE,
)
# The head and a row of a table that was pasted as text.
COLUMN_FIGURE = re.compile(r"[ \t]\d{1,3}(?:[.,'’ ]\d{3})+(?:\.\d\d)?[ \t]*$", re.MULTILINE)
TABLE_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
TABLE_FIGURE = re.compile(r"\|\s*[-+(]?\d[\d.,'’ ]*\s*[%)]?\s*(?:\||$)", re.MULTILINE)

PAY_WORD = re.compile(
    r"\b"
    + phrases(
        r"""(?:his|her|their|my|your) (?:pay|earnings);
        (?:base|basic|gross|net|annual|monthly|yearly|starting|current|total) (?:pay|earnings);
        salar(?:y|ies); wages?; payroll; pay\s?(?:slip|check|cheque|band|grade|scale|rise|raise|cut|package|review);
        compensation; remuneration; bonus(?:es)?; (?:stock|share) options?; RSUs?; severance(?: pay)?; take-home;
        overtime pay; hourly (?:wage|rate|pay); commission; earns?; earned; (?:is|are|was) paid; gets? paid;
        paid a (?:salary|bonus); pension contributions?; gehalt; gehälter; bruttogehalt; jahresgehalt; monatsgehalt;
        lohn; löhne; vergütung; prämie; bonuszahlung; salaires?; rémunération; prime; salarios?; sueldos?; nómina;
        retribuci[oó]n; stipendi?o?; retribuzione; salaris; loon; lön"""
    )
    + r"\b",
    re.IGNORECASE,
)
STRONG_PAY = re.compile(
    r"\b"
    + phrases(
        r"""salar(?:y|ies); wages?; bonus(?:es)?; severance; (?:base|basic|gross|net|annual|monthly) pay;
        remuneration; pay\s?(?:rise|raise|cut|slip|check|cheque|package|grade|band); compensation package; gehalt;
        jahresgehalt; lohn; salaire; salario; sueldo"""
    )
    + r"\b",
    re.IGNORECASE,
)
PAY_FIGURE = re.compile(
    r"\b\d{1,9}(?:[.,]\d{1,4})?\s?(?:%|percent|prozent|k\b)|\b\d{1,3}(?:[.,'’ ]\d{3}){1,6}\b"
    r"|\b\d{4,7}\b(?!\s*(?:hours|days|employees|people))"
)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def find_money(text: str) -> list[Finding]:
    """Findings of kinds amount, figure (revenue, margin, price …), periodic (so much a year or month) and
    pay_figure (pay with a number beside it).
    """
    amounts = [
        f for f in matches("amount", AMOUNT, text) if not SHELL_VARIABLE.fullmatch(text[f.start : f.end].strip())
    ]
    figures = list(matches("figure", METRIC_FIGURE, text))
    figures += [*matches("periodic", PERIODIC, text), *matches("figure", RATE, text)]
    if (CURRENCY_TABLE.search(text) or PEOPLE_TABLE.search(text)) and TABLE_FIGURE.search(text):
        figures += matches("figure", TABLE_FIGURE, text)
    return amounts + figures + _pay(text, amounts)


def _pay(text: str, amounts: list[Finding]) -> list[Finding]:
    found = []
    whole = [(0, len(text))]  # in a table the word stands in the head and the figure in a row
    table = TABLE_ROW.search(text) or COLUMN_FIGURE.search(text)
    for start, end in whole if table else sentence_spans(text):
        sentence = text[start:end]
        word = PAY_WORD.search(sentence)
        if word and (any_inside(amounts, start, end) or PAY_FIGURE.search(YEAR.sub("", sentence))):
            found.append(Finding("pay_figure", start + word.start(), start + word.end()))
    return found


def find_pay_talk(text: str) -> list[Finding]:
    """Findings of kind "pay": strong words for pay, with or without a figure."""
    return list(matches("pay", STRONG_PAY, text))
