"""Heads: what an encoder's vectors tell of who may read a text (docs/adr/0074).

One head judges documents: is it sensitive as a whole, and of which kind. One tells whether the sums of money in a
document are published (docs/adr/0079). One judges paragraphs, in the light of their neighbours and of the document.
Their weights belong to one encoder; with another one there are none, and they are silent. They were trained by
`manage.py learn_heads`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ingestion.embedders.base import Vectors
from ingestion.heads.features import describe_document, describe_paragraphs, place_around
from text.networks import Ensemble, Floats

FOLDER = Path(__file__).parent
WINDOW = 16
"""Paragraphs that are judged as one document: those that the heads learned from have 4 to 14."""
ATOMS = (2, 3, 4, 5)
"""The atoms that the paragraphs' head tells apart, as `entities.actions.SEEDED` numbers them."""
LIKELY = 0.5
UNKNOWN = "unknown"
"""The kind of a sensitive document that resembles no kind enough."""


@dataclass(frozen=True)
class Finding:
    """Of one paragraph. sensitive: 0 to 1. atoms: what it needs, where it is sensitive."""

    sensitive: float
    atoms: frozenset[int]


@dataclass(frozen=True)
class Judgement:
    """Of one document. sensitive: 0 to 1, as a whole. kind: of a sensitive one. held: whether it is so surely sensitive
    that all of it is kept. published: whether its sums of money are. paragraphs: in order.
    """

    sensitive: float
    kind: str
    held: bool
    published: bool
    paragraphs: tuple[Finding, ...]


@dataclass(frozen=True)
class Heads:
    """centre: the mean vector of what was learned from. kinds: names of the document head's outputs after the first two
    (sensitive as a whole; sensitive in parts). hold, label, propose, publish, suspect: from which probability on a
    document is held, a paragraph labelled, its label proposed to a steward, a document taken for published, and one
    that is not held shown to a steward.
    """

    centre: Floats
    document: Ensemble
    reach: Ensemble
    paragraph: Ensemble
    kinds: tuple[str, ...]
    hold: float
    label: float
    propose: float
    publish: float
    suspect: float

    def judge(self, vectors: Vectors, lengths: Sequence[int], name: Vectors) -> Judgement:
        """vectors: of the paragraphs, (count, dim), count above 0. lengths: in characters. name: the file's name."""
        centred, named = place_around(vectors, self.centre), place_around(name, self.centre)
        windows = list(cut_into_windows(len(centred)))
        described = np.array([describe_document(centred[window], named) for window in windows])
        said = self.document.compute_probabilities(described)
        weights = np.array([window.stop - window.start for window in windows], np.float32)
        whole = np.average(said, axis=0, weights=weights)
        reach = np.average(self.reach.compute_probabilities(described)[:, 0], weights=weights)
        findings: list[Finding] = []
        for window, document in zip(windows, said, strict=True):
            rows = describe_paragraphs(centred[window], lengths[window], document[:2])
            findings += map(build_finding, self.paragraph.compute_probabilities(rows))
        best = int(np.argmax(whole[2:])) if self.kinds else 0
        kind = self.kinds[best] if self.kinds and whole[2 + best] >= LIKELY else UNKNOWN
        # A document that is sensitive as a whole has a paragraph that is.
        held = whole[0] >= self.hold and max(found.sensitive for found in findings) >= LIKELY
        published = not held and reach >= self.publish
        return Judgement(float(whole[0]), kind, bool(held), bool(published), tuple(findings))

    def dump(self) -> dict[str, np.ndarray]:
        """Arrays for the file that `load_heads` reads."""
        return {
            "centre": self.centre.astype(np.float16),
            "kinds": np.array(self.kinds),
            "lines": np.array([self.hold, self.label, self.propose, self.publish, self.suspect], np.float32),
            **self.document.dump("document"),
            **self.reach.dump("reach"),
            **self.paragraph.dump("paragraph"),
        }


def build_finding(said: Floats) -> Finding:
    """said: sensitive, then each of ATOMS. The likeliest atom where none is likely."""
    atoms = {atom for atom, likely in zip(ATOMS, said[1:], strict=True) if likely >= LIKELY * said[0]}
    return Finding(float(said[0]), frozenset(atoms or {ATOMS[int(np.argmax(said[1:]))]}))


def cut_into_windows(count: int) -> list[slice]:
    """Runs of about WINDOW paragraphs, none much shorter than the others."""
    parts = max(1, round(count / WINDOW))
    edges = [round(count * part / parts) for part in range(parts + 1)]
    return [slice(first, last) for first, last in zip(edges, edges[1:], strict=False)]


@cache
def load_heads(model_id: str) -> Heads | None:
    """None for an encoder that no heads were trained for."""
    path = FOLDER / f"{model_id}.npz"
    if "/" in model_id or not path.is_file():
        return None
    with np.load(path) as file:
        arrays = dict(file)
    return Heads(
        arrays["centre"].astype(np.float32),
        Ensemble.load(arrays, "document"),
        Ensemble.load(arrays, "reach"),
        Ensemble.load(arrays, "paragraph"),
        tuple(map(str, arrays["kinds"])),
        *map(float, arrays["lines"]),
    )


LONGEST = 1_200
"""Characters of a paragraph that its vector is made of."""
