"""What the pipeline keeps between steps, and which records wait to be indexed. PostgreSQL is the truth, not the
broker.
"""

import uuid

from django.db import models

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models import Entity, Workspace
from ingestion.models.files import FileRevision


class StepResult(models.Model):
    """What one step of the pipeline made of a revision, so that a killed worker goes on where it stopped.

    part: WHOLE for the finished step, 0 and up for what a long step has finished so far. payload: deflated JSON. The
    label is always NULL (a constraint), and the floor is everything: what is in here may get any label yet, so nobody
    reads it but the service, and stewards who may read every label. Deleted by publishing.
    """

    WHOLE = -1

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    revision = WorkspaceForeignKey(FileRevision)
    step = models.CharField(max_length=12)
    part = models.IntegerField(default=WHOLE)
    witness = models.CharField(max_length=64)
    data_classification = LabelField(null=True)
    floor = LabelField()
    payload = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "step", "part"], name="one_result_per_part"),
            models.CheckConstraint(condition=models.Q(data_classification=None), name="results_have_no_label"),
        ]

    def __str__(self) -> str:
        return f"{self.revision_id} {self.step} {self.part}"


class Worker(models.Model):
    """A main process of workers that said at `reported_at` how many processes it has (`ingestion.workers`)."""

    process = models.CharField(primary_key=True, max_length=160)
    processes = models.PositiveSmallIntegerField()
    reported_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.process


class RecordIndex(models.Model):
    """How far the index has followed a record's own text. stale_since: when it fell behind; NULL: it is up to date.

    Coalesces changes: however many come, one row, one task's work. claimed_until: as on `File`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    entity = WorkspaceForeignKey(Entity)
    stale_since = models.DateTimeField(null=True)
    claim = models.UUIDField(null=True)
    claimed_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entity"], name="one_index_state_per_entity")]
        indexes = [models.Index(fields=["workspace", "stale_since"])]

    def __str__(self) -> str:
        return str(self.entity_id)
