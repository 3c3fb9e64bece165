"""The only way to get a file: through the record it hangs on (design §2.4), and not where all of it is concealed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import Exists, F, Func, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import Http404
from django.utils.translation import gettext_lazy, gettext_noop

from entities.access import (
    Scope,
    get_entity_or_404,
    has_permission,
    is_readable,
    list_atoms,
    load_allowed_labels,
    load_concealed_atoms,
)
from entities.access.scope import load_once
from entities.hidden_names import write_hidden_name
from entities.models import Entity
from entities.rag import Collection, split_label
from entities.registry import get_content_type_id, get_type_by_content_type, list_entity_types
from ingestion.models import File, FileRevision, Paragraph

FILE_KIND = gettext_noop("Document")
"""What a file is called whose name is hidden."""


@dataclass(frozen=True)
class Outline:
    """What the open scope may know of the paragraphs of a file's published revision.

    labels: of paragraphs that it may read or that are acknowledged; last_page and shown: of those too. whole: there is
    nothing else in the file. exists: there are paragraphs at all.
    """

    labels: frozenset[int] = field(default_factory=frozenset)
    last_page: int | None = None
    shown: int = 0
    whole: bool = True
    exists: bool = False


def select_visible_files(scope: Scope, verb: str = "view") -> QuerySet[File]:
    """Files of records on which `scope` has `verb`."""
    return File.objects.filter(entity__in=Entity.objects.visible_to(scope, verb).values("pk"))


def get_file_or_404(scope: Scope, pk: UUID | str, verb: str = "view") -> File:
    """Raises: Http404 when it is absent, foreign, on a record that `scope` may not `verb`, or wholly concealed."""
    file = select_visible_files(scope, verb).filter(pk=pk).first()
    if file is None or not is_disclosed_file(scope, file, load_outlines([file.pk]).get(file.pk, Outline())):
        raise Http404("Not found.")
    return file


def hold_or_404(file: File) -> File:
    """A file that was got by `get_file_or_404`, as it stands now, held until the open transaction ends. Raises:
    Http404 where it was deleted meanwhile.
    """
    now = File.objects.select_for_update().filter(pk=file.pk).first()
    if now is None:
        raise Http404("Not found.")
    return now


def hold_record_or_404(entity: Entity, *others: UUID) -> None:
    """Hold a record that gets a file, so that it cannot go to the bin without it; others may add files meanwhile.
    others: records that it goes with. In the order of ids, as where they are deleted. Raises: Http404 where one was
    deleted meanwhile.
    """
    wanted = [entity.pk, *others]
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM entities_entity WHERE id = ANY(%s::uuid[]) ORDER BY id FOR SHARE", [wanted])
        if cursor.rowcount < len(wanted):
            raise Http404("Not found.")


def hold_record(entity: UUID) -> None:
    """Keep a record from being deleted until the transaction ends, as the keys of its rows do at the commit: whoever
    deletes it holds it before its files, and so must who works on one of these.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM entities_entity WHERE id = %s FOR KEY SHARE", [entity])


def lock_name(scope: Scope, entity: UUID, collection: str, name: str) -> None:
    """Wait for whoever else makes, restores or moves a file of that name on the record, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))",
            [f"{entity} {collection} {name}", scope.workspace],
        )


REFUSALS = {
    "upload": gettext_lazy("You may see this record, but not add files to it or work on those it has."),
    "delete": gettext_lazy("You may see this record, but not delete what belongs to it."),
}


def get_record_for(scope: Scope, pk: UUID, verb: str) -> Entity:
    """The record of files, for "upload" or "delete". Raises: Http404 when it is hidden, else PermissionDenied."""
    entity = get_entity_or_404(scope, pk)
    if not has_permission(scope, entity, verb):
        raise PermissionDenied(REFUSALS[verb])
    return entity


def is_name_known(scope: Scope, file: File) -> bool:
    """Whether the caller may read a file's name, or gave it and it rests still."""
    return is_readable(file.name_classification) or (is_sender(scope, file) and not file.name_judged)


def write_file_name(scope: Scope, file: File) -> str:
    """The name, or what stands in its place."""
    return file.name if is_name_known(scope, file) else write_hidden_name(FILE_KIND, file.name_classification)


def is_sender(scope: Scope, file: File) -> bool:
    """Whether the caller made the file, and is not held to what a role or fewer levels may see."""
    return scope.principal > 0 and not scope.narrowed_to and scope.atoms is None and file.created_by == scope.principal


def load_outlines(files: Iterable[UUID]) -> dict[UUID, Outline]:
    """Outlines of files whose records the caller has been found to see."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT file, labels, last_page, shown, whole FROM app_file_outlines(%s)", [list(files)])
        return {
            file: Outline(frozenset(labels or ()), last_page, shown, bool(whole), True)
            for file, labels, last_page, shown, whole in cursor.fetchall()
        }


def is_disclosed_file(scope: Scope, file: File, outline: Outline) -> bool:
    """Whether a file exists for `scope` at all.

    It does not where its collection's or its own floor is concealed, or where it has been classified and all of it is
    concealed. Who uploaded what is there now sees that it is there, as stewards do.
    """
    if scope.is_service or is_steward(scope):
        return True
    if all(is_acknowledged(label) for label in (file.floor, *list_collection_atoms(file))) and (
        not outline.exists or outline.shown > 0 or not _is_all_concealed(file)
    ):
        return True
    shown = [pk for pk in (file.pending_revision_id or file.revision_id,) if pk]
    return is_own(scope, FileRevision.objects.filter(pk__in=shown).first())


class ConcealedOf(Func):
    """Of an array of files, those that are classified and of which all is concealed. A file with a paragraph that the
    scope may read need not be asked for.
    """

    function = "app_file_outlines"
    template = "(SELECT o.file FROM %(function)s(%(expressions)s) o WHERE o.shown = 0 AND app_file_concealed(o.file))"


def select_readable_files(scope: Scope, files: QuerySet[File]) -> QuerySet[File]:
    """Those of `files` that exist for `scope`: `is_disclosed_file` as a condition of the statement, for lists of
    any length.
    """
    if scope.is_service or is_steward(scope) or not load_concealed_atoms():
        return files
    known = load_acknowledged_labels() | load_allowed_labels()
    readable = Paragraph.objects.filter(file=OuterRef("pk"), data_classification__isnull=False)
    nothing_readable = files.filter(~Exists(readable)).order_by().values("pk")
    shown = Q(floor__in=known) & ~Q(pk__in=ConcealedOf(ArraySubquery(nothing_readable)))
    for kind in list_entity_types().values():
        for name, declared in kind.rag().collections.items():
            if not split_label(declared.classification) <= known:
                shown &= ~Q(collection=name, entity__content_type=get_content_type_id(kind))
    own = FileRevision.objects.filter(
        pk=Coalesce(OuterRef("pending_revision"), OuterRef("revision")), created_by=scope.principal
    )
    return files.filter(shown | Exists(own) if scope.principal > 0 else shown)


def is_own(scope: Scope, revision: FileRevision | None) -> bool:
    """Whether the caller sent these bytes. Who sent an earlier revision knows nothing of what others sent later."""
    return scope.principal > 0 and revision is not None and revision.created_by == scope.principal


def select_disclosed_files(scope: Scope, files: QuerySet[File]) -> QuerySet[File]:
    """Those of `files` whose state is that of a version which the caller knows of. One on its way, or that never got to
    be read, is for who sent or restored it and for stewards: to all others the file stays as the one before left it.
    """
    if is_steward(scope):
        return files
    shown = Q(revision=None) | Q(pending_revision=None) | Q(pending_revision=F("revision"))
    sent = Q(pending_revision__created_by=scope.principal) | Q(pending_revision__restored_by=scope.principal)
    return files.filter(shown | sent if scope.principal > 0 else shown)


def is_disclosed(scope: Scope, unshown: FileRevision) -> bool:
    """The same of one version that is not shown to everybody: whether the caller knows of it."""
    if is_steward(scope) or is_own(scope, unshown):
        return True
    return scope.principal > 0 and unshown.restored_by == scope.principal


def _is_all_concealed(file: File) -> bool:
    """Of a file of which nothing is shown: whether that is because of concealment, not for want of a label."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_file_concealed(%s)", [file.pk])
        return bool(cursor.fetchone()[0])


def is_acknowledged(label: int) -> bool:
    """Whether the open scope may read `label`, or may know that text with it exists."""
    return is_readable(label) or label in load_acknowledged_labels()


def load_acknowledged_labels() -> frozenset[int]:
    def load() -> frozenset[int]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT app_acknowledged()")
            return frozenset(cursor.fetchone()[0] or ())

    return load_once("acknowledged", load)  # type: ignore[no-any-return]


def is_steward(scope: Scope) -> bool:
    """Whether the open scope sees text without a label: stewards do, and the service."""

    def load() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT app_unlabelled()")
            return bool(cursor.fetchone()[0])

    return bool(load_once("unlabelled", load))


def is_cleared_for_all(file: File) -> bool:
    """Whether the open scope may read every paragraph of the published revision."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_cleared_for_file(%s)", [file.pk])
        return bool(cursor.fetchone()[0])


def list_collections(entity: Entity) -> dict[str, Collection]:
    """The collections that the record's type declares; the first is the default."""
    return dict(entity.type_class.rag().collections)


def get_collection(file: File) -> Collection:
    """The declaration behind a file; one that is gone counts as an empty one, whose text is classified. Raises: Http404
    where the record was deleted or closed meanwhile.
    """

    def load() -> int:
        found = Entity.objects.values_list("content_type", flat=True).filter(pk=file.entity_id).first()
        if found is None:
            raise Http404("Not found.")
        return int(found)

    declared = get_type_by_content_type(load_once(f"type {file.entity_id}", load)).rag().collections
    return declared.get(file.collection, Collection(file.collection))


def list_collection_atoms(file: File) -> list[int]:
    """The atoms that the file's collection declares."""
    return sorted(split_label(get_collection(file).classification))


def collect_floor_atoms(file: File) -> frozenset[int]:
    """What every paragraph of the file needs at least: the collection's label and the one given at upload."""
    return frozenset(list_collection_atoms(file)) | frozenset(list_atoms(file.floor))
