"""Money that is said without a currency: in words, as shares and terms, in the language of deals and books."""

import re
from collections.abc import Iterator

from llm.recognisers.findings import Finding, matches, phrases

UNITS = phrases(
    """one; two; three; four; five; six; seven; eight; nine; ten; eleven; twelve; thirteen; fourteen; fifteen; sixteen;
    seventeen; eighteen; nineteen; twenty; thirty; forty; fifty; sixty; seventy; eighty; ninety; a; half; half a;
    several; a few; ein(?:e[mnr]?)?; zwei; drei; vier; fünf; sechs; sieben; acht; neun; zehn; zwölf; zwanzig; dreißig;
    vierzig; fünfzig; achtzig; halbe; un; une; deux; trois; quatre; cinq; six; sept; huit; neuf; dix; douze; quinze;
    vingt; trente; quarante; cinquante; soixante"""
)
THOUSANDS = phrases(
    r"hundred; thousand; million; billion; grand; \w{0,20}hundert; \w{0,20}tausend; millionen?; mille; cents?;"
    r" millions?"
)
IN_WORDS = rf"{UNITS}(?:[\s-]+(?:and\s+)?(?:{UNITS}|{THOUSANDS})){{0,6}}[\s-]+{THOUSANDS}"
# Behind an amount in words nothing is named that it could count.
ENDS = (
    r"(?=\s*(?:[.,;:)!?]|$)|\s+(?:up front|in|for|and|or|plus|net|gross|to|a|an|per|each|more|less|all told|spread|over"
    r"|on|down|off|short|hors|ht|für|pro|netto|brutto|when|if|at|by|last|this|next|less|before|after)\b)"
)
GIVEN = phrases(
    r"""for; worth; wants?; pays?; paid; offer\w*; asks?(?: for)?; costs?; sold; bought; bids?; agreed (?:on|to)?; lent;
    settle\w*; los(?:es?|t|ing); saves?; saved; owes?; owed; earns?; earned; makes?; made; raised; invested?; spent;
    budget(?:ed)?; charged?; goes in at; quoted?; valued at; s['’]élève à; coûte; payé; vendu; zahl\w+;
    bezahl\w+; kostet; verlangt; geboten; verkauft für"""
)
SPOKEN_SUM = re.compile(rf"\b{GIVEN}\b[^.\n]{{0,40}}?\b{IN_WORDS}\b{ENDS}", re.IGNORECASE | re.MULTILINE)
SPOKEN_DECIMAL = re.compile(
    rf"\b(?:bid|tender|offer|ours|theirs|price|settle\w*|valuation|goes in)\b[^.\n]{{0,60}}"
    rf"\b{UNITS}\s+point\s+{UNITS}\b",
    re.IGNORECASE,
)
LOSS_A_DAY = re.compile(
    r"\b(?:los(?:es?|t|ing)|earns?|makes?|made|saves?|burns?)\s+(?:\w+\s+){0,2}(?:a\s+)?(?:hundred|thousand|\d{2,6})\s+"
    r"(?:a|an|per|every|each)\s+(?:hour|day|night|week|month|quarter|year)\b",
    re.IGNORECASE,
)

# Of what a share or a change without a figure says something about money.
CONCERN = phrases(
    r"""sales; revenues?; turnover; profits?; margins?; mark-?ups?; prices?; fees?; costs?; rents?; budgets?;
    dividends?; salar(?:y|ies); wages?; bonus(?:es)?; deposit; down payment; advance; balance; debts?; loans?;
    invoice; discount; premiums?; royalt(?:y|ies); commissions?; valuation; order book; earnings;
    orders (?:are|fell|rose|were);
    umsatz\w*; gewinn\w*; preise?; kosten; miete; gebühr\w*; anzahlung; restbetrag; marge; rabatt; gehälter; löhne;
    chiffre d['’]affaires; bénéfices?; prix; loyer; acompte; solde; salaires?"""
)
FRACTION = (
    r"(?:(?:an?|one|two|three|nearer|nearly|about|almost|ein(?:em|en|es)?|zwei|drei|un|une|le|la|deux)\s+(?:a\s+)?"
    r"(?:half|third|quarter|fifth|sixth|eighth|tenth|hälfte|drittel|viertel|fünftel|achtel|zehntel|tiers|quart|moitié"
    r"|cinquième|dixième)s?|half|die\s+hälfte|doubl(?:ed?|es)|halved|halves|trebl(?:ed|es)|tripl(?:ed|es)|quadrupled"
    r"|verdoppel\w+|verdreifach\w+|halbier\w+)"
)
CHANGE = re.compile(
    rf"\b{CONCERN}\b[^.\n|]{{0,50}}?\b(?:by|is|are|was|were|of|beträgt|betragen|um|de|had|has|have"
    rf"|will be|to|at|nearer)\b"
    rf"[^.\n|]{{0,20}}?\b{FRACTION}\b",
    re.IGNORECASE,
)
NOTHING = re.compile(
    r"\b(?:dividends?|bonus(?:es)?|salar(?:y|ies)|wages|fees?|prices?|budget|pension contributions?)\b[^.\n]{0,20}"
    r"\b(?:is|are|was|were|will be|has been|have been)\s+(?:\w+\s+)?(?:cut|suspended|omitted|frozen|waived|passed"
    r"|raised|slashed|reduced|withheld|stopped)\b",
    re.IGNORECASE,
)

# Terms on which somebody pays.
TERMS = re.compile(
    r"\bnet\s+(?:\w+|\d{1,3})\s+days\b|\b(?:\d{1,3}|\w+)\s?(?:%|per\s?cent|prozent|pour\s?cent)\s+(?:off\s+(?:if|for)"
    r"|up\s+front|in\s+advance|with\s+(?:the\s+)?order|(?:on|upon|at|after|before|bei|nach|à)\s+(?:the\s+|la\s+)?(?:delivery"
    r"|acceptance|completion|signing|signature|handover|order|shipment|commissioning|lieferung|abnahme|auftrag\w*|livraison"
    r"|commande|réception))\b"
    r"|\b(?:half|the\s+rest|a\s+third|two\s+thirds|the\s+balance|der\s+rest|le\s+solde)\b[^.\n]{0,20}\b(?:up\s+front|in\s+advance"
    r"|on\s+(?:delivery|completion|signing)|due|unpaid|payable|fällig|à\s+la\s+livraison)\b"
    r"|\b(?:lends?|lend|borrows?|finances?|beleih\w+)\b[^.\n]{0,30}(?:%|per\s?cent|prozent|pour\s?cent)"
    r"|\btime\s+and\s+a\s+(?:half|quarter)\b|\bdouble\s+time\b|\bovertime\b[^.\n]{0,20}\bpaid\b",
    re.IGNORECASE,
)
EQUITY = re.compile(
    r"\b(?:pre-?money|post-?money|cap(?:itali[sz]ation)?\s+table|strike\s+price|vesting|liquidation\s+preference|term\s+sheet"
    r"|convertible\s+(?:note|loan)|break-?even|loan-to-value|accruals?|vat|mwst|tva|mark-?up|amorti[sz]ed|write-?down"
    r"|cost\s+centre|kostenstelle)\b[^.\n]{0,80}?(?<![\d.,])\d",
    re.IGNORECASE,
)
BY_GRADE = re.compile(
    r"\b(?:grade|pay\s+point|pay\s?band|salary\s+scale|entgeltgruppe|tarifgruppe|besoldungsgruppe)\s+\w{1,4}\b[^.\n]{0,40}?"
    r"(?<![\d.,])\d{2,3}[.,'’ ]\d{3}\b",
    re.IGNORECASE,
)
FROM_TO = re.compile(
    r"\b(?:\w*s[aä]tze?|rates?|prices?|fees?|rents?|premiums?|tariffs?|\w*preise?|\w*miete|\w*gebühr\w*|tarifs?|loyer|prix"
    r"|salar(?:y|ies)|\w*gehalt)\b[^.\n]{0,60}?\b(?:from|von|de)\s+\d[\d.,]*\s+(?:to|auf|à)\s+\d",
    re.IGNORECASE,
)
KILO_EURO = re.compile(
    r"(?<![\w.,])\d[\d.,]*\s?(?:[TKM](?:EUR|USD|CHF|GBP|SEK|NOK|DKK)|[TKM]€)\b"
    r"|(?<![\w.,])\d[\d.,]*\s?(?:T|t)sd\.?\s+(?:[\wäöüß]+\s+)?(?:verdient|verloren|eingenommen|ausgegeben|gekostet|verlust|gewinn"
    r"|umsatz|kosten)\b"
)
BANKING = re.compile(
    r"\bsort\s+code\s*:?\s*\d\d[- ]?\d\d[- ]?\d\d\b|\b(?:to|into|from|on)\s+(?:the\s+|our\s+|his\s+|her\s+)?account\s+"
    r"(?:no\.?\s+|number\s+)?\d[\d ]{5,}|\b(?:kontonummer|konto-nr\.?|account\s+number|numéro\s+de\s+compte)\s*:?\s*"
    r"\d[\d ]{5,}|\b(?:BIC|SWIFT)(?:\s+code)?\s*:?\s*[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?\b",
    re.IGNORECASE,
)
MANY_PIECES = re.compile(
    r"\b\d{1,6}(?:[.,]\d{1,3})?\s?(?:m|m²|m³|m2|m3|t|h|hrs?|kg|l|pcs?|units?|stück|st\.|std\.?|pieces?)\s+(?:x|à|@|at|zu|for)\s+"
    r"\d{1,3}(?:[.,'’ ]\d{3})+[.,]\d\d\b",
    re.IGNORECASE,
)
# What is said of a business's money without a figure.
STATE = re.compile(
    r"\b"
    + phrases(
        r"""(?:four|five|six|seven|eight|nine)-figure; (?:low|mid|high) (?:four|five|six|seven) figures?;
        (?:costs?|cost us) (?:twice|double|half|three times); contingency is (?:gone|spent|used);
        budget\b[^.\n]{0,40} (?:is|are|was) (?:nearly |almost )?(?:used up|spent|exhausted|overspent|gone);
        (?:our|their|his|her) (?:prices?|rates?|costs?|margins?|fees?|wages) (?:is|are|were|was)
        (?:\w+ ){0,3}(?:under|over|above|below|lower|higher|cheaper|thin|less|more);
        (?:just |barely |hardly |never )?breaks? even; (?:stocks?|assets?|inventory|goodwill)
        (?:is |are |was )?(?:over|under)valued; (?:pays?|paid|paying) late; credit rating;
        pledged to the (?:bank|lender);
        security for the (?:loan|debt|credit|bonds?); below book value; of (?:all|what) we spend; profit[ -]sharing;
        demurrage; guaranteed maximum price; (?:claimed|certified|invoiced|billed|committed) \d[\d.,]{3,};
        pay (?:the attached|this invoice|the invoice|within \w+ days); amount payable; zahlbar (?:bis|innerhalb|binnen);
        basiszins\w*; résultat net; trésorerie (?:tiendra|suffit|baisse); presupuesto; pay round; tarifabschluss;
        back (?:payment|taxes); tax (?:demand|refund|arrears|assessment)s?; pension fund has; funding gap;
        (?:lent|lend) (?:the |our )?(?:company|firm|business|yard)(?: \w+){0,2}; has not been repaid;
        unpaid (?:wages|invoices?|bills?|fees?); per diem; spesensatz; tagegeld; bidder [a-z] \|; directors['’] fees;
        share price; ebit(?:da)?\b[^.\n]{0,40}\d[\d.,]*; cash at the end; all in (?:thousands|millions); cash burn;
        owes? us (?:money|for); in the (?:red|black)(?= (?:for|this|last|again)); insurance sum; sum insured;
        versicherungssumme; haushaltsmittel; fördermittel; preisnachlass; skonti"""
    )
    + r"(?!\w)",
    re.IGNORECASE,
)
VALUED = re.compile(
    rf"\b(?:values?|valued|appraise[sd]?|estimate[sd]?|assess(?:es|ed)|insure[sd]?)\b[^.\n]{{0,40}}?\b{IN_WORDS}\b{ENDS}",
    re.IGNORECASE | re.MULTILINE,
)
HIRE_A_DAY = re.compile(
    r"\b(?:charter|hire|rental|rent|lease|demurrage|berth|storage|staff|wages?|paid?|gets?|earns?|fee|fees)\b[^.\n]{0,50}?"
    r"(?<![\d.,:])(?:\d{1,3}[.,'’]\d{3}|\d{2,6}|\d{1,3}[.,]\d\d)\s+(?:a|an|per|each|pro|par)\s+(?:hour|day|night|week|month"
    r"|shift|trip|voyage|container|head|person)\b",
    re.IGNORECASE,
)
SHARES_AT = re.compile(
    r"\b(?:shares|units|bonds|stock|options|warrants|aktien|anteile)\b[^.\n]{0,50}?\b(?:at|for|zu|à)\s+\d",
    re.IGNORECASE,
)
BECAME = re.compile(
    r"\b(?:costs?|prices?|rates?|fees?|wages?|rents?|margins?|premiums?)\b[^.\n]{0,40}?\b(?:went|rose|fell|goes|up|down|came"
    r"|dropped|climbed|cut|raised|moved)\b[^.\n]{0,20}?\b(?:from|to|by)\s+\d",
    re.IGNORECASE,
)
SHARE_IN_WORDS = re.compile(
    rf"\b(?:pay|wages?|salar(?:y|ies)|prices?|fees?|rents?|rates?|zins\w*|interest)\b[^.\n]{{0,60}}?\b{UNITS}(?:\s+and\s+a\s+"
    r"(?:half|quarter))?\s+(?:per\s?cent|prozent|pour\s?cent|points?)\b",
    re.IGNORECASE,
)
PRICED = re.compile(
    r"\b(?:prices?|rates?|fees?|rents?|wages?|quotes?|bids?|tariffs?|preise?|tarife?|prix)\b[^.\n|]{0,50}?(?<![\d.,:])"
    r"\d{1,6}(?:[.,]\d{1,3})?\s+(?:for|per|a|an|each|apiece|für|pro|par|pour)\s+(?!cent)",
    re.IGNORECASE,
)
BID_TABLE = re.compile(
    r"^[^|\n]*\|(?=[^\n]*\b(?:bidder|bids?|offer|quote|tender|supplier)\b)[^\n]*\|[ \t]*\n[|: \t-]+\n[^\n]*"
    r"\|\s*\d{1,3}(?:[.,'’ ]\d{3})+\s*\|",
    re.IGNORECASE | re.MULTILINE,
)
PATTERNS = (
    SPOKEN_SUM, SPOKEN_DECIMAL, LOSS_A_DAY, CHANGE, NOTHING, TERMS, EQUITY, BY_GRADE, FROM_TO, KILO_EURO, BANKING,
    MANY_PIECES, STATE, VALUED, HIRE_A_DAY, SHARES_AT, BECAME, SHARE_IN_WORDS, PRICED, BID_TABLE,
)  # fmt: skip


def find_spoken_money(text: str) -> Iterator[Finding]:
    """Findings of kind figure."""
    for pattern in PATTERNS:
        yield from matches("figure", pattern, text)
