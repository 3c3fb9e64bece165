"""Addresses of what was found, the same from a page, the API and a worker."""

from urllib.parse import urlencode
from uuid import UUID

from django.urls import get_script_prefix, reverse

from entities.access import Scope
from entities.middleware import WORKSPACE_URLS


def workspace_url(scope: Scope, name: str, *args: object, **query: object) -> str:
    """The address of a page of the scope's workspace. Pages run below `/w/<slug>/`, the API and workers do not."""
    prefix = get_script_prefix()
    path = reverse(name, args=args, urlconf=WORKSPACE_URLS)
    root = f"w/{scope.slug}/"
    if scope.slug and not prefix.endswith(f"/{root}"):
        path = prefix + root + path.removeprefix(prefix)
    given = {key: value for key, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def passage_url(scope: Scope, entity: UUID, file: UUID | None, passage: UUID | None) -> str:
    """The reader at the passage, for text of a file; the record's page at it otherwise."""
    if file is not None:
        url = workspace_url(scope, "ingestion:reader", file, passage=passage)
    else:
        url = workspace_url(scope, "entities:detail", entity)
    return f"{url}#p-{passage}" if passage else url
