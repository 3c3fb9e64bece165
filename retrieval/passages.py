"""Search results as a prompt shows them: grouped by document, each with its number (seed ADR 0001 §3.6)."""

from collections.abc import Sequence

from llm.prompts import Document, Passage
from retrieval.results import Result


def documents_for_prompt(results: Sequence[Result], numbers: Sequence[int]) -> list[Document]:
    """Documents in the order of their best passage, passages in reading order. `numbers` come from `register_all`."""
    groups: dict[object, list[tuple[int, Result]]] = {}
    for result, n in zip(results, numbers, strict=True):
        groups.setdefault(result.file.id if result.file else result.entity.id, []).append((n, result))
    return [
        Document(
            title=_title(members[0][1]),
            passages=[Passage(n, r.text) for n, r in sorted(members, key=lambda member: member[1].position)],
        )
        for members in groups.values()
    ]


def _title(result: Result) -> str:
    record = f"{result.entity.type_name}: {result.entity.title}"
    return f"{result.file.title} ({record})" if result.file else record
