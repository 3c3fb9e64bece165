"""Taking files in and deleting them: the one place for pages, API and commands. Transaction inside, network outside."""

import mimetypes
from collections.abc import Iterable, Sequence
from functools import partial
from uuid import UUID

from django.conf import settings
from django.core.files.base import File as Upload
from django.db import transaction
from django.utils.translation import gettext

from entities.access import Scope, combine_many, is_readable, list_atoms, load_granted_atoms
from entities.actions import record_action
from entities.api.errors import TooLarge
from entities.formats import format_size
from entities.models import Entity
from entities.models.classification import PUBLIC
from entities.rag import split_label
from ingestion import blobs
from ingestion.access import (
    Outline,
    hold_or_404,
    hold_record_or_404,
    is_disclosed_file,
    is_sender,
    list_collections,
    load_outlines,
    lock_name,
)
from ingestion.attachments import delete_attachment, list_attachments
from ingestion.downloads import is_allowed
from ingestion.errors import BadUpload
from ingestion.folder_addresses import FolderAddress
from ingestion.models import Blob, File, FileRevision, Review, Stage, State
from ingestion.name_labels import NameLabel, combine_name_label
from ingestion.names import BadPath, clean_name, clean_path
from ingestion.policy import load_resting
from ingestion.quarantine import decide_review
from ingestion.queueing import take_revision
from ingestion.relabelling import check_own_labels
from ingestion.revision_floors import take_with_floor
from ingestion.signals import document_removed
from ingestion.strategies import check_strategy
from ingestion.work import load_workspace_atoms


def upload_file(
    *,
    scope: Scope,
    entity: Entity,
    upload: Upload,
    collection: str = "",
    labels: Iterable[int] = (),
    path: str = "",
    strategy: str = "",
    batch: UUID | None = None,
    addresses: Sequence[FolderAddress] = (),
    goes_with: Sequence[UUID] = (),
) -> File:
    """Take a file for a record that was got with the verb "upload"; the pipeline starts when the transaction commits.

    collection: one that the record's type declares, the first by default. labels: atoms that every paragraph is to
    need, of those the caller is cleared for; Public alone says that what nothing is found in is Public. path: where the
    file stood among others, by which links find it. strategy: how it is to be read (docs/ocr.md); "" leaves that as it
    is, or to the collection. batch: the same for all that a caller sends together. addresses: where its folders live
    elsewhere. goes_with: records with which this one is deleted. Same name, path and bytes again, to be read the same
    way, is the file that is there; others are its next revision, and the old one stays readable until the new one is
    published, by whom the labels let.
    Raises: BadUpload (422), TooLarge (413), Http404 where the record was deleted meanwhile.
    """
    declared = list_collections(entity)
    collection = collection or next(iter(declared))
    if collection not in declared:
        raise BadUpload(
            gettext("There is no collection %(collection)s here. Choose one of: %(declared)s.")
            % {"collection": repr(collection[:64]), "declared": ", ".join(declared)},
            "unknown_collection",
        )
    if strategy:
        check_strategy(strategy)
    labels = frozenset(labels)
    floor, public = combine_chosen_labels(labels), labels == {PUBLIC}
    if public:
        check_declared_public()
    limit = settings.CLEARANCE_MAX_UPLOAD
    if (upload.size or 0) > limit:
        raise build_too_large(upload.size, limit)
    name = clean_name(upload.name or "")
    try:
        path = clean_path(path, name)
    except BadPath as refusal:
        raise BadUpload(str(refusal), "bad_path") from None
    try:
        with blobs.receive_upload(upload, limit) as received:
            if received.size == 0:
                raise BadUpload(gettext("This file is empty: it has no content at all. Choose it again."), "empty")
            media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
            blob = blobs.save_blob(received, scope.workspace, media_type)
    except blobs.TooMuch:
        raise build_too_large(None, limit) from None
    label = combine_name_label(
        path,
        {*split_label(declared[collection].name_classification), *list_atoms(floor)},
        opened=public or declared[collection].is_public,
        resting=load_resting(),
        everything=load_workspace_atoms(),
    )
    hold_record_or_404(entity, *goes_with)
    # What somebody attaches to a conversation has no versions: other bytes of that name are another file.
    alike = blob if entity.attached_to else None
    file = _find_or_create_file(scope, entity, collection, path, floor, label, alike)
    return _create_next_revision(
        scope, file, blob, floor, strategy, batch, [one.to_json() for one in addresses], public=public
    )


def build_too_large(size: int | None, limit: int) -> TooLarge:
    words = {"size": format_size(size), "limit": format_size(limit)}
    if size:
        return TooLarge(
            gettext("This file has %(size)s; files may have up to %(limit)s. Split it or save it smaller.") % words
        )
    return TooLarge(
        gettext("This file is larger than that; files may have up to %(limit)s. Split it or save it smaller.") % words
    )


def combine_chosen_labels(labels: Iterable[int]) -> int:
    """One label of the atoms that an uploader gives. Raises: BadUpload for one that they do not hold, or that
    is none.
    """
    wanted = frozenset(labels) - {0}
    check_own_labels(wanted)
    return combine_many(wanted)


def check_declared_public() -> None:
    """Raises: BadUpload for who may not read what nobody has judged: they cannot say that it is Public."""
    if not load_resting() <= load_granted_atoms():
        raise BadUpload(
            gettext("Who declares a file Public must be cleared for text that nobody has judged yet. You are not."),
            "label_not_yours",
        )


def _find_or_create_file(
    scope: Scope,
    entity: Entity,
    collection: str,
    path: str,
    floor: int,
    name_label: NameLabel,
    blob: Blob | None = None,
) -> File:
    """The file at that path that the caller is shown, made when there is none; of those that have the bytes of `blob`,
    where it is given. Two uploads of one name wait for each other. One that is concealed from the caller, or whose name
    is and was not given by them, stays as it is, and a twin of it is made: finding it would tell that a guess of its
    name was right.
    """
    name = path.rpartition("/")[2]
    lock_name(scope, entity.pk, collection, name)
    there = File.objects.filter(entity=entity.pk, collection=collection, name=name)
    named = list(there.select_for_update().order_by("twin"))
    found = load_outlines([file.pk for file in named]) if named else {}
    for file in named:
        if file.origin_id is not None or file.path != path:
            continue  # it is what came in its message, and stays that, or it stands elsewhere
        if blob is not None and not FileRevision.objects.filter(file=file.pk, blob=blob.pk).exists():
            continue
        knows_name = is_readable(file.name_classification) or is_sender(scope, file)
        if knows_name and is_disclosed_file(scope, file, found.get(file.pk, Outline())):
            return file
    return File.objects.create(
        workspace_id=scope.workspace,
        entity_id=entity.pk,
        collection=collection,
        name=name,
        path=path,
        twin=named[-1].twin + 1 if named else 0,
        floor=floor,
        created_by=scope.principal,
        **name_label.columns,
    )


def _create_next_revision(
    scope: Scope,
    file: File,
    blob: Blob,
    floor: int,
    strategy: str,
    batch: UUID | None,
    addresses: list[list[str]],
    *,
    public: bool,
) -> File:
    """Make `blob` what is read next, unless it is already. Returns the file as it will be. A way of reading that comes
    with it is the file's when it is published: until then the version is not for everybody, and neither is that.
    """
    raised = combine_many([file.floor, floor])
    revision = FileRevision.objects.filter(file=file.pk).order_by("-number").first()
    asked = revision.strategy if revision is not None and revision.created_by == scope.principal else ""
    before = asked or file.strategy
    strategy = strategy or before
    otherwise = strategy != before
    moved = bool(addresses) and revision is not None and addresses != revision.addresses
    review = decide_review(file, blob, scope.principal, strategy) if revision is not None else Review.NONE
    if otherwise and file.revision_id is None:
        File.objects.filter(pk=file.pk).update(strategy=strategy)
        file.strategy = strategy
    if (
        otherwise
        or moved
        or revision is None
        or revision.blob_id != blob.pk
        or public > revision.public
        or not _may_know_copy(scope, file, revision)
    ):
        revision = FileRevision.objects.create(
            workspace_id=scope.workspace,
            file=file,
            blob=blob,
            number=revision.number + 1 if revision else 1,
            created_by=scope.principal,
            batch=batch,
            addresses=addresses,
            strategy="" if strategy == file.strategy and not review else strategy,
            review=review,
            public=public,
            declared=bool(floor),
        )
        record_action(scope, "file.uploaded", "file", file.pk, revision=str(revision.pk), entity=str(file.entity_id))
    elif floor and not revision.declared and revision.created_by == scope.principal:
        FileRevision.objects.filter(pk=revision.pk).update(declared=True)
    elif (
        raised == file.floor
        and file.state != State.FAILED
        and revision.pk in (file.revision_id, file.pending_revision_id)
    ):
        return file
    if raised == file.floor:
        take_revision(revision)
        return File.objects.get(pk=file.pk)
    # What readers see already rises above the label of whoever raises it: that is the service's to do, and the new
    # bytes come with it.
    FileRevision.objects.filter(pk=revision.pk).update(floor=raised)
    transaction.on_commit(partial(take_with_floor, scope.workspace, revision.pk))
    file.floor, file.size = raised, blob.size
    file.state, file.stage, file.progress, file.pending_revision_id = State.PENDING, Stage.WAITING, 0, revision.pk
    return file


def _may_know_copy(scope: Scope, file: File, revision: FileRevision) -> bool:
    """Whether the caller may learn that a revision has the bytes they sent: it is theirs, or they may download it."""
    return revision.created_by == scope.principal or (file.revision_id == revision.pk and is_allowed(scope, file))


def delete_file(*, scope: Scope, file: File) -> None:
    """Delete a file got with the verb "delete", what came in it, and everything drawn from them; the bytes when nothing
    else refers to them. What came in a message goes when this transaction commits (`attachments.delete_attachment`).
    Raises: Http404 where somebody else has deleted it meanwhile.
    """
    if hold_or_404(file).origin_id is not None:
        transaction.on_commit(partial(delete_attachment, scope.workspace, file.pk, scope.principal))
        return
    going = [file.pk, *list_attachments([file.pk])]
    used = list(FileRevision.objects.filter(file__in=going).values_list("blob", flat=True))
    for pk in going:
        record_action(scope, "file.deleted", "file", pk, entity=str(file.entity_id))
        document_removed.send(File, workspace=scope.workspace, entity_id=file.entity_id, file_id=pk)
    File.objects.filter(pk=file.pk)._raw_delete("default")  # cascades in the database
    transaction.on_commit(partial(blobs.remove_after, scope.workspace, used))
