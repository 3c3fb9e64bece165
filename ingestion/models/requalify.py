"""Working over what is stale: what is to be done, what is done, and what came of it (docs/adr/0033)."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models import Workspace
from ingestion.models.files import File


class Requalification(models.Model):
    """A run over the stale files of a workspace, or over all of them. At most one is open at a time.

    share: of its files, how many go first (0 to 1).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    everything = models.BooleanField(default=False)
    share = models.FloatField(default=1.0)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-started_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace"], condition=models.Q(ended_at=None), name="one_open_requalification"
            )
        ]

    def __str__(self) -> str:
        return str(self.pk)


class RequalifiedFile(models.Model):
    """A file of a run. What it says of labels may be told to nobody but the service and stewards who are cleared for
    every label: its own label is always NULL (a constraint), its floor everything.

    causes: names of inputs (`ingestion.witness`). before: deflated JSON of each paragraph's label, until it is done.
    gained, waiting: atom -> paragraphs that need it now and did not before, and that nothing gives it any more but
    their label of before, which waits for a steward. changed: paragraphs whose label changed.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        STARTED = "started", "Begun"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        LEFT = "left", "Left out"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    run = WorkspaceForeignKey(Requalification)
    file = WorkspaceForeignKey(File)
    position = models.PositiveIntegerField()
    canary = models.BooleanField(default=False)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    causes = ArrayField(models.CharField(max_length=12), default=list)
    detail = models.CharField(max_length=300, blank=True)
    before = models.BinaryField(null=True)
    paragraphs = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    gained = models.JSONField(default=dict)
    waiting = models.JSONField(default=dict)
    data_classification = LabelField(null=True)
    floor = LabelField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "file"], name="one_requalified_file"),
            models.CheckConstraint(condition=models.Q(data_classification=None), name="requalified_has_no_label"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}: {self.file_id}"
