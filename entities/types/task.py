from django.db import models

from entities.fields import LongText, WorkspaceForeignKey
from entities.models.entity import Entity
from entities.types.project import Project


class Task(Entity):
    entity_ptr = models.OneToOneField(Entity, models.CASCADE, parent_link=True, primary_key=True, related_name="+")

    class Status(models.TextChoices):
        TODO = "todo", "To do"
        DOING = "doing", "Doing"
        BLOCKED = "blocked", "Blocked"
        DONE = "done", "Done"

    project = WorkspaceForeignKey(Project)
    status = models.CharField(max_length=20, choices=Status, default=Status.TODO)
    due_on = models.DateField(null=True, blank=True)
    details = LongText()

    class Rag(Entity.Rag):
        semantic = "{name}, {status}"
        status_fields = ["status"]
        due = "due_on"
        finished = {"status": ["done"]}
        icon = "checkbox"
        color = "teal"
