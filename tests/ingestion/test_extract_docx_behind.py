"""What a Word document holds beside its paragraphs: read as text where it can be, named where it cannot."""

import zipfile
from pathlib import Path

import pytest

from ingestion import drift
from ingestion.documents import Extraction
from ingestion.extract.sniff import DOCX
from ingestion.sandbox import Quarantined
from tests.ingestion.packages import IN_WORD, WORDS, codes, exchange, part, read, related, remains, said, word

JANE = "Offer 4.2 M"


def field(instruction: str, shown: str = "") -> str:
    marks = [f'<w:fldChar w:fldCharType="{kind}"/>' for kind in ("begin", "separate", "end")]
    inner = (marks[0], f"<w:instrText>{instruction}</w:instrText>", marks[1], f"<w:t>{shown}</w:t>", marks[2])
    return "".join(f"<w:r>{one}</w:r>" for one in inner)


def raw(tmp_path: Path, body: str, parts: dict[str, str] | None = None, name: str = "a.docx") -> Extraction:
    word(tmp_path / "upload", body, parts)
    return read(tmp_path / "upload", name)


IN_A_BOX = f"<w:txbxContent>{said('In a box')}</w:txbxContent>"
BOX = f"<w:r><w:pict><v:shape><v:textbox>{IN_A_BOX}</v:textbox></v:shape></w:pict></w:r>"
CONTROL = '<w:sdtPr><w:dropDownList><w:listItem w:displayText="{}" w:value="2"/></w:dropDownList></w:sdtPr>'


@pytest.mark.parametrize(
    "xml",
    [
        field('QUOTE "@"'),
        field(' XE "@" '),
        '<w:fldSimple w:instr="INCLUDETEXT &quot;@&quot;"><w:r><w:t>shown</w:t></w:r></w:fldSimple>',
        f"<w:sdt>{CONTROL.format('@')}<w:sdtContent><w:r><w:t>shown</w:t></w:r></w:sdtContent></w:sdt>",
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:helpText w:val="@"/></w:ffData></w:fldChar></w:r>',
        '<w:hyperlink w:anchor="x" w:tooltip="@"><w:r><w:t>shown</w:t></w:r></w:hyperlink>',
        '<w:bookmarkStart w:id="1" w:name="@"/>',
        "<w:r><w:drawing><a:txBody><a:p><a:r><a:t>@</a:t></a:r></a:p></a:txBody></w:drawing></w:r>",
    ],
)
def test_words_that_no_paragraph_shows_are_of_the_remainder(tmp_path: Path, xml: str) -> None:
    extraction = raw(tmp_path, f"{said('Seen.')}<w:p>{xml.replace('@', JANE)}</w:p>{said('After.')}")
    assert remains(extraction, JANE)
    assert {p.text for p in extraction.paragraphs} <= {"Seen.", "After.", "shown"}
    assert codes(extraction) == set()


@pytest.mark.parametrize(
    "xml",
    [
        '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="@"/></wp:inline></w:drawing></w:r>',
        '<w:r><w:pict><v:shape alt="@"/></w:pict></w:r>',
        '<w:r><w:pict><v:shape><v:textpath string="@"/></v:shape></w:pict></w:r>',
    ],
)
def test_descriptions_of_drawings_are_read(tmp_path: Path, xml: str) -> None:
    extraction = raw(tmp_path, f"<w:p>{xml.replace('@', JANE)}</w:p>{said('After.')}")
    assert [p.text for p in extraction.paragraphs] == [f"Descriptions: {JANE}", "After."]


def test_a_description_stands_in_the_block_of_its_drawing(tmp_path: Path) -> None:
    """So that it has the label of that."""
    picture = (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="{JANE}"/></wp:inline></w:drawing></w:r>'
    )
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    rows = f"<w:tr>{cell.format('Quay')}<w:tc><w:p>{picture}</w:p></w:tc></w:tr><w:tr>{cell.format('a') * 2}</w:tr>"
    table = f"<w:tbl>{rows}</w:tbl>"
    extraction = raw(tmp_path, f"<w:p><w:r><w:t>The pay is secret.</w:t></w:r>{picture}</w:p>{table}{said('After.')}")
    paragraph, of_table, after = extraction.paragraphs
    assert (paragraph.text, after.text) == (f"The pay is secret.\nDescriptions: {JANE}", "After.")
    assert of_table.text.splitlines()[-1] == f"| Descriptions: {JANE} |"


def test_what_word_writes_by_itself_is_no_text(tmp_path: Path) -> None:
    fields = (
        " PAGE \\* MERGEFORMAT",
        ' TOC \\o "1-3" \\h \\z \\u ',
        " PAGEREF _Toc12 \\h",
        " REF _Ref7 \\h ",
        "=SUM(ABOVE)",
    )
    formal = "".join(
        field(instruction.replace('"', "&quot;"), "7") for instruction in (*fields, ' DATE \\@ "d MMMM yyyy" ')
    )
    drawn = (
        '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="" title=""/></wp:inline></w:drawing></w:r>'
    )
    mark = '<w:bookmarkStart w:id="0" w:name="_GoBack"/><w:bookmarkStart w:id="1" w:name="the-quay"/>'
    extraction = raw(tmp_path, f"<w:p>{mark}<w:r><w:t>The quay </w:t></w:r>{formal}{drawn}</w:p>")
    assert [p.text for p in extraction.paragraphs] == ["The quay 777777"]
    assert codes(extraction) == set()


def test_links_of_fields_and_addresses_that_nothing_leads_to(tmp_path: Path) -> None:
    link = field(' HYPERLINK "https://a.example/one" \\o "Her file" ', "here")
    rels = related(
        ("s", "hyperlink", "https://a.example/two"), ("t", "attachedTemplate", "file:///c:/falcon.dotm"),
        ("i", "image", "https://a.example/x.png"),
    )  # fmt: skip
    extraction = raw(tmp_path, f"<w:p>{link}<w:r><w:t> now</w:t></w:r></w:p>", {"word/_rels/document.xml.rels": rels})
    assert [p.text for p in extraction.paragraphs] == ["here (https://a.example/one) now"]
    for words in ("Her file", "https://a.example/two", "file:///c:/falcon.dotm", "https://a.example/x.png"):
        assert remains(extraction, words)
    assert [(found.target, found.words) for found in extraction.links] == [("https://a.example/one", "here")]
    assert codes(extraction) == set()


HEADER = f"<w:hdr {IN_WORD}>{{}}</w:hdr>"
WATERMARK = f'<w:p><w:r><w:pict><v:shape><v:textpath string="{JANE}"/></v:shape></w:pict></w:r></w:p>'
VARIABLES = f"<x:settings xmlns:x='{WORDS}'><x:docVars><x:docVar x:val='{JANE}'/></x:docVars></x:settings>"
NUMBERING = f"<w:numbering {IN_WORD}><w:lvl><w:lvlText w:val='{{}}'/></w:lvl></w:numbering>"
MERGE = '<w:mailMerge><w:connectString w:val="Password=x"/></w:mailMerge>'


@pytest.mark.parametrize(
    ("part", "content", "told"),
    [
        ("word/header1.xml", HEADER.format(WATERMARK), False),
        ("word/header1.xml", HEADER.format(said(JANE)), True),
        ("word/settings.xml", f"<w:settings {IN_WORD}>{MERGE}</w:settings>", False),
        ("word/settings.xml", VARIABLES, False),
        ("word/numbering.xml", NUMBERING.format(f"%1. {JANE}"), False),
        ("docProps/app.xml", f"<Properties><Company>{JANE}</Company></Properties>", True),
        ("docProps/core.xml", f"<c><subject>{'x' * 900} {JANE}</subject></c>", True),
    ],
)  # fmt: skip
def test_margins_settings_and_properties(tmp_path: Path, part: str, content: str, told: bool) -> None:
    extraction = raw(tmp_path, said("Seen."), {part: content})
    assert (JANE in extraction.text) == (len(extraction.paragraphs) > 1) == told
    assert told or remains(extraction, JANE) or remains(extraction, "Password=x")
    assert codes(extraction) == set()


def test_two_parts_by_one_name(tmp_path: Path) -> None:
    word(tmp_path / "upload", said("Seen."))
    with zipfile.ZipFile(tmp_path / "upload", "a") as archive:
        archive.writestr("WORD/document.xml", said("Other."))
    with pytest.raises(Quarantined) as caught:
        read(tmp_path / "upload", "a.docx")
    assert caught.value.code == "corrupt"


def test_a_table_in_a_frame_is_told_once(tmp_path: Path) -> None:
    rows = (["Role", "Pay"], ["Clerk", "9"])
    cells = ("".join(f"<w:tc>{said(cell)}</w:tc>" for cell in row) for row in rows)
    inner = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"
    cell = f"<w:tc>{said('Before')}{inner}{said('After')}</w:tc>"
    held = f"<w:tr><w:sdt><w:sdtContent>{cell}</w:sdtContent></w:sdt></w:tr>"
    for row in (f"<w:tr>{cell}</w:tr>", held):
        found = [p.text for p in raw(tmp_path, f"<w:tbl>{row}</w:tbl>").paragraphs]
        assert found == ["Before", "| Role | Pay |\n| --- | --- |\n| Clerk | 9 |", "After"]


STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
OTHERS = {
    "a.docm": "application/vnd.ms-word.document.macroEnabled",
    "a.dotx": DOCX.removesuffix("document") + "template",
    "a.dotm": "application/vnd.ms-word.template.macroEnabledTemplate",
    "strict.docx": DOCX,
}


@pytest.mark.parametrize("name", OTHERS)
def test_templates_macros_and_the_strict_variant(tmp_path: Path, name: str) -> None:
    heading = '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Leave</w:t></w:r></w:p>'
    body = f"{heading}<w:p><w:r><w:t>Seen. </w:t></w:r>{BOX}</w:p>"
    word(tmp_path / "upload", body, {"word/vbaProject.bin": "x"} if name.endswith("m") else None)
    types = part(tmp_path / "upload", "[Content_Types].xml")
    exchange(tmp_path / "upload", {"[Content_Types].xml": types.replace(DOCX, OTHERS[name])})
    if name.startswith("strict"):
        whole = part(tmp_path / "upload", "word/document.xml")
        exchange(tmp_path / "upload", {"word/document.xml": whole.replace(WORDS, STRICT)})
    extraction = read(tmp_path / "upload", name)
    assert [(p.text, p.kind) for p in extraction.paragraphs] == [
        ("Leave", "heading"),
        ("Seen.", "text"),
        ("In a box", "text"),
    ]
    assert codes(extraction) == ({"macros"} if name.endswith("m") else set())
    assert extraction.notes == ()


def test_boxes_are_not_counted_twice_against_a_reader(tmp_path: Path) -> None:
    box = BOX.replace("In a box", " ".join(f"word{n}" for n in range(40)))
    word(tmp_path / "upload", f"<w:p>{box}</w:p>")
    assert drift.check_losses(tmp_path / "upload", read(tmp_path / "upload", "a.docx"))
