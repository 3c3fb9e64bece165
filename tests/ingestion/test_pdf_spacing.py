"""Letters that are set apart, printed twice or set downwards are read as the words that people see."""

from pathlib import Path

import pytest
import reportlab
from reportlab.pdfgen.canvas import Canvas

from ingestion.extract.pdf_spacing import STRIP, drop_second_prints
from ingestion.extract.pdf_words import Word
from tests.ingestion.extracted import read, texts
from tests.ingestion.pdfs import HEIGHT, LOREM, assembled, draw, line, prose


@pytest.mark.parametrize("space", [4, 6, 8])
def test_words_that_are_spaced_out_are_words(tmp_path: Path, space: float) -> None:
    def page(canvas: Canvas) -> None:
        text = canvas.beginText(60, HEIGHT - 100)
        text.setFont("Helvetica-Bold", 10)
        text.setCharSpace(space)
        text.textLine("STRICTLY CONFIDENTIAL")
        canvas.drawText(text)
        prose(canvas, 60, 150, 450, LOREM)

    extraction = read(draw(tmp_path / "a.pdf", page))
    assert texts(extraction) == ["STRICTLY CONFIDENTIAL", LOREM.strip()]
    assert [extraction.paragraphs[0].text[box.start : box.end] for box in extraction.paragraphs[0].boxes] == [
        "STRICTLY",
        "CONFIDENTIAL",
    ]


def test_words_that_are_set_letter_by_letter_are_words(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        x = 60.0
        for letter in "Jane earns 98,000":
            line(canvas, x, 100, letter)
            x += canvas.stringWidth(letter, "Helvetica", 10) + 0.4

    assert texts(read(draw(tmp_path / "a.pdf", page))) == ["Jane earns 98,000"]


def test_lines_of_a_form_stay_lines_and_those_of_a_text_are_put_together(tmp_path: Path) -> None:
    form = ["Cashier: Emily Quist", "Register: POS-07 AX", "Sales tax 8.5% $66.23", "Rewards used  -$25.00"]
    text = ["The lighthouse keeper", "writes in the log that", "all is quiet at sea 2"]

    def page(canvas: Canvas) -> None:
        for at, words in enumerate((*form, "", *text)):
            line(canvas, 60, 100 + 12 * at, words)

    assert texts(read(draw(tmp_path / "a.pdf", page))) == ["\n".join(" ".join(f.split()) for f in form), " ".join(text)]


@pytest.mark.parametrize("signs", ["a b c d", "1   2   3   4   5"])
def test_signs_of_their_own_stay_apart(tmp_path: Path, signs: str) -> None:
    def page(canvas: Canvas) -> None:
        for place, sign in enumerate(signs.split()):
            line(canvas, 60 + 40 * place, 100, sign)

    assert texts(read(draw(tmp_path / "a.pdf", page))) == [" ".join(signs.split())]


@pytest.mark.parametrize("offset", [(0.3, 0.0), (0.3, 0.2), (0.0, 0.0)])
def test_a_word_that_is_printed_twice_is_read_once(tmp_path: Path, offset: tuple[float, float]) -> None:
    def page(canvas: Canvas) -> None:
        for times in range(3):
            line(canvas, 60 + times * offset[0], 100 + times * offset[1], "Net pay of the year", 12)
        line(canvas, 60, 140, "Net pay of the year", 12)

    assert texts(read(draw(tmp_path / "a.pdf", page))) == ["Net pay of the year", "Net pay of the year"]


@pytest.mark.parametrize("size", [2.0, 12.0, 90.0])
@pytest.mark.parametrize("base", [STRIP - 0.1, STRIP, 100.0, 40 * STRIP - 0.05])
def test_a_second_print_is_found_wherever_its_line_stands(base: float, size: float) -> None:
    def word(x: float, y: float) -> Word:
        return Word("Net", x, y - size, x + 2 * size, y, y, size, False, False, False)

    offset = 0.1 * size
    first = word(60, base)
    assert drop_second_prints([first, word(60, base + offset), word(60 - offset, base - offset)]) == [first]
    others = [word(60, base + size), word(60 + size, base), word(60, base - 0.2 * size)]
    assert drop_second_prints([first, *others]) == [first, *others]


def test_equal_words_side_by_side_stay(tmp_path: Path) -> None:
    assert texts(read(draw(tmp_path / "a.pdf", lambda canvas: line(canvas, 60, 100, "1 1 had had")))) == ["1 1 had had"]


def test_signs_below_each_other_are_a_word(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        for place, letter in enumerate("SECRET"):
            line(canvas, 40, 100 + 13 * place, letter, 12)
        prose(canvas, 80, 100, 450, LOREM)

    assert sorted(texts(read(draw(tmp_path / "a.pdf", page)))) == ["SECRET", LOREM.strip()]


def japanese(path: Path, columns: list[str]) -> Path:
    """Columns that a font for vertical writing sets from the right of the page to the left."""
    signs = list(dict.fromkeys("".join(columns)))
    names = "".join(f"<{number + 40:04X}> <{ord(sign):04X}>\n" for number, sign in enumerate(signs, start=1))
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{len(signs)} beginbfchar\n{names}endbfchar\n"
        "endcmap end end"
    ).encode()
    shown = [
        f"1 0 0 1 {400 - 20 * place} 700 Tm <{''.join(f'{signs.index(sign) + 41:04X}' for sign in column)}> Tj"
        for place, column in enumerate(columns)
    ]
    font = (Path(reportlab.__file__).parent / "fonts" / "Vera.ttf").read_bytes()  # only its widths matter
    content = f"BT /F1 12 Tf {' '.join(shown)} ET".encode()
    stream = b"<< /Length %d >>\nstream\n%s\nendstream"
    return assembled(
        path,
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R >> >> >>",
            stream % (len(content), content),
            b"<< /Type /Font /Subtype /Type0 /BaseFont /Mincho /Encoding /Identity-V /DescendantFonts [7 0 R]"
            b" /ToUnicode 6 0 R >>",
            stream % (len(cmap), cmap),
            b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Mincho /DW 1000"
            b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
            b" /FontDescriptor << /Type /FontDescriptor /FontName /Mincho /Flags 4 /FontBBox [0 -120 1000 880]"
            b" /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 /FontFile2 8 0 R >> >>",
            stream % (len(font), font),
        ],
    )


@pytest.mark.parametrize("columns", [["機密文書管理", "社員番号一覧"], ["機密文書", "社員番号一覧"]])
def test_japanese_that_is_set_downwards_is_read_from_the_right(tmp_path: Path, columns: list[str]) -> None:
    assert texts(read(japanese(tmp_path / "a.pdf", columns))) == [("" if len(columns[0]) > 4 else "\n").join(columns)]


def test_text_that_runs_upwards_is_read_in_words(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        canvas.rotate(90)
        canvas.setFont("Helvetica", 10)
        x = 300.0
        for letter in "Height 45,00 of pier":
            canvas.drawString(x, -100, letter)
            x += canvas.stringWidth(letter, "Helvetica", 10)

    assert texts(read(draw(tmp_path / "a.pdf", page))) == ["Height 45,00 of pier"]
