"""What extraction found in a file, paragraph by paragraph, each with its label."""

from collections.abc import Collection
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models import Labelled, Workspace
from ingestion.models.files import File, FileRevision


class Paragraph(Labelled):
    """A paragraph of a file's revision. Its id is stable (`segmenting.choose_identities`), so that citations and manual
    labels survive a new revision; only paragraphs of `file.revision` exist (publishing replaces them).

    headings: ids of the headings above it, outermost first; a heading's text stands only in its own, labelled row.
    under: those that it stands under to who may not know of all of these (`segment.list_disclosed_headings`); NULL
    where they are the same.
    boxes: where its words stand, as `boxes.Boxes` writes itself. start, end: span in the canonical text,
    characters. read_by: "" for the file's own text, `ocr` or `vision` where it was read off a picture. since: number of
    the version with which it came. relabelled: numbers of those whose publishing changed its label.
    """

    file = WorkspaceForeignKey(File)
    revision = WorkspaceForeignKey(FileRevision)
    page = models.PositiveIntegerField(null=True)
    boxes = models.JSONField(default=list)
    kind = models.CharField(max_length=10, default="text")
    headings = ArrayField(models.UUIDField(), default=list)
    under = ArrayField(models.UUIDField(), null=True)
    lang = models.CharField(max_length=8, default="en")
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    read_by = models.CharField(max_length=8, default="", db_default="", blank=True)
    since = models.PositiveIntegerField(default=1)
    relabelled = ArrayField(models.PositiveIntegerField(), default=list)

    class Meta:
        ordering = ["position"]
        indexes = [
            models.Index(fields=["file", "position"]),
            models.Index(fields=["workspace", "data_classification"]),
            models.Index(fields=["workspace", "file"], condition=~models.Q(review=0), name="paragraph_review"),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    def list_headings_to(self, read: Collection[UUID]) -> list[UUID]:
        """The headings above it to somebody who reads `read` of the file, those that they do not read among them."""
        return self.headings if self.under is None or all(pk in read for pk in self.headings) else self.under


class PastParagraph(models.Model):
    """What is remembered of a paragraph that a newer version no longer has (docs/adr/0032): its label and its votes as
    they were last, never its text. Should the text come back, so do its label and the decisions of stewards on it.

    paragraph: the id it had. since: as on `Paragraph`; until: number of the version that came without it. unread: that
    version is one it stood in, read again. inside: it stood in a file that came in versions before that one, or in that
    one as it was read before.
    """

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    file = WorkspaceForeignKey(File)
    paragraph = models.UUIDField()
    digest = models.CharField(max_length=64)
    data_classification = LabelField(null=True)
    floor = LabelField(default=0)
    votes = models.JSONField(default=list)
    since = models.PositiveIntegerField()
    until = models.PositiveIntegerField()
    relabelled = ArrayField(models.PositiveIntegerField(), default=list)
    unread = models.BooleanField(default=False, db_default=False)
    inside = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = [
            models.Index(fields=["file", "digest"]),
            models.Index(fields=["paragraph"], name="past_by_paragraph"),
        ]

    def __str__(self) -> str:
        return str(self.paragraph)
