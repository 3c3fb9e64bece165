"""Search results as a prompt shows them: grouped by document, each with its number (seed ADR 0001 §3.6)."""

from collections.abc import Sequence

from llm.prompts import NumberedPassage, PromptDocument
from retrieval.results import SearchResult


def build_prompt_documents(results: Sequence[SearchResult], numbers: Sequence[int]) -> list[PromptDocument]:
    """Documents in the order of their best passage, passages in reading order. `numbers`: of `register_sources`."""
    groups: dict[object, list[tuple[int, SearchResult]]] = {}
    for result, n in zip(results, numbers, strict=True):
        groups.setdefault(result.file.id if result.file else result.entity.id, []).append((n, result))
    return [
        PromptDocument(
            title=_format_title(members[0][1]),
            passages=[NumberedPassage(n, r.text) for n, r in sorted(members, key=lambda member: member[1].position)],
        )
        for members in groups.values()
    ]


def _format_title(result: SearchResult) -> str:
    record = f"{result.entity.type_name}: {result.entity.title}"
    return f"{result.file.title} ({record})" if result.file else record
