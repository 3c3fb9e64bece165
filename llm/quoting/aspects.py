"""What is asked of a document as a whole: its parties, who attended, what was decided, what to do, who wrote it …"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from llm.quoting.front_matter import is_byline, is_dated
from llm.quoting.measures import DATE
from llm.quoting.pulsing import BLOCKED
from llm.recognisers.money import AMOUNT, CODES
from text.terms import stem_word
from text.words import words

MAX_ASPECT_LINES = 6
MAX_APART = 300
"""Characters between words of a question that belong together, or the time would grow faster than the question."""
MAX_ITEM_LINES = 12
PRICE = re.compile(
    rf"\d[.,]\d\d(?![\d.,])(?!\s?(?!{CODES}\b)[^\W\d_]|\s?[%°/])"
    r"|[$€£¥]\s?(?:\d{1,3}(?:,\d{3})+|\d{1,6}(?![\d.,]?\d|\s?(?:[%°/]|k\b|mn?\b|mio\b|bn\b|[mb]illion)))"
    rf"|\b\d{{1,6}}\s?(?:€|{CODES}\b)(?!\s?/)|^\|.*" + AMOUNT.pattern,
    re.I,
)
"""A price in a line of an invoice, with its cents or beside its currency, or an amount in a row of a table."""
NO_SUM = (
    r"^(?=.*(?:[^\W\d_]{2}|[^\W\d_\x00-\x7f]))"
    r"(?!\W*(?:[^\W\d_]+\s){1,2}(?:(?:sub)?totals?|discount|summe|rabatt)\b[^\w]*\d)"
    r"(?!\W*(?:(?:sub|grand|net|gross|invoice|order)?\W?totals?|sum|amount (?:due|paid|payable|incl\w*|excl\w*)"
    r"|balance|discount|shipping|freight|rewards?|points|next"
    r"|(?:zwischen|gesamt)?summe|gesamt\w*|netto|brutto|rabatt|versand\w*|porto|fracht\w*|sous-total|remise|totaal|vracht\w*"
    r"|\w*(?:bedrag|betrag))\b)"
    r"(?!.*(?:(?<!incl )(?<!incl\. )(?<!including )(?<!inkl\. )\b(?:vat|tax|mwst|ust|tva|btw|iva)\b"
    r"(?![- ](?:free|exempt))|[.!?:]\W*$))"
)
"""No line that adds up, or names a tax that is not in a price or not paid, and no sentence."""


@dataclass(frozen=True)
class Aspect:
    """Something that is asked of a document as a whole. has: a sentence with it. focus: words of such passages.

    words: of the question, besides those that say nothing; any other word makes it a question for a search. opens:
    whether a line of a document's opening has it too. ranked: lines with a word of both question and focus come first.
    limit: lines of an answer.
    """

    asked: re.Pattern[str]
    has: re.Pattern[str]
    focus: str
    words: frozenset[str]
    also: re.Pattern[str] | None = None
    opens: Callable[[str], bool] | None = None
    ranked: bool = False
    limit: int = MAX_ASPECT_LINES

    def fits(self, sentence: str) -> bool:
        return bool(self.has.search(sentence)) and (self.also is None or bool(self.also.search(sentence)))


def _build_aspect(
    asked: str,
    has: str,
    focus: str,
    known: str,
    also: re.Pattern[str] | None = None,
    *,
    opens: Callable[[str], bool] | None = None,
    ranked: bool = False,
    limit: int = MAX_ASPECT_LINES,
) -> Aspect:
    known_terms = frozenset(map(stem_word, words(known)))
    asked, has = (pattern.replace(".*", f".{{0,{MAX_APART}}}") for pattern in (asked, has))
    return Aspect(re.compile(asked, re.I), re.compile(has, re.I), focus, known_terms, also, opens, ranked, limit)


ASPECTS = (
    _build_aspect(
        r"\bpart(?:y|ies)\b|\bbetween (?:whom|who)\b|\bwho (?:is|are)\b.*\b(?:between|involved)\b",
        r"\b(?:by and (?:between|among)|(?:made|entered into|agreement|contract|lease)\b.*"
        r"\bbetween (?!(?:the|both|such|these)? ?(?:contracting )?part)\b"
        r"|(?:hereinafter|referred to as|\(the [“\"])|part(?:y|ies)\s*:)",
        "between party parties made agreement hereinafter landlord tenant supplier customer",
        "party parties contracting involved contract agreement sides signatories two signed sign",
    ),
    _build_aspect(
        r"\bwho (?:attended|took part|participated|came|was (?:there|present|at|in)|were (?:there|present|at|in))\b"
        r"|\b(?:attendees|participants|attendance)\b",
        r"^\W*(?:present|attendees?|attending|in attendance|attendance|participants?|members present|apologies)\b"
        r"|\b(?:attended|w(?:as|ere) present|took part)\b",
        "present attendees attended participants apologies attendance",
        "attended attend took part participated came present attendees participants attendance meeting",
    ),
    _build_aspect(
        r"\bwhat (?:was|were|has been|have been|did (?:they|we|the \w+))\b.*\b(?:decid|agree|resol|approv)\w*"
        r"|\b(?:decisions?|resolutions?|outcomes?|results?)\b",
        r"\b(?:agreed|decided|resolved|approved|adopted|accepted|rejected|voted|decisions?\s*:|resolution"
        r"|(?:we|is|are|was|were|hereby) (?:den(?:y|ied)|grant(?:ed)?|sustain(?:ed)?|dismiss(?:ed)?))\b",
        "agreed decided resolved approved adopted decision resolution deny denied dismissed sustained",
        "decided decide agreed agree resolved approved decisions decision resolutions outcome outcomes result results"
        " meeting taken made",
    ),
    _build_aspect(
        r"\b(?:action (?:items?|points?)|actions|next steps|to-?dos?|who has to do what)\b"
        r"|\bwhat (?:do|must|should|shall) (?:i|we) (?:have to |need to )?do\b|\bwhat (?:is|needs) to be done\b"
        r"|\bwhat (?:do|does|is|are)\b.*\b(?:want|need|ask(?:ed|ing)?|expect(?:ed)?|require[sd]?|demand)\b"
        r"|\bwhat (?:are|is)\b.*\b(?:obligations?|duties)\b",
        r"\b(?:actions?|to-?do|must|shall|please|needs? to|ha(?:s|ve) to|is to|are to|are asked|is asked|we ask"
        r"|required|requires?|ought to|kindly)\b|^\W*(?:[A-Z]\w+ ){1,3}(?:to|will) [a-z]",
        "action must shall please required asked will send",
        "action actions items item points point next steps step todo todos done have want need ask asked asking expect"
        " expected require required requires demand obligations obligation duties tenant we us",
    ),
    _build_aspect(
        r"\bwho (?:wrote|sent|signed|drafted|prepared|published|issued)\b|\b(?:from|by) whom\b"
        r"|\b(?:authors?|writers?|sender)\b|\bwho\b.*\bfrom\b",
        r"^\W*(?:from|sender|author|signed|(?:written|prepared|published|issued) by|von)\b"
        r"|/s/|\b(?:yours (?:sincerely|faithfully|truly)|(?:kind|best|warm) regards|sincerely(?: yours)?|signed by)\b",
        "from sender author signed sincerely faithfully regards prepared",
        "wrote write written sent send signed sign drafted prepared published issued author authors writer writers"
        " sender come comes",
        opens=is_byline,
    ),
    _build_aspect(
        r"(?:^|\b(?:an?|its|me|the|what|which|whats|what['’]s|is|was)\s+)(?:(?:signing|signature|issue|effective) )?"
        r"(?:date|name|title|year)\b.* of (?:the|this) \w+\W*$|\bdate when\b.*\beffective\b"
        r"|\bwhen (?:was|is) (?:the|this|it)\b"
        r".*\b(?:signed|dated|made|concluded|effective|written|published|issued|sent|printed|decided|bought|purchased)\b",
        r"\b(?:dated|entered into|made (?:and entered into )?(?:as of|on|this)|effective (?:date|as of)|is made)\b",
        "dated made entered effective date agreement copyright",
        "date name title year effective dated signed sign made concluded written published issued sent printed decided"
        " bought purchased",
        opens=is_dated,
    ),
    _build_aspect(
        r"\bwho\b.*\bfor\W*$|^\W*for whom\b|\b(?:intended |target )?(?:audience|readership)\b"
        r"|\bwho should read\b",
        r"\b(?:(?:intended|written|meant|aimed|designed) (?:for|at)|audience|readership|readers? (?:of|should))\b",
        "intended written audience readers aimed",
        "written meant intended made audience readership target read",
    ),
    _build_aspect(
        r"\b(?:what|which)\b.*\b(?:bought|purchased|ordered|delivered|invoiced|billed|paid for)\b"
        r"|\bwhat did (?:i|we|you|they|he|she) (?:buy|purchase|order|pay for)\b"
        r"|\b(?:what|which|list|show)\b.*\b(?:items|goods|articles|products|positions)\b",
        NO_SUM,
        "price quantity item article description amount unit",
        "bought buy purchased purchase ordered order delivered invoiced billed paid items goods articles products"
        " positions there all",
        PRICE,
        limit=MAX_ITEM_LINES,
    ),
    _build_aspect(
        r"\bwhat\b.*\brecommend\w*|\b(?:recommendations?|suggestions?)\W*$",
        r"\b(?:recommend(?:s|ed|ing|ations?)?|suggest(?:s|ed)?|advis(?:e|es|ed)|should)\b",
        "recommend recommended recommendations recommendation should",
        "recommend recommends recommended recommendation recommendations suggestion suggestions made",
    ),
    _build_aspect(
        r"\bdeadlines?\b|\bwhen is (?:it|this|the \w+) due\b|\bdue dates?\b",
        r"\b(?:by(?!:\s*[^\W\d])|before|until|within|due|deadline|(?:no|not) later than|expir\w+|ends?|latest|at least"
        r")\b",
        "date deadline due until by no later than",
        "deadline deadlines due date dates important given fixed",
        DATE,
    ),
    _build_aspect(
        r"\b(?:which|what|any|are there|list|important)\b.*\bdates\b",
        r"^(?!source\b)",
        "date deadline due until by no later than",
        "date dates important given named",
        DATE,
    ),
    _build_aspect(
        r"\bhow much (?:is (?:it|this|that)|does (?:it|this) cost|do (?:i|we) (?:have to )?(?:pay|owe)|money)\b"
        r"|\bwhat does (?:it|this|that)\b.*\bcost\b"
        r"|\b(?:which|what|any|are there)\b.*\b(?:amounts|sums|prices|costs|fees)\b"
        r"|\bwhat(?:'s|\s+is|\s+are)\s+the\s+(?:total|price|costs?|amount|fees?|rent)"
        r"(?:\s+(?:of|in)\s+(?:this|the)\s+\w+)?\W*$",
        r".",
        "total price cost fee amount pay payable rent sum",
        "cost costs pay owe amounts amount sums sum prices price fees fee rent total money named given",
        AMOUNT,
        ranked=True,
    ),
    _build_aspect(
        r"\bwhen (?:does|do|did|will|is) (?:it|this|the \w+|that)\b.*\b(?:end|expire|stop|over|run out)\w*",
        r"\b(?:expir\w+|terminat\w+|ends?|ended|term|until|commenc\w+|effective|duration|period|from|continu\w+)\b",
        "term ends expires until period",
        "end ends expire expires expired stop over run runs date",
        DATE,
    ),
    _build_aspect(
        r"\bwhen (?:does|do|did|will|is) (?:it|this|the \w+|that)\b.*\b(?:start|begin)\w*"
        r"|\bhow long (?:does|is|do|will) (?:it|this|the \w+|that)\b|\b(?:term|duration|start date|end date)\W*$",
        r"\b(?:expir\w+|terminat\w+|ends?|ended|term|until|commenc\w+|effective|starts?|begins?|duration|period"
        r"|from)\b",
        "term ends expires until commences effective begins period",
        "end ends expire expires expired start starts begin begins begun stop over long run runs last lasts valid term"
        " duration date",
        DATE,
    ),
    _build_aspect(
        r"\b(?:can|may|could|how (?:can|do|may|could|would)) (?:i|we|you|one|they|it|this|the \w+)\b"
        r".*\b(?:cancel|end|ended|terminate|terminated|leave|get out|withdraw|quit|cancelled)\b",
        r"\b(?:terminat\w+|cancel\w*|withdraw\w*|end (?:this|the))\b",
        "terminate termination cancel cancelled notice withdraw end",
        "cancel end ended terminate terminated leave withdraw quit cancelled early get out",
    ),
    _build_aspect(
        r"\b(?:risks?|problems?|issues?|concerns?|red flags?|worr(?:y|ies|ied)|wrong|dangers?"
        r"|open (?:points|questions))\b",
        BLOCKED.pattern
        + r"|\b(?:liab\w+|indemn\w+|penalt\w+|damages|problem|concern\w*|at risk|warn\w+|unsafe|danger\w*"
        r"|not (?:yet|in)|unclear|disput\w+)\b",
        "risk problem delay late overdue missing failed penalty liability damages concern",
        "risk risks problem problems issue issues concern concerns red flag flags worry worries worried wrong danger"
        " dangers open points questions main big anything know should aware",
    ),
)  # fmt: skip
WRITTEN = next(aspect for aspect in ASPECTS if aspect.opens is is_byline)
DATED = next(aspect for aspect in ASPECTS if aspect.opens is is_dated)
"""When a document was written, which "Who wrote it, and when?" asks too."""
