"""What is made once, however often the request to make it comes: a double click, or a program that tries again.

Whoever sends a key with a request that makes something gets, for a day, what the first one has made. The key belongs to
one person in one workspace. Digests and ids are kept and no text, so every answer is written anew, as its reader may
see it by then (docs/adr/0072).
"""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from entities.access import Scope
from entities.models import MadeOnce

KEPT = timedelta(hours=24)


class OtherRequest(Exception):
    """The key came with another request before."""

    def __init__(self, made: list[UUID]) -> None:
        super().__init__()
        self.made = made


def make_under_key(scope: Scope, key: str, request: str, make: Callable[[], list[UUID]]) -> list[UUID]:
    """What `make` makes, or what it made when this key came first. request: `digest_request` of it.

    A second request waits until the first has ended. Where that failed it left no key, and the second makes it.
    Raises: OtherRequest.
    """
    rows = MadeOnce.objects.filter(audience=scope.principal, digest=_digest(key))
    rows.filter(at__lt=Now() - KEPT).delete()
    row, is_first = rows.get_or_create(
        workspace_id=scope.workspace, audience=scope.principal, digest=_digest(key), defaults={"request": request}
    )
    if is_first:
        row.made = make()
        row.save(update_fields=["made"])
    elif row.request != request:
        raise OtherRequest(row.made)
    return row.made


def digest_request(address: str, fields: Mapping[str, Any] | list[Any], files: Iterable[Any] = ()) -> str:
    """Of where a request goes and what it says. fields: of a form without its tokens, or parsed JSON."""
    digest = salted_hmac(
        "entities.repeats", json.dumps([address, fields], sort_keys=True, default=str), algorithm="sha256"
    )
    for file in files:
        digest.update(f"\n{file.name} {file.size}\n".encode())
        for chunk in file.chunks():
            digest.update(chunk)
        file.seek(0)
    return digest.hexdigest()


def forget_keys() -> int:
    """Of a workspace whose service scope is open. Returns how many."""
    return MadeOnce.objects.filter(at__lt=Now() - KEPT).delete()[0]


def _digest(key: str) -> str:
    return salted_hmac("entities.repeats", key, algorithm="sha256").hexdigest()
