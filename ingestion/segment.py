"""Segments: runs of neighbouring paragraphs with the same label (design.md §4), as who may read that label knows them.

Everything after this step happens inside a segment, which is why no passage can mix labels. What parts two paragraphs
is what everybody who may read them may know of: text of another label, shown to them or acknowledged. Text that is
concealed, or has no label, is to them as if it were not there (design §2.2), so it parts nothing: two passages where
there would be one without it would tell that it stands between them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ingestion.documents import Kind


@dataclass(frozen=True, slots=True)
class LabelledParagraph:
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
class Clearances:
    """What who may read one label knows of others. atoms: of each label; one that is not listed is its own atom.
    concealed: the atoms that show no placeholder to who lacks them."""

    atoms: Mapping[int, frozenset[int]] = field(default_factory=dict)
    concealed: frozenset[int] = frozenset()

    def get_atoms(self, label: int) -> frozenset[int]:
        return self.atoms.get(label, frozenset({label} - {0}))

    def may_know(self, reader: int, label: int | None) -> bool:
        """Whether everybody who may read `reader` may know of text with `label`."""
        return label is not None and not (self.get_atoms(label) - self.get_atoms(reader)) & self.concealed

    def is_readable(self, reader: int, label: int | None) -> bool:
        """Whether everybody who may read `reader` may read text with `label`."""
        return label is not None and self.get_atoms(label) <= self.get_atoms(reader)


@dataclass(frozen=True, slots=True)
class Segment:
    """label: that of every paragraph in it. places: where each stands in the document, from 0, ascending."""

    label: int
    paragraphs: tuple[LabelledParagraph, ...]
    places: tuple[int, ...]


def list_labels(paragraphs: Sequence[LabelledParagraph]) -> list[int]:
    """Each once, in the order in which they first come."""
    return list(dict.fromkeys(p.label for p in paragraphs if p.label is not None))


def split_segments(paragraphs: Sequence[LabelledParagraph], clearances: Clearances | None = None) -> list[Segment]:
    """In the order of their beginnings; paragraphs without a label are left out."""
    clearances = clearances or Clearances()
    found: list[Segment] = []
    for label in list_labels(paragraphs):
        told = [(place, p) for place, p in enumerate(paragraphs) if clearances.may_know(label, p.label)]
        for own, group in groupby(told, key=lambda known: known[1].label == label):
            if own:
                places, members = zip(*group, strict=True)
                found.append(Segment(label, members, places))
    return sorted(found, key=lambda segment: segment.places[0])


def find_headings_above(paths: Sequence[tuple[Kind, str, tuple[str, ...]]]) -> list[tuple[int, ...]]:
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


def list_disclosed_headings(
    kinds: Sequence[Kind],
    labels: Sequence[int | None],
    above: Sequence[tuple[int, ...]],
    reader: int,
    clearances: Clearances,
) -> dict[int, tuple[int, ...]]:
    """By place of what who may read `reader` knows of: the headings that it stands under to them.

    A heading of which they know nothing ends no section: what stands under it stands where it would without it. above:
    as `find_headings_above` gives it.
    """
    told = [clearances.may_know(reader, label) for label in labels]
    found: dict[int, tuple[int, ...]] = {}
    section: tuple[int, ...] = ()
    for place, kind in enumerate(kinds):
        if not told[place]:
            continue
        path = above[place]
        if not all(told[heading] for heading in path):
            path = section[: len(path)] if kind == "heading" else section
        found[place] = path
        if kind == "heading":
            section = (*path, place)
    return found


def list_disclosed_paths(
    paragraphs: Sequence[LabelledParagraph], above: Sequence[tuple[int, ...]], reader: int, clearances: Clearances
) -> dict[int, tuple[str, ...]]:
    """`list_disclosed_headings` as the words that may stand in passages with the label `reader`: of headings that have
    that label or are Public."""
    labels = [paragraph.label for paragraph in paragraphs]
    told = list_disclosed_headings([p.kind for p in paragraphs], labels, above, reader, clearances)
    return {
        place: tuple(paragraphs[heading].text for heading in path if labels[heading] in (0, reader))
        for place, path in told.items()
    }
