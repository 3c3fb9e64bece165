"""What the tools of a chat returned, and quotes with the numbers that it gave them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from llm.prompts import OTHER_SPELLING, RESTRICTED
from llm.quoting.asked import extract_name_terms
from llm.quoting.field_answers import Quote
from llm.quoting.listing import LIST
from llm.quoting.overview_questions import READ
from llm.quoting.reading import FIELDS, extract_lines, extract_passages, extract_text, record_name
from text.pieces import write_cells
from text.terms import extract_terms

OWN_FIELDS = {"fields": True}
"""What is read of the record at hand where a field answers, so that it can be cited."""
MIN_LETTERS = 6
"""Of a word that is taken for another."""


@dataclass(frozen=True)
class ToolResult:
    """What a tool returned. name: of the tool; asked: its input."""

    name: str
    text: str
    asked: Mapping[str, Any] = field(default_factory=dict)


BULLET = re.compile(r"^\s*[-*•–]\s+")


def has_documents(readings: list[str]) -> bool:
    """Whether more than the record's own fields was read."""
    return any(passage.kind != FIELDS for passage in extract_passages("\n".join(readings)))


def select_searches(results: list[ToolResult]) -> list[str]:
    """What searches returned: all that no other tool did."""
    return [r.text for r in results if r.name not in (READ, LIST) and "<passages>" in r.text]


def collect_results(messages: list[dict[str, Any]], index: int) -> list[ToolResult]:
    """What tools returned since the message at `index`."""
    found: list[ToolResult] = []
    used: dict[str, Any] = {}
    for message in messages[index + 1 :]:
        if isinstance(message["content"], str):
            continue
        for block in message["content"]:
            if block.get("type") == "tool_use":
                used[block["id"]] = block
            elif block.get("type") == "tool_result":
                use = used.get(block.get("tool_use_id", ""), {})
                found.append(ToolResult(use.get("name", ""), extract_text([block]), use.get("input") or {}))
    return found


def correct_question(question: str, results: list[ToolResult]) -> str:
    """The question with the words that a search took for those which no text has, where they are spelt with the same
    letters: "Spain" is no slip of "pain". A name stays as it was typed.
    """
    names = extract_name_terms(question)
    for result in results:
        first, _, _ = result.text.partition("\n")
        asked, meant = str(result.asked.get("query", "")).split(), first.removeprefix(OTHER_SPELLING).split()
        if not first.startswith(OTHER_SPELLING) or len(asked) != len(meant):
            continue
        for typed, word in zip(asked, meant, strict=True):
            if len(typed) >= MIN_LETTERS and set(typed) == set(word) and names.isdisjoint(extract_terms(typed)):
                question = re.sub(rf"(?<!\w){re.escape(typed)}(?!\w)", word, question)
    return question


def list_own_fields(body: dict[str, Any], results: list[ToolResult]) -> list[str]:
    """Lines of the record at hand: its fields and status, and restricted fields that were read apart."""
    system = extract_text(body.get("system", ""))
    read = "\n".join(result.text for result in results if result.asked.get(RESTRICTED))
    here = record_name(system)
    own = [line for p in extract_passages(read) if p.kind == FIELDS and p.title == here for line in p.text.splitlines()]
    return list(dict.fromkeys([*extract_lines(system, "fields"), *extract_lines(system, "status"), *own]))


def write_quotes(quotes: list[Quote], body: dict[str, Any], results: list[ToolResult]) -> str:
    """Quotes with their numbers: a field has that of the passage in which it stands among the record's own, if any."""
    read = "\n".join(result.text for result in results if result.asked.get("fields"))
    here = record_name(extract_text(body.get("system", "")))
    own = [p for p in extract_passages(read) if p.kind == FIELDS and p.title == here]
    numbers = {line: p.n for p in own for line in p.text.splitlines()}
    texts = {p.n: p.text for p in extract_passages("\n".join(result.text for result in results))}
    numbered = [
        (write_cells(quote.sentence, texts.get(quote.n, "")), quote.n or numbers.get(quote.sentence, 0))
        for quote in quotes
    ]
    once: dict[str, list[int]] = {}
    for text, n in numbered:
        same = (said for said in once if BULLET.sub("", said) == BULLET.sub("", text))
        once.setdefault(next(same, text), []).append(n)
    return "\n\n".join(" ".join([text, *(f"[{n}]" for n in dict.fromkeys(of) if n)]) for text, of in once.items())
