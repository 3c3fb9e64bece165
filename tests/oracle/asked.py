"""One person at one world, and how what they are shown is compared with what the monitor allows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.test import Client
from rest_framework.test import APIClient

from entities.access import Scope
from ingestion.models import ContextRow
from tests.oracle.monitor import Person, Record, Text, World
from tests.oracle.planted_world import Everything
from tests.prove.size import FACTOR

WORDS = "liability"
MEANING = "legal responsibility for damages"
"""No word in common with any text, so only the vectors can find them."""


class Differs(AssertionError):
    """A path shows what the monitor forbids, or keeps back what it allows."""


@dataclass(frozen=True)
class Asked:
    """One person at one world. A person who is narrowed has no sign-in of their own: only their scope is asked."""

    all: Everything
    person: Person

    @property
    def world(self) -> World:
        return self.all.world

    @cached_property
    def scope(self) -> Scope:
        return self.all.planted.scope(self.person)

    @cached_property
    def api(self) -> APIClient:
        return self.all.planted.api(self.person)

    @cached_property
    def client(self) -> Client:
        return self.all.planted.client(self.person)

    def sign_in(self) -> "Asked":
        """By the build as it is now, and not when something is first asked."""
        assert self.scope
        assert self.api
        assert self.client
        return self

    def page(self, path: str) -> Any:
        return self.client.get(f"{self.all.planted.base}{path}")

    def json(self, path: str, *, found: bool = True) -> Any:
        """The answer of `GET /api/<path>`, which is there exactly where `found` says so; None where it is not."""
        answer = self.api.get(f"/api/{path}")
        self.same(f"{path} answers", [answer.status_code], [200 if found else 404])
        return answer.json() if found else None

    def same(self, what: str, found: Iterable[Any], expected: Iterable[Any]) -> None:
        found, expected = list(found), list(expected)
        key: Any = repr
        if sorted(found, key=key) != sorted(expected, key=key):
            extra = [f for f in found if f not in expected]
            missing = [e for e in expected if e not in found]
            raise Differs(
                f"{what}, as {self.person}: extra {extra}, missing {missing}, {len(found)} of {len(expected)}"
            )

    def takes(self, number: int) -> bool:
        """Of things that are asked in the same way, or of ways that lead to the same: at factor 1 two people share them
        between them, who take turns by number.
        """
        return FACTOR > 1 or (number + [p.name for p in self.world.people].index(self.person.name)) % 2 == 0

    def sees(self, record: Record) -> bool:
        return self.world.sees(self.person, record)

    def id(self, record: str) -> str:
        return self.all.planted.id(record)


Check = Callable[[Asked], None]


def words(asked: Asked) -> list[str]:
    return [t.words for t in asked.world.indexed(asked.person)]


def texts_by_number() -> dict[int, str]:
    return dict(ContextRow.objects.values_list("number", "text"))


def requires(block: dict[str, Any]) -> tuple[int, ...]:
    return tuple(sorted(r["value"] for r in block["requires"]))


def hidden(asked: Asked, record: str, shown: list[str]) -> list[Text]:
    """Passages of a record that are not read, and may be told of."""
    return [
        t
        for t in asked.world.paragraphs(record)
        if t.words not in shown and t.label is not None and asked.world.acknowledged(asked.person, t.label)
    ]
