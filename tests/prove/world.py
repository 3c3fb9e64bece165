"""A world with one of everything, of ids that its names give (tests/prove/twin_worlds.py makes it)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from unittest.mock import patch
from uuid import UUID, uuid5

from entities.access import Scope, combine_for_workspace
from entities.models import Workspace
from entities.models.classification import SECRET
from tests.conftest import ALL, Person

NAMES = UUID("5f0c1c5e-2b7e-4f0e-9d5b-0d6f8a6f1c11")
START = datetime(2031, 3, 1, 9, tzinfo=UTC)
NOW = START + timedelta(days=3)
"""When the world is looked at; who signed in at START still is."""
DAY_AFTER = START + timedelta(days=1)
"""When newer versions came that changed nothing but what is hidden."""
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
"""For what has expired: policies go by the database's clock."""
OPEN_ATOMS = [atom for atom in ALL if atom != SECRET]
READERS = ("bare", "granted", "creator", "expired", "steward", "admin")
"""Members of the workspace. keeper, who holds everything and made what is hidden, is none of them."""
SERVICE_SETS = ([], [1], [1, 2, 5])
"""The sets of clearances for which readers here are shown a Pulse (pulse.variants)."""
WORDS = ["liability", "quay", "crane", "rent", "notice", "roof", "permit", "delay", "claim", "storm", "cargo", "survey"]
HIDDEN_WORD = "zanzibar"
"""In every text that must be hidden without trace, and in no other. Concealed files, of which stewards know, are named
without it."""


def named(name: str) -> UUID:
    return uuid5(NAMES, name)


@contextmanager
def at(minute: float) -> Iterator[None]:
    """Django's clock stands still, so many minutes after START."""
    with patch("django.utils.timezone.now", return_value=START + timedelta(minutes=minute)):
        yield


@dataclass
class World:
    """things: (kind, name) -> id. kinds: entity, file, paragraph, reference, session, turn, message, pulse, index,
    run, usergrant, rolegrant, request."""

    workspace: Workspace
    service: Scope
    hidden: bool
    random: Random
    secret: Random
    people: dict[str, Person] = field(default_factory=dict)
    things: dict[tuple[str, str], UUID] = field(default_factory=dict)
    elsewhere: "World | None" = None

    def new(self, kind: str, name: str) -> UUID:
        """The id of a thing that is being made."""
        self.things[kind, name] = named(f"{self.workspace.slug} {kind} {name}")
        return self.things[kind, name]

    def text(self, hidden: bool = False) -> str:
        """A sentence of words that others have too. What is hidden does not draw from the others' source of chance."""
        random = self.secret if hidden else self.random
        words = " ".join(random.choice(WORDS) for _ in range(8))
        return f"The {words} of berth {random.randrange(10_000)}{f' in {HIDDEN_WORD}' if hidden else ''}."

    def label(self, *atoms: int) -> int:
        return combine_for_workspace(self.workspace.pk, *atoms)
