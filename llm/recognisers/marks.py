"""What a text says about its own confidentiality. A mark can only add a label; "this is public" adds nothing."""

import re

from llm.recognisers.findings import Finding, find_sentence_spans, matches, phrases
from llm.recognisers.late import compile_late
from llm.recognisers.plans import PLANS

# With the number of a clause before it: "2.1 Confidential", "(ii) Secret", "Article 4: Internal".
FIGURES = r"\d{1,5}(?:\.\d{1,5})*[.):]*"
NUMBER = (
    rf"(?:(?:[^\W\d_]+ ){{0,3}}(?:{FIGURES}|(?:[ivxlc]{{1,8}}|[a-z])[.):]+)"
    rf"|§ ?{FIGURES}|[ivxlc]{{1,8}}|[a-z]{{1,3}}[.)])[ \t]++"
)
# Signs in a row are read once: two repetitions that share them would try every place between the two.
LINE = rf"(?:^|(?<=\n))[ \t#*_>|\-–—\[(]*+(?:{NUMBER}[*_\[(]*+)?"
END = r"[\s*_|.\-–—\])!]*(?:$|(?=\n)|(?=\s[-–—|]\s))"
# A mark at the head of the text it is for: "Confidential: the bid is low", "[CONFIDENTIAL] …", "**Secret** …".
RUN_IN = r"(?:[*_\])]*(?:[:.!](?=[\s*_\])])|\s?[–—]|\s-(?=\s))|[*_\])]+(?=\s))"
HERE = phrases(
    """memo(?:randum)?; report; document; paragraph; section; clause; schedule; annex; appendix; letter; page; note;
    e-?mail; message"""
)
THIS = rf"\bthis\s+(?:\w+\s+)?{HERE}\s+is\s+"

INTERNAL = compile_late(
    r"\b"
    + phrases(
        r"""for internal (?:use|distribution|circulation|purposes)(?: only)?; internal use only; internal only; staff
        only; company internal; internal (?:memo(?:randum)?|draft)\b; employees only; (?:do )?not (?:to be
        )?(?:share|shared|distribute|distributed|forward|circulate)d? (?:this )?(?:\w+ )?outside; nur für (?:den
        )?(?:internen gebrauch|interne zwecke); usage interne; uso interno; for (?:our )?(?:own
        )?(?:staff|employees|personnel|colleagues|our people|our own teams)(?: only)?(?=\s*[:.]); our people only; for
        us only; (?:only )?for use (?:inside|within) (?:the|our) (?:company|organisation|firm|house|works|group);
        (?:only|just) (?:inside|within) (?:the|our) (?:company|organisation|firm|house|project team); must not leave
        (?:the|our) (?:company|house|building|site|organisation); within the project team\); (?:nur|ausschließlich) für
        (?:unsere )?(?:mitarbeiter\w*|beschäftigte\w*|das personal); do not circulate outside; not for
        (?:customers?|visitors|contractors|outsiders|third parties|suppliers|agencies|forwarding|external
        (?:use|readers)); do not (?:give|show|pass|hand|send|speak about) (?:this|it|the following|them|out|on)?(?: on)?
        ?to (?:\w+ or )?(?:customers?|visitors|contractors|outsiders|third parties|suppliers|agencies); not (?:to be
        )?(?:shared|discussed|published|handed|passed|given|shown|available)(?: on| out)?(?: (?:with|to) (?:\w+ or
        )?(?:customers?|visitors|(?:sub)?contractors|clients|outsiders|third parties|suppliers|agencies|the
        public))?(?=\s*[.,;:)]|$); please do not
        (?:show|share|pass|forward|hand)\b[^.\n]{0,40}(?:visitors|customers?|contractors|outside|agencies|outsiders);
        (?:please )?treat as internal; company[ -]internal; internal (?:wiki|circular|note|notice|working
        paper|comment|addresses|procedure|guideline|meeting);
        (?:staff|employees?|colleagues?|personnel|team|crew)(?:['’]s?)? eyes only; dienstgebrauch;
        (?:keep|kept|stays?|remain) (?:this|it|that)? ?(?:within|inside|in) (?:the|our)
        (?:company|firm|house|organisation|works|team); intern(?:er|e|es)?
        (?:hinweis|vermerk|info(?:rmation)?|papier|unterlage|dokument|leitfaden); nicht nach (?:außen|draußen);
        (?:visible|open|available|accessible) to (?:employees|staff|colleagues|members of staff) only; (?:not|never)
        (?:to be )? (?:shared|passed|forwarded|shown) (?:on )?(?:outside|beyond|externally); nur für
        (?:uns|interne\w*|kolleg\w+); no externals; (?:don['’]t|do not|never) (?:forward|share|send|pass)[^.\n]{0,20}
        outside; intranet only; not for the outside; no external (?:distribution|circulation|use|sharing);
        (?:keep|kept|stays?) (?:it |this |that )?in-house; nicht an (?:kunden|externe|dritte|lieferanten)
        (?:weiter\w+|geben|schicken|senden); staff notice; circular is addressed to employees; restricted to (?:\w+
        )?(?:personnel|staff|employees); betriebsintern\w*; nur intern; firmenintern\w*; hausintern\w*; interne
        (?:notiz|mitteilung|anweisung); bleibt (?:bitte )?im hause?; nicht (?:an|für) (?:dritte|kunden|externe)(?:
        weiter\w+)?; document interne; note interne; diffusion interne; réservée? au personnel; (?:ne pas|à ne pas)
        diffuser (?:à|en) l?['’]?ext[eé]rieur"""
    )
    + rf"(?!\w)|{LINE}intern(?:al|e)?(?:\s+use)?{END}|{LINE}internal\s+use\s*[.:]|{LINE}internal\s+[-–—:]"
    rf"|{LINE}(?:betriebs|firmen)?intern(?:e)?\s*:",
    re.IGNORECASE,
)
# A licence that allows internal use is no mark.
LICENCE = compile_late(
    r"\b(?:licen[cs]e[ds]?|licensee|software|source\s+code|derivative|cop(?:y|ies)|document\w*|products?)\b", re.I
)
LICENCED = compile_late(r"\blicen[cs](?:ed?|ing)\b[^.\n]{0,60}\bfor\b[^.\n]{0,30}\binternal\b", re.IGNORECASE)
# A duty to keep something confidential marks nothing.
DUTY = compile_late(
    r"\b(?:keep|kept|hold|held|treat(?:ed)?|maintain(?:ed)?|remains?|preserved?|in|considered|deemed)\b[^.\n]{0,80}$",
    re.I,
)
CONFIDENTIAL = compile_late(
    rf"{LINE}(?:strictly\s+|highly\s+|company\s+|commercially\s+|business\s+)?(?:private\s+(?:and|&)\s+)?confidential"
    rf"(?:\s+(?:and|&)\s+proprietary)?(?:{END}|{RUN_IN})"
    rf"|\b(?:strictly|highly|company|business)\s+confidential\b"
    r"(?!\s+(?:basis|manner|information|data|and\s+may\s+not))"
    r"|\bcommercial[\s-]+in[\s-]+confidence\b|\bprivate\s+(?:and|&)\s+confidential\b"
    r"|\bconfidential\s*[-–—:]\s*(?:do\s+not|not\s+for|for\s+the\s+attention)"
    r"|(?:^|(?<=\n))[^\n.]{1,60}\s[-–—|/]\s?(?:strictly\s+)?confidential[ \t*_\])]*(?=\n|$)"
    rf"|{THIS}(?:strictly\s+)?confidential\b|\bthe\s+following\s+is\s+(?:strictly\s+)?confidential\b"
    r"|\bnot\s+for\s+(?:public\s+)?(?:disclosure|release|publication|distribution|circulation)\b|\bunder\s+embargo\b"
    r"|\bstreng\s+vertraulich\b|\bvertraulich\s*$|\bstrictement\s+confidentiel\b|\bestrictamente\s+confidencial\b",
    re.IGNORECASE,
)
UNDERTAKINGS = phrases(
    r"""acquisition; merger; takeover; divestiture; divestment; IPO; buy-?out; restructuring; layoffs?;
    redundanc(?:y|ies); reorgani[sz]ation; plant closure"""
)
DEALS = compile_late(
    rf"\b(?:potential|proposed|planned|confidential|secret|unannounced|pending)\s+(?:\w+\s+)?{UNDERTAKINGS}\b"
    r"|\b"
    + phrases(
        r"""acquisition target; takeover (?:bid|target|offer); letter of intent to acquire; non-?binding offer for;
        (?:plans?|planning|negotiat\w+|talks) to (?:acquire|buy out|merge with|take over|divest|lay off);
        (?:plans?|planning) to make \w+ redundant; material non-?public; (?:has|have|is|are) not (?:yet )?(?:been
        )?(?:publicly )?(?:announced|public(?! ones| holidays)|made public|disclosed); before (?:the|any) (?:public
        )?announcement; board[\s-]+(?:only|eyes only|confidential); exclusivity until; draft (?:heads of terms|letter of
        intent)"""
    )
    + r"\b",
    re.IGNORECASE,
)
OTHERS = phrases(
    r"""they; he; she; it; customers?; clients?; competitors?; staff; employees; (?:the )?works council; distributors?;
    suppliers?; landowners?; owners?; the (?:other
    side|market|press|public|plant|union|buyer|seller|client|team|bidders?|management|purchasing team); nobody(?: \w+)?;
    no one; any bidder"""
)
# What is said or written, and what must not happen to it: of people and animals that leave a room nothing is meant.
SAYINGS = (
    r"\b(?:this|it|that|these|what\s+(?:is|was|we|i|you)(?:\s+\w+){1,3}|(?:"
    + phrases(
        """information; data; papers?; documents?; drafts?; cop(?:y|ies); files?; notes?; letters?; figures; numbers;
        names; lists?; plans?; results?; contents?; recipes?; formulas?; ratios?; curves?; drawings?;
        compositions?; prices?; details; subject; conversation; discussion"""
    )
    + r")(?:\s+\w+){0,3}?)\s+"
)
LEAVES = r"leaves?\s+(?:this|the)\s+(?:room|circle|laboratory|group|meeting)"
# That somebody must not learn of it is what makes a plan, a dispute or a position confidential.
HUSHED = compile_late(
    rf"{SAYINGS}(?:(?:must|may|should|shall|does|do|is|are)\s+(?:not|never)\s+(?:to\s+)?|(?:not\s+to|never)\s+){LEAVES}\b"
    rf"|\b(?:nothing|none)\s+(?:of\s+(?:this|it)\s+)?(?:(?:may|must|should|shall|is\s+to)\s+(?:ever\s+)?)?{LEAVES}\b"
    rf"|(?:^|[.:;(\n]\s{{0,5}})not\s+to\s+{LEAVES}\b"
    r"|(?:^|[.!?:\n]\s{0,5}|\b(?:said|told|tells?|shared?|mentioned|heard|learnt|learned)\s+(?:\w+\s+){0,3})"
    r"in\s+confidence(?=\s{0,5},)"
    rf"|\b(?:{OTHERS}\s+)(?:\w+\s+){{0,3}}(?:must|may|should|shall|are|is|were|have|has|do|does)\s+(?:not|never)\s+"
    r"(?:yet\s+|to\s+)?(?:be\s+|been\s+)?(?:learn|know|hear|find\s+out|notice[d]?|told|informed|see|seen|aware)\b"
    r"|\b(?:must|may|should|will)\s+(?:not|never)\s+(?:learn|know|hear|find\s+out)\b"
    rf"|\b(?:other\s+side|they|customer|client|competitors?)\s+(?:has|have|does|do)\s+not\s+(?:yet\s+)?(?:noticed?"
    rf"|know|learnt|learned|seen)\b"
    r"|\b"
    + phrases(
        r"""keep (?:that|this|it) (?:to yourself|to yourselves|between us|quiet|strictly|under wraps); between you and
        me; between ourselves; between us(?=\s*[:,]); nothing (?:of this |may |must |is to )\w+ (?:get out|known|leave);
        may get out; get out before; (?:is|be|are|was) not (?:yet )?(?:public(?! ones| holidays)|published|known(?! wh|
        how| if)|announced|told); not (?:yet|to be) (?:published|announced); (?:have|has) not (?:yet )?been
        (?:told|informed|approached)(?: yet)?(?=\s*[.;]|$); (?:only|just) the [^.\n]{2,30} (?:is|are|may|must|should)
        (?:to )?(?:know|be told); deal team only; in confidence(?=\s*:); nobody (?:outside|beyond|at|below) [^.\n]{1,40}
        (?:knows|needs to know|must (?:know|find out)|has been told); (?:do not|don['’]t) tell the
        (?:customer|client|buyer|seller|union|staff|team|press); keep it in the (?:family|team|room); until (?:it
        is|the|they|we|he|she|then)? ?[^.\n]{0,40}(?:announced?|announcement|signing|published|spoken|filing|filed); no
        word (?:to|about); not a word; (?:told|tell|said to|know from) (?:us )?(?:in confidence|privately); has
        privately; kept? strictly; to be kept (?:secret|strictly|among); are insiders; is an insider; insider list;
        (?:is|are|our|remains) (?:a |an |\w+ )?trade secrets?(?= of (?:the company|ours)| and|\s*[.,;:]|$); marketing
        know last; talk to nobody; do not hand out; not to be shown to; (?:will|shall) hear it from; not before; must
        not be mentioned; do not mention; don['’]t mention; on no account mention; (?:to|should|must|please) not mention
        (?:it|that|this); may not be seen to; is not to be told; are not to be told; not to be told; keep silence;
        keeps? silent about; silence about; keep the witness; away from questions; embargoed until; keep
        (?:this|it|that) confidential; (?:will|shall|are to) (?:only )?be told (?:in|on|after|later|once|when); without
        (?:informing|telling|consulting) (?:the|our|them); (?:weiß|wissen|weiss) (?:davon |hiervon )?(?:noch )?nichts;
        behind (?:their|his|her) backs?; not (?:yet )?(?:informed|told|aware)(?= of (?:this|it|our)|\s*[.;]); nobody is
        to (?:write|speak|know); (?:use|under|by) (?:the|its|their) code ?names?; code ?named; before it becomes known;
        for the board alone; executive committee only; privately (?:told|agreed); has not been made public;
        betriebsgeheimnis\w*; geschäftsgeheimnis\w*; nicht weitergeben; nicht weitersagen; darf (?:noch )?nicht bekannt
        werden; unter uns; noch nicht öffentlich; vertraulich(?=\s*[:.,;]); aucune annonce; ne pas divulguer; ne
        doi(?:t|vent) pas (?:savoir|apprendre); confidentiel(?:le)?(?=\s*[:.,;]); secret de fabrication; secret des
        affaires; à ne pas ébruiter; entre nous"""
    )
    + r"(?!\w)",
    re.IGNORECASE,
)
# What one would use against another party, or they against us.
POSITION = compile_late(
    r"\b"
    + phrases(
        r"""go in low; hold firm (?:on|to); concede (?:on|the); walk away (?:if|from|at); bottom line is; our (?:\w+
        )?(?:maximum|walk-?away|limit|reserve)(?: (?:price|offer|bid))? is; we (?:would|could|will|can) (?:go|pay|offer)
        up to; fallback (?:position|is); bargaining (?:position|chip);
        (?:offer|bid|bidding|tender|negotiation|negotiating|litigation|defence|pricing|exit|acquisition) strategy;
        (?:bid|tender|competitor|competing bid|market|pricing) intelligence; nda applies; (?:under|covered by|subject
        to) (?:an? |the |our )?nda\b; out of the loop; if they (?:find out|learn|knew|hear); our fallback; defence
        paper; we will (?:argue|claim|say) that; our own records; (?:have|has) not (?:yet )?(?:spoken|talked) to
        (?:anybody|anyone|them|him|her); patent attorneys? (?:thinks?|believes?|says?|advises?); stillschweigen;
        sperrfrist; gesperrt bis; (?:noch )?nichts davon erfahren; names of the whistle-?blowers?; (?:have|has) been
        (?:copied|forged|falsified|backdated); had been (?:copied|forged|falsified|backdated); let \w+ (?:believe|think)
        that; (?:delete|destroy|burn) (?:this )?(?:after|once) (?:reading|read); code ?name;
        verhandlungs(?:linie|position|strategie|taktik); rückfallposition; (?:schließung|verlagerung|verkauf)
        (?:des|der) (?:werks?|standorts?|sparte); agreed in principle to (?:sell|close|merge|buy|acquire|divest);
        decided (?:in principle )?to (?:sell|close|drop|exit|leave|cancel|divest|shut|dismiss|replace); being
        (?:audited|investigated) by; es ist geplant,? (?:\w+ ){0,4}zu schließen; offre de rachat; our (?:opening
        |negotiating |own )?position (?:is|was|paper); position paper for; negotiat\w+
        (?:brief|position|mandate|margin|ceiling); opening position; our ceiling; our best lever; weak(?:ness|
        point)(?:es)? of our; our weak(?:ness| point)(?:es)?; undercut (?:us|them|our|their|the (?:bid|offer|price));
        until they withdraw; only supplier of; plan b (?:for|if); settle before; we had better settle; we (?:may|can) go
        as far as; better settle; there is no such bidder; squeeze us; take it only after signing; raise it only after;
        deny everything; we have (?:probably )?infringed; litigation hold; inquiry that is not public; the tender was
        rigged; whistle-?blower(?!
        (?:polic(?:y|ies)|procedures?|protection|program(?:me)?s?|hotline|guidelines?|training)); audit committee
        investigates; our own test; longer than what we reported; than we reported; will be cancelled; we (?:are going
        to|will|intend to|plan to|want to) (?:cancel|leave|drop|close|exit|terminate|withdraw|sell) the;
        (?:closing|closure of) the (?:\w+ ){0,2}(?:foundry|plant|works|site|factory|branch); positions (?:in \w+ )?would
        go; (?:prüft|prüfen) den verkauf; schließung des werks; kaufpreisvorstellung; wir wollen höchstens; étudie la
        (?:cession|fermeture|vente); envisage de (?:céder|fermer|vendre); plan social"""
    )
    + r"(?!\w)",
    re.IGNORECASE,
)
# Nothing may leave a few people: a matter of its own level.
SMALL_CIRCLE = compile_late(
    r"\b"
    + phrases(
        r"""(?:only|no more than|just) (?:two|three|four|five|six|seven|\d) (?:people|persons|of us) know; must go no
        further; goes? no further; it must stay that way; known (?:only )?to (?:the )?(?:managing
        director|chair\w*|two|three|four|a few) [^.\n]{0,60}(?:only|no further|nobody else); nobody (?:else
        )?(?:but|except) (?:the|us|you) [^.\n]{0,40} (?:may|must) know; for the eyes of [^.\n]{0,50}\b(?:alone|only)\b;
        nobody (?:beyond|outside) the (?:two|three|four|five|\d) of us; only [^.\n]{1,30} and (?:the (?:two|three) of
        us|i|me|you) (?:may |must |should |can )?know; burn this (?:note|letter|paper|after); kennt nur (?:der|die) \w+;
        wissen nur (?:wir|die beiden|zwei|drei); nobody else (?:may|must|should|is to) (?:know|hear|learn|see|be told);
        nobody else may(?=\s*[.:;,]); is known to the [^.\n]{0,40}\balone; between the (?:two|three) of us and nobody
        else; nur (?:zwei|drei|vier) personen wissen; seules? (?:deux|trois|quatre) personnes"""
    )
    + r"(?!\w)",
    re.IGNORECASE,
)
ADVISES = phrases(
    """advises?; advised; advice; assessment; view; believes?; recommends?; recommended; estimates?; considers?;
    thinks?; sees?; warns?; expects?"""
)
PRIVILEGE = compile_late(
    rf"\b(?:our|outside|external|general|in-house|legal)\s+counsel(?:['’]s)?\s+{ADVISES}\b"
    r"|(?:^|[.:\n]\s{0,5})counsel\s+(?:advises|recommends|warns|thinks|puts)\b"
    r"|\b"
    + phrases(
        r"""attorney[\s-]*client (?:privileged?|communication); solicitor[\s-]*client; legal(?:ly)? privileged?; legal
        advice privilege; privileged (?:and|&) confidential; confidential (?:and|&) privileged; subject to (?:legal
        )?privilege; attorney work[\s-]+product; work product doctrine; without prejudice(?: and
        confidential)?\s*(?:$|[:.\n]); without prejudice and subject to contract; subject to contract(?=\s*[:.]);
        litigation (?:strategy|hold memo); settlement (?:strategy|position|authority|range); legal
        (?:memo(?:randum)?|exposure); we (?:should|would) settle; anwaltsgeheimnis; (?:advised by|advice (?:of|from))
        (?:our|outside|external|in-house) (?:\w+ )?counsel; (?:advised by|advice (?:of|from)) our (?:\w+
        )?(?:lawyers?|attorneys?|solicitors?); (?:counsel|legal|lawyers?)['’]s? (?:view|advice|note|opinion) (?:is|was);
        (?:our|the company['’]s) (?:lawyers?|attorneys?|solicitors?|barristers?|counsel)
        (?:thinks?|believes?|says?|advises?|warns?|sees?|expects?); legal advice(?=\s*:); legal
        (?:note|opinion)(?=\s*[:,]); (?:unser|unsere|der|die) (?:anwalt|anwältin|anwälte|rechtsabteilung|kanzlei)
        (?:rät|raten|hält|meint|empfiehlt|sieht); anwaltliche (?:stellungnahme|einschätzung|auskunft); rechtsgutachten;
        (?:notre|nos) (?:avocate?s?|conseils?) (?:estime\w*|conseille\w*|pense\w*|recommande\w*|juge\w*); avis de
        (?:notre|nos) (?:avocats?|conseils?); consultation juridique confidentielle;
        (?:likelihood|chances?|odds|prospects?) of (?:success|losing|prevailing|winning) (?:at|in|on)"""
    )
    + r"\b",
    re.IGNORECASE,
)
PRIVILEGE_BOILERPLATE = compile_late(
    r"\b(?:waive[sd]?|waiver|breach|protected\s+by|loss\s+of)\b[^.\n]{0,80}\bprivileged?\b"
    r"|\bprivilege\b[^.\n]{0,60}\b(?:waive[sd]?|waiver)\b",
    re.IGNORECASE,
)
# A disclaimer that every mail has marks nothing; advice in the same mail stays what it is.
DISCLAIMER = compile_late(
    r"\b(?:intended|named)\s+(?:recipient|addressee)|\buse\s+of\s+the\s+(?:recipient|individual|addressee|intended)",
    re.IGNORECASE,
)
DISCLAIMED = compile_late(
    r"legally\s+privileged|privileged\s+(?:and|&)\s+confidential|confidential\s+(?:and|&)\s+privileged", re.IGNORECASE
)
SECRET = compile_late(
    rf"\btop\s+secret\b|{LINE}(?:strictly\s+)?secret(?:{END}|{RUN_IN})|\bSECRET//\w+|{THIS}(?:top\s+)?secret\b"
    rf"|\bstreng\s+geheim\b"
    r"|(?<!staff )(?<!employee )(?<!employees )(?<!colleagues )(?<!personnel )(?<!team )(?<!crew "
    r")\beyes\s+only\b(?!\s+board)",
    re.IGNORECASE,
)
DECLARED = compile_late(
    r"\b(?:(?:(?:data|document|information|security)\s+)?(?:classification|sensitivity)|protective\s+marking)"
    r"(?:\s+(?:level|label))?\s*[:=]\s*[*_]*"
    r"(?P<level>internal|confidential|restricted|pii|personal|sensitive|financial|secret|top\s+secret)\b",
    re.IGNORECASE,
)


def find_marks(text: str) -> list[Finding]:
    """Findings of kinds internal, confidential, deal, privilege, secret_mark, small_circle and declared:<level>."""
    found = [
        *(
            f
            for f in matches("internal", INTERNAL, text)
            if not (LICENCED.search(text) or len(text) >= 160 and LICENCE.search(text))
        ),
        *(
            f
            for f in matches("confidential", CONFIDENTIAL, text)
            if not DUTY.search(text, max(0, f.start - 100), f.start)
        ),
        *(f for pattern in (DEALS, PLANS) for f in matches("deal", pattern, text)),
        *(f for pattern in (HUSHED, POSITION) for f in matches("confidential", pattern, text)),
        *matches("secret_mark", SECRET, text),
        *matches("small_circle", SMALL_CIRCLE, text),
    ]
    if not PRIVILEGE_BOILERPLATE.search(text):
        disclaimed = [span for span in find_sentence_spans(text) if DISCLAIMER.search(text, *span)]
        for f in matches("privilege", PRIVILEGE, text):
            if not (DISCLAIMED.fullmatch(text, f.start, f.end) and any(s <= f.start < e for s, e in disclaimed)):
                found.append(f)
    for match in DECLARED.finditer(text):
        found.append(Finding("declared:" + " ".join(match["level"].lower().split()), match.start(), match.end()))
    return found
