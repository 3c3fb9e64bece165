"""The description of the tool `list_records`, and what is asked of it: types, columns and states that exist for the
open scope. For the quoting engine, which knows no others, with their titles in every language of the product.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils import translation

from chat.tools import BadCall
from entities.access import Scope
from entities.language import translate_stored
from entities.models import Entity
from entities.record_columns import RecordColumn, find_column, list_record_columns
from entities.record_filters import MOST_LETTERS, build_finished, build_overdue
from entities.records import RESERVED
from entities.registry import list_entity_types, list_parent_types
from llm.client import is_offline
from retrieval.query import CONTROL

NAME = "list_records"
MAX_LISTED = 50
DEFAULT_LISTED = 20
ADDED = ("money", "number")
GROUPED = ("text", "choice", "link")
UNUSED = RESERVED - {"q", "archived"}
"""Parameters of a list's page that narrow nothing."""
ARGUMENTS = ("type", "where", "order", "limit", "sum", "mean", "group", "side_by_side")
DESCRIPTION = """\
List, count, add up, average and compare records that the person asking may see, by the database: for "all open risks",
"how many", "which end in 2026", "overdue", "total value", "the largest". It answers with a table, how many there are in
all, and the address of the same list. Types and their fields:
{types}
A field that is not named here does not exist for the person asking. A field of a linked record is link.field, as in
project.name or project.due_on."""
WHERE = """\
field: value. After the field may stand __lt, __lte, __gt, __gte, __not, __icontains (a part of a text) or __empty
(1 or 0). Dates: 2026-11-27, 2026-11, 2026, today, this_week, next_month, last_year, next_30_days. Several states:
with a comma. To compare with another field: field:name, as in due_on__gt = field:project.due_on. Besides fields:
overdue = 1; finished = 0; called = the name of a record, a person or a firm that it has; updated_at__gte for what
changed since."""


@dataclass(frozen=True)
class RecordQuery:
    """What is asked for. where: request parameters as `entities.records.list_records` takes them. group: the column by
    whose values they are counted. sides: names of records that stand side by side.
    """

    model: type[Entity]
    where: Mapping[str, str]
    order: str
    limit: int
    sum: RecordColumn | None = None
    mean: RecordColumn | None = None
    group: RecordColumn | None = None
    sides: Sequence[str] = ()

    @property
    def computed(self) -> list[RecordColumn]:
        """Columns that decide the figures."""
        return [column for column in (self.sum, self.mean, self.group) if column is not None]


def describe_tool(scope: Scope) -> dict[str, Any]:
    """The tool with the types and fields that exist for the open scope."""
    describe = _describe_as_json if is_offline() else _describe_type
    types = "\n".join(describe(key, model) for key, model in list_entity_types().items())
    text = {"type": "string"}
    return {
        "name": NAME,
        "description": DESCRIPTION.format(types=types),
        "input_schema": {
            "type": "object",
            "properties": {
                "type": {**text, "enum": list(list_entity_types())},
                "where": {"type": "object", "description": " ".join(WHERE.split())},
                "order": {**text, "description": "A field to order by; with - before it, the greatest first."},
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LISTED},
                "sum": {**text, "description": "A field of money or numbers to add up, by currency."},
                "mean": {**text, "description": "A field of money or numbers to average, by currency."},
                "group": {**text, "description": "A field, or a link, by whose values records are counted."},
                "side_by_side": {
                    "type": "array",
                    "items": text,
                    "description": "Names of records of the type to show beside each other.",
                },
            },
            "required": ["type"],
        },
    }


def _describe_type(key: str, model: type[Entity]) -> str:
    """ "- risk (risks): name, project -> project, severity = low | high, due_on (date), overdue (1 or 0)"."""
    fields = [f"{each.name}{_describe_kind(model, each)}" for each in _list_own(model)]
    fields += [f"{name} (1 or 0)" for name in _list_flags(model)]
    return f"- {key} ({model._meta.verbose_name_plural}): {', '.join(fields)}"


def _describe_kind(model: type[Entity], column: RecordColumn) -> str:
    if column.kind == "link":
        return f" -> {list_parent_types(model)[column.name].type_key}"
    if column.kind == "choice":
        return f" = {' | '.join(str(value) for value, _ in column.column.flatchoices)}"  # type: ignore[attr-defined]
    return "" if column.kind in ("text", "other") else f" ({column.kind})"


def _list_own(model: type[Entity]) -> list[RecordColumn]:
    return [column for column in list_record_columns(model) if not column.link]


def _list_flags(model: type[Entity]) -> list[str]:
    flags = {"overdue": build_overdue(model), "finished": build_finished(model, is_finished=True)}
    return [name for name, condition in flags.items() if condition is not None]


def _describe_as_json(key: str, model: type[Entity]) -> str:
    """In one line, as `llm.quoting.list_words` reads it."""
    sources = (model._meta.verbose_name, model._meta.verbose_name_plural)
    titles = [title for source in sources for title in _list_titles(str(source)) if title.lower() != key]
    fields = {each.name: _describe_column(model, each) for each in _list_own(model)}
    fields |= {name: {"kind": "flag"} for name in _list_flags(model)}
    return json.dumps({"type": key, "names": list(dict.fromkeys(titles)), "fields": fields}, ensure_ascii=False)


def _list_titles(source: str) -> list[str]:
    """In every language of the product, as the workspace calls it."""
    found = []
    for code, _ in settings.LANGUAGES:
        with translation.override(code):
            found.append(translate_stored(source))
    return list(dict.fromkeys(found))


def _describe_column(model: type[Entity], column: RecordColumn) -> dict[str, Any]:
    known = {column.name, column.name.replace("_", " ")}
    titles = [title for title in _list_titles(str(column.column.verbose_name)) if title.lower() not in known]
    described: dict[str, Any] = {"kind": column.kind, **({"titles": titles} if titles else {})}
    if column.kind == "link":
        described["to"] = list_parent_types(model)[column.name].type_key
    if column.kind == "choice":
        described["states"] = {
            str(value): [title for title in _list_titles(str(title)) if title.lower() != str(value)]
            for value, title in column.column.flatchoices  # type: ignore[attr-defined]
        }
    return described


def read_query(scope: Scope, asked: Mapping[str, Any]) -> RecordQuery:
    """What a model asked for, in the open scope. Raises: BadCall."""
    if unknown := [str(name) for name in asked if name not in ARGUMENTS]:
        raise BadCall(f"There is no argument {', '.join(unknown)!r}. Arguments are: {', '.join(ARGUMENTS)}.")
    kind = str(asked.get("type") or "").strip().lower()
    if kind not in list_entity_types():
        raise BadCall(f"There is no such type. Types are: {', '.join(list_entity_types())}.")
    model = list_entity_types()[kind]
    where = _read_where(asked.get("where") or {})
    limit = asked.get("limit") or DEFAULT_LISTED
    if not isinstance(limit, int) or not 1 <= limit <= MAX_LISTED:
        raise BadCall(f"Give `limit` as a whole number from 1 to {MAX_LISTED}.")
    sides = asked.get("side_by_side") or []
    if not isinstance(sides, list) or not all(map(_is_name, sides)):
        raise BadCall("Give `side_by_side` as a list of names.")
    if len(sides) == 1 or len(sides) > 5:
        raise BadCall("Give from 2 to 5 names to stand side by side.")
    return RecordQuery(
        model,
        where,
        str(asked.get("order") or "name"),
        limit,
        sum=_find_number(model, asked, "sum"),
        mean=_find_number(model, asked, "mean"),
        group=_find_group(model, str(asked.get("group") or "")),
        sides=sides,
    )


def _is_name(value: Any) -> bool:
    is_text = isinstance(value, str) and value.strip() and not CONTROL.search(value)
    return bool(is_text) and len(value) <= MOST_LETTERS


def _read_where(where: Any) -> dict[str, str]:
    if not isinstance(where, dict) or not all(isinstance(value, str | int | float) for value in where.values()):
        raise BadCall("Give `where` as field: value.")
    found = {str(name): str(int(value) if isinstance(value, bool) else value) for name, value in where.items()}
    if bad := [name for name, value in found.items() if name in UNUSED or not value or CONTROL.search(value)]:
        raise BadCall(f"These narrow nothing: {', '.join(bad)}.")
    return found


def _find_number(model: type[Entity], asked: Mapping[str, Any], argument: str) -> RecordColumn | None:
    path = str(asked.get(argument) or "")
    if not path:
        return None
    column = find_column(model, path)
    if column is None or column.link or column.kind not in ADDED:
        what = "to add up" if argument == "sum" else "to average"
        known = [each.path for each in list_record_columns(model) if each.kind in ADDED and not each.link]
        raise BadCall(f"There is no number {path!r} {what}. Numbers are: {', '.join(known) or 'none'}.")
    return column


def _find_group(model: type[Entity], path: str) -> RecordColumn | None:
    if not path:
        return None
    column = find_column(model, path)
    if column is None or column.kind not in GROUPED or (column.name == "name" and not column.link):
        known = [each.path for each in list_record_columns(model) if each.kind in GROUPED and each.path != "name"]
        raise BadCall(f"Records cannot be grouped by {path!r}. Groups are: {', '.join(known)}.")
    return column
