"""Asking a model what an answer is worth: the prompt, its version, and what is taken of the verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llm.messages import ToolUse
from llm.prompts import (
    Cleaner,
    Prompt,
    PromptDocument,
    build_user_message,
    hash_templates,
    render_passages,
    render_template,
)

TEMPLATES = ("judge_system", "judge_user")
MAX_RELEVANCE = 4
RECORD_VERDICTS: dict[str, Any] = {
    "name": "record_verdicts",
    "description": "Record the verdict on every statement, and how far the answer gives what was asked for.",
    "input_schema": {
        "type": "object",
        "properties": {
            "statements": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "n": {"type": "integer", "description": "The statement's number."},
                        "borne_out": {"type": "boolean", "description": "Whether the passages bear it out."},
                    },
                    "required": ["n", "borne_out"],
                },
            },
            "relevance": {"type": "integer", "minimum": 0, "maximum": MAX_RELEVANCE},
        },
        "required": ["statements", "relevance"],
    },
}


@dataclass(frozen=True)
class Verdict:
    """borne_out: of each statement in order. relevance: of the whole answer, from 0 to 1."""

    borne_out: tuple[bool, ...]
    relevance: float


def get_prompt_version() -> str:
    """Eight hex digits of the prompt as it is asked first: verdicts of two versions are not compared."""
    return hash_templates(*TEMPLATES)[:8]


def build_judge_prompt(
    question: str, statements: Sequence[str], documents: Sequence[PromptDocument], *, insists: bool = False
) -> Prompt:
    """statements: of the answer, in order, without their citations. documents: what the answer was made from. insists:
    say once more which tool to call, to a model that answered in text.
    """
    clean = Cleaner()
    shown = render_passages(documents)
    texts = [{"n": n, "text": clean(text)} for n, text in enumerate(statements, start=1)]
    asked = render_template("judge_user", question=clean(question), passages=shown.text, statements=texts)
    return Prompt(
        render_template("judge_system"),
        [build_user_message(f"{asked}\n\n{render_template('judge_again')}" if insists else asked)],
        tools=(RECORD_VERDICTS,),
        tool_choice={"type": "tool", "name": "record_verdicts"},
        max_tokens=300 + 30 * len(texts),
        injections=tuple(dict.fromkeys(clean.injections + shown.injections)),
    )


def read_verdicts(tool_uses: Sequence[ToolUse], count: int) -> Verdict | None:
    """The verdict on `count` statements; None where one of them has none, or anything is not what was asked for."""
    asked = next((use.input for use in tool_uses if use.name == "record_verdicts"), {})
    rows, relevance = asked.get("statements"), asked.get("relevance")
    if type(relevance) is not int or not 0 <= relevance <= MAX_RELEVANCE or not isinstance(rows, list):
        return None
    found = {
        row.get("n"): row.get("borne_out") for row in rows if isinstance(row, dict) and isinstance(row.get("n"), int)
    }
    borne_out = [found.get(n) for n in range(1, count + 1)]
    if not all(isinstance(one, bool) for one in borne_out):
        return None
    return Verdict(tuple(one is True for one in borne_out), relevance / MAX_RELEVANCE)
