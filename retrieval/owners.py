"""Whose citations are asked for: apps above register how a message or a Pulse leads to its registry.

A resolver gets the open scope and the public id of what is cited from. It answers with what this caller may see of it,
or None where it is none of its ids, or hidden: the two are the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.http import Http404

from entities.access import Scope
from retrieval.citations import Owner
from retrieval.listed import ListedRecord


@dataclass(frozen=True)
class CitingText:
    """A text with markers `[citation:n]` that the caller may read, and the owner of its numbers. question: that it
    answers, where it answers one. listed: by number, the records of a list that was copied into it.
    """

    owner: Owner
    text: str
    question: str = ""
    listed: Mapping[int, ListedRecord] = field(default_factory=dict)


Resolver = Callable[[Scope, UUID], CitingText | None]
RESOLVERS: list[Resolver] = []


def register_owner(resolver: Resolver) -> None:
    """Called in `AppConfig.ready`."""
    if resolver not in RESOLVERS:
        RESOLVERS.append(resolver)


def get_citing_or_404(scope: Scope, pk: UUID) -> CitingText:
    """Raises: Http404, one answer for absent and hidden."""
    for resolver in RESOLVERS:
        found = resolver(scope, pk)
        if found is not None:
            return found
    raise Http404("Not found.")
