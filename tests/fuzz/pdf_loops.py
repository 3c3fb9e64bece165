"""PDFs whose objects contain themselves."""

import pikepdf
from pikepdf import Array, Dictionary, Name

from tests.fuzz.pdf_documents import HELLO
from tests.fuzz.recipe import Kit
from tests.fuzz.seeds import pdf


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


def previous_loop(kit: Kit) -> bytes:
    """The table of objects before this one is this one."""
    content = pdf(kit)
    start = int(content.rsplit(b"startxref", 1)[1].split()[0])
    return content.replace(b"trailer\n<<", b"trailer\n<< /Prev %d" % start, 1)


def length_loop(kit: Kit) -> bytes:
    objects = b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    page = b"3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj 4 0 obj<</Length 4 0 R>>stream\nBT ET\nendstream endobj "
    return b"%PDF-1.7\n" + objects + page + b"trailer<</Root 1 0 R>>\n%%EOF"
