"""How clauses of contracts are asked for, and how they are written."""

import re
from dataclasses import dataclass

from llm.quoting.measures import DATE, DURATION
from text.words import words

PAPERS = (
    r"(?:agreement|contract|lease|deed|licen[cs]e|amendment|addendum|memorandum|undertaking|settlement|subcontract|tenancy"
    r"|nda|statement of work|power of attorney)"
)
OF_PAPER = rf"(?:th(?:is|e) )?(?:[\w-]+ ){{0,2}}?{PAPERS}\b"
THIS = (
    rf"(?:th(?:is|ese) (?:[\w-]+ ){{0,4}}?{PAPERS}|(?:initial |base |fixed |original )?terms?"
    r"|the (?:[\w-]+ )?(?:agreement|contract|lease|deed|addendum|amendment|tenancy|subcontract|engagement))\b"
)
FIRM = re.compile(
    r"\b(?:Inc|LLC|L\.L\.C|Ltd|Limited|Corp|Corporation|Company|Co|GmbH|AG|S\.?A|SAS|PLC|plc|LP|LLP|N\.A|B\.?V|Bank"
    r"|Council|University|Trust)\b|\b[A-ZÀ-Þ]{3,} [A-ZÀ-Þ]{3,}"
)
GENERAL = words("agreement contract document paper this that these date exact initial current two party parties made")
"""What any contract may be called, and words that say nothing of which one is meant."""
COMMON = GENERAL | words(
    "lease deed licence license amendment addendum memorandum undertaking settlement subcontract tenancy nda"
)
OF_EVENT = re.compile(r"\b(?:when|who|whom|where|why|date|how (?:much|many|often))\b", re.IGNORECASE)
"""Asks of something that happened, and not whether something may be done."""


@dataclass(frozen=True)
class Clause:
    """asked: how it is asked for. words: that such a question may have beside those common to all. stated: what a
    sentence that says it has, `least` of them; subject: what speaks for a sentence, against: what for another clause.
    is_strict: another sentence is no answer, only a field or a label. focus: words by which it is searched for, beside
    those of the question. is_rule: it is no answer to `OF_EVENT`. needs_subject: without its subject a sentence says it
    of something else.
    """

    asked: re.Pattern[str]
    words: frozenset[str]
    stated: tuple[re.Pattern[str], ...]
    subject: re.Pattern[str]
    against: re.Pattern[str]
    least: int
    is_strict: bool = False
    focus: str = ""
    is_rule: bool = False
    needs_subject: bool = False


def compile_form(form: str) -> re.Pattern[str]:
    return re.compile(form, re.IGNORECASE)


PARTIES = Clause(
    asked=compile_form(
        r"\b(?:who|which) (?:are|is|were) (?:the )?(?:two |contracting |signing |other )*parties\b"
        rf"|\bparties\b (?:to|of|in|who (?:have )?signed) {OF_PAPER}"
        rf"|\bbetween (?:whom|which (?:parties|companies))\b|\bwho is {OF_PAPER} (?:with|between)\b"
        rf"|\bwho (?:entered into|concluded|made|are we in) {OF_PAPER}"
    ),
    words=words("contracting signing signed sign entered concluded companies more other with"),
    stated=(
        compile_form(r"\b(?:between|among(?:st)?|zwischen)\b(?!\s+(?:the )?(?:parties|hereto))"),
        compile_form(
            r"\((?:[“\"'‘]|hereinafter|herein|the [“\"'‘]|(?-i:(?:the )?[A-Z][a-z]+\))|each|collectively|together"
            r"|individually)|\b(?:hereinafter|referred to)\b"
        ),
        FIRM,
        compile_form(r"\b(?:made|entered|dated|effective|executed|concluded|geschlossen)\b"),
    ),
    subject=re.compile(
        rf"(?i:\b{PAPERS}\b[^;]{{0,300}})\b(?i:between|among(?:st)?|zwischen)\b[^;]{{0,300}}?[A-ZÀ-Þ]"
        r"|(?i:^[\W\d]{0,12}(?:by and )?(?:between|zwischen|parties)\b)[^;]{0,300}[A-ZÀ-Þ]"
        r"|\b[A-ZÀ-Þ]\w{1,40}[^;]{0,80} and [A-ZÀ-Þ]\w{1,40}[^;]{0,80} (?:shall be|are) (?:each |individually )?"
        r"referred to"
    ),
    against=compile_form(
        r"\b(?:relationship|entire|understanding|dispute|controversy|prior|shall not|no party)\b"
        r"|\b(?:was|were) (?!made|entered|executed|concluded)"
        r"|\b(?:main|head|earlier|previous|underlying) (?:contract|agreement)\b"
        r"|^[\W\d]{0,12}(?:now,? )?therefore\b"
    ),
    least=3,
    is_strict=True,
    focus="between made entered",
)
_SIDES = (
    r"(?:employ(?:er|ee)|landlord|tenant|less(?:or|ee)|licens(?:or|ee)|buyer|seller|vendor|purchaser|supplier|customer|client"
    r"|provider|(?:sub)?contractor|consultant|company|distributor|borrower|lender|owner|policyholder|insure[rd]"
    r"|party [ab12])\b"
)
PARTY_LINE = compile_form(
    rf"[\W\d]{{0,12}}(?:the )?{_SIDES}[^:]{{0,20}}:\s*\S"
    rf"|[^()]{{3,120}}\((?:hereinafter |the ){{0,2}}[“\"'‘]?(?:the )?{_SIDES}[”\"'’]?\)\W{{0,3}}$"
)
"""A line that names one side: "Employer: Fjord Foods", "Harbour Trust (Landlord)"."""
NUMBERED_PARTY = compile_form(r"\W?[1a]\W{1,2}\s?[^\W\d_].{2,300}\band\W{0,3}$")
NUMBERED_OTHER = compile_form(r"\W?[2b]\W{1,2}\s?[^\W\d_]")
"""The first and the second of two parties that are numbered: "(1) Aldgate Labs Limited; and"."""
MAX_LINE_OF_PARTIES = 8
LABELS = words("insurance cover hire tenancy employment subscription membership")
"""Words of a label that names a term, beside those of a question for one: "Period of insurance"."""
RENEWAL = Clause(
    asked=compile_form(r"\b(?:renew\w*|extend\w* automatically|automatic(?:ally)? exten\w*)\b"),
    words=words(
        """renewal renewed renew renews term terms period length long automatically automatic extension extensions
        extended extend after expire expires expired end ends how initial unilateral prior notice includes"""
    ),
    stated=(
        compile_form(r"\b(?:renew\w*|exten(?:d|ds|ded|sion|sions))\b"),
        compile_form(r"\b(?:automatic\w*|successive|additional|further|subsequent|consecutive)\b"),
        compile_form(r"\b(?:year|month|day|week|annual|anniversary)\w*\b"),
        compile_form(r"\b(?:unless|upon|by) (?:[\w-]+ ){0,6}?(?:notice|agreement|notif\w+|terminat\w+|request)\b"),
    ),
    subject=compile_form(
        r"\bit (?:is|may be|shall be|will be)\b[^.;]{0,40}\b(?:renew|exten)|"
        rf"{THIS}[^.;]{{0,200}}\b(?:renew|exten[ds])|\b(?:renew\w*|exten[ds]\w*)\b[^.;]{{0,200}}{THIS}"
    ),
    against=compile_form(r"\b(?:payment|delivery|warranty|invoice|deadline)\b"),
    least=3,
    needs_subject=True,
)
TERM = Clause(
    asked=compile_form(
        r"\b(?:when|on what date|on which date|until when|how long)\b[^?]{0,200}\b(?:expir\w+|end|ends|ended|over"
        r"|run out|terminates?|lapses?|run|runs|last|lasts|valid|in (?:force|effect))\b|\bwhat is the term\W*$"
        rf"|\b(?:expir(?:y|ation) date|end date|(?:initial|contract|fixed) term|(?:term|duration) of {OF_PAPER})"
    ),
    words=words(
        """initial term terms expire expires expired expiry expiration end ends ended run runs running out last lasts
        valid force effect terminate terminates lapse lapses until when how long duration length period contract's
        agreement's"""
    ),
    stated=(
        compile_form(
            r"\bterms?\b[^.;]{0,120}\b(?:be|is|of|commenc\w*|begin\w*|end\w*|expire\w*|continue\w*|extended|mean\w*)\b"
        ),
        compile_form(
            r"\b(?:remain|continue|be|stay)s?\b[^.;]{0,60}\b(?:in (?:full )?(?:force|effect)|effective|until|for)\b"
        ),
        compile_form(
            r"\b(?:expires?|terminates?|ends?)\b(?: automatically)?(?: without notice)? (?:on|in|at|upon|when|as of)\b"
        ),
        compile_form(
            r"\b(?:commenc|begin|start|take[s]? effect|become[s]? effective)\w*\b[^;]{0,200}"
            r"\b(?:continu\w+|until|through|terminat\w+|expir\w+|end\w*|period|runs? for|years?|months?)\b"
        ),
        compile_form(r"\bfor (?:an? )?(?:[\w-]+ )?(?:term|period) of\b"),
        compile_form(
            rf"{DURATION.pattern}|{DATE.pattern}|until terminated|\bperpetual\w*|\bindefinite\w*|\bpermanent\b"
        ),
    ),
    subject=compile_form(
        rf"^[\W\d]{{0,12}}(?:[\w-]+\. )?(?:[\w-]+,? ){{0,6}}?{THIS}|\bterm of this {PAPERS}\b"
        r"|\bfor an? (?:[\w-]+ )?term of\b"
    ),
    against=compile_form(
        r"\b(?:(?:main|head|earlier|previous) contract|interest|guarantee|warranty|either party may"
        r"|may terminate|breach|cure|notice of termination|surviv\w+|within|invoice|payment"
        r"|confidential\w*|days (?:prior|after|of)|terms? of (?:office|payment|delivery|reference))\b"
        rf"|\bterms? of (?!th(?:is|e) (?:[\w-]+ ){{0,3}}?{PAPERS}|(?:\w+[- ]){{0,3}}?\(?(?:\d|year|month|week|day))"
        r"|^[\W\d]{0,12}(?:thereafter|after the)\b|\b(?:during|throughout) the (?:\w+ )?terms?\b"
    ),
    least=3,
    is_strict=True,
    focus="term commence expire terminate continue",
)
LAW = Clause(
    asked=compile_form(r"\b(?:which|what|whose)\b[^?]{0,200}\blaws?\b|\b(?:governing|applicable) law\b"),
    words=words(
        """state country country's state's law laws governs govern governing governed interpretation interpreted applies
        apply applicable under which whose jurisdiction"""
    ),
    stated=(
        compile_form(r"\b(?:govern\w*|constru\w+|interpret\w+|determined|enforced|subject to|appl(?:y|ies))\b"),
        compile_form(r"\blaws? (?:of|in)\b|\b[a-z]{4,} law\b"),
        re.compile(
            r"\b[Ll]aws? of (?:the )?(?:[A-Z]\w+ (?:of )?(?:the )?)*[A-Z]\w+|\bLAWS? OF\b|\b[A-Z][a-z]{3,} law\b"
        ),
    ),
    subject=compile_form(rf"\b{PAPERS}\b|\bparties\b"),
    against=compile_form(
        r"\b(?:organi[sz]ed|existing|incorporated|export|comply|compliance|compensation)\b"
        rf"|\bappl(?:y|ies) to (?!this|these|the {PAPERS})"
    ),
    least=3,
)
