"""Whose turn it is among the files that wait, and how many of a workspace may be at work (docs/adr/0035)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Case, F, Q, QuerySet, When
from django.db.models.functions import Now

from ingestion.models import File, Redo, State
from ingestion.workers import count_processes

LEASE = timedelta(seconds=45)
MARGIN = timedelta(seconds=15)
"""A claim that ends later than a lease and this was made before the clock was set back. The margin is for transactions
that began earlier."""
LONGEST_LEASE = LEASE + MARGIN


def is_free(lease: timedelta) -> Q:
    """What has no claim that is in force, and no try to wait for. lease: how long claims of this kind of work last."""
    made_later = Q(claim__isnull=False, claimed_until__gt=Now() + lease + MARGIN)
    return Q(claimed_until=None) | Q(claimed_until__lt=Now()) | made_later


CLAIMED = Q(claim__isnull=False, claimed_until__gte=Now(), claimed_until__lte=Now() + LONGEST_LEASE)
FREE = is_free(LEASE)
"""Of files."""
RESTING = Q(claim=None, claimed_until__gt=Now())
"""Waits for its next try, or for a budget."""
UNFINISHED = (State.PENDING, State.PROCESSING)
MAX_SHORT_BYTES = 50_000
LONG = Q(size__gt=MAX_SHORT_BYTES) | Q(media_type__startswith="image/")
"""Files that may take minutes: while they are at work, one place stays for the others."""
MAX_WAIT = timedelta(hours=1)
"""Afterwards a large file goes before smaller ones of the same sender."""


@dataclass(frozen=True)
class Places:
    """How many files of a workspace may be at work: all, the long ones, and those that were sent together. None: no
    limit."""

    total: int | None
    long: int | None = None
    together: int | None = None


def limit_places() -> Places:
    """CLEARANCE_FILES_AT_ONCE, else as many as there are processes. The last place is for no long file. The third and
    last one is for no file of a batch that has the others: what somebody else sends finds it free."""
    most: int | None = settings.CLEARANCE_FILES_AT_ONCE
    if most == 0:
        return Places(None)
    total = most or max(2, count_processes())
    return Places(total, max(1, total - 1), max(2, total - 1))


@dataclass(frozen=True)
class AtWork:
    """A file that has a place: who sent it, in which batch, and whether it is long."""

    sender: int
    batch: UUID | None
    is_long: bool


def list_at_work(files: QuerySet[File]) -> list[AtWork]:
    rows = files.order_by().values_list("pending_revision__created_by", "pending_revision__batch")
    return [AtWork(*row) for row in rows.annotate(is_long=Case(When(LONG, then=True), default=False))]


def find_places(waiting: QuerySet[File], limit: Places, working: Sequence[AtWork]) -> QuerySet[File]:
    """The files among `waiting` for which there is a place beside those that are `working`."""
    if limit.total is None:
        return waiting
    if len(working) >= limit.total:
        return waiting.none()
    if limit.long is not None and sum(one.is_long for one in working) >= limit.long:
        waiting = waiting.exclude(LONG)
    if limit.together is not None:
        for (sender, batch), together in Counter((one.sender, one.batch) for one in working).items():
            if together >= limit.together:
                waiting = waiting.exclude(pending_revision__created_by=sender, pending_revision__batch=batch)
    return waiting


def list_unfinished() -> QuerySet[File]:
    """In an open service scope, as all that follows."""
    return File.objects.filter(state__in=UNFINISHED, pending_revision__isnull=False)


def list_woken() -> QuerySet[File]:
    """Files that the broker holds or workers work on."""
    return list_unfinished().filter(woken_at__isnull=False).exclude(RESTING)


def order_waiting(files: QuerySet[File], working: Sequence[AtWork]) -> QuerySet[File]:
    """Files with new labels, whose rows are out of the index; then new ones; then what is made again because something
    changed. Of those, files of whoever has the fewest among the `working`, and the smallest first."""
    senders = Counter(one.sender for one in working)
    busy = [When(pending_revision__created_by=sender, then=count) for sender, count in senders.items()]
    published = Q(pending_revision=F("revision"))
    return files.annotate(
        kind=Case(When(published, redo=Redo.NOTHING, then=0), When(published, then=2), default=1),
        waited=Case(When(updated_at__lt=Now() - MAX_WAIT, then=0), default=1),
    ).order_by("kind", *([Case(*busy, default=0)] if busy else []), "waited", "size", "updated_at", "pk")
