"""What people ask of stewards: to be cleared for text that shows as a placeholder (design §11, docs/adr/0031)."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models import Entity, Membership, Workspace
from ingestion.models.files import File


class AccessRequest(models.Model):
    """A member asks for the atoms that they lack for a record, a file or a passage in it. Row-level security shows it
    to them and to stewards.

    atoms: what is asked for. until: of a granted one, when that ends; NULL for never. reason: of the decision, for the
    requester. told_at: when the requester was shown the decision. A granted one that has ended stays `granted`: what
    counts is `LabelGrant`.
    """

    class State(models.TextChoices):
        OPEN = "open", "Waiting"
        GRANTED = "granted", "Granted"
        REFUSED = "refused", "Refused"
        WITHDRAWN = "withdrawn", "Withdrawn"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    requester = models.BigIntegerField()
    membership = WorkspaceForeignKey(Membership)
    entity = WorkspaceForeignKey(Entity)
    file = WorkspaceForeignKey(File, null=True)
    passage = models.UUIDField(null=True)
    atoms = ArrayField(models.IntegerField())
    has_message = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    created_at = models.DateTimeField(auto_now_add=True)
    decided_by = models.BigIntegerField(null=True)
    decided_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=500, blank=True)
    until = models.DateTimeField(null=True)
    told_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "state"]), models.Index(fields=["requester", "created_at"])]

    def __str__(self) -> str:
        return str(self.pk)


class AccessMessage(models.Model):
    """What a requester wrote. It has the label that rules find in it where its author is cleared for that; else none,
    and shows to stewards who are cleared for its floor.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    request = WorkspaceForeignKey(AccessRequest)
    requester = models.BigIntegerField()
    text = models.TextField()
    data_classification = LabelField(null=True)
    floor = LabelField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["request"], name="one_message_per_request")]

    def __str__(self) -> str:
        return str(self.pk)
