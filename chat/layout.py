"""How a prompt is laid out, from rows already read: what goes in word for word, and where cached prefixes end.

Pure functions. What changes seldom stands first: tools and instructions, what the chat is about, the conversation so
far; then the question with what was said earlier about it, and what tools return. A provider keeps a prefix that is
equal to the byte, so the beginning of the conversation moves by whole blocks and not with every turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop

from chat.budget import FittedHistory
from chat.memory import NOTHING, Recall
from llm import chat_prompts
from llm.tokens import estimate

KEPT_TURNS = 5
"""Earlier turns that are always in the prompt word for word."""
BLOCK_TURNS = 5
"""So many turns leave the prompt at once."""
REMIND_EVERY = 5
"""Turns after which the rules are said again, beside the question."""
CACHED = {"cache_control": {"type": "ephemeral"}}
LAYERS = (
    gettext_noop("instructions"),
    gettext_noop("properties"),
    gettext_noop("pulse"),
    gettext_noop("summary of older messages"),
    gettext_noop("history"),
    gettext_noop("earlier messages"),
    gettext_noop("question"),
    gettext_noop("passages"),
)
"""In the order of the prompt; what tools return comes last."""
OLDER = gettext_noop("older messages")
OLDER_FOUND = gettext_noop("older messages about the question")
PARTS = gettext_noop("parts of long messages")
PASSAGES = gettext_noop("passages for which there was no room")
MEMORY_TOKENS = 2_000
"""Of what was said before the turns that are in the prompt word for word, as far as the question asks for it."""


@dataclass(frozen=True)
class PromptLayout:
    """history: how many of `messages` are earlier ones. layers: tokens, estimated, in the order of the prompt."""

    system: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    history: int
    layers: dict[str, int]
    dropped: tuple[str, ...]


def find_first_turn(number: int) -> int:
    """The first earlier turn that is in the prompt of turn `number`, both from 1: of turns 1 to 10 the first, of 11 to
    15 the sixth. So 5 to 9 earlier turns are in it, once there are as many.
    """
    return max(0, (number - 1 - KEPT_TURNS) // BLOCK_TURNS * BLOCK_TURNS) + 1


def lay_out(
    system: list[dict[str, Any]],
    pulse: str,
    said: FittedHistory,
    number: int,
    question: str,
    look_in: str = "",
    recall: Recall = NOTHING,
    cites_blocks: bool = False,
    has_attachments: bool = False,
    summary: str = "",
) -> PromptLayout:
    """The prompt of turn `number`. system: as of `prompts.build_chat_system`, pulse: in it. said: messages from
    `find_first_turn(number)` on, in order, that the asker may read, as far as they have room. look_in: of the turn.
    recall: of what was said before those. cites_blocks: tools return `llm.search_results`. has_attachments: the asker
    is told that they attached files. summary: of what was said before `said`, as of `chat_prompts.render_summary`; it
    stands in the first message, for as many turns as they begin with the same one.
    """
    begin = next((n for n, message in enumerate(said.messages) if message.role == "user"), len(said.messages))
    history = [{"role": message.role, "content": message.text} for message in said.messages[begin:]]
    beside = [chat_prompts.render_reminder(cites_blocks)] if number % REMIND_EVERY == 0 else []
    earlier = chat_prompts.render_earlier([(turn.number, turn.texts) for turn in recall.turns])
    asked = "\n".join(
        [*filter(None, [earlier, *beside, chat_prompts.render_place(look_in, has_attachments)]), question]
    )
    layers = {
        "instructions": estimate(system[0]["text"]),
        "properties": estimate(system[1]["text"]) - estimate(pulse),
        "pulse": estimate(pulse),
        "summary of older messages": estimate(summary),
        "history": sum(estimate(message["content"]) for message in history),
        "earlier messages": estimate(earlier),
        "question": estimate(asked) - estimate(earlier),
    }
    dropped = (OLDER_FOUND if recall.left_out else OLDER,) if find_first_turn(number) > 1 else ()
    dropped = (*dropped, PARTS) if said.cut else dropped
    first, *others = [*history, {"role": "user", "content": asked}]
    first = {**first, "content": f"{summary}\n\n{first['content']}"} if summary else first
    return PromptLayout(system, [first, *others], len(history), layers, dropped)


def mark_prefixes(messages: Sequence[dict[str, Any]], history: int) -> list[dict[str, Any]]:
    """The messages of a call with the ends of its cached prefixes: after the conversation so far, and after what tools
    have returned in this turn. With the two of the system prompt these are the four that a provider takes.
    """
    marked = list(messages)
    ends = [history - 1] if history else []
    if len(messages) > history + 1:
        ends.append(len(messages) - 1)
    for end in ends:
        content = marked[end]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        marked[end] = {**marked[end], "content": [*blocks[:-1], {**blocks[-1], **CACHED}]}
    return marked
