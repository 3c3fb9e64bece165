"""Reading what a model says about a window's labels. What is not certain is missing, never Public (design §2.3)."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from entities.models.classification import PUBLIC
from llm.fences import replace_brackets
from llm.messages import Reply
from llm.thoughts import THOUGHTS
from llm.tokens import estimate

RUN = re.compile(r"([\W_])\1{3,}")
"""Lines of dots and of blanks, which are few tokens."""
LEAST = 0.6
"""Of the tokens that a text is estimated to have; tokenizers make more of ordinary text in any language."""


@dataclass(frozen=True)
class ParagraphLabels:
    """atoms: without Public. public: Public was named, and nothing else; without it and without atoms nothing was
    found, and nothing decided.
    """

    atoms: frozenset[int]
    confidence: float
    reason: str
    public: bool = False


@dataclass(frozen=True)
class WindowLabels:
    """paragraphs: by number. missing: numbers with no usable answer. summaries: by exact set of atoms."""

    paragraphs: dict[int, ParagraphLabels]
    missing: frozenset[int]
    summaries: dict[frozenset[int], str]


def read_labels(reply: Reply, *, count: int, levels: Collection[int], as_json: bool = False) -> WindowLabels:
    """The labels of `count` paragraphs from a reply to `prompts.classify_window`. as_json: as it was asked.

    A paragraph is missing when the answer leaves it out, says it twice with different labels, or names a level that
    does not exist.
    """
    known = frozenset(levels) | {PUBLIC}
    seen: dict[int, ParagraphLabels | None] = {}
    summaries: dict[frozenset[int], str] = {}
    for answer in _read_json(reply.text) if as_json else _list_inputs(reply):
        for item in _list_items(answer.get("paragraphs")):
            number, said = item.get("n"), _parse_paragraph(item, known)
            if isinstance(number, int) and not isinstance(number, bool):
                seen[number] = said if number not in seen or _is_same(seen[number], said) else None
        for item in _list_items(answer.get("summaries")):
            atoms, text = _parse_atoms(item.get("labels"), known), item.get("summary")
            if atoms is not None and isinstance(text, str) and text.strip():
                summaries[atoms] = replace_brackets(text.strip())
    paragraphs = {n: said for n, said in seen.items() if said is not None and 0 <= n < count}
    return WindowLabels(paragraphs, frozenset(range(count)) - set(paragraphs), summaries)


def is_cut(reply: Reply, texts: Iterable[str]) -> bool:
    """Whether a server has cut a prompt off, as some do in silence: it counts fewer tokens than these texts have, which
    are in the prompt. A server that does not count is believed.
    """
    counted = reply.usage.input + reply.usage.cached
    return 0 < counted < LEAST * sum(estimate(RUN.sub("", text)) for text in texts)


def _list_inputs(reply: Reply) -> list[dict[str, Any]]:
    return [use.input for use in reply.tool_uses if use.name == "record_labels"]


def _read_json(text: str) -> Iterator[dict[str, Any]]:
    """The one object of an answer, which may stand in a fence or between sentences. Of an answer that is cut off, has
    several, or says one thing twice, none.
    """
    bare = THOUGHTS.sub("", text)
    try:
        found = json.loads(bare[bare.index("{") : bare.rindex("}") + 1], object_pairs_hook=_build_object)
    except (ValueError, RecursionError):
        return
    if isinstance(found, dict):
        yield found


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises: ValueError where a key stands there twice."""
    if len(made := dict(pairs)) < len(pairs):
        raise ValueError
    return made


def _list_items(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _parse_atoms(value: Any, known: frozenset[int]) -> frozenset[int] | None:
    if not isinstance(value, list) or any(
        isinstance(v, bool) or not isinstance(v, int) or v not in known for v in value
    ):
        return None
    return frozenset(value) - {PUBLIC}


def _parse_paragraph(item: dict[str, Any], known: frozenset[int]) -> ParagraphLabels | None:
    atoms = _parse_atoms(item.get("labels"), known)
    if atoms is None:
        return None
    confidence = item.get("confidence")
    sure = float(min(1, max(0, confidence))) if isinstance(confidence, int | float) else 0.0
    public = bool(item["labels"]) and not atoms
    return ParagraphLabels(atoms, sure, str(item.get("reason", ""))[:200], public)


def _is_same(first: ParagraphLabels | None, second: ParagraphLabels | None) -> bool:
    return first is not None and second is not None and (first.atoms, first.public) == (second.atoms, second.public)
