"""What was sent together: how far it is, what it cost so far, and what of it failed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Now

from entities.access import Scope
from entities.models import Entity
from ingestion.access import visible_files
from ingestion.claims import UNFINISHED
from ingestion.estimates import all_left, examples
from ingestion.models import File, FileRevision, State

SHOWN_FOR = timedelta(minutes=30)
"""After its last file came in."""
WORTH_AGAIN = Q(state=State.FAILED) | Q(state=State.QUARANTINED, error_code__in=["timeout", "crashed"])
"""Ended badly for a reason that may be gone by now."""


@dataclass(frozen=True)
class Batch:
    """One batch of the caller's on a record. total: all files of it; ready, failed, working, waiting: of those. again:
    how many may be tried once more together. left: seconds, None where not known. cost: USD so far.
    """

    id: UUID
    entity: UUID
    total: int
    ready: int
    failed: int
    working: int
    waiting: int
    again: int
    left: float | None
    cost: Decimal

    @property
    def ended(self) -> int:
        return self.ready + self.failed

    @property
    def live(self) -> bool:
        return self.working + self.waiting > 0


def latest_batch(scope: Scope, entity: Entity) -> Batch | None:
    """The last that the caller sent to a record that they got by an access function; None where that is long over or
    was one file only.
    """
    last = (
        FileRevision.objects.filter(
            file__entity=entity.pk,
            created_by=scope.principal,
            batch__isnull=False,
            fetched_at__gt=Now() - SHOWN_FOR,
        )
        .order_by("-fetched_at")
        .values_list("batch", flat=True)
        .first()
    )
    if last is None:
        running = of_batch(scope, entity, None).filter(state__in=UNFINISHED)
        last = running.values_list("pending_revision__batch", flat=True).first()
    return None if last is None else _batch(scope, entity, last)


def of_batch(scope: Scope, entity: Entity, batch: UUID | None) -> QuerySet[File]:
    """The caller's files of a batch, or of any batch, that exist for them."""
    files = visible_files(scope).filter(entity=entity.pk).annotate(sent=Coalesce("pending_revision", "revision"))
    sent = FileRevision.objects.filter(created_by=scope.principal)
    sent = sent.filter(batch=batch) if batch else sent.filter(batch__isnull=False)
    return files.filter(sent__in=sent.values("pk"))


def _batch(scope: Scope, entity: Entity, batch: UUID) -> Batch | None:
    files: Sequence[File] = list(of_batch(scope, entity, batch))
    if len(files) < 2:
        return None
    states = Counter(file.state for file in files)
    unfinished = [file for file in files if file.state in UNFINISHED]
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
        again=of_batch(scope, entity, batch).filter(WORTH_AGAIN, pending_revision__isnull=False).count(),
        left=all_left(unfinished, examples(scope), states[State.PROCESSING]) if unfinished else 0.0,
        cost=cost or Decimal(0),
    )
