"""Which versions of a file a caller may know of, and by what number (docs/adr/0032).

A version that changed nothing which the caller may read or know of does not exist for them: it has no number, no date,
no author and is in no count. Numbers count what is told, so that none is missing; the version before a hidden one
stands for it as well, and who restores it or takes its original gets the bytes that were read last while they saw it.
Stewards see all. Who sent or restored a version knows of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, Case, DateTimeField, F, Func, OuterRef, Q, QuerySet, When
from django.db.models.functions import Coalesce
from django.http import Http404

from entities.access import Scope
from ingestion.access import is_steward
from ingestion.models import File, FileRevision

TOLD_AT = """SELECT f.id AS file, coalesce(max(r.fetched_at) FILTER (WHERE s.number = 1 OR (SELECT app_unlabelled())
    OR k.number IS NOT NULL OR r.restored_by = (SELECT app_principal())
    OR r.created_by = (SELECT app_principal()) AND r.restores IS NULL), f.created_at) AS at
  FROM ingestion_file f JOIN ingestion_filerevision s ON s.id = f.revision_id
  JOIN ingestion_filerevision r ON r.file_id = f.id AND r.number <= s.number AND (r.id = s.id OR r.witness <> '')
  LEFT JOIN app_known_versions(ARRAY(
    SELECT f.id FROM ingestion_file f JOIN ingestion_filerevision s ON s.id = f.revision_id WHERE s.number > 1)) k
    ON k.file = f.id AND k.number = r.number
  GROUP BY f.id"""
"""When what is shown of each file came in, as the caller may know it: with the newest version that is told to them and
was published. What stands in a file that has had one version came with that one."""


@dataclass(frozen=True)
class Known:
    """number: as it is told. revision: the one that it tells of. stands: the newest that looks the same to the
    caller."""

    number: int
    revision: FileRevision
    stands: FileRevision


def list_known_versions(scope: Scope, file: File, revisions: Iterable[FileRevision] | None = None) -> list[Known]:
    """Of a file got with `get_file_or_404`, the oldest first."""
    if revisions is None:
        revisions = FileRevision.objects.filter(file=file.pk).select_related("blob")
    every = sorted(revisions, key=lambda revision: revision.number)
    if is_steward(scope):
        return [Known(revision.number, revision, revision) for revision in every]
    numbers = load_known_numbers(scope, [file.pk])[file.pk]
    found: list[tuple[FileRevision, FileRevision]] = []
    for revision in every:
        if revision.number in numbers:
            found.append((revision, revision))
        elif revision.witness:
            # To this caller the file stayed as the last version that was published had left it.
            place = next((n for n in reversed(range(len(found))) if found[n][1].witness), None)
            if place is not None:
                found[place] = (found[place][0], revision)
    if not found:  # the file itself is there, and what is known of it is that
        found = [
            (revision, revision) for revision in every if revision.pk in (file.revision_id, file.pending_revision_id)
        ]
        found = found[:1]
    return [Known(place, *pair) for place, pair in enumerate(found, start=1)]


def get_known_or_404(scope: Scope, file: File, number: int) -> FileRevision:
    """The version that is told by this number, as it stands now. Raises: Http404."""
    for known in list_known_versions(scope, file):
        if known.number == number:
            return known.stands
    raise Http404("Not found.")


def load_known_numbers(scope: Scope, files: Sequence[UUID]) -> dict[UUID, set[int]]:
    """Numbers, as they are stored, of the versions of each file that a caller who is no steward may know of."""
    numbers: dict[UUID, set[int]] = defaultdict(set)
    if not files:
        return numbers
    with connection.cursor() as cursor:
        cursor.execute("SELECT file, number FROM app_known_versions(%s)", [list(files)])
        for file, number in cursor.fetchall():
            numbers[file].add(number)
    if scope.principal > 0:
        own = FileRevision.objects.filter(build_brought_by_q(scope))
        for file, number in own.filter(file__in=files).values_list("file", "number"):
            numbers[file].add(number)
    return numbers


def build_brought_by_q(scope: Scope) -> Q:
    """Of versions: those that a member sent or restored. Whose bytes somebody else restores has not brought them."""
    return Q(created_by=scope.principal, restores=None) | Q(restored_by=scope.principal)


def load_newest_known(files: Sequence[UUID], numbers: Mapping[UUID, set[int]]) -> dict[UUID, FileRevision]:
    """The newest published version of each file that a caller who is no steward knows of, by `load_known_numbers`.
    Files of which they know none are left out.
    """
    if not files:
        return {}
    rows = select_published_versions().filter(file__in=files).select_related("blob").order_by("number")
    return {row.file_id: row for row in rows if row.number in numbers.get(row.file_id, ())}


def select_published_versions() -> QuerySet[FileRevision]:
    """Up to the one that readers see."""
    rows = FileRevision.objects.filter(number__lte=F("file__revision__number"))
    return rows.filter(~Q(witness="") | Q(pk=F("file__revision")))


class IsKnown(Func):
    """Of the number and the file of a version: whether it changed something that the caller may read or know of."""

    template = "(%(expressions)s]) k))"
    arg_joiner = " IN (SELECT k.number FROM app_known_versions(ARRAY["
    output_field = BooleanField()


def build_known_column(scope: Scope, name: str) -> Case | F:
    """Of published files: a column of the newest published version that the caller knows of, or NULL."""
    shown = F(f"revision__{name}")
    if is_steward(scope):
        return shown
    known = Q(IsKnown(F("number"), F("file")))
    if scope.principal > 0:
        known |= build_brought_by_q(scope)
    newest = select_published_versions().filter(known, file=OuterRef("pk")).order_by("-number")
    # Most files have had one version, and are not looked up.
    return Case(When(revision__number=1, then=shown), default=newest.values(name)[:1])


def build_known_updated_at(scope: Scope, told: Q) -> Case | F:
    """Of files: when they changed last, as the caller may know it.

    told: whether their state is that of a version which the caller knows of (`access.select_disclosed_files`). Of a
    published file that nobody works on, the state came with the rows of the newest version that they know of.
    """
    if is_steward(scope):
        return F("updated_at")
    worked_on = Q(revision=None) | Q(pending_revision__isnull=False) | Q(revision__number=1)
    published = Coalesce(
        build_known_column(scope, "published_at"), build_known_column(scope, "fetched_at"), "created_at"
    )
    return Case(When(told & worked_on, then="updated_at"), default=published, output_field=DateTimeField())


def count_latest_number(known: set[int]) -> int:
    """The number of the newest version, as a caller who is no steward and knows of these is told it."""
    return max(1, len(known))
