"""Labelling of what people and agents wrote into references. Until it is done only stewards see it."""

from datetime import timedelta
from uuid import UUID

from celery import shared_task
from django.utils import timezone

from entities.access import Scope, combine_many, list_workspace_ids
from ingestion.drawn import lock_source_labels
from ingestion.text_labels import label_text
from references import documents
from references.models import Reference

AT_ONCE = 50
FORGOTTEN = timedelta(minutes=1)
GIVEN_UP = timedelta(days=1)
"""Words that could not be classified for so long wait for a steward."""


@shared_task(name="references.label")
def label_reference(workspace: int, reference: str) -> None:
    """Label one reference's words: what rules and model say, what stood there before, and what they were drawn from."""
    scope = Scope.for_service(workspace)
    with scope.open():
        row = Reference.objects.filter(pk=UUID(reference), data_classification=None).first()
    if row is None:
        return
    label = label_text(workspace, f"{row.label}\n{row.reason}")
    if label is None:
        return
    with scope.open():
        # A passage that was raised since the words were written is not in their floor.
        now = lock_source_labels(row.pk)
        # Only what was read: words that were changed meanwhile are labelled by a task of their own.
        same = Reference.objects.filter(pk=row.pk, data_classification=None, label=row.label, reason=row.reason)
        same.update(data_classification=combine_many([label, row.floor, *now]))


@shared_task(name="references.record")
def follow_record(workspace: int, entity: str) -> None:
    documents.follow_record(workspace, UUID(entity))


@shared_task(name="references.links")
def sweep_links() -> None:
    """Look again where the links of documents lead."""
    for workspace in list_workspace_ids():
        documents.follow_oldest(workspace)


@shared_task(name="references.sweep")
def sweep() -> None:
    """Label what no task came for."""
    now = timezone.now()
    for workspace in list_workspace_ids():
        with Scope.for_service(workspace).open():
            waiting = Reference.objects.filter(
                data_classification=None, changed_at__lt=now - FORGOTTEN, changed_at__gt=now - GIVEN_UP
            ).order_by("changed_at")
            ids = list(waiting.values_list("pk", flat=True)[:AT_ONCE])
        for pk in ids:
            label_reference.delay(workspace, str(pk))
