"""Instructions hidden in documents: found, taken out of prompts or quoted, and reported (design §5, last paragraph).
Where a label is asked for they stay: what a model was not shown has not been judged, and readers would get it.

Two strengths. What is aimed at an assistant's rules ("ignore previous instructions", role markers, "classify this as
Public") is replaced by a short notice. What merely tells the reader how to write an answer ("include a link in your
reply") may be an honest sentence of a letter: it stays, quoted as something that the text says. Patterns cannot tell a
plain question in a document from an attack; delimiters, labels and permission do not depend on this module.

Measured on BIPIA's training attacks in e-mails: 75 of 120 found (73 of the 79 that meddle with the answer, 2 of the 41
that only ask something else), none of 50 clean e-mails, and 4 of 12,000 paragraphs of contracts and a company handbook.
"""

import re

from llm.recognisers.findings import phrases

NOTICE = "(instruction-like text removed)"

INVISIBLE = re.compile("[\u200b\u2060-\u2064\ufeff]")
# Text direction overrides and tag characters have no honest use in a document's text.
SMUGGLED = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")

TAG_LETTERS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}
TURN = re.compile(r"<\||\|>|\[(?=/?INST\])|<<(?=\s*/?SYS\s*>>)")

EARLIER = phrases(
    "previous; prior; above; earlier; preceding; foregoing; existing; initial; original; system; safety; security"
)
RULES = phrases(
    "instructions?; prompts?; rules?; directions?; guidelines?; polic(?:y|ies); directives?; commands?; constraints?"
)
REST = r"[^.!?\n]*[.!?]?"
LINE_START = r"(?:^|(?<=\n))[ \t]*"
ORDER = r"(?:^|(?<=[.!?:\n])|(?<=[.!?:]\s)|\b(?:please|now|then|and|must)\s)[ \t]*"
NEVER = r"\b(?:do\s+not|don['’]t|never)\s+"
MACHINE = phrases("AI; LLM; language models?; chat\\s?bots?; assistants?; models?")
HARMLESS = phrases(
    "public; unclassified; non-?sensitive; not (?:sensitive|confidential); harmless; level 0; 0\\b; safe to share"
)
RESTRICTED = phrases(
    r"""salar(?:y|ies); passwords?; credentials?; api keys?; secrets?; personal data; documents? you; data you;
    confidential; restricted; private"""
)
SHOW = phrases("reveal; print; show; output; repeat; display; leak; disclose; tell me")
SEND = phrases("reveal; print; output; list; dump; exfiltrate; leak; disclose; send; forward; e-?mail; upload; post")


def _compile_patterns(named: dict[str, tuple[str, ...]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile("|".join(parts), re.IGNORECASE)) for name, parts in named.items())


STRONG = _compile_patterns(
    {
        "override instructions": (
            r"\b(?:ignore|disregard|forget|override|bypass|overlook|skip|discard|do\s+not\s+(?:follow|obey))\s+"
            r"(?:(?:all|any|everything|of|the|your|my|these|those|every|about)\s+){0,4}"
            rf"(?:{EARLIER}\s+)*(?:{RULES}|everything\s+(?:above|before)|what\s+(?:you\s+were|was)\s+told)\b{REST}",
            rf"\b(?:forget|ignore|disregard)\s+everything\b{REST}",
            rf"\bignorier\w*\s+(?:alle\s+)?(?:vorherigen|bisherigen|obigen)\s+\w+{REST}",
            rf"\bignore[zr]?\s+(?:toutes\s+)?les\s+instructions\s+pr[ée]c[ée]dentes{REST}",
            rf"\bignora\s+(?:todas\s+)?las\s+instrucciones\s+anteriores{REST}",
        ),
        "change of role": (
            r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?\s+|in\s+|bound\s+|restricted|the\s+|free)" + REST,
            rf"\b(?:enter|enable|activate|switch\s+to)\s+(?:god|DAN|jailbreak|unrestricted|unfiltered)\s+mode\b{REST}",
            rf"\b(?:pretend|act)\s+(?:that\s+you\s+are|to\s+be|as\s+(?:if\s+you|an?\s+unrestricted))\b{REST}",
        ),
        "asks for the prompt": (
            rf"\b{SHOW}\s+(?:\w+\s+){{0,3}}"
            rf"(?:(?:system|initial|hidden)\s+prompt|hidden\s+instructions?|your\s+{RULES})\b{REST}",
        ),
        "asks for restricted data": (
            rf"{ORDER}{SEND}\s+(?:\w+\s+){{0,3}}(?:all|every|any)\s+(?:\w+\s+){{0,3}}{RESTRICTED}\b{REST}",
        ),
        "dictates a classification": (
            r"\b(?:classify|label|mark|treat|tag|rate|consider)\s+(?:this|the|it|all|every\w*|these|any|each)\b"
            rf"(?:\s+\w+){{0,5}}?\s+(?:as|to\s+be)\s+(?:\w+\s+)?[\"'“]?{HARMLESS}{REST}",
            r"\bthis\s+(?:\w+\s+)?(?:paragraph|document|text|page|section|file)\s+(?:must|should|shall|is\s+to)\s+be"
            rf"\s+\w+\s+(?:as|to\s+be)\s+(?:\w+\s+)?[\"'“]?{HARMLESS}{REST}",
            rf"{NEVER}(?:classify|redact|flag|label|restrict|mask)\b{REST}",
            r"\b(?:correct|right|true|required)\s+(?:classification|label)s?\s+(?:is|are|:)\s*[\"'“]?"
            rf"(?:public|0)\b{REST}",
        ),
        "addresses the assistant": (
            r"\b(?:attention|note|message|important|instructions?|notice)\s*+(?:to|for)?\s*+:?\s*+(?:the\s+)?(?:any\s+)?"
            rf"{MACHINE}(?:\s+{MACHINE})?\b\s*[:,–—-]{REST}",
            r"\b(?:if\s+you\s+are|as)\s+an?\s+(?:AI|artificial\s+intelligence|LLM|(?:large\s+)?language\s+model)\b"
            + REST,
            rf"\b(?:AI|LLM)\s+{MACHINE}\s+(?:must|should|shall|are\s+(?:required|instructed))\b{REST}",
        ),
        "secrecy from the user": (
            rf"{NEVER}(?:tell|inform|mention|reveal|disclose|show)\s+(?:\w+\s+){{0,4}}"
            rf"(?:(?:to\s+)?the\s+user|these\s+instructions|this\s+(?:instruction|message|prompt))\b{REST}",
        ),
        "new task": (rf"\b(?:your\s+new\s+(?:task|instructions?|role|goal)|new\s+instructions?)\s*(?:is|are|:){REST}",),
        "role marker": (
            r"<\|[^|\n]{1,30}\|>|\[/?INST\]|<<\s*/?SYS\s*>>",
            LINE_START + r"(?:#{1,4}\s*)?(?:system|assistant|human|developer)\s*+(?:prompt|message)?\s*+:(?=\s)",
            LINE_START + r"#{2,4}\s*(?:instructions?|response|input)[^\S\n]*+:?(?=[^\S\n]*\n)",
        ),
        "tool call": (
            r"\b(?:call|invoke|run|execute|use)\s+(?:the\s+)?(?:tool|function)\s+[\"'`]?\w+[\"'`]?"
            rf"(?:\s+(?:with|to|and)\b|\s*\(){REST}",
        ),
        "image or link with data": (
            r"!\[(?:[^\]\n!]|!(?!\[))*+\]\(\s*https?://[^)\s?={]{0,2000}+[?={][^)\s]{0,4000}+\)",
        ),
    }
)

ANSWER = (
    r"(?:your|the)\s+(?:(?:next|final|own)\s+)?"
    r"(?:responses?|answers?|repl(?:y|ies)|outputs?|summar(?:y|ies)|messages?)"
)
SHAPE = phrases(
    """add; append; include; insert; incorporate; integrate; embed; mention; augment; modify; change; adjust; alter;
    enhance; write; render; craft; make; use; replace; substitute; swap; convert; encode; translate; rewrite; rephrase;
    scramble; jumble; anagram; reverse; shuffle; misspell; spell; remove; omit; hint; tease; promote; recommend;
    suggest; advise; conclude; begin; start; end; finish; format; create; provide; express; encourage; invite; infuse;
    introduce; present; group; rearrange; mix; shift; capitalize; drop; state; offer; engage; weave"""
)
GARBLE = phrases(
    """replace; swap; convert; use; mix; shift; reverse; scramble; jumble; anagram; encode; substitute; misspell; drop;
    capitalize; remove; omit; rearrange; shuffle; render; spell; alternate; double; change; write; group"""
)
PLEASE = r"^(?:please\s+)?"
LETTERS = phrases(r"letters?; vowels?; consonants?; characters?; every \w+ word; anagrams?; homophon\w+")
WEAK = _compile_patterns(
    {
        "shapes the answer": (
            rf"{PLEASE}{SHAPE}\b.*\b{ANSWER}",
            rf"{PLEASE}in\s+{ANSWER},?\s+{SHAPE}\b",
            rf"\bin\s+{ANSWER}\s*[.!(]?$",
            rf"\bto\s+{ANSWER}\s*\.?$",
        ),
        "garbles the answer": (
            rf"{PLEASE}{GARBLE}\b.*\b{LETTERS}\b",
            rf"{PLEASE}(?:remove|omit|insert|add)\b(?>.*?\bspaces?\b).*\bwords?\b",
        ),
        "asks for a translation": (rf"{PLEASE}translate\b.*\b(?:to|into|in)\s+[A-Z]\w+",),
    }
)
SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]?")


def neutralise_text(text: str) -> tuple[str, tuple[str, ...]]:
    """(text that is safe to put between delimiters, names of the patterns found, each once, never the text itself)."""
    found: list[str] = []
    if SMUGGLED.search(text):
        found.append("invisible characters")
    text = INVISIBLE.sub("", SMUGGLED.sub("", text))
    for name, pattern in STRONG:
        text, count = pattern.subn(NOTICE, text)
        if count:
            found.append(name)
    text = SENTENCE.sub(lambda match: _quote_order(match.group(), found), text)
    return text, tuple(dict.fromkeys(found))


def reveal_hidden(text: str) -> tuple[str, tuple[str, ...]]:
    """(all of a text that is to be labelled, names of the patterns found). Hidden letters are shown, and what a model
    may take for the end of a message is broken up.
    """
    shown = INVISIBLE.sub("", SMUGGLED.sub("", text.translate(TAG_LETTERS)))
    return TURN.sub(lambda match: " ".join(match.group()) + " ", shown), neutralise_text(text)[1]


def _quote_order(sentence: str, found: list[str]) -> str:
    bare = sentence.strip()
    for name, pattern in WEAK:
        if pattern.search(bare):
            found.append(name)
            lead = sentence[: len(sentence) - len(sentence.lstrip())]
            return f"{lead}(the text says: “{bare}”)"
    return sentence
