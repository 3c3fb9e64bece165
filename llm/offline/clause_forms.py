"""How clauses of contracts are asked for, and how they are written."""

import re
from dataclasses import dataclass

from llm.offline.measures import DATE, DURATION
from llm.recognisers.findings import words
from llm.recognisers.money import AMOUNT

PAPERS = (
    r"(?:agreement|contract|lease|deed|licen[cs]e|amendment|addendum|policy|letter|memorandum|undertaking|guarantee"
    r"|settlement|charter|subcontract|tenancy|engagement|plan|order|power of attorney|statement of work|protocol)"
)
OF_PAPER = rf"(?:th(?:is|e) )?(?:[\w-]+ ){{0,2}}?{PAPERS}\b"
_THIS = (
    rf"(?:th(?:is|ese) (?:[\w-]+ ){{0,4}}?{PAPERS}|(?:initial |base |fixed |original )?terms?"
    r"|the (?:[\w-]+ )?(?:agreement|contract|lease|deed|addendum|amendment|tenancy|subcontract|engagement))\b"
)
FIRM = re.compile(
    r"\b(?:Inc|LLC|L\.L\.C|Ltd|Limited|Corp|Corporation|Company|Co|GmbH|AG|S\.?A|SAS|PLC|plc|LP|LLP|N\.A|B\.?V|Bank"
    r"|Council|University|Trust)\b|\b[A-ZÀ-Þ]{3,} [A-ZÀ-Þ]{3,}"
)
COMMON = words(
    """agreement contract lease deed licence license amendment addendum policy letter memorandum undertaking guarantee
    settlement charter subcontract tenancy engagement plan order power attorney statement work protocol document paper
    file this that these date day exact initial original current full formal two party parties sides between made"""
)


@dataclass(frozen=True)
class Clause:
    """asked: how it is asked for. words: that such a question may have beside those common to all. stated: what a
    sentence that says it has, `least` of them; subject: what speaks for a sentence, against: what for another clause.
    is_strict: another sentence is no answer, only a field or a label.
    """

    asked: re.Pattern[str]
    words: frozenset[str]
    stated: tuple[re.Pattern[str], ...]
    subject: re.Pattern[str]
    against: re.Pattern[str]
    least: int
    is_strict: bool = False


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
        r"|[A-ZÀ-Þ]\w+[^;]{0,80} and [A-ZÀ-Þ]\w+[^;]{0,80} (?:shall be|are) (?:each |individually )?referred to"
    ),
    against=compile_form(
        r"\b(?:relationship|entire|understanding|dispute|controversy|prior|shall not|no party)\b"
        r"|\b(?:was|were) (?!made|entered|executed|concluded)"
        r"|^[\W\d]{0,12}(?:now,? )?therefore\b"
    ),
    least=3,
    is_strict=True,
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
NUMBERED_PARTY = compile_form(r"\W?[1a]\W{1,2}\s?[^\W\d_]")
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
        rf"{_THIS}[^.;]{{0,200}}\b(?:renew|exten[ds])|\b(?:renew\w*|exten[ds]\w*)\b[^.;]{{0,200}}{_THIS}"
    ),
    against=compile_form(r"\b(?:payment|delivery|warranty|invoice|deadline)\b"),
    least=3,
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
        rf"^[\W\d]{{0,12}}(?:[\w-]+\. )?(?:[\w-]+,? ){{0,6}}?{_THIS}|\bterm of this {PAPERS}\b"
        r"|\bfor an? (?:[\w-]+ )?term of\b"
    ),
    against=compile_form(
        r"\b(?:either party may|may terminate|breach|cure|notice of termination|surviv\w+|within|invoice|payment"
        r"|confidential\w*|days (?:prior|after|of)|terms? of (?:office|payment|delivery|reference))\b"
        rf"|\bterms? of (?!th(?:is|e) (?:[\w-]+ ){{0,3}}?{PAPERS}|(?:\w+[- ]){{0,3}}?\(?(?:\d|year|month|week|day))"
        r"|^[\W\d]{0,12}(?:thereafter|after the)\b"
    ),
    least=3,
    is_strict=True,
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
    against=compile_form(r"\b(?:organi[sz]ed|existing|incorporated|export|comply|compliance|compensation)\b"),
    least=3,
)
TERMINATION = Clause(
    asked=compile_form(
        rf"\b(?:can|may|could|do)\b[^?]{{0,60}}\b(?:terminate|cancel|withdraw|get out|leave|end)\b[^?]{{0,80}}"
        rf"(?:\b{PAPERS}\b|\bwithout (?:cause|reason)\b|\bfor convenience\b|\bearl(?:y|ier)\b)"
        r"|\b(?:terminat|cancel)\w+ (?:for convenience|without (?:cause|reason)|right)\b"
    ),
    words=words(
        """terminate termination cancel cancellation withdraw get out leave end early earlier before without cause
        reason convenience notice solely giving allowing waiting period expire expires right either"""
    ),
    stated=(
        # Of a contract, or of nothing that is named: not "their membership of the club".
        compile_form(
            r"\b(?:terminat\w+|cancel\w*|withdraw\w*)(?: (?:it|this|the|any|such|said|or cancel))*\s+(?:[\w-]+\s){0,3}?"
            r"(?:agreement|contract|lease|deed|addendum|schedule|services?|subscription|project|joint venture|at|by|on"
            r"|upon|with(?:out)?|for|in|from|immediately|if|prior)\b"
        ),
        compile_form(r"\b(?:may|can|right|entitled|option)\b"),
        compile_form(
            r"\b(?:any time|any reason|no reason|without (?:cause|reason)|convenience"
            r"|notice|notif\w+|sole discretion)\b"
        ),
        DURATION,
    ),
    subject=compile_form(
        r"\b(?:may|can|right to|entitled to|option to)\b(?: be)?[^.;]{0,60}\b(?:terminate|cancel|withdraw)"
    ),
    against=compile_form(
        r"\b(?:breach\w*|default\w*|insolven\w+|unless|renew\w*|bankrupt\w*|fails?|failure|fraud\w*|material\w*|cured?"
        r"|upon termination"
        r"|after (?:the )?(?:termination|expiration))\b"
    ),
    least=4,
)
AUDIT = Clause(
    asked=compile_form(r"\b(?:audit\w*|inspect (?:the |our |their )?(?:books|records))\b"),
    words=words(
        """audit audits audited auditing right rights inspect inspection books records physical locations ensure
        compliance counterparty access"""
    ),
    stated=(
        compile_form(r"\b(?:audit\w*|inspect\w*|examin\w*|access to)\b"),
        compile_form(r"\b(?:books|records|accounts|premises|facilit\w+|time sheets|compliance)\b"),
        compile_form(r"\b(?:right|may|shall|will|entitled|permit|allow|available|request)\b"),
        compile_form(r"\b(?:notice|(?:business|working|operating) hours|once|reasonabl[ey])\b"),
    ),
    subject=compile_form(r"\b(?:audit|inspect|examin)\w*"),
    against=compile_form(r"\b(?:generally accepted|audited financial|auditor['’]?s?['’]? report)\b"),
    least=4,
)
INSURANCE = Clause(
    asked=compile_form(
        r"\b(?:requir\w+|maintain\w*|keep|need|carry|must)\b[^?]{0,60}\binsur\w+"
        r"|\binsur\w+\b[^?]{0,60}\b(?:requir\w+|maintain\w*|kept|need\w*|carr\w+|must|keep)\b"
    ),
    words=words(
        """insurance insured insure requirement requirements required require requires maintained maintain keep kept
        need needed carry carried cover coverage benefit counterparty kind kinds type types level amount"""
    ),
    stated=(
        compile_form(r"\binsur(?:ance|ed)\b"),
        compile_form(
            r"\b(?:shall|will|must|agrees? to|agrees that|required|responsible|takes out|maintains|carries|keeps)\b"
        ),
        compile_form(r"\b(?:maintain\w*|carr(?:y|ies)|keeps?|kept|procure|obtain|effect|takes? out|provide)\b"),
        compile_form(
            r"\b(?:liability|compensation|property|per occurrence|aggregate|polic(?:y|ies)|coverage|additional(?:ly)? "
            r"(?:named )?insured|interruption|amounts?)\b"
        ),
    ),
    subject=compile_form(r"\b(?:shall|will|must|agrees? to)\b[^.;]{0,80}\binsurance\b"),
    against=compile_form(r"\b(?:health|benefits?|employees['’]?) (?:insurance|plans?)\b"),
    least=4,
)
ASSIGNMENT = Clause(
    asked=compile_form(
        rf"\b(?:assign\w*|transfer\w*)\b[^?]{{0,60}}\b{PAPERS}\b|\b{PAPERS}\b[^?]{{0,60}}\b(?:assign\w*|transfer\w*)\b"
    ),
    words=words(
        """assign assigned assignment assignable transfer transferred third consent notice required without permission
        another someone else allowed"""
    ),
    stated=(
        compile_form(r"\b(?:assign\w*|transfer\w*)\b"),
        compile_form(r"\b(?:may not|shall not|neither|nor|not|without|void|binding upon|may)\b"),
        compile_form(r"\b(?:consent|approval|permission)\b"),
        compile_form(rf"\b(?:{PAPERS}|rights?|obligations?)\b"),
    ),
    subject=compile_form(rf"\bassign\w*\b[^.;]{{0,120}}{_THIS}|{_THIS}[^.;]{{0,120}}\bassign\w*"),
    against=compile_form(
        r"\b(?:inventions?|work product|copyrights?|meaning assigned|insolven\w+|creditors"
        r"|assigned to (?:the )?(?:project|account))\b"
    ),
    least=4,
)
CAP = Clause(
    asked=compile_form(
        r"\b(?:cap|caps|capped|limit\w*|maximum)\b[^?]{0,60}\bliab\w+|\bliab\w+\b[^?]{0,40}\b(?:cap|capped|limit\w*)\b"
    ),
    words=words(
        """cap caps capped limit limits limited limitation maximum liability liable breach party's obligation amount
        recovery much"""
    ),
    stated=(
        compile_form(r"\b(?:liab\w+|damages)\b"),
        compile_form(r"\b(?:exceed\w*|limited to|in no event|maximum|cap|capped)\b"),
        compile_form(rf"\b(?:amounts?|fees|paid|payable|price|aggregate|per\s?cent)\b|{AMOUNT.pattern}"),
        compile_form(r"\b(?:shall|will|is|are|be)\b"),
    ),
    subject=compile_form(r"\b(?:liability|damages)\b[^.;]{0,200}\b(?:exceed|limited to)\b"),
    against=compile_form(r"\binsurance\b"),
    least=4,
)
COMPETITION = Clause(
    asked=compile_form(r"\bnon-?compet\w*|\bcompet(?:e|ing|ition)\b"),
    words=words(
        """non-compete noncompete non compete competing competition restriction restricted ability operate geography
        business technology sector may allowed"""
    ),
    stated=(
        compile_form(r"\bcompet\w+"),
        compile_form(r"\b(?:shall not|will not|may not|not to|neither|refrain|prohibit\w*|agrees not)\b"),
        compile_form(r"\b(?:engage|sell|market|distribute|develop|business|directly|indirectly|products?)\b"),
        compile_form(r"\b(?:term|period|years?|months|territory|during)\b"),
    ),
    subject=compile_form(r"\b(?:shall not|will not|may not|not to|agrees not)\b[^.;]{0,200}\bcompet"),
    against=compile_form(r"\b(?:competent|competitive (?:bid|price|pricing|harm)|unfair competition laws?)\b"),
    least=4,
)
CLAUSES = (PARTIES, RENEWAL, TERMINATION, TERM, LAW, AUDIT, INSURANCE, ASSIGNMENT, CAP, COMPETITION)
"""In the order in which a question is tried: one for the renewal names the term, too."""
