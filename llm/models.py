"""What calls to models cost, and what a workspace may spend. No text is kept."""

import uuid
from datetime import timedelta

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy

from entities.models import Workspace
from llm.abilities import Abilities


class ModelCall(models.Model):
    """One call to a model, or one that was refused. Append-only; figures only, never text."""

    class Outcome(models.TextChoices):
        OK = "ok", "Answered"
        INTERRUPTED = "interrupted", "Broke off"
        STOPPED = "stopped", "Stopped by the caller"
        FAILED = "failed", "Failed"
        REFUSED = "refused", "Refused: over budget"

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    principal = models.BigIntegerField(help_text="User id, -role id, or 0 for the service.")
    feature = models.CharField(max_length=40)
    model = models.CharField(max_length=80)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    tokens_cached = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=12, decimal_places=6, default=0, help_text="USD")
    latency_ms = models.PositiveIntegerField(default=0)
    outcome = models.CharField(max_length=12, choices=Outcome)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["workspace", "at"], include=["cost"], name="modelcall_spent")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.feature} {self.model}"


class Budget(models.Model):
    """What a workspace's models may cost in a calendar month. Without a row the setting's default holds."""

    workspace = models.OneToOneField(Workspace, models.PROTECT, primary_key=True, related_name="+")
    monthly_cap = models.DecimalField(max_digits=10, decimal_places=2, help_text="USD a calendar month (UTC)")

    def __str__(self) -> str:
        return f"{self.monthly_cap} USD a month"


class WorkspaceEndpoint(models.Model):
    """The model that a workspace's administrators connected. Without a row the installation's settings hold.

    model: of all tiers, or of "fast" alone where deep_model is not empty. sealed_key: the key, encrypted by
    `llm.endpoints`. saved_by: user id. labels: how the classifying call asks this model, as its last test found;
    findings: of that test, a list of `llm.abilities.Abilities`.
    """

    class Api(models.TextChoices):
        ANTHROPIC = "anthropic", gettext_lazy("Anthropic’s Messages API")
        OPENAI = "openai", gettext_lazy("OpenAI’s Chat Completions API")

    class Labels(models.TextChoices):
        TOOL = "tool", "With a tool"
        JSON = "json", "As JSON"
        RULES = "rules", "By rules"

    workspace = models.OneToOneField(Workspace, models.PROTECT, primary_key=True, related_name="+")
    api = models.CharField(max_length=12, choices=Api, default=Api.ANTHROPIC)
    base_url = models.CharField(max_length=300, blank=True)
    model = models.CharField(max_length=80, blank=True)
    deep_model = models.CharField(max_length=80, blank=True)
    sealed_key = models.TextField(blank=True)
    labels = models.CharField(max_length=8, choices=Labels, default=Labels.TOOL)
    findings = models.JSONField(default=list, blank=True)
    saved_by = models.BigIntegerField()
    saved_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.base_url or "Anthropic"

    @property
    def abilities(self) -> list[Abilities]:
        return [Abilities.from_json(one) for one in self.findings]


class EndpointTest(models.Model):
    """The last test of a model in a workspace, which a worker carries out (`llm.endpoint_tests`).

    saves: whether the endpoint is saved when the test finds that it can be used; without it, that of the installation
    is tested, and none stands here. sealed_key: until the test has ended. model_now, step, step_at: what is being
    asked, and since when. results: a list of `llm.abilities.Abilities`. note: why nothing came of it. started_by: user
    id. token: of this test; another begins with another.
    """

    SILENT = timedelta(minutes=11)
    """Without another step for so long, the worker is gone: twice `llm.transport.TEST_SECONDS`, and a minute."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waits for a worker"
        RUNNING = "running", "Runs"
        STOPPING = "stopping", "Is stopped with its next step"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    workspace = models.OneToOneField(Workspace, models.PROTECT, primary_key=True, related_name="+")
    token = models.UUIDField(default=uuid.uuid4)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    saves = models.BooleanField(default=False)
    api = models.CharField(max_length=12, choices=WorkspaceEndpoint.Api, default=WorkspaceEndpoint.Api.ANTHROPIC)
    base_url = models.CharField(max_length=300, blank=True)
    model = models.CharField(max_length=80, blank=True)
    deep_model = models.CharField(max_length=80, blank=True)
    sealed_key = models.TextField(blank=True)
    model_now = models.CharField(max_length=80, blank=True)
    step = models.CharField(max_length=12, blank=True)
    step_at = models.DateTimeField(default=timezone.now)
    results = models.JSONField(default=list, blank=True)
    note = models.CharField(max_length=200, blank=True)
    started_by = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.state} {self.model}"

    @property
    def abilities(self) -> list[Abilities]:
        return [Abilities.from_json(one) for one in self.results]

    @property
    def is_lost(self) -> bool:
        """Whether it did not end, and its worker is gone."""
        was_begun = self.state in (self.State.RUNNING, self.State.STOPPING)
        return was_begun and timezone.now() - self.step_at > self.SILENT

    @property
    def is_working(self) -> bool:
        """Whether a worker is in a call for it."""
        return self.state in (self.State.RUNNING, self.State.STOPPING) and not self.is_lost

    @property
    def is_live(self) -> bool:
        """Whether it may still come to something, or its worker is not free yet."""
        return self.state == self.State.WAITING or self.is_working

    @property
    def is_failed(self) -> bool:
        return self.state == self.State.FAILED or self.is_lost
