"""The audit (docs/audit.md): what happened, the words of questions apart from it, and the chain over both."""

import uuid

from django.db import models

from entities.fields import LabelField
from entities.models.classification import INTERNAL
from entities.models.people import Workspace


class AuditEntry(models.Model):
    """Who did what to what. Append-only; holds ids, labels and figures, never text.

    `at` is the database's clock, whatever is given. A scope writes in its own name only, the service in anybody's.
    """

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
        indexes = [
            models.Index(fields=["workspace", "-id"]),
            models.Index(fields=["object_id"]),
            models.Index(fields=["workspace", "action", "-id"], name="audit_action"),
            models.Index(fields=["workspace", "actor", "-id"], name="audit_actor"),
            models.Index(fields=["workspace", "at"], name="audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.action}"


class AuditText(models.Model):
    """What somebody asked and what it found, or why a steward decided and on which paragraph: the part of an entry that
    has a label, so row-level security hides it.

    Written in the transaction of its entry or not at all, by the application never changed, deleted by redaction alone.
    retrieved: [[index row or paragraph, record], …], ids in the order in which they were shown. within: where it was
    looked for.
    salt: keeps the digest in the chain from being guessed at, and goes with the text. floor: at least Internal and, for
    a person's words, everything that the person was cleared for; the database sees to it. data_classification: with
    what the rules found in the text; NULL where they failed.
    """

    entry = models.OneToOneField(
        AuditEntry, models.DO_NOTHING, primary_key=True, db_constraint=False, related_name="text"
    )
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+", db_index=False)
    text = models.TextField(blank=True)
    retrieved = models.JSONField(default=list)
    within = models.JSONField(default=dict)
    salt = models.UUIDField(default=uuid.uuid4, editable=False)
    floor = LabelField(default=INTERNAL)
    data_classification = LabelField(null=True)

    def __str__(self) -> str:
        return str(self.entry_id)


class AuditLink(models.Model):
    """An entry's place in its workspace's chain. Written by the database at the commit, and kept when the entry's time
    is over.

    seq: from 1 without a gap; NULL only inside the transaction that writes it. digest: SHA-256 of the entry.
    text_digest: of its text, if it came with one. hash: SHA-256 of the hash before it, seq and both digests. redacted:
    the text was taken out.
    """

    entry = models.OneToOneField(
        AuditEntry, models.DO_NOTHING, primary_key=True, db_constraint=False, related_name="link"
    )
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+", db_constraint=False, db_index=False)
    seq = models.BigIntegerField(null=True)
    digest = models.BinaryField()
    text_digest = models.BinaryField(null=True)
    hash = models.BinaryField(null=True)
    redacted = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "seq"], name="audit_seq")]

    def __str__(self) -> str:
        return f"#{self.seq}"
