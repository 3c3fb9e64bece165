"""What a workspace has chosen for its searches, and the citation registry: which `[n]` of a conversation or a Pulse
stands for which passage (design §6).
"""

import uuid

from django.db import models

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models import Entity, Workspace
from retrieval.evaluation.models import EvaluationOutcome, EvaluationQuestion, EvaluationRun

__all__ = [
    "Citation",
    "CitationCounter",
    "EvaluationOutcome",
    "EvaluationQuestion",
    "EvaluationRun",
    "OwnerKind",
    "SourceType",
]


class OwnerKind(models.TextChoices):
    CHAT_SESSION = "chat_session", "Conversation"
    PULSE = "pulse", "Pulse"


class SourceType(models.TextChoices):
    KB_CHUNK = "kb_chunk", "Passage"
    KB_DOCUMENT = "kb_document", "Document"
    CHAT_TURN = "chat_turn", "Message"
    CONNECTOR_ITEM = "connector_item", "Item of a connector"
    WEB_RESULT = "web_result", "Web page"


class RankingSettings(models.Model):
    """What a workspace has chosen for its searches."""

    class Rerank(models.TextChoices):
        OFF = "off", "No"
        CROSS_ENCODER = "cross_encoder", "By the cross-encoder of this installation"
        MODEL = "model", "By the language model, which costs a call for each search"

    workspace = models.OneToOneField(Workspace, models.PROTECT, primary_key=True, related_name="+")
    rerank = models.CharField("read the best passages again", max_length=16, choices=Rerank, default=Rerank.OFF)
    strict = models.BooleanField(
        "compare all passages",
        default=False,
        help_text=(
            "Where a reader may see very many passages, a search by meaning takes a short cut: it shows nothing that"
            " they may not see, but which of the near passages it finds, and how long it takes, can depend on hidden"
            " ones. Without the short cut such searches take longer."
        ),
    )

    class Meta:
        verbose_name = verbose_name_plural = "search settings"

    def __str__(self) -> str:
        return self.get_rerank_display()


class CitationCounter(models.Model):
    """How many numbers an owner has given out. Not a count of `Citation` rows: some may be hidden from who asks."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    owner_kind = models.CharField(max_length=12, choices=OwnerKind)
    owner = models.UUIDField()
    audience = models.BigIntegerField(default=0)
    issued = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "owner_kind", "owner"], name="one_counter_per_owner")
        ]

    def __str__(self) -> str:
        return f"{self.owner_kind} {self.owner}: {self.issued}"


class Citation(models.Model):
    """`[n]` of one owner. Append-only in meaning: a number never comes to stand for something else.

    It locates and holds no text. source_key: identity of the source for find-or-create. audience: 0, or the one
    principal whose conversation it is. data_classification: the passage's label when it was given its number; what
    opens today is decided when it is opened. locator: {"row", "kind", "paragraphs": [ids], "passage", "digest",
    "revision", "span": [start, end] | null}, with `digest` the SHA-256 of the text that was shown, and `passage` the
    paragraph that `page` is of.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    owner_kind = models.CharField(max_length=12, choices=OwnerKind)
    owner = models.UUIDField()
    audience = models.BigIntegerField(default=0)
    n = models.PositiveIntegerField()
    source_type = models.CharField(max_length=16, choices=SourceType)
    source_key = models.CharField(max_length=300)
    data_classification = LabelField()
    entity = WorkspaceForeignKey(Entity, null=True, on_db_delete="SET NULL")
    file = models.UUIDField(null=True)
    page = models.PositiveIntegerField(null=True)
    src = models.CharField(max_length=8, blank=True)
    locator = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["n"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "owner_kind", "owner", "n"], name="citation_number"),
            # With the label: a relabelled passage is a new source to who could not see the old row.
            models.UniqueConstraint(
                fields=["workspace", "owner_kind", "owner", "source_key", "data_classification"], name="citation_source"
            ),
        ]

    def __str__(self) -> str:
        return f"[{self.n}]"
