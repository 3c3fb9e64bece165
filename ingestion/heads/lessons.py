"""Labelled documents that the heads learn from, and documents by another hand that their lines are drawn by. Of those
in `reach.txt.xz` the kind says whether the sums of money in them are published or private.

A line `# KIND LANG CLASS name` begins a document: `-` for no kind; S sensitive as a whole or nearly, M in parts, O for
anybody in the company. Then one paragraph a line: `+LEVELS text` nobody may read without a need, `~LEVELS text` is mild
and teaches nothing, `- text` is for anybody. All people, companies and figures are invented.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "documents"
LETTERS = {"C": 2, "P": 3, "S": 4, "F": 5, "X": 2}


@dataclass(frozen=True)
class Line:
    """mark: "+", "~" or "-"."""

    mark: str
    atoms: frozenset[int]
    text: str


@dataclass
class Lesson:
    """group: who wrote it; those of one hand are held out together."""

    kind: str
    lang: str
    whole: str
    name: str
    group: str
    lines: list[Line] = field(default_factory=list)


def read_lessons(path: Path) -> list[Lesson]:
    """path: packed with xz, or plain text."""
    text = lzma.decompress(path.read_bytes()).decode() if path.suffix == ".xz" else path.read_text(encoding="utf-8")
    return list(parse_lessons(text))


def parse_lessons(text: str) -> Iterator[Lesson]:
    group, found = "", None
    for line in text.splitlines():
        head, _, rest = line.partition(" ")
        if head == "##":
            group = rest
        elif head == "#":
            if found and found.lines:
                yield found
            kind, lang, whole, name = (*rest.split(" ", 3), "")[:4]
            found = Lesson(kind, lang, whole, name, group)
        elif found and rest.strip():
            atoms = frozenset(LETTERS[letter] for letter in head[1:].split(",") if letter in LETTERS)
            found.lines.append(Line(head[0], atoms, rest.strip()))
    if found and found.lines:
        yield found
