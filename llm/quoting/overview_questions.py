"""Questions about a whole record or document: "What is this about?", "Who attended?", "What was decided?".

No passage holds their words, so the documents are read (`read_documents`). A question that names anything else is
searched for instead.
"""

import re
from dataclasses import dataclass

from llm.quoting.asked import drop_place_words, split_parts
from llm.quoting.aspects import ASPECTS, DATED, Aspect
from llm.quoting.long_questions import cut_question
from llm.recognisers.findings import phrases
from text.papers import NOUNS
from text.terms import extract_content_words, extract_terms, stem_word
from text.words import words

READ = "read_documents"
_GIST = phrases(
    r"""summary; overview; outline; gist; recap; briefing; synopsis; abstract; tl\W?dr; short version; highlights;
    (?:key|main|most important|central|essential|important) (?:points?|facts?|messages?|findings?|take-?aways?|things);
    (?:key|main|most important|central|essential|important) (?:topics|ideas|contents?|clauses|sections|provisions|terms)
    """
)
_REST = "(?:are|do|can|have|is|we|i|you|there|here|see|got|in|this|the|record|project|it|on)"
_IS = r"(?:['’]s|s| is| are| were)"
OVERVIEW = re.compile(
    r"^\W*(?:"
    + phrases("please; hi; hello; hey; so; ok(?:ay)?; (?:can|could|would|will) you; i(?:'d| would) like you to")
    + r"\W+)*"
    + phrases(
        rf"""summari[sz]e; sum up; recap; brief me; outline; (?:an? |the )?(?:short |quick |brief )?{_GIST}\b;
        (?:give|write|show|make|get|provide|i (?:need|want))\b.{{0,24}}\b{_GIST};
        what{_IS} (?:the |its )?{_GIST}; what{_IS} (?:\w+\s+){{0,6}}about\W*$;
        what do(?:es)? (?:\w+\s+){{0,6}}(?:say|contain|cover|deal with|tell (?:me|us))\W*$;
        what{_IS} (?:this|it|that)(?:\s+\w+)?\W*$; what am i looking at; what{_IS} it all about;
        what{_IS} (?:written )?in (?:this|the|it|that|here|there|these)\b(?:\s+\w+){{0,3}}\W*$;
        what{_IS} the (?:purpose|subject|topic)\b; what (?:kind|sort|type) of \w+ is (?:this|it)\b;
        what happened (?:at|in) (?:this|the) \w+\W*$; (?:is there anything|what) (?:i should|should i) know\b;
        (?:explain|describe) (?:this|the|it|that)\b(?:\s+\w+){{0,3}}(?:\s+to me)?\W*$;
        what{_IS} (?:going on|new)\b; (?:tell me|what do (?:we|you) know) about\b;
        (?:is there )?anything (?:urgent|new|important|open)\b; what (?:is urgent|needs attention)\b;
        (?:which|what|(?:list|show me)(?: all)?(?: the| my)?) (?:documents|files|papers)(?: {_REST})*\W*$;
        fass\w*\b.{{0,40}}\bzusammen; zusammenfassung; (?:ein(?:en)? )?überblick; wor(?:um|über) (?:geht|handelt);
        was steht (?:in|da|hier); r[ée]sum\w+; de quoi (?:s['’]agit|parle); resum\w+; de qu[ée] trata"""
    ),
    re.IGNORECASE,
)
"""Asks for an account of everything instead of one fact."""
BARE_WHEN = re.compile(r"^\W*(?:and )?when\W*$", re.IGNORECASE)
TELL = re.compile(r"\b(?:tell\s+me|know)\s+about\b", re.IGNORECASE)
INSIDE = re.compile(rf"^\W*what\s+(?:is|are|was|were)\s+in\b(?!.*\b(?:{'|'.join(NOUNS)})\b)", re.IGNORECASE)
"""Asks what is in something that is no document: "What is in the welcome kit?"."""
ASKS_STATE = re.compile(r"\b(?:urgent|going on|new|attention|open)\b(?! (?:points|questions)\b)", re.IGNORECASE)
OVERVIEW_WORDS = words(
    """summarise summarize sum recap brief outline summary overview gist briefing synopsis abstract tl dr tldr short
    version highlights point points fact facts message messages finding findings takeaway takeaways take-away
    take-aways things topics ideas key central essential quick say says contain contains cover covers deal tell know
    looking written going urgent anything needs attention open new write provide sentence sentences bullet bullets
    simple plain words whole everything fasse fass zusammen zusammenfassung überblick worum worüber geht handelt steht
    résumé résume résumer resumen resume quoi agit parle qué trata list see like want i'd here there hier bitte mal kurz
    what it purpose subject topic kind sort type happened should clauses sections provisions terms lot detail details
    briefly shortly hi hello hey okay ok us"""
)


@dataclass(frozen=True)
class ReadingPlan:
    """How to read. topic: words that the question names a document by, or ""; general: that it may do without them.
    aspects: what is asked for, one for each part of the question; none for an account of everything. asked: the terms
    of the question.
    """

    topic: str = ""
    general: bool = True
    aspects: tuple[Aspect, ...] = ()
    asked: frozenset[str] = frozenset()

    def call(self, *, named: bool) -> dict[str, str]:
        """The input of the tool. named: of the document that the topic names alone."""
        said = [] if named or self.general else [self.topic]  # by a document that is not called so
        focus = " ".join([*said, *(aspect.focus for aspect in self.aspects)])
        asked = {"document": self.topic if named else "", "focus": focus}
        return {key: value for key, value in asked.items() if value}


def plan_reading(question: str, about: str) -> ReadingPlan | None:
    """How a question about a whole record or document is answered; None where it is one for a search.

    about: the name and type of the record at hand.
    """
    question = cut_question(question)
    if ASKS_STATE.search(question):
        return None
    if OVERVIEW.search(question):
        topic = _extract_topic(question, about, OVERVIEW_WORDS)
        general = all(word.lower() in NOUNS for word in topic.split())
        if not general and (TELL.search(question) or INSIDE.match(question)):
            return None  # of anything that has a name, all records may tell
        return ReadingPlan("" if _is_about_record_here(question, topic) else topic, general)
    parts = split_parts(question)
    found = [_plan_aspect(part, about) for part in parts]
    if len(parts) > 1 and found[0] is not None:
        found = [
            ReadingPlan(aspects=(DATED,)) if BARE_WHEN.match(part) else plan
            for part, plan in zip(parts, found, strict=True)
        ]
    plans = [plan for plan in found if plan is not None]
    if len(plans) < len(found):
        return None
    topics = " ".join(dict.fromkeys(plan.topic for plan in plans if plan.topic))
    aspects = tuple(aspect for plan in plans for aspect in plan.aspects)
    return ReadingPlan(topics, all(plan.general for plan in plans), aspects, frozenset(extract_terms(question)))


def _plan_aspect(question: str, about: str) -> ReadingPlan | None:
    """For one question, the first aspect that it asks for and that leaves no other word of it."""
    for aspect in ASPECTS:
        if aspect.asked.search(question):
            left = [
                word
                for word in _extract_topic(question, about, OVERVIEW_WORDS).split()
                if stem_word(word) not in aspect.words
            ]
            if all(word.lower() in NOUNS for word in left):
                topic = " ".join(left)
                return ReadingPlan("" if _is_about_record_here(question, topic) else topic, True, (aspect,))
            named = " ".join(w for w in find_document(question, about).split() if stem_word(w) not in aspect.words)
            if named and set(left) <= {*named.split(), *NOUNS}:
                return ReadingPlan(named, False, (aspect,))
    return None


DETERMINER = re.compile(
    r"\b(?:the|this|my|our|your|at|from|de[rmns]|die|das|diese[rmns]?|le|la|du|del|el)\s+(?=\S)", re.IGNORECASE
)
"""Stands before what a question ends with, which may be a document: "the total of the receipt"."""
DONE = re.compile(r"(?<!\s)\s++(?:\w{2,40}ed|due|made|sent|paid|end|start|expire)$", re.IGNORECASE)
MAX_NAME_WORDS = 4


def find_document(question: str, about: str) -> str:
    """The words by which a question may name a document; "" for none. What it may be called in general is left out
    where another word names it.
    """
    _, *ends = DETERMINER.split(drop_place_words(cut_question(question)).rstrip("?!. "))
    name = DONE.sub("", ends[-1]) if ends else ""
    words = _extract_topic(name, about, frozenset()).split() if len(name.split()) <= MAX_NAME_WORDS else []
    return " ".join([word for word in words if word.lower() not in NOUNS] or words)


def _extract_topic(question: str, about: str, known: frozenset[str]) -> str:
    """The words that name what it is about, without those of the question's form and of the record at hand."""
    here, kind = set(extract_terms(about)), about.lower().split()[-1:]
    kept = [
        word
        for word in extract_content_words(question.replace("’", "'"))
        if word.lower().removesuffix("'s") not in known
    ]
    kept = [word for word in kept if not (word[0].isupper() and set(extract_terms(word)) <= here)]
    return " ".join(word for word in kept if [word.lower()] != kind)


def _is_about_record_here(question: str, topic: str) -> bool:
    """Whether what is named is the record or document at hand: "this letter"."""
    return not topic or bool(
        len(topic.split()) == 1 and re.search(rf"\b(?:this|these|dies\w*)\s+{re.escape(topic)}\b", question, re.I)
    )
