"""Vectors of questions and of pieces of text, by the encoders that the program is given, where it has any."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

from text.networks import Floats

_embed: list[Callable[[str], Sequence[float]]] = []


class Encoder(Protocol):
    """Of a hundred languages. Vectors have length 1, or 0 where a text tells nothing."""

    def embed_query(self, text: str) -> Floats: ...

    def embed_documents(self, texts: list[str]) -> Floats: ...


_find_encoder: list[Callable[[], Encoder | None]] = []


def use_encoder(find: Callable[[], Encoder | None]) -> None:
    """From now on pieces are read by the encoder that `find` gives, by which the reader was trained. It sends nothing
    anywhere.
    """
    _find_encoder[:] = [find]


def find_encoder() -> Encoder | None:
    return _find_encoder[0]() if _find_encoder else None


def use_embedder(embed: Callable[[str], Sequence[float]]) -> None:
    """From now on likeness is measured by `embed`, which gives a vector for a text and sends it nowhere."""
    _embed[:] = [embed]


def measure_likeness(text: str, others: Sequence[str]) -> list[float]:
    """The cosine of `text` with each of `others`; zeros where there is no model. Some 4 ms a text."""
    if not _embed:
        return [0.0] * len(others)
    first, *rest = (_compute_vector(_embed[0], one) for one in (text, *others))
    return [_compute_cosine(first, vector) for vector in rest]


@lru_cache(maxsize=256)
def _compute_vector(embed: Callable[[str], Sequence[float]], text: str) -> Sequence[float]:
    """Kept for a while: one question compares the same labels after each of its searches."""
    return embed(text)


def _compute_cosine(a: Sequence[float], b: Sequence[float]) -> float:
    norms = sum(x * x for x in a) * sum(y * y for y in b)
    return float(sum(x * y for x, y in zip(a, b, strict=True)) / norms**0.5) if norms else 0.0
