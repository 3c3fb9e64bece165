"""Clauses that say what a side of a contract may or must do, or what it pays at most."""

from llm.quoting.clause_forms import PAPERS, THIS, Clause, compile_form
from llm.quoting.measures import DURATION
from llm.recognisers.money import AMOUNT
from text.words import words

TERMINATION = Clause(
    asked=compile_form(
        rf"\b(?:can|may|could|do)\b[^?]{{0,60}}\b(?:terminate|cancel|withdraw|get out|leave|end)\b[^?]{{0,80}}"
        rf"(?:\b{PAPERS}\b|\bwithout (?:cause|reason)\b|\bfor convenience\b)"
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
    is_rule=True,
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
    is_rule=True,
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
    is_rule=True,
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
    subject=compile_form(rf"\bassign\w*\b[^.;]{{0,120}}{THIS}|{THIS}[^.;]{{0,120}}\bassign\w*"),
    against=compile_form(
        r"\b(?:inventions?|work product|copyrights?|meaning assigned|insolven\w+|creditors"
        r"|assigned to (?:the )?(?:project|account))\b"
    ),
    least=4,
    is_rule=True,
    needs_subject=True,
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
    needs_subject=True,
)
COMPETITION = Clause(
    asked=compile_form(
        r"\bnon-?compet\w*|\b(?:can|may|could|allowed|able|ability|restrict\w*|prohibit\w*)\b[^?]{0,80}\bcompete\b"
    ),
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
    is_rule=True,
)
