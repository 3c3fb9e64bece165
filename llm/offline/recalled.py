"""The offline engine where it is asked what was said in the conversation: it quotes the line that says so."""

import re
from typing import Any

from llm.fences import unfence
from llm.offline.ranking import alike_terms, terms
from llm.offline.reading import element, extract_text
from llm.prompts import NOT_FOUND

PERSON_ASKS = re.compile(
    r"\b(?:we|you|i)\s+(?:just|already|have|had)?\s*(?:spoke|spoken|talked|talk|said|say|mentioned|mention|told|tell"
    r"|asked|ask|discussed|discuss|quoted)\b|\b(?:earlier|before)\s+in\s+(?:this|our)\s+(?:conversation|chat)\b"
    r"|\b(?:haben\s+wir|hast\s+du|haben\s+sie|habe\s+ich)\b.*\b(?:gesprochen|besprochen|gesagt|erwähnt|genannt|gefragt)\b"
    r"|\b(?:wir|du|ich)\b.*\b(?:gesprochen|besprochen|gesagt|erwähnt|genannt|gefragt)\s+(?:haben|hast|habe)\b",
    re.IGNORECASE,
)
OF_TALKING = frozenset(
    terms(
        "spoke spoken speak talked talk said say mentioned mention told tell asked ask discussed discuss quoted earlier"
        " before conversation chat again remind gesprochen besprochen gesagt erwähnt genannt gefragt"
        " haben hast habe wir ich du sie der die das den dem über von was wie welche welcher welches war hatte"
    )
)
TURN = re.compile(r'<turn n="\d+">\n(.*?)</turn>', re.DOTALL)
MIN_SHARE = 0.5
"""Of the words of a question that an exchange must hold; what was asked counts with the line that answered it."""


def quote_conversation(messages: list[dict[str, Any]], index: int, question: str) -> str:
    """The line that says most of what is asked, with its numbers; the latest of equals. "" where the question does not
    ask what was said, or nothing that was said answers it. index: of the question among `messages`.
    """
    if not PERSON_ASKS.search(question):
        return ""
    wanted = [word for word in dict.fromkeys(terms(question)) if word not in OF_TALKING]
    best, most = "", 0.0
    for asked, answered in _exchanges(messages, index) if wanted else ():
        statement = "" if asked.rstrip().endswith("?") else asked
        for line in filter(str.strip, [statement, *answered.splitlines()]):
            said, around = alike_terms(line), alike_terms(asked)
            share = sum(1.0 if word in said else 0.6 if word in around else 0.0 for word in wanted) / len(wanted)
            if share >= max(most, MIN_SHARE) and not line.startswith(NOT_FOUND):
                best, most = line.strip(), share
    return best


def _exchanges(messages: list[dict[str, Any]], index: int) -> list[tuple[str, str]]:
    """(what was asked, what was answered) of all that the prompt holds, oldest first."""
    found = []
    for turn in TURN.findall(_cut_element(extract_text(messages[index]["content"]))):
        found.append((unfence(element(turn, "asked")), unfence(element(turn, "answered"))))
    asked = ""
    for message in messages[:index]:
        if message["role"] == "user":
            asked = extract_text(message["content"])
        else:
            found.append((asked, extract_text(message["content"])))
    return found


def _cut_element(text: str) -> str:
    match = re.search(r"<earlier>(.*?)</earlier>", text, re.DOTALL)
    return match[1] if match else ""
