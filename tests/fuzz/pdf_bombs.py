"""PDFs that grow: streams, pictures, drawings, pages, words and lines without measure."""

import zlib

import pikepdf
from pikepdf import Array, Dictionary, Name

from tests.fuzz.pdf_documents import HELLO, MIB, as_it_is, blank, packed, saved
from tests.fuzz.recipe import Kit, Make
from tests.fuzz.seeds import pdf, sentence


def bomb(rounds: int, megabytes: int) -> Make:
    def make(kit: Kit) -> bytes:
        content = packed(b" " * MIB, megabytes, HELLO)
        for _ in range(rounds - 1):
            content = zlib.compress(content, 9)
        document = blank()
        stream = pikepdf.Stream(document, b"")
        stream.write(content, filter=Array([Name.FlateDecode] * rounds))
        document.pages[0].Contents = document.make_indirect(stream)
        return as_it_is(document)

    return make


def flood(width: int, height: int, shown: float) -> Make:
    """A picture of so many pixels, drawn `shown` points wide."""

    def change(document: pikepdf.Pdf, kit: Kit) -> None:
        stream = pikepdf.Stream(document, b"")
        stream.write(packed(b"\x00" * MIB, max(1, width * height // 8 // MIB)), filter=Name.FlateDecode)
        stream.stream_dict.Type, stream.stream_dict.Subtype = Name.XObject, Name.Image
        stream.stream_dict.Width, stream.stream_dict.Height = width, height
        stream.stream_dict.BitsPerComponent, stream.stream_dict.ColorSpace = 1, Name.DeviceGray
        page = document.pages[0]
        page.Resources.XObject = Dictionary(Im1=document.make_indirect(stream))
        page.Contents = document.make_stream(HELLO + f" q {shown} 0 0 {shown} 60 60 cm /Im1 Do Q".encode())

    def make(kit: Kit) -> bytes:
        document = blank(2)
        change(document, kit)
        return as_it_is(document)

    return make


def map_bomb(document: pikepdf.Pdf, kit: Kit) -> None:
    """Maps of characters with ranges of four bytes, over and over."""
    lines = "".join(f"<{n:08x}> <ffffffff> <0041>\n" for n in range(100))
    unicode = document.make_stream(
        f"begincmap\n{f'100 beginbfrange{chr(10)}{lines}endbfrange{chr(10)}' * 50}endcmap".encode()
    )
    document.pages[0].Resources.Font.F1.ToUnicode = unicode


def form_tree(document: pikepdf.Pdf, kit: Kit) -> None:
    """Thirty drawings, each of which draws the next one ten times: 10 to the 30th in all."""
    inner = document.make_stream(HELLO)
    inner.Type, inner.Subtype, inner.BBox = Name.XObject, Name.Form, Array([0, 0, 600, 800])
    for _ in range(30):
        outer = document.make_stream(b"/X Do " * 10)
        outer.Type, outer.Subtype, outer.BBox = Name.XObject, Name.Form, Array([0, 0, 600, 800])
        outer.Resources = Dictionary(XObject=Dictionary(X=inner))
        inner = outer
    document.pages[0].Resources.XObject = Dictionary(X=inner)
    document.pages[0].Contents = document.make_stream(b"/X Do")


def thousands(kit: Kit) -> bytes:
    """Pages that can all be read, more of them in a larger run."""
    return pdf(kit, 300 * max(1, min(kit.factor, 10)))


def too_many(kit: Kit) -> bytes:
    return saved(blank(5_001))


def wordy(kit: Kit) -> bytes:
    """A page with more words than anybody would read, in letters of a thousandth of a point."""
    lines = [
        f"1 0 0 1 {kit.rng.randrange(500)} {kit.rng.randrange(800)} Tm ({sentence(kit, 6)}) Tj" for _ in range(8_000)
    ]
    return b"BT /F1 0.001 Tf " + " ".join(lines).encode() + b" ET"


def ruled(kit: Kit) -> bytes:
    """Lines enough for a table of a million cells."""
    across = b"".join(b"20 %d m 580 %d l S " % (n % 800, n % 800) for n in range(3_000))
    down = b"".join(b"%d 20 m %d 820 l S " % (n % 590, n % 590) for n in range(3_000))
    return HELLO + b" 0.1 w " + across + down


def nested_files(kit: Kit) -> bytes:
    """A PDF in a PDF in a PDF …"""
    content = pdf(kit, 1)
    for depth in range(12):
        document = blank()
        document.attachments[f"{depth}.pdf"] = content
        content = saved(document)
    return content
