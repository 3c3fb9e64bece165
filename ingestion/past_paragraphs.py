"""What is kept of paragraphs that a newer version no longer has: labels and votes, never text (docs/adr/0032)."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from ingestion.models import Paragraph, PastParagraph

BATCH = 500


def save_past_paragraphs(gone: Iterable[Paragraph], *, until: int, unread: bool) -> None:
    """Of paragraphs that the version `until` came without, in the transaction that publishes it. unread: it came with
    them before, and has been read again.
    """
    PastParagraph.objects.bulk_create(
        [_build_past(row, row.file_id, row.since, until, unread=unread) for row in gone], batch_size=BATCH
    )


def transfer_attachments(
    files: Sequence[UUID], *, to: UUID, version: int, unread: bool = False, inside: bool = True
) -> None:
    """Attachments go with the version of their message that no longer has them. Their message remembers for them: the
    same text may come back in it. It stood in no version of the message itself: from `version`, until it. inside: what
    comes in these bytes by another reading may be the same.
    """
    if not files:
        return
    before = list(PastParagraph.objects.filter(file__in=files).order_by("until", "pk"))
    now = list(Paragraph.objects.filter(file__in=files).order_by("pk"))
    rows: list[Paragraph | PastParagraph] = [*before, *now]
    PastParagraph.objects.bulk_create(
        [_build_past(row, to, version, version, unread=unread, inside=inside) for row in rows], batch_size=BATCH
    )


def _build_past(
    row: Paragraph | PastParagraph, file: UUID, since: int, until: int, *, unread: bool, inside: bool = False
) -> PastParagraph:
    return PastParagraph(
        workspace_id=row.workspace_id,
        file_id=file,
        paragraph=row.pk if isinstance(row, Paragraph) else row.paragraph,
        digest=row.digest,
        data_classification=row.data_classification,
        floor=row.floor,
        votes=row.votes,
        since=since,
        until=until,
        relabelled=row.relabelled,
        unread=unread,
        inside=inside,
    )
