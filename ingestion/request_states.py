"""What came of a reader's own requests, for the placeholders that they asked about."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from entities.access import Scope
from entities.access.scope import load_once
from ingestion.models import AccessRequest
from ingestion.requests import State, select_requests

SHOWN_STATES = (State.OPEN, State.REFUSED, State.WITHDRAWN)


def list_own_requests(scope: Scope, entity: UUID) -> Sequence[AccessRequest]:
    """What the caller asked about a record and its files and did not take back, the newest first."""

    def load() -> list[AccessRequest]:
        rows: QuerySet[AccessRequest] = select_requests(scope).filter(requester=scope.principal, entity=entity)
        return list(rows.filter(state__in=SHOWN_STATES))

    return load_once(f"requests {entity}", load)  # type: ignore[no-any-return]


def find_request_on(
    scope: Scope,
    entity: UUID,
    requires: Sequence[int],
    positions: Sequence[int],
    *,
    file: UUID | None = None,
    revision: UUID | None = None,
    field: str = "",
) -> AccessRequest | None:
    """The caller's last request about a placeholder, or about all of its file or record, that was not granted."""
    for request in list_own_requests(scope, entity):
        if request.file_id != file or not set(requires) <= set(request.atoms):
            continue
        here = (request.revision, request.field) == (revision, field) and set(positions) <= set(request.positions)
        if here or not request.positions:
            return request
    return None
