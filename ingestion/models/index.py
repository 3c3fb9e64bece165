"""The index: everything retrievable (design §4). Vectors and postings live in narrow tables beside it, see
`index.sql`.
"""

from django.db import models
from django.utils.translation import gettext_noop

from entities.fields import LabelField, NumberField, WorkspaceForeignKey
from entities.models import Derived, Entity, FieldParagraph, Workspace
from ingestion.models.files import File
from ingestion.models.paragraphs import Paragraph


class Kind(models.IntegerChoices):
    METADATA = 1, gettext_noop("Record")
    FILE_CHUNK = 2, gettext_noop("Passage")
    FILE_SUMMARY = 3, gettext_noop("Summary of a file")
    RELATIONSHIP = 4, gettext_noop("Relations")
    DELTA = 5, gettext_noop("Change")
    CHAT_MESSAGE = 6, gettext_noop("Message")
    ROLLING_SUMMARY = 7, gettext_noop("Summary of a conversation")


class ContextRow(Derived):
    """One retrievable text. Rows are immutable but for their label: changed text is a new row with a new id.

    audience: 0 for everybody, a user id, or -role id. field: for record text, the field it stands in. passage-level
    origin is in `RowParagraph` (files and long texts) or `Source` (other derived text). Inserting, relabelling and
    deleting keep the vector and posting tables in step by triggers.
    """

    data_classification = LabelField()
    number = NumberField()
    audience = models.BigIntegerField(default=0)
    kind = models.SmallIntegerField(choices=Kind)
    entity = WorkspaceForeignKey(Entity)
    file = WorkspaceForeignKey(File, null=True)
    field = models.CharField(max_length=64, blank=True)
    text = models.TextField()
    heading_path = models.TextField(blank=True, help_text="Headings joined by ' > '; only those the label covers.")
    page = models.PositiveIntegerField(null=True)
    position = models.IntegerField(default=0)
    tokens = models.PositiveIntegerField(default=0)
    lang = models.CharField(max_length=8, default="en")
    digest = models.CharField(max_length=64)
    witness = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["entity", "kind"]),
            models.Index(fields=["file", "position"]),
            models.Index(fields=["workspace", "data_classification"]),
            models.Index(fields=["workspace", "digest"]),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class RowParagraph(models.Model):
    """A row's paragraphs. The database holds the invariant: a row has one label and all its paragraphs have that label.

    Constraints (migration 0002): (row, data_classification) and (paragraph, data_classification) are foreign keys, so a
    paragraph cannot be relabelled while a row with its text stands.
    """

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    row = WorkspaceForeignKey(ContextRow, related_name="paragraph_links")
    paragraph = WorkspaceForeignKey(Paragraph, null=True)
    field_paragraph = WorkspaceForeignKey(FieldParagraph, null=True)
    data_classification = LabelField()

    class Meta:
        indexes = [
            models.Index(fields=["row"]),
            models.Index(fields=["paragraph"]),
            models.Index(fields=["field_paragraph"]),
        ]

    def __str__(self) -> str:
        return f"{self.row_id}: {self.paragraph_id or self.field_paragraph_id}"


class VectorModel(models.Model):
    """An embedding model that vectors were made with. Holds nothing of anybody: shared by all workspaces."""

    id = models.SmallAutoField(primary_key=True)
    model_id = models.CharField(max_length=200, unique=True)
    dim = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.model_id
