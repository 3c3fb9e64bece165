"""Conversations (design §9): sessions, their turns, the messages and the event log of a turn.

Every row carries the audience of its session, which row-level security enforces: a user id where the conversation is
private, 0 where who may see the record reads along, minus the id of a role for its members. A session about a record
also needs object permission on it, and a message its label and permission on everything it was drawn from:
`chat.access`. Nobody but the owner of a row changes or deletes it.
"""

import uuid
from collections.abc import Collection

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, Value
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from chat.evaluation.models import AnswerRun
from entities.fields import LabelField, OwnerField, RangesField, WorkspaceForeignKey
from entities.models import Derived, Entity, Workspace

__all__ = ["AnswerRun"]


class Session(models.Model):
    """A conversation of one person, the owner, with one agent, about one record or about all that the person may see.

    audience: who reads it, chosen when it is made and never widened (docs/adr/0060). entity: NULL for one about the
    workspace (docs/adr/0052). high_water: the combination of all labels that a private conversation has drawn on, whose
    messages are at least that; of others it stays Public (`chat.log.raise_high_water`).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    audience = models.BigIntegerField()
    owner = OwnerField()
    entity = WorkspaceForeignKey(Entity, null=True)
    agent = models.CharField(max_length=40, default="assistant")
    high_water = LabelField(default=0)
    pinned = models.BooleanField(default=False)
    archived_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    last_message_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pinned", "-last_message_at", "id"]
        indexes = [models.Index(fields=["workspace", "audience", "-last_message_at"]), models.Index(fields=["entity"])]

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def is_private(self) -> bool:
        return self.audience == self.owner


class Title(Derived):
    """The name of a session, apart from it because it has a label and sources of its own: a session whose title is
    hidden still exists. Made of a question, or typed (`chat.typed`).
    """

    audience = models.BigIntegerField()
    owner = OwnerField()
    session = WorkspaceForeignKey(Session)
    text = models.CharField(max_length=120)
    by_person = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session"], name="one_title_per_session")]

    def __str__(self) -> str:
        return str(self.pk)


class State(models.TextChoices):
    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Answering"
    DONE = "done", "Answered"
    STOPPED = "stopped", "Stopped"
    INTERRUPTED = "interrupted", "Interrupted"
    FAILED = "failed", "Failed"
    AWAITING = "awaiting", "Waiting for approval"


OPEN = (State.QUEUED, State.RUNNING)


class LookIn(models.TextChoices):
    """Where the tools of a turn look at most, where the person has chosen it. FILES: of the record."""

    RECORD = "record", _("This record")
    LINKED = "linked", _("With linked ones")
    FILES = "files", _("Its files")
    WORKSPACE = "workspace", _("Everything")


class Turn(models.Model):
    """One question and the work on its answer. It runs apart from any response (chat/turn.py).

    owner: who asked; it runs as them. number: of the turn in its session, from 1. question, answer: ids of its
    messages, known before they can be read. holder: the run that may write, until `lease_until`; every write renews it
    and fails where it was lost. last_seq: of the event log. client_id: the asker's own key, by which a request sent
    twice makes one turn. manifest: ids and token counts of what the model was given, never text. error: a sentence for
    the asker. look_in: where it looks at most; "" for where the agent thinks fit. mentions: pairs of a kind and an id
    (`chat.mentions`). rating: of the answer by its asker, 1 for good, -1 for bad, 0 for none. removed_label: of an
    answer that was removed with a source open to the workspace; NULL for other turns. question_from, answer_from: the
    numbers of the sources that its messages are drawn from, whether they are there or not (`chat.message_sources`).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    audience = models.BigIntegerField()
    owner = OwnerField()
    session = WorkspaceForeignKey(Session)
    number = models.PositiveIntegerField()
    question = models.UUIDField(default=uuid.uuid4)
    answer = models.UUIDField(default=uuid.uuid4)
    state = models.CharField(max_length=12, choices=State, default=State.QUEUED)
    holder = models.UUIDField(null=True)
    lease_until = models.DateTimeField()
    stop_requested = models.BooleanField(default=False)
    last_seq = models.PositiveIntegerField(default=0)
    client_id = models.CharField(max_length=64, blank=True)
    manifest = models.JSONField(default=dict)
    usage = models.JSONField(default=dict)
    error = models.CharField(max_length=300, blank=True)
    mentions = models.JSONField(default=list, db_default=Value([], models.JSONField()))
    look_in = models.CharField(max_length=9, choices=LookIn, blank=True, db_default="", default="")
    rating = models.SmallIntegerField(db_default=0, default=0)
    question_from = RangesField(db_default=Value("{}"))
    answer_from = RangesField(db_default=Value("{}"))
    removed_label = LabelField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="turn_number"),
            # Of each asker: that somebody else's question is being answered may be hidden from them.
            models.UniqueConstraint(
                fields=["session", "owner"], condition=Q(state__in=OPEN), name="one_open_turn_per_asker"
            ),
            models.UniqueConstraint(
                fields=["workspace", "owner", "client_id"], condition=~Q(client_id=""), name="one_turn_per_client_id"
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "lease_until"], condition=Q(state__in=OPEN), name="open_turns"),
            models.Index(fields=["answer"], name="turn_of_answer"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class Role(models.TextChoices):
    USER = "user", "Question"
    ASSISTANT = "assistant", "Answer"


class Message(Derived):
    """What was asked or answered; an answer carries markers `[citation:n]`.

    owner: who asked. data_classification: NULL until the service has labelled it. own_classification: what its owner
    needs while it rests for all others, NULL where they need the same (docs/adr/0075). found: of a question that has no
    label yet the atoms of what it may repeat (`chat.typed`); later those that the classifier saw in a private one
    beyond what its author holds (docs/adr/0008). dropped: markers that stood for nothing.
    """

    audience = models.BigIntegerField()
    owner = OwnerField()
    session = WorkspaceForeignKey(Session)
    turn = WorkspaceForeignKey(Turn)
    role = models.CharField(max_length=10, choices=Role)
    content = models.TextField(blank=True)
    own_classification = LabelField(null=True)
    found = models.JSONField(default=list)
    dropped = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["turn", "role"], name="one_message_per_role")]
        indexes = [models.Index(fields=["session", "created_at"])]

    def __str__(self) -> str:
        return str(self.pk)

    @classmethod
    def build_derived_from_q(cls, passages: Collection[uuid.UUID]) -> Q:
        return Q(pk__in=RawSQL(DRAWN_FROM_PASSAGES, [list(passages)] * 2))  # noqa: S611


DRAWN_FROM_PASSAGES = """
SELECT s.derived FROM entities_source s WHERE s.passage = ANY(%s::uuid[]) AND s.number IS NULL
UNION ALL SELECT v.text FROM (
    SELECT s.derived, range_agg(int8range(s.number, s.number, '[]')) AS given FROM entities_source s
    WHERE s.passage = ANY(%s::uuid[]) AND s.number IS NOT NULL GROUP BY s.derived) n
  JOIN chat_turn t ON t.session_id = n.derived
  CROSS JOIN LATERAL (VALUES (t.question, t.question_from), (t.answer, t.answer_from)) v (text, drawn)
WHERE v.drawn && n.given
"""


class Summary(Derived):
    """What was said in the turns up to `last_turn` of a session, in short, as a model has put it down (docs/adr/0084).

    owner: as whom it was made, one for each asker; whoever may read all that it was made from is given it. messages:
    those that it was made from; it goes with any of them, and where one rises (a trigger). source_numbers: of the
    session's sources that are behind these.
    """

    audience = models.BigIntegerField()
    owner = OwnerField()
    session = WorkspaceForeignKey(Session)
    last_turn = models.PositiveIntegerField()
    text = models.TextField()
    messages = ArrayField(models.UUIDField())
    source_numbers = RangesField(db_default=Value("{}"))
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "owner"], name="one_summary_per_asker")]

    def __str__(self) -> str:
        return str(self.pk)

    @classmethod
    def build_derived_from_q(cls, passages: Collection[uuid.UUID]) -> Q:
        return Q(pk__in=RawSQL(SUMMARIES_FROM_PASSAGES, [list(passages)]))  # noqa: S611


SUMMARIES_FROM_PASSAGES = """
SELECT m.id FROM entities_source s JOIN chat_summary m ON m.session_id = s.derived AND s.number <@ m.source_numbers
WHERE s.passage = ANY(%s::uuid[]) AND s.number IS NOT NULL
"""


class SummaryLease(models.Model):
    """That no summary of a session is to be made as its owner before `until`: one is being made, or the last tries
    failed.

    holder: who makes one. failures: tries in a row of which nothing came.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    audience = models.BigIntegerField()
    owner = OwnerField()
    session = WorkspaceForeignKey(Session)
    holder = models.UUIDField(null=True)
    until = models.DateTimeField()
    failures = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "owner"], name="one_summary_lease_per_asker")]

    def __str__(self) -> str:
        return str(self.pk)


class EventKind(models.TextChoices):
    STEP = "step", "Step"
    STARTED = "started", "Answer begins"
    TOKEN = "token", "Text"
    CITATION = "citation", "Citation"
    APPROVAL = "approval", "Approval"
    DONE = "done", "Done"
    STOPPED = "stopped", "Stopped"
    ERROR = "error", "Error"


ENDS = (EventKind.APPROVAL, EventKind.DONE, EventKind.STOPPED, EventKind.ERROR)


class Event(models.Model):
    """One entry of a turn's log, for its asker alone (`audience`): others read an answer when it is whole. Append-only
    to the application; where the answer's label rises, so do its events (a trigger).
    """

    id = models.BigAutoField(primary_key=True)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    audience = models.BigIntegerField()
    turn = WorkspaceForeignKey(Turn)
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=EventKind)
    data = models.JSONField(default=dict)
    data_classification = LabelField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["turn", "seq"], name="event_sequence")]

    def __str__(self) -> str:
        return f"{self.turn_id} #{self.seq}"
