"""Office files that are embedded in an Office file, such as the workbook behind a chart: read as their own readers do.

One level deep, and within what is left of the bounds of the file that holds them.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from importlib import import_module
from typing import Any, cast

from ingestion.documents import Extraction
from ingestion.extract.build import Builder
from ingestion.extract.eyes import Eyes
from ingestion.extract.package import Package
from ingestion.sandbox.limits import Limits, Report

EMBEDDED = "Embedded files"
FILES = re.compile(r"(?:.*/)?embeddings/[^/]*\.(doc|xls|ppt)[xm]", re.I)
MODULES = {"doc": "docx", "xls": "xlsx", "ppt": "pptx"}
MOST = 50  # files in one
UNREAD = "A file that is embedded in this one cannot be read; it was left out."


class PartFile(io.BytesIO):
    """The bytes of a part, where a reader expects the path of a file."""

    def open(self, mode: str = "rb") -> PartFile:
        return PartFile(self.getvalue())

    def read_bytes(self) -> bytes:
        return self.getvalue()


def add_embedded(package: Package, builder: Builder, limits: Limits, report: Report) -> list[str]:
    """Appends what embedded files say and the paragraphs do not, and records what is on record of them. The names of
    the parts that were read."""
    read: list[str] = []
    if package.is_embedded:
        return read
    names = [name for name in package.names if FILES.fullmatch(name)]
    bounds = replace(limits, inflated_bytes=limits.inflated_bytes // MOST)
    for number, name in enumerate(names):
        report("reading")
        try:
            if number >= MOST:
                raise ValueError
            extraction = _read_part(package.content(name), name, bounds, lambda *_: report("reading"))
        except Exception:  # whatever breaks in it costs the file around it nothing
            builder.miss("embedded_object", UNREAD)
            continue
        read.append(name)
        new = set(builder.find_missing_texts(one.text for one in extraction.paragraphs))
        for paragraph in extraction.paragraphs:
            kind = "text" if paragraph.kind == "heading" else paragraph.kind
            builder.add(paragraph.text if paragraph.text in new else "", kind, path=(EMBEDDED,))
        for missing in extraction.unaccounted:
            builder.miss(missing.code, missing.detail)
        builder.add_remainder(extraction.remainder)
    return read


def _read_part(content: bytes, name: str, limits: Limits, report: Report) -> Extraction:
    found = FILES.fullmatch(name)
    module = import_module(f"ingestion.extract.{MODULES[found[1].lower()] if found else ''}")
    options: dict[str, Any] = {"skip": ()} if module.__name__.endswith("pptx") else {}
    # Pictures in it are looked at by nobody: they could not be found again.
    extraction = module.extract(PartFile(content), limits=limits, report=report, eyes=Eyes("text"), **options)
    return cast(Extraction, extraction)
