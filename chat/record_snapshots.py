"""What the number of a row in a list stands for: the record's own snapshot in the index.

A citation leads to what was said under its number. A snapshot holds own fields of one label, and never a linked record.
So the title and the fields that it has stand under the number, and the rest of the row stands apart, without one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from chat.record_rows import PrintedRow, clean_part
from entities.access import combine_many
from ingestion.models import ContextRow, Kind
from retrieval.citations import CitedSource
from retrieval.models import SourceType


@dataclass(frozen=True)
class RowSnapshot:
    """source: what the number stands for. text: the title and the fields of the row that it holds. rest: the others of
    the row, "" for none.
    """

    source: CitedSource
    text: str
    rest: str


def find_snapshots(rows: Sequence[PrintedRow]) -> dict[UUID, RowSnapshot]:
    """By record: the snapshot under the label of the title and of the own fields that are printed. None where the index
    has no such one, or has other values: a citation leads to what was said.
    """
    stored = ContextRow.objects.filter(
        kind=Kind.METADATA, field="", file=None, entity__in=[row.record.pk for row in rows]
    )
    by_label: dict[tuple[UUID, int | None], list[ContextRow]] = {}
    for found in stored.order_by("number"):
        by_label.setdefault((found.entity_id, found.data_classification), []).append(found)
    chosen = {row.record.pk: _choose_snapshot(row, by_label) for row in rows}
    return {pk: snapshot for pk, snapshot in chosen.items() if snapshot is not None}


def _choose_snapshot(
    row: PrintedRow, by_label: Mapping[tuple[UUID, int | None], Sequence[ContextRow]]
) -> RowSnapshot | None:
    name = row.record.name_classification if row.record.title else 0
    label = combine_many([name, *(field.label for field in row.fields if field.is_own)])
    held = [field for field in row.fields if field.is_own and field.label == label]
    rest = "; ".join(field.text for field in row.fields if field not in held)
    text = "; ".join([row.title, *(field.text for field in held)])
    for found in by_label.get((row.record.pk, label), ()):
        opening, *lines = map(clean_part, found.text.split("\n"))
        has_title = not row.record.title or row.title in opening
        if has_title and {field.text for field in held} <= {*lines}:
            return RowSnapshot(_cite_snapshot(found), text, rest)
    return None


def _cite_snapshot(row: ContextRow) -> CitedSource:
    locator = {"row": str(row.pk), "kind": int(Kind.METADATA), "paragraphs": [], "passage": None, "digest": row.digest}
    return CitedSource(
        SourceType.KB_CHUNK,
        str(row.pk),
        row.data_classification or 0,
        row.entity_id,
        src=row.pk.hex[:8],
        locator=locator,
    )
