"""Passages that are a heading and nothing else: they hold no answer, and take the place of the one under them."""

from collections.abc import Hashable, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from ingestion.segment import Clearances, LabelledParagraph


class Passage(Protocol):
    @property
    def label(self) -> int: ...
    @property
    def paragraph_ids(self) -> tuple[Hashable, ...]: ...
    @property
    def heading_path(self) -> tuple[str, ...]: ...


P = TypeVar("P", bound=Passage)


def drop_repeated_headings(
    paragraphs: Sequence[LabelledParagraph], passages: Sequence[P], clearances: Clearances
) -> list[P]:
    """`passages` without headings that the passage under them shows in its path.

    That passage may be of a label that fewer people hold: to the others the heading would stand alone and say nothing.
    What stands under it is what everybody who may read it knows of, or its absence would tell of concealed text.
    """
    places = {paragraph.id: place for place, paragraph in enumerate(paragraphs)}
    holders: dict[Hashable, P] = {}
    for passage in passages:
        for paragraph in passage.paragraph_ids:
            holders.setdefault(paragraph, passage)
    left = []
    for passage in passages:
        members = [paragraphs[places[paragraph]] for paragraph in passage.paragraph_ids]
        if all(member.kind == "heading" for member in members):
            below = _find_body(paragraphs, places[members[-1].id] + 1, passage.label, clearances)
            shown = holders[below.id].heading_path if below is not None and below.id in holders else ()
            if {member.text for member in members} <= set(shown):
                continue
        left.append(passage)
    return left


def _find_body(
    paragraphs: Sequence[LabelledParagraph], start: int, reader: int, clearances: Clearances
) -> LabelledParagraph | None:
    """The first paragraph from `start` on that is no heading, of those that who may read `reader` knows of."""
    for paragraph in islice(paragraphs, start, None):
        if clearances.may_know(reader, paragraph.label) and paragraph.kind != "heading":
            return paragraph
    return None
