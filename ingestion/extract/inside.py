"""Extraction as it runs inside the limited process; nothing else may call it on uploaded bytes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

# Imported here, before rights are given up and before the file is opened, so that nothing has to be found later.
from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.eyes import Eyes
from ingestion.sandbox.limits import Limits, Quarantined, Report


def task(
    path: Path,
    *,
    limits: Limits,
    report: Report,
    name: str,
    strategy: str | None = None,
    skip: Collection[int] = (),
    seen: str | None = None,
) -> dict[str, Any]:
    """For `run_limited("ingestion.extract.inside:task", …)`. seen: file with what was seen on its pictures."""
    eyes = Eyes(strategy, Path(seen) if seen else None)
    extraction = extract(path, name, limits=limits, report=report, eyes=eyes, skip=skip)
    return {**extraction.head_to_json(), "rows": extraction.rows_to_json()}


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
    limits, report, eyes = limits or Limits(), report or _silent, eyes or Eyes()
    report("opening")
    found = sniff.look(path, name)
    extraction = _extract(path, found.media_type, limits, report, eyes, skip)
    return replace(extraction, notes=(*extraction.notes, *found.notes), wanted=eyes.in_order())


def _extract(
    path: Path, media_type: str, limits: Limits, report: Report, eyes: Eyes, skip: Collection[int]
) -> Extraction:
    if media_type == sniff.PDF:
        from ingestion.extract import pdf

        return pdf.extract(path, limits=limits, report=report, skip=skip, eyes=eyes)
    if media_type in sniff.PICTURES:
        from ingestion.extract import picture

        return picture.extract(path, media_type, limits=limits, report=report, eyes=eyes)
    if media_type == sniff.DOCX:
        from ingestion.extract import docx

        return docx.extract(path, limits=limits, report=report, eyes=eyes)
    if media_type == sniff.XLSX:
        from ingestion.extract import xlsx

        return xlsx.extract(path, limits=limits, report=report, eyes=eyes)
    if media_type == sniff.PPTX:
        from ingestion.extract import pptx

        return pptx.extract(path, limits=limits, report=report, skip=skip, eyes=eyes)
    if media_type == sniff.ODT:
        from ingestion.extract import odt

        return odt.extract(path, limits=limits, report=report, eyes=eyes)
    if media_type == sniff.EML:
        from ingestion.extract import mail

        return mail.extract(path, limits=limits, report=report, eyes=eyes)
    if media_type == sniff.HTML:
        from ingestion.extract import html

        text = _text(path, limits, html.declared_encoding)
        report("reading")
        return html.extract(text, eyes)
    if media_type == sniff.RTF:
        from ingestion.extract import rtf

        return rtf.extract(path, limits=limits, report=report, eyes=eyes)
    text = _text(path, limits)
    report("reading")
    if media_type == sniff.MARKDOWN:
        from ingestion.extract import markdown

        return markdown.extract(text, eyes)
    if media_type == sniff.CSV:
        from ingestion.extract import delimited

        return delimited.extract(text, report)
    from ingestion.extract import plain

    return plain.extract(text)


def _text(path: Path, limits: Limits, declared: Callable[[bytes], str | None] | None = None) -> str:
    from ingestion.extract.decode import decode

    size = path.stat().st_size
    largest = min(limits.inflated_bytes, limits.memory_bytes // 16)
    if size > largest:
        raise Quarantined(
            "too_large",
            f"This text has {size // (1 << 20)} MB; texts of up to {largest // (1 << 20)} MB can be read. Split it.",
        )
    data = path.read_bytes()
    text = decode(data, declared=declared(data) if declared is not None else None)
    if text is None:
        raise Quarantined(
            "corrupt", "This file is named as a text, but it contains characters no text has. Save it again as UTF-8."
        )
    if not text.strip():
        raise Quarantined("empty", "This file is empty: it holds nothing but white space. Upload it again.")
    return text


def _silent(stage: str, page: int | None = None, pages: int | None = None) -> None:
    return None
