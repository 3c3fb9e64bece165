"""The conditions under which rows of the narrow index tables take part in a query, as SQL (design §2.4, §5).

Everything that decides is in the statement itself, before any ranking: workspace, label, audience, the visible
entities, the sources of derived text, and what the question is narrowed to. Row-level security asks for the first three
once more. No list of visible ids passes through Python.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import EmptyResultSet
from django.db.models import Q

from entities.access import Scope, visible
from entities.models import Entity
from entities.registry import entity_types
from ingestion.models import Kind
from retrieval.query import Within

CONVERSATION = [Kind.CHAT_MESSAGE, Kind.ROLLING_SUMMARY]

# Rows for everybody first: nearly all are, and an array is asked element by element.
CLEARED = """p.workspace_id = %s
  AND p.data_classification = ANY((SELECT app_allowed())::int[])
  AND (p.audience = 0 OR p.audience = ANY((SELECT app_audiences())::int[]) OR (SELECT app_service()))"""
SEEN = "p.entity IN (SELECT number FROM seen)"
# Where nothing is hidden in this way, as nearly always, the question is answered once and not for every row.
NOT_UNSEEN = '((SELECT NOT EXISTS (SELECT FROM unseen)) OR p."row" NOT IN (SELECT "row" FROM unseen))'

# Rows drawn from a record that the reader may not see. Materialised, because both uses ask for few of many rows.
UNSEEN = """unseen ("row") AS MATERIALIZED (
  SELECT c.number FROM entities_source s JOIN ingestion_contextrow c ON c.id = s.derived
  WHERE s.entity_id IN ({hidden}))"""


class NothingVisible(Exception):
    """No row can satisfy the conditions; there is no need to ask the database."""


@dataclass(frozen=True)
class Gate:
    """`WITH {ctes} … WHERE {condition}` for an index table under the alias `p`, each with its parameters in order.

    condition: `cleared` (all but object permission) and `SEEN`, for statements that take the two apart.
    """

    ctes: str
    cleared: str
    cte_params: tuple[Any, ...]
    condition_params: tuple[Any, ...]

    @property
    def condition(self) -> str:
        return f"{self.cleared}\n  AND {SEEN}"


def gate(scope: Scope, within: Within) -> Gate:
    """The gate for `scope`, which is the open one.

    Raises: NothingVisible; ValueError for a type that does not exist.
    """
    seen, seen_params = _compiled(visible(scope, Entity) & _chosen_entities(within), "number")
    ctes, cte_params = [f"seen (number) AS MATERIALIZED ({seen})"], [*seen_params]
    conditions = [CLEARED]
    params: list[Any] = [scope.workspace]
    if not scope.is_service:
        try:
            hidden, hidden_params = _compiled(~visible(scope, Entity), "pk")
        except NothingVisible:
            hidden, hidden_params = "SELECT NULL::uuid WHERE false", ()
        ctes.append(UNSEEN.format(hidden=hidden))
        cte_params += hidden_params
        conditions.append(NOT_UNSEEN)
    if within.kinds:
        conditions.append("p.kind = ANY(%s)")
        params.append([int(kind) for kind in within.kinds])
    for condition, given in (_places(within), _collections(within), _days(within)):
        if condition:
            conditions.append(condition)
            params += given
    return Gate(", ".join(ctes), "\n  AND ".join(conditions), tuple(cte_params), tuple(params))


def _compiled(condition: Q, column: str) -> tuple[str, tuple[Any, ...]]:
    """Django's SQL of the entities that satisfy `condition`."""
    try:
        return Entity.objects.filter(condition).order_by().values(column).query.sql_with_params()
    except EmptyResultSet:
        raise NothingVisible from None


def _chosen_entities(within: Within) -> Q:
    condition = Q()
    if within.entities:
        condition &= Q(pk__in=list(within.entities))
    if within.types:
        known = entity_types()
        unknown = sorted(set(within.types) - set(known))
        if unknown:
            raise ValueError(f"There is no type {unknown[0]!r}. Types are: {', '.join(known)}.")
        models = [known[name] for name in within.types]
        condition &= Q(content_type__in=[c.pk for c in ContentType.objects.get_for_models(*models).values()])
    return condition


def _places(within: Within) -> tuple[str, list[Any]]:
    parts: list[str] = []
    params: list[Any] = []
    if within.files:
        parts.append("p.file IN (SELECT f.number FROM ingestion_file f WHERE f.id = ANY(%s::uuid[]))")
        params.append([str(pk) for pk in within.files])
    if within.sessions:
        parts.append(
            'p.kind = ANY(%s) AND p."row" IN (SELECT c.number FROM ingestion_contextrow c'
            " WHERE c.kind = ANY(%s) AND c.field = ANY(%s))"
        )
        kinds = [int(kind) for kind in CONVERSATION]
        params += [kinds, kinds, [str(pk) for pk in within.sessions]]
    return (f"({' OR '.join(f'({part})' for part in parts)})" if parts else ""), params


def _collections(within: Within) -> tuple[str, list[Any]]:
    if not within.collections:
        return "", []
    return "p.file IN (SELECT f.number FROM ingestion_file f WHERE f.collection = ANY(%s))", [list(within.collections)]


def _days(within: Within) -> tuple[str, list[Any]]:
    """A file's text came in when its published revision did; other text when its row was made."""
    if within.since is None and within.until is None:
        return "", []
    came_in = "coalesce(r.fetched_at, c.created_at)"
    parts, params = [], []
    if within.since is not None:
        parts.append(f"{came_in} >= %s::date")
        params.append(within.since)
    if within.until is not None:
        parts.append(f"{came_in} < %s::date + 1")
        params.append(within.until)
    return (
        f'p."row" IN (SELECT c.number FROM ingestion_contextrow c LEFT JOIN ingestion_file f ON f.id = c.file_id'  # noqa: S608
        f" LEFT JOIN ingestion_filerevision r ON r.id = f.revision_id WHERE {' AND '.join(parts)})",
        params,
    )
