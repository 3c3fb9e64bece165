"""Chunks of a streamed completion as events of the Messages API.

Text goes on as it comes. A tool call goes on when the answer is whole, and only if it can be read: nothing above ever
sees half of one.
"""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from llm.openai.answer import AnswerError, Completion, parse_json
from llm.wire import format_event

LONGEST_LINE = 1_000_000
"""Bytes of one line of a stream."""


class EventTranslator:
    """is_over: nothing more is read. has_begun: a chunk of an answer has come. A stream that ends without a reason to
    stop has no closing events, as one of the Messages API that breaks off.
    """

    def __init__(self, completion: Completion) -> None:
        self.is_over = self.has_begun = False
        self._completion = completion
        self._rest = bytearray()
        self._has_text = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The events that the next bytes of the stream make; an event of an error for what cannot be used."""
        return self._guard(self._take_lines(data))

    def finish(self) -> Iterator[bytes]:
        """The events at the end of the connection. Some servers close it without "[DONE]"; half a line is a break."""
        try:
            yield from self._take_lines(b"\n")
        except AnswerError:
            return
        yield from self._guard(self._close())

    def translate(self, body: Any) -> Iterator[bytes]:
        """The events of a whole completion, from a server that does not stream."""
        return self._guard(chain(self._take(body), self._close()))

    def _guard(self, events: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from events
        except AnswerError as error:
            self.is_over = True
            yield format_event("error", error={"type": error.kind, "message": str(error)})

    def _take_lines(self, data: bytes) -> Iterator[bytes]:
        """Comments, names of events and blank lines are passed over."""
        for line in self._split_lines(data):
            content = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
            if content and not self.is_over:
                yield from self._close() if content == b"[DONE]" else self._take(parse_json(content))

    def _split_lines(self, data: bytes) -> list[bytes]:
        self._rest += data
        lines = []
        if b"\n" in data:
            *lines, rest = bytes(self._rest).split(b"\n")
            self._rest = bytearray(rest)
        if max(map(len, [*lines, self._rest])) > LONGEST_LINE:
            raise AnswerError("A line of the answer is too long.")
        return lines

    def _take(self, chunk: Any) -> Iterator[bytes]:
        text = self._completion.take(chunk)
        if not self.has_begun:
            self.has_begun = True
            yield format_event("message_start", message=self._completion.build_message())
        if text and not self._has_text:
            self._has_text = True
            yield format_event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        if text:
            yield format_event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})

    def _close(self) -> Iterator[bytes]:
        reason = self._completion.stop_reason
        if self.is_over or reason is None:
            self.is_over = True
            return
        self.is_over = True
        blocks = self._completion.build_tool_blocks()
        if self._has_text:
            yield format_event("content_block_stop", index=0)
        for index, block in enumerate(blocks, start=int(self._has_text)):
            asked = json.dumps(block["input"])
            yield format_event("content_block_start", index=index, content_block={**block, "input": {}})
            delta = {"type": "input_json_delta", "partial_json": asked}
            yield format_event("content_block_delta", index=index, delta=delta)
            yield format_event("content_block_stop", index=index)
        end = {"stop_reason": reason, "stop_sequence": None}
        yield format_event("message_delta", delta=end, usage=self._completion.usage)
        yield format_event("message_stop")
