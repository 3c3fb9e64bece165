"""Pictures that a page does not show whole: painted over, clipped, or running out of the page.

Whoever has the original takes such a picture out of it and sees all of it, so it is on record as not read. Too many are
found rather than too few.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as c

from ingestion.picture_reading import Region

if TYPE_CHECKING:
    from ingestion.extract.pdf_words import Mapping, PageContent, PdfPicture

LEAST = 2.0  # points: what overlaps by less lies beside
CUT = 12.0  # points of a picture that do not show
SHARE = 0.25  # of a side that does not show, of small pictures
SAME = 0.8  # share of a picture with a text layer: what covers so much of it is a layer of the same scan
THICK = 4.0  # points: a stroke that covers what it crosses
SEEN_THROUGH = 128  # of 255: paint that hides nothing
MOST = 200_000  # comparisons
MOST_POINTS = 200  # of a clip that are looked at

Cover = tuple[int, Region, bool]
"""How many pictures were there when something was painted, where, and whether it is a picture itself."""


def paints(piece: Any, kind: int) -> bool:
    """Whether an object of a page can hide what lies under it."""
    if kind != c.FPDF_PAGEOBJ_PATH:
        return kind in (c.FPDF_PAGEOBJ_IMAGE, c.FPDF_PAGEOBJ_SHADING)
    fill, stroke, width = ctypes.c_int(), ctypes.c_int(), ctypes.c_float()
    c.FPDFPath_GetDrawMode(piece, fill, stroke)
    if fill.value:
        return not _is_clear(c.FPDFPageObj_GetFillColor, piece)
    thick = stroke.value and c.FPDFPageObj_GetStrokeWidth(piece, width) and width.value >= THICK
    return bool(thick) and not _is_clear(c.FPDFPageObj_GetStrokeColor, piece)


def _is_clear(ask: Any, piece: Any) -> bool:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    return bool(ask(piece, red, green, blue, alpha)) and alpha.value < SEEN_THROUGH


def get_clip(piece: Any, mapping: Mapping) -> tuple[Region | None, bool]:
    """The rectangle around what an object's clip lets through, None without a clip; and whether it lets through all of
    that."""
    path = c.FPDFPageObj_GetClipPath(piece)
    count = c.FPDFClipPath_CountPaths(path) if path else -1
    region, whole = None, True
    for index in range(max(0, count)):
        points = list(_list_clip_points(path, index, mapping))
        if not points:
            continue
        xs, ys = zip(*points, strict=True)
        box = min(xs), min(ys), max(xs), max(ys)
        corners = all(
            min(abs(x - box[0]), abs(x - box[2])) < 1 and min(abs(y - box[1]), abs(y - box[3])) < 1 for x, y in points
        )
        whole = whole and corners
        region = box if region is None else intersect(region, box)
    return region, whole


def _list_clip_points(path: Any, index: int, mapping: Mapping) -> Iterator[tuple[float, float]]:
    x, y = ctypes.c_float(), ctypes.c_float()
    for number in range(min(MOST_POINTS, max(0, c.FPDFClipPath_CountPathSegments(path, index)))):
        if c.FPDFPathSegment_GetPoint(c.FPDFClipPath_GetPathSegment(path, index, number), x, y):
            yield mapping.point(x.value, y.value)


def intersect(a: Region, b: Region) -> Region:
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])


def is_cut(box: Region, shown: Region) -> bool:
    """Whether part of `box` lies outside of `shown`."""
    for side, edge in ((box[2] - box[0], 0), (box[3] - box[1], 1)):
        lost = max(0.0, shown[edge] - box[edge]) + max(0.0, box[edge + 2] - shown[edge + 2])
        if lost > min(CUT, SHARE * side):
            return True
    return False


def find_hidden_pictures(content: PageContent, has_text: set[int]) -> list[PdfPicture]:
    """Pictures of a page that do not show whole. has_text: places of those with a text layer."""
    if len(content.pictures) * len(content.covers) > MOST:
        return list(content.pictures)
    return [
        picture
        for place, picture in enumerate(content.pictures)
        if picture.cut or any(_hides(cover, place, picture, place in has_text) for cover in content.covers)
    ]


def _hides(cover: Cover, place: int, picture: PdfPicture, has_text: bool) -> bool:
    before, box, is_picture = cover
    if before <= place:
        return False
    x0, y0, x1, y1 = intersect(box, (picture.x0, picture.y0, picture.x1, picture.y1))
    if x1 - x0 <= LEAST or y1 - y0 <= LEAST:
        return False
    area = (picture.x1 - picture.x0) * (picture.y1 - picture.y0)
    return not (is_picture and has_text and (x1 - x0) * (y1 - y0) > SAME * area)
