"""What questions are asked in: refusals that are expected, and steps that are taken back."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction


@contextmanager
def refused(*errors: type[BaseException]) -> Iterator[None]:
    """AssertionError unless one of `errors` is raised."""
    try:
        with transaction.atomic():
            yield
    except errors:
        return
    raise AssertionError(f"{errors} was not raised")


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside is rolled back."""
    with transaction.atomic():
        try:
            yield
        finally:
            transaction.set_rollback(True)
