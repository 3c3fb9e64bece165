"""Places in office packages: every attribute, element and part of small files that have a wide vocabulary."""
# ruff: noqa: E501

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from lxml import etree

from ingestion.extract.sniff import DOCX, PPTX, XLSX
from tests.ingestion.packages import DRAWING, IN_WORD, NAMESPACES, PACKED, RELATED, WORDS, related
from tests.ingestion.places.pictures import Place, jpeg

Parts = Mapping[str, str | bytes]
ODD = "urn:example:odd"
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
    "<dc:title>Plan</dc:title><dc:creator>Pat</dc:creator><cp:lastModifiedBy>Pat</cp:lastModifiedBy>"
    "<cp:category>Works</cp:category><cp:contentStatus>Draft</cp:contentStatus><dc:identifier>7</dc:identifier>"
    "<cp:version>2</cp:version><dc:language>en</dc:language></cp:coreProperties>"
)
APP = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
    "<Template>Normal.dotm</Template><Application>Word</Application><Manager>Pat</Manager><Company>Port</Company>"
    "<HyperlinkBase>x</HyperlinkBase><TitlesOfParts>a</TitlesOfParts></Properties>"
)
CUSTOM = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"><property '
    'fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="2" name="Client"><lpwstr>Quay</lpwstr></property></Properties>'
)


def types(*parts: tuple[str, str]) -> str:
    overrides = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in parts)
    return (
        f'<Types xmlns="{PACKED}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType='
        f'"application/xml"/>{overrides}</Types>'
    )


BODY = """
<w:p w:rsidR="00A1B2C3"><w:pPr><w:pStyle w:val="Heading1"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>
<w:rPr><w:ins w:id="1" w:author="Pat" w:date="2026-01-01T00:00:00Z"/></w:rPr></w:pPr><w:bookmarkStart w:id="0"
w:name="start"/><w:r><w:rPr><w:rFonts w:ascii="Arial"/><w:lang w:val="en"/></w:rPr><w:t>The quay</w:t></w:r>
<w:bookmarkEnd w:id="0"/></w:p><w:p><w:del w:id="2" w:author="Pat"><w:r><w:delText>was open</w:delText></w:r></w:del>
<w:ins w:id="3" w:author="Pat"><w:r><w:t>was closed</w:t></w:r></w:ins><w:commentRangeStart w:id="0"/><w:r>
<w:footnoteReference w:id="2"/></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r></w:p>
<w:sdt><w:sdtPr><w:alias w:val="Name"/><w:tag w:val="tag"/><w:dropDownList><w:listItem w:displayText="One"
w:value="1"/></w:dropDownList><w:dataBinding w:xpath="/a" w:storeItemID="{1}"/></w:sdtPr><w:sdtContent><w:p><w:r>
<w:t>chosen</w:t></w:r></w:p></w:sdtContent></w:sdt><w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name
w:val="Text1"/><w:helpText w:val="help"/><w:textInput><w:default w:val="x"/></w:textInput></w:ffData></w:fldChar>
</w:r><w:r><w:instrText> IF 1 = 1 "a" "b" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
<w:fldSimple w:instr="AUTHOR"><w:r><w:t>Pat</w:t></w:r></w:fldSimple><w:hyperlink r:id="l" w:tooltip="tip"
w:anchor="start"><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p><w:p><w:r><w:drawing><wp:inline><wp:docPr id="1"
name="Shape 1" descr="a quay" title="quay"/><a:graphic><a:graphicData uri="urn:x"/></a:graphic></wp:inline>
</w:drawing></w:r><w:r><w:pict><v:shape id="s" alt="alt" href="h"><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>
</w:p><w:tbl><w:tblPr><w:tblCaption w:val="caption"/><w:tblDescription w:val="words"/></w:tblPr><w:tr><w:tc><w:p><w:r>
<w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>c</w:t>
</w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl><w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>"""
NOTE = f'<w:{{0}}s {IN_WORD}><w:{{0}} w:id="2" w:author="Pat" w:initials="P"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:{{0}}></w:{{0}}s>'
DOCUMENT: Parts = {
    "[Content_Types].xml": types(("word/document.xml", f"{DOCX}.main+xml")),
    "_rels/.rels": related(("d", "officeDocument", "word/document.xml"), ("c", "core-properties", "docProps/core.xml")),
    "word/document.xml": f"<w:document {IN_WORD}><w:body>{BODY}</w:body></w:document>",
    "word/_rels/document.xml.rels": related(
        ("s", "styles", "word/styles.xml"), ("l", "hyperlink", "https://a.example")
    ),
    "word/styles.xml": f'<w:styles xmlns:w="{WORDS}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name '
    'w:val="heading 1"/><w:aliases w:val="h"/></w:style></w:styles>',
    "word/settings.xml": f'<w:settings xmlns:w="{WORDS}"><w:docVars><w:docVar w:name="v" w:val="1"/></w:docVars>'
    '<w:documentProtection w:hash="x"/><w:writeProtection w:algIdExtSource="x"/></w:settings>',
    "word/comments.xml": NOTE.format("comment"),
    "word/footnotes.xml": NOTE.format("footnote"),
    "word/header1.xml": f"<w:hdr {IN_WORD}><w:p><w:r><w:t>Port</w:t></w:r></w:p></w:hdr>",
    "word/numbering.xml": f'<w:numbering xmlns:w="{WORDS}"><w:abstractNum w:abstractNumId="1"><w:name w:val="n"/><w:lvl '
    'w:ilvl="0"><w:lvlText w:val="%1."/></w:lvl></w:abstractNum></w:numbering>',
    "word/people.xml": '<p:people xmlns:p="urn:p"><p:person author="Pat"/></p:people>',
    "word/fontTable.xml": f'<w:fonts xmlns:w="{WORDS}"><w:font w:name="Arial"><w:altName w:val="A"/></w:font></w:fonts>',
    "word/theme/theme1.xml": f'<a:theme xmlns:a="{DRAWING}/main" name="Office"><a:extLst><a:ext uri="x"/></a:extLst></a:theme>',
    "docProps/core.xml": CORE,
    "docProps/app.xml": APP,
    "docProps/custom.xml": CUSTOM,
    "customXml/item1.xml": "<root><a>b</a></root>",
    "customXml/itemProps1.xml": '<ds:datastoreItem xmlns:ds="urn:d" ds:itemID="{1}"/>',
}
IN_SHEET = f'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{RELATED}"'
SHEET = (
    f'<worksheet {IN_SHEET}><sheetPr codeName="One"/><sheetViews><sheetView workbookViewId="0"/></sheetViews><cols><col '
    'min="4" max="4" hidden="1"/></cols><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is>'
    '<t>Port</t></is></c><c r="D1" t="str"><f>"x"&amp;"y"</f><v>xy</v></c></row><row r="2" hidden="1"><c r="A2" '
    't="inlineStr"><is><t>unseen</t></is></c></row></sheetData><conditionalFormatting sqref="A1"><cfRule><formula>1'
    '</formula></cfRule></conditionalFormatting><dataValidations><dataValidation prompt="p" promptTitle="t" error="e" '
    'sqref="A1"><formula1>"a,b"</formula1></dataValidation></dataValidations><hyperlinks><hyperlink ref="A1" '
    'tooltip="t" display="d" location="l"/></hyperlinks><headerFooter><oddHeader>&amp;CPort</oddHeader></headerFooter>'
    '<scenarios><scenario name="s" user="Pat" comment="c"><inputCells r="A1" val="1"/></scenario></scenarios>'
    "</worksheet>"
)
WORKBOOK: Parts = {
    "[Content_Types].xml": types(("xl/workbook.xml", f"{XLSX}.main+xml")),
    "_rels/.rels": related(("d", "officeDocument", "xl/workbook.xml")),
    "xl/workbook.xml": f'<workbook {IN_SHEET}><fileSharing userName="Pat"/><workbookPr codeName="W"/><sheets><sheet '
    'name="One" sheetId="1" r:id="a"/><sheet name="Two" sheetId="2" state="hidden" r:id="b"/></sheets><definedNames>'
    '<definedName name="n" comment="c">One!$A$1</definedName></definedNames><customWorkbookViews><customWorkbookView '
    'name="v"/></customWorkbookViews></workbook>',
    "xl/_rels/workbook.xml.rels": related(
        ("a", "worksheet", "worksheets/sheet1.xml"), ("b", "worksheet", "worksheets/sheet2.xml"),
        ("s", "sharedStrings", "sharedStrings.xml"), ("t", "styles", "styles.xml"),
    ),
    "xl/worksheets/sheet1.xml": SHEET,
    "xl/worksheets/sheet2.xml": f'<worksheet {IN_SHEET}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>hidden</t>'
    "</is></c></row></sheetData></worksheet>",
    "xl/sharedStrings.xml": f'<sst {IN_SHEET}><si><t>Quay</t><rPh><t>k</t></rPh></si><si><t>unused</t></si></sst>',
    "xl/styles.xml": f'<styleSheet {IN_SHEET}><numFmts><numFmt numFmtId="170" formatCode="0.0"/></numFmts><cellStyles>'
    '<cellStyle name="Normal" xfId="0"/></cellStyles></styleSheet>',
    "xl/comments1.xml": f'<comments {IN_SHEET}><authors><author>Pat</author></authors><commentList><comment ref="A1">'
    "<text><t>A note.</t></text></comment></commentList></comments>",
    "xl/tables/table1.xml": f'<table {IN_SHEET} name="T" displayName="T" comment="c"><tableColumns><tableColumn '
    'id="1" name="Name"/></tableColumns></table>',
    "xl/pivotCache/pivotCacheDefinition1.xml": f'<p {IN_SHEET}><cacheField name="f"><s v="x"/></cacheField></p>',
    "xl/connections.xml": f'<connections {IN_SHEET}><connection name="n"><dbPr connection="c" command="s"/></connection></connections>',
    "xl/externalLinks/externalLink1.xml": f'<externalLink {IN_SHEET}><sheetName val="v"/></externalLink>',
    "xl/calcChain.xml": f'<calcChain {IN_SHEET}><c r="D1"/></calcChain>',
    "docProps/core.xml": CORE,
    "docProps/app.xml": APP,
    "docProps/custom.xml": CUSTOM,
}  # fmt: skip
IN_DECK = (
    f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="{DRAWING}/main" xmlns:r="{RELATED}"'
)


def shape(text: str, kind: str = "title", hidden: str = "") -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape 2" descr="a quay" title="quay"{hidden}><a:hlinkClick '
        f'tooltip="tip"/></p:cNvPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:rPr lang="en"'
        f' altLang="de"/><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>'
    )


def slide(name: str, shapes: str, more: str = "") -> str:
    return f"<p:{name} {IN_DECK}{more}><p:cSld name='c'><p:spTree>{shapes}</p:spTree></p:cSld><p:timing/></p:{name}>"


DECK: Parts = {
    "[Content_Types].xml": types(("ppt/presentation.xml", f"{PPTX}.main+xml")),
    "_rels/.rels": related(("d", "officeDocument", "ppt/presentation.xml")),
    "ppt/presentation.xml": f'<p:presentation {IN_DECK}><p:sldIdLst><p:sldId id="1" r:id="a"/><p:sldId id="2" r:id="b"/>'
    '</p:sldIdLst><p:custShowLst><p:custShow name="s"/></p:custShowLst><p:modifyVerifier hashData="x"/><p:extLst><p:ext '
    'uri="u"/></p:extLst></p:presentation>',
    "ppt/_rels/presentation.xml.rels": related(
        ("a", "slide", "slides/slide1.xml"), ("b", "slide", "slides/slide2.xml")
    ),
    "ppt/slides/slide1.xml": slide("sld", shape("The quay") + shape("unseen", "body", ' hidden="1"')),
    "ppt/slides/_rels/slide1.xml.rels": related(("n", "notesSlide", "../notesSlides/notesSlide1.xml")),
    "ppt/slides/slide2.xml": slide("sld", shape("hidden"), ' show="0"'),
    "ppt/slideLayouts/slideLayout1.xml": slide("sldLayout", shape("Click", "body")),
    "ppt/slideMasters/slideMaster1.xml": slide("sldMaster", shape("Port", "ftr")),
    "ppt/notesSlides/notesSlide1.xml": slide("notes", shape("A note", "body")),
    "ppt/comments/comment1.xml": f'<p:cmLst {IN_DECK}><p:cm authorId="0"><p:text>A note</p:text></p:cm></p:cmLst>',
    "ppt/commentAuthors.xml": f'<p:cmAuthorLst {IN_DECK}><p:cmAuthor id="0" name="Pat" initials="P"/></p:cmAuthorLst>',
    "ppt/presProps.xml": f"<p:presentationPr {IN_DECK}/>",
    "ppt/tags/tag1.xml": f'<p:tagLst {IN_DECK}><p:tag name="N" val="v"/></p:tagLst>',
    "ppt/charts/chart1.xml": '<c:c xmlns:c="urn:c"><c:v>Port</c:v></c:c>',
    "docProps/core.xml": CORE,
    "docProps/app.xml": APP,
}
TEXT: Parts = {
    "mimetype": "application/vnd.oasis.opendocument.text",
    "content.xml": f'<office:document-content {NAMESPACES}><office:automatic-styles><style:style style:name="P1" '
    'style:family="paragraph"/></office:automatic-styles><office:body><office:text><text:tracked-changes>'
    "<text:changed-region><text:deletion><office:change-info><dc:creator>Pat</dc:creator></office:change-info><text:p>"
    'gone</text:p></text:deletion></text:changed-region></text:tracked-changes><text:h text:outline-level="1">Quay'
    '</text:h><text:p text:style-name="P1">The <text:bookmark text:name="b"/>quay <text:a xlink:href="https://a.example"'
    ' office:title="t">link</text:a><text:note text:id="n"><text:note-citation>1</text:note-citation><text:note-body>'
    "<text:p>note</text:p></text:note-body></text:note><office:annotation><dc:creator>Pat</dc:creator><text:p>said"
    '</text:p></office:annotation><text:hidden-text text:string-value="h" text:condition="c"/></text:p><draw:frame '
    'draw:name="f"><draw:text-box><text:p>box</text:p></draw:text-box><svg:title>t</svg:title><svg:desc>d</svg:desc>'
    '</draw:frame><table:table table:name="T"><table:table-row><table:table-cell office:string-value="a"><text:p>a'
    "</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row>"
    "</table:table></office:text></office:body></office:document-content>",
    "styles.xml": f'<office:document-styles {NAMESPACES}><office:master-styles><style:master-page style:name="M">'
    "<style:header><text:p>Port</text:p></style:header></style:master-page></office:master-styles></office:document-styles>",
    "meta.xml": f"<office:document-meta {NAMESPACES}><office:meta><dc:title>t</dc:title><meta:initial-creator>Pat"
    '</meta:initial-creator><meta:generator>g</meta:generator><meta:user-defined meta:name="n">v</meta:user-defined>'
    '<meta:template xlink:href="h" xlink:title="t"/></office:meta></office:document-meta>',
    "settings.xml": f"<office:document-settings {NAMESPACES}><office:settings>s</office:settings></office:document-settings>",
    "META-INF/manifest.xml": '<m:manifest xmlns:m="urn:m"><m:file-entry m:full-path="/" m:media-type="x"/></m:manifest>',
    "manifest.rdf": '<r:RDF xmlns:r="urn:r"><r:Description r:about="x"/></r:RDF>',
}  # fmt: skip
BINARY = {
    "docx": "docProps/thumbnail.jpeg word/media/image1.jpeg word/fonts/font1.odttf word/vbaProject.bin word/odd.xml odd "
    "word/printerSettings/p.bin word/embeddings/a.bin word/activeX/a.bin word/glossary/document.xml word/ink/i.xml "
    "word/afchunk.html customXml/item2.xml docMetadata/LabelInfo.xml word/webextensions/taskpanes.xml [trash]/0000.dat",
    "xlsx": "docProps/thumbnail.jpeg xl/media/image1.jpeg xl/vbaProject.bin xl/odd.bin xl/printerSettings/p.bin "
    "xl/embeddings/a.bin xl/drawings/vmlDrawing1.vml xl/model/item.data xl/persons/person.xml xl/richData/rd.xml",
    "pptx": "docProps/thumbnail.jpeg ppt/media/image1.jpeg ppt/media/a.mp4 ppt/odd.bin ppt/fonts/f.fntdata "
    "ppt/embeddings/a.bin ppt/changesInfos/c.xml ppt/vbaProject.bin",
    "odt": "Thumbnails/thumbnail.png Pictures/a.jpg Configurations2/accelerator/current.xml layout-cache Fonts/f.ttf odd "
    "Basic/Standard/Module1.xml Object1 Versions/v META-INF/documentsignatures.xml",
}
FILES = {"docx": DOCUMENT, "xlsx": WORKBOOK, "pptx": DECK, "odt": TEXT}


def packed(parts: Parts) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def places(kind: str, secret: str) -> Iterator[Place]:
    parts = FILES[kind]
    name = f"a.{kind}"
    yield "", name, packed(parts)
    for part in BINARY[kind].split():
        holds = jpeg(secret) if part.endswith((".jpeg", ".jpg")) else f"<a>{secret}</a>".encode()
        yield f"{kind} part {part}", name, packed({**parts, part: holds})
    whole = packed(parts)
    yield f"{kind} before the archive", name, secret.encode() + whole
    yield f"{kind} after the archive", name, whole + secret.encode()
    yield f"{kind} name of a part", name, packed({**parts, f"{secret}.xml": "<a/>"})
    yield f"{kind} name of a folder", name, packed({**parts, f"{secret}/": ""})
    for which in ("comment of the archive", "comment of an entry", "extra field", "between entries"):
        yield f"{kind} {which}", name, in_archive(parts, which, secret.encode())


def in_archive(parts: Parts, which: str, secret: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, (name, content) in enumerate(parts.items()):
            info = zipfile.ZipInfo(name)
            if number == 1 and which == "comment of an entry":
                info.comment = secret
            if number == 1 and which == "extra field":
                info.extra = b"\xfe\xca" + len(secret).to_bytes(2, "little") + secret
            archive.writestr(info, content)
            if number == 1 and which == "between entries":
                archive.fp.write(secret)  # type: ignore[union-attr]
                archive.start_dir = archive.fp.tell()  # type: ignore[union-attr, attr-defined]
        if which == "comment of the archive":
            archive.comment = secret
    return out.getvalue()


Change = tuple[str, int, str]  # what the place is, the number of the element, and which of its places


def changes(content: str) -> Iterator[Change]:
    """Each attribute, and places in and around each element of another path."""
    met = set()
    for number, element in enumerate(etree.fromstring(content).iter()):
        path = "/".join(etree.QName(e).localname for e in (*reversed([*element.iterancestors()]), element))
        if path in met:
            continue
        met.add(path)
        for key in (*element.attrib, "odd", f"{{{ODD}}}odd"):
            yield f"{path}@{etree.QName(key).localname}", number, key
        for way in ("text", "tail", "element") if number else ("text", "element", "comment", "instruction"):
            yield f"{path} {way}", number, f" {way}"


def changed(content: str, changes: Sequence[Change], secrets: Sequence[str]) -> str:
    root = etree.fromstring(content)
    elements = [*root.iter()]
    for (_, number, key), secret in zip(changes, secrets, strict=True):
        own = elements[number]
        if not key.startswith(" "):
            own.set(key, secret)
        elif key == " text":
            own.text = f"{own.text or ''} {secret}"
        elif key == " tail":
            own.tail = f"{own.tail or ''} {secret}"
        elif key == " element":
            etree.SubElement(own, f"{{{ODD}}}odd").text = secret
        elif key == " comment":
            own.append(etree.Comment(secret))
        else:
            own.append(etree.ProcessingInstruction("odd", secret))
    return etree.tostring(root).decode()


def in_xml(kind: str, secrets: Sequence[str]) -> Iterator[tuple[list[str], str, bytes]]:
    """Files with as many of the secrets, each in a place of its own of one part, and what these places are."""
    parts = FILES[kind]
    for part, content in parts.items():
        if not isinstance(content, str) or not content.startswith("<"):
            continue
        for group in batched(changes(content), len(secrets)):
            made = packed({**parts, part: changed(content, group, secrets[: len(group)])})
            yield [f"{kind} {part} {place}" for place, _, _ in group], f"a.{kind}", made


def batched(items: Iterable[Change], size: int) -> Iterator[list[Change]]:
    left = iter(items)
    while group := list(islice(left, size)):
        yield group
