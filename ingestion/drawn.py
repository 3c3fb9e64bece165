"""The labels of what a text was drawn from, as they are at this moment.

Whoever gives a derived text its label, or turns none into one, adds these to what was read before:
`entities.access.raise_labels` leaves text without a label alone, so a raise that came in between would be lost.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, Q, QuerySet

from entities.access import hold_rows
from entities.access.objects import IsIn
from entities.models import FieldParagraph, Source
from ingestion.models import File, Paragraph


def lock_source_labels(derived: UUID) -> list[int]:
    """Labels of the paragraphs behind a derived text, which are locked to the end of the service's transaction.

    Who is raising one of them is waited for; who raises one later waits, and then finds the text with its label. A
    paragraph that has no label now adds nothing.
    """
    named = Source.objects.filter(derived=derived, passage__isnull=False).values_list("passage", flat=True)
    return lock_labels([passage for passage in named if passage])


def lock_labels(passages: Iterable[UUID], sender: int = 0) -> list[int]:
    """`lock_source_labels` for paragraphs given by id, and for files whose names are mentioned. sender: for a text that
    they alone read, what they sent adds nothing while it rests.
    """
    passages = set(passages)
    names = hold_rows(File.objects.filter(pk__in=passages).order_by("pk"))  # before paragraphs, as publishing does
    found: set[int | None] = {*names.values_list("name_classification", flat=True)}
    for rows in lock_paragraphs(passages):
        counted = _drop_sent(rows, sender).order_by()
        found |= set(counted.values_list("data_classification", flat=True).distinct())
    return sorted(label for label in found if label is not None)


def _drop_sent(rows: QuerySet[Any], sender: int) -> QuerySet[Any]:
    return rows.exclude(judged=False, revision__created_by=sender) if sender and rows.model is Paragraph else rows


def lock_paragraphs(passages: Iterable[UUID], *, to_change: bool = False) -> list[QuerySet[Any]]:
    """Lock paragraphs of files and of fields, as publishing does: file by file in reading order. Returns queries of
    them. By the files' ids: to order by a file itself would join it, and lock it after its paragraphs.
    to_change: as of `hold_rows`.
    """
    wanted = sorted(set(passages))
    if not wanted:
        return []
    of_files = Paragraph.objects.filter(pk__in=wanted).order_by("file_id", "position", "pk")
    of_fields = FieldParagraph.objects.filter(pk__in=wanted).order_by("entity_id", "field", "position", "pk")
    return [hold_rows(rows, to_change=to_change) for rows in (of_files, of_fields)]


def read_labels(passages: QuerySet[Source, UUID], sender: int = 0) -> list[int]:
    """Labels of the paragraphs whose ids a query of sources gives, as they are committed at this moment: nothing is
    locked, and a raise that is under way is not waited for. For text that is looked at again before it is done. sender:
    as of `lock_labels`.
    """
    among = Q(IsIn(F("pk"), ArraySubquery(passages)), data_classification__isnull=False)  # an array: by the keys
    of_files, of_fields = (
        _drop_sent(model._default_manager.filter(among), sender)
        .order_by()
        .values_list("data_classification", flat=True)
        .distinct()
        for model in (Paragraph, FieldParagraph)
    )
    return sorted({*of_files, *of_fields})
