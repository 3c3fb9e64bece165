"""Turns whose process has died are ended honestly: what had been written is kept, and called interrupted."""

import logging
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chat import log
from chat.models import OPEN, Event, EventKind, State, Turn
from entities.access import Scope, combine_many, list_workspace_ids

logger = logging.getLogger(__name__)

WHY = "The server stopped while this was answered. What had arrived is kept; ask again for a whole answer."


def sweep_all() -> int:
    """End every turn whose lease has run out, in all workspaces. Returns how many."""
    return sum(sweep(workspace) for workspace in list_workspace_ids())


def sweep(workspace: int) -> int:
    """End the turns of one workspace whose lease has run out. Returns how many."""
    scope = Scope.for_service(workspace)
    ended = 0
    with scope.open():
        for turn in list_expired(scope):
            try:
                with transaction.atomic():
                    ended += interrupt(scope, turn, WHY)
            except Exception:
                logger.exception("turn %s could not be ended", turn)
    return ended


def interrupt(scope: Scope, turn: UUID, why: str) -> bool:
    """End a turn whose lease has run out, keeping what had been written. False: somebody else did, or it is alive."""
    row = (
        Turn.objects.select_for_update(skip_locked=True)
        .filter(pk=turn, state__in=OPEN, lease_until__lt=timezone.now())
        .first()
    )
    if row is None:
        return False
    content, label = read_written(row)
    state = State.STOPPED if row.stop_requested else State.INTERRUPTED
    log.end(row, log.TurnEnding(state, content.strip(), label, "" if state is State.STOPPED else why, "interrupted"))
    return True


def read_written(row: Turn) -> tuple[str, int]:
    """The text of an answer as far as its events tell it, and the combination of their labels."""
    tokens = list(
        Event.objects.filter(turn=row.pk, kind=EventKind.TOKEN)
        .order_by("seq")
        .values_list("data", "data_classification")
    )
    return "".join(data.get("text", "") for data, _ in tokens), combine_many(label for _, label in tokens)


def list_expired(scope: Scope) -> list[UUID]:
    return list(Turn.objects.filter(state__in=OPEN, lease_until__lt=timezone.now()).values_list("pk", flat=True))
