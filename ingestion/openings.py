"""What people would newly read by a role, a clearance or access to a record, counted before it is given.

Everything is counted over what whoever looks may read themselves: what they may not is in no number and on no list.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from uuid import UUID

from django.db import connection
from django.db.models import Count, F, FloatField, Func, Q, QuerySet

from entities.access import Scope, list_atoms, load_concealed_atoms, load_granted_atoms
from entities.api.lists import list_atom_chips
from entities.models import Classification, ClassificationGrant, Entity, FieldParagraph, Role
from entities.models.entity import Visibility
from ingestion.desk import Item, build_item, load_places, select_field_paragraphs, select_paragraphs
from ingestion.models import Paragraph

LEAST_CERTAIN = 10
PUBLIC_ATOM = 0


@dataclass(frozen=True)
class Holding:
    """What decides what somebody reads. principals: through which they see records: their own, and those of roles that
    they would get; None for every record that whoever looks sees. shared: records that are opened to them besides.
    """

    atoms: frozenset[int] = frozenset()
    principals: tuple[int, ...] | None = ()
    is_steward: bool = False
    shared: frozenset[UUID] = frozenset()


@dataclass(frozen=True)
class Change:
    """Of one person. before: None for who is no member yet, and reads nothing."""

    name: str
    before: Holding | None
    after: Holding


@dataclass(frozen=True)
class TextGroup:
    """Paragraphs of one file, or of a record's long texts, that need the same. label: None while they have none."""

    entity: UUID
    file: UUID | None
    label: int | None
    needs: frozenset[int]
    count: int


@dataclass(frozen=True)
class PersonOpening:
    """What one person would read more."""

    name: str
    paragraphs: int
    files: int
    records: int


@dataclass(frozen=True)
class Opening:
    """people: who would read more, the most first. doubtful: of all that, what a model was least sure of, with how sure
    it was. unseen: levels that are given too, and whose text whoever looks may not read and so is not counted.
    """

    people: Sequence[PersonOpening]
    doubtful: Sequence[tuple[Item, float]]
    unseen: Sequence[Classification]


class FindConfidence(Func):
    """How sure the model was of a paragraph's label, out of its votes; NULL where no model voted."""

    template = (
        """(jsonb_path_query_first(%(expressions)s, '$[*] ? (@.source == "model").confidence') #>> '{}')::float8"""
    )
    output_field = FloatField()


def load_holdings(users: Iterable[int]) -> dict[int, Holding]:
    """Of members, by user."""
    users = list(users)
    stewards = set(Role.objects.filter(is_steward=True, group__user__in=users).values_list("group__user", flat=True))
    with connection.cursor() as cursor:
        cursor.execute("SELECT member, app_atoms_of(member) FROM unnest(%s::bigint[]) AS member", [users])
        return {user: Holding(frozenset(atoms or ()), (user,), user in stewards) for user, atoms in cursor.fetchall()}


def add_roles(holding: Holding, roles: Iterable[Role]) -> Holding:
    """The same person with these roles besides."""
    roles = list(roles)
    atoms = ClassificationGrant.objects.filter(role__in=roles).values_list("classification__value", flat=True)
    return replace(
        holding,
        atoms=holding.atoms.union(atoms),
        principals=(*(holding.principals or ()), *(-role.pk for role in roles)),
        is_steward=holding.is_steward or any(role.is_steward for role in roles),
    )


def count_opening(
    scope: Scope,
    changes: Sequence[Change],
    of_files: QuerySet[Paragraph] | None = None,
    typed: QuerySet[FieldParagraph] | None = None,
) -> Opening:
    """What these changes open, of the paragraphs that the open scope may read, or of some of them."""
    of_files = select_paragraphs(scope) if of_files is None else of_files
    typed = select_field_paragraphs(scope) if typed is None else typed
    groups = _list_groups(of_files, typed)
    seen = _VisibleRecords(scope, {group.entity for group in groups})
    people, opened = [], set()
    for change in changes:
        before = change.before
        more = [
            group
            for group in groups
            if seen.is_read(change.after, group) and not (before and seen.is_read(before, group))
        ]
        if more:
            opened.update(more)
            files, records = {g.file for g in more if g.file}, {g.entity for g in more if g.file is None}
            people.append(PersonOpening(change.name, sum(g.count for g in more), len(files), len(records)))
    given = frozenset().union(*(c.after.atoms - (c.before.atoms if c.before else frozenset()) for c in changes))
    unseen = given - load_granted_atoms() - load_concealed_atoms() - {PUBLIC_ATOM}
    people.sort(key=lambda person: (-person.paragraphs, person.name))
    return Opening(people, _list_doubtful(scope, of_files, typed, opened), list_atom_chips(unseen))


def _list_groups(of_files: QuerySet[Paragraph], typed: QuerySet[FieldParagraph]) -> list[TextGroup]:
    columns = ("data_classification", "floor")
    rows = [
        *of_files.order_by().values_list("file__entity", "file", *columns).annotate(Count("pk")),
        *((row[0], None, *row[1:]) for row in typed.order_by().values_list("entity", *columns).annotate(Count("pk"))),
    ]
    return [
        TextGroup(entity, file, label, frozenset(list_atoms(floor or 0 if label is None else label)), count)
        for entity, file, label, floor, count in rows
    ]


class _VisibleRecords:
    """Which of the records that the open scope sees somebody sees; each set of principals is asked once."""

    def __init__(self, scope: Scope, records: set[UUID]) -> None:
        self.scope, self.records = scope, records
        self.closed = Entity.objects.visible_to(scope).exclude(visibility=Visibility.WORKSPACE)
        self.open = records - set(self.closed.values_list("pk", flat=True))
        self.known: dict[tuple[int, ...], set[UUID]] = {}

    def is_read(self, by: Holding, group: TextGroup) -> bool:
        if not group.needs <= by.atoms or (group.label is None and not by.is_steward):
            return False
        return group.entity in by.shared or by.principals is None or group.entity in self._find_visible(by.principals)

    def _find_visible(self, principals: tuple[int, ...]) -> set[UUID]:
        if principals not in self.known:
            seen = set(self.open) if principals else set()
            for principal in principals:
                if principal:
                    reader = replace(self.scope, principal=principal, narrowed_to=0, attachments="")
                    seen.update(self.closed.visible_to(reader).values_list("pk", flat=True))
            self.known[principals] = seen
        return self.known[principals]


def _list_doubtful(
    scope: Scope, of_files: QuerySet[Paragraph], typed: QuerySet[FieldParagraph], opened: Iterable[TextGroup]
) -> list[tuple[Item, float]]:
    """The least certain of what is opened, among what a model and no steward decided."""
    by_label: dict[tuple[bool, int | None], set[UUID]] = {}
    for group in opened:
        by_label.setdefault((group.file is not None, group.label), set()).add(group.file or group.entity)
    found: list[Paragraph | FieldParagraph] = []
    for is_file, rows, holder in ((True, of_files, "file__in"), (False, typed, "entity__in")):
        wanted = [
            _build_label_q(label) & Q(**{holder: pks}) for (file, label), pks in by_label.items() if file is is_file
        ]
        if wanted:
            judged = rows.filter(reduce(or_, wanted)).exclude(votes__contains=[{"source": "manual"}])
            sure = judged.annotate(confidence=FindConfidence(F("votes"))).filter(confidence__isnull=False)
            found += sure.order_by("confidence", "pk")[:LEAST_CERTAIN]
    found = sorted(found, key=lambda row: row.confidence)[:LEAST_CERTAIN]  # type: ignore[union-attr]
    places = load_places(scope, found)
    return [(build_item(row, places[row.pk]), row.confidence) for row in found if row.pk in places]  # type: ignore[union-attr]


def _build_label_q(label: int | None) -> Q:
    return Q(data_classification__isnull=True) if label is None else Q(data_classification=label)
