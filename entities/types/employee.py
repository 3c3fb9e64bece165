from django.db import models

from entities.fields import LongText
from entities.models.classification import FINANCIAL, PII
from entities.models.entity import Entity
from entities.rag import Allow, Collection


class Employee(Entity):
    entity_ptr = models.OneToOneField(Entity, models.CASCADE, parent_link=True, primary_key=True, related_name="+")

    job_title = models.CharField("title", max_length=200)
    department = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    salary = models.DecimalField(max_digits=14, decimal_places=2, null=True, blank=True)
    currency = models.CharField(max_length=3, default="EUR")
    started_on = models.DateField(null=True, blank=True)
    notes = LongText()

    class Rag(Entity.Rag):
        semantic = "{name}, {job_title}, {department}"
        classified = {"email": PII, "salary": (PII, FINANCIAL)}
        collections = {"hr_documents": Collection("HR documents", classification=PII)}
        icon = "user"
        color = "purple"

    class Access(Entity.Access):
        default = "restricted"
        rules = [
            Allow("view", roles=["HR", "Admin"]),
            Allow("change", roles=["HR", "Admin"]),
            Allow("upload", roles=["HR", "Admin"]),
            Allow("delete", roles=["Admin"]),
            Allow("share", roles=["Admin"]),
        ]
