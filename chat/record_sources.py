"""What a list of records says something of beside its rows: the names that were looked at, and the linked records that
narrow, order or group it. These are sources of the answer, and a name that the asker may read gives it its label.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from chat.record_tables import choose_plural, is_name, select_linked
from chat.record_tool import RecordQuery
from entities.access import Scope
from entities.models import Entity
from entities.record_columns import RecordColumn, build_names_q, list_record_columns
from entities.record_filters import MOST_LETTERS, SEPARATOR
from entities.records import RecordList, select_records

MAX_COUNTED = 2_000


class NoSuchName(Exception):
    """No record, or more than one, is called as the call says. The sentence says something of every name."""


class TooMany(Exception):
    """More records than a call may count. records: so many of the listed type that who may see them and what they link
    to may know of the sentence.
    """

    def __init__(self, sentence: str, records: Sequence[UUID]) -> None:
        super().__init__(sentence)
        self.records = records


def load_labels(rows: QuerySet[Any]) -> dict[UUID, int]:
    """Key -> label of the name, 0 of one that the asker may not read: it decides nothing for them. Raises: TooMany."""
    found = _load_names(rows, MAX_COUNTED + 1)
    if len(found) > MAX_COUNTED:
        raise TooMany(f"More than {MAX_COUNTED:,} records: narrow it by a field.", [*found])
    return found


def _load_names(rows: QuerySet[Any], most: int | None = None) -> dict[UUID, int]:
    found = rows.order_by("pk").values_list("pk", "name_classification", "title")[:most]
    return {pk: label if title is not None else 0 for pk, label, title in found}


def _load_linked_labels(scope: Scope, query: RecordQuery, link: str, rows: QuerySet[Any]) -> dict[UUID, int]:
    """`load_labels` of the records that `rows` link to. Raises: TooMany."""
    try:
        return load_labels(select_linked(scope, query.model, link, rows))
    except TooMany as problem:
        key = f"{link}_id"
        linking = query.model.objects.filter(pk__in=rows.order_by().values("pk"), **{f"{key}__in": problem.records})
        one_each = linking.order_by(key).distinct(key).values_list("pk", flat=True)
        sentence = f"too many are linked by {link!r} for it to narrow, order or group"
        raise TooMany(f"More than {MAX_COUNTED:,} records: {sentence}.", [*one_each]) from None


def find_side(query: RecordQuery, every: QuerySet[Any], words: str) -> str:
    """The name that is meant: the whole of one, else what only one has in it. Raises: NoSuchName."""
    for lookup in ("title__iexact", "title__icontains"):
        names = list(every.filter(**{lookup: words}).values_list("title", flat=True)[:2])
        if len(names) == 1 and SEPARATOR not in names[0] and len(names[0]) <= MOST_LETTERS:
            return str(names[0])
        if names:
            break
    # One sentence for none, for several, and for a name that no filter can hold.
    raise NoSuchName(f"Give the whole name of one {choose_plural(query.model, 1)} instead of {words!r}.")


def find_called(scope: Scope, query: RecordQuery, found: RecordList, every: QuerySet[Any]) -> dict[UUID, int]:
    """Records that have the names asked for, listed or not. Raises: NoSuchName where nothing that the person may see is
    called so; TooMany.
    """
    called: dict[UUID, int] = {}
    for words in found.called:
        having = load_labels(every.filter(build_names_q(scope, query.model, words)))
        if not having:
            raise NoSuchName(f"There is no {choose_plural(query.model, 1)} with the name {words!r} in it.")
        called |= having
    return called


def load_looked_at(scope: Scope, query: RecordQuery) -> dict[UUID, int]:
    """Every record that has a name which the call may have meant, with the label of that name, however many there are:
    that none is called so says something of each.
    """
    every = select_records(scope, query.model, query.where)
    looked = _load_names(every)
    for link in list_links(_list_named_links(query.model)) if "called" in query.where else ():
        looked |= _load_names(select_linked(scope, query.model, link, every))
    return looked


def load_counted(
    scope: Scope, query: RecordQuery, columns: Sequence[RecordColumn], records: Sequence[UUID]
) -> dict[UUID, int]:
    """What a sentence is drawn from that says that there are more than these records, with the labels of the names:
    they, and what they link to by the columns or by a name that was asked for.
    """
    rows = query.model.objects.readable_by(scope).filter(pk__in=records)
    found = _load_names(rows)
    named = _list_named_links(query.model) if "called" in query.where else []
    for link in list_links([*columns, *named]):
        found |= _load_names(select_linked(scope, query.model, link, rows))
    return found


def list_links(columns: Sequence[RecordColumn]) -> list[str]:
    """Links that the columns are, or lead over."""
    links = [column.name if column.kind == "link" else column.link for column in columns]
    return list(dict.fromkeys(filter(None, links)))


def load_linked(scope: Scope, query: RecordQuery, link: str, rows: QuerySet[Any]) -> dict[UUID, Any]:
    return {row.pk: row for row in select_linked(scope, query.model, link, rows)}


def list_narrowing(query: RecordQuery, found: RecordList) -> list[RecordColumn]:
    """Columns that leave records out, those among them that a name which was asked for may stand in."""
    return [*found.columns[:-1], *(_list_named_links(query.model) if found.called else ())]


def load_decisive_links(
    scope: Scope, query: RecordQuery, columns: Sequence[RecordColumn], rows: QuerySet[Any]
) -> tuple[dict[UUID, int], list[int]]:
    """Linked records that decide what the result says by these columns of these rows, and the labels of their names
    where these do: what narrows is read of every record, listed or not. Raises: TooMany.
    """
    records: dict[UUID, int] = {}
    labels: list[int] = []
    for link in list_links(columns):
        having = _load_linked_labels(scope, query, link, rows)
        records |= having
        if any(is_name(column) for column in columns if link in list_links([column])):
            labels += having.values()
    return records, labels


def load_decisive_names(
    query: RecordQuery, used: Sequence[RecordColumn], found: RecordList, every: QuerySet[Any], keys: Mapping[UUID, int]
) -> list[int]:
    """Labels of the names that decide what the result says: what narrows by them says something of all."""
    if found.called or "q" in query.where or any(column.path == "name" for column in found.columns[:-1]):
        named = every.filter(title__isnull=False).order_by()
        return list(named.values_list("name_classification", flat=True).distinct())
    return [*keys.values()] if any(column.path == "name" for column in used) else []


def _list_named_links(model: type[Entity]) -> list[RecordColumn]:
    """Links that a name may stand in."""
    return [column for column in list_record_columns(model) if column.kind == "link" and not column.atoms]
