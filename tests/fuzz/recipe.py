"""What the corpus is made of: recipes, which give the same bytes whenever they are asked with the same kit."""

import random
from collections.abc import Callable
from dataclasses import dataclass

Make = Callable[["Kit"], bytes]


@dataclass(frozen=True)
class Kit:
    """rng: seeded by the recipe's name. canary: "http://…" of a server that nothing may ever call. factor: of the run,
    for recipes that grow with it.
    """

    rng: random.Random
    canary: str
    factor: int


@dataclass(frozen=True)
class Recipe:
    """name: the file's, as it is sent. why: what it is of. quick: part of the sample that every test run takes.

    ready: a file that is unusual and whole, which has to be read.
    """

    name: str
    why: str
    make: Make
    quick: bool = False
    ready: bool = False

    def bytes(self, seed: str, canary: str, factor: int) -> bytes:
        return self.make(Kit(random.Random(f"{seed} {self.why} {self.name!r}"), canary, factor))
