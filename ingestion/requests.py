"""Asking stewards to be cleared, and their decisions (docs/adr/0031).

A request names a record, and a file or a passage in it where it is about one. It tells nothing that its maker is not
told anyway: a file that is concealed, foreign or absent answers the same 404, a passage that is hidden the same as one
that is not there, and asking for a label depends on no text.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext

from entities.access import (
    Scope,
    atoms_of,
    combine_many,
    concealed_atoms,
    get_entity_or_404,
    granted_atoms,
    readable_now,
)
from entities.access.scope import cached
from entities.actions import record
from entities.api.errors import Conflict, TooManyRequests
from entities.api.lists import atom_chips, chips_of_atoms
from entities.formats import format_count
from entities.models import Classification, Entity, LabelGrant, Membership
from entities.models.classification import FIRST_CUSTOM
from ingestion.access import Outline, get_file_or_404, is_steward, outlines
from ingestion.classify import rules_vote
from ingestion.errors import BadUpload
from ingestion.extract import language
from ingestion.models import AccessMessage, AccessRequest, File, Paragraph
from ingestion.work import workspace_levels
from llm.offline.classifying import custom_level, is_like

State = AccessRequest.State
LONGEST_MESSAGE = 1_000
LONGEST_REASON = 500
LONGEST_GRANT = timedelta(days=366)
MOST_OPEN = 20
MOST_A_DAY = 40


@dataclass(frozen=True)
class Wish:
    """What somebody asks for. labels: atoms; where none are named, all that they lack for the file. passage: what they
    want to read in it, for stewards.
    """

    entity: UUID | None = None
    file: UUID | None = None
    passage: UUID | None = None
    labels: tuple[int, ...] = ()
    message: str = ""


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
    atoms = sorted(wanted_atoms(file, wish))
    message = wish.message.replace("\x00", "").strip()
    with connection.cursor() as cursor:
        # Two requests of one person take turns.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('access request', %s))", [scope.principal])
    mine = AccessRequest.objects.filter(requester=scope.principal)
    waiting = mine.filter(state=State.OPEN)
    same = find_open_request(scope, entity.pk, wish.file, atoms)
    if same is not None:
        return same, False
    today = mine.filter(created_at__gt=timezone.now() - timedelta(days=1))
    if waiting.count() >= MOST_OPEN or today.count() >= MOST_A_DAY:
        raise TooManyRequests(gettext("You have asked for a lot already. Wait for what stewards decide on it."))
    membership = Membership.objects.get(user=scope.principal)
    made = AccessRequest.objects.create(
        workspace_id=scope.workspace,
        requester=scope.principal,
        membership=membership,
        entity_id=entity.pk,
        file=file,
        passage=wish.passage,
        atoms=atoms,
        has_message=bool(message),
    )
    if made.has_message:
        write_message(scope, made, message[:LONGEST_MESSAGE])
    record(scope, "access.requested", "accessrequest", made.pk, labels=atoms, entity=str(entity.pk))
    return made, True


def wanted_atoms(file: File | None, wish: Wish) -> Collection[int]:
    """The atoms that are asked for and that the caller lacks.

    Of a passage that the caller may not read nothing is told, not even whether it is there: its id is made of its text,
    and whoever guesses one would have guessed the other.
    """
    held, concealed = granted_atoms(), concealed_atoms()
    if wish.passage is not None and file is not None and Paragraph.objects.filter(pk=wish.passage, file=file.pk):
        raise BadUpload(gettext("You lack no clearance for this."), "nothing_missing")
    if wish.labels:
        wanted = set(wish.labels)
        if not wanted <= set(atom_chips()) - concealed:
            raise BadUpload(gettext("There is no such label."), "unknown_label")
    elif file is not None:
        labels = outlines([file.pk]).get(file.pk, Outline()).labels
        wanted = {atom for label in labels for atom in atoms_of(label)}
    else:
        raise BadUpload(gettext("Say which labels you ask for."), "no_labels")
    missing = wanted - held - {0}
    if not missing:
        raise BadUpload(gettext("You lack no clearance for this."), "nothing_missing")
    return missing


def write_message(scope: Scope, request: AccessRequest, text: str) -> None:
    """Above its author it has no label, and shows to stewards who are cleared for what was found."""
    label = combine_many(atoms_in(text))
    AccessMessage.objects.create(
        workspace_id=scope.workspace,
        request=request,
        requester=scope.principal,
        text=text,
        data_classification=label if readable_now(label) else None,
        floor=label,
    )


def atoms_in(text: str) -> frozenset[int]:
    """What rules find in a short text, and the workspace's own classifications that it reads like, their names aside:
    a request names what it asks for. No model is asked: it may be sent to nobody.
    """
    own = [custom_level(c.value, c.label, c.description) for c in workspace_levels() if c.value >= FIRST_CUSTOM]
    names = "|".join(sorted((re.escape(level.label) for level in own), key=len, reverse=True))
    bare = re.sub(rf"(?<!\w)(?:{names})(?!\w)" if names else r"(?!)", " ", text, flags=re.IGNORECASE)
    return rules_vote(text, language.guess(text)).labels | {level.value for level in own if is_like(bare, level)}


# What waits, and decisions


def find_open_request(scope: Scope, entity: UUID, file: UUID | None, atoms: list[int]) -> AccessRequest | None:
    """The caller's own request for just these atoms there, which waits."""
    waiting = AccessRequest.objects.filter(requester=scope.principal, state=State.OPEN)
    return waiting.filter(entity=entity, file=file, atoms=atoms).first()


def requests_of(scope: Scope) -> QuerySet[AccessRequest]:
    """Requests that the caller made, and for stewards those of others, on records that the caller may see."""
    rows = AccessRequest.objects.filter(entity__in=Entity.objects.visible_to(scope).values("pk"))
    own = Q(requester=scope.principal)
    return (rows if is_steward(scope) else rows.filter(own)).order_by("-created_at", "pk")


def to_decide(scope: Scope) -> QuerySet[AccessRequest]:
    """What waits for the caller as a steward: never their own."""
    if not is_steward(scope):
        return AccessRequest.objects.none()
    return requests_of(scope).filter(state=State.OPEN).exclude(requester=scope.principal)


def news(scope: Scope) -> QuerySet[AccessRequest]:
    """Decisions on what the caller asked for that they were not shown yet."""
    decided = requests_of(scope).filter(requester=scope.principal, told_at=None)
    return decided.filter(state__in=[State.GRANTED, State.REFUSED, State.WITHDRAWN])


def get_request_or_404(scope: Scope, pk: UUID) -> AccessRequest:
    found = requests_of(scope).filter(pk=pk).first()
    if found is None:
        raise Http404("Not found.")
    return found


def grantable(scope: Scope) -> frozenset[int]:
    """The atoms that the caller may grant: a steward's, held by a role of theirs."""

    def load() -> frozenset[int]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT app_grantable()")
            return frozenset(cursor.fetchone()[0] or ())

    return cached("grantable", load)  # type: ignore[no-any-return]


def decide_access(
    *, scope: Scope, request: AccessRequest, state: str, reason: str = "", until: datetime | None = None
) -> AccessRequest:
    """A steward grants or refuses a request got with `get_request_or_404`, or withdraws what was granted on it.

    Whoever asked is cleared from their next request on, for all text with these labels on records that they may see.
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
        raise Conflict(gettext("This request was decided already."))
    reason = reason.replace("\x00", "").strip()[:LONGEST_REASON]
    check_reason(reason)
    if state == State.GRANTED:
        check_end(until)
        grant(scope, now, until)
    elif not reason:
        raise BadUpload(gettext("Say in a few words why; whoever asked is told."), "no_reason")
    elif state == State.WITHDRAWN:
        LabelGrant.objects.filter(origin=now.pk).delete()
    now.state, now.reason, now.decided_by, now.decided_at = state, reason, scope.principal, timezone.now()
    now.until, now.told_at = until if state == State.GRANTED else now.until, None
    now.save()
    detail = {"labels": list(now.atoms), "user": now.requester, "until": until.isoformat() if until else None}
    record(scope, f"access.{state}", "accessrequest", now.pk, **detail)
    return now


def check_reason(reason: str) -> None:
    """It has no label of its own, and goes to whoever asked and to all stewards, whatever they are cleared for then."""
    needed = atoms_in(reason)
    if needed:
        names = ", ".join(chip.label for chip in chips_of_atoms(needed))
        sentence = gettext("Whoever asked and all stewards read the reason. Say it without what needs %(names)s.") % {
            "names": names
        }
        raise BadUpload(sentence, "reason_needs_clearance")


def check_end(until: datetime | None) -> None:
    now = timezone.now()
    if until is not None and not now < until <= now + LONGEST_GRANT:
        raise BadUpload(
            gettext("It ends in the future, %(days)s from now at the latest.")
            % {"days": format_count(LONGEST_GRANT.days, "day")},
            "bad_end",
        )


def grant(scope: Scope, request: AccessRequest, until: datetime | None) -> None:
    """The database holds to the same rule (`app_check_label_grant`)."""
    lacking = frozenset(request.atoms) - grantable(scope)
    if lacking:
        names = ", ".join(chip.label for chip in chips_of_atoms(lacking))
        raise PermissionDenied(
            gettext("Only a steward with a role that holds %(names)s can grant this.") % {"names": names}
        )
    for classification in Classification.objects.filter(value__in=request.atoms):
        LabelGrant.objects.create(
            workspace_id=scope.workspace,
            membership_id=request.membership_id,
            classification=classification,
            expires_at=until,
            granted_by=scope.principal,
            origin=request.pk,
        )


def tell(scope: Scope, shown: Iterable[AccessRequest]) -> None:
    """The requester has been shown these decisions."""
    ids = [row.pk for row in shown if row.requester == scope.principal and row.state != State.OPEN]
    AccessRequest.objects.filter(pk__in=ids, told_at=None).update(told_at=timezone.now())


def messages_of(requests: Iterable[AccessRequest]) -> dict[UUID, AccessMessage]:
    """By request, those that the caller may read."""
    return {m.request_id: m for m in AccessMessage.objects.filter(request__in=[r.pk for r in requests])}


def in_force() -> Q:
    """Granted, and not ended yet."""
    return Q(state=State.GRANTED) & (Q(until=None) | Q(until__gt=timezone.now()))


def is_over(request: AccessRequest) -> bool:
    """Granted, and ended since."""
    return request.state == State.GRANTED and request.until is not None and request.until <= timezone.now()
