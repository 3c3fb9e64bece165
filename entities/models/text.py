"""Labelled paragraphs: the abstract base, and the paragraphs of records' long text fields."""

import uuid

from django.db import models

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models.entity import Entity
from entities.models.people import Workspace


class Labelled(models.Model):
    """A paragraph with its label and how it came by it.

    `votes` is a list of {"source": inherited|rules|model|manual, "labels": [atoms], "reason": str, "by"?,
    "confidence"?}: all votes are kept (design §2.3). `floor` is the label that nothing but a steward may go below.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    position = models.IntegerField()
    text = models.TextField()
    digest = models.CharField(max_length=64)
    data_classification = LabelField(null=True)
    floor = LabelField(default=0)
    votes = models.JSONField(default=list)

    class Meta:
        abstract = True


class FieldParagraph(Labelled):
    """One paragraph of a `LongText` field of a record. The only place where that text is stored."""

    entity = WorkspaceForeignKey(Entity)
    field = models.CharField(max_length=64)

    class Meta:
        ordering = ["field", "position"]
        indexes = [models.Index(fields=["entity", "field", "position"])]

    def __str__(self) -> str:
        return f"{self.field} {self.position}"
