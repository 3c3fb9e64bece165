"""What every embedding model offers."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


class EmbeddingFailed(Exception):
    """The model did not answer, or not with vectors of the promised form. The message is a sentence for people."""


class Embedder(Protocol):
    """A text embedding model. All methods may be called from several threads at once.

    A text that says nothing to the model may have a vector of zeros, which is near to nothing.

    model_id: names the model in every vector row; texts are compared within one model only. dim: length of a vector.
    max_tokens: what goes beyond is not seen by the model.
    """

    @property
    def model_id(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    def count_tokens(self, text: str) -> int:
        """Tokens the model makes of `text`, its marks at both ends included; an estimate errs upwards."""
        ...

    def embed_documents(self, texts: list[str]) -> Vectors:
        """float32 of shape (len(texts), dim), rows of length 1 or 0. Raises EmbeddingFailed."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """float32 of shape (dim,), of length 1 or 0. Raises EmbeddingFailed."""
        ...


def normalise_rows(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled
