"""What a PDF holds beside the text of its pages, and whether it is safe to unpack: looked at before pdfium reads it.

The structure is walked with pikepdf, streams being unpacked here piece by piece and thrown away, so that a bomb is
found by counting and not by running out of memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pikepdf

from ingestion.extract import pdf_links, pdf_revisions
from ingestion.extract.build import Builder
from ingestion.extract.pdf_digests import StreamDigests
from ingestion.extract.pdf_images import compute_readable_share
from ingestion.extract.pdf_lies import has_lying_font
from ingestion.extract.pdf_said import DocumentTexts
from ingestion.extract.pdf_streams import UnpackedStream, list_filters, unpack_stream
from ingestion.extract.pdf_sweep import EARLIER, SAID_DAMAGED, UNKNOWN, Sweep
from ingestion.extract.remainder import READABLE_SHARE, list_texts_in_bytes
from ingestion.extract.sweep_picture import PADDING, TRAILING_BYTES
from ingestion.sandbox.limits import Limits, Quarantined, Report

SMALL = 128  # pixels: what no page shows and is no larger holds no text
Key = tuple[int, int, int, str]


@dataclass(slots=True)
class PdfChecks:
    """links: targets of each page's links. pictures: those that the file holds, by the key of `pdf_words.PdfPicture`.
    layered: there are layers that are not shown. lying: pages with fonts that draw other letters than they say.
    replaced: pages on which words may stand for others; None: any page. parts: digests of the streams that are no text
    by themselves, each with the pages whose content it is and nothing else; None where one of them cannot be read.
    """

    said: DocumentTexts
    pages: int = 0
    links: dict[int, list[str]] = field(default_factory=dict)
    pictures: dict[Key, None] = field(default_factory=dict)
    layered: bool = False
    lying: set[int] = field(default_factory=set)
    replaced: set[int | None] = field(default_factory=set)
    parts: list[tuple[bytes, Collection[int]]] | None = None


def check(path: Path, builder: Builder, limits: Limits, report: Report) -> PdfChecks:
    """What pages cannot show is recorded with `builder.miss`. Raises Quarantined: corrupt, encrypted, no_pages,
    too_many_pages, unsupported, bomb.
    """
    ends = pdf_revisions.ends(path, builder)
    try:
        pdf = pikepdf.open(path, access_mode=pikepdf.AccessMode.stream, suppress_warnings=True)
    except pikepdf.PasswordError:
        raise Quarantined(
            "encrypted", "This PDF is protected by a password. Save it without one and upload it again."
        ) from None
    except pikepdf.PdfError:
        raise pdf_revisions.build_corrupt("This PDF is damaged and cannot be opened.") from None
    checked = PdfChecks(DocumentTexts(builder))
    with pdf:
        checked.pages = _count_pages(pdf, limits)
        _refuse_shell(pdf)
        contents = _map_contents_to_pages(pdf, checked.replaced)
        sweep = Sweep(builder)
        _unpack_all(pdf, contents, checked, sweep, limits, report)
        sweep.sweep_drawings(pdf)
        _look_at_document(pdf, checked)
        fonts: dict[tuple[int, int], bool] = {}
        for number, page in enumerate(pdf.pages, start=1):
            if number % 200 == 0:
                report("checking")
            try:
                _look_at_annotations(page, number, checked.said)
                if has_lying_font(page, fonts):
                    checked.lying.add(number)
                checked.links[number] = pdf_links.list_targets(page)
            except (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError):
                builder.miss("annotation", "The comments and marks of this page could not be read.", number)
        if any(SAID_DAMAGED.search(str(warning)) for warning in pdf.get_warnings()):
            builder.miss("damaged", "This PDF is damaged and was repaired while it was read; parts may be missing.")
        newest = {digest for digest, _ in checked.parts or ()}
        for end in ends:
            with pdf_revisions.earlier(path, end) as before:
                if before is None:
                    builder.miss("earlier_revision", EARLIER)
                    break
                sweep.sweep_earlier(*before, newest)
        sweep.of_file(path, pdf.is_encrypted, ends)
    return checked


def _count_pages(pdf: pikepdf.Pdf, limits: Limits) -> int:
    try:
        pages = len(pdf.pages)
    except (pikepdf.PdfError, ValueError, TypeError, AttributeError):
        raise pdf_revisions.build_corrupt("The list of pages of this PDF is damaged.") from None
    check_page_count(pages, limits)
    return pages


def check_page_count(pages: int, limits: Limits) -> None:
    """Raises Quarantined: no_pages, too_many_pages."""
    if pages == 0:
        raise Quarantined("no_pages", "This PDF has no pages. Save it again from the program that wrote it.")
    if pages > limits.pages:
        raise Quarantined(
            "too_many_pages",
            f"This PDF has {pages:,} pages; up to {limits.pages:,} can be read. Split it into smaller files.",
        )


def _refuse_shell(pdf: pikepdf.Pdf) -> None:
    """A dynamic XFA form (ISO 32000-1, 12.7.8) has one page, which asks to wait; its questions are in no page.

    Raises Quarantined: unsupported.
    """
    form: Any = pdf.Root.get("/AcroForm")
    needs_rendering: Any = pdf.Root.get("/NeedsRendering")
    if needs_rendering is True and isinstance(form, pikepdf.Dictionary) and "/XFA" in form:
        raise Quarantined(
            "unsupported",
            "This PDF is a form that only Adobe Acrobat can show. Open it there, print it as a PDF and upload that.",
        )


def _map_contents_to_pages(pdf: pikepdf.Pdf, replaced: set[int | None]) -> dict[tuple[int, int], list[int]]:
    """Which pages each content stream belongs to. replaced: gets the pages whose resources name words for others."""
    found: dict[tuple[int, int], list[int]] = {}
    for number, page in enumerate(pdf.pages, start=1):
        try:
            contents = page.obj.get("/Contents")
            for stream in contents if isinstance(contents, pikepdf.Array) else [contents]:
                if isinstance(stream, pikepdf.Stream):
                    found.setdefault(stream.objgen, []).append(number)
            named: Any = page.resources.get("/Properties", pikepdf.Dictionary())
            if any(isinstance(one, pikepdf.Dictionary) and "/ActualText" in one for one in named.values()):
                replaced.add(number)
        except (pikepdf.PdfError, ValueError, TypeError, AttributeError):
            continue
    return found


def _unpack_all(
    pdf: pikepdf.Pdf,
    contents: dict[tuple[int, int], list[int]],
    checked: PdfChecks,
    sweep: Sweep,
    limits: Limits,
    report: Report,
) -> None:
    builder, left = checked.said.builder, limits.inflated_bytes
    objects = sweep.sweep_objects(pdf)
    if "/StructTreeRoot" in pdf.Root:
        for part in objects.speaking:
            checked.said.look_at_part(part)
    pictures: dict[tuple[int, int], Key] = {}
    masks: set[tuple[int, int]] = set()
    parts: list[tuple[bytes, Collection[int]]] = []
    digests, is_readable = StreamDigests(sweep.roles), True
    for index, entry in enumerate(objects.streams):
        if index % 200 == 0:
            report("checking")
        pages = contents.get(entry.objgen, ())
        page, is_counted = pages[0] if pages else None, False
        try:
            raw = entry.read_raw_bytes()
            parts += digests.list_parts(entry, raw, pages)
            is_counted = True  # what fails from here on is on record, and its bytes are in the digest
            filters = list_filters(entry)
            if page is None and _is_image(entry):  # not unpacked for text; drawing has its own limits
                for mask in (entry.get("/SMask"), entry.get("/Mask")):
                    if isinstance(mask, pikepdf.Stream):
                        masks.add(mask.objgen)
                pictures[entry.objgen] = compute_key(entry, raw)
                sweep.sweep_stream(entry, of_page=False, raw=raw)
                continue
            stream = unpack_stream(entry, raw, filters, left)
            size, whole = stream.size, stream.whole
            _sweep_rest(stream, builder)
            if stream.replaces:
                checked.replaced.add(page)
        except (pikepdf.PdfError, ValueError, TypeError, AttributeError):
            size, whole, stream = 0, False, None
            is_readable = is_readable and is_counted
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
        if size or whole:
            sweep.sweep_stream(entry, of_page=page is not None, content=stream.content if stream else None)
        elif page is None:
            builder.miss("damaged_part", "A part of this PDF is damaged; it was not read.")
    checked.parts = parts if is_readable else None
    checked.pictures = dict.fromkeys(
        key for place, key in pictures.items() if place not in masks and max(key[:2]) > SMALL
    )


def _sweep_rest(stream: UnpackedStream, builder: Builder) -> None:
    """What no viewer comes to: text of it is recorded, and whether there is more, or what is no text."""
    builder.add_remainder(list_texts_in_bytes(stream.rest))
    is_packed = (
        len(stream.rest.strip(PADDING)) > TRAILING_BYTES and compute_readable_share(stream.rest) < READABLE_SHARE
    )
    if stream.more or is_packed:
        builder.miss("unknown_part", UNKNOWN)


def compute_key(image: pikepdf.Stream, raw: bytes) -> Key:
    """raw: its bytes as they are packed. Raises what pikepdf raises for a damaged stream."""
    width, height = int(image.get("/Width", 0)), int(image.get("/Height", 0))
    return width, height, len(raw), hashlib.blake2b(raw, digest_size=16).hexdigest()


def _is_image(stream: pikepdf.Stream) -> bool:
    return str(stream.get("/Subtype")) == "/Image"


def _look_at_document(pdf: pikepdf.Pdf, checked: PdfChecks) -> None:
    root, builder = pdf.Root, checked.said.builder
    checked.said.look(pdf)
    try:
        names: Any = root.get("/Names", {})
        if len(pdf.attachments) or "/EmbeddedFiles" in names or "/Collection" in root or "/AF" in root:
            builder.miss("attachment", "Files are attached to this PDF; they were not read.")
        layers: Any = root.get("/OCProperties")
        checked.layered = checked.layered or (layers is not None and _hides_some(layers))
    except (pikepdf.PdfError, ValueError, TypeError, AttributeError):
        builder.miss("damaged", "The catalogue of this PDF is damaged; attachments or forms may be missing.")


def _hides_some(layers: Any) -> bool:
    """Whether layers are not shown when the document is opened, or not always."""
    usual: Any = layers.get("/D", {})
    return bool(len(usual.get("/OFF", []))) or "/AS" in usual or usual.get("/BaseState") not in (None, pikepdf.Name.ON)


def _look_at_annotations(page: pikepdf.Page, number: int, said: DocumentTexts) -> None:
    """What marks say to people, and files that hang on them. Their other strings are swept."""
    for mark in page.obj.get("/Annots", []):
        if mark is None:
            continue
        kind = str(mark.get("/Subtype"))
        if kind == "/FileAttachment":
            said.builder.miss("attachment", "A file is attached to this page; it was not read.", number)
        elif kind in ("/RichMedia", "/Movie", "/Sound", "/Screen", "/3D"):
            said.builder.miss("media", "This page contains sound, film or a 3D model, which was not read.", number)
        elif kind in ("/Link", "/Widget"):
            said.describe(mark.get("/Contents"))
        else:
            said.comment(mark.get("/Contents"), number)
