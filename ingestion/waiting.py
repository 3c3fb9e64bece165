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
from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Length
from django.utils.translation import gettext

from entities.access import Scope
from entities.actions import record_action
from entities.api.errors import Conflict
from ingestion.classify import WINDOW, WINDOW_PARAGRAPHS
from ingestion.desk import RESTS, select_paragraphs
from ingestion.models import File, Paragraph, Redo, State
from ingestion.queueing import queue_file, wake_next
from ingestion.requalify_plan import (
    CHARACTERS_A_TOKEN,
    PARAGRAPH_TOKENS,
    PROMPT_TOKENS,
    SUMMARY_TOKENS,
    PlannedFile,
    estimate_cost,
)
from ingestion.staleness import load_inputs_by_group
from ingestion.synthesis import MOST as MOST_SUMMARISED
from ingestion.turns import UNFINISHED
from llm.client import is_offline

AT_REST = Q(pending_revision=None) | Q(pending_revision=F("revision"), state=State.FAILED)
"""Nothing is being made of the file: also where that has failed, and may be tried again."""


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


def measure_waiting(scope: Scope) -> Waiting:
    """Of what the open scope may read; nothing without a model."""
    if is_offline():
        return Waiting()
    resting = select_paragraphs(scope).filter(RESTS).order_by()
    waiting = resting.filter(file__in=select_unread().values("pk"))
    files = list(waiting.values_list("file", flat=True).distinct())
    planned = estimate_files(files)
    worked = File.objects.filter(redo=Redo.STALE, state__in=UNFINISHED)
    return Waiting(
        waiting.count(),
        len(files),
        sum(one.tokens + one.summary_tokens for one in planned),
        estimate_cost(planned) or None,
        resting.filter(file__in=worked.values("pk")).count(),
    )


def select_unread() -> QuerySet[File]:
    """Published files that a model labels, and that the one in use has not read. In an open scope."""
    conditions = [
        Q(entity__content_type=content_type, collection=collection, strategy=strategy)
        & ~Q(revision__inputs__contains={"model": inputs.model})
        for (content_type, collection, strategy), inputs in load_inputs_by_group().items()
        if inputs.model
    ]
    return File.objects.filter(AT_REST, reduce(or_, conditions, Q(pk__in=[])), revision__isnull=False)


def estimate_files(files: list[UUID]) -> list[PlannedFile]:
    """What the model would be asked, by the length of what the open scope may read of them."""
    rows = Paragraph.objects.filter(file__in=files).order_by().values("file")
    planned = []
    for row in rows.annotate(
        count=Count("pk"), length=Sum(Length("text")), labels=Count("data_classification", distinct=True)
    ):
        windows = max(1, -(-row["length"] // WINDOW), -(-row["count"] // WINDOW_PARAGRAPHS))
        text = row["length"] // CHARACTERS_A_TOKEN
        tokens = PROMPT_TOKENS * windows + text + PARAGRAPH_TOKENS * row["count"]
        excerpts = min(text, row["labels"] * MOST_SUMMARISED // CHARACTERS_A_TOKEN)
        summaries = SUMMARY_TOKENS * row["labels"] + excerpts
        planned.append(
            PlannedFile(row["file"], ("model",), row["count"], windows, tokens, False, row["labels"], summaries)
        )
    return planned


def judge_waiting(*, scope: Scope) -> int:
    """Have the files judged in which the open scope reads something that waits. They are queued when this transaction
    commits, before the caller gets an answer. Returns how many they are. Raises: Conflict without a model.
    """
    if is_offline():
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
