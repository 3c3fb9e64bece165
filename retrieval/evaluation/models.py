"""Runs of evaluations as rows. Ids, ranks and figures; the only text is that of questions, which has a label."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models import Workspace


class EvaluationQuestion(models.Model):
    """A question of a set. places: [{"file": id, "page"?, "to"?, "rows"?: ids of index rows that show it}] of the files
    that the last run's reader saw; names and quotes are not kept, they have labels of their own.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    set_name = models.CharField(max_length=100)
    key = models.CharField(max_length=200)
    text = models.TextField()
    answerable = models.BooleanField(default=True)
    places = models.JSONField(default=list)
    files = models.JSONField(default=list)
    data_classification = LabelField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "set_name", "key"], name="one_question_per_key")]

    def __str__(self) -> str:
        return f"{self.set_name} {self.key}"


class EvaluationRun(models.Model):
    """digest: of the questions; only runs of equal digest are compared. reader: who asked. settings: `Tuning` and what
    else decides a ranking. commit: of the code, where it is known. figures: ranking -> figure -> mean. silence: of
    questions without an answer, {} where the set has none. dropped: whether it was worse than the one before by more
    than was allowed; such a run is not what later ones are compared with.

    questions, lost, figures, silence and dropped are of all of its questions: what a page may show of them is asked of
    `retrieval.evaluation.visible_runs`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    set_name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64)
    reader = models.CharField(max_length=200)
    model_id = models.CharField(max_length=100)
    commit = models.CharField(max_length=60, blank=True)
    settings = models.JSONField(default=dict)
    figures = models.JSONField(default=dict)
    silence = models.JSONField(default=dict)
    questions = models.PositiveIntegerField()
    lost = models.PositiveIntegerField(default=0)
    seconds = models.FloatField()
    dropped = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "set_name", "created_at"], name="evaluation_runs_of_set")]

    def __str__(self) -> str:
        return f"{self.set_name} {self.created_at:%Y-%m-%d %H:%M}"


class EvaluationOutcome(models.Model):
    """A question in a run. files: those that answer it or that it asks of, as the run's reader saw them.

    scores: where it has an answer, ranking -> [first rank that shows a place or null, then the figures in the order of
    `metrics.NAMES`, null where one is not known]; "nearest": similarity of the nearest passage, null where nothing was
    found; "lost": whether it names a file that was not there. Runs from before have neither of the two.
    """

    id = models.BigAutoField(primary_key=True)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    run = WorkspaceForeignKey(EvaluationRun)
    question = WorkspaceForeignKey(EvaluationQuestion)
    scores = models.JSONField(default=dict)
    files = ArrayField(models.UUIDField(), default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "question"], name="one_outcome_per_question")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.question_id}"
