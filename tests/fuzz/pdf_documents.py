"""PDFs of blank pages with a sentence, and ways to change them, for recipes."""

import io
import zlib
from collections.abc import Callable

import pikepdf
from pikepdf import Dictionary, Name

from tests.fuzz.recipe import Kit, Make

MIB = 1 << 20
HELLO = b"BT /F1 12 Tf 72 700 Td (The quay is closed for two days because of the storm.) Tj ET"


def packed(chunk: bytes, times: int, end: bytes = b"") -> bytes:
    """Deflated, without ever being in memory."""
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(chunk) for _ in range(times)) + packer.compress(end) + packer.flush()


def blank(pages: int = 1) -> pikepdf.Pdf:
    document = pikepdf.new()
    for _ in range(pages):
        page = document.add_blank_page(page_size=(595, 842))
        page.Resources = Dictionary(
            Font=Dictionary(F1=Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica))
        )
        page.Contents = document.make_stream(HELLO)
    return document


def saved(document: pikepdf.Pdf, **options) -> bytes:
    out = io.BytesIO()
    document.save(out, deterministic_id=True, **options)
    return out.getvalue()


def as_it_is(document: pikepdf.Pdf) -> bytes:
    """Saved with streams as they were put in, packed several times over."""
    out = io.BytesIO()
    document.save(out, stream_decode_level=pikepdf.StreamDecodeLevel.none, recompress_flate=False)
    return out.getvalue()


def changed(change: Callable[[pikepdf.Pdf, Kit], None], pages: int = 2) -> Make:
    def make(kit: Kit) -> bytes:
        document = blank(pages)
        change(document, kit)
        return saved(document)

    return make


def with_content(content: Callable[[Kit], bytes]) -> Make:
    def change(document: pikepdf.Pdf, kit: Kit) -> None:
        document.pages[0].Contents = document.make_stream(content(kit))

    return changed(change)


def raw(body: bytes) -> Make:
    return lambda kit: b"%PDF-1.7\n" + body + b"\n%%EOF\n"
