"""How many tokens each part of a prompt may have, estimated, and what goes in of messages that have more.

Pure functions. Instructions, tools, properties, Pulse and question are there whole. Of what is left the conversation so
far comes first, then what was said before about the question, then what tools return, for which some is always left:
what one of them does not need the next may have.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from chat.cuts import cut_middle
from llm.tokens import estimate

PROMPT_TOKENS = 12_000
"""Of a call of the model, with all that it sends."""
HISTORY_TOKENS = 5_000
"""Of the turns that stand in the prompt one after the other, at most."""
MIN_HISTORY_TOKENS = 500
RESULT_TOKENS = 2_000
"""That are left for what tools return, at least: the first call of a turn has them."""
MIN_RESULT_TOKENS = 300
"""With less, which may be too little for one passage, a tool is not called."""
NO_LIMIT = 1_000_000_000
"""For what the offline engine reads, which has no window."""
PASSAGE_TOKENS = 25
"""Of what stands around a passage: its number, and a share of the line that names its document."""
CAPS = (2_400, 1_600, 1_200, 800, 600, 400, 300, 200, 100, 50, 25)
"""Of a message that is cut. Steps, so that the beginning of a conversation seldom changes."""


@dataclass(frozen=True)
class HistoryMessage:
    """A message of an earlier turn. role: "user" or "assistant". turn: its number, 0 where nobody asks for it."""

    role: str
    text: str
    turn: int = 0


@dataclass(frozen=True)
class FittedHistory:
    """cut: numbers of the turns of which a part was left out."""

    messages: tuple[HistoryMessage, ...]
    cut: frozenset[int] = frozenset()

    @property
    def tokens(self) -> int:
        return sum(estimate(message.text) for message in self.messages)


def compute_history_room(fixed: int) -> int:
    """Tokens that the conversation so far may have. fixed: of what is there whole."""
    return max(MIN_HISTORY_TOKENS, min(HISTORY_TOKENS, PROMPT_TOKENS - fixed - RESULT_TOKENS))


def compute_memory_room(fixed: int, history: int) -> int:
    """Tokens that are left for what was said before those turns."""
    return max(0, PROMPT_TOKENS - fixed - history - RESULT_TOKENS)


def compute_result_room(fixed: int, others: int) -> int:
    """Tokens that are left for what tools return in a turn. others: of what was said, before and beside the question.
    A prompt of which much is whole is over `PROMPT_TOKENS` with them.
    """
    return max(RESULT_TOKENS, PROMPT_TOKENS - fixed - others)


def compute_call_room(left: int) -> int:
    """Tokens that the next call of a tool may have, of `left` in the turn: half of them, or `RESULT_TOKENS`, so that
    something is left for the call after it. 0 where that is too little for a passage.
    """
    room = min(left, max(RESULT_TOKENS, left // 2))
    return room if room >= MIN_RESULT_TOKENS else 0


def fit_sizes(sizes: Sequence[int], room: int, groups: Sequence[Hashable] = ()) -> list[int]:
    """Places of the texts, of so many tokens each, that have room together, and of one in any case: the last are left
    out. groups: of each text its group; the last of the group that has most are left out then.
    """
    places, groups = list(range(len(sizes))), groups or [0] * len(sizes)
    left = room - sum(sizes)
    while left < 0 and len(places) > 1:
        among = [groups[place] for place in places]
        most = max(among, key=among.count)
        left += sizes[places.pop(len(among) - 1 - among[::-1].index(most))]
    return places


def fit_history(said: Sequence[HistoryMessage], room: int) -> FittedHistory:
    """The messages in `room` tokens: where they have more, long ones are cut, those of the latest turn the least."""
    sizes = [estimate(message.text) for message in said]
    if sum(sizes) <= room:
        return FittedHistory(tuple(said))
    is_last = [message.turn == said[-1].turn for message in said]
    others = [size for size, own in zip(sizes, is_last, strict=True) if not own]
    last = max(room // 4, (room - sum(others)) // 2)
    left = room - sum(min(size, last) for size, own in zip(sizes, is_last, strict=True) if own)
    cap = next((cap for cap in CAPS if sum(min(size, cap) for size in others) <= left), CAPS[-1])
    caps = [last if own else cap for own in is_last]
    messages = tuple(
        replace(message, text=cut_middle(message.text, most)) for message, most in zip(said, caps, strict=True)
    )
    cut = (message.turn for message, size, most in zip(said, sizes, caps, strict=True) if size > most)
    return FittedHistory(messages, frozenset(cut))
