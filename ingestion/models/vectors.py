"""Which embedding models a workspace uses (docs/adr/0020). Vectors themselves are in a narrow table, `index.sql`."""

from django.db import models

from entities.models import Workspace
from ingestion.models.index import VectorModel


class WorkspaceModel(models.Model):
    """A model of a workspace: the one that its searches use, or one that stands beside it, to replace it or replaced,
    or one whose vectors are being deleted.

    rows, missing: rows of the index and those of them without this model's vector, when they were last counted
    (checked_at). claim, claimed_until: as on `File`. switched_at: when searches last began or ceased to use it.
    switch_asked_by: searches change to it by themselves as soon as it is whole, or have done so, because this principal
    asked for it; the model before it is dropped by itself after a while. NULL: a command does both.
    """

    class State(models.TextChoices):
        CURRENT = "current", "Used by searches"
        BESIDE = "beside", "Kept beside it"
        DROPPED = "dropped", "Being removed"

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    model = models.ForeignKey(VectorModel, models.PROTECT, related_name="+")
    state = models.CharField(max_length=8, choices=State)
    rows = models.PositiveIntegerField(default=0)
    missing = models.PositiveIntegerField(default=0)
    checked_at = models.DateTimeField(null=True)
    claim = models.UUIDField(null=True)
    claimed_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    added_at = models.DateTimeField(auto_now_add=True)
    switched_at = models.DateTimeField(null=True)
    switch_asked_by = models.BigIntegerField(null=True)

    class Meta:
        verbose_name = "embedding model"
        constraints = [
            models.UniqueConstraint(fields=["workspace", "model"], name="one_state_per_model"),
            models.UniqueConstraint(
                fields=["workspace"], condition=models.Q(state="current"), name="one_current_model_per_workspace"
            ),
        ]

    def __str__(self) -> str:
        return str(self.model_id)
