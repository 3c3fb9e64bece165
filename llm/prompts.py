"""Prompts: templates in templates/prompts/, filled and fenced here. Nobody else writes text for a model.

Every piece of text that came from people or documents has instruction-like parts neutralised (llm.injection), but for
paragraphs whose labels are asked for, which are read whole; then it passes a filter that keeps it inside its element
(llm.fences). What was found is named in `injections`, for the audit log.
"""

import hashlib
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.template import Context, Engine

from llm.fences import MARKER
from llm.injection import neutralise_text, reveal_hidden

logger = logging.getLogger(__name__)

TEMPLATES = Path(__file__).resolve().parent.parent / "templates" / "prompts"

SELF = (
    "I am the offline assistant: no language model is configured here. I search what you can see and quote the"
    " sentences that answer best, word for word, with their sources. Ask me about the documents of this record."
)
NOT_FOUND = "Not found in what you can see."
CLOSEST = "Nothing says this plainly. Closest:"
NEAREST = "Nearest first:"
"""Before the numbers of passages in the order in which a search found them: they stand by document."""
CLOSEST_ANSWER = re.compile(re.escape(CLOSEST) + r"(?:\s*\[(?:citation:)?\d+\])*\s*")
"""Begins an answer that is no more than the numbers of the passages that come nearest."""
OTHER_SPELLING = "No text that the person may see has a word as it was asked. These passages are about:"
"""What a search prints before the words that it searched for instead."""
RESTRICTED = "restricted"
"""Of a tool's input: to look also in what not everybody who reads the conversation may see."""
Blocks = list[dict[str, Any]]


@dataclass(frozen=True)
class Level:
    """An atom of the workspace's classifications."""

    value: int
    label: str
    description: str = ""


@dataclass(frozen=True)
class NumberedPassage:
    """A retrieved text with its number in the citation registry."""

    n: int
    text: str


@dataclass(frozen=True)
class PromptDocument:
    """Passages of one source, in reading order. title: what the reader may see it called. kind: "fields" of a record's
    own, "" of prose.
    """

    title: str
    passages: Sequence[NumberedPassage]
    kind: str = ""


@dataclass(frozen=True)
class Record:
    """The entity that a Pulse or a chat is about. fields: by label. status: lines such as "Tasks: 3 open, 2 done"."""

    type: str
    name: str
    fields: Mapping[str, str] = field(default_factory=dict)
    status: Sequence[str] = ()


@dataclass(frozen=True)
class PromptAgent:
    """Who answers in a chat."""

    name: str
    purpose: str = ""
    instructions: str = ""


@dataclass(frozen=True)
class Prompt:
    """Arguments of `llm.client.complete` and `stream`: `complete(call, **prompt.request)`."""

    system: str | Blocks
    messages: Blocks
    tools: tuple[dict[str, Any], ...] = ()
    tool_choice: dict[str, Any] | None = None
    max_tokens: int = 2048
    injections: tuple[str, ...] = ()

    @property
    def request(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "messages": self.messages,
            "tools": self.tools,
            "tool_choice": self.tool_choice,
            "max_tokens": self.max_tokens,
        }


@dataclass(frozen=True)
class RenderedText:
    """Text for a prompt, and the names of the injection patterns neutralised in it."""

    text: str
    injections: tuple[str, ...] = ()


class Cleaner:
    """Neutralises texts, or takes them as they are, and remembers what it found."""

    def __init__(self) -> None:
        self.found: dict[str, None] = {}

    def __call__(self, text: str) -> str:
        return self._record_found(neutralise_text(text))

    def reveal_for_labelling(self, text: str) -> str:
        """For who decides on its label."""
        return self._record_found(reveal_hidden(text))

    def _record_found(self, clean: tuple[str, tuple[str, ...]]) -> str:
        self.found.update(dict.fromkeys(clean[1]))
        return clean[0]

    @property
    def injections(self) -> tuple[str, ...]:
        if self.found:
            logger.warning("found in a prompt: %s", ", ".join(self.found))
        return tuple(self.found)


def is_closest(text: str) -> bool:
    """Whether an answer only points to the passages that come closest."""
    return bool(CLOSEST_ANSWER.fullmatch(text.strip()))


@cache
def _build_engine() -> Engine:
    return Engine(dirs=[str(TEMPLATES)], autoescape=False, builtins=["llm.prompt_filters"])


def render_template(name: str, **context: Any) -> str:
    """The prompt template `name` (without ".txt"), filled, without white space around it."""
    text = _build_engine().get_template(f"{name}.txt").render(Context(context, autoescape=False))
    return text.strip()


def hash_templates(*names: str) -> str:
    """SHA-256 of prompt templates: the prompt's part of a witness (design §4)."""
    hashed = hashlib.sha256()
    for name in names:
        hashed.update((TEMPLATES / f"{name}.txt").read_bytes())
    return hashed.hexdigest()


CLASSIFY_TEMPLATES = ("classify_window_system", "classify_window_levels", "classify_window_paragraphs")
CLASSIFY_JSON_TEMPLATES = (*CLASSIFY_TEMPLATES, "classify_window_json")
RECORD_LABELS: dict[str, Any] = {
    "name": "record_labels",
    "description": "Record the labels of every paragraph, and a summary for each set of labels that occurs.",
    "input_schema": {
        "type": "object",
        "properties": {
            "paragraphs": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "n": {"type": "integer", "description": "The paragraph's number."},
                        "labels": {"type": "array", "items": {"type": "integer"}, "description": "Values of levels."},
                        "confidence": {"type": "number", "description": "From 0 to 1."},
                        "reason": {"type": "string", "description": "A few words that quote nothing."},
                    },
                    "required": ["n", "labels", "confidence", "reason"],
                },
            },
            "summaries": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "labels": {"type": "array", "items": {"type": "integer"}},
                        "summary": {"type": "string", "description": "Of the paragraphs with exactly these labels."},
                    },
                    "required": ["labels", "summary"],
                },
            },
        },
        "required": ["paragraphs", "summaries"],
    },
}


def classify_window(
    levels: Sequence[Level], paragraphs: Sequence[str], *, title: str = "", guidance: str = "", as_json: bool = False
) -> Prompt:
    """Ask for the labels of a window's paragraphs, numbered from 0 in the order given.

    guidance: the workspace's own `classification_prompt`, in place of the general advice. as_json: without a tool. The
    answer is read by `llm.labels.read_labels`.
    """
    clean = Cleaner()
    texts = [{"n": n, "text": clean.reveal_for_labelling(text)} for n, text in enumerate(paragraphs)]
    asked = [
        _build_text_block(render_template("classify_window_levels", levels=levels, guidance=guidance), cached=True),
        _build_text_block(render_template("classify_window_paragraphs", title=clean(title), paragraphs=texts)),
    ]
    system = render_template("classify_window_system")
    if as_json:
        system = system.replace("Answer only by calling record_labels, once. ", "")
        asked.append(_build_text_block(render_template("classify_window_json")))
    return Prompt(
        system=system,
        messages=[{"role": "user", "content": asked}],
        tools=() if as_json else (RECORD_LABELS,),
        tool_choice=None if as_json else {"type": "tool", "name": "record_labels"},
        max_tokens=min(16_000, 1_500 + 60 * len(texts)),
        injections=clean.injections,
    )


SUMMARISE_TEMPLATES = ("summarise_system", "summarise_user")


def build_summary_prompt(excerpts: Sequence[str]) -> Prompt:
    """Ask for a few sentences on excerpts of one label."""
    clean = Cleaner()
    shown = [{"n": n, "text": clean(text)} for n, text in enumerate(excerpts)]
    return Prompt(
        system=render_template("summarise_system"),
        messages=[build_user_message(render_template("summarise_user", excerpts=shown))],
        max_tokens=500,
        injections=clean.injections,
    )


def render_passages(documents: Iterable[PromptDocument]) -> RenderedText:
    """Numbered passages grouped by document, for a Pulse prompt or a tool's result."""
    clean = Cleaner()
    shown = [
        {
            "title": clean(document.title),
            "kind": document.kind,
            "passages": [{"n": p.n, "text": clean(p.text)} for p in document.passages],
        }
        for document in documents
    ]
    return RenderedText(render_template("passages", documents=shown), clean.injections)


def build_pulse_prompt(
    record: Record, documents: Iterable[PromptDocument], *, focus: str = "", question: str = ""
) -> Prompt:
    """Ask for a Pulse: what is going on with `record`, cited.

    focus: the type's `pulse_prompt`. question: makes it a one-off answer instead.
    """
    clean = Cleaner()
    cited = render_passages(documents)
    asked = render_template(
        "pulse_user", record=_clean_record(record, clean), passages=cited.text, focus=focus, question=clean(question)
    )
    found = tuple(dict.fromkeys(clean.injections + cited.injections))
    return Prompt(
        render_template("pulse_system", not_found=NOT_FOUND),
        [build_user_message(asked)],
        max_tokens=900,
        injections=found,
    )


def build_chat_system(
    agent: PromptAgent, record: Record | None, *, pulse: str = "", reader: str = "", cites_blocks: bool = False
) -> Blocks:
    """The system prompt of a chat in two blocks, each ending a cached prefix: instructions, then what it is about.

    record: None for the workspace. pulse: the Pulse that the reader may see; its citation numbers are taken out,
    because the chat has a registry of its own. reader: the name of who asks. cites_blocks: passages come as
    `llm.search_results`.
    """
    clean = Cleaner()
    shown = _clean_record(record, clean) if record else None
    about = render_template("chat_system_record", record=shown, pulse=clean(MARKER.sub("", pulse)), reader=reader)
    _ = clean.injections
    rules = render_template("chat_system", agent=agent, not_found=NOT_FOUND, cites_blocks=cites_blocks)
    return [
        _build_text_block(rules, cached=True),
        _build_text_block(about, cached=True),
    ]


def _clean_record(record: Record, clean: Cleaner) -> Record:
    fields = {label: clean(value) for label, value in record.fields.items()}
    return Record(record.type, clean(record.name), fields, [clean(line) for line in record.status])


def _build_text_block(text: str, *, cached: bool = False) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    return {**block, "cache_control": {"type": "ephemeral"}} if cached else block


def build_user_message(text: str) -> dict[str, Any]:
    """A message of the user's."""
    return {"role": "user", "content": text}
