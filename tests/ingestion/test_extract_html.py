"""A web page gives the text a browser would show, names what it hides and what it would fetch, and fetches nothing."""

import contextlib
import re
import time
from base64 import b64encode
from pathlib import Path

import pytest

from ingestion.documents import Extraction
from ingestion.extract import extract_file, inside
from ingestion.sandbox import Quarantined
from tests.ingestion.packages import codes, shape


def read(tmp_path: Path, content: str | bytes, name: str = "page.html") -> Extraction:
    path = tmp_path / "upload"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return inside.extract(path, name)


PAGE = """<!DOCTYPE html><html><head><title>Berth plan</title><meta name=author content="J. Doe"></head><body>
<h1>Berths</h1><p>Quay <b>seven</b>
is <a href="notes.md">closed</a>.<br>Line two &amp; more
<ul><li>one<li>two<ol start=3><li>deep</ol></ul>
<h2>Depths</h2>
<table><caption>In metres</caption><tr><th>Place<th>m<th>k
<tr><td rowspan=2>Q7 | east<td>12<td>1<tr><td>13<td>2
<tr><td colspan=2>both<td>3</table>
<table><tr><td><h3>Layout</h3>text in layout<td>right column</table>
<pre>code
  kept</pre>
<img src="data:image/png;base64,AAAA" width=1 height=1><button title="Sends it">Go</button>
</body></html>"""


def test_structure_without_marks(tmp_path: Path) -> None:
    extraction = read(tmp_path, PAGE)
    assert shape(extraction) == [
        ("heading", (), "Berths"),
        ("text", ("Berths",), "Quay seven is closed (notes.md).\nLine two & more"),
        ("list", ("Berths",), "- one"),
        ("list", ("Berths",), "- two"),
        ("list", ("Berths",), "3. deep"),
        ("heading", ("Berths",), "Depths"),
        ("heading", ("Berths", "Depths"), "In metres"),
        (
            "table",
            ("Berths", "Depths", "In metres"),
            "| Place | m | k |\n| --- | --- | --- |\n| Q7 \\| east | 12 | 1 |\n| | 13 | 2 |\n| both | | 3 |",
        ),
        ("heading", ("Berths", "Depths"), "Layout"),
        ("text", ("Berths", "Depths", "Layout"), "text in layout"),
        ("text", ("Berths", "Depths", "Layout"), "right column"),
        ("code", ("Berths", "Depths", "Layout"), "code\n  kept"),
        ("text", ("Berths", "Depths", "Layout"), "Go"),
        ("text", ("Document properties",), "Title: Berth plan; Author: J. Doe"),
    ]
    assert (codes(extraction), extraction.media_type) == (set(), "text/html")


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- Jane: 98,000 -->",
        "<p style='color:red; DISPLAY : none'>Jane: 98,000</p>",
        "<div hidden><p>Jane: 98,000</div>",
        "<input type=hidden value='Jane: 98,000'>",
        "<template><p>Jane: 98,000</template>",
        "<style>p:after { content: 'Jane: 98,000' }</style>",
        "<script>var pay = 'Jane: 98,000'</script>",
        "<table><tr><td>a<td>b<tr style='visibility:hidden'><td>Jane: 98,000<td>c</table>",
        "<table><tr><td>a<td>b<tr><td hidden>Jane: 98,000<td>c</table>",
        "<table><tr><td>a<td>b<!-- Jane: 98,000 --><tr><td>c<td>d</table>",
        "<iframe srcdoc='Jane: 98,000'></iframe>",
        "<p onclick=\"alert('Jane: 98,000')\">x</p>",
        "<a href=\"javascript:alert('Jane: 98,000')\">x</a>",
        "<p>a<?php $pay = 'Jane: 98,000' ?>b",
        "<div hidden><!-- Jane: 98,000 --></div>",
        "<div hidden><b title='Jane: 98,000'></b></div>",
        "<div hidden><a href='data:text/csv,Jane;98,000'></a></div>",
        "<div hidden><script>var pay = 'Jane: 98,000'</script></div>",
        "<a href='data:application/pdf;base64,SmFuZTogOTgsMDAw'>save</a>",
        "<td background='data:image/png;base64,SmFuZTogOTgsMDAw'>x</td>",
    ],
)
def test_what_does_not_show_is_of_the_remainder(tmp_path: Path, hidden: str) -> None:
    extraction = read(tmp_path, f"<html><p>before</p>{hidden}<p>after</p>")
    assert "98,000" not in extraction.text
    assert any("98,000" in text for text in extraction.remainder) or codes(extraction)
    assert "before" in extraction.text
    assert "after" in extraction.text


CSV = b64encode("Name,Löhne\nJane Doe,98\n".encode()).decode()
INNER = b64encode(f"<h1>Pay</h1><a href='data:text/csv;base64,{CSV}'>all</a>".encode()).decode()


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (f"<a download href='data:text/csv;charset=utf-8;base64,{CSV}'>x</a>", {"Name,Löhne Jane Doe,98"}),
        ("<a href='data:,Jane%20Doe%3A%2098'>x</a>", {"Jane Doe: 98"}),
        ("<button data-file='data:application/json,{&quot;Jane&quot;:98}'>x</button>", {'{"Jane":98}'}),
        (f"<iframe src='data:text/html;base64,{INNER}'></iframe>", {"Pay", "Name,Löhne Jane Doe,98"}),
        ("<table><tr data-file='data:,Jane: 98'><td>a<td>b<tr><td>c<td>d</table>", {"Jane: 98"}),
        ("<datalist><option value='Jane Doe'></datalist>", {"Jane Doe"}),
        ("<p data-name='Jane Doe' data-id='98' data-kind='person'>x</p>", {"Jane Doe"}),
        ("<table><tr title='Jane Doe'><td>a<td>b<tr><td>c<td>d</table>", {"Jane Doe"}),
        ("<select><option value='Jane Doe'>Jane</select>", {"Jane Doe"}),
        ("<meta name=editor content='Jane Doe'>", {"Jane Doe"}),
        (f"<meta name=description content='{'a ' * 300}98'>", {f"Description: {'a ' * 300}98"}),
    ],
)
def test_what_a_page_holds_beside_its_text_is_read_or_of_the_remainder(
    tmp_path: Path, held: str, said: set[str]
) -> None:
    extraction = read(tmp_path, f"<html><p>before</p>{held}<p>after</p>")
    assert said <= {*(paragraph.text for paragraph in extraction.paragraphs), *extraction.remainder}
    assert codes(extraction) == set()


@pytest.mark.parametrize("content", ["AAAA", "SmFuZTogOTgsMDAw"])
@pytest.mark.parametrize("kind", ["audio/mpeg", "video/mp4"])
def test_sound_and_film_are_on_record_also_where_their_bytes_are_text(tmp_path: Path, kind: str, content: str) -> None:
    extraction = read(tmp_path, f"<html><p>before</p><video src='data:{kind};base64,{content}'></video>")
    assert codes(extraction) == {"media"}
    assert ("Jane: 98,000" in extraction.remainder) == (content != "AAAA")


def test_what_programs_write_for_programs_is_silent(tmp_path: Path) -> None:
    head = """<title>A page</title><meta charset=utf-8>
    <meta name=viewport content="width=device-width, initial-scale=1">
    <meta name=Generator content="Microsoft Word 15"><meta name=ProgId content=Word.Document>
    <meta http-equiv=X-UA-Compatible content="IE=edge, chrome=1"><meta property=og:type content="an article">
    <meta name=twitter:card content=summary_large_image><meta name=format-detection content="telephone=no, date=no">
    <link rel="shortcut icon" href="data:image/x-icon;base64,AAAB">"""
    body = "<p data-toggle=tooltip data-id=12>A page</p><a href='javascript:void(0)'>x</a>"
    body += "<select><option value=3>x</select>"
    extraction = read(tmp_path, f"<html><head>{head}</head><body>{body}</body></html>")
    assert ([p.text for p in extraction.paragraphs], codes(extraction)) == (["A page", "x", "x"], set())


@pytest.mark.parametrize(
    "fetching",
    [
        "<img src='http://127.0.0.1:9/a.png'>",
        "<img src='//cdn.example/a.png' width=1 height=1>",
        "<style>@import 'http://127.0.0.1:9/a.css';</style>",
        "<p style='background:url(//evil.example/a)'>x</p>",
        "<object data='file:///etc/passwd'></object>",
        "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    ],
)
def test_of_what_a_browser_would_fetch_the_address_is_of_the_remainder(tmp_path: Path, fetching: str) -> None:
    """Nothing else of it is in the file."""
    extraction = read(tmp_path, f"<html><body><p>text</p>{fetching}")
    assert codes(extraction) == set()
    assert re.search(r"//\S+?(?=['\")])", fetching)[0] in " ".join(extraction.remainder)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<meta charset=iso-8859-2><p>źródło łódź".encode("iso-8859-2"), "źródło łódź"),
        ("<meta content='text/html; charset=shift_jis'><p>契約書の内容".encode("shift_jis"), "契約書の内容"),
        ("<meta charset=latin-1><p>“quoted” – naïve".encode("cp1252"), "“quoted” – naïve"),
        ("<meta charset=utf-16><p>naïve".encode(), "naïve"),
        ("<meta charset=no-such-thing><p>naïve".encode(), "naïve"),
        (b"<meta charset=rot13><p>naive", "naive"),
        ("<html><p>naïve".encode("utf-16"), "naïve"),
        (b"<?xml version='1.0' encoding='iso-8859-1'?><html><p>naive</p></html>", "naive"),
    ],
)  # fmt: skip
def test_every_encoding(tmp_path: Path, content: bytes, text: str) -> None:
    assert read(tmp_path, content).text == text


def test_entities_are_not_defined_by_a_page(tmp_path: Path) -> None:
    page = "<!DOCTYPE html [<!ENTITY a SYSTEM 'file:///etc/passwd'><!ENTITY b 'bbb'>]><html><p>x &a; &b; &copy; y"
    text = read(tmp_path, page).text
    assert "root:" not in text
    assert "bbb" not in text
    assert "x &a; &b; © y" in text


def test_a_page_without_text_and_one_too_deep(tmp_path: Path) -> None:
    with pytest.raises(Quarantined) as caught:
        read(tmp_path, "<html><body><div> </div></body></html>")
    assert caught.value.code == "empty"
    with pytest.raises(Quarantined) as caught:
        read(tmp_path, "<html>" + "<div>" * 5000 + "the deepest text")
    assert caught.value.code == "corrupt"


@pytest.mark.parametrize(
    "evil",
    [
        "<table>" * 300 + "<tr><td>x" * 300,
        "<table>" + "<tr><td colspan=9999 rowspan=9999>x" * 20_000,
        "<p>" + "<a href=x>" * 100_000 + "x",
        "<ol start=99999999999999999999><li>x</ol>" * 20_000,
        "<p>" + "<" * 200_000,
        "&" * 200_000,
    ],
)
def test_hostile_pages_end_soon(tmp_path: Path, evil: str) -> None:
    path = tmp_path / "upload"
    path.write_text(f"<html><p>text {evil}")
    begun = time.monotonic()
    with contextlib.suppress(Quarantined):
        assert extract_file(path, "a.html").text
    assert time.monotonic() - begun < 40


def test_a_page_by_another_name(tmp_path: Path) -> None:
    for name in ("a.pdf", "a.txt", "a.md", "a.xlsx"):
        extraction = read(tmp_path, PAGE, name)
        (note,) = extraction.notes
        assert (extraction.media_type, note.code, "a web page" in note.detail) == ("text/html", "mislabelled", True)
    assert read(tmp_path, "no marks at all", "a.htm").text == "no marks at all"
    assert read(tmp_path, PAGE, "page").media_type == "text/html"
