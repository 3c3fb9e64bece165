"""Segments: runs of neighbouring paragraphs with the same label (design.md §4).

Everything after this step happens inside a segment, which is why no passage can mix labels. Text without a label is in
no segment, and it parts what stands before it from what stands after.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ingestion.documents import Kind


@dataclass(frozen=True, slots=True)
class Labelled:
    """A paragraph with its label: 0 and up, or None while it is not classified.

    id: whatever names the paragraph to the caller. heading_path: the headings above, outermost first.
    """

    id: Hashable
    text: str
    label: int | None
    kind: Kind = "text"
    page: int | None = None
    heading_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Segment:
    """label: that of every paragraph in it. first: place of its first paragraph in the document, from 0."""

    label: int
    paragraphs: tuple[Labelled, ...]
    first: int


def segments(paragraphs: Sequence[Labelled]) -> list[Segment]:
    """In document order; paragraphs without a label are left out."""
    found: list[Segment] = []
    first = 0
    for label, group in groupby(paragraphs, key=lambda paragraph: paragraph.label):
        members = tuple(group)
        if label is not None:
            found.append(Segment(label, members, first))
        first += len(members)
    return found


def heading_labels(paragraphs: Sequence[Labelled]) -> list[tuple[int | None, ...]]:
    """For each paragraph, the labels of the headings in its path; None for one that is not classified or not found."""
    latest: dict[tuple[str, ...], int | None] = {}
    found: list[tuple[int | None, ...]] = []
    for paragraph in paragraphs:
        path = paragraph.heading_path
        found.append(tuple(latest.get(path[: depth + 1]) for depth in range(len(path))))
        if paragraph.kind == "heading":
            latest[(*path, paragraph.text)] = paragraph.label
    return found


def headings_above(paths: Sequence[tuple[Kind, str, tuple[str, ...]]]) -> list[tuple[int, ...]]:
    """For each paragraph (kind, text, heading path), the places of the headings above it, outermost first; headings
    that are no paragraph of the document are left out."""
    latest: dict[tuple[str, ...], int] = {}
    found: list[tuple[int, ...]] = []
    for place, (kind, text, path) in enumerate(paths):
        above = (latest.get(path[: depth + 1]) for depth in range(len(path)))
        found.append(tuple(heading for heading in above if heading is not None))
        if kind == "heading":
            latest[(*path, text)] = place
    return found
