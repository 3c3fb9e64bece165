"""Classifications are one integer, grants are independent, and there is no order (design §2.1)."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from entities.fields import WorkspaceForeignKey
from entities.models.people import Membership, Role, Workspace

PUBLIC, INTERNAL, CONFIDENTIAL, PII, PII_SENSITIVE, FINANCIAL, SECRET = range(7)
FIRST_CUSTOM = 7
FIRST_COMPOUND = 1000
STEWARDS = FIRST_COMPOUND - 1
"""The level of text that rests with stewards and its sender alone, in workspaces that chose that once
(`entities.stewards_level`)."""


class Classification(models.Model):
    """An atom (`components == [value]`), Public (`[]`), or a compound of several atoms (`value >= 1000`)."""

    workspace = models.ForeignKey(Workspace, models.PROTECT)
    value = models.IntegerField(editable=False)
    label = models.CharField(max_length=200)
    icon = models.CharField(max_length=40, blank=True, default="tag")
    color = models.CharField(max_length=20, blank=True, default="slate")
    description = models.TextField(blank=True)
    conceal = models.BooleanField(
        default=False, help_text="Show no placeholder to people who are not cleared: to them the text does not exist."
    )
    components = ArrayField(models.IntegerField(), editable=False)

    class Meta:
        ordering = ["value"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "value"], name="classification_value"),
            models.UniqueConstraint(fields=["workspace", "components"], name="classification_components"),
        ]

    def __str__(self) -> str:
        return self.label


class ClassificationGrant(models.Model):
    """`role` is cleared for the atom `classification`. Nothing follows for any other atom."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT)
    role = WorkspaceForeignKey(Role, related_name="classification_grants")
    classification = WorkspaceForeignKey(Classification)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["role", "classification"], name="one_grant_per_role_and_label")]

    def __str__(self) -> str:
        return f"{self.role}: {self.classification}"


class LabelGrant(models.Model):
    """One member is cleared for the atom `classification`, until `expires_at` where it is set (docs/adr/0031).

    Goes with the membership. granted_by: the steward; the database lets them grant what a role of theirs holds, and to
    others only. origin: the request that it answers.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    membership = WorkspaceForeignKey(Membership, related_name="label_grants")
    classification = WorkspaceForeignKey(Classification)
    expires_at = models.DateTimeField(null=True, blank=True)
    granted_by = models.BigIntegerField(default=0)
    origin = models.UUIDField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["membership"], name="label_grant_membership")]

    def __str__(self) -> str:
        return str(self.pk)
