"""What a Pulse is stored as (design §8): the work on a variant, and the text of one."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from entities.fields import WorkspaceForeignKey
from entities.models import Derived, Entity, Workspace


class Variant(models.Model):
    """One Pulse of a record that is kept up to date: for readers who hold `atoms` of those that the service role holds.

    Holds no text, so whoever notices a change may mark it. atoms: ascending. stale_since: since when the text is known
    to be out of date in what its readers may see; shown. due_at: from when the sweep may look whether the inputs have
    changed; set too by changes that these readers may know nothing of, and so never shown. claim: who works on it until
    claimed_until; begun_at: when that last began. checked_at: when the text was last found to say what the inputs say.
    problem: a sentence for people about the last attempt, empty when it went well.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    entity = WorkspaceForeignKey(Entity)
    atoms = ArrayField(models.IntegerField())
    stale_since = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    claim = models.UUIDField(null=True)
    claimed_until = models.DateTimeField(null=True)
    begun_at = models.DateTimeField(null=True)
    checked_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    problem = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "entity", "atoms"], name="one_variant_per_atoms")]
        indexes = [
            models.Index(fields=["workspace", "due_at"]),
            models.Index(fields=["workspace", "claimed_until"]),
            models.Index(fields=["workspace", "entity"]),
        ]

    def __str__(self) -> str:
        return f"{self.entity_id} for {self.atoms}"


class Pulse(Derived):
    """The text of a variant, with markers `[citation:n]`; its id is the variant's, so its citations keep their owner.

    data_classification: the combination of the labels of everything that stood in the prompt; NULL where the text was
    withdrawn, which is then empty: a record that it named or counted was deleted. fingerprint: SHA-256 of what was read
    for it. generated_by: as which role, -role id. cost: USD of the call that made it.
    """

    variant = WorkspaceForeignKey(Variant)
    entity = WorkspaceForeignKey(Entity)
    text = models.TextField()
    generated_at = models.DateTimeField()
    fingerprint = models.CharField(max_length=64)
    model = models.CharField(max_length=80)
    offline = models.BooleanField(default=False)
    cost = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    generated_by = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["variant"], name="one_text_per_variant")]
        indexes = [
            models.Index(fields=["entity"]),
            models.Index(fields=["workspace"], condition=Q(data_classification=None), name="withdrawn_pulses"),
        ]

    def __str__(self) -> str:
        return str(self.pk)
