"""What workers do for the page of a workspace's model. Tasks take ids."""

import logging
from uuid import UUID

from celery import shared_task

from llm.endpoint_tests import end_test, run_test

logger = logging.getLogger(__name__)


@shared_task(name="llm.try_model")
def try_model(workspace: int, token: str) -> None:
    run_test(workspace, UUID(token))


def wake_test(workspace: int, token: UUID) -> None:
    """Have a test carried out. Should the broker be away, it has failed."""
    try:
        try_model.delay(workspace, str(token))
    except Exception:
        logger.warning("the test of a model in workspace %s was not begun", workspace, exc_info=True)
        end_test(workspace, token)
