"""Addresses of what was found, the same from a page, the API and a worker."""

from urllib.parse import urlencode
from uuid import UUID

from django.urls import get_script_prefix, reverse

from entities.access import Scope
from entities.middleware import WORKSPACE_URLS


def build_workspace_url(scope: Scope, name: str, *args: object, **query: object) -> str:
    """The address of a page of the scope's workspace. Pages run below `/w/<slug>/`, the API and workers do not."""
    prefix = get_script_prefix()
    path = reverse(name, args=args, urlconf=WORKSPACE_URLS)
    root = f"w/{scope.slug}/"
    if scope.slug and not prefix.endswith(f"/{root}"):
        path = prefix + root + path.removeprefix(prefix)
    given = {key: value for key, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def build_passage_url(
    scope: Scope,
    entity: UUID,
    file: UUID | None = None,
    *,
    row: UUID | None = None,
    passage: UUID | None = None,
    words: tuple[int, int] | None = None,
    field: str = "",
) -> str:
    """The reader at a passage of a file, with the passage and `words` of it marked; the record's page for other text,
    with `field` marked.

    row: the index row, where it stands; else passage: its first paragraph. words: characters of the row's text.
    """
    if file is None:
        url = build_workspace_url(scope, "entities:detail", entity)
    elif row is not None:
        start, end = words or (None, None)
        url = build_workspace_url(scope, "ingestion:reader", file, row=row, start=start, end=end)
    else:
        url = build_workspace_url(scope, "ingestion:reader", file, passage=passage)
    return f"{url}#p-{passage}" if passage else f"{url}#f-{field}" if field else url
