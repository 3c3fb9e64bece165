"""Passages as Anthropic's `search_result` blocks, a text block for each sentence: who cites cites one that exists.

Where they go: `llm.transport.may_send_search_results`. Elsewhere passages are text with a number before each
(`llm.prompts.render_passages`).
"""

from collections.abc import Iterable
from typing import Any

from llm.fences import quote_attribute
from llm.messages import BlockCitations
from llm.prompt_filters import passage as clean_passage
from llm.prompts import Blocks, Cleaner, PromptDocument
from text.pieces import split_sentences


def build_search_results(documents: Iterable[PromptDocument]) -> list[tuple[int, dict[str, Any]]]:
    """(number of the passage, its block) in reading order, cleaned as `render_passages` cleans them, which names the
    injections that it found.
    """
    clean = Cleaner()
    found = []
    for document in documents:
        title = quote_attribute(clean(document.title)) + (f" ({document.kind})" if document.kind else "")
        for passage in document.passages:
            text = clean_passage(clean(passage.text))
            block = {
                "type": "search_result",
                "source": f"[{passage.n}]",
                "title": title or "Untitled",
                "content": _split_content(text),
                "citations": {"enabled": True},
            }
            found.append((passage.n, block))
    return found


def _split_content(text: str) -> Blocks:
    """The API takes no empty text."""
    sentences = split_sentences(text) or [text.strip() or "(no text)"]
    return [{"type": "text", "text": sentence} for sentence in sentences]


def read_citations(block: Any) -> BlockCitations | None:
    """What a block of an answer, as the SDK has it at its end, cites of the search results; None for nothing."""
    found = [
        (cited.search_result_index, cited.start_block_index, cited.end_block_index)
        for cited in getattr(block, "citations", None) or ()
        if cited.type == "search_result_location"
    ]
    places = tuple(place for place in found if all(isinstance(n, int) for n in place))
    return BlockCitations(places) if places else None
