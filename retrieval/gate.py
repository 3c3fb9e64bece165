"""The conditions under which rows of the narrow index tables take part in a query, as SQL (design §2.4, §5).

Everything that decides is in the statement itself, before any ranking: workspace, label, audience, the visible
entities, the sources of derived text, and what the question is narrowed to. Row-level security asks for the first three
once more. No list of visible ids passes through Python.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.contenttypes.models import ContentType

from entities.access import Scope
from entities.access.scope import load_once
from entities.access.statements import build_visible_records
from entities.registry import list_entity_types
from ingestion.known_versions import TOLD_AT
from ingestion.models import Kind
from retrieval.query import Within
from retrieval.sizes import read_sizes
from retrieval.statements import fetch_rows
from retrieval.terms import build_terms

CONVERSATION = [Kind.CHAT_MESSAGE, Kind.ROLLING_SUMMARY]

LABELLED = "data_classification = ANY((SELECT app_allowed())::int[])"
HELD = f"SELECT h.entity FROM ingestion_held h WHERE h.workspace_id = %(workspace)s AND h.{LABELLED}"  # noqa: S608
# Of who sent files that rest, and lacks what they rest as (docs/adr/0075): rows, and the records that hold them.
OR_SENT = f'(p.{LABELLED} OR p."row" = ANY(%(sent)s::int[]))'
OR_HOLD_SENT = " UNION ALL SELECT unnest(%(hold_sent)s::int[])"
# Rows for everybody first: nearly all are, and an array is asked element by element.
CLEARED = """p.workspace_id = %(workspace)s
  AND {labelled}
  AND (p.audience = 0 OR p.audience = ANY((SELECT app_audiences())::int[]) OR (SELECT app_service()))"""
# Of the few rows that may be drawn from other records, all of which the reader must see. A scalar, not EXISTS: that
# may be answered for all sources there are at once.
OF_SEEN_SOURCES = """(NOT p.drawn OR (
  SELECT true FROM ingestion_contextrow c JOIN entities_source s ON s.derived = c.id
  WHERE c.number = p."row" AND (SELECT true FROM ({visible}) v WHERE v.id = s.entity_id LIMIT 1) IS NOT TRUE LIMIT 1
) IS NULL)"""
SEEN_EACH = "(SELECT true FROM ({chosen}) v WHERE v.number = p.entity LIMIT 1) IS TRUE"
# Asked of each row of a set that is made once. As a plain IN the planner would rather look every record up.
SEEN_SET = "(p.entity IN (SELECT number FROM seen)) IS TRUE"
# Rows with their text, with the columns of an index table.
INDEX_ROWS = """SELECT c.workspace_id, c.data_classification, c.audience, e.number AS entity,
  coalesce(f.number, 0) AS file, c.number AS "row", c.kind, true AS drawn, c.position
FROM ingestion_contextrow c
JOIN entities_entity e ON e.id = c.entity_id LEFT JOIN ingestion_file f ON f.id = c.file_id"""

IN_A_SET = 20
"""One record that is looked up takes as long as so many in a set."""


@dataclass(frozen=True)
class Gate:
    """What a row of an index table under the alias `p` must satisfy. All named parameters are in `params`.

    cleared: all but object permission. seen: object permission, asked of the row's record (where few rows are read), or
    of the set of all visible records (where many are), which `WITH {ctes}` makes, with `holding`: the records that hold
    such rows, and perhaps others.
    """

    ctes: str
    cleared: str
    seen: str
    params: Mapping[str, Any]

    @property
    def condition(self) -> str:
        return f"{self.cleared}\n  AND {self.seen}"

    def fill(self, statement: str, **parts: str) -> str:
        """A statement with `{ctes}`, `{cleared}`, `{seen}` and `{condition}` in their places."""
        return statement.format(ctes=self.ctes, cleared=self.cleared, seen=self.seen, condition=self.condition, **parts)


@dataclass(frozen=True)
class Gates:
    """The same conditions in both forms."""

    each: Gate
    all: Gate

    def choose_cheaper(self, rows: float) -> Gate:
        """The form that takes less time where so many rows are read."""
        return self.all if read_sizes().records <= IN_A_SET * rows else self.each


def build_gates(scope: Scope, within: Within) -> Gates:
    """The gate for `scope`, which is the open one. Raises: ValueError for a type that does not exist."""
    visible = build_visible_records(scope)
    params: dict[str, Any] = {**visible.params, "workspace": scope.workspace}
    chosen, whole = visible.text, visible.whole
    if asked := _build_entity_condition(within, params):
        chosen, whole = (f"SELECT * FROM ({text}) v WHERE {asked}" for text in (chosen, whole))  # noqa: S608
    labelled, holding = f"p.{LABELLED}", HELD
    if scope.sent and (sent := load_sent_rows()):
        labelled, holding = OR_SENT, f"{HELD}{OR_HOLD_SENT}"
        params |= {"sent": list(sent), "hold_sent": sorted({*sent.values()})}
    conditions = [CLEARED.format(labelled=labelled)]
    if not scope.is_service:
        conditions.append(OF_SEEN_SOURCES.format(visible=visible.text))
    if within.kinds:
        conditions.append("p.kind = ANY(%(kinds)s)")
        params["kinds"] = [int(kind) for kind in within.kinds]
    conditions += [
        part
        for part in (
            _build_place_condition(within, params),
            _build_collection_condition(within, params),
            _build_day_condition(within, params),
        )
        if part
    ]
    conditions += [
        part for part in (_build_label_condition(within, params), _build_exclusion_condition(within, params)) if part
    ]
    ctes = f"seen (number) AS (SELECT number FROM ({whole}) v), holding (entity) AS ({holding})"  # noqa: S608
    cleared = "\n  AND ".join(conditions)
    each = Gate(ctes, cleared, SEEN_EACH.format(chosen=chosen), params)
    return Gates(each, replace(each, seen=SEEN_SET))


def load_sent_rows() -> dict[int, int]:
    """Passages that the open scope finds though its labels do not give it them -> their records. Row-level security
    asks in each statement whether they are so still.
    """
    found = load_once("sent rows", lambda: dict(fetch_rows("SELECT number, entity FROM app_sent_rows()", {})))
    return found  # type: ignore[no-any-return]


def _build_entity_condition(within: Within, params: dict[str, Any]) -> str:
    parts = []
    if within.entities:
        parts.append("v.id = ANY(%(entities)s)")
        params["entities"] = list(within.entities)
    if within.types:
        known = list_entity_types()
        unknown = sorted(set(within.types) - set(known))
        if unknown:
            raise ValueError(f"There is no type {unknown[0]!r}. Types are: {', '.join(known)}.")
        models = [known[name] for name in within.types]
        parts.append("v.content_type_id = ANY(%(types)s)")
        params["types"] = [c.pk for c in ContentType.objects.get_for_models(*models).values()]
    return " AND ".join(parts)


def _build_place_condition(within: Within, params: dict[str, Any]) -> str:
    parts = []
    if within.files:
        parts.append("p.file IN (SELECT f.number FROM ingestion_file f WHERE f.id = ANY(%(files)s))")
        params["files"] = list(within.files)
    if within.sessions:
        parts.append(
            'p.kind = ANY(%(conversation)s) AND p."row" IN (SELECT c.number FROM ingestion_contextrow c'
            " WHERE c.kind = ANY(%(conversation)s) AND c.field = ANY(%(sessions)s))"
        )
        params |= {"conversation": [int(kind) for kind in CONVERSATION], "sessions": list(map(str, within.sessions))}
    return f"({' OR '.join(f'({part})' for part in parts)})" if parts else ""


def _build_collection_condition(within: Within, params: dict[str, Any]) -> str:
    if not within.collections:
        return ""
    params["collections"] = list(within.collections)
    return "p.file IN (SELECT f.number FROM ingestion_file f WHERE f.collection = ANY(%(collections)s))"


def _build_label_condition(within: Within, params: dict[str, Any]) -> str:
    """A level that does not exist and one that the reader may not know of find the same: nothing."""
    if not within.labels:
        return ""
    params["labels"] = list(within.labels)
    return """p.data_classification IN (
  SELECT c.value FROM entities_classification c JOIN entities_classification a ON a.workspace_id = c.workspace_id
    AND lower(a.label) = ANY(%(labels)s) AND (a.value = c.value OR a.value = ANY(c.components))
  WHERE c.workspace_id = %(workspace)s)"""


def _build_exclusion_condition(within: Within, params: dict[str, Any]) -> str:
    """Each word in all its forms, as the index knows them."""
    if not within.without:
        return ""
    params["without"] = [term for word in within.without for term in build_terms([word]).words]
    return """p."row" NOT IN (SELECT x."row" FROM ingestion_posting x
  WHERE x.workspace_id = %(workspace)s AND x.term = ANY(%(without)s::int[]))"""


def _build_day_condition(within: Within, params: dict[str, Any]) -> str:
    """A file's text came in with the version that the reader is told of last; other text when its row was made."""
    if within.since is None and within.until is None:
        return ""
    came_in = "coalesce(told.at, c.created_at)"
    parts = []
    if within.since is not None:
        parts.append(f"{came_in} >= %(since)s::date")
        params["since"] = within.since
    if within.until is not None:
        parts.append(f"{came_in} < %(until)s::date + 1")
        params["until"] = within.until
    return (
        f'p."row" IN (SELECT c.number FROM ingestion_contextrow c LEFT JOIN ({TOLD_AT}) told ON told.file = c.file_id'  # noqa: S608
        f" WHERE {' AND '.join(parts)})"
    )
