"""What the references panel shows: groups by kind and direction, and a picture of the neighbourhood."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext

from entities.access import Scope
from entities.api.lists import list_chips
from entities.models import Classification, Entity, User
from references.graph import Node, build_graph
from references.kinds import INCOMING, Kind
from references.locations import Location, build_location_url, list_visible_locations
from references.models import Reference

SHOWN = 200
"""References that a panel takes; of a record with more it shows the newest, and says how many are older."""
NEIGHBOURS = 12
ORDER = [kind for kind in Kind if kind not in (Kind.CITATION, Kind.BOOKMARK)] + [Kind.CITATION, Kind.BOOKMARK]


@dataclass(frozen=True)
class CitationPlace:
    """Where a citation leads: "Survey.pdf, p. 12"."""

    words: str
    url: str


@dataclass(frozen=True)
class PanelLine:
    """A reference as seen from the panel's record; all citations between two records are one line with their places,
    and so are all links of documents.

    labels: None while it waits for its label.
    """

    reference: Reference
    other: Entity
    url: str
    places: Sequence[CitationPlace]
    by: str
    labels: Sequence[Classification] | None
    may_edit: bool


@dataclass(frozen=True)
class PanelGroup:
    title: str
    lines: Sequence[PanelLine]


@dataclass(frozen=True)
class Neighbour:
    """A record in a side column of the picture. y: the middle of its row, in per cent of the column's height."""

    entity: Entity
    name: str
    y: float


@dataclass(frozen=True)
class NeighbourPicture:
    """name: of the record in the middle. more: neighbours that are left out."""

    name: str
    left: Sequence[Neighbour]
    right: Sequence[Neighbour]
    more: int


@dataclass(frozen=True)
class Panel:
    """count: the lines in `groups`, no more and no fewer. older: references beyond the panel's length."""

    groups: Sequence[PanelGroup]
    count: int
    older: int
    picture: NeighbourPicture | None


def build_panel(scope: Scope, entity: Entity) -> Panel:
    """The references of a record that `scope` may see, citations within the record left out."""
    rows = Reference.objects.readable_by(scope).filter_touching(entity.pk)
    rows = rows.exclude(source=entity.pk, target=entity.pk, kind=Kind.CITATION)
    total = rows.count()
    taken = list(rows.order_by("-created_at", "pk")[:SHOWN])
    ends = {pk for r in taken for pk in (r.source_id, r.target_id)}
    records = {e.pk: e for e in Entity.objects.readable_by(scope).filter(pk__in=ends)}
    places = list_visible_locations(scope, taken, records)
    changeable = set(Entity.objects.visible_to(scope, "change").filter(pk__in=ends).values_list("pk", flat=True))
    people = load_makers(taken)
    grouped: dict[str, dict[object, list[Reference]]] = {}
    for reference in sorted(taken, key=lambda r: ORDER.index(Kind(r.kind))):
        key = get_other_end(reference, entity) if is_made_by_text(reference) else reference.pk
        grouped.setdefault(get_title(reference, entity), {}).setdefault(key, []).append(reference)

    def build_line(references: list[Reference]) -> PanelLine:
        first = references[0]
        other = records[get_other_end(first, entity)]
        mine = first.source_id in changeable or (scope.principal > 0 and first.origin_principal == scope.principal)
        outgoing = first.source_id == entity.pk and first.kind != Kind.CITATION
        return PanelLine(
            first,
            other,
            build_place_url(first, places) if outgoing else other.get_absolute_url(),
            list_places(references, places),
            people.get(first.origin_principal, ""),
            list_chips(first.data_classification),
            mine and not is_made_by_text(first),
        )

    groups = [PanelGroup(title, [build_line(r) for r in lines.values()]) for title, lines in grouped.items()]
    count = sum(len(group.lines) for group in groups)
    return Panel(groups, count, total - len(taken), build_picture(scope, entity))


def is_made_by_text(reference: Reference) -> bool:
    """Citations and links of documents: there can be many, and they change with their text alone."""
    return reference.kind == Kind.CITATION or reference.origin == Reference.Origin.DOCUMENT


def get_other_end(reference: Reference, entity: Entity) -> UUID:
    return reference.target_id if reference.source_id == entity.pk else reference.source_id


def get_title(reference: Reference, entity: Entity) -> str:
    """The name of the group that a reference stands in, as it reads from `entity`."""
    if reference.origin == Reference.Origin.DOCUMENT:
        return (
            gettext("Linked from its documents")
            if reference.source_id == entity.pk
            else gettext("Linked in documents of")
        )
    return Kind(reference.kind).label if reference.source_id == entity.pk else INCOMING[reference.kind]


def build_place_url(reference: Reference, places: Mapping[UUID, Location]) -> str:
    place = places.get(reference.pk, Location())
    return build_location_url(reference.target_id, place.type, place.detail)


def list_places(references: Sequence[Reference], places: Mapping[UUID, Location]) -> list[CitationPlace]:
    """The cited places, each once; another reference shows the page that it points at."""
    first = references[0]
    if first.kind == Kind.CITATION:
        named = {r.label: CitationPlace(r.label, build_place_url(r, places)) for r in references if r.label}
        return [named[words] for words in sorted(named)]
    page = places.get(first.pk, Location()).detail.get("page")
    return [CitationPlace(gettext("p. %(page)s") % {"page": page}, build_place_url(first, places))] if page else []


def load_makers(references: Sequence[Reference]) -> dict[int, str]:
    """User id -> name, of the people who made `references`."""
    ids = {r.origin_principal for r in references if r.origin_principal > 0}
    return {user.pk: str(user) for user in User.objects.filter(pk__in=ids)}


def build_picture(scope: Scope, entity: Entity) -> NeighbourPicture | None:
    """The record in the middle of what it is linked to directly; None where that is nothing."""
    nodes = build_graph(scope, entity, 1).nodes
    near = [node for node in nodes if node.id != entity.pk]
    if not near:
        return None
    few = near[:NEIGHBOURS]
    middle = next(node for node in nodes if node.id == entity.pk)
    return NeighbourPicture(middle.name, build_column(few[1::2]), build_column(few[::2]), len(near) - len(few))


def build_column(nodes: Sequence[Node]) -> list[Neighbour]:
    """Rows of equal height."""
    return [Neighbour(n.entity, n.name, round((i + 0.5) * 100 / len(nodes), 2)) for i, n in enumerate(nodes)]
