"""What a prompt says of passages beside their text: the names of their files and records, the headings above them, and
what found them.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

from entities.models import Entity
from ingestion.chunk import SEPARATOR
from ingestion.models import File, Paragraph
from retrieval.results import SearchResult


def load_name_labels(results: Iterable[SearchResult]) -> tuple[dict[UUID, int], dict[UUID, int]]:
    """Labels of the names that go into the prompt with the passages. A name that is not readable is not printed: 0."""
    files = {r.file.id for r in results if r.file and r.file.name is not None}
    records = {r.entity.id for r in results if r.entity.name is not None}
    file_labels = dict(File.objects.filter(pk__in=files).values_list("pk", "name_classification"))
    record_labels = dict(Entity.objects.filter(pk__in=records).values_list("pk", "name_classification"))
    return (
        {r.file.id: file_labels.get(r.file.id, 0) for r in results if r.file},
        {r.entity.id: record_labels.get(r.entity.id, 0) for r in results},
    )


def load_headings(results: Sequence[SearchResult]) -> dict[UUID, tuple[UUID, ...]]:
    """Result -> the headings that its section names (`retrieval.places`), which may stand in no passage themselves.

    A result is left out whose section holds text of a heading that has risen since the section was read, or that went.
    """
    named = [result for result in results if result.section]
    rows = Paragraph.objects.filter(pk__in={p for r in named for p in r.passages})
    of = {pk: (*above, *(under or ())) for pk, above, under in rows.values_list("pk", "headings", "under")}
    every = {heading for ids in of.values() for heading in ids}
    read = Paragraph.objects.filter(pk__in=every).values_list("pk", "data_classification", "text")
    known = {pk: (label, text) for pk, label, text in read}
    found: dict[UUID, tuple[UUID, ...]] = {result.id: () for result in results}
    for result in named:
        ids = dict.fromkeys(heading for passage in result.passages for heading in of.get(passage, ()))
        named_by = {pk: known[pk][1] for pk in ids if pk in known and known[pk][0] in (0, result.label)}
        if len(named_by) < len(ids) and not {*result.section.split(SEPARATOR)} <= {*named_by.values()}:
            del found[result.id]
        else:
            found[result.id] = tuple(named_by)
    return found


def name_found_by(result: SearchResult) -> str:
    """What found it, one of `chat.inspector.WHY`."""
    if result.via_reference:
        return "reference"
    if not result.is_found:
        return "beside"
    if result.scores.lexical is None:
        return "meaning"
    return "words" if result.scores.vector is None else "both"
