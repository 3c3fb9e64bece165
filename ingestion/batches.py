"""What was sent together: how far it is, what it cost so far, and what of it failed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum, When
from django.db.models.functions import Now

from entities.access import Scope
from entities.models import Entity
from ingestion.access import select_disclosed_files, select_visible_files
from ingestion.claims import UNFINISHED
from ingestion.known_versions import build_known_column, build_known_updated_at
from ingestion.listing import build_disclosed, load_standing
from ingestion.models import File, FileRevision, Redo, State

SHOWN_FOR = timedelta(minutes=30)
"""After its last file ended."""
ENDED_BADLY = Q(state=State.FAILED) | Q(state=State.QUARANTINED, error_code__in=["timeout", "crashed"])
WORTH_AGAIN = ENDED_BADLY & Q(told=True, pending_revision__isnull=False)
"""Ended badly for a reason that may be gone by now; of files `select_files_of_batch`, as the next."""
LIVE = Q(told=True, state__in=UNFINISHED) | Q(told=False) & ~Q(redo=Redo.NOTHING)
"""As `listing.build_disclosed` has it: a file whose newest version the caller does not know of is as the one before
left it."""


@dataclass(frozen=True)
class Batch:
    """One batch of the caller's on a record. total: all files of it; ready, failed, working, waiting: of those. again:
    how many may be tried once more together. cost: USD so far.
    """

    id: UUID
    entity: UUID
    total: int
    ready: int
    failed: int
    working: int
    waiting: int
    again: int
    cost: Decimal

    @property
    def ended(self) -> int:
        return self.ready + self.failed

    @property
    def live(self) -> bool:
        return self.working + self.waiting > 0


def find_latest_batch(scope: Scope, entity: Entity) -> Batch | None:
    """What the caller is told of what they sent to a record that they got by an access function: of the last batch that
    is worked on, else of the last in which something may be tried again, else of the last that ended a while ago. One
    file alone is no batch.
    """
    found = (
        select_files_of_batch(scope, entity, None)
        .order_by()
        .values(batch=build_newest_case(scope, "batch"))
        .annotate(
            files=Count("pk"),
            live=Count("pk", filter=LIVE),
            again=Count("pk", filter=WORTH_AGAIN),
            came=Max(build_newest_case(scope, "fetched_at")),
            ended=Max(build_known_updated_at(scope, Q(told=True))),
        )
        .filter(Q(live__gt=0) | Q(again__gt=0) | Q(ended__gt=Now() - SHOWN_FOR), files__gt=1)
    )
    told = max(found, key=lambda row: (row["live"] > 0, row["again"] > 0, row["came"]), default=None)
    return None if told is None else _build_batch(scope, entity, told["batch"])


def select_files_of_batch(scope: Scope, entity: Entity, batch: UUID | None) -> QuerySet[File]:
    """The caller's files of a batch, or of any batch, that exist for them; none leaves it for a version that they do
    not know of. told: whether they know of the newest.
    """
    told = Exists(select_disclosed_files(scope, File.objects.filter(pk=OuterRef("pk"))))
    files = (
        select_visible_files(scope)
        .filter(entity=entity.pk)
        .annotate(told=told)
        .annotate(sent=build_newest_case(scope, "pk"))
    )
    sent = FileRevision.objects.filter(created_by=scope.principal)
    sent = sent.filter(batch=batch) if batch else sent.filter(batch__isnull=False)
    return files.filter(sent__in=sent.values("pk"))


def build_newest_case(scope: Scope, column: str) -> Case:
    """A column of the newest version that the caller knows of, of files with `told`."""
    coming = Q(pending_revision__isnull=False) & (Q(revision=None) | ~Q(pending_revision=F("revision")))
    return Case(
        When(Q(told=True) & coming, then=f"pending_revision__{column}"), default=build_known_column(scope, column)
    )


def _build_batch(scope: Scope, entity: Entity, batch: UUID) -> Batch:
    files: Sequence[File] = list_disclosed_files(scope, select_files_of_batch(scope, entity, batch))
    states = Counter(file.state for file in files)
    # What came under the same id on other records is not told here: the caller may not see them any more.
    mine = FileRevision.objects.filter(batch=batch, created_by=scope.principal, file__entity=entity.pk)
    cost = mine.aggregate(cost=Sum(F("cost")))["cost"]
    return Batch(
        id=batch,
        entity=entity.pk,
        total=len(files),
        ready=states[State.READY],
        failed=states[State.FAILED] + states[State.QUARANTINED],
        working=states[State.PROCESSING],
        waiting=states[State.PENDING],
        again=select_files_of_batch(scope, entity, batch).filter(WORTH_AGAIN).count(),
        cost=cost or Decimal(0),
    )


def list_disclosed_files(scope: Scope, files: QuerySet[File]) -> list[File]:
    """Files of a batch as the caller is told of them."""
    found = list(files)
    wanted = {pk for file in found for pk in (file.pending_revision_id, file.revision_id) if pk}
    revisions = FileRevision.objects.select_related("blob").in_bulk(wanted)
    standing = load_standing(scope, found, revisions)
    return [build_disclosed(scope, file, revisions, standing)[0] for file in found]
