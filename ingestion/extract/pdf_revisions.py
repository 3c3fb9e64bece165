"""The ends of a PDF: whether it is whole, and what earlier versions of itself it still carries.

A PDF that is changed is often only added to: the old objects stay in the file, and whoever has the original can read
them. Each version ends with `startxref … %%EOF` (ISO 32000-1, 7.5.6).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pikepdf

from ingestion.extract.build import Builder
from ingestion.sandbox.limits import Quarantined

PIECE = 1 << 20
TAIL = 4096
MARK = re.compile(rb"startxref|%%EOF|\d \d{1,5} obj\b")
TECHNICAL = frozenset({"/Catalog", "/Metadata", "/XRef", "/ObjStm"})
NOTED = frozenset({"/LastModified", "/ModDate", "/M", "/Parent", "/Count", "/Size", "/Prev", "/StructParents"})
MOST_REVISIONS = 8


def corrupt(what: str) -> Quarantined:
    return Quarantined("corrupt", what + " Save it again from the program that wrote it, or upload it again.")


def ends(path: Path, builder: Builder) -> list[int]:
    """Byte offsets at which earlier versions end, oldest first; empty for a file written in one go.

    Raises Quarantined `corrupt` for a file that breaks off.
    """
    with path.open("rb") as file:
        linear = b"/Linearized" in file.read(2048)
    size = path.stat().st_size
    marks = list(_marks(path))
    references = [offset for kind, offset in marks if kind == b"startxref"]
    if not references and not linear and any(kind == b"%%EOF" and size - offset < TAIL for kind, offset in marks):
        return []  # whole, but for the table of its objects, which pikepdf and pdfium make anew
    if not references or (linear and len(references) == 1 and size > 2 * TAIL and references[0] < size // 2):
        raise corrupt("This PDF breaks off before its end: it was probably not uploaded or saved completely.")
    closed = [offset for kind, offset in marks if kind == b"%%EOF" and offset > references[-1]]
    if any(kind == b" obj" and offset > references[-1] for kind, offset in marks):
        raise corrupt("This PDF breaks off in the middle of a later version of itself.")
    if not closed and size - references[-1] > TAIL:
        raise corrupt("This PDF breaks off before its end: it was probably not uploaded or saved completely.")
    if closed and _says_more(path, closed[0] + 5):
        builder.miss("trailing_data", "There is more in this file after the end of the PDF.")
    found = _ends_of_versions(marks)[1 if linear else 0 : -1]
    if len(found) > MOST_REVISIONS:
        builder.miss("earlier_revision", "This PDF keeps many earlier versions of itself, which were not read.")
        return []
    return found


def _ends_of_versions(marks: list[tuple[bytes, int]]) -> list[int]:
    """Where each version that defines objects ends. Word writes a last section without any: it is no version."""
    found: list[int] = []
    objects = False
    for kind, offset in marks:
        if kind == b" obj":
            objects = True
        elif kind == b"%%EOF" and objects:
            found.append(offset + 5)
            objects = False
    if objects:
        found.append(-1)
    return found


def _marks(path: Path) -> Iterator[tuple[bytes, int]]:
    """`startxref`, `%%EOF` and (as ` obj`) the beginnings of objects, with their offsets."""
    offset, kept = 0, b""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            window = kept + piece
            last = 0
            for match in MARK.finditer(window):
                kind = b" obj" if match.group().endswith(b"obj") else match.group()
                yield kind, offset - len(kept) + match.start()
                last = match.end()
            offset += len(piece)
            kept = window[max(last, len(window) - 12) :]


def _says_more(path: Path, offset: int) -> bool:
    with path.open("rb") as file:
        file.seek(offset)
        return len(file.read(TAIL).strip(b"\x00\r\n\t ")) > 64


@contextmanager
def earlier(path: Path, end: int) -> Iterator[pikepdf.Pdf | None]:
    """The version that ends at byte `end`, or None where it does not open."""
    with path.open("rb") as file:
        content = file.read(end)
    try:
        before = pikepdf.open(io.BytesIO(content), suppress_warnings=True)
    except (pikepdf.PdfError, pikepdf.PasswordError):
        yield None
        return
    with before:
        yield before


def says_the_same(before: pikepdf.Pdf, now: pikepdf.Pdf) -> bool:
    """Whether the older version holds nothing that the newer one lacks, properties and the like aside: a label or a
    signature was added, but no page, picture or mark was changed or taken away."""
    apart = _properties(before)
    try:
        for old in before.objects:
            if not isinstance(old, (pikepdf.Dictionary, pikepdf.Stream, pikepdf.Array, pikepdf.String)):
                continue
            if old.objgen in apart:
                continue
            if isinstance(old, (pikepdf.Dictionary, pikepdf.Stream)) and str(old.get("/Type")) in TECHNICAL:
                continue
            if not _holds(now.get_object(old.objgen), old):
                return False
    except (pikepdf.PdfError, ValueError, TypeError, AttributeError):
        return False
    return True


def _properties(pdf: pikepdf.Pdf) -> set[tuple[int, int]]:
    """Objects of the properties: read in each version by themselves."""
    info: Any = pdf.trailer.get("/Info")
    values = info.as_dict().values() if isinstance(info, pikepdf.Dictionary) else ()
    return {item.objgen for item in (info, *values) if isinstance(item, pikepdf.Object)}


def _holds(new: Any, old: Any) -> bool:
    """Whether an object says all that it said; what it refers to is compared by itself."""
    if type(old) is not type(new):
        return False
    if isinstance(old, pikepdf.Stream):
        return bool(old.read_raw_bytes() == new.read_raw_bytes())
    if isinstance(old, pikepdf.Dictionary):
        return all(key in new and _keeps(new[key], value) for key, value in old.items() if key not in NOTED)
    if isinstance(old, pikepdf.Array):
        return {_written(item) for item in old} <= {_written(item) for item in new}
    return bool(new == old)


def _keeps(new: Any, old: Any) -> bool:
    referred = getattr(old, "is_indirect", False) or getattr(new, "is_indirect", False)
    return _written(new) == _written(old) if referred else _holds(new, old)


def _written(item: Any) -> bytes:
    return item.unparse() if isinstance(item, pikepdf.Object) else repr(item).encode()
