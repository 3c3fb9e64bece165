"""What workers do for Pulses. Tasks take ids; the database is the truth."""

import logging
from uuid import UUID

from celery import shared_task

from entities.access import Scope, list_workspace_ids
from pulse.claims import VariantClaim, claim_due
from pulse.generation import update_variant
from pulse.staleness import mark_old

logger = logging.getLogger(__name__)


@shared_task(name="pulse.sweep")
def sweep() -> None:
    """Every few seconds: hand out what is due, in every workspace."""
    for workspace in list_workspace_ids():
        sweep_workspace(workspace)


@shared_task(name="pulse.sweep_one")
def sweep_workspace(workspace: int) -> None:
    """Hand out what is due in one workspace. Also enqueued when somebody asks for a Pulse, which then comes sooner."""
    with Scope.for_service(workspace).open():
        mark_old()
        claimed = claim_due()
    for claim in claimed:
        generate_pulse.delay(workspace, str(claim.variant), str(claim.token))


def wake_workspace(workspace: int) -> None:
    """Have a workspace swept now. Should the broker be away, the sweep's own time comes soon."""
    try:
        sweep_workspace.delay(workspace)
    except Exception:
        logger.warning("Pulses of workspace %s wait for the next sweep", workspace, exc_info=True)


@shared_task(name="pulse.generate")
def generate_pulse(workspace: int, variant: str, token: str) -> None:
    update_variant(workspace, VariantClaim(UUID(variant), UUID(token)))
