"""What cosines of each encoder mean: one table, measured by `manage.py bench likeness` (docs/evaluation.md).

Encoders spread their vectors differently: between two texts that have nothing to do with each other all-MiniLM-L6-v2
gives 0.1, and multilingual-e5-small 0.78. So no cosine is compared with a number that is not in this table.
"""

from dataclasses import dataclass, fields, replace

from retrieval.tuning import load_tuning


@dataclass(frozen=True)
class Likeness:
    """Cosines, except for `meaning`: the weight of meaning beside words in the score of a passage, 0 to 1.

    floor: a passage that only its meaning finds has this at least. faint: what a question without any meaning reaches;
    where nothing is nearer and no word was met, nothing was found. close: a passage is said to be near in meaning too.
    copy: another passage of a page is the same once more. nearly_same: two records may be one that was entered twice.
    """

    meaning: float
    floor: float
    faint: float
    close: float
    copy: float
    nearly_same: float


ENGLISH = Likeness(meaning=0.3, floor=0.2, faint=0.3, close=0.35, copy=0.95, nearly_same=0.95)
LIKENESS = {
    "all-MiniLM-L6-v2": ENGLISH,
    "multilingual-e5-small": Likeness(meaning=0.6, floor=0.75, faint=0.78, close=0.84, copy=0.98, nearly_same=0.98),
}
"""By the id of the encoder. One that is not here is taken to spread its vectors as the first does."""


def get_likeness(model_id: str) -> Likeness:
    """What the table says of an encoder, or CLEARANCE_RETRIEVAL in its place."""
    chosen = load_tuning()
    given = {field.name: getattr(chosen, field.name, None) for field in fields(Likeness)}
    found = LIKENESS.get(model_id, ENGLISH)
    return replace(found, **{name: value for name, value in given.items() if value is not None})
