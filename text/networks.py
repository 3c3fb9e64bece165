"""Small networks on the vectors of an encoder: one hidden layer each, several of them averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Layers:
    """One network. hidden: (features, units); hidden_bias: (units,); output: (units, outputs); output_bias."""

    hidden: Floats
    hidden_bias: Floats
    output: Floats
    output_bias: Floats

    def compute_probabilities(self, features: Floats) -> Floats:
        """(rows, features) -> (rows, outputs), each between 0 and 1."""
        units = np.maximum(features @ self.hidden + self.hidden_bias, 0)
        sums = units @ self.output + self.output_bias
        return np.asarray(1 / (1 + np.exp(-np.clip(sums, -30, 30))), dtype=np.float32)


@dataclass(frozen=True)
class Ensemble:
    """Networks that were trained alike from different beginnings."""

    members: tuple[Layers, ...]

    def compute_probabilities(self, features: Floats) -> Floats:
        """(rows, features) -> (rows, outputs): the mean of the members."""
        return np.mean([member.compute_probabilities(features) for member in self.members], axis=0)

    def dump(self, name: str) -> dict[str, npt.NDArray[np.float16]]:
        """Arrays for a file of arrays; `name` begins their names."""
        return {
            f"{name}.{number}.{part}": np.asarray(getattr(member, part), dtype=np.float16)
            for number, member in enumerate(self.members)
            for part in PARTS
        }

    @classmethod
    def load(cls, arrays: Mapping[str, npt.NDArray[np.float16]], name: str) -> Ensemble:
        numbers = sorted({int(key.split(".")[1]) for key in arrays if key.startswith(f"{name}.")})
        return cls(tuple(Layers(*(arrays[f"{name}.{n}.{part}"].astype(np.float32) for part in PARTS)) for n in numbers))


PARTS = ("hidden", "hidden_bias", "output", "output_bias")


def fit_ensemble(
    features: Floats, wanted: Floats, *, units: int, epochs: int, decay: float, seeds: Sequence[int]
) -> Ensemble:
    """wanted: (rows, outputs) of 0 and 1; NaN where it is not known, which teaches nothing."""
    return Ensemble(tuple(fit_layers(features, wanted, units, epochs, decay, seed) for seed in seeds))


def fit_layers(features: Floats, wanted: Floats, units: int, epochs: int, decay: float, seed: int) -> Layers:
    """By Adam (Kingma and Ba 2015, arXiv:1412.6980) on batches of 128, the squares of the weights times `decay` added
    to the loss.
    """
    chance = np.random.default_rng(seed)
    rows, count = features.shape
    outputs = wanted.shape[1]
    values = [
        chance.normal(0, np.sqrt(2 / count), (count, units)).astype(np.float32),
        np.zeros(units, np.float32),
        chance.normal(0, np.sqrt(2 / units), (units, outputs)).astype(np.float32),
        np.zeros(outputs, np.float32),
    ]
    means, squares = [np.zeros_like(v) for v in values], [np.zeros_like(v) for v in values]
    steps, step = epochs * -(-rows // BATCH), 0
    for _ in range(epochs):
        order = chance.permutation(rows)
        for first in range(0, rows, BATCH):
            step += 1
            batch = order[first : first + BATCH]
            slopes = compute_slopes(values, features[batch], wanted[batch], decay)
            rate = RATE * (1 - (step - 1) / steps)
            for n, slope in enumerate(slopes):
                means[n] = 0.9 * means[n] + 0.1 * slope
                squares[n] = 0.999 * squares[n] + 0.001 * slope * slope
                values[n] -= rate * (means[n] / (1 - 0.9**step)) / (np.sqrt(squares[n] / (1 - 0.999**step)) + 1e-8)
    return Layers(*values)


BATCH = 128
RATE = 2e-3


def compute_slopes(values: Sequence[Floats], features: Floats, wanted: Floats, decay: float) -> list[Floats]:
    """The gradient of the mean cross entropy of a batch by each of the four arrays."""
    hidden, hidden_bias, output, output_bias = values
    before = features @ hidden + hidden_bias
    units = np.maximum(before, 0)
    found = 1 / (1 + np.exp(-np.clip(units @ output + output_bias, -30, 30)))
    errors = np.where(np.isnan(wanted), 0, found - wanted).astype(np.float32) / len(features)
    back = (errors @ output.T) * (before > 0)
    return [
        features.T @ back + decay * hidden,
        back.sum(0),
        units.T @ errors + decay * output,
        errors.sum(0),
    ]
