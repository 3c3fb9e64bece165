"""What the offline engine answers to a request of the Messages API, from the structure of the prompt alone (design
§1.2).
"""

import json
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

from llm import classifying
from llm.fences import unfence
from llm.messages import ToolUse
from llm.prompts import NOT_FOUND, SELF
from llm.quoting import chatting, pulsing
from llm.quoting.answering import answer as quotes_for
from llm.quoting.reading import (
    PARAGRAPH,
    extract_element,
    extract_lines,
    extract_passages,
    extract_text,
    find_last_question,
    has_element,
)
from llm.quoting.restricted import choose_call
from llm.quoting.summaries import summarise
from llm.tokens import estimate
from llm.wire import Answer, create_id

__all__ = ["answer", "estimate_input_tokens", "extract_text"]

# Lengths of streamed pieces: small and uneven, so that citation markers are cut in two as real models cut them.
PIECES = (7, 3, 12, 5, 9, 4, 11)
_classify: list[Callable[[str], dict[str, Any]]] = [classifying.classify]


def use_classifier(classify: Callable[[str], dict[str, Any]]) -> None:
    """From now on paragraphs are labelled by `classify`, which answers as `classifying.classify` does."""
    _classify[:] = [classify]


def answer(body: dict[str, Any]) -> Answer:
    """The answer to a request body. Text comes out of the prompt verbatim, or is one of a few fixed sentences."""
    forced = (body.get("tool_choice") or {}).get("name", "")
    tools = [tool.get("name") for tool in body.get("tools", [])]
    prompt = "\n".join(extract_text(message["content"]) for message in body["messages"] if message["role"] == "user")
    if "record_labels" in (forced, *tools):
        return _build_tool_answer("record_labels", _classify[0](prompt), body)
    if chatting.SEARCH in tools:
        if call := choose_call(body):
            return _build_tool_answer(*call, body)
        return _build_text_answer(chatting.compose_answer(body), body)
    if has_element(prompt, "excerpts"):
        return _build_text_answer(summarise([unfence(found["text"]) for found in PARAGRAPH.finditer(prompt)]), body)
    if has_element(prompt, "record") and has_element(prompt, "passages"):
        return _build_text_answer(_answer_pulse(prompt), body)
    return _build_text_answer(chatting.compose_answer(body) if find_last_question(body["messages"])[1] else SELF, body)


def _answer_pulse(prompt: str) -> str:
    question = extract_element(prompt, "question")
    if not question:
        return "\n".join(pulsing.compose_pulse(prompt))
    found = quotes_for(
        question, list(extract_passages(prompt)), [*extract_lines(prompt, "fields"), *extract_lines(prompt, "status")]
    )
    return "\n".join(f"- {q.sentence} [{q.n}]" if q.n else q.sentence for q in found) or NOT_FOUND


def estimate_input_tokens(body: dict[str, Any]) -> int:
    """Estimated tokens of a request: system, messages and tools as they are written down."""
    counted = {key: body[key] for key in ("system", "messages", "tools") if key in body}
    return estimate(json.dumps(counted, ensure_ascii=False))


def _build_text_answer(text: str, body: dict[str, Any]) -> Answer:
    limit = int(body.get("max_tokens", 2048)) * 4
    cut = text[:limit]
    return Answer(
        deltas=tuple(split_pieces(cut)),
        stop_reason="max_tokens" if len(cut) < len(text) else "end_turn",
        input_tokens=estimate_input_tokens(body),
        output_tokens=estimate(cut),
    )


def _build_tool_answer(name: str, asked: dict[str, Any], body: dict[str, Any]) -> Answer:
    return Answer(
        tools=(ToolUse(create_id("toolu"), name, asked),),
        input_tokens=estimate_input_tokens(body),
        output_tokens=estimate(json.dumps(asked, ensure_ascii=False)),
    )


def split_pieces(text: str) -> Iterator[str]:
    """`text` in small pieces of uneven length."""
    start = 0
    for length in cycle(PIECES):
        if start >= len(text):
            return
        yield text[start : start + length]
        start += length
