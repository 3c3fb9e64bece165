"""Asking a model to put passages in order: the prompt, and what is taken of the answer."""

from collections.abc import Sequence
from typing import Any

from llm.messages import ToolUse
from llm.prompts import (
    Cleaner,
    NumberedPassage,
    Prompt,
    PromptDocument,
    build_user_message,
    render_passages,
    render_template,
)

RANK_PASSAGES: dict[str, Any] = {
    "name": "rank_passages",
    "description": "Record the order of the passages.",
    "input_schema": {
        "type": "object",
        "properties": {
            "order": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "The numbers of all passages, the one that answers the question best first.",
            }
        },
        "required": ["order"],
    },
}


def build_rerank_prompt(question: str, texts: Sequence[str]) -> Prompt:
    """Ask for the order of passages, numbered from 1. The answer is read by `read_order`."""
    clean = Cleaner()
    shown = render_passages(
        [PromptDocument("Passages", [NumberedPassage(n, text) for n, text in enumerate(texts, start=1)])]
    )
    asked = render_template("rerank_user", question=clean(question), passages=shown.text)
    return Prompt(
        render_template("rerank_system"),
        [build_user_message(asked)],
        tools=(RANK_PASSAGES,),
        tool_choice={"type": "tool", "name": "rank_passages"},
        max_tokens=400,
        injections=tuple(dict.fromkeys(clean.injections + shown.injections)),
    )


def read_order(tool_uses: Sequence[ToolUse], count: int) -> list[int] | None:
    """Places from 0, best first, of a model that was asked to rank `count` passages; perhaps not all of them.

    None where the answer is anything but different numbers of passages that it was given.
    """
    order = next((use.input.get("order") for use in tool_uses if use.name == "rank_passages"), None)
    if not isinstance(order, list) or not order or not all(type(n) is int and 1 <= n <= count for n in order):
        return None
    return [n - 1 for n in order] if len(set(order)) == len(order) else None
