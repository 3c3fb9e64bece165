"""Periodic work of chat."""

from celery import shared_task

from chat.sweep import sweep_all


@shared_task(name="chat.sweep")
def sweep() -> int:
    """End the turns of processes that have died."""
    return sweep_all()
