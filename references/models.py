"""Typed soft links between records (design §7)."""

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from entities.access import Scope, build_sources_visible_q
from entities.fields import LabelField, WorkspaceForeignKey
from entities.models import Derived, Entity
from references.kinds import Kind, LocationType

if TYPE_CHECKING:
    from uuid import UUID


class ReferenceQuerySet(models.QuerySet["Reference"]):
    def readable_by(self, scope: Scope) -> Self:
        """References of which `scope` may see both ends, everything their text was drawn from, and the text.

        Label and audience are decided by the table's policy, the rest here, all in one statement.
        """
        seen = Entity.objects.visible_to(scope).values("pk")
        return self.filter(build_sources_visible_q(scope), source__in=seen, target__in=seen)

    def filter_touching(self, entity: "UUID", direction: str = "both") -> Self:
        """Those that start from (`out`), point at (`in`) or do either (`both`) with one record."""
        out, into = Q(source=entity), Q(target=entity)
        return self.filter({"out": out, "in": into}.get(direction, out | into))

    def drop_internal(self) -> Self:
        """Without those that stay in one record, as citations of a record's own documents do."""
        return self.exclude(source=F("target"))


class Reference(Derived):
    """A link from one record to another, with a text that says why.

    data_classification covers `label` and `reason`; NULL until the service has labelled what somebody typed.
    audience: 0 for everybody, the maker's user id for a bookmark. floor: the label that new text here does not go
    below (text that stood here before, passages it was drawn from). location_detail holds ids and numbers, never text.
    origin says what made it and origin_principal as whom (user id, or -role id). owner: the Pulse or message whose
    citations these are, passage: the cited index row or paragraph. Of a link in a document, owner is the `DocumentLink`
    and passage the paragraph that it stands in.
    """

    class Origin(models.TextChoices):
        PERSON = "person", gettext_noop("Added by a person")
        CHAT = "chat", gettext_noop("From a conversation")
        PULSE = "pulse", gettext_noop("From a Pulse")
        DOCUMENT = "document", gettext_noop("From a document")

    audience = models.BigIntegerField(default=0)
    source = WorkspaceForeignKey(Entity)
    target = WorkspaceForeignKey(Entity)
    kind = models.CharField(max_length=16, choices=Kind)
    label = models.CharField(max_length=500, blank=True)
    reason = models.TextField(blank=True, max_length=4000)
    floor = LabelField(default=0)
    location_type = models.CharField(max_length=10, choices=LocationType, blank=True)
    location_detail = models.JSONField(default=dict, blank=True)
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.PERSON)
    origin_principal = models.BigIntegerField(default=0)
    owner = models.UUIDField(null=True)
    passage = models.UUIDField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    objects = ReferenceQuerySet.as_manager()

    class Meta:
        ordering = ["kind", "-created_at", "id"]
        indexes = [
            models.Index(fields=["source", "kind"]),
            models.Index(fields=["target", "kind"]),
            models.Index(fields=["owner"]),
            models.Index(
                fields=["workspace", "changed_at"], condition=Q(data_classification=None), name="unlabelled_ref"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "owner", "target", "passage"],
                condition=Q(kind=Kind.CITATION),
                nulls_distinct=False,
                name="one_citation_per_passage",
            ),
            models.CheckConstraint(
                condition=~Q(kind=Kind.CITATION) | Q(owner__isnull=False), name="citation_has_an_owner"
            ),
            models.CheckConstraint(condition=~Q(kind=Kind.BOOKMARK) | Q(audience__gt=0), name="bookmark_is_somebodys"),
        ]

    def __str__(self) -> str:
        return str(self.pk)
