"""Text of files that rests and that the model in use has not read: how much, what it takes to judge it, and having that
done.

The files are worked over as `ingestion.requalify` has it, by the workers, in their turn. Everything is counted over
what whoever looks may read themselves.
"""

from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from functools import partial, reduce
from operator import or_
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext

from entities.access import Scope
from entities.actions import record_action
from entities.api.errors import Conflict
from ingestion.desk import RESTS, select_paragraphs
from ingestion.models import File, Redo, State
from ingestion.queueing import queue_file, wake_next
from ingestion.requalify_plan import estimate_cost, plan_file
from ingestion.staleness import annotate_causes, list_causes, load_inputs_by_group
from ingestion.turns import UNFINISHED
from llm.client import is_labelling_offline

AT_REST = Q(pending_revision=None) | Q(pending_revision=F("revision"), state=State.FAILED)
"""Nothing is being made of the file: also where that has failed, and may be tried again."""
MOST_PLANNED = 100
"""Files that are looked through for the price; of more, it is what these would cost on average."""


@dataclass(frozen=True)
class Waiting:
    """paragraphs: that rest, in `files`, and that the model has not read. tokens: that it would be sent, about; cost:
    what that would cost, USD, None where its price is not known. left: paragraphs that rest and are being judged.
    """

    paragraphs: int = 0
    files: int = 0
    tokens: int = 0
    cost: Decimal | None = None
    left: int = 0

    @property
    def price(self) -> Decimal | None:
        """The cost in whole cents."""
        return None if self.cost is None else self.cost.quantize(Decimal("0.01"), ROUND_UP)


def measure_waiting(scope: Scope, *, left_first: bool = False) -> Waiting:
    """Of what the open scope may read; nothing without a model. left_first: nothing but that, while something is."""
    if is_labelling_offline():
        return Waiting()
    resting = select_paragraphs(scope).filter(RESTS).order_by()
    worked = File.objects.filter(redo=Redo.STALE, state__in=UNFINISHED)
    left = resting.filter(file__in=worked.values("pk")).count()
    if left and left_first:
        return Waiting(left=left)
    waiting = resting.filter(file__in=select_unread().values("pk"))
    files = list(waiting.order_by("file").values_list("file", flat=True).distinct())
    first = annotate_causes(File.objects.filter(pk__in=files[:MOST_PLANNED]))
    planned = [plan_file(file, list_causes(file)) for file in first]
    share = max(len(planned), 1)
    tokens = sum(one.sent_tokens for one in planned) * len(files) // share
    cost = estimate_cost(planned) * len(files) / share
    return Waiting(waiting.count(), len(files), tokens, cost or None, left)


def select_unread() -> QuerySet[File]:
    """Published files that a model labels, and that the one in use has not read. In an open scope."""
    conditions = [
        Q(entity__content_type=content_type, collection=collection, strategy=strategy)
        & ~Q(revision__inputs__contains={"model": inputs.model})
        for (content_type, collection, strategy), inputs in load_inputs_by_group().items()
        if inputs.model
    ]
    return File.objects.filter(AT_REST, reduce(or_, conditions, Q(pk__in=[])), revision__isnull=False)


def judge_waiting(*, scope: Scope) -> int:
    """Have the files judged in which the open scope reads something that waits. They are queued when this transaction
    commits, before the caller gets an answer. Returns how many they are. Raises: Conflict without a model.
    """
    if is_labelling_offline():
        raise Conflict(gettext("No model is connected that could judge text."))
    waiting = select_paragraphs(scope).filter(RESTS, file__in=select_unread().values("pk")).order_by()
    files = list(waiting.values_list("file", flat=True).distinct())
    if files:
        record_action(scope, "judging.started", "workspace", scope.workspace, files=len(files))
        transaction.on_commit(partial(start_judging, scope.workspace, files))
    return len(files)


def start_judging(workspace: int, files: list[UUID]) -> None:
    """Needs no scope open. What somebody else has queued meanwhile is left to that."""
    with Scope.for_service(workspace).open():
        free = File.objects.select_for_update(of=("self",)).filter(AT_REST, pk__in=files, revision__isnull=False)
        for file in free.order_by("pk"):
            assert file.revision_id is not None
            queue_file(workspace, file.pk, file.revision_id, Redo.STALE, waking=False)
        transaction.on_commit(partial(wake_next, workspace))
