"""What a PDF holds beside the text of its pages, and whether it is safe to unpack: looked at before pdfium reads it.

The structure is walked with pikepdf, streams being unpacked here piece by piece and thrown away, so that a bomb is
found by counting and not by running out of memory.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pikepdf

from ingestion.extract import pdf_links, pdf_revisions
from ingestion.extract.build import Builder
from ingestion.extract.pdf_said import Said
from ingestion.extract.pdf_streams import filters_of, unpacked
from ingestion.extract.pdf_unused import unused
from ingestion.sandbox.limits import Limits, Quarantined, Report

SILENT_MARKS = frozenset({"/Highlight", "/Underline", "/StrikeOut", "/Squiggly", "/Popup", "/TrapNet", "/PrinterMark"})
SHAPES = frozenset({"/Line", "/PolyLine", "/Polygon", "/Square", "/Circle", "/Caret"})
DRAWS_TEXT = re.compile(rb"\bBT\b[\s\S]*?\bT[jJ]\b")
# Streams with one of these are no contents of a page: fonts, colours, shapes, letters, functions.
OTHER_STREAM = ("/Type", "/Subtype", "/Length1", "/N", "/FunctionType", "/ShadingType", "/PatternType", "/CMapName")
SMALL = 128  # pixels: what no page shows and is no larger holds no text
UNSHOWN = "This PDF keeps pages, or parts of them, that it does not show; they were not read."
Key = tuple[int, int, int, str]


@dataclass(slots=True)
class Checked:
    """links: targets of each page's links. pictures: those that the file holds, by the key of `pdf_words.Picture`.
    layered: there are layers that are not shown. replaced: pages on which words may stand for others; None: any page.
    """

    said: Said
    pages: int = 0
    links: dict[int, list[str]] = field(default_factory=dict)
    pictures: dict[Key, None] = field(default_factory=dict)
    layered: bool = False
    replaced: set[int | None] = field(default_factory=set)


def check(path: Path, builder: Builder, limits: Limits, report: Report) -> Checked:
    """What pages cannot show is recorded with `builder.miss`. Raises Quarantined: corrupt, encrypted, no_pages,
    too_many_pages, bomb.
    """
    ends = pdf_revisions.ends(path, builder)
    try:
        pdf = pikepdf.open(path, access_mode=pikepdf.AccessMode.stream, suppress_warnings=True)
    except pikepdf.PasswordError:
        raise Quarantined(
            "encrypted", "This PDF is protected by a password. Save it without one and upload it again."
        ) from None
    except pikepdf.PdfError:
        raise pdf_revisions.corrupt("This PDF is damaged and cannot be opened.") from None
    checked = Checked(Said(builder))
    with pdf:
        checked.pages = _count_pages(pdf, limits)
        contents = _contents_by_object(pdf, checked.replaced)
        _unpack_all(pdf, contents, checked, limits, report)
        _look_at_document(pdf, checked)
        for number, page in enumerate(pdf.pages, start=1):
            if number % 200 == 0:
                report("checking")
            try:
                _look_at_annotations(page, number, checked.said)
                checked.links[number] = pdf_links.targets(page)
                if "/PieceInfo" in page.obj:
                    checked.said.look_at_private(page.obj, number)
            except (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError):
                builder.miss("annotation", "The comments and marks of this page could not be read.", number)
        if any("reconstruct" in str(warning) or "damaged" in str(warning) for warning in pdf.get_warnings()):
            builder.miss("damaged", "This PDF is damaged and was repaired while it was read; parts may be missing.")
        for end in ends:
            with pdf_revisions.earlier(path, end) as before:
                if before is None or not pdf_revisions.says_the_same(before, pdf):
                    builder.miss("earlier_revision", "This PDF keeps an earlier version of itself, which was not read.")
                    break
                _look_at_document(before, checked)
    return checked


def _count_pages(pdf: pikepdf.Pdf, limits: Limits) -> int:
    try:
        pages = len(pdf.pages)
    except (pikepdf.PdfError, ValueError, TypeError, AttributeError):
        raise pdf_revisions.corrupt("The list of pages of this PDF is damaged.") from None
    if pages == 0:
        raise Quarantined("no_pages", "This PDF has no pages. Save it again from the program that wrote it.")
    if pages > limits.pages:
        raise Quarantined(
            "too_many_pages",
            f"This PDF has {pages:,} pages; up to {limits.pages:,} can be read. Split it into smaller files.",
        )
    return pages


def _contents_by_object(pdf: pikepdf.Pdf, replaced: set[int | None]) -> dict[tuple[int, int], int]:
    """Which page each content stream belongs to. replaced: gets the pages whose resources name words for others."""
    found: dict[tuple[int, int], int] = {}
    for number, page in enumerate(pdf.pages, start=1):
        try:
            contents = page.obj.get("/Contents")
            for stream in contents if isinstance(contents, pikepdf.Array) else [contents]:
                if isinstance(stream, pikepdf.Stream):
                    found.setdefault(stream.objgen, number)
            named: Any = page.resources.get("/Properties", pikepdf.Dictionary())
            if any(isinstance(one, pikepdf.Dictionary) and "/ActualText" in one for one in named.values()):
                replaced.add(number)
        except (pikepdf.PdfError, ValueError, TypeError, AttributeError):
            continue
    return found


def _unpack_all(
    pdf: pikepdf.Pdf, contents: dict[tuple[int, int], int], checked: Checked, limits: Limits, report: Report
) -> None:
    builder, left = checked.said.builder, limits.inflated_bytes
    pages = {page.obj.objgen for page in pdf.pages}
    tagged = "/StructTreeRoot" in pdf.Root
    whole: Any = pdf.Root.get("/Metadata")
    of_document = whole.objgen if isinstance(whole, pikepdf.Stream) else None
    left_over = unused(pdf)
    pictures: dict[tuple[int, int], Key] = {}
    masks: set[tuple[int, int]] = set()
    for index, entry in enumerate(pdf.objects):
        if index % 2000 == 0:
            report("checking")
        if not isinstance(entry, pikepdf.Stream):
            if isinstance(entry, pikepdf.Dictionary):
                if tagged:
                    checked.said.look_at_part(entry)
                if entry.objgen not in pages and entry.get("/Type") == pikepdf.Name.Page:
                    builder.miss("hidden_data", UNSHOWN)
            continue
        page = contents.get(entry.objgen)
        try:
            filters = filters_of(entry)
            if page is None and _is_image(entry):  # not unpacked for text; drawing has its own limits
                for mask in (entry.get("/SMask"), entry.get("/Mask")):
                    if isinstance(mask, pikepdf.Stream):
                        masks.add(mask.objgen)
                pictures[entry.objgen] = key_of(entry)
                if filters == ["/DCTDecode"]:
                    checked.said.look_at_picture(entry.read_raw_bytes())
                continue
            stream = unpacked(entry, filters, left)
            size, whole = stream.size, stream.whole
            content = entry.objgen in left_over or not any(name in entry for name in OTHER_STREAM)
            if page is None and content and DRAWS_TEXT.search(stream.head):
                builder.miss("hidden_data", UNSHOWN)
            if stream.replaces:
                checked.replaced.add(page)
        except (pikepdf.PdfError, ValueError, TypeError, AttributeError):
            size, whole = 0, False
        left -= size
        if left < 0:
            raise Quarantined(
                "bomb",
                "What is packed into this PDF unpacks to more than "
                f"{limits.inflated_bytes // (1 << 20)} MB. It is damaged, or made to overload whoever opens it.",
                page,
            )
        if not whole and page is not None:
            builder.miss("page_failed", "Part of this page is damaged and could not be read.", page)
        if page is None and entry.objgen != of_document and entry.get("/Type") == pikepdf.Name.Metadata:
            checked.said.look_at_metadata(entry)
    checked.said.look_at_unused(pdf, left_over)
    checked.pictures = dict.fromkeys(
        key for place, key in pictures.items() if place not in masks and max(key[:2]) > SMALL
    )


def key_of(image: pikepdf.Stream) -> Key:
    """Raises what pikepdf raises for a damaged stream."""
    raw = image.read_raw_bytes()
    width, height = int(image.get("/Width", 0)), int(image.get("/Height", 0))
    return width, height, len(raw), hashlib.blake2b(raw, digest_size=16).hexdigest()


def _is_image(stream: pikepdf.Stream) -> bool:
    return str(stream.get("/Subtype")) == "/Image"


def _look_at_document(pdf: pikepdf.Pdf, checked: Checked) -> None:
    root, builder = pdf.Root, checked.said.builder
    checked.said.look(pdf)
    try:
        names: Any = root.get("/Names", {})
        if len(pdf.attachments) or "/EmbeddedFiles" in names or "/Collection" in root or "/AF" in root:
            builder.miss("attachment", "Files are attached to this PDF; they were not read.")
        if "/JavaScript" in names or _runs(root.get("/OpenAction")) or "/AA" in root:
            builder.miss("javascript", "This PDF contains a program (JavaScript); it was neither run nor read.")
        form = root.get("/AcroForm")
        if form is not None and "/XFA" in form:
            builder.miss("form", "This PDF is a dynamic form (XFA); its fields were not read.")
        layers: Any = root.get("/OCProperties")
        checked.layered = checked.layered or (layers is not None and _hides_some(layers))
    except (pikepdf.PdfError, ValueError, TypeError, AttributeError):
        builder.miss("damaged", "The catalogue of this PDF is damaged; attachments or forms may be missing.")


def _hides_some(layers: Any) -> bool:
    """Whether layers are not shown when the document is opened, or not always."""
    usual: Any = layers.get("/D", {})
    return bool(len(usual.get("/OFF", []))) or "/AS" in usual or usual.get("/BaseState") not in (None, pikepdf.Name.ON)


def _runs(action: Any) -> bool:
    return isinstance(action, pikepdf.Dictionary) and str(action.get("/S")) in ("/JavaScript", "/Launch")


def _look_at_annotations(page: pikepdf.Page, number: int, said: Said) -> None:
    """Links are told by `pdf_links`; everything else that can say something is not read."""
    builder = said.builder
    if "/AA" in page.obj:
        builder.miss("javascript", "This page contains a program (JavaScript); it was neither run nor read.", number)
    for mark in page.obj.get("/Annots", []):
        if mark is None:
            continue
        kind = str(mark.get("/Subtype"))
        if _runs(mark.get("/A")) or "/AA" in mark:
            builder.miss("javascript", "This page contains a program; it was neither run nor read.", number)
        if kind == "/Widget":
            builder.miss("form", "This page has form fields; what they contain was not read.", number)
        elif kind == "/FileAttachment":
            builder.miss("attachment", "A file is attached to this page; it was not read.", number)
        elif kind in ("/RichMedia", "/Movie", "/Sound", "/Screen", "/3D"):
            builder.miss("media", "This page contains sound, film or a 3D model, which was not read.", number)
        elif kind == "/Link":
            said.describe(mark.get("/Contents"))
        elif _says_something(mark, kind):
            builder.miss("annotation", "This page has comments or marks, which were not read.", number)


def _says_something(mark: Any, kind: str) -> bool:
    """Whether a mark carries words, or a picture that might: bare shapes and highlights do not."""
    if kind not in SILENT_MARKS | SHAPES or str(mark.get("/Contents", "")).strip() or "/RC" in mark:
        return True
    shown = mark.get("/AP", {}).get("/N")
    resources: Any = shown.get("/Resources", {}) if isinstance(shown, pikepdf.Stream) else {}
    return "/Font" in resources or "/XObject" in resources
