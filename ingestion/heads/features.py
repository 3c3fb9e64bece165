"""What the heads are told of a document and of its paragraphs: numbers made of the encoder's vectors alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingestion.embedders.base import Vectors, normalise_rows
from text.networks import Floats

OPENING = 3
"""Paragraphs that open a document."""
LONG = 400  # characters; the length of a longer paragraph says no more
NEIGHBOUR, AROUND = 0.5, 0.8
"""Weights of the vectors beside the paragraph's own."""


def place_around(vectors: Vectors, centre: Floats) -> Vectors:
    """Directions from the middle of ordinary text: without it all vectors of one encoder are alike."""
    known = np.linalg.norm(vectors, axis=-1, keepdims=True) > 0
    return normalise_rows(np.where(known, vectors - centre, 0).astype(np.float32))


def describe_document(paragraphs: Vectors, name: Vectors) -> Floats:
    """Of centred vectors, of shapes (paragraphs, dim) and (dim,): the document's features."""
    return np.concatenate(
        [
            normalise_rows(paragraphs.mean(0)),
            0.5 * normalise_rows(paragraphs[:OPENING].mean(0)),
            0.5 * normalise_rows(paragraphs.std(0)),
            0.3 * name,
        ]
    )


def describe_paragraphs(paragraphs: Vectors, lengths: Sequence[int], document: Floats) -> Floats:
    """Rows of features. lengths: in characters. document: what the document's head said of it."""
    nothing = np.zeros((1, paragraphs.shape[1]), np.float32)
    around = normalise_rows(paragraphs.mean(0))
    count = len(paragraphs)
    return np.concatenate(
        [
            paragraphs,
            NEIGHBOUR * np.concatenate([nothing, paragraphs[:-1]]),
            NEIGHBOUR * np.concatenate([paragraphs[1:], nothing]),
            AROUND * np.repeat(around[None], count, 0),
            np.repeat(document[None], count, 0),
            np.minimum(np.array(lengths, np.float32), LONG)[:, None] / LONG,
        ],
        axis=1,
    ).astype(np.float32)
