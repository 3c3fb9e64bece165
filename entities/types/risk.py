from django.db import models

from entities.fields import LongText, WorkspaceForeignKey
from entities.models.entity import Entity
from entities.rag import Allow
from entities.types.contract import Contract
from entities.types.project import Project


class Risk(Entity):
    entity_ptr = models.OneToOneField(Entity, models.CASCADE, parent_link=True, primary_key=True, related_name="+")

    class Severity(models.TextChoices):
        LOW = "low", "Low"
        MEDIUM = "medium", "Medium"
        HIGH = "high", "High"

    class Status(models.TextChoices):
        OPEN = "open", "Open"
        MITIGATED = "mitigated", "Mitigated"
        ACCEPTED = "accepted", "Accepted"

    class Category(models.TextChoices):
        GENERAL = "general", "General"
        SENSITIVE = "sensitive", "Sensitive"

    project = WorkspaceForeignKey(Project, null=True, blank=True)
    contract = WorkspaceForeignKey(Contract, null=True, blank=True, on_db_delete="SET NULL")
    severity = models.CharField(max_length=20, choices=Severity, default=Severity.MEDIUM)
    status = models.CharField(max_length=20, choices=Status, default=Status.OPEN)
    category = models.CharField(max_length=20, choices=Category, default=Category.GENERAL)
    description = LongText()

    class Rag(Entity.Rag):
        semantic = "{name}, {severity} severity, {status}"
        pulse = True
        pulse_prompt = "Summarise this risk: what it is, where it comes from, mitigation and recommended action."
        status_fields = ["status", "severity"]
        icon = "alert-triangle"
        color = "red"

    class Access(Entity.Access):
        rules = [
            *Entity.Access.rules,
            # Of those that are restricted. No workspace has this role until an administrator makes it.
            Allow("view", roles=["Risk board"], rows=models.Q(category="sensitive")),
        ]
