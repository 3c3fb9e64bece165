"""Names of files for what rows of the audit are about."""

from collections.abc import Collection
from uuid import UUID

from django.urls import reverse

from entities.access import Scope, load_allowed_labels
from ingestion.access import select_readable_files, select_visible_files


def find_file_names(scope: Scope, pks: Collection[UUID]) -> dict[UUID, tuple[str, str]]:
    """Id -> (address of the reader, name) of the files that exist for `scope` and whose names it may read."""
    named = select_visible_files(scope).filter(pk__in=pks, name_classification__in=load_allowed_labels())
    files = select_readable_files(scope, named).values_list("pk", "name")
    return {pk: (reverse("ingestion:reader", args=[pk]), name) for pk, name in files}
