"""Numbers that nothing explains: neither a unit nor a noun behind them, neither a number of something nor a date.

What people count is named behind its number ("40 pallets", "12 mm"), what they refer to before it ("page 12"). A sum
of
money is often named by neither, because everybody in the conversation knows what is spoken of.
"""

import re
from collections.abc import Iterator

from llm.recognisers.findings import Finding, phrases
from text.words import words

NUMBER = re.compile(
    r"(?<![\w.,:/#'’\-–])(?<!\d )-?(?P<value>\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,2})?"
    r"|\d{1,9}(?:[.,]\d{1,4})?)"
    r"(?P<scale>\s?(?:k|m|mn|bn|mio|mrd|tsd)\b\.?|\s?(?:thousand|million|billion|mille|millionen?|milliarden?"
    r"|millions?)\b)?"
    r"(?P<share>\s?(?:%|per\s?cent|prozent|pour\s?cent|bps|basis\s+points|x\b|points?\b|punkte?\b))?"
    r"(?![\w/:]|[.,]\d|[-–]\w)",
    re.IGNORECASE,
)
# Behind a number these name nothing that it counts.
FUNCTION = words(
    """a above abzüglich after again against all allein als also am an and annually apiece as at auf aus avant back
    based because been before behind bei below beneath between bis but by bzw came can cash compared contre daily
    dans davon de depuis der die das down due dès each en er es et every ex excl excluding excess extra fell fest
    first fob for from für gegen gone gross had half has have he higher ht if im in incl including inclusive instead
    into is it its je jetzt last left less listed lower maximum mehr mit minus monatlich month monthly more nach
    nearly net netto brutto next nicht noch nothing now nur oder of off on open or original our out over owed paid
    par pauschal per plus post pour pre pro pro rata rising rose said short since so soit spread statt still sur
    than that the their them then there they this though through till to today together too top tops total toward
    ttc und under unless until unpaid unter up upfront von vor war was we weekly weil weniger were when where which
    while will with within without yearly you yoy zu zum zur zusätzlich zzgl if pending outstanding overdue net
    kalt warm quid bucks cif dap exw annum pa flat elsewhere already only plain settled cleared agreed certified
    claimed reserved
    budgeted forecast planned expected owing payable refundable cap capped"""
)
# A thing with such a word is numbered by what follows it, and what has such a word before it is no sum.
NAMED = re.compile(
    r"(?:\b"
    + phrases(
        r"""no\.?; nr\.?; n°; nos\.?; number; numéro; nummer; page; pages; p\.; pp\.; section; sections; clause;
        article; art\.; schedule; annex; appendix; exhibit; chapter; version; v; rev\.?; revision; release; item;
        items; unit; order; po; inv; invoice; rechnung; facture; room; flat; line; linie; slide; level; grade; band;
        frame; joint; position; pos\.?; lot; ticket; sample; phase; week; woche; kw; year; day; tag; hall; halle;
        gate; dock; pier; berth; platform; step; table; figure; fig\.; note; rule; paragraph; §; drawing; batch;
        certificate; variation; claim; project; projekt; auftrag; order; agenda; point; box; tank; pump; valve; bolt;
        weld; port; channel; bus; route; line; floor; tower; building; block; house; road; street; straße; option;
        question; module; lesson; group; crew; shift; team; class; type; model; size; series; part; art; version;
        angebot; angebots?-?nr\.?; account; konto; cost centre; kostenstelle; reference; ref\.?; code; pin; id;
        january; february; march; april; may; june; july; august; september; october; november; december; jan; feb;
        mar; apr; jun; jul; aug; sept?; oct; nov; dec; januar; februar; märz; mai; juni; juli; oktober; dezember;
        janvier; février; mars; avril; juin; juillet; août; septembre; octobre; novembre; décembre; since; until;
        by; q; fy; extension; ext\.?; options?; row; column; version; chainage; months?; tiers?; tranches?; stages?;
        soc; forms?; rules?; acts?; cfr; sections?; clauses?; articles?;
        paragraphs?; items?; schedules?; exhibits?; parts?; lists?; series [a-z]; minimum of; zip; p\.?o\.? box;
        suite; room; fax; tel\.?; in; from; seit; bis; ab; aged?; iso; en; din; bs"""
    )
    + r"|[#№§])\s*$",
    re.IGNORECASE,
)
# The number of a clause or of an item, of a place ("NY 10005"), one that repeats a word ("thirty (30)"), a version
# ("SOC 2").
COUNTED = re.compile(r"(?:^|\n)[ \t#>*\-(|]*$|\b[A-Z]{2}\.?\s+(?=\d{5}(?!\d))$|\b[A-Z]{2,}\s+$")
LISTED = re.compile(r"[\s,;]*(?:(?:and|or|to|through|und|oder|bis|et|ou|&)\s+)?", re.IGNORECASE)
YEAR = re.compile(r"(?:19|20)\d\d")
# Before a year or a small number only, "in", "from" and "by" make a date of it: "cut by 40" and "from 61 to 57" do
# not.
LOOSE = re.compile(r"\b(?:since|until|by|in|from|seit|bis|ab)\s*$", re.IGNORECASE)
MONTH = phrases(
    """jan(?:uary|uar|vier)?; feb(?:ruary|ruar)?; février; mar(?:ch|s)?; märz; apr(?:il)?; avril; may; mai; june?;
    juni; juin;
    july?; juli; juillet; aug(?:ust)?; août; sept(?:ember|embre)?; o[ck]t(?:ober|obre)?; nov(?:ember|embre)?;
    de[cz](?:ember)?; décembre"""
)
AND = r"\s*+(?:,|and|or|to|und|oder|bis|et|ou|à|au|x|×|by|[-–])\s*+"
DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?(?:{AND}\d{{1,2}}(?:st|nd|rd|th"
    rf"|\.)?){{0,4}}\s+(?:of\s+)?{MONTH}\b(?:\s+\d{{4}})?"
    r"|\b(?:0?[1-9]|[12]\d|3[01])\.\s?(?:0?[1-9]|1[0-2])\.(?:\s?\d{2,4})?(?!\d)|\b\d{4}-\d\d-\d\d\b"
    r"|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}:\d\d\b"
    # numbers that one dials, keys in or is known by
    r"|(?:\+\d|\b0)\d[\d ()/-]{5,}\d|(?<![\d.,])\d{1,4}(?:\s?[-–]\s?\d{1,6}){2,}|(?<![\d.,])\d\d(?: \d\d){2,}(?!\d)",
    re.IGNORECASE,
)
NEXT = re.compile(rf"(?:{AND}\d++(?:[.,]++\d++){{0,40}}+[.,]*){{0,5}}\s?(?P<word>[^\W\d_]+|°|²|³|€|\$|£)")
SPELLED = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen"
    r"|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|zwei|drei|vier|fünf|sechs|sieben|acht"
    r"|neun|zehn|elf"
    r"|zwölf|zwanzig|dreißig|vierzig|fünfzig|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|quinze|vingt|trente)"
)
WORDS = re.compile(rf"\b{SPELLED}(?:-\w+)?\b", re.IGNORECASE)
SMALL = words(
    "two three four five six seven eight nine ten zwei drei vier fünf sechs sieben acht neun zehn deux trois quatre"
)
IN_WORDS = re.compile(
    rf"\b{SPELLED}(?:-\w+)?\s+(?:per\s?cent|prozent|pour\s?cent|points?|basis\s+points|times|million|thousand"
    rf"|hundred|k|grand"
    r"|quid)\b|\b(?:a|an|one|two|three|ein|zwei|un|deux|gut\s+ein|about\s+a|roughly\s+a|nearly\s+a)\s+(?:third"
    r"|half|quarter"
    r"|fifth|tenth|sixth|eighth|drittel|viertel|fünftel|zehntel|achtel|tiers|quart|cinquième|dixième)s?\b"
    r"|\bhalf\s+(?:a|of)\b|\bdie\s+hälfte\b|\bla\s+moitié\b|\b(?:doubled|halved|trebled|tripled|verdoppelt"
    r"|halbiert)\b",
    re.IGNORECASE,
)


LARGE = re.compile(r"(?:million|thousand|hundred|grand|quid)$", re.IGNORECASE)


def find_figures(text: str) -> Iterator[Finding]:
    """Findings of kinds bare (a number of nothing that is named), exact (one with two decimals or thousands), kilo
    (one
    with a scale behind it) and share (per cent, points, a part or a larger number in words)."""
    named = -1  # where the last number that is the name of something ended
    dates = [match.span() for match in DATE.finditer(text)]
    for match in NUMBER.finditer(text):
        start, end = match.span()
        if any(first <= start < last for first, last in dates):
            continue
        value, before = match["value"], text[max(0, start - 24) : start]
        if match["share"]:
            yield Finding("share", start, end)
            continue
        if text[start - 1 : start] == "(" and text[end : end + 1] == ")" and value.isdigit():
            continue
        exact = re.search(r"[.,'’\u00a0 ]\d{3}|[.,]\d\d$", value) is not None
        loose = LOOSE.search(before) and (exact or not YEAR.fullmatch(value))
        told = NAMED.search(before) and not loose or COUNTED.search(text, max(0, start - 12), start)
        if told and not exact or named >= 0 and not exact and LISTED.fullmatch(text, named, start):
            named = end
            continue
        if told and NAMED.search(before):
            continue
        follows = NEXT.match(text, end)
        if follows and follows["word"].lower() not in FUNCTION:
            continue
        if match["scale"]:
            # "300 m" may be metres: a word that is said of money alone has to stand beside it
            yield Finding("share" if match["scale"].strip() == "m" else "kilo", start, end)
        elif exact:
            yield Finding("exact", start, end)
        elif not YEAR.fullmatch(value):
            yield Finding("bare", start, end)
    for match in WORDS.finditer(text):
        follows = NEXT.match(text, match.end())
        small = match.group().lower() in SMALL or text[match.end() : match.end() + 2] == " ("
        if not small and (not follows or follows["word"].lower() in FUNCTION):
            yield Finding("share", *match.span())
    for match in IN_WORDS.finditer(text):
        follows = NEXT.match(text, match.end())
        counts = follows is not None and follows["word"].lower() not in FUNCTION
        yield Finding("kilo" if LARGE.search(match.group()) and not counts else "share", *match.span())
