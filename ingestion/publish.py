"""Publishing: one transaction in which a reader's view changes from the old document to the new one (design §4).

Paragraphs and rows that are gone go, new ones come, unchanged ones are not touched: their ids are made of their
content, so vectors, postings, citations and manual labels stay.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils import timezone

from entities.access import Scope, hold_rows, raise_labels
from entities.access.scope import get_current_scope
from entities.actions import record_action
from entities.models import Source
from ingestion.access import hold_record
from ingestion.attachments import LOST, follow_labels, publish_attachments
from ingestion.blobs import ReceivedUpload
from ingestion.boxes import Boxes
from ingestion.claims import ClaimLost
from ingestion.documents import Extraction, ParagraphText
from ingestion.index import BATCH, replace_rows
from ingestion.kind_floors import raise_document
from ingestion.links import publish_links
from ingestion.models import ContextRow, File, FileRevision, Kind, Paragraph, Redo, Stage, State
from ingestion.name_labels import publish_name_label
from ingestion.paragraph_identity import digest_decisions, list_disclosed_sections
from ingestion.past_paragraphs import save_past_paragraphs
from ingestion.queueing import resume_revision
from ingestion.remainder_store import compute_remainder_columns
from ingestion.results import drop_results
from ingestion.signals import document_indexed
from ingestion.vector_models import lock_embedder
from ingestion.work import MarkedParagraph, SegmentedFile, Work, load_work
from llm.metering import write_calls

COLUMNS = (
    "position", "data_classification", "floor", "votes", "page", "boxes", "kind", "headings", "under", "lang", "start",
    "end", "relabelled", "read_by",
)  # fmt: skip


class WorkOutdated(Exception):
    """What was built on is no longer so. labels_only: the text and the votes still stand."""

    def __init__(self, *, labels_only: bool) -> None:
        super().__init__()
        self.labels_only = labels_only


def publish_revision(
    work: Work,
    done: dict[Stage, Any],
    took: Mapping[Stage, float] | None = None,
    received: Mapping[int, ReceivedUpload] | None = None,
) -> None:
    """In an open service scope. took: seconds by stage, to be told afterwards. received: bytes of the attachments, by
    part. Raises: ClaimLost, Outdated; then nothing has changed.
    """
    scope = get_current_scope()
    hold_record(work.entity)
    mine = File.objects.select_for_update().filter(work.claim.build_ownership_q())
    file = mine.only("revision", "aside", "attachments").first()
    if file is None:
        raise ClaimLost
    is_first = file.revision_id is None  # nothing of it is in the database yet that would have to be compared
    extraction: Extraction = done[Stage.EXTRACT]
    segmented: SegmentedFile = done[Stage.SEGMENT]
    embedder = lock_embedder()
    now = load_work(work.claim, embedder.model_id, hold=True)
    if (now.witness, now.embedder, now.inputs.concealed) != (work.witness, work.embedder, work.inputs.concealed):
        raise WorkOutdated(labels_only=now.witness == work.witness)
    if now.policy.resting != work.policy.resting:
        raise WorkOutdated(labels_only=True)
    there = Paragraph.objects.none() if is_first else Paragraph.objects.filter(file=file.pk)
    before = {p.pk: p for p in hold_rows(there.order_by("position"), to_change=True)}
    if digest_decisions(list(before.values()), now.floor) != segmented.decisions:
        raise WorkOutdated(labels_only=True)
    old_labels = {pk: paragraph.data_classification for pk, paragraph in before.items()}
    rested = {pk: paragraph for pk, paragraph in before.items() if not paragraph.judged}
    write_paragraphs(work, before, extraction, segmented)
    labels = {m.id: m.label for m in segmented.paragraphs if m.label and old_labels.get(m.id) != m.label}
    labels |= find_no_longer_sent(work.claim.revision, rested)
    names = {file.pk: publish_name_label(work, file, segmented)}
    # Text that was drawn from these rises with them, also from one that was away, or without a label, in between; where
    # a label fell, combining changes nothing.
    labels = names if is_first else labels | names
    drawn = Source.objects.filter(passage__in=labels).values_list("passage", flat=True).distinct()
    raise_labels({pk: labels[pk] for pk in drawn if pk is not None})
    rows = ContextRow.objects.none() if is_first else ContextRow.objects.filter(file=file.pk)
    replace_rows(
        workspace=work.workspace,
        entity=work.entity,
        file=work.file,
        existing=rows.filter(kind__in=[Kind.FILE_CHUNK, Kind.FILE_SUMMARY]),
        drafts=done[Stage.CHUNK],
        vectors=done[Stage.EMBED],
        embedder=embedder,
        witness=work.witness,
    )
    if work.opened:
        publish_links(work, extraction, segmented, is_first=is_first)
        if extraction.attachments or not is_first:
            publish_attachments(work, extraction, segmented, received or {})
    else:
        follow_labels(work, segmented)
    finish_publication(scope, work, file, extraction, done, took or {})
    raise_document(file.pk)  # what an administrator added for its kind since it was judged


def find_no_longer_sent(revision: UUID, rested: Mapping[UUID, Paragraph]) -> dict[UUID, int]:
    """Of paragraphs as they rested before: the labels of those that who sent them has read for that, and does not any
    more. Somebody knows the label by now, or somebody else sent the newer version.
    """
    if not rested:
        return {}
    revisions = FileRevision.objects.filter(pk__in={revision, *(old.revision_id for old in rested.values())})
    is_others = revisions.order_by().values("created_by").distinct().count() > 1
    now = {p.pk: p for p in Paragraph.objects.filter(pk__in=rested).only("data_classification", "judged")}
    left = [now.get(pk, old) for pk, old in rested.items() if is_others or (pk in now and now[pk].judged)]
    return {p.pk: p.data_classification for p in left if p.data_classification}


def list_stages(done: dict[Stage, Any], took: Mapping[Stage, float]) -> list[tuple[str, int | None, float | None]]:
    """(stage, how many came out of it, seconds), in order."""
    extraction: Extraction = done[Stage.EXTRACT]
    counts = {
        Stage.EXTRACT: extraction.pages,
        Stage.CLASSIFY: len(extraction.paragraphs),
        Stage.CHUNK: sum(draft.kind == Kind.FILE_CHUNK for draft in done[Stage.CHUNK]),
        Stage.EMBED: len(done[Stage.EMBED]),
    }
    return [(stage.value, counts.get(stage), took.get(stage)) for stage in done]


def finish_publication(
    scope: Scope, work: Work, file: File, extraction: Extraction, done: dict[Stage, Any], took: Mapping[Stage, float]
) -> None:
    """The file's row, the audit, and word to whoever builds on the index. file: as it was before."""
    revision, at = work.claim.revision, timezone.now()
    was = FileRevision.objects.get(pk=revision)
    lost = {LOST} & {*extraction.unaccounted}  # it is there, and may be taken out another time
    FileRevision.objects.filter(pk=revision).update(
        witness=work.witness,
        inputs=work.inputs.to_json(),
        attachments=max(was.attachments, len(extraction.attachments) + len(lost)),
        strategy="",
        published_at=at,
        **({"stages": list_stages(done, took)} if work.opened else {}),
        **({} if done[Stage.CLASSIFY].kind is None else {"kind": done[Stage.CLASSIFY].kind}),
        **compute_remainder_columns(work, file, was, extraction, done[Stage.CLASSIFY].remainder, lost),
    )
    outcome = {
        "pending_revision": None,
        "state": State.READY,
        "stage": Stage.DONE,
        "error_code": "",
        "error_detail": "",
        "error_page": None,
        "redo": Redo.NOTHING,
    }
    if file.revision_id == revision:  # who knows of an earlier one alone sees that one made again
        earlier = FileRevision.objects.filter(file=work.file, number__lt=was.number).exclude(witness="")
        earlier.update(published_at=at)
    File.objects.filter(work.claim.build_ownership_q()).update(
        **outcome | resume_revision(file.aside) | ({"strategy": was.strategy} if was.strategy else {}),
        revision=revision,
        progress=100,
        media_type=extraction.media_type,
        pages=extraction.pages,
        unaccounted=[{"code": u.code, "detail": u.detail, "page": u.page} for u in extraction.unaccounted],
        notes=[{"code": note.code, "detail": note.detail} for note in extraction.notes],
        claim=None,
        claimed_until=None,
        attempts=0,
        rows_due=False,
        aside=None,
        woken_at=None,
        updated_at=at,
    )
    if work.saved or work.unsaved.has_saved:
        drop_results(revision)
    write_calls()
    injections = list(done[Stage.CLASSIFY].injections)
    record_action(scope, "file.indexed", "file", work.file, **({"injections": injections} if injections else {}))
    document_indexed.send(File, workspace=work.workspace, entity_id=work.entity, file_id=work.file)


def write_paragraphs(
    work: Work, before: dict[UUID, Paragraph], extraction: Extraction, segmented: SegmentedFile
) -> None:
    under = list_disclosed_sections(work, extraction, segmented)
    wanted = [
        _build_paragraph(work, position, paragraph, marked, under.get(position))
        for position, (paragraph, marked) in enumerate(zip(extraction.paragraphs, segmented.paragraphs, strict=True))
    ]
    ids = {row.pk for row in wanted}
    gone = [old for pk, old in before.items() if pk not in ids]
    save_past_paragraphs(gone, until=work.number, unread=work.published)
    Paragraph.objects.filter(pk__in=[old.pk for old in gone])._raw_delete("default")
    for row in wanted:
        old = before.get(row.pk)
        if old is not None:
            changed_here = row.data_classification != old.data_classification and not work.published
            row.relabelled = [*old.relabelled, *([work.number] if changed_here else [])]
    changed = [
        row
        for row in wanted
        if row.pk in before and any(getattr(row, c) != getattr(before[row.pk], c) for c in COLUMNS)
    ]
    # Of an unchanged paragraph only the revision is another: one statement for all of those.
    Paragraph.objects.filter(pk__in=[pk for pk in before if pk in ids]).exclude(revision=work.claim.revision).update(
        revision=work.claim.revision
    )
    Paragraph.objects.bulk_update(changed, COLUMNS, batch_size=BATCH)
    Paragraph.objects.bulk_create([row for row in wanted if row.pk not in before], batch_size=BATCH)


def _build_paragraph(
    work: Work, position: int, paragraph: ParagraphText, marked: MarkedParagraph, under: list[UUID] | None
) -> Paragraph:
    return Paragraph(
        id=marked.id,
        workspace_id=work.workspace,
        file_id=work.file,
        revision_id=work.claim.revision,
        position=position,
        text=paragraph.text,
        digest=marked.digest,
        data_classification=marked.label,
        floor=marked.floor,
        votes=[vote.to_json() for vote in marked.votes],
        page=paragraph.page,
        boxes=Boxes(paragraph.boxes).to_json(),
        kind=paragraph.kind,
        headings=list(marked.headings),
        under=under,
        lang=paragraph.lang,
        start=paragraph.start,
        end=paragraph.end,
        since=work.number,
        read_by=paragraph.read_by,
    )
