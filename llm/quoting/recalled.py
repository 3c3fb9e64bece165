"""The offline engine where it is asked what was said in the conversation: it quotes the line that says so."""

import re
from typing import Any

from llm.fences import unfence
from llm.prompts import NOT_FOUND, is_closest
from llm.quoting.asked import extract_name_terms
from llm.quoting.particulars import find_numbered, has_numbered
from llm.quoting.reading import BESIDE_QUESTION, extract_element, extract_text
from text.pieces import split_sentences
from text.questions import read_statements
from text.terms import extract_alike_terms, extract_terms

PERSON_ASKS = re.compile(
    r"\b(?:we|you|i)\s+(?:(?:just|already|ever|have|had)\s+){0,2}(?:spoke|spoken|talked|said|mentioned|told|asked"
    r"|discussed|quoted)\b"
    r"|\bdid(?:n['’]t)?\s+(?:we|you|i)\s+(?:(?:just|already|ever)\s+)?(?:speak|talk|say|mention|tell|ask|discuss|quote)\b"
    r"|\b(?:earlier|before)\s+in\s+(?:this|our)\s+(?:conversation|chat)\b"
    r"|\b(?:haben\s+wir|hast\s+du|haben\s+sie|habe\s+ich)\b.*\b(?:gesprochen|besprochen|gesagt|erwähnt|genannt|gefragt)\b"
    r"|\b(?:wir|du|ich)\b.*\b(?:gesprochen|besprochen|gesagt|erwähnt|genannt|gefragt)\s+(?:haben|hast|habe)\b",
    re.IGNORECASE,
)
"""Asks for the past: "Can you tell me …" and "How do we tell the insurer …" ask for what stands in documents."""
OF_TALKING = frozenset(
    extract_terms(
        "spoke spoken speak talked talk said say mentioned mention told tell asked ask discussed discuss quoted earlier"
        " before conversation chat again remind gesprochen besprochen gesagt erwähnt genannt gefragt"
        " haben hast habe wir ich du sie der die das den dem über von was wie welche welcher welches war hatte"
    )
)
CITATION_FIRST = re.compile(r"^((?:\[\d{1,9}\]\s*)+)(.*)$", re.DOTALL)
TURN = re.compile(r'<turn n="\d+">\n(.*?)</turn>', re.DOTALL)
MAX_LINE_CHARACTERS = 400
MIN_SHARE = 0.5
"""Of the words of a question that an exchange must hold; what was asked counts with the line that answered it."""


def quote_conversation(messages: list[dict[str, Any]], index: int, question: str) -> str:
    """The line that says most of what is asked, with its numbers; the latest of equals. "" where the question does not
    ask what was said, or nothing that was said answers it. index: of the question among `messages`.
    """
    if not PERSON_ASKS.search(question):
        return ""
    wanted = [word for word in dict.fromkeys(extract_terms(question)) if word not in OF_TALKING]
    best, most = "", 0.0
    for asked, answered in _parse_exchanges(messages, index) if wanted else ():
        around = extract_alike_terms(asked)
        pieces = [piece for answer in answered.splitlines() for piece in _split_line(answer)]
        for line in [*read_statements(asked), *pieces]:
            said = extract_alike_terms(line)
            share = sum(1.0 if word in said else 0.6 if word in around else 0.0 for word in wanted) / len(wanted)
            is_quote = not line.startswith(NOT_FOUND) and not is_closest(line)
            if share >= max(most, MIN_SHARE) and is_quote and _has_names(question, line, asked):
                best, most = line, share
    return best


def _has_names(question: str, line: str, asked: str) -> bool:
    """Whether the line has every name and number of the question. What it was the answer to may name them in its place,
    if that names nothing else: of two that were asked for, the line may be about the other.
    """
    names, around = extract_name_terms(question), extract_name_terms(asked)
    text = f"{asked} {line}" if around <= names else line
    known = set(extract_terms(text)) | (around if around <= names else set())
    return names <= known and all(has_numbered(noun, number, text) for noun, number in find_numbered(question))


def _split_line(line: str) -> list[str]:
    """A line as it is; one that is too long to be quoted sentence by sentence, each with the citations behind it."""
    if len(line) <= MAX_LINE_CHARACTERS:
        return [line.strip()] if line.strip() else []
    found: list[str] = []
    for sentence in split_sentences(line):
        cited = CITATION_FIRST.match(sentence)
        if cited and found:
            found[-1] = f"{found[-1]} {cited[1].strip()}"
        rest = cited[2] if cited and found else sentence
        found += [rest] if rest else []
    return found


def _parse_exchanges(messages: list[dict[str, Any]], index: int) -> list[tuple[str, str]]:
    """(what was asked, what was answered) of all that the prompt holds, oldest first."""
    found = []
    for turn in TURN.findall(_cut_element(extract_text(messages[index]["content"]))):
        found.append((unfence(extract_element(turn, "asked")), unfence(extract_element(turn, "answered"))))
    asked = ""
    for message in messages[:index]:
        if message["role"] == "user":
            asked = BESIDE_QUESTION.sub("", extract_text(message["content"])).strip()
        else:
            found.append((asked, extract_text(message["content"])))
    return found


def _cut_element(text: str) -> str:
    match = re.search(r"<earlier>(.*?)</earlier>", text, re.DOTALL)
    return match[1] if match else ""
