"""Periodic work of the audit, of signing in and of keys that made something. Tasks take ids."""

import logging

from celery import shared_task

from entities.access import Scope, list_workspace_ids
from entities.attempts import sweep_counts
from entities.audit.retention import apply_retention
from entities.repeats import forget_keys

logger = logging.getLogger(__name__)


@shared_task(name="audit.keep")
def keep_audits() -> None:
    """Let go what each workspace wants to keep no longer. One that fails does not hold up the others."""
    for workspace in list_workspace_ids():
        try:
            apply_retention(workspace)
        except Exception:
            logger.exception("the audit of workspace %s was not gone through", workspace)


@shared_task(name="sign_in.sweep")
def sweep_sign_in_counts() -> None:
    sweep_counts()


@shared_task(name="repeats.forget")
def forget_all_keys() -> None:
    for workspace in list_workspace_ids():
        with Scope.for_service(workspace).open():
            forget_keys()
