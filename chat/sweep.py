"""Turns whose process has died are ended honestly: what had been written is kept, and called interrupted."""

import logging

from django.db import connection, transaction

from chat import log
from entities.access import Scope

logger = logging.getLogger(__name__)

WHY = "The server stopped while this was answered. What had arrived is kept; ask again for a whole answer."


def sweep_all() -> int:
    """End every turn whose lease has run out, in all workspaces. Returns how many."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_workspace_ids()")
        workspaces = [row[0] for row in cursor.fetchall()]
    return sum(sweep(workspace) for workspace in workspaces)


def sweep(workspace: int) -> int:
    """End the turns of one workspace whose lease has run out. Returns how many."""
    scope = Scope.for_service(workspace)
    ended = 0
    with scope.open():
        for turn in log.list_expired(scope):
            try:
                with transaction.atomic():
                    ended += log.interrupt(scope, turn, WHY)
            except Exception:
                logger.exception("turn %s could not be ended", turn)
    return ended
