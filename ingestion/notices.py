"""What has happened that concerns a reader: decisions on their requests, requests that wait for them, records that were
shared with them, roles and groups that they were put into, and their own files that failed or took long to read.

Nothing is stored of it but when they looked last (`Membership.notices_seen_at`). Every notice is made from rows that
the reader may see at that moment, with names as they are cleared then, so what is closed to them later is in no notice.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Exists, F, Max, OuterRef, Q
from django.utils import timezone

from entities.access import Scope
from entities.api.lists import list_atom_chips
from entities.models import Entity, EntityRoleGrant, EntityUserGrant, Membership, User
from ingestion.access import select_disclosed_files, select_visible_files
from ingestion.file_presenter import FileView
from ingestion.known_versions import build_brought_by_q
from ingestion.listing import build_file_views
from ingestion.models import AccessRequest, File, FileRevision
from ingestion.models import State as FileState
from ingestion.queueing import ENDED
from ingestion.requests import State, select_requests, select_to_decide

KEPT = timedelta(days=30)
MAX_NOTICES = 50
MAX_READ = 1000
"""Versions of the caller that are looked through for those that took long."""
LONG_READING_SECONDS = 20
"""Whoever waited less for a file has seen it become ready."""
FIRST_PUBLISHED = timedelta(days=1)
"""After the upload; rows that are made again later are no news."""
DECIDED = (State.GRANTED, State.REFUSED, State.WITHDRAWN)


@dataclass(frozen=True)
class Notice:
    """kind: decided, waiting, shared, joined, ready or failed. state: of the decision. person: who asks, of one that
    waits. record: from `readable_by`, None of a role that one was put into, which has a name. told: a decision that the
    page of requests has shown. new: not shown yet."""

    kind: str
    at: datetime
    record: Entity | None
    state: str = ""
    person: str = ""
    chips: Sequence[Any] = ()
    file: FileView | None = None
    role: str = ""
    told: bool = False
    new: bool = False


def list_notices(scope: Scope, since: datetime | None = None) -> list[Notice]:
    """The latest first, of a member in the open scope. since: none that is as old."""
    since = max(filter(None, (since, timezone.now() - KEPT)))
    made = [*_list_requests(scope, since), *_list_shared(scope, since), *_list_files(scope, since)]
    records = Entity.objects.readable_by(scope).in_bulk({record for record, _ in made})
    notices = [replace(notice, record=records[record]) for record, notice in made if record in records]
    notices += _list_joined(scope, since)
    return sorted(notices, key=lambda notice: notice.at, reverse=True)[:MAX_NOTICES]


def list_new(scope: Scope) -> list[Notice]:
    """Those that the reader was not shown."""
    return [notice for notice in list_notices(scope, find_last_look(scope)) if not notice.told]


def find_last_look(scope: Scope) -> datetime:
    return Membership.objects.values_list("notices_seen_at", flat=True).get(user=scope.principal)


def mark_as_read(scope: Scope, notices: Iterable[Notice]) -> None:
    """The reader has been shown these. There is one mark for all, the time of the latest: what came up meanwhile is
    still new, and what is older is not, be it for want of room on the page.
    """
    if latest := max((notice.at for notice in notices), default=None):
        Membership.objects.filter(user=scope.principal, notices_seen_at__lt=latest).update(notices_seen_at=latest)


JOINED = """SELECT r.name, ug.joined_at FROM entities_user_groups ug JOIN entities_role r ON r.group_id = ug.group_id
JOIN entities_membership m ON m.user_id = ug.user_id AND m.workspace_id = r.workspace_id
  AND m.created_at + interval '1 minute' < ug.joined_at  -- two clocks: one of the host, one of the database
WHERE ug.user_id = %s AND ug.added_by IS DISTINCT FROM %s AND ug.joined_at > %s ORDER BY ug.joined_at DESC LIMIT %s"""
Made = tuple[Any, Notice]
"""With the key of the record that it is about, which is not read yet."""
UNREAD: Any = None


def _list_requests(scope: Scope, since: datetime) -> Iterator[Made]:
    decided = select_requests(scope).filter(requester=scope.principal, decided_at__gt=since, state__in=DECIDED)
    for row in decided.order_by("-decided_at")[:MAX_NOTICES]:
        chips = list_atom_chips(row.atoms)
        yield (
            row.entity_id,
            Notice("decided", row.decided_at or since, UNREAD, row.state, chips=chips, told=bool(row.told_at)),
        )
    waiting: list[AccessRequest] = list(select_to_decide(scope).filter(created_at__gt=since)[:MAX_NOTICES])
    people = User.objects.in_bulk({row.requester for row in waiting})
    for row in waiting:
        person = str(people.get(row.requester, ""))
        yield row.entity_id, Notice("waiting", row.created_at, UNREAD, person=person, chips=list_atom_chips(row.atoms))


def _list_shared(scope: Scope, since: datetime) -> Iterator[Made]:
    """By somebody else, with the reader or a role of theirs: who creates a record has been given it by nobody."""
    others = Q(created_at__gt=since) & ~Q(granted_by=scope.principal) & ~Q(content_object__created_by=scope.principal)
    others &= Q(content_object__in=Entity.objects.visible_to(scope).values("pk"))
    mine = EntityUserGrant.objects.filter(others, user=scope.principal)
    roles = EntityRoleGrant.objects.filter(others, group__user=scope.principal)
    latest: dict[Any, datetime] = {}
    for grants in (mine, roles):
        dated = grants.order_by().values_list("content_object").annotate(at=Max("created_at"))
        for record, at in dated.order_by("-at")[:MAX_NOTICES]:
            latest[record] = max(at, latest.get(record, at))
    for record, at in latest.items():
        yield record, Notice("shared", at, UNREAD)


def _list_joined(scope: Scope, since: datetime) -> list[Notice]:
    """Roles that the reader holds today and was given by somebody else. Those of an invitation are as old as the
    membership, give or take the difference of two clocks, and no news.
    """
    with connection.cursor() as cursor:
        cursor.execute(JOINED, [scope.principal, scope.principal, since, MAX_NOTICES])
        return [Notice("joined", at, None, role=name) for name, at in cursor.fetchall()]


def _list_files(scope: Scope, since: datetime) -> Iterator[Made]:
    """Of versions that the reader brought, where such a one is what the file is to them (`FileView.version`)."""
    own = FileRevision.objects.filter(build_brought_by_q(scope))
    first = Q(published_at__gt=since, published_at__lt=F("fetched_at") + FIRST_PUBLISHED)
    published = own.filter(first).order_by("-published_at").values_list("pk", "file", "published_at", "stages")
    slow = [row for row in published[:MAX_READ] if sum(took or 0 for *_, took in row[3]) >= LONG_READING_SECONDS]
    ready = {version: time or since for version, _, time, _ in slow}
    # What a steward has rejected is no version any more.
    brought = Exists(own.filter(file=OuterRef("pk"))) | Q(
        revision=None, pending_revision=None, created_by=scope.principal
    )
    ended = select_disclosed_files(scope, File.objects.filter(brought, state__in=ENDED, updated_at__gt=since))
    failed = dict(ended.order_by("-updated_at").values_list("pk", "updated_at")[:MAX_NOTICES])
    wanted = {*failed, *(file for _, file, _, _ in slow[:MAX_NOTICES])}
    if not wanted:
        return
    views = build_file_views(scope, select_visible_files(scope).filter(pk__in=wanted))
    ours = set(own.filter(file__in=wanted).values_list("pk", flat=True)) | {None}
    for view in views:
        if view.state == FileState.READY and view.version in ready:
            yield view.entity, Notice("ready", ready[view.version], UNREAD, file=view)
        elif view.state in ENDED and view.version in ours and view.id in failed:
            yield view.entity, Notice("failed", failed[view.id], UNREAD, file=view)
