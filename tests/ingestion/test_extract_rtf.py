"""Rich Text: what it says, and what of it is recorded because it was not read."""

from contextlib import suppress
from pathlib import Path

import pytest

from ingestion.documents import Extraction
from ingestion.extract import inside
from ingestion.sandbox import Quarantined
from tests.ingestion.extracted import missed, texts

HEAD = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Helvetica;}}{\colortbl;\red0\green0\blue0;}"


def read(tmp_path: Path, body: str, head: str = HEAD, tail: str = "}") -> Extraction:
    path = tmp_path / "upload"
    path.write_bytes((head + body + tail).encode("cp1252"))
    return inside.extract(path, "letter.rtf")


def test_paragraphs_letters_and_tables(tmp_path: Path) -> None:
    body = (
        r"\pard\f0\fs24 Dear Ms Gr\'fcn,\par We agree on 40\~000 \u8364? and \u-10179?\u-8704? no \'93more\'94.\par"
        r"\trowd\cellx1\cellx2 Item\cell Price\cell\row\trowd\cellx1\cellx2 Quay\cell 1,200\cell\row\pard The end.\par"
    )
    extraction = read(tmp_path, body)
    assert extraction.media_type == "application/rtf"
    assert texts(extraction) == [
        "Dear Ms Grün,",
        "We agree on 40 000 € and 😀 no “more”.",
        "| Item | Price |\n| --- | --- |\n| Quay | 1,200 |",
        "The end.",
    ]
    assert [p.kind for p in extraction.paragraphs] == ["text", "text", "table", "text"]
    assert missed(extraction) == set()


def test_links_and_properties_are_text(tmp_path: Path) -> None:
    body = (
        r"{\info{\title Tender}{\author J. Smith}{\creatim\yr2024}}\pard "
        r'See {\field{\*\fldinst{\rtlch HYPERLINK "https://a.example/one"}}{\fldrslt{here}}} and '
        r'{\field{\*\fldinst HYPERLINK "https://a.example/two" \\o "Her file"}{\fldrslt there}}.\par'
        r'{\field{\*\fldinst PAGE}{\fldrslt 7}}{\field{\*\fldinst IF 1 = 1 "a" "Offer 4.2 M"}{\fldrslt a}}'
    ).replace("Tender", "Tender " * 200)
    extraction = read(tmp_path, body)
    text = extraction.text
    assert text.count("Tender") == 200
    remainder = " ".join(extraction.remainder)
    assert all(words in remainder for words in ("Her file", "Offer 4.2 M"))
    assert "PAGE" not in text
    for word in (
        "here",
        "there",
        "https://a.example/one",
        "https://a.example/two",
        "Title: Tender",
        "Author: J. Smith",
    ):
        assert word in text


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (r"{\*\shppict{\pict\pngblip 89504e47}}", "image"),
        (r"{\pict\bin5 ab}cd more}", "image"),
        (r"{\object\objemb{\*\objdata 0105}{\result shown}}", "embedded_object"),
        (r"} and behind the end of it", "trailing_data"),
    ],
)
def test_what_is_not_read_is_recorded(tmp_path: Path, body: str, code: str) -> None:
    extraction = read(tmp_path, rf"\pard The text.\par {body}")
    assert code in {miss for miss, _ in missed(extraction)}
    assert "The text." in extraction.text


@pytest.mark.parametrize(
    "body",
    [
        r"{\header @}",
        r"{\footnote @}",
        r"{\*\annotation @}",
        r"{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt @}}}",
        r"{\*\revtbl{Unknown;}{@;}}",
        r"{\*\docvar{a}{@}}",
        r"{\*\secretpart{\b @}}",
        r"{\xe @}",
    ],
)
def test_what_no_line_shows_is_of_the_remainder(tmp_path: Path, body: str) -> None:
    extraction = read(tmp_path, rf"\pard The text.\par {body.replace('@', 'Jane earns more')}")
    assert any("Jane earns more" in text for text in extraction.remainder)
    assert [p.text for p in extraction.paragraphs] == ["The text."]
    assert missed(extraction) == set()


def test_a_text_that_names_pictures_and_bytes_loses_nothing(tmp_path: Path) -> None:
    picture = r"{\pict{\*\picprop{\sn a}}\pngblip 00}"
    body = rf"\pard Of \\pict and \\bin.\par{picture}\pard Between.\par{picture}\pard Behind.\par"
    assert [one.text for one in read(tmp_path, body).paragraphs] == [r"Of \pict and \bin.", "Between.", "Behind."]


def test_quiet_parts_and_broken_files(tmp_path: Path) -> None:
    quiet = r"{\*\generator Word;}{\stylesheet{\s1 heading 1;}}{\*\rsidtbl\rsid1}{\*\bkmkstart a}\pard Hi.\par"
    assert missed(read(tmp_path, quiet)) == set()
    assert {code for code, _ in missed(read(tmp_path, r"\pard Broken off", tail=""))} == {"damaged"}
    for body in (r"\uc\u8364 x", r"\u99999999 x", "{" * 5_000 + "x"):
        with suppress(Quarantined):
            read(tmp_path, body)
    with pytest.raises(Quarantined) as caught:
        read(tmp_path, "")
    assert caught.value.code == "empty"
