"""Labelled paragraphs: the abstract base, and the paragraphs of records' long text fields."""

import uuid

from django.db import models
from django.db.models.expressions import F, Func
from django.utils.translation import gettext_noop

from entities.fields import KeptColumn, LabelField, WorkspaceForeignKey
from entities.models.entity import Entity
from entities.models.people import Workspace


class Review(models.IntegerChoices):
    """Bits of `Labelled.review`, as `app_review_causes` sets them (docs/adr/0030)."""

    UNLABELLED = 1, gettext_noop("Not labelled")
    CONFLICT = 2, gettext_noop("Votes disagree")
    LOW_CONFIDENCE = 4, gettext_noop("Low confidence")
    DECREASE = 8, gettext_noop("Decrease waits")
    RAISE = 16, gettext_noop("Raise to consider")


class Labelled(models.Model):
    """A paragraph with its label and how it came by it.

    `votes` is a list of {"source": inherited|rules|kind|head|model|manual, "labels": [atoms], "reason": str, "by"?,
    "confidence"?, "proposed"?}: all votes are kept (design §2.3). `floor` is the label that nothing but a steward may
    go below.
    `judged`: somebody or something knows the label (`ingestion.votes.is_judged`); else it is the resting label of the
    workspace. `review` is why a steward should look at it, computed by the database from votes and label (`Review`); 0
    for nothing.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    position = models.IntegerField()
    text = models.TextField()
    digest = models.CharField(max_length=64)
    data_classification = LabelField(null=True)
    floor = LabelField(default=0)
    votes = models.JSONField(default=list)
    review = KeptColumn(
        expression=Func(F("votes"), F("data_classification"), function="app_review_causes"),
        output_field=models.SmallIntegerField(),
        db_persist=True,
    )
    judged = KeptColumn(
        expression=Func(F("votes"), function="app_is_judged"), output_field=models.BooleanField(), db_persist=True
    )

    class Meta:
        abstract = True


class FieldParagraph(Labelled):
    """One paragraph of a `LongText` field of a record. The only place where that text is stored.

    author: user id of who typed it, 0 for nobody: `app_own_paragraphs` shows it to them until it has a label.
    """

    entity = WorkspaceForeignKey(Entity)
    field = models.CharField(max_length=64)
    author = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["field", "position"]
        indexes = [
            models.Index(fields=["entity", "field", "position"]),
            models.Index(fields=["workspace", "entity"], condition=~models.Q(review=0), name="field_paragraph_review"),
        ]

    def __str__(self) -> str:
        return f"{self.field} {self.position}"
