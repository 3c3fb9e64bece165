"""The rows of a list: which columns are printed, and a record's line with the label of everything in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chat.derivation import SourceLabel
from chat.record_tables import Linked, find_linked, is_name, name_column, print_value
from chat.record_tool import RecordQuery
from entities.access import combine_many
from entities.models import Weight
from entities.models.entity import Visibility
from entities.record_columns import TIMES, RecordColumn, list_record_columns


@dataclass(frozen=True)
class PrintedField:
    """ "Ends on: 1 May 2027" with what its column needs. is_own: a field of the record itself, which the index has."""

    text: str
    label: int
    is_own: bool


@dataclass(frozen=True)
class PrintedRow:
    """A record's title and fields under their label. names: the linked records that they say something of."""

    record: Any
    title: str
    fields: Sequence[PrintedField]
    label: int
    names: Sequence[SourceLabel]

    @property
    def line(self) -> str:
        """ "Quay lease; Ends on: 1 May 2027": a value holds no semicolon, so that the line can be parsed."""
        return "; ".join([self.title, *(field.text for field in self.fields)])

    @property
    def source(self) -> SourceLabel:
        return SourceLabel(self.record.pk, self.label)


def choose_printed(query: RecordQuery, used: Sequence[RecordColumn]) -> list[RecordColumn]:
    """Beside the columns that were asked for, only such as need no clearance: an answer needs no more than its words.
    Those that were asked for come first, times last.
    """
    asked = sorted(used, key=lambda column: (column.kind == "time", column.path == "updated_at"))
    plain = [column for column in list_record_columns(query.model) if not column.link and not column.atoms]
    by_name = {column.link for column in asked if column.link and column.name == "name"}
    hidden = {"name", "currency", *by_name}
    return [c for c in dict.fromkeys([*asked, *plain]) if c.path not in hidden and c.name != "currency"]


def print_row(
    row: Any, printed: Sequence[RecordColumn], used: Sequence[RecordColumn], linked: Linked, label: int
) -> PrintedRow:
    """Without links that nobody asked for to what is not open to the workspace. label: of all columns."""
    pairs = [(column, find_linked(row, column, linked)) for column in printed]
    pairs = [(c, to) for c, to in pairs if to is None or c.kind != "link" or c in used or _is_open(to)]
    names = [
        SourceLabel(
            to.pk,
            combine_many([label, to.name_classification if to.title else 0]),
            weight=Weight.NAME if is_name(c) else Weight.TEXT,
        )
        for c, to in pairs
        if to is not None
    ]
    titled = [record for record in (row, *(to for _, to in pairs)) if record is not None and record.title]
    needed = combine_many([label, *(record.name_classification for record in titled)])
    values = [(column, print_value(row, column, linked)) for column, _ in pairs]
    fields = [_print_field(column, value) for column, value in values if value]
    return PrintedRow(row, clean_part(row.title_or_type), fields, needed, names)


def clean_part(text: str) -> str:
    """Text of one line without semicolons."""
    return " ".join(text.replace(";", ",").split())


def _print_field(column: RecordColumn, value: str) -> PrintedField:
    is_own = not column.link and column.kind != "link" and column.name not in TIMES
    return PrintedField(clean_part(f"{name_column(column)}: {value}"), combine_many(column.atoms), is_own)


def _is_open(record: Any) -> bool:
    return bool(record.visibility == Visibility.WORKSPACE and not record.name_classification)
