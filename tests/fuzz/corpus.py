"""All recipes of a run, in an order of chance that is the same every time."""

import random

from tests.fuzz import hostile_office, hostile_pdf, hostile_text, hostile_web, spoilt
from tests.fuzz.recipe import Recipe

ROUNDS_A_FACTOR = 2


def corpus(factor: int, seed: str) -> list[Recipe]:
    """At factor 0 the quick ones; at 1 everything made by hand and two rounds of what chance spoils, more above."""
    found = [
        *hostile_text.recipes(),
        *hostile_pdf.RECIPES,
        *hostile_office.RECIPES,
        *hostile_web.RECIPES,
        *spoilt.recipes(max(1, ROUNDS_A_FACTOR * factor)),
    ]
    if factor == 0:
        found = [recipe for recipe in found if recipe.quick]
    random.Random(seed).shuffle(found)
    return found
