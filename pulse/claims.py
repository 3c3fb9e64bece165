"""Claiming Pulses that are due: conditional UPDATEs with a lease, so that one worker makes one text (design §8).

The sweep claims and sends a message; the worker begins by exchanging the claim for one of its own, so a message that is
delivered twice begins once. A message that is lost is sent again after half a minute, with the same claim, so that it
and its second do not outrun each other where the queue is long. A worker that is killed leaves a claim that expires.
"""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import connection
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from entities.access import get_current_scope
from entities.models.entity import Visibility
from ingestion.claims import UNFINISHED
from ingestion.models import File
from pulse.models import Variant
from pulse.staleness import list_affected, mark_withdrawn

HANDED = 30
"""Seconds until a claim that no worker has begun is handed out again."""
LEASE = 180
"""Seconds that a worker's claim holds; doubled with each attempt that came to no end, as when a worker dies."""
LONGEST = 3600
AT_ONCE = 20
LONGEST_BATCH = 300
"""Seconds for which a Pulse that is due waits for the files that are sent together to come in: a drop that takes longer
makes another text each time they have passed."""


@dataclass(frozen=True)
class VariantClaim:
    """A variant, and the token by which it is one's own."""

    variant: UUID
    token: UUID


def claim_due(limit: int = AT_ONCE) -> list[VariantClaim]:
    """Claim variants whose time has come and those whose claim has expired, in the service's scope. A text that was
    withdrawn is due by that alone.
    """
    mark_withdrawn()
    waiting = Variant.objects.filter(claim=None, due_at__lte=Now(), entity__archived_at=None)
    coming = list_being_filled() if waiting.exists() else []
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, [HANDED, get_current_scope().workspace, LONGEST_BATCH, coming, limit])
        return [VariantClaim(variant, token) for variant, token in cursor.fetchall()]


def list_being_filled() -> list[UUID]:
    """Records whose files come in together, as a batch or out of a message, and all whose Pulses those will mark, in as
    many statements for many as for few. What comes into a record that is not open to the workspace stands in no other
    Pulse, and puts none off; and no Pulse waits for a file that rests.
    """
    together = Q(pending_revision__batch__isnull=False) | Q(origin__isnull=False)
    files = File.objects.filter(together, state__in=UNFINISHED, pending_revision__isnull=False).order_by()
    coming = files.exclude(claim=None, claimed_until__gt=Now())
    found = dict(coming.values_list("entity", "entity__visibility").distinct())
    return list(found.keys() | list_affected(*(pk for pk, seen in found.items() if seen == Visibility.WORKSPACE)))


# Archived records wait, and for some minutes those whose files are still coming in: one Pulse of all of them serves
# better than one after each, and so for those above them. Rows that somebody is flagging right now are for the next
# sweep.
CLAIM = """
UPDATE pulse_variant SET claim = coalesce(claim, gen_random_uuid()),
  claimed_until = clock_timestamp() + make_interval(secs => %s)
WHERE id IN (
  SELECT v.id FROM pulse_variant v JOIN entities_entity e ON e.id = v.entity_id AND e.archived_at IS NULL
  WHERE v.workspace_id = %s
    AND ((v.claim IS NULL AND v.due_at <= clock_timestamp()) OR v.claimed_until < clock_timestamp())
    AND NOT (v.claim IS NULL AND v.due_at > clock_timestamp() - make_interval(secs => %s)
      AND v.entity_id = ANY(%s::uuid[]))
  ORDER BY v.due_at NULLS FIRST LIMIT %s FOR UPDATE OF v SKIP LOCKED)
RETURNING id, claim
"""


def begin_claim(claim: VariantClaim) -> VariantClaim | None:
    """Start on a claimed variant: from here on a change makes it due anew. None when another got there first."""
    with connection.cursor() as cursor:
        cursor.execute(BEGIN, [LONGEST, LEASE, claim.variant, claim.token])
        row = cursor.fetchone()
    return VariantClaim(claim.variant, row[0]) if row else None


BEGIN = """
UPDATE pulse_variant SET claim = gen_random_uuid(), begun_at = clock_timestamp(), due_at = NULL,
  claimed_until = clock_timestamp() + make_interval(secs => least(%s, %s * power(2, least(attempts, 8)))::int),
  attempts = least(attempts + 1, 1000)
WHERE id = %s AND claim = %s RETURNING claim
"""


def show_stale(claim: VariantClaim) -> bool:
    """The inputs are found to have changed: say so while the text is made. False when the claim is lost."""
    return bool(_select_own(claim).update(stale_since=Coalesce("stale_since", Value(timezone.now()))))


def is_claimed(claim: VariantClaim) -> bool:
    return _select_own(claim).exists()


def lock_claim(claim: VariantClaim) -> bool:
    """Lock the variant until the transaction ends, after whoever is flagging it. False when the claim is lost."""
    return _select_own(claim).select_for_update().first() is not None


def finish_claim(claim: VariantClaim, *, quiet: bool = False) -> bool:
    """The text says what the inputs said; stale still where something changed since. False when the claim is lost.

    quiet: whatever changed since was flagged for a text that needed more than this one, so it is not said.
    """
    fresh = Value(None) if quiet else Case(When(due_at=None, then=Value(None)), default=F("stale_since"))
    return bool(
        _select_own(claim).update(
            claim=None, claimed_until=None, attempts=0, problem="", checked_at=timezone.now(), stale_since=fresh
        )
    )


def give_back(claim: VariantClaim, problem: str = "", *, pause: int) -> None:
    """It was not made: it is due again after `pause` seconds, doubled with each attempt that failed, up to an hour.

    problem: why it failed; none where the inputs changed meanwhile, which is nobody's failure and slows nothing down.
    """
    row = _select_own(claim).first()
    if row is not None:
        row.attempts = row.attempts if problem else 0
        seconds = min(pause * 2 ** min(max(row.attempts - 1, 0), 8), LONGEST)
        row.due_at = timezone.now() + timedelta(seconds=seconds)
        row.claim = row.claimed_until = None
        row.problem = problem[:200]
        row.save(update_fields=["due_at", "claim", "claimed_until", "problem", "attempts"])


def _select_own(claim: VariantClaim) -> QuerySet[Variant]:
    return Variant.objects.filter(pk=claim.variant, claim=claim.token)
