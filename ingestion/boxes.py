"""Where words stand on pages, packed: a document of a thousand pages has half a million of them."""

from __future__ import annotations

from array import array
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from struct import pack
from typing import overload

WIRE = "="  # begins boxes that are packed as bytes


@dataclass(frozen=True, slots=True)
class Box:
    """The rectangle that one word takes on a page.

    page: 1-based. x0, y0, x1, y1: points (1/72 inch) to a tenth, rounded outwards, origin at the top left of the page
    *as it is shown*, that is after its rotation and relative to its crop box. start, end: the slice of the
    paragraph's text that stands in the rectangle. An empty slice: the paragraph stands somewhere within, and so may
    others; it never says that what is there may be shown.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    start: int = 0
    end: int = 0


class Boxes(Sequence[Box]):
    """Boxes in order, packed: 28 bytes each, where an object would take ten times that. Compares equal to a tuple."""

    __slots__ = ("_flat",)

    def __init__(self, boxes: Iterable[Box] = ()) -> None:
        self._flat = array("i")
        if isinstance(boxes, Boxes):
            self._flat.extend(boxes._flat)
            return
        for b in boxes:
            corners = (round(b.x0 * 10), round(b.y0 * 10), round(b.x1 * 10), round(b.y1 * 10))
            self._flat.extend((b.page, *corners, b.start, b.end))

    @classmethod
    def from_packed(cls, flat: Sequence[int]) -> Boxes:
        """From seven numbers a box: page, corners in tenths of a point, slice."""
        made = cls()
        made._flat.frombytes(pack(f"{len(flat)}i", *flat))  # half the time that an array takes for them
        return made

    def part(self, start: int, end: int) -> Boxes:
        """The boxes of text[start:end], their slices counted from `start`."""
        flat, kept = self._flat, array("i")
        for place in range(0, len(flat), 7):
            first, behind = flat[place + 5], flat[place + 6]
            if first < end and behind > start:
                kept += flat[place : place + 5]
                kept.extend((max(first, start) - start, min(behind, end) - start))
        return Boxes.from_packed(kept)

    def list_corners_on(self, page: int) -> list[tuple[float, float, float, float]]:
        """x0, y0, x1, y1 of those on a page."""
        flat = self._flat
        return [
            (flat[at + 1] / 10, flat[at + 2] / 10, flat[at + 3] / 10, flat[at + 4] / 10)
            for at in range(0, len(flat), 7)
            if flat[at] == page
        ]

    def iter_slices(self) -> Iterator[tuple[int, int, int]]:
        """page, start and end of each, without making boxes of them."""
        return zip(self._flat[0::7], self._flat[5::7], self._flat[6::7], strict=True)

    def to_json(self) -> str:
        """Integers parted by blanks, seven a box: page, corners in tenths of a point, slice."""
        return " ".join(map(str, self._flat))

    def to_wire(self) -> str:
        """The same for the way out of the limited process, quicker to write and to read."""
        return WIRE + b2a_base64(self._flat.tobytes(), newline=False).decode()

    @classmethod
    def from_json(cls, packed: str) -> Boxes:
        """From either form. Raises ValueError."""
        made = cls()
        try:
            if packed.startswith(WIRE):
                made._flat.frombytes(a2b_base64(packed[len(WIRE) :]))
            else:
                made._flat = array("i", map(int, packed.split()))
        except (OverflowError, AttributeError) as error:
            raise ValueError(f"not boxes: {error}") from error
        if len(made._flat) % 7:
            raise ValueError("boxes must come in groups of seven numbers")
        return made

    def __len__(self) -> int:
        return len(self._flat) // 7

    @overload
    def __getitem__(self, place: int) -> Box: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Box, ...]: ...
    def __getitem__(self, place: int | slice) -> Box | tuple[Box, ...]:
        if isinstance(place, slice):
            return tuple(self._build_box(index) for index in range(*place.indices(len(self))))
        return self._build_box(range(len(self))[place])

    def __iter__(self) -> Iterator[Box]:
        return map(self._build_box, range(len(self)))

    def _build_box(self, index: int) -> Box:
        page, x0, y0, x1, y1, start, end = self._flat[7 * index : 7 * index + 7]
        return Box(page, x0 / 10, y0 / 10, x1 / 10, y1 / 10, start, end)

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, (Boxes, tuple)) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Boxes({list(self)!r})"
