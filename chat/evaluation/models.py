"""Runs of the evaluation of answers as rows."""

import uuid

from django.db import models

from entities.models import Workspace


class AnswerRun(models.Model):
    """A run of `manage.py evaluate --answers`: figures and keys of questions, no text.

    digest: of the questions; only runs of equal digest are compared. reader: who asked. model: which answered. judge:
    which model judged, with the version of its prompt; "" for the support check. scores: key of a question -> figure ->
    value. verdicts: key of a question -> what the judge said of each statement and of the whole. dropped: whether it
    was worse than the one before beyond noise; such a run is not what later ones are compared with.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    set_name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64)
    reader = models.CharField(max_length=200)
    model = models.CharField(max_length=100, blank=True)
    judge = models.CharField(max_length=150, blank=True)
    commit = models.CharField(max_length=60, blank=True)
    figures = models.JSONField(default=dict)
    scores = models.JSONField(default=dict)
    verdicts = models.JSONField(default=dict)
    seconds = models.FloatField()
    dropped = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "set_name", "created_at"], name="answer_runs_of_set")]

    def __str__(self) -> str:
        return f"{self.set_name} {self.created_at:%Y-%m-%d %H:%M}"
