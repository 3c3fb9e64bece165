"""Sets of labelled paragraphs, a JSON object a line (docs/labels.md)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args

from entities.models.classification import PUBLIC
from llm.prompts import Level

Split = Literal["dev", "held"]
SPLITS: tuple[Split, ...] = get_args(Split)
OWN = Path(__file__).with_name("paragraphs.jsonl")
"""The set of the project: written for it, about people and firms that do not exist."""
LONGEST = 20_000
"""Characters of a paragraph."""


class BadLabelledSet(Exception):
    """A set that cannot be read; the message says where and why."""


@dataclass(frozen=True)
class Sample:
    """A paragraph and the atoms that its reader needs; none is Public. line: where it stands in its file, from 1."""

    line: int
    text: str
    atoms: frozenset[int]
    split: Split


@dataclass(frozen=True)
class LabelledSet:
    """levels: those that its labels were read by, Public among them."""

    name: str
    samples: tuple[Sample, ...]
    levels: tuple[Level, ...]

    def select_split(self, split: Split) -> tuple[Sample, ...]:
        return tuple(sample for sample in self.samples if sample.split == split)

    @property
    def digest(self) -> str:
        """SHA-256 of texts, labels, halves and levels: runs are compared only where it is the same."""
        said = [[s.text, sorted(s.atoms), s.split] for s in self.samples]
        levels = [[level.value, level.label, level.description] for level in self.levels]
        return sha256(json.dumps([said, levels]).encode()).hexdigest()


def read_set(path: Path, levels: Sequence[Level]) -> LabelledSet:
    """Raises: BadSet."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadLabelledSet(f"{path}: {error}") from None
    values = {level.label: level.value for level in levels}
    samples: list[Sample] = []
    first_at: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            sample = _read_sample(number, json.loads(line), values)
        except ValueError as error:  # what is no JSON too
            raise BadLabelledSet(f"{path}, line {number}: {error}") from None
        if sample.text in first_at:
            raise BadLabelledSet(f"{path}, line {number}: the same text as line {first_at[sample.text]}")
        first_at[sample.text] = number
        samples.append(sample)
    if not samples:
        raise BadLabelledSet(f"{path}: no paragraph in it")
    return LabelledSet(path.name, tuple(samples), tuple(levels))


def _read_sample(number: int, given: Any, values: Mapping[str, int]) -> Sample:
    """Raises: ValueError."""
    if not isinstance(given, dict) or set(given) != {"text", "labels", "split"}:
        raise ValueError('an object with "text", "labels" and "split" is expected')
    text, labels, split = given["text"], given["labels"], given["split"]
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise ValueError(f"text is a string of 1 to {LONGEST} characters")
    if not isinstance(labels, list) or not all(isinstance(label, str) and label in values for label in labels):
        raise ValueError(f"labels is a list of some of: {', '.join(values)}")
    if split not in SPLITS:
        raise ValueError('split is "dev" or "held"')
    return Sample(number, text, frozenset(values[label] for label in labels) - {PUBLIC}, split)
