"""The authority plane: immutable bytes, files, and their append-only revisions (design §4)."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from entities.fields import LabelField, NumberField, WorkspaceForeignKey
from entities.models import Entity, Workspace


class State(models.TextChoices):
    PENDING = "pending", "Waiting"
    PROCESSING = "processing", "Processing"
    READY = "ready", "Ready"
    QUARANTINED = "quarantined", "Quarantined"
    FAILED = "failed", "Failed"


class Stage(models.TextChoices):
    WAITING = "waiting", "Waiting"
    EXTRACT = "extract", "Reading"
    CLASSIFY = "classify", "Classifying"
    SEGMENT = "segment", "Grouping"
    CHUNK = "chunk", "Cutting into passages"
    EMBED = "embed", "Understanding"
    PUBLISH = "publish", "Publishing"
    DONE = "done", "Done"


class Redo(models.TextChoices):
    """What a published file is worked over again for, when it is queued for more than its labels."""

    NOTHING = "", "Nothing"
    STALE = "stale", "What has changed since"
    ALL = "all", "Everything"


class Review(models.TextChoices):
    """What a steward decided of a version whose text may not be all that it holds."""

    NONE = "", "Not reviewed"
    RELEASED = "released", "Released"
    REJECTED = "rejected", "Rejected"


class Blob(models.Model):
    """Bytes by content, per workspace: nothing is "already known" across workspaces. `path` is the storage's."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    media_type = models.CharField(max_length=120)
    path = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "sha256"], name="blob_content")]

    def __str__(self) -> str:
        return self.sha256[:12]


class File(models.Model):
    """A file on a record. `revision` is the published one; `pending_revision` is on its way through the pipeline, in
    which `page` of `page_count` is being read.

    path: where it stood among other files, "/travel/visa.md", or its name where nobody said; who may read the name may
    read it. name_judged: whether somebody or something knows the name's label; else it is the resting label, and moves
    with that (`ingestion.resting`). twin: 0, but for a file that came under the name of one that stood elsewhere, or
    that its uploader was not shown: a refusal or another name would tell of that one. floor: label given at upload, on
    top of the collection's. claim: who works on it until `claimed_until`; work is claimed with a conditional UPDATE;
    without a claim, `claimed_until` is when it may be tried again. worker: the process that claimed it last.
    unaccounted: [{code, detail, page}], what was not read of the published revision. notes: [{code, detail}], how it
    was read. strategy: how it is read, `auto` for as its collection declares. origin: the file that this one came in as
    an attachment, as its `part`; named_by: the paragraph there that names it. attachments: how many files came in the
    published revision of this one.
    redo: what the published revision is to be worked over for (`ingestion.requalify`).
    rows_due: a decision took rows of the published revision out of the index, and they are not made again yet. aside:
    the newer revision that ended badly and how, while the published one is made again (`ingestion.queueing`).
    deleted_at: since when it is in the bin (`ingestion.bin`), where no scope finds it, the service's neither.
    deleted_with: the record that it went with, NULL where somebody deleted the file.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    number = NumberField()
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    entity = WorkspaceForeignKey(Entity)
    collection = models.CharField(max_length=64)
    name = models.CharField(max_length=255)
    twin = models.PositiveIntegerField(default=0, help_text="Tells files of one name apart.")
    name_classification = LabelField(default=0)
    name_judged = models.BooleanField(default=False, db_default=False)
    path = models.CharField(max_length=1000, blank=True)
    media_type = models.CharField(max_length=120, blank=True)
    size = models.BigIntegerField(default=0)
    state = models.CharField(max_length=12, choices=State, default=State.PENDING)
    stage = models.CharField(max_length=12, choices=Stage, default=Stage.WAITING)
    progress = models.PositiveSmallIntegerField(default=0, help_text="Per cent.")
    page = models.PositiveIntegerField(null=True)
    page_count = models.PositiveIntegerField(null=True)
    pages = models.PositiveIntegerField(null=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_detail = models.CharField(max_length=500, blank=True)
    error_page = models.PositiveIntegerField(null=True)
    floor = LabelField(default=0)
    strategy = models.CharField(max_length=10, default="auto")
    unaccounted = models.JSONField(default=list)
    notes = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    origin = WorkspaceForeignKey("ingestion.File", null=True)
    part = models.PositiveIntegerField(default=0)
    named_by = models.UUIDField(null=True)
    attachments = models.PositiveSmallIntegerField(default=0)
    revision = WorkspaceForeignKey("ingestion.FileRevision", null=True, on_db_delete="SET NULL")
    pending_revision = WorkspaceForeignKey("ingestion.FileRevision", null=True, on_db_delete="SET NULL")
    claim = models.UUIDField(null=True)
    claimed_until = models.DateTimeField(null=True)
    worker = models.CharField(max_length=160, default="", db_default="", blank=True)
    redo = models.CharField(max_length=5, choices=Redo, default=Redo.NOTHING, blank=True)
    rows_due = models.BooleanField(default=False, db_default=False)
    aside = models.JSONField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    woken_at = models.DateTimeField(null=True, help_text="When a worker was last told of this file; NULL: not yet.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    created_by = models.BigIntegerField(default=0)
    deleted_at = models.DateTimeField(null=True, editable=False)
    deleted_by = models.BigIntegerField(default=0, db_default=0, editable=False)
    deleted_with = models.UUIDField(null=True, editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            # What is in the bin does not stand in the way of a file that comes under its name.
            models.UniqueConstraint(
                fields=["entity", "collection", "name", "twin"],
                condition=models.Q(deleted_at__isnull=True),
                name="file_identity",
            ),
            models.UniqueConstraint(
                fields=["origin", "part"], condition=models.Q(origin__isnull=False), name="file_attachment"
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "state", "claimed_until"]),
            models.Index(fields=["workspace", "path"]),
            models.Index(
                fields=["workspace", "-deleted_at"], condition=models.Q(deleted_at__isnull=False), name="file_binned"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class FileRevision(models.Model):
    """One version of a file. Append-only. witness: what derived rows were made from (`ingestion.witness`), as a digest;
    empty for one that was never published. inputs: the same by name, to tell what has changed since.
    stages: [[stage, how many came out, seconds or null where an earlier worker did it]], of the first publishing.
    cost: what models were paid for it, in USD. batch: what was sent together with it, as its sender says.
    created_by: who sent these bytes; restores: the number of the earlier version that this one brings back, as
    restored_by decided. strategy: how it is read, as it was sent, until it is published; "" for as its file is.
    attachments: the most that a reading found in its bytes. withheld: codes of what any reading found in them and no
    other way of reading makes out. remainder: what the reader does not show of it (`ingestion.remainder`), NULL where
    that was never worked out; remainder_label: what the original needs for it, NULL where nobody knows, and then
    remainder_floor: what it needs at least. losses: [[code, sentence]]
    of what was not read of it (`ingestion.drift`). published_at: when its rows were last made, as the file's
    `updated_at` says until a newer version comes; or when those of a newer one were made again, for who knows of this
    one alone. floor: the label that its file is to have, as it was sent, until the service has raised what is there
    (`revision_floors.take_with_floor`); then NULL. addresses: [[address, folder]], where the folders that it was sent
    in live elsewhere, as its sender says (`ingestion.folder_addresses`). removed: what somebody deleted of what came in
    its bytes (`attachments.compute_key`). public: who sent it says that it is Public where nothing is found in it.
    declared: who sent it gave it labels. kind: of a document that looks sensitive as a whole (`ingestion.kinds`).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    file = WorkspaceForeignKey(File)
    blob = WorkspaceForeignKey(Blob, on_db_delete="NO ACTION")
    number = models.PositiveIntegerField()
    source_revision = models.CharField(max_length=200, blank=True)
    fetched_at = models.DateTimeField(auto_now_add=True)
    created_by = models.BigIntegerField(default=0)
    restores = models.PositiveIntegerField(null=True)
    restored_by = models.BigIntegerField(default=0)
    witness = models.CharField(max_length=64, blank=True)
    inputs = models.JSONField(default=dict)
    stages = models.JSONField(default=list)
    cost = models.DecimalField(max_digits=12, decimal_places=6, default=0, help_text="USD")
    batch = models.UUIDField(null=True)
    attachments = models.PositiveSmallIntegerField(default=0)
    withheld = ArrayField(models.CharField(max_length=40), default=list, db_default=[])
    remainder = models.JSONField(null=True)
    remainder_label = LabelField(null=True)
    remainder_floor = LabelField(default=0, db_default=0)
    losses = models.JSONField(default=list)
    strategy = models.CharField(max_length=10, default="", db_default="", blank=True)
    published_at = models.DateTimeField(null=True)
    floor = LabelField(null=True)
    removed = ArrayField(models.CharField(max_length=64), default=list, db_default=[])
    addresses = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    review = models.CharField(max_length=8, choices=Review, default=Review.NONE, blank=True)
    public = models.BooleanField(default=False, db_default=False)
    declared = models.BooleanField(default=False, db_default=False)
    kind = models.CharField(max_length=20, default="", db_default="", blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["file", "number"], name="revision_number")]
        indexes = [
            models.Index(fields=["workspace", "batch"], condition=models.Q(batch__isnull=False), name="revision_batch"),
            models.Index(fields=["workspace", "created_by"], name="revision_sender"),
            models.Index(fields=["workspace"], condition=models.Q(floor__isnull=False), name="revision_floor"),
            models.Index(
                fields=["workspace"],
                condition=models.Q(remainder__isnull=False, remainder_label__isnull=True),
                name="revision_unsettled",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.file_id} #{self.number}"

    @property
    def pages(self) -> int | None:
        """As they were counted when it was first published."""
        return next((count for stage, count, _ in self.stages if stage == Stage.EXTRACT), None)
