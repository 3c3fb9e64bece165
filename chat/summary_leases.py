"""Who makes a summary of a conversation as one asker: one process at a time, and after a try that failed none for a
while.

In the database, so that other processes see it. No step waits for another: who finds a lease that holds leaves it. One
whose holder is gone, such as a server that was stopped, ends by its time.
"""

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from chat.models import Session, SummaryLease
from entities.access import Scope

CALL_SECONDS = 15 * 60
"""Of a call of the model: one on a CPU may be silent for `llm.transport.TEST_SECONDS` three times."""
LEASE = timedelta(seconds=CALL_SECONDS + 300)
FIRST_PAUSE = timedelta(minutes=10)
"""After one failed try; twice as long after each that follows it."""
LONGEST_PAUSE = timedelta(days=1)


def claim_summary(scope: Scope, session: Session, owner: int, holder: UUID) -> bool:
    """Take the lease for `LEASE`. False where somebody has it, or it is too soon after a failed try. In the service's
    scope.
    """
    now = timezone.now()
    free = SummaryLease(
        workspace_id=session.workspace_id, audience=session.audience, owner=owner, session_id=session.pk, until=now
    )
    SummaryLease.objects.bulk_create([free], ignore_conflicts=True)
    leases = SummaryLease.objects.filter(session=session.pk, owner=owner, until__lte=now)
    return leases.update(holder=holder, until=now + LEASE) == 1


def end_lease(scope: Scope, holder: UUID, *, has_failed: bool) -> None:
    """Let go of a lease. has_failed: the model made nothing of what it was asked, and is not asked again at once."""
    mine = SummaryLease.objects.filter(holder=holder)
    if not has_failed:
        mine.delete()
        return
    for failures in mine.values_list("failures", flat=True):
        pause = min(FIRST_PAUSE * 2 ** min(failures, 10), LONGEST_PAUSE)
        mine.update(holder=None, failures=min(failures + 1, 100), until=timezone.now() + pause)
