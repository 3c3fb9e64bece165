"""Places in a PDF: every key of every object of a small one, its streams, and the bytes between the objects."""
# ruff: noqa: E501

import io
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from tests.ingestion.places.pictures import Place, jpeg

CONTENT = b"BT /F1 12 Tf 72 700 Td (The quay was closed.) Tj ET\n"
XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/></x:xmpmeta>"
DRAWS = b"BT /F1 9 Tf 10 10 Td (%s) Tj ET"
PROFILE = (128).to_bytes(4) + b"\0" * 32 + b"acsp" + b"\0" * 88
Change = Callable[[pikepdf.Pdf, str], None]


def helvetica() -> Any:
    return Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)


def base() -> pikepdf.Pdf:
    """With what documents usually have, and nothing hidden."""
    pdf = pikepdf.new()
    font = pdf.make_indirect(helvetica())
    pdf.add_blank_page(page_size=(595, 842))
    page = pdf.pages[0].obj
    form = pdf.make_stream(b"0 0 10 10 re f", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 10, 10]))
    page.Contents = pdf.make_stream(CONTENT + b"/X1 Do\n/G1 gs\n")
    page.Resources = Dictionary(
        Font=Dictionary(F1=font),
        XObject=Dictionary(X1=form),
        ExtGState=Dictionary(G1=pdf.make_indirect(Dictionary(Type=Name.ExtGState, CA=1))),
        ColorSpace=Dictionary(C1=Array([Name.ICCBased, pdf.make_stream(PROFILE, N=3)])),
        Properties=Dictionary(MC0=pdf.make_indirect(Dictionary(MCID=0))),
    )
    link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([1, 1, 9, 9]), Border=Array([0, 0, 0]))
    link.A = Dictionary(S=Name.URI, URI=String("https://a.example"))
    mark = Dictionary(Type=Name.Annot, Subtype=Name.Highlight, Rect=Array([1, 1, 9, 9]), T=String("Pat"))
    page.Annots = Array([pdf.make_indirect(link), pdf.make_indirect(mark)])
    root = pdf.Root
    part = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.P, K=0))
    root.StructTreeRoot = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=part, RoleMap=Dictionary(A=Name.P)))
    outlines = pdf.make_indirect(Dictionary(Type=Name.Outlines, Count=1))
    item = pdf.make_indirect(Dictionary(Title=String("Quay"), Parent=outlines, Dest=Array([page, Name.Fit])))
    outlines.First = outlines.Last = item
    root.Outlines = outlines
    root.Names = Dictionary(Dests=Dictionary(Names=Array([String("start"), Array([page, Name.Fit])])))
    root.Dests = pdf.make_indirect(Dictionary(begin=Array([page, Name.Fit])))
    root.PageLabels = Dictionary(Nums=Array([0, Dictionary(P=String("A"), S=Name.D)]))
    root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
    root.MarkInfo = Dictionary(Marked=True)
    root.Lang = String("en")
    root.OutputIntents = Array([Dictionary(Type=Name.OutputIntent, S=Name.GTS_PDFA1, Info=String("sRGB"))])
    layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Layer")))
    root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(Order=Array([layer])))
    root.Metadata = pdf.make_stream(XMP, Type=Name.Metadata, Subtype=Name.XML)
    pdf.trailer.Info = pdf.make_indirect(
        Dictionary(Title=String("Quay"), Producer=String("made"), Author=String("Pat"))
    )
    return pdf


def written(pdf: pikepdf.Pdf, **options: Any) -> bytes:
    out = io.BytesIO()
    pdf.save(out, static_id=True, fix_metadata_version=False, **options)
    return out.getvalue()


def below(pdf: pikepdf.Pdf) -> Iterator[tuple[str, Any]]:
    """Dictionaries and arrays by their paths."""
    left: list[tuple[str, Any]] = [("trailer", pdf.trailer)]
    met = set()
    while left:
        path, entry = left.pop()
        if getattr(entry, "is_indirect", False):
            if entry.objgen in met:
                continue
            met.add(entry.objgen)
        if isinstance(entry, (Dictionary, pikepdf.Stream)) or path == "trailer":
            yield path, entry
            left += [(f"{path}{key}", value) for key, value in entry.items() if key not in ("/Parent", "/ID")]
        elif isinstance(entry, Array):
            yield path, entry
            left += [(f"{path}[{number}]", value) for number, value in enumerate(entry)]


def generic(secret: str) -> Iterator[tuple[str, bytes]]:
    values: dict[str, Callable[[pikepdf.Pdf], Any]] = {
        "string": lambda pdf: String(secret),
        "name": lambda pdf: Name("/" + secret),
        "list": lambda pdf: Array([1, Dictionary(Odd=String(secret))]),
        "stream": lambda pdf: pdf.make_stream(secret.encode()),
        "packed stream": lambda pdf: pdf.make_stream(zlib.compress(secret.encode()), Filter=Name.FlateDecode),
        "indirect": lambda pdf: pdf.make_indirect(String(secret)),
    }
    for path in [path for path, _ in below(base())]:
        for kind, value in values.items():
            pdf = base()
            entry, held = dict(below(pdf))[path], value(pdf)
            if isinstance(entry, Array):
                entry.append(held)
            else:
                entry["/Odd"] = held
            yield f"{path} {kind}", written(pdf)
        pdf = base()
        entry = dict(below(pdf))[path]
        if not isinstance(entry, Array):
            entry["/" + secret] = 1
            yield f"{path} key", written(pdf)
        for key in (
            [key for key, value in entry.items() if isinstance(value, String)] if not isinstance(entry, Array) else ()
        ):
            pdf = base()
            dict(below(pdf))[path][key] = String(secret)
            yield f"{path}{key}", written(pdf)


def annotation(pdf: pikepdf.Pdf, **more: Any) -> Any:
    mark = Dictionary(Type=Name.Annot, Subtype=Name.Square, Rect=Array([1, 1, 9, 9]), **more)
    pdf.pages[0].obj.Annots.append(pdf.make_indirect(mark))
    return mark


def drawing(pdf: pikepdf.Pdf, secret: str, **more: Any) -> Any:
    resources = Dictionary(Font=Dictionary(F1=helvetica()))
    return pdf.make_stream(DRAWS % secret.encode(), BBox=Array([0, 0, 400, 90]), Resources=resources, **more)


def form(pdf: pikepdf.Pdf, secret: str) -> Any:
    return drawing(pdf, secret, Type=Name.XObject, Subtype=Name.Form)


def image(pdf: pikepdf.Pdf, secret: str) -> Any:
    size = {"Width": 60, "Height": 40, "ColorSpace": Name.DeviceGray, "BitsPerComponent": 8}
    return pdf.make_stream(jpeg(secret), Type=Name.XObject, Subtype=Name.Image, Filter=Name.DCTDecode, **size)


def contents(pdf: pikepdf.Pdf, more: bytes) -> None:
    pdf.pages[0].obj.Contents = pdf.make_stream(CONTENT + more)


def pattern(pdf: pikepdf.Pdf, s: str) -> None:
    more = {"PatternType": 1, "PaintType": 1, "TilingType": 1, "XStep": 400, "YStep": 90}
    pdf.pages[0].obj.Resources["/Pattern"] = Dictionary(P1=drawing(pdf, s, Type=Name.Pattern, **more))
    contents(pdf, b"/Pattern cs /P1 scn 0 0 400 90 re f\n")


def soft_mask(pdf: pikepdf.Pdf, s: str) -> None:
    group = drawing(
        pdf, s, Type=Name.XObject, Subtype=Name.Form, Group=Dictionary(S=Name.Transparency, CS=Name.DeviceGray)
    )
    pdf.pages[0].obj.Resources.ExtGState.G1 = Dictionary(SMask=Dictionary(S=Name.Luminosity, G=group))
    contents(pdf, b"/G1 gs 0 0 400 90 re f\n")


def letter(pdf: pikepdf.Pdf, s: str) -> None:
    glyph = drawing(pdf, s)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 9, 9]), CharProcs=Dictionary(a=glyph))
    font.FontMatrix, font.FirstChar, font.LastChar = Array([1, 0, 0, 1, 0, 0]), 97, 97
    font.Encoding, font.Widths = Dictionary(Differences=Array([97, Name("/a")])), Array([9])
    font.Resources = Dictionary(Font=Dictionary(F1=helvetica()))
    pdf.pages[0].obj.Resources.Font.F2 = font
    contents(pdf, b"BT /F2 1 Tf 9 90 Td (a) Tj ET\n")


def form_field(pdf: pikepdf.Pdf, key: str, value: Any, kind: str = "Tx") -> None:
    field = Dictionary(
        Type=Name.Annot, Subtype=Name.Widget, FT=Name("/" + kind), T=String("a"), Rect=Array([1, 1, 9, 9])
    )
    field["/" + key] = value
    field = pdf.make_indirect(field)
    pdf.pages[0].obj.Annots.append(field)
    pdf.Root.AcroForm = Dictionary(Fields=Array([field]))


def hide_layer(pdf: pikepdf.Pdf, secret: str) -> None:
    pdf.Root.OCProperties.D.OFF = pdf.Root.OCProperties.OCGs
    pdf.pages[0].obj.Resources.Properties["/L"] = pdf.Root.OCProperties.OCGs[0]
    contents(pdf, b"/OC /L BDC BT /F1 9 Tf 90 90 Td (%s) Tj ET EMC\n" % secret.encode())


def packed(secret: str) -> bytes:
    """A file of which no letter can be read."""
    return b"\x81\x9f\x03" * 20 + zlib.compress(secret.encode())


def attach_to_page(pdf: pikepdf.Pdf, secret: str) -> None:
    file = pdf.make_stream(packed(secret))
    held = pdf.make_indirect(Dictionary(Type=Name.Filespec, F=String("a"), EF=Dictionary(F=file)))
    pdf.pages[0].obj.AF = Array([held])


def pixels(pdf: pikepdf.Pdf, data: bytes, *filters: str, **more: Any) -> None:
    size = {"Width": 1, "Height": 1, "ColorSpace": Name.DeviceGray, "BitsPerComponent": 8, **more}
    picture = pdf.make_stream(data, Type=Name.XObject, Subtype=Name.Image, **size)
    if filters:
        picture.Filter = Array([Name("/" + name) for name in filters])
    pdf.pages[0].obj.Resources.XObject["/X2"] = picture


PIXELS: dict[str, Change] = {
    "text as pixels": lambda pdf, s: pixels(pdf, s.encode()),
    "text as pixels of that size": lambda pdf, s: pixels(pdf, s.encode() * 50, Width=len(s), Height=50),
    "packed text as pixels": lambda pdf, s: pixels(pdf, zlib.compress(s.encode()), "FlateDecode"),
    "text twice packed as pixels": lambda pdf, s: pixels(
        pdf, zlib.compress(zlib.compress(s.encode())), "FlateDecode", "FlateDecode"
    ),
    "text behind packed pixels": lambda pdf, s: pixels(pdf, zlib.compress(b"\0") + s.encode(), "FlateDecode"),
    "data as pixels": lambda pdf, s: pixels(pdf, packed(s) * 20),
    "packed photograph": lambda pdf, s: pixels(pdf, zlib.compress(jpeg(s)), "FlateDecode", "DCTDecode"),
    "text as a photograph": lambda pdf, s: pixels(pdf, s.encode(), "DCTDecode"),
    "text as a photograph of another kind": lambda pdf, s: pixels(pdf, s.encode(), "JPXDecode"),
    "text as a fax": lambda pdf, s: pixels(pdf, s.encode(), "CCITTFaxDecode"),
    "data as a fax": lambda pdf, s: pixels(pdf, packed(s) * 20, "CCITTFaxDecode"),
}
SPECIAL: dict[str, Change] = {
    "file of a page": attach_to_page,
    **{
        f"data with {key}": lambda pdf, s, key=key: setattr(pdf.Root, "Odd", pdf.make_stream(packed(s), **{key: 3}))
        for key in ("N", "ShadingType", "HalftoneType", "S")
    },
    **{
        f"data at {key}": lambda pdf, s, key=key: setattr(pdf.Root, key, pdf.make_stream(packed(s)))
        for key in ("F", "UF", "TR", "HT", "Mask", "DestOutputProfile", "Odd")
    },
    "data as colours": lambda pdf, s: setattr(pdf.Root, "I", pdf.make_stream(packed(s) * 20)),
    "data as metadata": lambda pdf, s: setattr(
        pdf.Root, "Metadata", pdf.make_stream(packed(s), Type=Name.Metadata, Subtype=Name.XML)
    ),
    "letters of a font": lambda pdf, s: setattr(pdf.Root, "CIDSet", pdf.make_stream(s.encode())),
    **{
        f"text as {kind}": lambda pdf, s, kind=kind: setattr(
            pdf.Root, "Odd", pdf.make_stream(s.encode(), Type=Name("/" + kind), W=Array([1, 2, 1]), N=1, First=4)
        )
        for kind in ("XRef", "ObjStm")
    },
    "objects in no table": lambda pdf, s: setattr(
        pdf.Root, "Odd", pdf.make_stream(f"99 0 ({s})".encode(), Type=Name.ObjStm, N=1, First=5)
    ),
    "appearance": lambda pdf, s: annotation(pdf, AP=Dictionary(N=form(pdf, s))) and None,
    "old appearance": lambda pdf, s: annotation(pdf, AP=Dictionary(D=Dictionary(Off=form(pdf, s)))) and None,
    **{
        f"mark {key}": lambda pdf, s, key=key: annotation(pdf, **{key: String(s)}) and None
        for key in ("T", "Contents", "RC", "Subj", "DA", "DS", "NM", "M", "CreationDate", "OverlayText", "TU", "Odd")
    },
    "javascript": lambda pdf, s: setattr(pdf.Root, "OpenAction", Dictionary(S=Name.JavaScript, JS=String(s))),
    "javascript stream": lambda pdf, s: setattr(
        pdf.Root, "OpenAction", Dictionary(S=Name.JavaScript, JS=pdf.make_stream(s.encode()))
    ),
    "file to go to": lambda pdf, s: setattr(pdf.Root, "OpenAction", Dictionary(S=Name.GoToR, F=String(s))),
    "attached file": lambda pdf, s: pdf.attachments.__setitem__("a.txt", s.encode()),
    "thumbnail": lambda pdf, s: setattr(pdf.pages[0].obj, "Thumb", image(pdf, s)),
    "picture unused": lambda pdf, s: pdf.pages[0].obj.Resources.XObject.__setitem__("/X2", image(pdf, s)),
    "drawing unused": lambda pdf, s: pdf.pages[0].obj.Resources.XObject.__setitem__("/X2", form(pdf, s)),
    "program's own data": lambda pdf, s: setattr(pdf.Root, "PieceInfo", Dictionary(A=Dictionary(Private=String(s)))),
    "page unused": lambda pdf, s: setattr(
        pdf.Root, "Odd", Dictionary(Type=Name.Page, Contents=drawing(pdf, s), Resources=Dictionary(Font=Dictionary(F1=helvetica())))
    ),
    "template": lambda pdf, s: pdf.Root.Names.__setitem__("/Templates", Dictionary(Names=Array([String(s), 1]))),
    "signature": lambda pdf, s: form_field(pdf, "V", Dictionary(Type=Name.Sig, Reason=String(s), Contents=b"\0" * 40), "Sig"),
    "certificate": lambda pdf, s: form_field(pdf, "V", Dictionary(Type=Name.Sig, Contents=String(s)), "Sig"),
    **{
        f"field {key}": lambda pdf, s, key=key: form_field(pdf, key, String(s))
        for key in ("V", "DV", "TU", "TM", "T", "DA", "RV", "Opt")
    },
    "choices": lambda pdf, s: form_field(pdf, "Opt", Array([Array([String("1"), String(s)])]), "Ch"),
    "xfa": lambda pdf, s: setattr(pdf.Root, "AcroForm", Dictionary(Fields=Array([]), XFA=pdf.make_stream(f"<a>{s}</a>".encode()))),
    "pattern": pattern,
    "soft mask": soft_mask,
    "letter of a font": letter,
    "font program": lambda pdf, s: pdf.pages[0].obj.Resources.Font.F1.__setitem__(
        "/FontDescriptor", Dictionary(Type=Name.FontDescriptor, FontName=Name.A, FontFile2=pdf.make_stream(s.encode(), Length1=9))
    ),
    "name of a font": lambda pdf, s: pdf.pages[0].obj.Resources.Font.F1.__setitem__("/BaseFont", Name("/" + s)),
    "table of letters": lambda pdf, s: pdf.pages[0].obj.Resources.Font.F1.__setitem__(
        "/ToUnicode", pdf.make_stream(b"%" + s.encode())
    ),
    "page metadata": lambda pdf, s: setattr(
        pdf.pages[0].obj, "Metadata", pdf.make_stream(f"<a b='{s}'/>".encode(), Type=Name.Metadata, Subtype=Name.XML)
    ),
    "comment in contents": lambda pdf, s: contents(pdf, f"% {s}\n".encode()),
    "words for words": lambda pdf, s: contents(pdf, f"/Span <</ActualText ({s})>> BDC EMC\n".encode()),
    "property of contents": lambda pdf, s: contents(pdf, f"/Span <</Odd ({s})>> DP\n".encode()),
    "operand unused": lambda pdf, s: contents(pdf, f"({s}) pop\n".encode()),
    "name in contents": lambda pdf, s: contents(pdf, f"/{s.replace(' ', '#20')} MP\n".encode()),
    "image in contents": lambda pdf, s: contents(
        pdf, b"BI /W %d /H 1 /BPC 8 /CS /G ID %s EI\n" % (len(s), s.encode())
    ),
    "outside the page": lambda pdf, s: contents(pdf, b"BT /F1 9 Tf 900 900 Td (%s) Tj ET\n" % s.encode()),
    "clipped": lambda pdf, s: contents(pdf, b"q 0 0 1 1 re W n BT /F1 9 Tf 90 90 Td (%s) Tj ET Q\n" % s.encode()),
    "unseen layer": hide_layer,
}  # fmt: skip


def between(secret: str) -> Iterator[tuple[str, bytes]]:
    """In the file, and in no object."""
    held = secret.encode()
    whole = written(base(), object_stream_mode=pikepdf.ObjectStreamMode.disable, compress_streams=False)
    place = re.compile(rb"endobj\n").search(whole).end()  # type: ignore[union-attr]

    def put(more: bytes, at: int = place) -> bytes:
        """Whoever reads it mends the places of the objects behind it."""
        return whole[:at] + more + whole[at:]

    yield "comment", put(b"% " + held + b"\n")
    yield "bytes between objects", put(held + b"\n")
    yield "object in no table", put(b"99 0 obj\n(%s)\nendobj\n" % held)
    yield "behind the end", whole + held
    yield "short text behind the end", whole + b"\n" + held[:30]
    yield "before the beginning", held + b"\n" + whole
    yield "comment in the head", whole.replace(b"%\xbf\xf7\xa2\xfe\n", b"% " + held + b"\n")
    yield "in the table", whole.replace(b"trailer", b"% " + held + b"\ntrailer")
    first = written(base_with(secret), object_stream_mode=pikepdf.ObjectStreamMode.disable)
    with pikepdf.open(io.BytesIO(first)) as pdf:
        stream, size = pdf.pages[0].obj.Contents.objgen[0], int(pdf.trailer.Size)
        root = pdf.Root.objgen[0]
    table = int(first.rsplit(b"startxref", 1)[1].split()[0])
    again = b"%d 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (stream, len(CONTENT), CONTENT)
    xref = b"xref\n%d 1\n%010d 00000 n \ntrailer\n<< /Size %d /Root %d 0 R /Prev %d >>\n" % (
        stream, len(first), size, root, table,
    )  # fmt: skip
    yield "earlier page", first + again + xref + b"startxref\n%d\n%%%%EOF\n" % (len(first) + len(again))


def base_with(secret: str) -> pikepdf.Pdf:
    pdf = base()
    contents(pdf, DRAWS % secret.encode())
    return pdf


def places(kind: str, secret: str) -> Iterator[Place]:
    yield "", "a.pdf", written(base())
    for name, content in generic(secret):
        yield f"pdf {name}", "a.pdf", content
    for name, change in SPECIAL.items():
        pdf = base()
        change(pdf, secret)
        yield f"pdf {name}", "a.pdf", written(pdf)
    for name, change in PIXELS.items():
        pdf = base()
        change(pdf, secret)
        as_is = {"stream_decode_level": pikepdf.StreamDecodeLevel.none, "compress_streams": False}
        yield f"pdf {name}", "a.pdf", written(pdf, **as_is)
    for name, content in between(secret):
        yield f"pdf {name}", "a.pdf", content
    whole = written(base())
    for number, entry in enumerate(pikepdf.open(io.BytesIO(whole)).objects):
        if isinstance(entry, pikepdf.Stream):
            other = pikepdf.open(io.BytesIO(whole))
            stream: Any = other.objects[number]
            stream.write(stream.read_bytes() + b"\n%" + secret.encode())
            yield f"pdf stream {number}", "a.pdf", written(other)
    yield "pdf behind the packed data of a stream", "a.pdf", written(base_raw(secret), recompress_flate=False)


def base_raw(secret: str) -> pikepdf.Pdf:
    """A stream whose packed data end before it does."""
    pdf = base()
    pdf.pages[0].obj.Contents = pdf.make_stream(b"")
    pdf.pages[0].obj.Contents.write(zlib.compress(CONTENT) + secret.encode(), filter=Name.FlateDecode)
    return pdf
