"""Weights of words, learned from labelled paragraphs (docs/adr/0041): logistic regression by full gradients."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from ingestion.evaluation.sets import Sample
from llm.recognisers.learned import BIAS, COLUMNS, features

Vector = NDArray[np.float64]
STRENGTH = 20.0
"""Of the samples against the pull of all weights towards nothing (the C of LIBLINEAR)."""
STEPS = 400
RATE = 0.05
SMALLEST = 8
"""Weights of fewer hundredths are left out of the table."""


@dataclass(frozen=True)
class Matrix:
    """The features of paragraphs: entry i stands in row `rows[i]` and column `columns[i]`. The last column is 1."""

    names: tuple[str, ...]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Vector
    height: int

    def times(self, weights: Vector) -> Vector:
        return np.bincount(self.rows, self.values * weights[self.columns], minlength=self.height).astype(np.float64)

    def transposed_times(self, errors: Vector) -> Vector:
        return np.bincount(self.columns, self.values * errors[self.rows], minlength=len(self.names)).astype(np.float64)


def matrix(texts: Sequence[str]) -> Matrix:
    found = [features(text) for text in texts]
    names = (*sorted({feature for row in found for feature in row}), BIAS)
    number = {name: column for column, name in enumerate(names)}
    entries = [(row, number[name], value) for row, said in enumerate(found) for name, value in said.items()]
    entries += [(row, number[BIAS], 1.0) for row in range(len(texts))]
    rows, columns, values = zip(*entries, strict=True)
    return Matrix(names, np.array(rows), np.array(columns), np.array(values), len(texts))


def regression(given: Matrix, needed: NDArray[np.bool_]) -> Vector:
    """A weight for each feature; those who need the label count as much, all together, as those who do not."""
    count, positive = len(needed), max(int(needed.sum()), 1)
    balance = np.where(needed, count / (2 * positive), count / (2 * max(count - positive, 1)))
    pull = np.ones(len(given.names))
    pull[-1] = 0.0  # the bias is free
    weights, mean, square = np.zeros((3, len(given.names)))
    for step in range(1, STEPS + 1):  # Adam (Kingma and Ba 2015, arXiv:1412.6980)
        likely = 1 / (1 + np.exp(-given.times(weights)))
        slope = STRENGTH * given.transposed_times((likely - needed) * balance) + pull * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        rate = RATE * (1 - (step - 1) / STEPS)
        weights = weights - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return np.asarray(weights)


def learn(samples: Sequence[Sample]) -> Mapping[str, tuple[int, ...]]:
    """The table of `llm.recognisers.learned`: hundredths by feature, in the order of COLUMNS."""
    given = matrix([sample.text for sample in samples])
    found = [regression(given, np.array([atom in s.atoms for s in samples])) for atom in COLUMNS]
    hundredths = np.rint(np.array(found).T * 100).astype(int)
    kept = (row for row in range(len(given.names)) if max(abs(hundredths[row])) >= SMALLEST)
    return {given.names[row]: tuple(int(value) for value in hundredths[row]) for row in kept}


def digest(samples: Sequence[Sample]) -> str:
    """Of what was learned from: the first line of the table tells it."""
    return sha256(repr([(sample.text, sorted(sample.atoms)) for sample in samples]).encode()).hexdigest()[:16]
