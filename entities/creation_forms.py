"""Forms that make something carry a key of their own, so that one form makes one thing."""

from collections.abc import Callable
from secrets import token_hex
from uuid import UUID

from django.http import HttpRequest

from entities.access import Scope
from entities.repeats import digest_request, make_under_key

CREATION_KEY = "creation_key"
OF_THE_FORM = {CREATION_KEY, "csrfmiddlewaretoken"}


def build_creation_key() -> str:
    return token_hex(16)


def make_once(request: HttpRequest, make: Callable[[], list[UUID]]) -> list[UUID]:
    """What `make` makes, or what it has made when this form came first; a form without a key always makes.

    Raises: OtherRequest where the same form came with other words.
    """
    key = request.POST.get(CREATION_KEY, "")
    if not key:
        return make()
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    said = {name: request.POST.getlist(name) for name in request.POST if name not in OF_THE_FORM}
    return make_under_key(scope, key, digest_request(request.path, said, request.FILES.values()), make)
