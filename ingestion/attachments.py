"""Attachments: files within a file, each a file of its own with its own text and labels (docs/adr/0024).

They are taken out in the limited process before the file is published, and their rows come in the same transaction: a
reader sees the message and its attachments, or neither, and a killed worker leaves nothing half. The original of the
message holds them all, so it needs clearance for each of them (`downloads.is_allowed`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from uuid import UUID

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import transaction

from entities.access import Scope, combine_many, list_atoms
from entities.access.scope import get_current_scope
from entities.actions import record_action
from entities.models.classification import STEWARDS
from entities.rag import split_label
from ingestion import blobs
from ingestion.access import get_collection
from ingestion.documents import Extraction, UnreadContent
from ingestion.extract import take_attachment
from ingestion.models import Blob, File, FileRevision, Review
from ingestion.name_labels import NameLabel
from ingestion.names import clean_name
from ingestion.past_paragraphs import transfer_attachments
from ingestion.quarantine import decide_review
from ingestion.queueing import take_revision
from ingestion.remainder_store import remember_inside
from ingestion.sandbox import Quarantined
from ingestion.signals import document_removed
from ingestion.votes import is_judged
from ingestion.witness import hash_parts
from ingestion.work import MarkedParagraph, SegmentedFile, Work

DEEPEST = 5
"""Messages within messages within messages …"""
LOST = UnreadContent("attachment", "An attachment could not be taken out of this message; it was not read.")
TOO_DEEP = UnreadContent("attachment", "Messages are nested in this one too deeply to be read.")


@contextmanager
def extract_attachments(
    work: Work, extraction: Extraction
) -> Iterator[tuple[Extraction, Mapping[int, blobs.ReceivedUpload]]]:
    """The extraction as it is to be published, and the bytes of its attachments by their part, in temporary files.
    What cannot be taken out is not accounted for. No scope may be open.
    """
    with ExitStack() as stack:
        received: dict[int, blobs.ReceivedUpload] = {}
        missing: list[UnreadContent] = []
        if extraction.attachments and work.depth >= DEEPEST:
            missing.append(TOO_DEEP)
        elif extraction.attachments:
            path = stack.enter_context(blobs.local_copy(work.path))
            for found in extraction.attachments:
                try:
                    content = ContentFile(take_attachment(path, found.part))
                    received[found.part] = stack.enter_context(
                        blobs.receive_upload(content, settings.CLEARANCE_MAX_UPLOAD)
                    )
                except (Quarantined, blobs.TooMuch):
                    missing.append(LOST)
        kept = tuple(found for found in extraction.attachments if found.part in received)
        unaccounted = (*extraction.unaccounted, *dict.fromkeys(missing))
        yield replace(extraction, attachments=kept, unaccounted=unaccounted), received


def publish_attachments(
    work: Work, extraction: Extraction, segmented: SegmentedFile, received: Mapping[int, blobs.ReceivedUpload]
) -> None:
    """Make the files of a revision that is being published, in its transaction; those of the one before it go or, under
    the same name, get a revision. What somebody deleted of these bytes stays gone, and is missed in their original."""
    before = list(File.objects.filter(origin=work.file).order_by("part"))
    if not before and not extraction.attachments:
        File.objects.filter(pk=work.file).exclude(attachments=0).update(attachments=0)
        return
    file = File.objects.get(pk=work.file)
    sender = FileRevision.objects.values_list("created_by", flat=True).get(pk=work.claim.revision)
    removed = count_removed(file, work.claim.revision)
    # Deleted when that was not noted yet: of bytes that are only read again, what is not there stays gone. Where a new
    # reader finds other files in them, nobody knows which these are, and all are there.
    alike = len(extraction.attachments) == file.attachments and {child.name for child in before} <= {
        clean_name(found.name) for found in extraction.attachments
    }
    guessed = work.published and alike and file.attachments > len(before) + removed.total()
    unnoted: list[str] | None = [] if guessed else None
    # Out of the way, so that parts can change places.
    File.objects.filter(origin=file.pk).update(origin=None)
    for found in extraction.attachments:
        name = clean_name(found.name)
        key = compute_key(name, received[found.part].sha256)
        if removed[key] > 0:
            removed[key] -= 1
            continue
        same = next((child for child in before if child.name == name), None)
        if same is None and unnoted is not None:
            unnoted.append(key)
            continue
        blob = blobs.save_blob(received[found.part], work.workspace, "application/octet-stream")
        named_by = segmented.paragraphs[found.paragraph]
        if same is None:
            same = _create_file(file, name, sender)
        else:
            before.remove(same)
        File.objects.filter(pk=same.pk).update(
            origin=file.pk,
            part=found.part,
            named_by=named_by.id,
            floor=combine_many([same.floor, file.floor]),
            **_choose_name_label(file, work, named_by).columns,
        )
        said = {"public": work.declared_public, "declared": work.declares}
        _create_next_revision(same, blob, sender, again=work.published, said=said)
    if unnoted:
        came = FileRevision.objects.get(pk=work.claim.revision)
        FileRevision.objects.filter(pk=came.pk).update(removed=[*came.removed, *unnoted])
    for gone in before:
        document_removed.send(File, workspace=work.workspace, entity_id=work.entity, file_id=gone.pk)
    going = [gone.pk for gone in before]
    inside = [*going, *list_attachments(going)]
    remember_inside(file, inside)
    transfer_attachments(inside, to=file.pk, version=work.number, unread=work.published)
    File.objects.filter(pk__in=going)._raw_delete("default")
    File.objects.filter(pk=file.pk).update(attachments=len(extraction.attachments))


def compute_key(name: str, sha256: str) -> str:
    """What an attachment is known by when it comes again, in a row that anybody may read."""
    return hash_parts(name, sha256)


def count_removed(file: File, revision: UUID) -> Counter[str]:
    """What was deleted of the files that came in the bytes of a revision, by any reading of them."""
    blob = FileRevision.objects.filter(pk=revision).values("blob")
    rows = FileRevision.objects.filter(file=file.pk, blob__in=blob).values_list("removed", flat=True)
    return Counter(key for removed in rows for key in removed)


def delete_attachment(workspace: int, file: UUID, by: int) -> None:
    """Somebody deletes what came in a message: in one transaction of the service, when their request has committed and
    before they get an answer. The message remembers that, and the labels and decisions of the text that goes, which may
    be above theirs (docs/adr/0024).
    """
    with Scope.for_service(workspace).open():
        origin = File.objects.filter(pk=file).values("origin")
        message = File.objects.select_for_update().filter(pk__in=origin).first()
        child = File.objects.select_for_update().filter(pk=file, origin=message).first()
        if message is None or child is None or message.revision_id is None:
            return  # gone meanwhile
        going = [child.pk, *list_attachments([child.pk])]
        came = FileRevision.objects.get(pk=message.revision_id)
        newest = FileRevision.objects.filter(file=child.pk).select_related("blob").order_by("-number")[0]
        came.removed = [*came.removed, compute_key(child.name, newest.blob.sha256)]
        came.save(update_fields=["removed"])
        # Read again, these bytes come without it: nothing of it is looked for in the files that came beside it.
        transfer_attachments(going, to=message.pk, version=came.number, unread=True, inside=False)
        used = list(FileRevision.objects.filter(file__in=going).values_list("blob", flat=True))
        for pk in going:
            record_action(
                replace(get_current_scope(), principal=by), "file.deleted", "file", pk, entity=str(child.entity_id)
            )
            document_removed.send(File, workspace=workspace, entity_id=child.entity_id, file_id=pk)
        File.objects.filter(pk=child.pk)._raw_delete("default")  # cascades in the database
        transaction.on_commit(partial(blobs.remove_after, workspace, used))


def _create_file(file: File, name: str, sender: int) -> File:
    """A file of its own, whatever else on the record has that name."""
    twins = File.objects.filter(entity=file.entity_id, collection=file.collection, name=name)
    last = twins.order_by("-twin").values_list("twin", flat=True).first()
    return File.objects.create(
        workspace_id=file.workspace_id,
        entity_id=file.entity_id,
        collection=file.collection,
        name=name,
        path=name,
        twin=0 if last is None else last + 1,
        floor=file.floor,
        created_by=sender,
    )


def _create_next_revision(child: File, blob: Blob, sender: int, *, again: bool, said: Mapping[str, bool]) -> None:
    """Nothing where the bytes are those that it has, or that a steward has kept back and are only read again. Sent
    again, those stand in quarantine once more (`quarantine.take_back_rejection`).
    """
    last = FileRevision.objects.filter(file=child.pk).order_by("-number").first()
    review = decide_review(child, blob, sender, child.strategy)
    if last is not None and last.blob_id == blob.pk:
        if last.review != Review.REJECTED:
            if last.pk in (child.revision_id, child.pending_revision_id):
                return
        elif review == Review.REJECTED:
            if not again:
                take_revision(last)
            return
    revision = FileRevision.objects.create(
        workspace_id=child.workspace_id,
        file=child,
        blob=blob,
        number=last.number + 1 if last else 1,
        created_by=sender,
        review=review,
        strategy=child.strategy if review else "",
        **said,
    )
    record_action(
        get_current_scope(), "file.uploaded", "file", child.pk, revision=str(revision.pk), entity=str(child.entity_id)
    )
    take_revision(revision)


def _choose_name_label(file: File, work: Work, named_by: MarkedParagraph | None) -> NameLabel:
    """The sender gave the name, so it is text of the message: what names it there says who may read it, and rests as
    that does. Not yet known means everything."""
    given = [*split_label(work.collection.name_classification), file.floor]
    if named_by is None or named_by.label is None:
        every = (level.value for level in work.levels)
        return NameLabel(combine_many([*given, *every, *work.policy.resting]), judged=True)
    judged = is_judged(named_by.votes) or any(given) and not work.policy.holds
    return NameLabel(combine_many([*given, named_by.label]), judged=judged)


def relabel_names(labels: Mapping[UUID, int]) -> None:
    """Paragraphs that name attachments have other labels now: the names follow, no lower than their collections."""
    for child in File.objects.filter(named_by__in=labels, origin__isnull=False):
        declared = split_label(get_collection(child).name_classification)
        label = combine_many([labels[child.named_by], child.floor, *declared])  # type: ignore[index]
        name = NameLabel(label, judged=STEWARDS not in list_atoms(label))
        File.objects.filter(pk=child.pk).update(**name.columns)


def follow_labels(work: Work, segmented: SegmentedFile) -> None:
    """Names of attachments have the labels of what names them, where the labels alone were worked over again. In the
    transaction that publishes them."""
    file = File.objects.get(pk=work.file)
    marked: dict[UUID | None, MarkedParagraph] = {one.id: one for one in segmented.paragraphs}
    for child in File.objects.filter(origin=file.pk, named_by__isnull=False):
        columns = _choose_name_label(file, work, marked.get(child.named_by)).columns
        File.objects.filter(pk=child.pk).exclude(**columns).update(**columns)


def list_attachments(files: list[UUID]) -> list[UUID]:
    """All that came in these files, at any depth."""
    found: list[UUID] = []
    while files:
        files = list(File.objects.filter(origin__in=files).values_list("pk", flat=True))
        found += files
    return found
