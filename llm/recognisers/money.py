"""Amounts of money, financial figures and pay."""

import re
from collections.abc import Iterator

from llm.recognisers.findings import DIGIT, Finding, find_sentence_spans, has_any_inside, matches, phrases
from llm.recognisers.late import compile_late
from llm.recognisers.ledger import find_ledger
from llm.recognisers.money_tables import TABLE_ROW, has_sums
from llm.recognisers.staff import find_scale_pay
from text.currencies import CODES

# Every repetition is bounded: text of a hostile length must not cost quadratic time.
NUMBER = r"\d{1,3}(?:[.,'’\u00a0 ]\d{3}){1,6}(?:[.,]\d{1,2})?|\d{1,15}(?:[.,]\d{1,6})?"
SCALE = (
    r"(?:\s?"
    + phrases(
        r"""k; m; mn; bn; mio\.?; mrd\.?; tsd\.?; thousand; millions?; billion; millionen; milliarden; milliards?;
        millones; crore; lakh"""
    )
    + r"\b\.?)"
)
WORDS = r"(?:(?:US|Canadian|Australian)\s+)?" + phrases(
    """dollars?; euros?; cents; pence; quid; bucks; grand(?! (?:piano|prix|slam|child|total|final|tour|hotel));
    pounds?(?: sterling)?; francs?; yen; rupees?; kroner; kronor; zloty"""
)
SPELLED = phrases(
    """one; two; three; four; five; six; seven; eight; nine; ten; eleven; twelve; thirteen; fourteen; fifteen; sixteen;
    seventeen; eighteen; nineteen; twenty; thirty; forty; fifty; sixty; seventy; eighty; ninety; hundred; thousand;
    million; billion"""
)
AMOUNT = compile_late(
    r"(?<![\w$])(?:"
    rf"(?:US|CA|AU|HK|NZ|NT|MX|C|A|R|S)?[$€£¥₹₩₽₪₺]\s?(?:{NUMBER}){SCALE}?"
    rf"|{CODES}\s?(?:{NUMBER}){SCALE}?"
    rf"|(?:Rs\.?|kr\.?)\s?(?:{NUMBER}){SCALE}?"
    rf"|(?:{NUMBER}){SCALE}?\s?(?:[€£¥₹]|{CODES}\b|{WORDS}\b|kr\b|Kč|zł|T€|k€|m€|€k|€m|[TkM]EUR\b)"
    rf"|\b{SPELLED}\s++(?:and\s++)?(?:[\w-]+\s+)?{WORDS}\b)",
    re.IGNORECASE,
)
POUNDS_WEIGHED = compile_late(r"\bweigh\w*\b[^.\n]{0,40}$", re.IGNORECASE)
SHELL_VARIABLE = compile_late(r"\$\d(?![\d.,])")

METRIC = phrases(
    r"""net result; result (?:after|before) tax; reserves; outlays?; (?:ordered?|delivered|order|stock|asset) value;
    (?:your|account|bank) balance; owes?; skonto; zahlungsziel; eigenkapital\w*; verschuldung\w*; reduction of the
    invoice; early payment; shareholding; costs?; loss(?! of); retention; cash at bank; credit line; order book; cost of
    sales; ebit; capex; opex; depreciation; amorti[sz]ation; overheads?; subsid(?:y|ies); penalt(?:y|ies); damages;
    refunds?; reimburs\w+; (?:we|they) owe; owed; quotation; share capital; equity; debts?; borrowings?; yield; return
    on (?:capital|equity|sales|investment); unsecured; overdraft; cash-?flow; net worth; rents?; lease payments?; hire
    charges?; surcharges?; tariffs?; duties; contract sum; retainer; sponsorship; donations?; umsatzerlöse; kosten;
    verbindlichkeiten; forderungen; rückstellung\w*; darlehen; kredit\w*; zinsen; zuschuss; vertragsstrafe; chiffre
    d['’]affaires; dépenses; recettes; emprunt; crédit; subvention; pénalités?; remise; salaires?;
    (?:wage|labour|unit|energy|freight|running|staff) costs?; energy bill; spend(?:ing)? to date; expenditure;
    principal; loans?; mortgage; lender; (?:lowest |highest |second )?bids?; (?:we|they) (?:offered|quoted|bid); insurer
    offers; tenders?; quotes?; grants?; waiver fee; fees?; payouts?; margins?; euribor; libor; hedge ratio; bunker
    price; prices?; write-?offs? of; book value; provision of; provisions for; outstanding
    (?:balance|invoices?|debts?|amounts?|principal|loans?|sums?); receivables?; payables?; deposits?; allowances?;
    premiums?; tax (?:due|paid|rate); prepayments?; redemption; instal?ments?; bonds? (?:of|for|in); severance; pay
    (?:rise|bands?); (?:opening|closing) balance; petty cash; order intake; turnover tax; for the
    (?:shares|business|company|plant|land); stundens[aä]tze?; miete; kaltmiete; nebenkosten; auftragssumme;
    kaufpreis\w*; ergebnis vor steuern; honorar; kosten; loyer; montant; acompte; prix; marge brute; honoraires; devis;
    revenues?; turnover; net sales; sales; ebitda?; gross (?:margins?|profits?); profits?; profitability; losses;
    operating (?:margins?|profits?|income|loss); net (?:income|profits?|loss|margins?|debt); working capital; liquidity;
    cash (?:flow|balance|reserves?|position|runway); burn rate; ARR; MRR; bookings; valuation; budgets?; overspend; cost
    overrun; forecasts?; discounts?; rebates?; royalt(?:y|ies); commissions?; purchase price; list prices?; contract
    (?:value|sum|price); unit prices?; price (?:increases?|list|cap); interest rates?; interest
    (?:at|of|is|on|shall|accru\w+); equity stake; credit (?:limit|line|facility); dividends?; earn-?out; total costs?;
    costs? (?:to|at) complet(?:e|ion); invoice (?:total|amount|value|sum); (?:amount|total|balance) due; late (?:payment
    )?(?:fee|charge|interest); retention; liquidated damages; day rates?; hourly rates?; umsatz; gewinn; verlust;
    rendite; marge; budget; rabatt; chiffre d['’]affaires; bénéfice; ingresos; beneficio; ricavi; omzet; winst"""
)
SHARE = (
    r"(?:[-+]?\d{1,9}(?:[.,]\d{1,4})?\s?(?:%|percent|per\s+cent|prozent|basis\s+points|bps)"
    rf"|\b{SPELLED}(?:teen|-\w+)?\s+(?:per\s?cent|prozent|pour\s+cent))"
)
SPOKEN = rf"\b{SPELLED}(?:[\s-]+(?:and\s+)?{SPELLED}){{0,5}}[\s-]+(?:hundred|thousand|million|billion)\b"
FIGURE = rf"(?:{SHARE}|{SPOKEN}|(?:{NUMBER}){SCALE}|\d{{1,3}}(?:[.,'’ ]\d{{3}}){{1,6}}|\d{{1,9}}(?:\.\d{{1,3}})?[x×]\s)"
METRIC_FIGURE = compile_late(
    rf"\b{METRIC}\b[^.\n|]{{0,80}}?{FIGURE}|(?<![\d.,]){FIGURE}[^.\n|]{{0,40}}?\b{METRIC}\b", re.IGNORECASE
)
NUMERAL = compile_late(r"\d|\b(?:hundred|thousand|million|billion|per\s?cent|prozent|pour\s+cent)\b", re.IGNORECASE)
METRIC_WORD = compile_late(rf"\b{METRIC}\b", re.IGNORECASE)
# A large figure for a year or a month is money also where no currency stands: of anything else the noun would follow.
PERIOD = (
    r"(?:(?:per|a|an|each|every)\s+(?:annum|year|month)\b|p\.\s?a\.|(?:annually|monthly|yearly)(?=\s*(?:[.,;)]|$))"
    r"|/\s?(?:year|yr|month|jahr|monat|an|mois|mes|año)\b|(?:im|pro)\s+(?:jahr|monat)\b|par\s+(?:an|mois)\b"
    r"|al\s+(?:año|mes)\b)"
)
PERIODIC = compile_late(
    r"(?<![\d.,])(?!(?:19|20)\d\d\b)(?:\d{1,3}(?:[.,'’\u00a0 ]\d{3}){1,6}|\d{4,9}|\d{2,4}\s?k)(?:[.,]\d{1,2})?"
    rf"\s?{PERIOD}|\b(?:hundred|thousand|million)\s+{PERIOD}",
    re.IGNORECASE | re.MULTILINE,
)
RATE = compile_late(
    r"\b(?:day|daily|hourly|weekly|monthly|annual|quarterly)\s+(?:rates?|fees?|rents?|charges?|premiums?"
    r"|instal?lments?)\b"
    r"[^.\n|%]{0,40}?(?<![\d.,])\d{2,7}(?![\d%]|\s?(?:%|per\s?cent|days|hours|months|years))",
    re.IGNORECASE,
)
CURRENCY_TABLE = compile_late(
    rf"\|[^|\n]*(?:\b{CODES}\b|[€£$¥]|(?<!-)\b(?:budget|cost|price|amount|revenue|salary|sum|offer|dividend"
    rf"|payout|turnover|sales|ebit\w*|bid|fee)s?\b)[^|\n]*\|",
    re.IGNORECASE,
)
PEOPLE_TABLE = compile_late(
    r"^[ \t]*\|(?=[^\n]*\b(?:name|employee|staff|mitarbeiter\w*)\b)"
    r"[^\n]*\b(?:grade|band|annual|monthly|gross|net|gehalt|lohn|pay|salary|old|new|bonus)\b",
    re.IGNORECASE | re.MULTILINE,
)
# Sums of which no currency stands: "31.5 million", several figures with cents beside a word of bookkeeping.
MILLIONS = compile_late(
    r"(?<![\d.,])\d{1,4}(?:[.,]\d{1,3})?\s?(?:million(?:en)?|billion|mio\.?|mrd\.?|mn|bn)\b"
    r"(?!\s+(?:people|tonnes?|tons|years|visitors|customers|users|rows|times|euro\w*\s+fine|containers?|passengers"
    r"|lines"
    r"|units|pieces|litres|copies|records|requests|downloads|inhabitants|kilomet\w+|miles|menschen|tonnen|jahre))",
    re.IGNORECASE,
)
EACH_AT = compile_late(
    r"\b\d{1,6}(?:[.,]\d{1,3})?\s?(?:m|m²|m³|m2|m3|t|h|hrs?|kg|l|pcs?|units?|stück|st\.|std\.?|pieces?)\s+(?:x|à|@"
    r"|at|zu|for)\s+\d{1,6}[.,]\d\d\b",
    re.IGNORECASE,
)
IN_THOUSANDS = compile_late(
    r"\((?:all |amounts |figures |sums )?(?:in )?(?:thousands?|millions?|m|T€|k€|TEUR|kEUR|'000|000s?"
    r"|thousand kron\w+)\b[^)\n]{0,20}\)",
    re.IGNORECASE,
)
PARTS = compile_late(
    r"\b(?:sections?|clauses?|articles?|paragraphs?|exhibits?|schedules?|version|release|chapter)\b"
    r"|^\s*\d{1,2}\.\d\d\.?\s",
    re.IGNORECASE,
)
CENTS = compile_late(
    r"(?<![\d.,])\d{1,3}(?:[.,'’ ]?\d{3}){0,3}[.,]\d\d(?![\d%]|[.,]\d|\s?(?:%|m|mm|cm|km|kg|t|bar|kN|h|m²|m³)\b)"
)
BOOKS = compile_late(
    r"\b"
    + phrases(
        r"""sum; total; net; gross; tax; vat; opening; closing; payments?; receipts?; debits?; credits?; invoice; paid;
        pay; expenses?; cost; price; rate; rates; balance; amount; excavation; labourer; agreed with the engineer; unit;
        netto; brutto; summe; betrag; total; ht; ttc; instead of; quote; à"""
    )
    + r"\b",
    re.IGNORECASE,
)
RATE_EACH = compile_late(
    r"(?<![\d.,:])\d{1,6}(?:[.,]\d{1,2})?\s(?:per|a|an|each|pro|par|je)\s(?:unit|piece|pallet|tonne|ton|kilo|litre"
    r"|(?:square\s+|cubic\s+)?met(?:re|er)|day|hour|hr|stunde|heure|mile|word|page|night"
    r"|week|head|seat|licence|month|stück|tonne|tag|palette|pièce|jour)\b",
    re.IGNORECASE,
)
# What somebody asks, pays or loses; a noun behind the figure would say of what else it is.
ASKED = compile_late(
    r"\b(?:costs?|charg(?:es?|ed)|wants?|asks?(?:\s+for)?|asked(?:\s+for)?|pa(?:y|ys|id)|quot(?:es?|ed)|bill(?:s"
    r"|ed)?|owes?|spent|worth|sav(?:es?|ed)|lost|loses?"
    r"|refunded|invoiced|c[ao]m(?:es?|ing)\s+to|amount(?:s|ed|ing)?\s+to|total(?:s|ling|led)?|sums?\s+up\s+to"
    r"|sich\s+auf|s['’]élève\s+à|sold\s+for|bought\s+for|kostet|zahlen|bezahlt|verlangt|coûte|payé|demande)\s+"
    r"(?:(?:us|them|him|her|about|some|around|only|nearly|over|another|a\s+further|rund|etwa|environ)\s+){0,2}"
    r"(?<![\d.,])(?:\d{1,3}(?:[.,'’]\d{3})+|\d{1,4}\s?k)\b(?=\s*(?:[.,;:)]|$|for\b|a\b|an\b|per\b|more\b|less\b"
    r"|in\b|to\b|plus\b|and\b|net\b|gross\b|für\b|pour\b|each\b|on\b))",
    re.IGNORECASE | re.MULTILINE,
)
SETTLED = compile_late(
    r"(?<![\d.,])\d{1,3}(?:[.,'’]\d{3})+\s+(?:ex\s+works|net|gross|sought|claimed|certified|invoiced|outstanding"
    r"|overdue|owed|unpaid|payable|excluding\s+vat|plus\s+vat|fob|cif|ht|netto|brutto)\b",
    re.IGNORECASE,
)
RATE_WORD = compile_late(
    r"\b"
    + phrases(
        r"""prices?; rates?; hire; rent; rents; charges?; fees?; surcharge; each; salary; wage; cost; costs; bid\w*;
        offer; pay; paid; invoice; quote; kosten; miete; preis; prix; loyer; tarif; euros? on"""
    )
    + r"\b",
    re.IGNORECASE,
)
# What is said of money without a figure.
DISTRESS = compile_late(
    r"\b"
    + phrases(
        r"""short of cash; cash is (?:short|tight|running out); (?:we|company|business|firm) (?:is|are|will be|may be)
        (?:nearly |almost )?(?:insolvent|bankrupt|illiquid); (?:assets?|goodwill|stocks?|loans?|investments?|machines?)
        (?:\w+ ){0,3}(?:was|were|is|are|be) (?:fully |partly )?(?:impaired|written (?:off|down)); write-?down of;
        run(?:s|ning)? out of (?:cash|money); makes? a loss; made a loss; loss-making; (?:we|they|company)
        los(?:e|es|t|ing) (?:money|about); (?:cannot|could not) (?:repay|refinance); refinanc\w+ (?:is|was) refused;
        (?:is|are|am|be) in arrears with; overdue by; overdraft is (?:exhausted|used up|at its limit); need (?:of )?a
        (?:bridging )?loan; bridging loan; covenant (?:breach|headroom); breach of covenant; cannot pay
        (?:wages|its|the); wages can be (?:met|paid) until; suppliers have to wait; credit limit is used up; behind with
        (?:its|their) payments; overdrawn; zahlungsunfähig\w*; überschuldet; trésorerie (?:tendue|insuffisante);
        cessation de paiements"""
    )
    + r"\b",
    re.IGNORECASE,
)
# The head and a row of a table that was pasted as text.
COLUMN_FIGURE = compile_late(r"[ \t]\d{1,3}(?:[.,'’ ]\d{3}){1,6}(?:\.\d\d)?[ \t]*$", re.MULTILINE)
TABLE_FIGURE = compile_late(r"\|\s*[-+(]?\d[\d.,'’ ]*\s*[%)]?\s*(?:\||$)", re.MULTILINE)

PAY_WORD = compile_late(
    r"\b"
    + phrases(
        r"""(?:his|her|their|my|your) (?:pay|earnings);
        (?:base|basic|gross|net|annual|monthly|yearly|starting|current|total) (?:pay|earnings); salar(?:y|ies); wages?;
        payroll; pay\s?(?:slip|check|cheque|band|grade|scale|rise|raise|cut|package|review); compensation; remuneration;
        bonus(?:es)?; (?:stock|share) options?; RSUs?; (?:day|hourly) rate; percent raise; severance(?: pay)?;
        take-home; overtime pay; hourly
        (?:wage|rate|pay); commission; earns?; earned; (?:is|are|was) paid; gets? paid; paid a (?:salary|bonus);
        commissions? due; payout; sign-?on bonus; pay\s?bands?; bezüge; grundgehalt; monatsgehalt; paie;
        pension contributions?; gehalt;
        gehälter; bruttogehalt; jahresgehalt; monatsgehalt; lohn; löhne; vergütung; prämie; bonuszahlung; salaires?;
        rémunération; primes? (?:de|d['’]\w+|annuelle|exceptionnelle|sur|pour); (?:la|une|sa|ma|votre|cette) prime;
        salarios?; sueldos?; nómina; retribuci[oó]n; stipendi?o?; retribuzione; salaris; loon; lön"""
    )
    + r"\b",
    re.IGNORECASE,
)
STRONG_PAY = compile_late(
    r"\b"
    + phrases(
        r"""salar(?:y|ies); wages?; bonus(?:es)?; severance; (?:base|basic|gross|net|annual|monthly) pay; remuneration;
        pay\s?(?:rise|raise|cut|slip|check|cheque|package|grade|band); compensation package; gehalt; jahresgehalt; lohn;
        salaire; salario; sueldo"""
    )
    + r"\b",
    re.IGNORECASE,
)
PAY_FIGURE = compile_late(
    r"(?<![\d.,])\d{2,6}[.,]\d\d(?![\d.,]\d)|\b\d{1,9}(?:[.,]\d{1,4})?\s?(?:%|percent|prozent|k\b)"
    r"|\b\d{1,3}(?:[.,'’ ]\d{3}){1,6}\b|\b\d{4,7}\b(?!\s*(?:hours|days|employees|people))"
)
# Names with a sum each, behind what is paid.
PAY_RUN = compile_late(
    r"\b(?i:payroll|wages|salaries|bonus(?:es)?|löhne|gehälter)\b[^\n:]{0,30}:\s*"
    r"(?:[A-Z][\w'’-]+\s+\d[\d.,'’]*\s*[;,/]\s*){1,40}[A-Z][\w'’-]+\s+\d"
)
YEAR = compile_late(r"\b(?:19|20)\d\d\b")


def find_money(text: str) -> list[Finding]:
    """Findings of kinds amount, figure (revenue, margin, price …), periodic (so much a year or month), pay_figure (pay
    with a number beside it) and people_pay (a table with a column of names and one of pay).
    """
    amounts = [
        f
        for f in matches("amount", AMOUNT, text)
        if not SHELL_VARIABLE.fullmatch(text[f.start : f.end].strip())
        and not (text[f.start : f.end].lower().endswith("pounds") and POUNDS_WEIGHED.search(text[: f.start]))
    ]
    figures = list(matches("figure", METRIC_FIGURE, text)) if NUMERAL.search(text) else []
    figures += [*matches("periodic", PERIODIC, text), *find_scale_pay(text), *matches("figure", DISTRESS, text)]
    if DIGIT.search(text):
        figures += _find_figures_in_digits(text)
    if IN_THOUSANDS.search(text) and METRIC_WORD.search(text):
        figures += matches("figure", IN_THOUSANDS, text)
    figures += find_ledger(text)
    row = TABLE_ROW.search(text)
    headed = row and CURRENCY_TABLE.search(text, 0, row.end()) or has_sums(text)
    if (headed or PEOPLE_TABLE.search(text)) and TABLE_FIGURE.search(text):
        figures += matches("figure", TABLE_FIGURE, text)
    figures += matches("people_pay", PAY_RUN, text)
    if PEOPLE_TABLE.search(text) and TABLE_FIGURE.search(text):
        figures += matches("people_pay", PEOPLE_TABLE, text)
    return amounts + figures + _find_pay(text, amounts)


def _find_figures_in_digits(text: str) -> Iterator[Finding]:
    for pattern in (RATE, MILLIONS, EACH_AT, ASKED, SETTLED):
        yield from matches("figure", pattern, text)
    cents = list(matches("figure", CENTS, text))
    if cents and (len(cents) >= 2 and BOOKS.search(text) or METRIC_WORD.search(text)) and not PARTS.search(text):
        yield from cents
    if RATE_WORD.search(text):
        yield from matches("figure", RATE_EACH, text)


def _find_pay(text: str, amounts: list[Finding]) -> list[Finding]:
    found = []
    whole = [(0, len(text))]  # in a table the word stands in the head and the figure in a row
    table = TABLE_ROW.search(text) or COLUMN_FIGURE.search(text)
    for start, end in whole if table else find_sentence_spans(text):
        sentence = text[start:end]
        word = PAY_WORD.search(sentence)
        if word and (has_any_inside(amounts, start, end) or PAY_FIGURE.search(YEAR.sub("", sentence))):
            found.append(Finding("pay_figure", start + word.start(), start + word.end()))
    return found


def find_pay_talk(text: str) -> list[Finding]:
    """Findings of kind "pay": strong words for pay, with or without a figure."""
    return list(matches("pay", STRONG_PAY, text))
