"""What derived text was drawn from, so that labels and object permission flow with it (design §2.2)."""

import uuid
from collections.abc import Collection

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models.entity import Entity
from entities.models.people import Workspace


class Weight(models.TextChoices):
    """What of a record went into a derived text. Visibility asks for all three, deletion tells them apart (ADR 45)."""

    TEXT = "text", "Its text"
    NAME = "name", "Its name"
    COUNT = "count", "A number that includes it"


class Source(models.Model):
    """One passage of one entity that a derived text was drawn from.

    `derived` is the id of a row of some `Derived` model, `passage` the id of a `Paragraph`, `FieldParagraph` or
    message, or of a file whose name it is (NULL: the entity's own fields). counted: ids of records that are included in
    numbers which the text repeats from a Pulse of `entity`; NULL where the row is about `entity` itself. They are no
    keys: such a record may be deleted.

    number: of a source that texts of one conversation have in common, which is in `derived`; each of them keeps a set
    of such numbers (docs/adr/0063). NULL where `derived` is the text.
    """

    workspace = models.ForeignKey(Workspace, models.PROTECT)
    derived = models.UUIDField()
    entity = WorkspaceForeignKey(Entity)
    passage = models.UUIDField(null=True)
    weight = models.CharField(max_length=5, choices=Weight, default=Weight.TEXT, db_default=Weight.TEXT)
    counted = ArrayField(models.UUIDField(), null=True)
    number = models.BigIntegerField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["derived"]),
            models.Index(fields=["passage"]),
            models.Index(fields=["entity"]),
            models.Index(fields=["derived"], condition=Q(counted__isnull=False), name="sources_with_a_list"),
            models.Index(fields=["derived"], condition=Q(number=None), name="sources_of_one_text"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(counted__isnull=True) | Q(weight=Weight.COUNT), name="only_a_count_lists_records"
            )
        ]

    def __str__(self) -> str:
        return f"{self.derived} from {self.passage or self.entity_id}"


class Derived(models.Model):
    """Base of every model whose text was drawn from other text. `access.raise_labels` finds the subclasses by
    itself.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    data_classification = LabelField(null=True)

    class Meta:
        abstract = True

    @classmethod
    def build_derived_from_q(cls, passages: Collection[uuid.UUID]) -> Q:
        """Condition on rows of this model: drawn from one of these passages."""
        return Q(pk__in=Source.objects.filter(passage__in=passages).values("derived"))
