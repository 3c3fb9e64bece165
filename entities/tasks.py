"""Periodic work of the audit. Tasks take ids; the database is the truth."""

import logging

from celery import shared_task
from django.db import connection

from entities.audit.retention import apply_retention

logger = logging.getLogger(__name__)


@shared_task(name="audit.keep")
def keep_audits() -> None:
    """Let go what each workspace wants to keep no longer. One that fails does not hold up the others."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_workspace_ids()")
        workspaces = [row[0] for row in cursor.fetchall()]
    for workspace in workspaces:
        try:
            apply_retention(workspace)
        except Exception:
            logger.exception("the audit of workspace %s was not gone through", workspace)
