"""Labelling of what people typed into references."""


from celery import shared_task



@shared_task(name="references.label")
def label_reference(workspace: int, pk: str) -> None:
    """x"""
