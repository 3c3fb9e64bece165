"""The vocabulary of money: words that are said of it alone, and words that say it beside a number nothing explains.

Where the other recognisers ask how a sum is written, this one asks what the sentence is about. Vocabulary of
accounts,
treasury, capital, deals, trade, pay, tax, insurance and property, in English, German and French.
"""

import re
from collections.abc import Iterator

from llm.recognisers.figures import find_figures
from llm.recognisers.findings import Finding, find_sentence_spans, matches, phrases
from llm.recognisers.late import compile_late
from text.words import words

# Said of money alone. Beside any figure, a share included, they make it one of money.
TERMS = phrases(
    r"""ebitda?r?; nopat; dso; dpo; roce; roic; roe; npv; irr; wacc; moic; arpu; arpa; acv; tcv; gmv; ltv; cac; cogs;
    sg&a; p\s?&\s?l; pik; capex; opex; eps; nav; aum; vat; gst; mwst\.?; ust\.?; tva; fx; usd; eur; gbp; chf;
    mezzanine; tranches?; coupons?; (?:financial|bank(?:ing)?|leverage) covenants?;
    covenants? (?:test|headroom|breach|waiver|level|ratio)s?; revolver; revolving; term loan; facility agreement;
    credit facilit\w+;
    drawn; undrawn; drawdowns?; overdraft; headroom; leverage(?: ratio| of); gearing; senior debt; subordinated;
    collateral; refinanc\w+; bridge loan; receivables?; payables?; debtors?; creditors?; arrears; accruals?; accrued;
    prepaid; prepayments?; deferred (?:revenue|income|tax|consideration); impairments?; impaired; goodwill;
    write-?offs?;
    written (?:off|down); write-?downs?; depreciation; amorti[sz]ation; book value; balance sheet; trial balance;
    profit and loss; statement of account; aged (?:debt|balance)s?; credit notes?; debit notes?; remittance\w*;
    cheques?;
    direct debits?; standing orders?; bank transfer; wire transfer; bank guarantee; letters? of credit;
    performance bond; bid bond; promissory note; escrow; payment (?:run|terms|plan|schedule); paid-?up;
    purchase price;
    list price; rate cards?; price list; mark-?up; landed cost; unit (?:cost|price|economics); transfer pric\w+;
    cost-?plus; lump sum; retention (?:held|of|money); interim (?:certificate|payment|valuation); final account;
    working capital; cash (?:flow|pay|burn|call|position|generation|conversion); free cash; net debt; net cash;
    burn rate;
    runway; run[- ]rate; (?<!staff\s)(?<!labour\s)(?<!crew\s)turnover(?! of staff); revenues?;
    gross (?:profit|margin); net (?:income|profit|margin|retention);
    operating (?:return|profit|margin|income|cost); profit before tax; pre-?tax; post-?tax; earnings per share;
    dividends?;
    payout ratio; buy-?backs?; equity; shareholders?; shareholding; ordinary shares; preference shares; preferred;
    a share; per share; cap table; dilution; pre-?money; post-?money; option pool; convertible notes?;
    liquidation preference;
    non-?participating; series [a-f](?= ?[:,(]| round| closed| shares); seed round; term sheet;
    valuation(?! of\s+risk);
    valued at; enterprise value; earn-?out; vendor loan; multiple of; buy-?out; sukuk; bonds? (?:issue|matur\w+);
    hedg\w+; sold forward; bought forward; spot rate; exchange rate; zloty; euribor; libor; sofr; sonia; base plus;
    budget(?:ed)?; overspen\w+; underspen\w+; spend(?= (?:is|was|to|on|hit|stands|of|per|fell|rose))|cost overruns?;
    contingency (?:drawdown|sum|of|left|remaining); outturn; forecasts? \d\+\d; bookings; churned; mrr; arr;
    corporation tax; income tax; withholding tax; effective (?:tax )?rate;
    tax (?:charge|bill|credit|rate|refund|return|due|losses);
    council tax; precept; business rates; stamp duty; excise; customs duty; payroll; back pay; shift premium;
    overtime rate;
    bonus (?:pot|pool|target); salary bill; wage bill;
    pension (?:deficit|scheme['’]s deficit|contributions?|liabilit\w+);
    mileage (?:rate|allowance|is reimbursed); per diem; expenses of; service charge; ground rent; passing rent;
    rent review;
    rent roll; yield(?: of| to maturity)?; sum insured; loss adjuster; loss ratio; reserve (?:for|of);
    reserves (?:are|were|of);
    policy excess; deductible; royalt(?:y|ies); licen[cs]e fees?; per seat; subscription (?:fee|revenue|price)s?;
    true-?up;
    intervention rate; grant (?:claim|funding|awarded|received); donations?; fundrais\w+; endowment; sponsorship;
    in the bank; bar takings; takings; (?:cash )?float; fundings? (?:level|ratio); % funded; scrap value;
    gas price; scheme is; break-?even; demurrage;
    nous doit; quid; bucks; grand(?= (?:for|in|to|a|on|more|less|short|over))|change order|contract sum|quotation;
    procurement savings?;
    mahn(?:ung|gebühr\w*); zzgl\.; rechnungsbetrag; offene[nr]? (?:betrag|posten|rechnung); überweis\w+;
    lastschrift\w*;
    zahlungsziel; anzahlung; abschlag\w*; pauschal(?:e|preis)?; einkaufspreis\w*; verkaufspreis\w*; listenpreis\w*;
    stückpreis\w*;
    je stück; deckungsbeitr\w+; rückstellung\w*; abschreibung\w*; ausschüttung\w*; dividende\w*; darlehen\w*;
    kredit(?:linie|rahmen|e[sn]?)?;
    liquidität\w*; eigenkapital\w*; fremdkapital\w*; umsatz\w*; rohertrag\w*; jahresüberschuss; fehlbetrag;
    materialquote;
    personalquote; lohnkosten; personalkosten; nachzahlung; guthaben; kontostand; kassenbestand; kasse; einnahmen?;
    ausgaben?;
    entnahme\w*; wechselgeld; skonto; rabatt\w*; kalkulation; kalkuliert; zuschlag \d;
    steuer(?:last|nachzahlung|quote|erstattung)s?;
    gewerbesteuer; körperschaftsteuer; haushaltsansatz; fördersumme; investition\w* von; kaufpreis\w*; bürgschaft\w*;
    trésorerie; fonds de roulement; découvert; facture \d+; impayée?s?; relance; acompte; taux de marge;
    chiffre d['’]affaires;
    capitaux propres; emprunts?; cautionnement; budget(?:s|é)?; dividendes?; subventions?; remise de"""
)
TERM = compile_late(rf"(?<![\w-]){TERMS}(?!\w)", re.IGNORECASE)
# Said of other things as well: they need a number that nothing explains.
WORDS = phrases(
    r"""prices?; priced; pricing; costs?; costing; pay; pays; paid; buys?; bought; sells?; sold; charged?; worth;
    offered;
    settle[sd]?; settlement; claims?(?= (?:is|of|at|was|for|has))?; claimed; reserve(?= (?:for|of|is|was|has));
    spends?; spent;
    spending; saves?; saved; savings?; bills?; billed; invoices?; invoiced; inv; quotes?; quoted;
    deposits?(?! of \d+ (?:cm|mm|m|to));
    fees?; rates?; rents?; discounts?; rebates?; margins?; profits?; loss(?:es)?; sales; income; earns?; earned;
    earnings; owes?; owed;
    owing; debts?; loans?; borrow\w*; lends?; lent; bids?; tenders?; budgets?; forecasts?; refunds?; reimburse[ds]?;
    expenses;
    allowances?; bonus(?:es)?; commissions?(?= (?:of|is|was|due)); salar(?:y|ies); wages?; severance; damages;
    awarded; fined?;
    premiums?; excess(?= (?:is|now|of|per)); walk-?away; ceiling; counter-?offer; package(?=[:,]); signing bonus;
    hit us; to the price;
    set at; carried at; list is; basket; money; cash; churn(?= (?:is|was|fell|rose)); kosten; kostet; preise?;
    zahl(?:t|en|ung\w*); bezahl\w*;
    doi(?:t|vent); schulde[tn]?; betrag; beträge; summe; rechnung\w*; miete\w*; gebühr\w*; angebot\w*; lohn; löhne;
    gehalt; gehälter; gewinn\w*; verlust\w*; zins\w*;
    steuer\w*; einkauf; verkauf; verkaufen; kaufen; prix; coût\w*; payer; payé\w*; montant; facture\w*; loyer;
    salaires?;
    marges?; bénéfices?; pertes?; solde; impôts?; devis; stundens[aä]tze?; tagess[aä]tze?; kaution\w*; fines?"""
)
# Said of so much else that the number has to look like one of money too.
LOOSE = phrases(
    r"""(?<!left\s)(?<!right\s)(?<!river\s)bank(?:s|er)?(?! erosion| holiday| of the river); finance; funds?;
    funding; offers?;
    accounts?; values?; valued; plan(?:ned)?; (?:total|amount|sum)s?; (?:net|gross)(?! weight| tonnage| mass| area);
    transfer(?:red)?;
    credits?; debits?; balance; estimates?; taxe?s?; levy; duty; advances?; pension; compensation; insurance; award;
    penalt(?:y|ies);
    stake; shares?; options?; round; investors?; capital; approved?; purchase orders?; concede; leases?; hausbank;
    konto; ergebnis;
    versicherung\w*; banque; number from finance; ordered at"""
)
LOOSE_WORD = compile_late(rf"(?<![\w-]){LOOSE}(?!\w)", re.IGNORECASE)
NEAR, NEARER = 120, 60
"""Characters between a figure and the word that says what it is of."""
WORD = compile_late(rf"(?<![\w-]){WORDS}(?!\w)", re.IGNORECASE)
# What is said of somebody's money without a number.
STATES = compile_late(
    r"(?<![\w-])"
    + phrases(
        r"""(?:cheque|check|direct debit|payment) (?:\w+\.? ){0,3}(?:has )?bounced; refer(?:red)? to drawer;
        covenant test;
        (?:asked|applied|ask) (?:\w+ ){0,3}for a (?:\w+ )?waiver; waiver (?:from|by) the (?:bank|lenders?);
        (?:fail|fails|failed|breach\w*|miss\w*) (?:the|its|our|a) (?:\w+ )?covenants?;
        rating (?:outlook|downgrade\w*);
        outlook to (?:negative|stable|positive); (?:went|gone|go) (?:into administration|bankrupt|bust);
        (?:technically|practically|virtually|effectively|already) insolvent;
        balance-sheet basis; impairment test; (?:asks?|asked|demand\w*) (?:\w+ ){0,3}personal guarantees?;
        cautionnement;
        (?:pledge\w*|charge) over the (?:shares|stock|receivables|property); parent company guarantee; cash calls?;
        (?:remains?|is|are|still|bleibt|reste) (?:unpaid|unbezahlt|impayée?s?|nicht beglichen|offen);
        nicht (?:beglichen|bezahlt);
        (?:invoice|bill|rent|facture|rechnung)s? (?:\w+ ){0,5}(?:unpaid|overdue|impayée?|überfällig);
        (?:letzte |[123]\. )?mahnung;
        zahlungserinnerung; zahlungsverzug; verzichten (?:\w+ ){0,4}auf (?:eine|die) ausschüttung;
        stocken (?:\w+ )?das darlehen;
        (?:no|kein\w*|pas de) (?:dividend\w*|ausschüttung); (?:out of|short of|burning|burns?) (?:cash|money);
        undercut (?:us|them|our); cash (?:will|should|can|may) last; (?:out of|last of) (?:our |the )?cash;
        cannot pay (?:our )?(?:suppliers|wages|bills);
        (?:can['’]t|could not|couldn['’]t) pay (?:our |the )?(?:suppliers|wages|bills|rent|staff);
        (?:margins?|profits?) (?:in|of|on) (?!(?:the |a |each |every |all
        )?(?:pages?|templates?|documents?|sheets?|paper|error)\b|\d+\s?[cm]m\b)[^.\n]{2,30} (?:are|is|fell|were);
        (?:\d\s?%|percent|per cent) (?:off|below|above) (?:the )?list; (?:off|below|above) list(?= price|\W*$|[.,;]);
        (?:half|third|part) up front; (?:pay|pays|paid|paying|money|cash)\b[^.\n]{0,20} up front;
        came out (?![^.\n]{0,20}(?:\d\s?(?:mm|cm|m|kg|g|°)\b|degrees|slightly))[^.\n]{1,20} (?:over|under)(?= |\W*$);
        (?:bank|lender)s?\b[^.\n]{0,30} (?:more|additional|better) security; extends? (?:the|our|their) credit line;
        bank\b[^.\n]{0,30} extends? the line;
        break-?even (?:will|is|was|comes?|in|by);
        (?:not|never) paid (?:the |our |its |us |for )(?:last )?[^.\n]{0,20}(?:invoices?|bills?|months|rent);
        times ebitda;
        what the market pays; pay(?:s|ing)? about half; (?:loan|credit|debt) (?:has|have) to be (?:repaid|paid back);
        below (?:cost|break-?even); at a loss(?=[ .,;]); sell(?:ing)? under cost; loses money; unprofitable;
        makes no money;
        cross-?subsidi\w+; overspen[dt]\w*; in the red(?= |[.,;]); im minus; rote[n]? zahlen; à perte; vorkasse;
        in advance payment;
        (?:covers?|cover|covering) (?:its|their|our|the) (?:\w+ )?(?:costs|overheads|rent|wages|interest);
        interest cover; fixed costs;
        (?:took|takes?|gets?|got|gave|gives?|grant\w*|offer\w*|want\w*) (?:the |a |us |them )*(?:[\w-]+ )?discount;
        pays? for itself; payback (?:period|time);
        (?:we|they|he|she) (?:are|is|were|was) owed; owe[sd]? (?:us|them|me) (?:\w+ )?(?:a lot|money|for);
        tenants? (?:is|are) \w+ (?:weeks|months) behind;
        behind (?:with|on) (?:the |their |his |her )?(?:rent|payments?|instalments?|mortgage);
        lose (?:money )?on every; loses? money on;
        hole (?:in|of) [^.\n]{0,20}(?:accounts|books|budget); cash under strain;
        subsidy (?:runs|ran|ends|ended|is|was|will);
        nachlass; nachgelassen;
        (?:jahres|projekt|gesamt)budgets? (?:\w+ ){0,5}(?:weg|aufgebraucht|überschritten|erschöpft);
        settled for (?:less|more|half|a third|two thirds); our cut(?= is| of); hammer price; prix de revient;
        unit economics; (?:earn|make|get) back what (?:we|it|they) (?:spend|cost|paid);
        margin (?:squeeze|pressure|erosion); thin margins?; price (?:war|floor|ceiling|undertaking)s?;
        price ?fixing with;
        audit qualification; restat(?:e|ed|ement) (?:the |our )?(?:accounts|reserves|results|figures);
        bought out at; (?:tag|drag)-along price; ratchet; anti-dilution; down round; bridge round; cap the valuation;
        nachschusspflicht\w*; liquiditätsengpass\w*; kreditlinie (?:gekürzt|gekündigt); kontokorrent\w*;
        zahlungsstockung;
        difficultés de trésorerie; redressement judiciaire; dépôt de bilan; (?:en|au) dessous du prix de revient;
        counts? as an? (?:operating|capital) expense; expensed rather than;
        capitali[sz]ed as an? (?:asset|development); credit rating; (?:barely )?breaks? even;
        (?:four|five|six|seven|eight)-figure (?:sum|amount|salary|offer|loss|profit); rent-free; profit sharing;
        time and a half; pledged to the (?:bank|lender); security for the loan; not been repaid;
        invoices? (?:is|are|were) (?:open|overdue); late payment interest;
        budget (?:[\w-]+ ){0,4}(?:is|was) (?:used up|exhausted|gone|spent); contingency is (?:gone|used up|spent)"""
    )
    + r"(?!\w)",
    re.IGNORECASE,
)
TRADE = compile_late(
    r"\b(?:buy|bought|sell|sold|sells|buys|take|offer\w*|pay|pays)\b[^.\n]{0,30}\bat\s+\d+(?:[.,]\d+)?\b"
    r"|\blist\s+(?:is|price)\b[^.\n]{0,20}\d|\bpays?\s+(?:more|less)\s+than\s+\d|\(\s?(?:k|T€|daily|per\s+day"
    r"|a\s+day)\s?\)"
    r"|\d[.,]\d\d\s+(?:each|apiece|a\s+(?:share|litre|head|piece|kilo|tonne|unit|seat|word))\b"
    r"|(?<![\w.,:])\d[\d.,]*\s+(?:a|per|je|pro|la)\s+(?:tonne|ton|box|teu|container|pallet|head|share|lit(?:re"
    r"|er)|kilo|kg|seat|piece"
    r"|unit|square\s+met(?:re|er)|word|bottle|barrel|crate|tonne|stück|kopf|liter)\b"
    r"|\d0\s?/\s?\d0\s?/\s?\d0\b(?=[^\n]{0,20}$)",
    re.IGNORECASE | re.MULTILINE,
)
HEADS = compile_late(
    r"\b(?:open|overdue|limit|drawn|debit|credit|soll|haben|balance|saldo|bookings|mrr|arr|turnover|revenue"
    r"|profit|overheads|bidder|offer|margin|marge|ep|gp|einzelpreis|gesamtpreis|betrag|summe|preis|kosten|umsatz"
    r"|unit[ _]price|line[ _]total"
    r"|net|gross|vat"
    r"|mwst|amount|fees?|budget|actual|forecast|plan|ist|variance|dividend|shareholder|class|paid|due|montant"
    r"|prix|total ht)\b",
    re.IGNORECASE,
)
WEAK_HEADS = words("open limit plan ist actual forecast class due net gross")
"""Heads of other tables as well: tasks, progress, weights."""
ROW = compile_late(r"^[ \t]*\|.*\|[ \t]*$|^[^\n;,]+(?:[;,\t][^\n;,\t]*){2,}$", re.MULTILINE)
CELL = compile_late(r"[|;,\t]\s*+[-+(]?\d[\d.,'’ ]{0,40}\s*\)?\s*(?=[|;\t\n]|,(?!\d)|$)", re.MULTILINE)


def find_ledger(text: str) -> Iterator[Finding]:
    """Findings of kind figure."""
    yield from matches("figure", STATES, text)
    figures = list(find_figures(text))
    yield from _find_tables(text)
    if not figures:
        return
    yield from matches("figure", TRADE, text)
    if sum(figure.kind == "exact" for figure in figures) >= 2:  # a statement, whose head says of what
        yield from list(matches("figure", TERM, text))[:1]
    for start, end in find_sentence_spans(text):
        for figure in (figure for figure in figures if start <= figure.start < end):
            word = TERM.search(text, max(start, figure.start - NEAR), min(end, figure.end + NEAR))
            near = max(start, figure.start - NEARER), min(end, figure.end + NEARER)
            if word is None and figure.kind != "share" and (figure.kind != "bare" or _is_sum(text, figure)):
                word = WORD.search(text, *near)
            if word is None and figure.kind in ("exact", "kilo"):
                word = LOOSE_WORD.search(text, *near)
            if word:
                yield Finding("figure", *word.span())
                break


def _is_sum(text: str, figure: Finding) -> bool:
    """Whether a bare number is large or exact enough for one; a single digit counts what was spoken of before."""
    return sum(character.isdigit() for character in text[figure.start : figure.end]) >= 2


def _find_tables(text: str) -> Iterator[Finding]:
    """A head that names something of accounts, with figures under it."""
    rows = list(ROW.finditer(text))
    if len(rows) < 2:
        return
    heads = {head.group().lower() for head in HEADS.finditer(rows[0].group())}
    if heads - WEAK_HEADS and any(CELL.search(row.group()) for row in rows[1:]):
        yield Finding("figure", *rows[0].span())
