"""Asking stewards to be cleared, and their decisions (docs/adr/0031).

A request names a record, and a file or a passage in it where it is about one. It tells nothing that its maker is not
told anyway: a file that is concealed, foreign or absent answers the same 404, a passage that is hidden the same as one
that is not there, and asking for a label depends on no text.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext

from entities.access import (
    Scope,
    get_entity_or_404,
    list_atoms,
    load_concealed_atoms,
    load_granted_atoms,
)
from entities.actions import record_action
from entities.api.errors import Conflict, TooManyRequests
from entities.api.lists import load_atom_chips
from entities.formats import format_count
from entities.models import Entity, Membership
from entities.text import FieldBlock, read_texts
from ingestion.access import Outline, get_file_or_404, is_steward, load_outlines
from ingestion.errors import BadUpload
from ingestion.grants import grant_request, withdraw_grants
from ingestion.models import AccessRequest, Extent, File, Paragraph
from ingestion.reader import Placeholder, list_blocks
from ingestion.request_messages import check_reason, write_message

State = AccessRequest.State
LONGEST_MESSAGE = 1_000
LONGEST_REASON = 500
LONGEST_GRANT = timedelta(days=366)
MOST_OPEN = 20
MOST_A_DAY = 40


@dataclass(frozen=True)
class Wish:
    """What somebody asks for. labels: atoms; where none are named, all that they lack for the file. passage: what they
    want to read in it, for stewards. run: the number of the placeholder that they ask about, in the file or in the text
    `field` of the record, as its page shows it to them.
    """

    entity: UUID | None = None
    file: UUID | None = None
    passage: UUID | None = None
    labels: tuple[int, ...] = ()
    message: str = ""
    run: int | None = None
    field: str = ""


def ask_for_access(*, scope: Scope, wish: Wish) -> tuple[AccessRequest, bool]:
    """(the request, whether it is new): asking again for the same while it waits is the one that waits.

    Raises: Http404 for a record or file that is not there for the caller; BadUpload where nothing is missing or a label
    does not exist; PermissionDenied for who is no person, or is held to a role; TooManyRequests.
    """
    if scope.principal <= 0 or scope.narrowed_to or scope.atoms is not None:
        raise PermissionDenied(gettext("Ask as yourself."))
    file = get_file_or_404(scope, wish.file) if wish.file else None
    entity = get_entity_or_404(scope, file.entity_id if file else wish.entity or UUID(int=0))
    if wish.file and wish.entity not in (None, entity.pk):
        raise Http404("Not found.")
    spot = find_spot(scope, entity, file, wish)
    atoms = list(spot.requires) if spot else sorted(find_wanted_atoms(file, wish))
    positions = list(spot.positions) if spot else []
    message = wish.message.replace("\x00", "").strip()
    with connection.cursor() as cursor:
        # Two requests of one person take turns.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('access request', %s))", [scope.principal])
    mine = AccessRequest.objects.filter(requester=scope.principal)
    waiting = mine.filter(state=State.OPEN)
    same = find_open_request(scope, entity.pk, wish.file, atoms, positions)
    if same is not None:
        return same, False
    today = mine.filter(created_at__gt=timezone.now() - timedelta(days=1))
    if waiting.count() >= MOST_OPEN or today.count() >= MOST_A_DAY:
        raise TooManyRequests(gettext("You have many open requests. Wait until stewards have decided on some."))
    membership = Membership.objects.get(user=scope.principal)
    made = AccessRequest.objects.create(
        workspace_id=scope.workspace,
        requester=scope.principal,
        membership=membership,
        entity_id=entity.pk,
        file=file,
        passage=wish.passage,
        field=wish.field if spot and file is None else "",
        revision=file.revision_id if spot and file else None,
        positions=positions,
        atoms=atoms,
        has_message=bool(message),
    )
    if made.has_message:
        write_message(scope, made, message[:LONGEST_MESSAGE])
    record_action(scope, "access.requested", "accessrequest", made.pk, labels=atoms, entity=str(entity.pk))
    return made, True


def find_spot(scope: Scope, entity: Entity, file: File | None, wish: Wish) -> Placeholder | FieldBlock | None:
    """The placeholder that is asked about, as the page shows it to the caller; None where they ask about no single one.

    Raises: BadUpload where it is not there, or requires something else than they ask for.
    """
    if wish.run is None:
        return None
    shown: Sequence[Any]
    if file is not None:
        shown = [b for b in list_blocks(scope, file, granted=True) if isinstance(b, Placeholder)]
    else:
        shown = [b for b in read_texts(scope, entity, own=True).get(wish.field, []) if b.text is None]
    found: Placeholder | FieldBlock | None = next((block for block in shown if block.run == wish.run), None)
    if found is None or (wish.labels and set(wish.labels) != set(found.requires)):
        raise BadUpload(gettext("This place has changed since the page was shown. Look at it again."), "no_place")
    return found


def find_wanted_atoms(file: File | None, wish: Wish) -> Collection[int]:
    """The atoms that are asked for and that the caller lacks.

    Of a passage that the caller may not read nothing is told, not even whether it is there: its id is made of its text,
    and whoever guesses one would have guessed the other.
    """
    held, concealed = load_granted_atoms(), load_concealed_atoms()
    if wish.passage is not None and file is not None and Paragraph.objects.filter(pk=wish.passage, file=file.pk):
        raise BadUpload(gettext("You already have clearance for this."), "nothing_missing")
    if wish.labels:
        wanted = set(wish.labels)
        if not wanted <= set(load_atom_chips()) - concealed:
            raise BadUpload(gettext("There is no such label."), "unknown_label")
    elif file is not None:
        labels = load_outlines([file.pk]).get(file.pk, Outline()).labels
        wanted = {atom for label in labels for atom in list_atoms(label)}
    else:
        raise BadUpload(gettext("Say which labels you ask for."), "no_labels")
    missing = wanted - held - {0}
    if not missing:
        raise BadUpload(gettext("You already have clearance for this."), "nothing_missing")
    return missing


# What waits, and decisions


def find_open_request(
    scope: Scope, entity: UUID, file: UUID | None, atoms: list[int], positions: list[int]
) -> AccessRequest | None:
    """The caller's own request for just these atoms there, or for all of the file or record, which waits."""
    waiting = AccessRequest.objects.filter(requester=scope.principal, state=State.OPEN)
    return waiting.filter(entity=entity, file=file, atoms=atoms, positions__in=[positions, []]).first()


def select_requests(scope: Scope) -> QuerySet[AccessRequest]:
    """Requests that the caller made, and for stewards those of others, on records that the caller may see."""
    rows = AccessRequest.objects.filter(entity__in=Entity.objects.visible_to(scope).values("pk"))
    own = Q(requester=scope.principal)
    return (rows if is_steward(scope) else rows.filter(own)).order_by("-created_at", "pk")


def select_to_decide(scope: Scope) -> QuerySet[AccessRequest]:
    """What waits for the caller as a steward: never their own."""
    if not is_steward(scope):
        return AccessRequest.objects.none()
    return select_requests(scope).filter(state=State.OPEN).exclude(requester=scope.principal)


def get_request_or_404(scope: Scope, pk: UUID) -> AccessRequest:
    found = select_requests(scope).filter(pk=pk).first()
    if found is None:
        raise Http404("Not found.")
    return found


def recall_request(*, scope: Scope, request: AccessRequest) -> AccessRequest:
    """Whoever made a request takes it back while it waits. Raises: PermissionDenied for anybody else; Conflict where it
    was decided already.
    """
    if request.requester != scope.principal:
        raise PermissionDenied(gettext("Only the person who asked can take this back."))
    waiting = AccessRequest.objects.filter(pk=request.pk, requester=scope.principal, state=State.OPEN)
    now = timezone.now()
    if not waiting.update(state=State.RECALLED, decided_by=scope.principal, decided_at=now, told_at=now):
        raise Conflict(gettext("This request has already been decided."))
    record_action(scope, "access.recalled", "accessrequest", request.pk, labels=list(request.atoms))
    return AccessRequest.objects.get(pk=request.pk)


def decide_access(
    *,
    scope: Scope,
    request: AccessRequest,
    state: str,
    reason: str = "",
    until: datetime | None = None,
    extent: str = Extent.LEVEL,
) -> AccessRequest:
    """A steward grants or refuses a request got with `get_request_or_404`, or withdraws what was granted on it.

    Whoever asked is cleared from their next request on: for all text with these labels on records that they may see, or
    for the text of one place (`grants`).
    Raises: PermissionDenied for who is no steward, decides on their own request, or does not hold by a role what they
    grant; Conflict where it was decided already; BadUpload without a reason, for one that needs a clearance, or for an
    end that makes no sense.
    """
    if not is_steward(scope):
        raise PermissionDenied(gettext("Requests are decided by stewards."))
    if request.requester == scope.principal:
        raise PermissionDenied(gettext("Somebody else decides on your own request."))
    now = AccessRequest.objects.select_for_update().filter(pk=request.pk).first()
    if now is None:
        raise Http404("Not found.")
    before = State.GRANTED if state == State.WITHDRAWN else State.OPEN
    if now.state != before:
        raise Conflict(gettext("This request has already been decided."))
    reason = reason.replace("\x00", "").strip()[:LONGEST_REASON]
    check_reason(reason)
    if state == State.GRANTED:
        check_end(until)
        grant_request(scope, now, until, extent)
        now.extent = extent
    elif not reason:
        raise BadUpload(gettext("Say in a few words why; whoever asked is told."), "no_reason")
    elif state == State.WITHDRAWN:
        withdraw_grants(now)
    now.state, now.reason, now.decided_by, now.decided_at = state, reason, scope.principal, timezone.now()
    now.until, now.told_at = until if state == State.GRANTED else now.until, None
    now.save()
    detail = {"labels": list(now.atoms), "user": now.requester, "until": until.isoformat() if until else None}
    detail["extent"] = now.extent
    record_action(scope, f"access.{state}", "accessrequest", now.pk, **detail)
    return now


def check_end(until: datetime | None) -> None:
    now = timezone.now()
    if until is not None and not now < until <= now + LONGEST_GRANT:
        raise BadUpload(
            gettext("Choose an end in the future, at most %(days)s from now.")
            % {"days": format_count(LONGEST_GRANT.days, "day")},
            "bad_end",
        )


def mark_decisions_disclosed(scope: Scope, shown: Iterable[AccessRequest]) -> None:
    """The requester has been shown these decisions."""
    ids = [row.pk for row in shown if row.requester == scope.principal and row.state != State.OPEN]
    AccessRequest.objects.filter(pk__in=ids, told_at=None).update(told_at=timezone.now())


def build_in_force_q() -> Q:
    """Granted, and not ended yet."""
    return Q(state=State.GRANTED) & (Q(until=None) | Q(until__gt=timezone.now()))


def is_over(request: AccessRequest) -> bool:
    """Granted, and ended since."""
    return request.state == State.GRANTED and request.until is not None and request.until <= timezone.now()
