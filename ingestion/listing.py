"""What a caller may know of files: one value for pages and API. Pages show only what is not concealed."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, F, Func, Value, When
from django.utils.translation import gettext_lazy

from entities.access import Scope, has_permission, list_atoms, load_allowed_labels
from entities.api.lists import list_chips
from entities.hidden_names import list_disclosed_atoms
from entities.models import Entity
from entities.rag import Collection
from ingestion.access import (
    Outline,
    collect_floor_atoms,
    is_acknowledged,
    is_disclosed,
    is_disclosed_file,
    is_name_known,
    is_own,
    is_steward,
    list_collections,
    load_outlines,
    select_visible_files,
    write_file_name,
)
from ingestion.file_presenter import FileOrigin, FileView, LabelCount, StageDone
from ingestion.kinds import KINDS, KeptKind, describe_kinds, load_kind_floors
from ingestion.known_versions import count_latest_number, load_known_numbers, load_newest_known
from ingestion.models import File, FileRevision, Paragraph, Stage, State
from ingestion.names import split_folders

BROKEN = gettext_lazy("This file could not be processed.")
TOLD = {
    "bomb": gettext_lazy("This file cannot be opened safely."),
    "budget": gettext_lazy("Reading this file goes on when the workspace may ask models again."),
    "bytes_missing": gettext_lazy("This file is missing from storage."),
    "corrupt": gettext_lazy("This file is damaged."),
    "drift": gettext_lazy("What was read of this file may not be all that it holds. A steward looks at it first."),
    "empty": gettext_lazy("There is no text in this file."),
    "encrypted": gettext_lazy("This file is protected by a password."),
    "killed": gettext_lazy("Reading this file was ended from outside. It can be tried again."),
    "memory": gettext_lazy("This file needs more memory than reading may take."),
    "mislabelled": gettext_lazy("This file is not what its name says."),
    "no_pages": gettext_lazy("This file has no pages."),
    "rejected": gettext_lazy("A steward has looked at this file and rejected it."),
    "timeout": gettext_lazy("Reading this file took too long."),
    "too_large": gettext_lazy("This file is too large to be read."),
    "too_many_pages": gettext_lazy("This file has too many pages."),
    "unsupported": gettext_lazy("This type of file is not supported."),
}
"""What everybody is told by error code. The sentences in the row, with pages and sizes, are for who sent the bytes."""


@dataclass(frozen=True)
class RecordFacts:
    """Of the record that files hang on: its type's collections, and what the caller may do."""

    collections: Mapping[str, Collection]
    uploads: bool
    deletes: bool


def list_files(scope: Scope, entity: Entity) -> list[FileView]:
    """The files of a record that was got by an access function, those of which everything is concealed left out. By
    folder and name as far as names are readable: a place among the others would tell of the rest.
    """
    readable = {"name_classification__in": load_allowed_labels()}
    folder = Case(When(**readable, then=Func(F("path"), Value("[^/]*$"), Value(""), function="regexp_replace")))
    title = Case(When(**readable, then="name"))
    files = select_visible_files(scope).filter(entity=entity.pk)
    placed = files.order_by("collection", folder.asc(nulls_last=True), title.asc(nulls_last=True), "created_at", "pk")
    return build_file_views(scope, placed)


def build_file_view(scope: Scope, file: File) -> FileView:
    """One file that was got with `get_file_or_404`."""
    return build_file_views(scope, [file], known=True)[0]


def build_file_views(scope: Scope, files: Iterable[File], *, known: bool = False) -> list[FileView]:
    """known: the files have been found to exist for the caller."""
    files = list(files)
    found = load_outlines([file.pk for file in files])
    shown = [file for file in files if known or is_disclosed_file(scope, file, found.get(file.pk, Outline()))]
    wanted = {pk for file in shown for pk in (file.pending_revision_id, file.revision_id) if pk}
    revisions = FileRevision.objects.select_related("blob").in_bulk(wanted)
    numbers = {} if is_steward(scope) else load_known_numbers(scope, [file.pk for file in shown])
    standing = load_standing(scope, shown, revisions, numbers)
    outcomes = load_outcomes([file.pk for file in shown])
    kinds = describe_kinds(file.pk for file in shown)
    records: dict[UUID, RecordFacts] = {}
    for file in shown:
        if file.entity_id not in records:
            entity = Entity.objects.only("pk", "content_type").get(pk=file.entity_id)
            uploads, deletes = has_permission(scope, entity, "upload"), has_permission(scope, entity, "delete")
            records[file.entity_id] = RecordFacts(list_collections(entity), uploads, deletes)
    origins = _load_origins(scope, shown)
    return [
        _build_file_view(
            scope,
            *build_disclosed(scope, file, revisions, standing),
            found.get(file.pk, Outline()),
            None if is_steward(scope) else count_latest_number(numbers.get(file.pk, set())),
            outcomes.get(file.pk, []),
            kinds.get(file.pk),
            records[file.entity_id],
            origins.get(file.origin_id) if file.origin_id else None,
        )
        for file in shown
    ]


def _load_origins(scope: Scope, files: Sequence[File]) -> dict[UUID, FileOrigin]:
    """What the files came in, where that exists for the caller; it hangs on the same record."""
    wanted = {file.origin_id for file in files if file.origin_id}
    if not wanted:
        return {}
    found = load_outlines(sorted(wanted))
    return {
        file.pk: FileOrigin(
            file.pk,
            write_file_name(scope, file),
            file.pk in found and found[file.pk].shown > 0,
        )
        for file in File.objects.filter(pk__in=wanted)
        if is_disclosed_file(scope, file, found.get(file.pk, Outline()))
    }


def list_attachments(scope: Scope, file: File) -> list[FileView]:
    """The files that came in a file which the caller has got, those of which everything is concealed left out."""
    title = Case(When(name_classification__in=load_allowed_labels(), then="name"))
    return build_file_views(scope, File.objects.filter(origin=file.pk).order_by(title.asc(nulls_last=True), "pk"))


def load_outcomes(files: Sequence[UUID]) -> dict[UUID, list[LabelCount]]:
    """Readable paragraphs by label; policies leave the others out of the count."""
    rows = (
        Paragraph.objects.filter(file__in=files)
        .values_list("file", "data_classification")
        .annotate(count=Count("pk"))
        .order_by("file", "data_classification")
    )
    result: dict[UUID, list[LabelCount]] = {}
    for file, label, count in rows:
        result.setdefault(file, []).append(LabelCount(list_chips(label), count))
    return result


def load_standing(
    scope: Scope,
    files: Sequence[File],
    revisions: Mapping[UUID | None, FileRevision],
    numbers: Mapping[UUID, set[int]] | None = None,
) -> dict[UUID, FileRevision]:
    """Of files whose published version the caller does not know of, the newest one that they know of: to them that one
    stands. revisions: the published ones. numbers: `load_known_numbers`, where they have been asked for.
    """
    if is_steward(scope):
        return {}
    published = {file.pk: revisions[file.revision_id] for file in files if file.revision_id in revisions}
    renewed = [pk for pk, revision in published.items() if revision.number > 1]
    if not renewed:
        return {}
    known = load_known_numbers(scope, renewed) if numbers is None else numbers
    unknown = [pk for pk in renewed if published[pk].number not in known.get(pk, ())]
    return load_newest_known(unknown, known)


def build_disclosed(
    scope: Scope,
    file: File,
    revisions: Mapping[UUID | None, FileRevision],
    standing: Mapping[UUID, FileRevision],
) -> tuple[File, FileRevision | None]:
    """The file and its newest version; to who may not know of that one, both as though it had never come.

    A version on its way, or one that never got to be read, is for who sent or restored it and for stewards: of the one
    before, which all others see, nothing has changed. What that one is wanted for waits meanwhile. Of a published one
    that they do not know of, nothing is told either: the one that is `load_standing` the file stands.
    """
    newest, published = revisions.get(file.pending_revision_id or file.revision_id), revisions.get(file.revision_id)
    if newest is None or published is None or (newest != published and is_disclosed(scope, newest)):
        return file, newest
    stands = standing.get(file.pk, published)
    if stands == newest:
        return file, newest
    told = copy(file)
    told.size, told.page, told.page_count = stands.blob.size, None, None
    if newest != published:
        told.pending_revision_id = None
        told.error_code = told.error_detail = ""
        waits = bool(file.redo)
        told.state = State.PENDING if waits else State.READY
        told.stage = Stage.WAITING if waits else Stage.DONE
        told.progress = 0 if waits else 100
    if stands != published:
        # Of the other's bytes: for who sent those.
        told.pages, told.notes, told.error_page = stands.pages, [], None
        told.error_detail = str(TOLD.get(told.error_code, BROKEN))
    return told, stands


def _build_file_view(
    scope: Scope,
    file: File,
    revision: FileRevision | None,
    outline: Outline,
    number: int | None,
    outcome: Sequence[LabelCount],
    kind: KeptKind | None,
    record: RecordFacts,
    origin: FileOrigin | None,
) -> FileView:
    declared = record.collections
    own = is_steward(scope) or is_own(scope, revision)
    # While a revision is on its way, the pages are those of the one before it, which may be somebody else's.
    pages_known = own and (is_steward(scope) or file.pending_revision_id in (None, file.revision_id))
    labels = (
        outline.labels if outline.exists else {label for label in collect_floor_atoms(file) if is_acknowledged(label)}
    )
    ended_badly = file.state in (State.FAILED, State.QUARANTINED)
    waits = file.state == State.PENDING and file.error_code != ""
    error: dict[str, Any] | None = None
    if ended_badly or waits:
        error = {
            "code": file.error_code,
            "detail": file.error_detail if own else str(TOLD.get(file.error_code, BROKEN)),
        }
        if file.error_page is not None and own:
            error["page"] = file.error_page
    named = is_name_known(scope, file)
    return FileView(
        id=file.pk,
        name=write_file_name(scope, file),
        media_type=file.media_type,
        size=file.size if own else None,
        state=file.state,
        stage=file.stage,
        progress=file.progress if own or file.state == State.READY else 0,
        error=error,
        pages=file.pages if pages_known else outline.last_page,
        entity=file.entity_id,
        collection=file.collection,
        labels=tuple(sorted({atom for label in labels for atom in list_atoms(label)})),
        revision=number or (revision.number if revision else 0),
        named=named,
        name_requires=() if named else list_disclosed_atoms(file.name_classification),
        outcome=outcome,
        collection_title=declared[file.collection].label if file.collection in declared else file.collection,
        in_default=file.collection == next(iter(declared)),
        may_retry=record.uploads and ended_badly and file.pending_revision_id is not None,
        may_delete=record.deletes,
        may_reread=record.uploads and (file.pending_revision_id or file.revision_id) is not None,
        stages=[StageDone(*given) for given in revision.stages] if own and revision else (),
        origin=origin,
        strategy=(revision.strategy if revision else "") or file.strategy,
        notes=file.notes if pages_known else (),
        unaccounted=file.unaccounted if is_steward(scope) else (),
        page=file.page if own else None,
        page_count=file.page_count if own else None,
        cost=revision.cost if own and revision else Decimal(0),
        attachments=file.attachments,
        folders=split_folders(file.path) if named else (),
        version=revision.pk if revision else None,
        looks_like=kind.looks_like if kind else _find_own_looks(scope, revision, labels) if pages_known else "",
    )


def _find_own_looks(scope: Scope, revision: FileRevision | None, labels: Iterable[int]) -> str:
    """What a document looks like to who sent it and may not read it, where it is kept for that; else ""."""
    if revision is None or revision.kind not in KINDS or not is_own(scope, revision):
        return ""
    floor = load_kind_floors()[revision.kind]
    kept = floor and any(floor <= frozenset(list_atoms(label)) for label in labels)
    return KINDS[revision.kind].looks_like if kept else ""


def list_collection_choices(entity: Entity) -> list[tuple[str, str]]:
    """(name, title) of the record's collections, the default first."""
    return [(name, declared.label or name) for name, declared in list_collections(entity).items()]
