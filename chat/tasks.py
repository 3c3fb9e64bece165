"""Periodic work of chat."""

from celery import shared_task

from chat.left_questions import label_all_left_questions
from chat.sweep import sweep_all


@shared_task(name="chat.sweep")
def sweep() -> int:
    """End the turns of processes that have died."""
    return sweep_all()


@shared_task(name="chat.label_left_questions")
def label_left_questions() -> int:
    """Label the questions of turns that ended before they had a label."""
    return label_all_left_questions()
