"""Links that documents hold, as they are written. Where one leads is asked when it is looked at, as whoever looks."""

import uuid

from django.db import models
from django.utils import timezone

from entities.fields import LabelField, WorkspaceForeignKey
from entities.models import Workspace
from ingestion.models.files import File
from ingestion.models.paragraphs import Paragraph


class DocumentLink(models.Model):
    """A link in the published revision of a file. Its id is made of the paragraph and the target, so that a link that
    stays keeps what was made of it.

    data_classification and floor are the paragraph's, always: a trigger carries every change over (migration 0022).
    wanted, key, anchor, reason: the target as `link_targets.read_target` reads it. looked_at: when references were last
    made of it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    file = WorkspaceForeignKey(File)
    paragraph = WorkspaceForeignKey(Paragraph)
    position = models.PositiveIntegerField(default=0)
    data_classification = LabelField(null=True)
    floor = LabelField(default=0)
    target = models.CharField(max_length=2000)
    words = models.CharField(max_length=300, blank=True)
    wanted = models.CharField(max_length=8)
    key = models.CharField(max_length=600, blank=True)
    anchor = models.CharField(max_length=600, blank=True)
    reason = models.CharField(max_length=20, blank=True)
    looked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["position", "id"]
        indexes = [
            models.Index(fields=["file", "position"]),
            models.Index(fields=["paragraph"]),
            models.Index(fields=["workspace", "wanted", "key"]),
            models.Index(fields=["workspace", "looked_at"]),
        ]

    def __str__(self) -> str:
        return str(self.pk)
