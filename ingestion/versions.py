"""The versions of a file: who sent them when, what changed as far as the caller may know, and their originals
(docs/adr/0032).

What counts is what the caller may read today: policies leave other paragraphs out of every count, and a version that
changed nothing they may know of does not exist for them (`ingestion.known_versions`). An earlier original
is for who may have the present one, and is cleared for all that has stood in the file since.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.db.models import F
from django.http import Http404

from entities.access import Scope, has_permission, is_readable
from entities.actions import record_action
from entities.models import Entity, User
from ingestion.access import is_own, is_steward
from ingestion.claims import UNFINISHED
from ingestion.downloads import describe_refusal, holds_every_level, is_cleared, is_sender, is_settled
from ingestion.known_versions import Known, get_known_or_404, list_known_versions
from ingestion.models import Blob, File, FileRevision, Paragraph, PastParagraph
from ingestion.witness import OF_LABELS
from ingestion.work import collect_inputs_now

Standing = Literal["current", "coming", "earlier", "unpublished"]


@dataclass(frozen=True)
class Changes:
    """Paragraphs that the caller may read, by what a version did to them."""

    added: int = 0
    removed: int = 0
    relabelled: int = 0


@dataclass(frozen=True)
class Version:
    """A version as the caller may know it.

    standing: coming while it is worked on; unpublished where it never got to be read, or not yet. by: who sent the
    bytes. size: told as `listing.FileView` tells it. restores: the number of the version that it brought back, as
    restored_by decided. changes: None where it was never published.
    """

    number: int
    standing: Standing
    by: str
    at: datetime
    size: int | None
    restores: int | None
    restored_by: str
    changes: Changes | None
    first: bool
    restorable: bool
    downloadable: bool

    def to_json(self) -> dict[str, Any]:
        changes = self.changes
        return {
            "number": self.number,
            "state": self.standing,
            "by": self.by,
            "at": self.at.isoformat(),
            "size": self.size,
            "restores": self.restores,
            "restored_by": self.restored_by or None,
            "changes": None
            if changes is None
            else {"added": changes.added, "removed": changes.removed, "relabelled": changes.relabelled},
            "restorable": self.restorable,
            "downloadable": self.downloadable,
        }


def list_versions(scope: Scope, file: File) -> list[Version]:
    """Of a file got with `get_file_or_404`, the newest first."""
    known = list_known_versions(scope, file)
    revisions = [one.revision for one in known]
    people = User.objects.in_bulk({pk for r in revisions for pk in (r.created_by, r.restored_by)})
    changed = count_changes(file)
    uploads = has_permission(scope, Entity.objects.only("pk", "content_type").get(pk=file.entity_id), "upload")
    rules = _Rules(scope, file)
    published = [one.number for one in known if one.stands.witness]
    return [
        Version(
            number=one.number,
            standing=get_standing(file, one.stands),
            by=_name_person(people, revision.created_by),
            at=revision.fetched_at,
            size=revision.blob.size if is_steward(scope) or is_own(scope, revision) else None,
            restores=_find_disclosed(known, revision.restores),
            restored_by=_name_person(people, revision.restored_by) if revision.restores else "",
            changes=changed.get(revision.number, Changes()) if revision.witness else None,
            first=one.number == min(published, default=0),
            restorable=uploads and file.origin_id is None and is_restorable(file, one.stands),
            downloadable=rules.may_download(one.stands),
        )
        for one, revision in reversed(list(zip(known, revisions, strict=True)))
    ]


def _find_disclosed(known: Sequence[Known], number: int | None) -> int | None:
    """What is told of a version by its stored number: the last one until then that the caller knows of."""
    told = [one.number for one in known if number is not None and one.revision.number <= number]
    return told[-1] if told else None


def _name_person(people: dict[Any, User], pk: int) -> str:
    return str(people[pk]) if pk in people else "Clearance"


def get_standing(file: File, revision: FileRevision) -> Standing:
    if revision.pk == file.revision_id:
        return "current"
    if revision.pk == file.pending_revision_id and file.state in UNFINISHED:
        return "coming"
    return "earlier" if revision.witness else "unpublished"


def is_restorable(file: File, revision: FileRevision) -> bool:
    """Whether bringing it back would change anything: it was read once, and is not what is shown or on its way."""
    return bool(revision.witness) and revision.pk not in (file.revision_id, file.pending_revision_id)


def count_changes(file: File) -> dict[int, Changes]:
    """By number of the version; of paragraphs that the open scope may read."""
    now = Paragraph.objects.filter(file=file.pk)
    past = PastParagraph.objects.filter(file=file.pk, until__gt=F("since"))
    added = Counter([*now.values_list("since", flat=True), *past.values_list("since", flat=True)])
    removed = Counter(past.values_list("until", flat=True))
    relabelled = Counter(
        number for rows in (now, past) for row in rows.values_list("relabelled", flat=True) for number in row
    )
    return {
        number: Changes(added[number], removed[number], relabelled[number])
        for number in {*added, *removed, *relabelled}
    }


def get_original(scope: Scope, file: File, number: int) -> tuple[Blob, str]:
    """(bytes, name) of a version of a file got with `get_file_or_404`. Raises: Http404, PermissionDenied."""
    with transaction.atomic():  # a refusal lets go of the lock
        # Publishing waits, as for `downloads.open_original`.
        now = File.objects.select_for_update(no_key=True).filter(pk=file.pk).first()
        if now is None:
            raise Http404("Not found.")
        revision = get_known_or_404(scope, now, number)
        if not _Rules(scope, now).may_download(revision):
            raise PermissionDenied(describe_refusal(now))
    name = file.name if is_readable(file.name_classification) else f"file-{str(file.pk)[:8]}"
    record_action(scope, "file.downloaded", "file", file.pk, revision=str(revision.pk), version=number)
    return revision.blob, name


class _Rules:
    """Who may have the originals of a file's versions.

    What cannot be known of an earlier one (it was never published, held attachments, or was labelled before the policy
    changed) makes it one for who sent it and for who holds every level of the workspace.
    """

    def __init__(self, scope: Scope, file: File) -> None:
        self.scope, self.file = scope, file
        self.cleared = is_cleared(scope, file)
        self.everything = holds_every_level()
        self.inputs = collect_inputs_now(file)
        held_files = FileRevision.objects.filter(attachments__gt=0, file=file.pk)
        self.unknown = set(held_files.values_list("blob", flat=True))

    def may_download(self, revision: FileRevision) -> bool:
        if is_sender(self.scope, revision) or self.everything:
            return True
        if revision.pk == self.file.revision_id or not self.cleared:
            return self.cleared
        return self._is_known(revision) and is_cleared_since(self.file.pk, revision.number)

    def _is_known(self, revision: FileRevision) -> bool:
        same = not set(self.inputs.list_changed_since(revision.inputs)) & set(OF_LABELS)
        if not (revision.witness and revision.blob_id not in self.unknown and same):
            return False
        # The version that `app_cleared_since` judges too.
        read = FileRevision.objects.filter(file=self.file.pk, blob=revision.blob_id).exclude(witness="")
        return is_steward(self.scope) or is_settled(self.file, read.order_by("-number").first())


def is_cleared_since(file: UUID, number: int) -> bool:
    """Whether the open scope may read every paragraph that has gone from a file since that version."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_cleared_since(%s, %s)", [file, number])
        return bool(cursor.fetchone()[0])
