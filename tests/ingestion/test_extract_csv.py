"""CSV is one table of text, however it is delimited, quoted and encoded, and nothing in it is ever calculated."""

from pathlib import Path

import pytest

from ingestion.documents import Extraction
from ingestion.extract import extract_file, inside
from ingestion.sandbox import Quarantined
from tests.ingestion.packages import codes, shape


def read(tmp_path: Path, content: str | bytes, name: str = "a.csv") -> Extraction:
    path = tmp_path / "upload"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return inside.extract(path, name)


TABLE = "| Name | Base |\n| --- | --- |\n| Doe, Jane | 98,000 |\n| Bo | 1 |"


@pytest.mark.parametrize(
    "content",
    [
        'Name,Base\n"Doe, Jane","98,000"\nBo,1\n',
        "Name;Base\r\nDoe, Jane;98,000\r\n\r\nBo;1",
        "Name\tBase\nDoe, Jane\t98,000\nBo\t1\n",
        "Name|Base\nDoe, Jane|98,000\nBo|1\n",
        "sep=;\nName;Base\nDoe, Jane;98,000\nBo;1\n",
        'Name;Base\n"Doe, Jane";"98,000"\nBo;1\n'.encode("utf-16"),
        b"\xef\xbb\xbfName;Base\nDoe, Jane;98,000\nBo;1\n",
    ],
)
def test_every_delimiter_and_encoding(tmp_path: Path, content: str | bytes) -> None:
    assert shape(read(tmp_path, content)) == [("table", (), TABLE)]


def test_old_encodings(tmp_path: Path) -> None:
    text = "Straße;Höhe\n" + "Größe über Fußgängerübergängen;schön\n" * 5
    assert "Größe über Fußgängerübergängen" in read(tmp_path, text.encode("cp1252")).text


def test_formulas_are_text(tmp_path: Path) -> None:
    extraction = read(tmp_path, 'Name,Base\n=cmd|\'/c calc\'!A0,+1\n@SUM(A1),"=HYPERLINK(""http://x"")"\n')
    assert extraction.paragraphs[0].text.endswith(
        "| =cmd\\|'/c calc'!A0 | +1 |\n| @SUM(A1) | =HYPERLINK(\"http://x\") |"
    )
    assert codes(extraction) == set()


def test_a_caption_line_breaks_and_rows_of_any_length(tmp_path: Path) -> None:
    extraction = read(tmp_path, 'Pay in 2026\nName,Base\n"Jane\nDoe",1,extra\nBo\n')
    assert shape(extraction) == [
        ("heading", (), "Pay in 2026"),
        ("table", ("Pay in 2026",), "| Name | Base | |\n| --- | --- | --- |\n| Jane Doe | 1 | extra |\n| Bo | | |"),
    ]


def test_a_long_one_repeats_its_header(tmp_path: Path) -> None:
    rows = "".join(f"{number},value {number}\n" for number in range(3000))
    tables = [p.text for p in read(tmp_path, "Number,Text\n" + rows).paragraphs]
    assert all(text.startswith("| Number | Text |\n| --- | --- |\n") and len(text) < 4_100 for text in tables)
    assert sum(text.count("\n") - 1 for text in tables) == 3000


@pytest.mark.parametrize(
    "evil",
    [
        '"' + "x" * (5 << 20),
        "," * (1 << 20) + "\nx",
        "a,b\n" + "\n".join("," * n + "x" for n in range(2000)),
        '"a"b"c",' * 50_000,
    ],
)
def test_hostile_ones_end_with_text_or_a_reason(tmp_path: Path, evil: str) -> None:
    path = tmp_path / "upload"
    path.write_text(evil)
    try:
        extraction = extract_file(path, "a.csv")
    except Quarantined as refusal:
        reason = refusal.code
    else:
        reason = "read" if len(extraction.text) < 5 * len(evil) + 1000 else "blown up"
    assert reason in ("read", "corrupt", "memory")


def test_other_content_under_its_name(tmp_path: Path) -> None:
    with pytest.raises(Quarantined) as caught:
        read(tmp_path, b"%PDF-1.7")
    assert caught.value.code == "corrupt", "it is read as the PDF that it claims to be"
    with pytest.raises(Quarantined) as caught:
        read(tmp_path, ";;\n;;\n")
    assert caught.value.code == "empty"
