from django.db import models

from entities.models.people import Workspace


class AuditEntry(models.Model):
    """Who did what to what. Append-only; holds ids and labels, never text."""

    workspace = models.ForeignKey(Workspace, models.PROTECT)
    at = models.DateTimeField(auto_now_add=True)
    actor = models.BigIntegerField(help_text="User id, -role id, or 0 for the service.")
    action = models.CharField(max_length=60)
    object_kind = models.CharField(max_length=60, blank=True)
    object_id = models.CharField(max_length=64, blank=True)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["workspace", "-id"]), models.Index(fields=["object_id"])]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.action}"
