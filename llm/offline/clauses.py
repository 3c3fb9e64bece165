"""What nearly every contract says in its own words: its name, who made it, how long it runs, whether it is renewed, and
which law governs it. The words of such a question stand all over a contract, so the sentence is found by how it is
written. A question that asks for anything else besides is none of these.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from llm.offline.field_answers import Quote
from llm.offline.long_questions import trim_question
from llm.offline.measures import DATE, DURATION
from llm.offline.ranking import extract_terms, stem_word
from llm.offline.reading import PromptPassage, get_document_title
from llm.offline.sentences import split_sentences
from llm.recognisers.findings import words

MAX_CLAUSE_CHARACTERS = 1_500
MAX_TITLE_CHARACTERS = 140
MAX_TITLE_WORDS = 8
MAX_VALUE_CHARACTERS = 40
FOR, AGAINST = 1.5, 2.0
"""What a sentence's subject counts, and what speaks for another clause, beside 1 for each thing that is stated."""
MAX_DOCUMENTS = 3
"""Of which the clause is quoted, one sentence each."""

_PAPERS = (
    r"(?:agreement|contract|lease|deed|licen[cs]e|amendment|addendum|policy|letter|memorandum|undertaking|guarantee"
    r"|settlement|charter|subcontract|tenancy|engagement|plan|order|power of attorney|statement of work|protocol)"
)
_OF_PAPER = rf"(?:th(?:is|e) )?{_PAPERS}\b"
_THIS = (
    rf"(?:th(?:is|ese) (?:[\w-]+ ){{0,4}}?{_PAPERS}|(?:initial |base |fixed |original )?terms?"
    r"|the (?:[\w-]+ )?(?:agreement|contract|lease|deed|addendum|amendment|tenancy|subcontract|engagement))\b"
)
_FIRM = (
    r"\b(?:Inc|LLC|L\.L\.C|Ltd|Limited|Corp|Corporation|Company|Co|GmbH|AG|S\.?A|SAS|PLC|plc|LP|LLP|N\.A|B\.?V|Bank"
    r"|Council|University|Trust)\b|\b[A-ZÀ-Þ]{3,} [A-ZÀ-Þ]{3,}"
)
_COMMON = words(
    """agreement contract lease deed licence license amendment addendum policy letter memorandum undertaking guarantee
    settlement charter subcontract tenancy engagement plan order power attorney statement work protocol document paper
    file this that these date day exact initial original current full formal two party parties sides between made"""
)


@dataclass(frozen=True)
class Clause:
    """asked: how it is asked for. words: that such a question may have beside those common to all. stated: what a
    sentence that says it has, `least` of them; subject: what speaks for a sentence, against: what for another clause.
    goes_first: before any other answer.
    """

    asked: re.Pattern[str]
    words: frozenset[str]
    stated: tuple[re.Pattern[str], ...]
    subject: re.Pattern[str]
    against: re.Pattern[str]
    least: int
    goes_first: bool = False


def _compile(form: str) -> re.Pattern[str]:
    return re.compile(form, re.IGNORECASE)


TITLE_ASKED = _compile(
    rf"\b(?:name|title)\b(?: of (?:{_OF_PAPER}|th(?:is|e) (?:document|paper)\b)|\W*$)"
    rf"|\bwhat is th(?:is|e) (?:{_PAPERS}|document|paper) (?:called|titled|named)\b"
)
TITLE_WORDS = words("name title called titled named")
TITLE_END = _compile(
    rf"(?:\b{_PAPERS}|\b(?:amendment|addendum|exhibit|schedule|appendix)\W+(?:no\W*)?[\w#]{{1,4}})\W*$"
)
SMALL = words("of to the and for on in by or a an with no")
NO_TITLE = _compile(r"\b(?:whereas|shall|hereby|hereto|hereof|is|are|was|has|by:|item)\b")
PARTIES = Clause(
    asked=_compile(
        r"\b(?:who|which) (?:are|is|were) (?:the )?(?:two |contracting |signing |other )*parties\b"
        rf"|\bparties\b (?:to|of|in|who (?:have )?signed) {_OF_PAPER}"
        rf"|\bbetween (?:whom|which (?:parties|companies))\b|\bwho is {_OF_PAPER} (?:with|between)\b"
        rf"|\bwho (?:entered into|concluded|made|are we in) {_OF_PAPER}"
    ),
    words=words("contracting signing signed sign entered concluded companies more other with"),
    stated=(
        _compile(r"\b(?:between|among(?:st)?|zwischen)\b(?!\s+(?:the )?(?:parties|hereto))"),
        _compile(
            r"\((?:[“\"'‘]|hereinafter|herein|the [“\"'‘]|(?-i:the [A-Z])|each|collectively|together|individually)"
            r"|\b(?:hereinafter|referred to)\b"
        ),
        re.compile(_FIRM),
        _compile(r"\b(?:made|entered|dated|effective|executed|concluded|geschlossen)\b"),
    ),
    subject=re.compile(
        rf"(?i:\b{_PAPERS}\b[^;]{{0,300}})\b(?i:between|among(?:st)?|zwischen)\b[^;]{{0,300}}?[A-ZÀ-Þ]"
        r"|(?i:^[\W\d]{0,12}(?:by and )?(?:between|parties)\b)[^;]{0,300}[A-ZÀ-Þ]"
        r"|[A-ZÀ-Þ]\w+[^;]{0,80} and [A-ZÀ-Þ]\w+[^;]{0,80} (?:shall be|are) (?:each |individually )?referred to"
    ),
    against=_compile(
        r"\b(?:relationship|entire|understanding|dispute|controversy|prior|shall not|no party)\b"
        r"|\b(?:was|were) (?!made|entered|executed|concluded)"
        r"|^[\W\d]{0,12}(?:now,? )?therefore\b"
    ),
    least=3,
    goes_first=True,
)
PARTY_LINE = _compile(
    r"[\W\d]{0,12}(?:the )?(?:employ(?:er|ee)|landlord|tenant|less(?:or|ee)|licens(?:or|ee)|buyer|seller|vendor"
    r"|purchaser|supplier|customer|client|(?:sub)?contractor|consultant|company|distributor|borrower|lender|owner"
    r"|party [ab12])\b[^:]{0,20}:\s*\S"
)
RENEWAL = Clause(
    asked=_compile(r"\b(?:renew\w*|extend\w* automatically|automatic(?:ally)? exten\w*)\b"),
    words=words(
        """renewal renewed renew renews term terms period length long automatically automatic extension extensions
        extended extend after expire expires expired end ends how initial unilateral prior notice includes"""
    ),
    stated=(
        _compile(r"\b(?:renew\w*|exten(?:d|ds|ded|sion|sions))\b"),
        _compile(r"\b(?:automatic\w*|successive|additional|further|subsequent|consecutive)\b"),
        _compile(r"\b(?:year|month|day|week|annual|anniversary)\w*\b"),
        _compile(r"\b(?:unless|upon|by) (?:[\w-]+ ){0,6}?(?:notice|agreement|notif\w+|terminat\w+|request)\b"),
    ),
    subject=_compile(rf"{_THIS}[^.;]{{0,200}}\b(?:renew|exten[ds])|\b(?:renew\w*|exten[ds]\w*)\b[^.;]{{0,200}}{_THIS}"),
    against=_compile(r"\b(?:payment|delivery|warranty|invoice|deadline)\b"),
    least=3,
)
TERM = Clause(
    asked=_compile(
        r"\b(?:when|on what date|on which date|until when|how long)\b[^?]{0,200}\b(?:expir\w+|end|ends|ended|over"
        r"|run out|terminates?|lapses?|run|runs|last|lasts|valid|in (?:force|effect))\b|\bwhat is the term\W*$"
        rf"|\b(?:expir(?:y|ation) date|end date|(?:initial|contract|fixed) term|(?:term|duration) of {_OF_PAPER})"
    ),
    words=words(
        """initial term terms expire expires expired expiry expiration end ends ended run runs running out last lasts
        valid force effect terminate terminates lapse lapses until when how long duration length period contract's
        agreement's"""
    ),
    stated=(
        _compile(
            r"\bterms?\b[^.;]{0,120}\b(?:be|is|of|commenc\w*|begin\w*|end\w*|expire\w*|continue\w*|extended|mean\w*)\b"
        ),
        _compile(
            r"\b(?:remain|continue|be|stay)s?\b[^.;]{0,60}\b(?:in (?:full )?(?:force|effect)|effective|until|for)\b"
        ),
        _compile(
            r"\b(?:expires?|terminates?|ends?)\b(?: automatically)?(?: without notice)? (?:on|in|at|upon|when|as of)\b"
        ),
        _compile(
            r"\b(?:commenc|begin|start|take[s]? effect|become[s]? effective)\w*\b[^;]{0,200}"
            r"\b(?:continu\w+|until|through|terminat\w+|expir\w+|end\w*|period|year)\b"
        ),
        _compile(r"\bfor (?:an? )?(?:[\w-]+ )?(?:term|period) of\b"),
        _compile(rf"{DURATION.pattern}|{DATE.pattern}|until terminated|\bperpetual\w*|\bindefinite\w*|\bpermanent\b"),
    ),
    subject=_compile(
        rf"^[\W\d]{{0,12}}(?:[\w-]+\. )?(?:[\w-]+,? ){{0,6}}?{_THIS}|\bterm of this {_PAPERS}\b"
        r"|\bfor an? (?:[\w-]+ )?term of\b"
    ),
    against=_compile(
        r"\b(?:either party may|may terminate|breach|cure|notice of termination|surviv\w+|within|invoice|payment"
        r"|confidential\w*|days (?:prior|after|of)|terms? of (?:office|payment|delivery|reference))\b"
        r"|^[\W\d]{0,12}(?:thereafter|after the)\b"
    ),
    least=3,
    goes_first=True,
)
LAW = Clause(
    asked=_compile(r"\b(?:which|what|whose)\b[^?]{0,200}\blaws?\b|\b(?:governing|applicable) law\b"),
    words=words(
        """state country country's state's law laws governs govern governing governed interpretation interpreted applies
        apply applicable under which whose jurisdiction"""
    ),
    stated=(
        _compile(r"\b(?:govern\w*|constru\w+|interpret\w+|determined|enforced|subject to|appl(?:y|ies))\b"),
        _compile(r"\blaws? (?:of|in)\b|\b[a-z]{4,} law\b"),
        re.compile(
            r"\b[Ll]aws? of (?:the )?(?:[A-Z]\w+ (?:of )?(?:the )?)*[A-Z]\w+|\bLAWS? OF\b|\b[A-Z][a-z]{3,} law\b"
        ),
    ),
    subject=_compile(rf"\b{_PAPERS}\b|\bparties\b"),
    against=_compile(r"\b(?:organi[sz]ed|existing|incorporated|export|comply|compliance|compensation)\b"),
    least=3,
)
CLAUSES = (PARTIES, RENEWAL, TERM, LAW)
"""In the order in which a question is tried: one for the renewal names the term, too."""


@dataclass(frozen=True)
class AskedClause:
    """A question for a clause. quotes: the sentences that say it, one a document; names_paper: it says of what, and not
    "it"; clause: None for a title.
    """

    clause: Clause | None
    quotes: list[Quote]
    names_paper: bool

    @property
    def goes_first(self) -> bool:
        """Whether no other answer is looked for."""
        first = self.clause is None or self.clause.goes_first
        return first and self.names_paper and (bool(self.quotes) or self.clause is None)

    def keep_own(self, quotes: Sequence[Quote]) -> list[Quote]:
        """Of another answer what may be one: a field of the record, or a label that says so. That a permit expires says
        nothing of the lease.
        """
        clause = self.clause
        if clause is None or not clause.goes_first:
            return list(quotes)
        return [
            quote for quote in quotes if not quote.n or _is_bare(quote.sentence) or _is_labelled(clause, quote.sentence)
        ]


def read_clause(question: str, found: Sequence[PromptPassage]) -> AskedClause | None:
    """What clause a question asks for, and for nothing else; None for none."""
    asked = trim_question(question)
    names_paper = bool(re.search(rf"\b(?:{_PAPERS}|document|paper|parties)\b", asked, re.IGNORECASE))
    if TITLE_ASKED.search(asked) and _asks_nothing_else(asked, TITLE_WORDS, found):
        return AskedClause(None, _find_titles(found), names_paper)
    for clause in CLAUSES:
        if clause.asked.search(asked) and _asks_nothing_else(asked, clause.words, found):
            quotes = _find_sentences(clause, found) or (_find_party_lines(found) if clause is PARTIES else [])
            return AskedClause(clause, quotes, names_paper)
    return None


def _is_bare(line: str) -> bool:
    """Whether a line is only a value, under the label that is asked for: "30. June 2028"."""
    return len(line) <= MAX_VALUE_CHARACTERS and not line.endswith((".", "!", "?"))


def _is_labelled(clause: Clause, sentence: str) -> bool:
    """Whether a line begins with a label of the clause: "End date: 31 March 2027"."""
    line = sentence.strip("#* |")
    label = re.split(r"[:|]", line)[0]
    return len(label) < len(line) and set(extract_terms(label)) <= {stem_word(w) for w in clause.words | _COMMON}


def _asks_nothing_else(question: str, known: frozenset[str], found: Sequence[PromptPassage]) -> bool:
    """Whether each other word of the question names a document that is there."""
    titles = {term for passage in found for term in extract_terms(get_document_title(passage))}
    return set(extract_terms(question)) - {stem_word(word) for word in known | _COMMON} <= titles


def _find_sentences(clause: Clause, found: Sequence[PromptPassage]) -> list[Quote]:
    best: dict[str, tuple[float, Quote]] = {}
    for passage in found:
        for sentence in split_sentences(passage.text):
            if len(sentence) > MAX_CLAUSE_CHARACTERS:
                continue
            fits = sum(bool(form.search(sentence)) for form in clause.stated)
            is_subject = bool(clause.subject.search(sentence))
            score = fits + FOR * is_subject - AGAINST * bool(clause.against.search(sentence))
            title = get_document_title(passage)
            if min(fits + is_subject, score) >= clause.least and score > best.get(title, (0.0,))[0]:
                best[title] = (score, Quote(sentence, passage.n))
    return [quote for _, quote in sorted(best.values(), key=lambda pair: -pair[0])[:MAX_DOCUMENTS]]


def _find_party_lines(found: Sequence[PromptPassage]) -> list[Quote]:
    """The lines of the first document with such that name who it is between: "Employer: Fjord Foods"."""
    lines: dict[str, list[Quote]] = {}
    for passage in found:
        for line in split_sentences(passage.text):
            if PARTY_LINE.match(line) and len(line) <= MAX_TITLE_CHARACTERS:
                lines.setdefault(get_document_title(passage), []).append(Quote(line, passage.n))
    return next((quotes[:MAX_DOCUMENTS] for quotes in lines.values() if len(quotes) > 1), [])


def _find_titles(found: Sequence[PromptPassage]) -> list[Quote]:
    """The first line of each document that has the form of a title."""
    titles: dict[str, Quote] = {}
    for passage in found:
        for place, line in enumerate(split_sentences(passage.text)):
            if _is_title(line, begins=place == 0):
                titles.setdefault(get_document_title(passage), Quote(line, passage.n))
    return list(titles.values())[:MAX_DOCUMENTS]


def _is_title(line: str, *, begins: bool) -> bool:
    """Whether a line names a paper and says nothing of it: in capitals or with each word capitalised, or a short one
    with which a passage begins.
    """
    line = line.strip("#* |")
    if len(line) > MAX_TITLE_CHARACTERS or NO_TITLE.search(line) or not TITLE_END.search(line):
        return False
    found = re.findall(r"[\w’'-]+", line)
    return (begins and len(found) <= MAX_TITLE_WORDS) or all(
        word.lower() in SMALL or not word[:1].islower() for word in found
    )
