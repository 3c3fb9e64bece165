"""A turn while it runs: what it has said and been given, and the writing of it under the lease."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

from chat import log
from chat.budget import PROMPT_TOKENS, compute_call_room
from chat.confidence import find_confidence, is_undecided
from chat.context import Context
from chat.derivation import Given
from chat.log import Entry
from chat.models import EventKind, Session, Turn
from chat.search_results import SearchResults
from chat.steps import Asker, run_as_service
from chat.tools import ToolPassage
from entities.access import Scope, combine_many
from llm.client import Reply
from llm.tokens import estimate
from retrieval.citation_stream import CitationStream

T = TypeVar("T")


class TurnStopped(Exception):
    """The asker does not want the answer any more."""


@dataclass
class Run:
    """A turn while it runs. label: of everything that the model has been given so far. written: that of its events,
    since the last write. found: of the question as the classifier sees it, whatever its author holds. behind: labels of
    all passages that the model may repeat, those too that are no part of `label` because the asker sent them. atoms:
    of what its prompt began with, None where nothing was left out of it (`chat.narrowing`). is_offline: the quoting
    engine alone has answered so far. is_started: the first word has been shown. unshown: the beginning of an answer
    that does not tell yet how sure it is. room: tokens that are left for what tools return. known: numbers of citations
    in the prompt that it began with.
    """

    asker: Asker
    turn: UUID
    session: Session
    holder: UUID
    row: Turn
    question: str = ""
    label: int = 0
    written: int = 0
    found: int = 0
    behind: list[int] = field(default_factory=list)
    atoms: frozenset[int] | None = None
    text: str = ""
    is_offline: bool = True
    is_started: bool = False
    unshown: str = ""
    room: int = PROMPT_TOKENS
    known: frozenset[int] = frozenset()
    passages: dict[int, ToolPassage] = field(default_factory=dict)
    cited: set[int] = field(default_factory=set)
    dropped: int = 0
    manifest: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    pending: list[Entry] = field(default_factory=list)
    results: SearchResults = field(default_factory=SearchResults)
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def say(self, kind: EventKind, **data: Any) -> None:
        """Add an event to what is written next. Text that follows text is one event."""
        last = self.pending[-1] if self.pending else None
        if kind is EventKind.TOKEN and last and last.kind is kind and last.label == self.label:
            data = {"text": last.data["text"] + data["text"]}
            self.pending.pop()
        self.pending.append(Entry(kind, data, self.label))

    def find_number_by(self, context: Context) -> Callable[[str], int | None]:
        """The number of a passage cited by its eight hex digits."""

        def find(src: str) -> int | None:
            given = {passage.row.hex[:8]: n for n, passage in self.passages.items()}
            return given.get(src) or context.known.by_src.get(src)

        return find

    def show(self, shown: str, markers: CitationStream) -> None:
        """Add text that may be shown, and the citations that it brought. As long as it may become an answer that quotes
        nothing it waits for the next.
        """
        self.text += shown
        self.unshown += shown
        if not (self.is_offline and is_undecided(self.text)):
            self.show_rest()
        for n in markers.cited:
            if n not in self.cited:
                self.cited.add(n)
                self.say(EventKind.CITATION, n=n)
        self.dropped = markers.dropped

    def show_rest(self) -> None:
        """Say what is not shown yet, and before the first word how sure the answer is: null of a model's."""
        if not self.unshown:
            return
        if not self.is_started:
            self.is_started = True
            self.say(EventKind.STARTED, confidence=find_confidence(self.text) if self.is_offline else None)
        self.say(EventKind.TOKEN, text=self.unshown)
        self.unshown = ""

    @property
    def call_room(self) -> int:
        """Tokens that the next call of a tool may return."""
        return compute_call_room(self.room)

    def take_room(self, content: Any) -> None:
        """What a reply or the result of a tool takes, as it is sent with the next call."""
        self.room -= estimate(json.dumps(content, ensure_ascii=False, default=str))

    def add_usage(self, reply: Reply) -> None:
        """Add what a call of the model took."""
        usage = self.usage or {"input": 0, "output": 0, "cached": 0, "cost": "0", "calls": 0}
        self.usage = {
            "input": usage["input"] + reply.usage.input,
            "output": usage["output"] + reply.usage.output,
            "cached": usage["cached"] + reply.usage.cached,
            "cost": str(Decimal(usage["cost"]) + reply.usage.cost),
            "calls": usage["calls"] + 1,
            "model": reply.model,
            "offline": self.is_offline and reply.offline,
        }

    async def flush(self) -> None:
        """Write what has been said, and keep the lease. Raises: LeaseLost, Forgotten, Stopped."""
        if await self.write(self._append):
            raise TurnStopped

    async def give(self, given: Sequence[Given], label: int = 0) -> None:
        """Note what the model is about to be given. label: of what it is told beside. Raises: LeaseLost, Forgotten."""
        labels = [label, *(g.label for g in given)]
        self.label = await run_as_service(self.asker.workspace, _combine_label, self.label, labels)

        async def note() -> None:
            self.behind = await run_as_service(
                self.asker.workspace, log.record_prompt_sources, self.turn, self.holder, given, self.manifest, label
            )

        await self.write(note)

    async def write(self, step: Callable[[], Awaitable[T]]) -> T:
        """One write after the other, each to its end: who waits for it may be cancelled, what is said is not lost."""

        async def alone() -> T:
            async with self.writing:
                return await step()

        writing = asyncio.ensure_future(alone())
        writing.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(writing)

    async def _append(self) -> bool:
        entries, self.pending = self.pending, []
        label = self.label
        try:
            found = await run_as_service(
                self.asker.workspace, log.append, self.turn, self.holder, entries, label, self.written
            )
        except BaseException:
            self.pending = entries + self.pending
            raise
        self.written = found.label
        if found.label != label:
            self.label = await run_as_service(self.asker.workspace, _combine_label, self.label, [found.label])
        return found.stop_requested


def _combine_label(scope: Scope, label: int, others: list[int]) -> int:
    return combine_many([label, *others])
