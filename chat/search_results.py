"""The search results of a turn, where its model cites them by place: what it was given, and what a citation means."""

from dataclasses import dataclass, field
from typing import Any

from chat.tools import ToolFindings
from llm.messages import BlockCitations, TextDelta
from llm.search_results import build_search_results

NEVER_GIVEN = 0
"""No passage has this number: the citation filter (`retrieval.citation_stream`) drops it and counts it."""

FENCES = ("```", "~~~")


@dataclass
class SearchResults:
    """given: (number of the passage, how many sentences) of each block, in the order of the turn's requests."""

    given: list[tuple[int, int]] = field(default_factory=list)
    _held: str = ""
    _line: str = ""

    def build_content(self, found: ToolFindings) -> str | list[dict[str, Any]]:
        """The result of a tool as blocks, which can be cited from now on; as text where it has no passage."""
        if not found.documents:
            return found.text
        blocks = build_search_results(found.documents)
        self.given += [(n, len(block["content"])) for n, block in blocks]
        notes = [{"type": "text", "text": found.notes}] if found.notes else []
        return [*notes, *(block for _, block in blocks)]

    def print_markers(self, item: TextDelta | BlockCitations) -> str:
        """Text of the answer, and "[n]" for what cites passage n, for the citation filter. White space at the end of a
        block waits, and the bar that ends a table's row: its citations come before them. What ends a fenced code stands
        alone in its line: they come below it.
        """
        if isinstance(item, BlockCitations):
            numbers = dict.fromkeys(self._find_number(*place) for place in item.places)
            apart = "\n\n" if self._line.lstrip(" \t>").startswith(FENCES) else " "
            return apart + "".join(f"[{n}]" for n in numbers)
        text, self._held = self._held + item.text, ""
        if self.given:
            shown = text.rstrip()
            line = self._read_line(shown).lstrip()
            if line.startswith("|") and line != "|":
                shown = shown.removesuffix("|").rstrip()
            self._held, text = text[len(shown) :], shown
            self._line = self._read_line(shown)
        return text

    def flush(self) -> str:
        """What waits, at the end of a reply."""
        held, self._held, self._line = self._held, "", ""
        return held

    def _read_line(self, shown: str) -> str:
        """The last line once `shown` is printed too."""
        return (self._line + shown).rpartition("\n")[2]

    def _find_number(self, result: int, start: int, end: int) -> int:
        if not 0 <= result < len(self.given):
            return NEVER_GIVEN
        n, sentences = self.given[result]
        return n if 0 <= start < end <= sentences else NEVER_GIVEN
