"""Floors that came with an upload: the revision waits with its floor until what readers see has it too."""

from uuid import UUID

from entities.access import Scope, combine_many, hold_rows, list_atoms, raise_labels
from ingestion.attachments import list_attachments
from ingestion.models import ContextRow, File, FileRevision, Paragraph, RowParagraph
from ingestion.name_labels import add_name_atoms
from ingestion.queueing import publish_again, take_revision
from ingestion.votes import add_floor, build_votes


def take_with_floor(workspace: int, revision: UUID) -> None:
    """Let a revision come with the floor that was sent with it: in one transaction of the service, when the upload has
    committed and before its caller gets an answer; by the sweep, where the web server did not live to do it. What
    readers see already, its index rows and all text drawn from it are bound at once, and so are decisions that were
    made without it.
    """
    with Scope.for_service(workspace).open():
        waiting = FileRevision.objects.filter(pk=revision, floor__isnull=False)
        file = File.objects.select_for_update().filter(pk__in=waiting.values("file")).first()
        given = waiting.first()
        if file is None or given is None or given.floor is None:
            return  # another process got there first, or the file is gone
        floor = given.floor
        FileRevision.objects.filter(pk=given.pk).update(floor=None)
        raised = combine_many([file.floor, floor])  # the floor only rises
        names = {file.pk: add_name_atoms(file, [floor], floor=raised)}
        raise_published(file.pk, raised)
        for child in File.objects.select_for_update().filter(pk__in=list_attachments([file.pk])):
            rise = combine_many([child.floor, floor])
            names[child.pk] = add_name_atoms(child, [floor], floor=rise)
            raise_published(child.pk, rise)
            publish_again(child.pk)
        raise_labels(names)
        aside = file.aside and file.aside["revision"]
        known = FileRevision.objects.filter(pk__in=[given.pk, file.pending_revision_id, file.revision_id, aside])
        # A still newer upload may have been faster.
        take_revision(known.select_related("blob").order_by("-number")[0])


def list_left_with_floor() -> list[UUID]:
    """Revisions that wait for `take_with_floor`, in an open service scope. It does nothing where their own web server
    is at that still."""
    return list(FileRevision.objects.filter(floor__isnull=False).values_list("pk", flat=True))


def raise_published(file: UUID, floor: int) -> None:
    """In an open service scope, with the file locked."""
    paragraphs = list(hold_rows(Paragraph.objects.filter(file=file).order_by("position"), to_change=True))
    given = frozenset(list_atoms(floor))
    for paragraph in paragraphs:
        paragraph.votes = [vote.to_json() for vote in add_floor(build_votes(paragraph.votes), given)]
        paragraph.floor = combine_many([paragraph.floor, floor])
        if paragraph.data_classification is not None:
            paragraph.data_classification = combine_many([paragraph.data_classification, floor])
    links = RowParagraph.objects.filter(paragraph__file=file)
    for old in set(links.values_list("data_classification", flat=True)):
        # Rows and paragraphs of one label rise together; the database compares them at the end.
        links.filter(data_classification=old).update(data_classification=combine_many([old, floor]))
    rows = ContextRow.objects.filter(file=file, data_classification__isnull=False)
    for old in set(rows.values_list("data_classification", flat=True)):
        rows.filter(data_classification=old).update(data_classification=combine_many([old, floor]))
    Paragraph.objects.bulk_update(paragraphs, ["votes", "floor", "data_classification"], batch_size=500)
    raise_labels({p.pk: p.data_classification for p in paragraphs if p.data_classification is not None})
