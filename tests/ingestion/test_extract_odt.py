"""An OpenDocument text gives its text in order, and names what it holds beside it."""

from pathlib import Path

import pytest

from ingestion.documents import Extraction
from ingestion.sandbox import Quarantined
from tests.ingestion.packages import NAMESPACES, codes, odt, remains, shape
from tests.ingestion.packages import read as read_package


def read(tmp_path: Path, body: str, styles: str = "", **parts: str) -> Extraction:
    odt(tmp_path / "upload", body, styles, **parts)
    return read_package(tmp_path / "upload", "a.odt")


BODY = """<text:h text:outline-level="1">Leave</text:h><text:p>Thirty<text:s/>days<text:line-break/>a year, see
<text:a xlink:href="https://example.org/">the <text:span>policy</text:span></text:a>.</text:p>
<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item>
</text:list></text:list-item></text:list><text:h text:outline-level="2">Pay</text:h>
<table:table><table:table-column/><table:table-header-rows><table:table-row><table:table-cell><text:p>Role</text:p>
</table:table-cell><table:table-cell><text:p>Base | pay</text:p></table:table-cell></table:table-row>
</table:table-header-rows>
<table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>Clerk</text:p><text:p>Senior</text:p>
</table:table-cell><table:covered-table-cell/></table:table-row></table:table>
<text:p>Outside<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame></text:p>"""


def test_headings_lists_tables_and_boxes_in_order(tmp_path: Path) -> None:
    meta = f"<office:document-meta {NAMESPACES}><dc:title>Of Jane</dc:title></office:document-meta>"
    extraction = read(tmp_path, BODY, **{"meta.xml": meta})
    assert shape(extraction) == [
        ("heading", (), "Leave"),
        ("text", ("Leave",), "Thirty days\na year, see\nthe policy (https://example.org/)."),
        ("list", ("Leave",), "one"),
        ("list", ("Leave",), "deep"),
        ("heading", ("Leave",), "Pay"),
        ("table", ("Leave", "Pay"), "| Role | Base \\| pay |\n| --- | --- |\n| Clerk Senior | |"),
        ("text", ("Leave", "Pay"), "Outside"),
        ("text", ("Leave", "Pay"), "In a box"),
        ("text", ("Document properties",), "Title: Of Jane"),
    ]
    assert (codes(extraction), extraction.media_type) == (set(), "application/vnd.oasis.opendocument.text")


SHAPE = (
    "<draw:custom-shape><svg:title>Map</svg:title><text:p>Offer: 4.2 M</text:p><draw:enhanced-geometry/>"
    "</draw:custom-shape>"
)


@pytest.mark.parametrize(
    "body",
    [
        f"<text:p>{SHAPE}</text:p>",
        SHAPE,
        f"<text:p><draw:g>{SHAPE}</draw:g></text:p>",
        "<text:p><draw:frame><svg:title>Map</svg:title><draw:text-box><text:p>Offer: 4.2 M</text:p></draw:text-box>"
        "</draw:frame></text:p>",
        f"<table:table><table:table-row><table:table-cell><text:p>{SHAPE}</text:p></table:table-cell></table:table-row>"
        "</table:table>",
    ],
)
def test_what_is_drawn_is_read_once_with_its_description(tmp_path: Path, body: str) -> None:
    extraction = read(tmp_path, f"<text:p>before</text:p>{body}<text:p>after</text:p>")
    found = [p.text for p in extraction.paragraphs]
    assert (found[0], found[1:-1], found[-1]) == ("before", ["Offer: 4.2 M\nMap"], "after"), (
        "with the label of its element"
    )
    assert codes(extraction) == set()


def test_words_that_no_paragraph_shows_are_of_the_remainder(tmp_path: Path) -> None:
    body = (
        '<text:p>seen<text:bookmark text:name="Her place"/>'
        '<text:alphabetical-index-mark text:string-value="Falcon"/><text:drop-down text:name="Who">'
        '<text:label text:value="Jane 98,000"/>Bo</text:drop-down>'
        '<text:a xlink:href="#there" office:title="Her file">here</text:a></text:p>'
    )
    extraction = read(tmp_path, body)
    assert [p.text for p in extraction.paragraphs] == ["seenBohere"]
    assert all(remains(extraction, words) for words in ("Her place", "Falcon", "Jane 98,000", "Her file"))
    assert codes(extraction) == set()
    assert remains(read(tmp_path, "<text:p>seen</text:p><text:novelty>Jane Doe</text:novelty>"), "Jane Doe")


JANE = "<text:p>98,000</text:p>"
HIDDEN = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'


@pytest.mark.parametrize(
    "body",
    [
        "<text:tracked-changes><text:deletion>@</text:deletion></text:tracked-changes>",
        "<text:p>x<text:span text:style-name='H'>98,000</text:span></text:p>",
        "<text:section text:display='none'>@</text:section>",
        "<text:p>x<text:hidden-text text:string-value='98,000'/></text:p>",
        "<table:table><table:table-row table:visibility='filter'><table:table-cell>@</table:table-cell>"
        "</table:table-row></table:table>",
        "<text:user-field-decl office:string-value='Jane 98,000'/>",
    ],
)
def test_what_does_not_show_is_of_the_remainder(tmp_path: Path, body: str) -> None:
    extraction = read(tmp_path, f"<text:p>before</text:p>{body.replace('@', JANE)}<text:p>after</text:p>", HIDDEN)
    assert codes(extraction) == set()
    assert remains(extraction, "98,000")
    assert [p.text for p in extraction.paragraphs if p.text != "x"] == ["before", "after"]


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("<text:p>x<office:annotation>@</office:annotation></text:p>", "Comments"),
        ("<text:p>x<text:note><text:note-body>@</text:note-body></text:note></text:p>", "Notes"),
    ],
)
def test_comments_and_notes_stand_behind_the_text(tmp_path: Path, body: str, title: str) -> None:
    extraction = read(tmp_path, body.replace("@", JANE))
    assert extraction.paragraphs[0].text == "x"
    assert {p.heading_path for p in extraction.paragraphs[1:]} == {(title,)}
    assert "98,000" in extraction.paragraphs[1].text


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ObjectReplacements/Object 1", "image"),
        ("Pictures/a.png", "image"),
        ("Basic/Standard/Module1.bin", "macros"),
        ("somethingNew.bin", "unknown_part"),
        ("Object 1/content.xml", None),
    ],
)
def test_every_other_part_of_the_package_is_named_or_swept(tmp_path: Path, name: str, code: str | None) -> None:
    extraction = read(tmp_path, "<text:p>x</text:p>", **{name: "\0\1\2" if code else "<a>Jane Doe</a>"})
    assert codes(extraction) - {"unknown_part"} == ({code} if code else set()) - {"unknown_part"}
    assert codes(extraction) if code else remains(extraction, "Jane Doe")


def test_margins_remote_pictures_passwords_and_nothing(tmp_path: Path) -> None:
    margin = f"<office:styles {NAMESPACES}><style:header><text:p>Jane</text:p></style:header></office:styles>"
    assert ("text", ("Page margins",), "Jane") in shape(read(tmp_path, "<text:p>x</text:p>", **{"styles.xml": margin}))
    picture = "<text:p>x<draw:frame><draw:image xlink:href='http://127.0.0.1:9/a.png'/></draw:frame></text:p>"
    assert remains(read(tmp_path, picture), "http://127.0.0.1:9/a.png")
    with pytest.raises(Quarantined) as caught:
        read(tmp_path, "<text:p>x</text:p>", **{"META-INF/manifest.xml": "<m><encryption-data/></m>"})
    assert caught.value.code == "encrypted"
    with pytest.raises(Quarantined) as caught:
        read(tmp_path, "<text:p> </text:p>")
    assert caught.value.code == "empty"


def test_lists_in_lists_without_end(tmp_path: Path) -> None:
    deep = "<text:list><text:list-item>" * 110 + "<text:p>deep</text:p>" + "</text:list-item></text:list>" * 110
    assert read(tmp_path, deep).text == "deep"
