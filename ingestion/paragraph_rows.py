"""Index rows in which the text of a paragraph stands, when its label changes."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from entities.models.text import Labelled
from ingestion.models import ContextRow, Paragraph, RowParagraph


def find_rows(paragraph: Labelled) -> list[UUID]:
    """Index rows in which the text of a paragraph stands: as text, or as a heading above it."""
    if not isinstance(paragraph, Paragraph):
        return list(RowParagraph.objects.filter(field_paragraph=paragraph.pk).values_list("row", flat=True))
    above = Q(headings__contains=[paragraph.pk]) | Q(under__contains=[paragraph.pk])
    below = Paragraph.objects.filter(above, file=paragraph.file_id).values_list("pk", flat=True)
    return list(RowParagraph.objects.filter(paragraph__in=[paragraph.pk, *below]).values_list("row", flat=True))


def raise_rows(paragraph: Labelled, rows: Sequence[UUID], label: int) -> list[UUID]:
    """Rows with the text of this paragraph alone get its new label, and who has that finds them until the index
    follows. Returns the others: a row has one label, and theirs have other text. For a label that only rises: what
    else a row says, such as headings, the old one covered.
    """
    links = RowParagraph.objects.filter(row__in=rows)
    own = {"paragraph" if isinstance(paragraph, Paragraph) else "field_paragraph": paragraph.pk}
    others = set(links.exclude(**own).values_list("row", flat=True))
    lone = [row for row in rows if row not in others]
    links.filter(row__in=lone).update(data_classification=label)
    ContextRow.objects.filter(pk__in=lone).update(data_classification=label)
    return list(others)
