"""The constants of ranking, from the setting `RETRIEVAL`. Defaults are those of design §5; `scan`: docs/adr/0040."""

from dataclasses import dataclass, fields
from functools import cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True)
class Tuning:
    """One name is one key of `settings.RETRIEVAL`.

    candidates: rows a branch hands on. meaning, floor, faint, close, copy, nearly_same: in the place of what the table
    in `retrieval.likeness` says of the encoder. exact, every_word: what is added for holding the question as it was
    asked, or else every word of it. k1, b: BM25. summary: by this the score of a file's summary is multiplied, because
    passages have what it has. pool: best fused rows from which a page is chosen; always: how many of them stay however
    alike they are. window: neighbours
    on either side of a passage, which fill a page that is not full; each step away multiplies its score by decay. page,
    prompt, most: results on a page, passages in a prompt, and the most that anybody may ask for. scan: visible rows up
    to which all vectors are compared; above, the graph is walked with a list of `breadth` rows (more in a graph of more
    than 200,000) where that takes less time, and never where `strict`, which a workspace may choose for itself
    (`RankingSettings`). hits: passages that are read for their words; common words beyond only order what the others
    found. reranked: how many of the best a reranker reads.
    """

    candidates: int = 100
    meaning: float | None = None
    floor: float | None = None
    faint: float | None = None
    close: float | None = None
    copy: float | None = None
    nearly_same: float | None = None
    exact: float = 1.0
    every_word: float = 0.4
    k1: float = 1.2
    b: float = 0.75
    summary: float = 0.6
    pool: int = 60
    always: int = 5
    window: int = 1
    decay: float = 0.5
    page: int = 10
    prompt: int = 5
    most: int = 50
    scan: int = 27_500
    hits: int = 5_000
    breadth: int = 400
    strict: bool = False
    reranked: int = 20
    cached_queries: int = 2048


@cache
def load_tuning() -> Tuning:
    """Raises: ImproperlyConfigured for a key that does not exist."""
    given = dict(getattr(settings, "RETRIEVAL", {}))
    unknown = set(given) - {field.name for field in fields(Tuning)}
    if unknown:
        raise ImproperlyConfigured(f"RETRIEVAL has no {', '.join(sorted(unknown))}.")
    return Tuning(**given)
