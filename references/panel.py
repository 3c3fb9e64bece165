"""What the references panel shows: groups by kind and direction, and a picture of the neighbourhood."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from entities.access import Scope
from entities.api.lists import chips_of
from entities.models import Classification, Entity, User
from references.graph import graph_of
from references.kinds import INCOMING, Kind
from references.locations import location_url
from references.models import Reference

SHOWN = 100
"""References that a panel lists; a record with more shows the newest of each kind first and says so."""
NEIGHBOURS = 10
WIDTH, HEIGHT = 480, 250
ORDER = [kind for kind in Kind if kind not in (Kind.CITATION, Kind.BOOKMARK)] + [Kind.CITATION, Kind.BOOKMARK]


@dataclass(frozen=True)
class Line:
    """One reference as seen from the panel's record. labels: None while it waits for its label."""

    reference: Reference
    other: Entity
    url: str
    place: str
    by: str
    labels: Sequence[Classification] | None
    may_edit: bool


@dataclass(frozen=True)
class Group:
    title: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class Dot:
    """A record in the picture, its middle at (x, y); the text is anchored so that it stays inside."""

    entity: Entity
    name: str
    x: float
    y: float
    anchor: str
    text_x: float
    text_y: float
    words: str


@dataclass(frozen=True)
class Picture:
    """centre: the record itself. more: neighbours that are left out."""

    centre: Dot
    dots: Sequence[Dot]
    more: int
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class Panel:
    """count: the references in `groups`, no more and no fewer. longer: those beyond the panel's length."""

    groups: Sequence[Group]
    count: int
    longer: int
    picture: Picture | None


def panel_of(scope: Scope, entity: Entity) -> Panel:
    """The references of a record that `scope` may see, citations within the record left out."""
    rows = Reference.objects.readable_by(scope).touching(entity.pk)
    rows = rows.exclude(source=entity.pk, target=entity.pk, kind=Kind.CITATION)
    total = rows.count()
    shown = sorted(rows.order_by("-created_at", "pk")[:SHOWN], key=lambda r: ORDER.index(Kind(r.kind)))
    ends = {pk for r in shown for pk in (r.source_id, r.target_id)}
    records = {e.pk: e for e in Entity.objects.readable_by(scope).filter(pk__in=ends)}
    changeable = set(Entity.objects.visible_to(scope, "change").filter(pk__in=ends).values_list("pk", flat=True))
    people = makers(shown)
    grouped: dict[str, list[Line]] = {}
    for reference in shown:
        outgoing = reference.source_id == entity.pk
        title = Kind(reference.kind).label if outgoing else INCOMING[reference.kind]
        other = records[reference.target_id if outgoing else reference.source_id]
        grouped.setdefault(title, []).append(
            Line(
                reference,
                other,
                location_url(reference.target_id, reference.location_type, reference.location_detail)
                if outgoing
                else other.get_absolute_url(),
                place_of(reference),
                people.get(reference.origin_principal, ""),
                chips_of(reference.data_classification),
                reference.kind != Kind.CITATION
                and (reference.source_id in changeable or reference.origin_principal == scope.principal),
            )
        )
    groups = [Group(title, lines) for title, lines in grouped.items()]
    return Panel(groups, len(shown), total - len(shown), picture_of(scope, entity))


def makers(references: Sequence[Reference]) -> dict[int, str]:
    """User id -> name, of the people who made `references`."""
    ids = {r.origin_principal for r in references if r.origin_principal > 0}
    return {user.pk: str(user) for user in User.objects.filter(pk__in=ids)}


def place_of(reference: Reference) -> str:
    page = reference.location_detail.get("page")
    return f"p. {page}" if page else ""


def picture_of(scope: Scope, entity: Entity) -> Picture | None:
    """The record in the middle of what it is linked to directly; None where that is nothing."""
    nodes = graph_of(scope, entity, 1).nodes
    near = [node for node in nodes if node.id != entity.pk]
    if not near:
        return None
    middle = next(node for node in nodes if node.id == entity.pk)
    x, y = WIDTH / 2, HEIGHT / 2
    centre = Dot(middle.entity, middle.name, x, y, "middle", x, y + 30, shorten(middle.name, 34))
    few = near[:NEIGHBOURS]
    dots = [_dot(node.entity, node.name, i, len(few)) for i, node in enumerate(few)]
    return Picture(centre, dots, len(near) - len(few))


def _dot(entity: Entity, name: str, index: int, count: int) -> Dot:
    """On an ellipse, beginning at the right, so that few records stand beside the middle and not above it."""
    angle = 2 * math.pi * index / count
    x = round(WIDTH / 2 + 0.27 * WIDTH * math.cos(angle), 1)
    y = round(HEIGHT / 2 + 0.38 * HEIGHT * math.sin(angle), 1)
    side = math.cos(angle)
    if abs(side) < 0.2:
        return Dot(entity, name, x, y, "middle", x, y + (22 if y > HEIGHT / 2 else -14), shorten(name, 24))
    right = side > 0
    return Dot(entity, name, x, y, "start" if right else "end", x + (14 if right else -14), y + 4, shorten(name, 15))


def shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
