"""Letters on a page that are no text: turned into shapes, or of a font that does not say which they are.

They are found by place, so that only where they stand is looked at: a page that says much elsewhere hides none.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ingestion.extract.pdf_letters import UNMAPPED, count_segments, is_filled_stroked
from ingestion.picture_reading import Region

if TYPE_CHECKING:
    from ingestion.extract.pdf_words import PdfPicture, Word

MIN_RULE = 12.0  # points: shorter strokes are underlines and ornaments
MAX_RULE_THICKNESS = 3.0
CURVED = 6  # points: fewer make lines, boxes and arrows
STROKED = 40.0  # points (of length): what is larger and not filled is no letter
LETTERS = 150  # points of the shapes of some ten letters
LARGE = 48.0  # points (of length): what is smaller is an ornament
CELL, AROUND = 24.0, 4.0
MOST = 20_000  # cells
SHAPES, UNKNOWN = "shapes", "unknown letters"

Shape = tuple[Region, int]
"""Where it lies, and how many points it has."""


def build_shape(piece: Any, box: Region) -> Shape | None:
    """A path that may be a letter, or many."""
    points = count_segments(piece)
    if points < CURVED:
        return None
    filled, stroked = is_filled_stroked(piece)
    if not filled and (not stroked or max(box[2] - box[0], box[3] - box[1]) > STROKED):
        return None
    return box, points


def extract_rules(piece: Any, box: Region) -> Iterator[Region]:
    """Straight strokes of a path: itself when it is thin, or the four sides of a rectangle that is stroked."""
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if min(width, height) <= MAX_RULE_THICKNESS:
        if max(width, height) >= MIN_RULE:
            yield box
        return
    if not is_filled_stroked(piece)[1] or (segments := count_segments(piece)) > 400:
        return
    if segments <= 6:
        yield from ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1))
    else:  # many strokes in one path: a whole grid, most likely
        yield from ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)) * 2


def find_drawings(shapes: Sequence[Shape]) -> list[PdfPicture]:
    """Parts of a page on which so much is drawn that there may be words."""
    found = []
    for group in _group_boxes([box for box, _ in shapes]):
        some = [shapes[place] for place in group]
        points = sum(count for _, count in some)
        picture = _build_picture([box for box, _ in some], points, SHAPES)
        if points >= LETTERS and max(picture.x1 - picture.x0, picture.y1 - picture.y0) > LARGE:
            found.append(picture)
    return found


def find_unknown_letters(words: Iterable[Word], guessed: Iterable[bool]) -> list[PdfPicture]:
    """Where words stand whose letters nobody knows. A page that has signs alone has bullets."""
    odd = [word for word, guess in zip(words, guessed, strict=False) if guess or UNMAPPED.search(word.text)]
    boxes = [word[1:5] for word in odd] if any(len(word.text) > 1 for word in odd) else []
    return [_build_picture([boxes[place] for place in group], 0, UNKNOWN) for group in _group_boxes(boxes)]


def is_drawing(picture: PdfPicture) -> bool:
    return picture.key[3].startswith(SHAPES)


def is_unknown(picture: PdfPicture) -> bool:
    return picture.key[3].startswith(UNKNOWN)


def _build_picture(boxes: Sequence[Region], points: int, kind: str) -> PdfPicture:
    from ingestion.extract.pdf_words import PdfPicture

    left, top, right, bottom = zip(*boxes, strict=True)
    x0, y0 = min(left), min(top)
    places = [tuple(round(side) for side in (a - x0, b - y0, d - x0, e - y0)) for a, b, d, e in boxes]
    digest = hashlib.blake2b(repr(places).encode(), digest_size=16).hexdigest()
    return PdfPicture(x0, y0, max(right), max(bottom), (len(boxes), points, 0, f"{kind} {digest}"))


def _group_boxes(boxes: Sequence[Region]) -> list[list[int]]:
    """Places of boxes that lie near each other; all in one group where there are too many."""
    owner: dict[int, int] = {}

    def root(group: int) -> int:
        while owner[group] != group:
            owner[group] = owner[owner[group]]
            group = owner[group]
        return group

    cells: dict[tuple[int, int], int] = {}
    for place, (x0, y0, x1, y1) in enumerate(boxes):
        owner[place] = place
        columns = range(int((x0 - AROUND) // CELL), int((x1 + AROUND) // CELL) + 1)
        rows = range(int((y0 - AROUND) // CELL), int((y1 + AROUND) // CELL) + 1)
        if len(columns) * len(rows) + len(cells) > MOST:
            return [list(range(len(boxes)))]
        for column in columns:
            for row in rows:
                owner[root(cells.setdefault((column, row), place))] = root(place)
    found: defaultdict[int, list[int]] = defaultdict(list)
    for place in owner:
        found[root(place)].append(place)
    return list(found.values())
