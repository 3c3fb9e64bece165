"""Weights of words, learned from labelled paragraphs (docs/adr/0041): logistic regression by full gradients.

How sure a sum of weights is, is measured on paragraphs that took no part in it: the samples are cut into folds, each is
judged by the weights of the others, and a line is drawn where as many votes are right as the line promises.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from ingestion.evaluation.corpora import CorpusParagraph
from ingestion.evaluation.sets import Sample
from ingestion.evaluation.templates import load_ordinary_paragraphs
from llm.recognisers.learned import BIAS, COLUMNS, LABEL, PROPOSE, compute_features, is_eligible
from llm.rules import vote_exactly

Vector = NDArray[np.float64]
STRENGTH = 10.0
"""Of the samples against the pull of all weights towards nothing (the C of LIBLINEAR)."""
STEPS = 200
RATE = 0.05
SMALLEST = 8
"""Weights of fewer hundredths are left out of the table."""
FOLDS = 3
SURE, LIKELY = 0.9, 0.5
"""Shares of votes that are right: of those that label, of those that propose."""
MIN_VOTES = 8
"""Votes above a line, so that its share means something."""
NEVER = 99.0
"""A line that no sum reaches."""


@dataclass(frozen=True)
class Lesson:
    """A text to learn from. known: atoms that exact kinds find in it, on which no word has to vote. group: what is
    judged by one fold's weights together.
    """

    text: str
    atoms: frozenset[int]
    known: frozenset[int]
    group: str


def build_lessons(samples: Sequence[Sample], others: Sequence[CorpusParagraph] = ()) -> list[Lesson]:
    """Labelled paragraphs, ordinary ones made from templates, and those of others' files in which no exact kind is
    found: they count as ordinary.
    """
    found = [Lesson(s.text, s.atoms, vote_exactly(s.text).atoms, s.text) for s in samples]
    for ordinary in load_ordinary_paragraphs():
        if ordinary.split == "dev":
            found.append(Lesson(ordinary.text, frozenset(), frozenset(), ordinary.template))
    for other in others:
        if not vote_exactly(other.text, other.lang, other.before).atoms:
            found.append(Lesson(other.text, frozenset(), frozenset(), other.group))
    return found


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

    def multiply_transposed(self, errors: Vector) -> Vector:
        return np.bincount(self.columns, self.values * errors[self.rows], minlength=len(self.names)).astype(np.float64)

    def select_rows(self, wanted: NDArray[np.bool_]) -> "Matrix":
        entries = wanted[self.rows]
        number = np.cumsum(wanted) - 1
        rows = number[self.rows[entries]]
        return Matrix(self.names, rows, self.columns[entries], self.values[entries], int(wanted.sum()))


def build_matrix(texts: Sequence[str], vocabulary: Sequence[str]) -> Matrix:
    """Features of the vocabulary alone: words of other people's files are weighed where our own texts have them, and
    never get into the table from there.
    """
    names = (*sorted({feature for text in vocabulary for feature in compute_features(text)}), BIAS)
    number = {name: column for column, name in enumerate(names)}
    entries = [
        (row, number[name], value)
        for row, text in enumerate(texts)
        for name, value in compute_features(text).items()
        if name in number
    ]
    entries += [(row, number[BIAS], 1.0) for row in range(len(texts))]
    rows, columns, values = zip(*entries, strict=True)
    return Matrix(names, np.array(rows), np.array(columns), np.array(values), len(texts))


def fit_weights(given: Matrix, needed: NDArray[np.bool_]) -> Vector:
    """A weight for each feature; those who need the label count as much, all together, as those who do not."""
    count, positive = len(needed), max(int(needed.sum()), 1)
    balance = np.where(needed, count / (2 * positive), count / (2 * max(count - positive, 1)))
    balance *= SAMPLES_WEIGHED / max(count, SAMPLES_WEIGHED)
    pull = np.ones(len(given.names))
    pull[-1] = 0.0  # the bias is free
    weights, mean, square = np.zeros((3, len(given.names)))
    for step in range(1, STEPS + 1):  # Adam (Kingma and Ba 2015, arXiv:1412.6980)
        likely = 1 / (1 + np.exp(-given.times(weights)))
        slope = STRENGTH * given.multiply_transposed((likely - needed) * balance) + pull * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        rate = RATE * (1 - (step - 1) / STEPS)
        weights = weights - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return np.asarray(weights)


SAMPLES_WEIGHED = 2_000
"""So many samples count in full; of more, each counts less, so that the pull keeps its strength."""


def learn_weights(lessons: Sequence[Lesson], vocabulary: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
    """The table of `llm.recognisers.learned`: hundredths by feature, in the order of COLUMNS, and the lines from which
    on a sum labels and proposes.
    """
    given = build_matrix([lesson.text for lesson in lessons], vocabulary)
    fold = np.array([sha256(lesson.group.encode()).digest()[0] % FOLDS for lesson in lessons])
    found, lines = [], []
    for atom in COLUMNS:
        needed = np.array([atom in lesson.atoms for lesson in lessons])
        found.append(fit_weights(given, needed))
        sums = np.zeros(len(lessons))
        for number in range(FOLDS):
            weights = fit_weights(given.select_rows(fold != number), needed[fold != number])
            sums[fold == number] = given.select_rows(fold == number).times(weights)
        asked = np.array([is_eligible(s.text, atom) and atom not in s.known for s in lessons])
        lines.append((draw_line(sums[asked], needed[asked], SURE), draw_line(sums[asked], needed[asked], LIKELY)))
    voting = np.array([likely < NEVER for _, likely in lines])  # a label on which no sum votes needs no weights
    hundredths = np.rint(np.array(found).T * 100 * voting).astype(int)
    rows = (row for row in range(len(given.names)) if max(abs(hundredths[row])) >= SMALLEST)
    table = {given.names[row]: tuple(int(value) for value in hundredths[row]) for row in rows}
    return {
        LABEL: tuple(round(sure * 100) for sure, _ in lines),
        PROPOSE: tuple(round(min(sure, likely) * 100) for sure, likely in lines),
        **table,
    }


def draw_line(sums: Vector, needed: NDArray[np.bool_], share: float) -> float:
    """The lowest sum from which on at least this share of the votes is right."""
    order = np.argsort(-sums)
    right = np.cumsum(needed[order]) / np.arange(1, len(order) + 1)
    last = np.append(np.diff(sums[order]) < 0, True)  # of equal sums, which a line cannot part
    good = np.nonzero((right >= share) & last)[0]
    good = good[good >= MIN_VOTES - 1]
    return float(sums[order][good[-1]]) if len(good) else NEVER


def hash_samples(samples: Sequence[Sample]) -> str:
    """Of what was learned from: the first line of the table tells it."""
    return sha256(repr([(sample.text, sorted(sample.atoms)) for sample in samples]).encode()).hexdigest()[:16]
