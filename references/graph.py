"""Walking the graph of references, breadth first, in both directions (design §5.8, §7; seed part 3, graph traversal).

What the caller may not see is not there: permission is in each hop's statement, before any cap, so hidden references
neither extend a walk nor use up its limits.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Case, Count, IntegerField, Max, Q, Value, When

from entities.access import Scope
from entities.models import Entity
from references.kinds import Kind
from references.models import Reference

ENTITIES_PER_HOP = 50
REFERENCES_PER_QUERY = 200
DEEPEST = 3


@dataclass(frozen=True)
class Node:
    """depth: hops from where the walk began."""

    id: UUID
    type: str
    name: str
    depth: int
    entity: Entity


@dataclass(frozen=True)
class Edge:
    """All references of one kind from one record to another. count: how many; label: the words of the latest."""

    source: UUID
    target: UUID
    kind: str
    count: int
    label: str


@dataclass(frozen=True)
class ReferenceGraph:
    nodes: list[Node]
    edges: list[Edge]


@dataclass(frozen=True)
class Walk:
    """depths: record -> hops, the roots included at 0. edges: every link between two of them that was met."""

    depths: dict[UUID, int]
    edges: list[Edge]


def walk_links(scope: Scope, roots: Iterable[UUID], depth: int) -> Walk:
    """Breadth first from `roots`, which the caller may see: at most 50 new records a hop and 200 references in all."""
    depths = dict.fromkeys(roots, 0)
    edges: dict[tuple[UUID, UUID, str], Edge] = {}
    frontier = list(depths)
    for hop in range(1, min(depth, DEEPEST) + 1):
        if not frontier or len(edges) >= REFERENCES_PER_QUERY:
            break
        met = [edge for edge in _load_edges(scope, frontier, REFERENCES_PER_QUERY) if _build_key(edge) not in edges]
        found = met[: REFERENCES_PER_QUERY - len(edges)]
        new = [end for edge in found for end in (edge.source, edge.target) if end not in depths]
        frontier = list(dict.fromkeys(new))[:ENTITIES_PER_HOP]
        depths.update(dict.fromkeys(frontier, hop))
        edges.update({_build_key(edge): edge for edge in found if edge.source in depths and edge.target in depths})
    return Walk(depths, list(edges.values()))


def find_reachable(scope: Scope, roots: Iterable[UUID], depth: int) -> dict[UUID, int]:
    """The records within `depth` hops of `roots`, themselves included, with the number of hops."""
    return walk_links(scope, roots, depth).depths


def build_graph(scope: Scope, entity: Entity, depth: int = 1) -> ReferenceGraph:
    """The neighbourhood of a record, nearest first."""
    walked = walk_links(scope, [entity.pk], depth)
    rows = Entity.objects.readable_by(scope).filter(pk__in=walked.depths)
    nodes = [Node(row.pk, row.type_name, str(row), walked.depths[row.pk], row) for row in rows]
    return ReferenceGraph(sorted(nodes, key=lambda n: (n.depth, n.name, str(n.id))), walked.edges)


def _build_key(edge: Edge) -> tuple[UUID, UUID, str]:
    return edge.source, edge.target, edge.kind


def _load_edges(scope: Scope, frontier: list[UUID], limit: int) -> list[Edge]:
    """Links of the frontier, one row for each pair and kind; what people and agents said before mere citations."""
    rows = (
        Reference.objects.readable_by(scope)
        .drop_internal()
        .filter(Q(source__in=frontier) | Q(target__in=frontier))
        .order_by()
        .values("source", "target", "kind")
        .annotate(
            count=Count("pk"),
            latest=Max("created_at"),
            labels=ArrayAgg("label", order_by=["-created_at", "pk"]),
            mere=Case(When(kind=Kind.CITATION, then=Value(1)), default=Value(0), output_field=IntegerField()),
        )
        .order_by("mere", "-latest", "source", "target", "kind")[:limit]
    )
    return [Edge(UUID(str(r["source"])), UUID(str(r["target"])), r["kind"], r["count"], r["labels"][0]) for r in rows]
