"""What people ask of stewards: to be cleared for text that shows as a placeholder (design §11, docs/adr/0031)."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models import Classification, Entity, Membership, Workspace
from ingestion.models.files import File


class Extent(models.TextChoices):
    """How far a grant reaches: `LEVEL` clears for all text with the atoms, the others for the text of one place."""

    PASSAGE = "passage", "This paragraph"
    FILE = "file", "This file"
    RECORD = "record", "This record"
    LEVEL = "level", "The level"


class AccessRequest(models.Model):
    """A member asks for the atoms that they lack for a record, a file or a passage in it. Row-level security shows it
    to them and to stewards.

    positions: of the paragraphs behind the placeholder that was asked about, in `field` of the record or in `revision`
    of the file; empty where it was asked about all of it. They are never disclosed to the requester. extent: of a
    granted one. atoms: what is asked for. until: of a granted one, when that ends; NULL for never. reason: of the
    decision, for the requester. told_at: when the requester was shown the decision. A granted one that has ended stays
    `granted`: what counts is `LabelGrant` or `TextGrant`.
    """

    class State(models.TextChoices):
        OPEN = "open", "Waiting"
        GRANTED = "granted", "Granted"
        REFUSED = "refused", "Declined"
        WITHDRAWN = "withdrawn", "Withdrawn"
        RECALLED = "recalled", "Taken back"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    requester = models.BigIntegerField()
    membership = WorkspaceForeignKey(Membership)
    entity = WorkspaceForeignKey(Entity)
    file = WorkspaceForeignKey(File, null=True)
    passage = models.UUIDField(null=True)
    field = models.CharField(max_length=64, default="", blank=True)
    revision = models.UUIDField(null=True)
    positions = ArrayField(models.IntegerField(), default=list)
    extent = models.CharField(max_length=7, choices=Extent, default=Extent.LEVEL)
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


class TextGrant(models.Model):
    """One member may read, on its page, text of one place that needs the atom `classification` (docs/adr/0051).

    passages: ids of the paragraphs, where `extent` is `passage`; else the place is the file or the record of `request`.
    It goes with the request and with the membership. Only `app_granted_texts` reads text by it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    request = WorkspaceForeignKey(AccessRequest)
    membership = WorkspaceForeignKey(Membership)
    classification = WorkspaceForeignKey(Classification)
    extent = models.CharField(max_length=7, choices=Extent)
    passages = ArrayField(models.UUIDField(), default=list)
    expires_at = models.DateTimeField(null=True)
    granted_by = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["membership"], name="text_grant_membership")]

    def __str__(self) -> str:
        return str(self.pk)
