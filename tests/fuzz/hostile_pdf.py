"""PDFs written by hand to hurt their reader: bombs, loops, floods, calls to the outside, and odd but whole ones."""

import io
import zlib
from collections.abc import Callable

import pikepdf
from pikepdf import Array, Dictionary, Name
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from tests.fuzz.hostile_text import CHINESE, HEBREW, JAPANESE
from tests.fuzz.recipe import Kit, Make, Recipe
from tests.fuzz.seeds import pdf, sentence

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


def page_loop(document: pikepdf.Pdf, kit: Kit) -> None:
    """The tree of pages has itself among its branches."""
    tree = document.Root.Pages
    tree.Kids.append(tree)
    tree.Count = 1_000_000


def outline_loop(document: pikepdf.Pdf, kit: Kit) -> None:
    item = document.make_indirect(Dictionary(Title="Again"))
    item.Next = item.Prev = item.First = item.Last = item
    document.Root.Outlines = document.make_indirect(Dictionary(First=item, Last=item, Count=-1))


def form_loop(document: pikepdf.Pdf, kit: Kit) -> None:
    """A drawing that draws itself, twice."""
    form = document.make_stream(b"/X Do /X Do " + HELLO)
    form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, Array([0, 0, 600, 800])
    form.Resources = Dictionary(XObject=Dictionary(X=form))
    document.pages[0].Resources.XObject = Dictionary(X=form)
    document.pages[0].Contents = document.make_stream(b"/X Do")


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


def parent_loop(document: pikepdf.Pdf, kit: Kit) -> None:
    """What a page inherits comes from itself."""
    page = document.pages[0].obj
    del page["/Resources"]
    document.Root.Pages.Parent = document.Root.Pages


def font_loop(document: pikepdf.Pdf, kit: Kit) -> None:
    font = document.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 10, 10])))
    font.FontMatrix, font.FirstChar, font.LastChar = Array([1, 0, 0, 1, 0, 0]), 65, 65
    font.Widths, font.Encoding = Array([10]), Dictionary(Type=Name.Encoding, Differences=Array([65, Name("/a")]))
    glyph = document.make_stream(b"10 0 0 0 10 10 d1 BT /F1 1 Tf (A) Tj ET")
    font.CharProcs, font.Resources = Dictionary(a=glyph), Dictionary(Font=Dictionary(F1=font))
    document.pages[0].Resources.Font = Dictionary(F1=font)
    document.pages[0].Contents = document.make_stream(b"BT /F1 12 Tf 72 700 Td (AAAA) Tj ET")


def map_bomb(document: pikepdf.Pdf, kit: Kit) -> None:
    """Maps of characters with ranges of four bytes, over and over."""
    lines = "".join(f"<{n:08x}> <ffffffff> <0041>\n" for n in range(100))
    unicode = document.make_stream(
        f"begincmap\n{f'100 beginbfrange{chr(10)}{lines}endbfrange{chr(10)}' * 50}endcmap".encode()
    )
    document.pages[0].Resources.Font.F1.ToUnicode = unicode


def map_by_path(document: pikepdf.Pdf, kit: Kit) -> None:
    """A map of characters that is named by a path: older readers opened it, and ran what was in it."""
    font = Dictionary(Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.X, Encoding=Name("/../../../../tmp/evil"))
    font.DescendantFonts = Array([Dictionary(Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.X)])
    document.pages[0].Resources.Font = Dictionary(F1=font)


def calls_out(document: pikepdf.Pdf, kit: Kit) -> None:
    """Everything by which a PDF may ask a reader for something that lies elsewhere."""
    canary = kit.canary
    document.Root.OpenAction = Dictionary(S=Name.URI, URI=f"{canary}/open")
    document.Root.AA = Dictionary(WC=Dictionary(S=Name.JavaScript, JS=f"app.launchURL('{canary}/js')"))
    document.Root.Names = Dictionary(
        JavaScript=Dictionary(Names=Array(["x", Dictionary(S=Name.JavaScript, JS=f"this.submitForm('{canary}')")]))
    )
    web = Dictionary(FS=Name.URL, F=f"{canary}/stream")
    page = document.pages[0]
    outside = pikepdf.Stream(document, b"")
    outside.stream_dict.F, outside.stream_dict.FFilter = web, Name.FlateDecode
    page.Contents = Array([document.make_stream(HELLO), document.make_indirect(outside)])
    launch = Dictionary(S=Name.Launch, F="/bin/sh", Win=Dictionary(F="cmd.exe", P="/c calc"))
    actions = [
        launch, Dictionary(S=Name.GoToR, F=web, D="a"), Dictionary(S=Name.SubmitForm, F=web),
        Dictionary(S=Name.ImportData, F=web),
    ]  # fmt: skip
    page.Annots = Array(
        [Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([0, 0, 99, 99]), A=action) for action in actions]
    )


def nested_files(kit: Kit) -> bytes:
    """A PDF in a PDF in a PDF …"""
    content = pdf(kit, 1)
    for depth in range(12):
        document = blank()
        document.attachments[f"{depth}.pdf"] = content
        content = saved(document)
    return content


def sizes(document: pikepdf.Pdf, kit: Kit) -> None:
    document.pages[0].MediaBox = Array([0, 0, 1_000_000_000, 1_000_000_000])
    document.pages[0].obj.UserUnit = 75_000
    document.pages[1].MediaBox = Array([100, 100, -100, 100])
    document.pages[1].Rotate = 45


def thousands(kit: Kit) -> bytes:
    """Pages that can all be read, more of them in a larger run."""
    return pdf(kit, 300 * max(1, min(kit.factor, 10)))


def too_many(kit: Kit) -> bytes:
    return saved(blank(5_001))


def scripts(kit: Kit) -> bytes:
    """Chinese and Japanese by fonts that the reader has to have, Hebrew in the order of the eye and of the ear."""
    for font in ("STSong-Light", "HeiseiMin-W3"):
        registerFont(UnicodeCIDFont(font))
    out = io.BytesIO()
    canvas = Canvas(out, invariant=True)
    for font, text in (("STSong-Light", CHINESE), ("HeiseiMin-W3", JAPANESE)):
        canvas.setFont(font, 12)
        for line in range(10):
            canvas.drawString(60, 780 - 20 * line, text)
        canvas.showPage()
    canvas.save()
    document = pikepdf.open(io.BytesIO(out.getvalue()))
    page = document.add_blank_page(page_size=(595, 842))
    unicode = "".join(f"<{n:04x}> <{ord(c):04x}>\n" for n, c in enumerate(HEBREW, 1))
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.Hebrew, Encoding=Name("/Identity-H"),
        DescendantFonts=Array([Dictionary(
            Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.Hebrew, DW=600,
            CIDSystemInfo=Dictionary(Registry="Adobe", Ordering="Identity", Supplement=0),
        )]),
        ToUnicode=document.make_stream(
            f"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <ffff> "
            f"endcodespacerange {len(HEBREW)} beginbfchar\n{unicode}endbfchar endcmap end end".encode()
        ),
    )  # fmt: skip
    page.Resources = Dictionary(Font=Dictionary(F1=font))
    heard = "".join(f"{n:04x}" for n in range(1, len(HEBREW) + 1))
    seen = "".join(f"{n:04x}" for n in range(len(HEBREW), 0, -1))
    page.Contents = document.make_stream(f"BT /F1 8 Tf 40 700 Td <{heard}> Tj 0 -30 Td <{seen}> Tj ET".encode())
    return saved(document)


def raw(body: bytes) -> Make:
    return lambda kit: b"%PDF-1.7\n" + body + b"\n%%EOF\n"


def previous_loop(kit: Kit) -> bytes:
    """The table of objects before this one is this one."""
    content = pdf(kit)
    start = int(content.rsplit(b"startxref", 1)[1].split()[0])
    return content.replace(b"trailer\n<<", b"trailer\n<< /Prev %d" % start, 1)


def length_loop(kit: Kit) -> bytes:
    objects = b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    page = b"3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj 4 0 obj<</Length 4 0 R>>stream\nBT ET\nendstream endobj "
    return b"%PDF-1.7\n" + objects + page + b"trailer<</Root 1 0 R>>\n%%EOF"


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


def locked(kit: Kit) -> bytes:
    out = io.BytesIO()
    blank().save(out, encryption=pikepdf.Encryption(user="x", owner="y"))
    return out.getvalue()


RECIPES = [
    Recipe("bomb2.pdf", "packed twice, 40 MB", bomb(2, 40), quick=True),
    Recipe("bomb3.pdf", "packed three times, 400 MB", bomb(3, 400)),
    Recipe("bomb1.pdf", "packed once, 300 MB", bomb(1, 300)),
    Recipe("flood.pdf", "a picture of 30,000 by 30,000", flood(30_000, 30_000, 500)),
    Recipe("small flood.pdf", "such a picture, drawn as an ornament", flood(30_000, 30_000, 20)),
    Recipe("page loop.pdf", "a tree of pages in itself", changed(page_loop), quick=True),
    Recipe("outline loop.pdf", "an outline in itself", changed(outline_loop), ready=True),
    Recipe("form loop.pdf", "a drawing in itself", changed(form_loop)),
    Recipe("form tree.pdf", "10 to the 30th drawings", changed(form_tree)),
    Recipe("parent loop.pdf", "inheriting from itself", changed(parent_loop)),
    Recipe("font loop.pdf", "a letter drawn by itself", changed(font_loop)),
    Recipe("xref loop.pdf", "a table of objects before itself", previous_loop),
    Recipe("length loop.pdf", "a stream as long as itself", length_loop),
    Recipe("map bomb.pdf", "ranges of characters without end", changed(map_bomb)),
    Recipe("map path.pdf", "a map of characters by path", changed(map_by_path)),
    Recipe("calls.pdf", "references to the outside", changed(calls_out), quick=True),
    Recipe("nested.pdf", "twelve PDFs in each other", nested_files),
    Recipe("sizes.pdf", "pages of kilometres", changed(sizes)),
    Recipe("thousands.pdf", "many pages", thousands, ready=True),
    Recipe("too many.pdf", "5,001 pages", too_many),
    Recipe("scripts.pdf", "right to left, Chinese, Japanese", scripts, ready=True),
    Recipe("arrays.pdf", "brackets 200,000 deep", raw(b"1 0 obj " + b"[" * 200_000 + b" endobj trailer<</Root 1 0 R>>")),
    Recipe("dictionaries.pdf", "dictionaries 100,000 deep", raw(b"1 0 obj " + b"<</A" * 100_000 + b" endobj trailer<</Root 1 0 R>>")),
    Recipe("operands.pdf", "a million operands", with_content(lambda kit: b"1 " * 1_000_000 + b"re f " + HELLO)),
    Recipe("states.pdf", "states saved 500,000 deep", with_content(lambda kit: b"q " * 500_000 + HELLO)),
    Recipe("inline.pdf", "an inline picture without end", with_content(lambda kit: HELLO + b" BI /W 99999 /H 99999 /BPC 8 /CS /RGB ID " + bytes(2_000))),
    Recipe("not numbers.pdf", "numbers that are none", with_content(lambda kit: b"1e999 -- 1.2.3 99999999999999999999 Tf NaN 0 0 1 0 0 Tm " + HELLO)),
    Recipe("wordy.pdf", "8,000 lines on each other", with_content(wordy)),
    Recipe("ruled.pdf", "6,000 ruling lines", with_content(ruled)),
    Recipe("nul.pdf", "NUL bytes in strings", with_content(lambda kit: HELLO.replace(b"quay", b"qu\\000a\\000y")), ready=True),
    Recipe("version.pdf", "no version", lambda kit: pdf(kit).replace(b"%PDF-1.", b"%PDF-\xff.", 1)),
    Recipe("before.pdf", "900 bytes before its beginning", lambda kit: b"<html>" + b" " * 900 + pdf(kit)),
    Recipe("locked.pdf", "a password", locked),
]  # fmt: skip
