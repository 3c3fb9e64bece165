from django.db import models

from entities.fields import LongText
from entities.models.classification import FINANCIAL, PII
from entities.models.entity import Entity
from entities.rag import Collection


class Contract(Entity):
    entity_ptr = models.OneToOneField(Entity, models.CASCADE, parent_link=True, primary_key=True, related_name="+")

    class Status(models.TextChoices):
        DRAFT = "draft", "Draft"
        ACTIVE = "active", "Active"
        EXPIRING = "expiring", "Expiring"
        TERMINATED = "terminated", "Terminated"

    counterparty = models.CharField(max_length=200)
    value = models.DecimalField(max_digits=14, decimal_places=2, null=True, blank=True)
    currency = models.CharField(max_length=3, default="EUR")
    status = models.CharField(max_length=20, choices=Status, default=Status.DRAFT)
    starts_on = models.DateField(null=True, blank=True)
    ends_on = models.DateField(null=True, blank=True)
    notice_days = models.PositiveIntegerField("notice period (days)", null=True, blank=True)
    notes = LongText()

    class Rag(Entity.Rag):
        semantic = "{name} with {counterparty}, {status}"
        classified = {"value": FINANCIAL}
        collections = {
            "documents": Collection("Documents"),
            "hr_documents": Collection("HR documents", classification=PII),
        }
        pulse = True
        pulse_prompt = "Summarise obligations, liabilities, termination and renewal risks."
        status_fields = ["status"]
        icon = "file-text"
        color = "blue"
