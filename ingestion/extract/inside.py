"""Extraction as it runs inside the limited process; nothing else may call it on uploaded bytes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

# Imported here, before rights are given up and before the file is opened, so that nothing has to be found later.
from ingestion.documents import Extraction
from ingestion.extract import sniff, structure
from ingestion.extract.eyes import Eyes
from ingestion.sandbox.limits import Limits, Quarantined, Report


@dataclass(frozen=True, slots=True)
class FormatReader:
    """module: of `ingestion.extract`, whose function `extract` reads. takes: the options of that function. of_text:
    whether it is given the decoded text instead of the path."""

    module: str
    takes: str = "limits report eyes"
    of_text: bool = False


READERS = {
    sniff.PDF: FormatReader("pdf", "limits report eyes skip"),
    **dict.fromkeys(sniff.PICTURES, FormatReader("picture", "limits report eyes media_type")),
    sniff.DOCX: FormatReader("docx"),
    sniff.XLSX: FormatReader("xlsx"),
    sniff.PPTX: FormatReader("pptx", "limits report eyes skip"),
    sniff.ODT: FormatReader("odt"),
    sniff.ODS: FormatReader("ods"),
    sniff.ODP: FormatReader("odp"),
    sniff.DOC: FormatReader("doc"),
    sniff.XLS: FormatReader("xls"),
    sniff.PPT: FormatReader("ppt"),
    sniff.RTF: FormatReader("rtf"),
    sniff.EPUB: FormatReader("epub"),
    **dict.fromkeys((sniff.EML, sniff.MSG), FormatReader("mail", "limits report eyes media_type")),
    sniff.HTML: FormatReader("html", "eyes", of_text=True),
    sniff.MARKDOWN: FormatReader("markdown", "eyes", of_text=True),
    sniff.CSV: FormatReader("delimited", "report", of_text=True),
    sniff.JSON: FormatReader("json_text", "", of_text=True),
    sniff.XML: FormatReader("xml_text"),
    **dict.fromkeys((sniff.CALENDAR, sniff.VCARD), FormatReader("cards", "media_type", of_text=True)),
    **dict.fromkeys((sniff.CODE, sniff.YAML), FormatReader("source", "media_type", of_text=True)),
    sniff.PLAIN: FormatReader("plain", "", of_text=True),
}


def run_extraction(
    path: Path,
    *,
    limits: Limits,
    report: Report,
    name: str,
    strategy: str | None = None,
    skip: Collection[int] = (),
    seen: str | None = None,
    counts: bool = False,
) -> dict[str, Any]:
    """For `run_limited("ingestion.extract.inside:run_extraction", …)`. seen: file with what was seen on its pictures.
    counts: what a text holds is counted here too, so that it needs no process of its own.
    """
    eyes = Eyes(strategy, Path(seen) if seen else None)
    extraction = extract(path, name, limits=limits, report=report, eyes=eyes, skip=skip)
    answer = {**extraction.head_to_json(), "rows": extraction.rows_to_json()}
    if counts and READERS[extraction.media_type].of_text:
        with suppress(Exception):  # the text stands; another process tries again to count it
            answer["counted"] = structure.measure_structure(
                path, limits=limits, report=report, media_type=extraction.media_type
            )
    return answer


def extract(
    path: Path,
    name: str,
    *,
    limits: Limits | None = None,
    report: Report | None = None,
    eyes: Eyes | None = None,
    skip: Collection[int] = (),
) -> Extraction:
    """Reads the file at `path`, which came with the file name `name`. Raises Quarantined."""
    limits, report, eyes = limits or Limits(), report or _ignore_progress, eyes or Eyes()
    report("opening")
    found = sniff.sniff_file(path, name)
    extraction = _extract_by_type(path, found.media_type, limits, report, eyes, skip)
    from ingestion.extract.unread_bytes import digest_unread

    unread = extraction.unread or digest_unread(path, found.media_type, extraction.unaccounted)
    return replace(extraction, notes=(*extraction.notes, *found.notes), wanted=eyes.list_wanted(), unread=unread)


def _extract_by_type(
    path: Path, media_type: str, limits: Limits, report: Report, eyes: Eyes, skip: Collection[int]
) -> Extraction:
    reader = READERS[media_type]
    module = import_module(f"ingestion.extract.{reader.module}")
    offered = {"limits": limits, "report": report, "eyes": eyes, "skip": skip, "media_type": media_type}
    options = {name: offered[name] for name in reader.takes.split()}
    source: Path | str = path
    if reader.of_text:
        source = _read_text(path, limits, getattr(module, "declared_encoding", None))
        report("reading")
    extraction: Extraction = module.extract(source, **options)
    if isinstance(source, str):
        from ingestion.extract.shown import is_complete

        shown = not extraction.remainder and is_complete(source, (p.text for p in extraction.paragraphs))
        extraction = replace(extraction, shown=shown)
    return extraction


def _read_text(path: Path, limits: Limits, declared: Callable[[bytes], str | None] | None = None) -> str:
    from ingestion.extract.decode import decode_text

    size = path.stat().st_size
    largest = min(limits.inflated_bytes, limits.memory_bytes // 16)
    if size > largest:
        raise Quarantined(
            "too_large",
            f"This text has {size // (1 << 20)} MB; texts of up to {largest // (1 << 20)} MB can be read. Split it.",
        )
    data = path.read_bytes()
    text = decode_text(data, declared=declared(data) if declared is not None else None)
    if text is None:
        raise Quarantined(
            "corrupt", "This file is named as a text, but it contains characters no text has. Save it again as UTF-8."
        )
    if not text.strip():
        raise Quarantined("empty", "This file is empty: it has nothing but white space. Upload it again.")
    return text


def _ignore_progress(stage: str, page: int | None = None, pages: int | None = None) -> None:
    return None
