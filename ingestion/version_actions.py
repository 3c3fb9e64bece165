"""Bringing an earlier version of a file back. Transaction inside, network outside."""

from django.utils.translation import gettext

from entities.access import Scope
from entities.actions import record_action
from ingestion.access import hold_or_404, lock_name
from ingestion.claims import UNFINISHED
from ingestion.errors import BadUpload
from ingestion.known_versions import get_known_or_404
from ingestion.models import File, FileRevision
from ingestion.queueing import take_revision
from ingestion.versions import is_restorable


def restore_version(*, scope: Scope, file: File, number: int) -> File:
    """Make an earlier version of a file, got with the verb "upload", its next one. It goes through the pipeline as an
    upload of the same bytes does, so no label of what is there falls, and text that comes back has at least the label
    it had (docs/adr/0032). Whoever restores has not sent the bytes: they are told no more of them than before.

    Raises: Http404 without such a version or file; BadUpload where there is nothing to restore.
    """
    lock_name(scope, file.entity_id, file.collection, file.name)
    now = hold_or_404(file)
    old = get_known_or_404(scope, now, number)
    if now.origin_id is not None:
        raise BadUpload(
            gettext("This file came in a message and stays as it is there. Restore the message."), "attachment"
        )
    if not old.witness:
        raise BadUpload(
            gettext("Version %(number)s was never published, so there is nothing to go back to.") % {"number": number},
            "never_published",
        )
    if not is_restorable(now, old):
        raise BadUpload(
            gettext("Version %(number)s is already shown or being published.") % {"number": number},
            "nothing_to_restore",
        )
    latest = FileRevision.objects.filter(file=file.pk).order_by("-number")[0]
    asked = (latest.restores, latest.restored_by) == (old.number, scope.principal)
    if asked and latest.pk == now.pending_revision_id and now.state in UNFINISHED:
        return now  # sent twice: it is on its way
    revision = FileRevision.objects.create(
        workspace_id=scope.workspace,
        file=now,
        blob=old.blob,
        number=latest.number + 1,
        source_revision=old.source_revision,
        addresses=old.addresses,
        created_by=old.created_by,
        public=old.public,
        declared=old.declared,
        restores=old.number,
        restored_by=scope.principal,
    )
    record_action(
        scope,
        "file.restored",
        "file",
        file.pk,
        revision=str(revision.pk),
        version=old.number,
        entity=str(file.entity_id),
    )
    take_revision(revision)
    return File.objects.get(pk=file.pk)
