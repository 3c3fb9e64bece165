from django.db import models

from entities.fields import LongText, WorkspaceForeignKey
from entities.models.classification import FINANCIAL
from entities.models.entity import Entity
from entities.types.contract import Contract


class Project(Entity):
    entity_ptr = models.OneToOneField(Entity, models.CASCADE, parent_link=True, primary_key=True, related_name="+")

    class Phase(models.TextChoices):
        PLANNING = "planning", "Planning"
        CONSTRUCTION = "construction", "Construction"
        HANDOVER = "handover", "Handover"
        CLOSED = "closed", "Closed"

    phase = models.CharField(max_length=20, choices=Phase, default=Phase.PLANNING)
    budget = models.DecimalField(max_digits=14, decimal_places=2, null=True, blank=True)
    currency = models.CharField(max_length=3, default="EUR")
    due_on = models.DateField(null=True, blank=True)
    owner_name = models.CharField("owner", max_length=200, blank=True)
    contract = WorkspaceForeignKey(Contract, null=True, blank=True, on_db_delete="SET NULL")
    description = LongText()

    class Rag(Entity.Rag):
        semantic = "{name}, {phase} phase, owned by {owner_name}"
        classified = {"budget": FINANCIAL}
        pulse = True
        pulse_prompt = "Summarise health: timeline, open risks, blocked tasks, and what needs attention."
        status_fields = ["phase"]
        due = "due_on"
        finished = {"phase": ["closed"]}
        icon = "crane"
        color = "orange"
