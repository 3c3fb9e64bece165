"""A workbook gives its sheets as headings and its blocks as tables, and names what it hides."""

import datetime as dt
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment

from ingestion.extract.xlsx_cells import Formats, read_format_codes
from ingestion.sandbox import Quarantined
from tests.ingestion.packages import codes, exchange, part, read, remains, shape

SHEET = "xl/worksheets/sheet1.xml"
DRAWING = "xl/drawings/drawing1.xml"


@pytest.fixture
def book():
    book = openpyxl.Workbook()
    book.properties.creator = ""
    book.active.title = "Pay 2026"
    return book


def saved(book, tmp_path: Path) -> Path:
    book.save(tmp_path / "upload")
    return tmp_path / "upload"


def test_sheets_captions_tables_and_kinds_of_cells(book, tmp_path: Path) -> None:
    sheet = book.active
    sheet.append(["Salaries"])
    sheet.append(["Name", "Base", "Start", "Share", "Left"])
    sheet.append(["Jane | Doe", 98000.5, dt.date(2026, 3, 1), 0.125, True])
    sheet.append(["Bo", 0.1, dt.datetime(2026, 3, 1, 14, 30), 0.5, False])
    sheet["B3"].number_format = '#,##0.00 "EUR"'
    sheet["B4"].number_format = "[$€-407]#,##0"
    sheet["D3"].number_format = "0.0%"
    sheet["A6"], sheet["A7"] = "A remark.", "Another."
    other = book.create_sheet("Notes")
    other["C9"], other["D9"] = "far", "out"
    extraction = read(saved(book, tmp_path), "pay.xlsx")
    assert shape(extraction) == [
        ("heading", (), "Pay 2026"),
        ("heading", ("Pay 2026",), "Salaries"),
        (
            "table",
            ("Pay 2026", "Salaries"),
            "| Name | Base | Start | Share | Left |\n| --- | --- | --- | --- | --- |\n"
            "| Jane \\| Doe | 98000.5 EUR | 2026-03-01 | 12.5% | TRUE |\n"
            "| Bo | €0.1 | 2026-03-01 14:30:00 | 0.5 | FALSE |",
        ),
        ("text", ("Pay 2026", "Salaries"), "A remark."),
        ("text", ("Pay 2026", "Salaries"), "Another."),
        ("heading", (), "Notes"),
        ("text", ("Notes",), "far | out"),
    ]
    assert (codes(extraction), extraction.pages) == (set(), None)


def test_a_long_table_is_cut_between_rows_with_its_header_on_every_part(book, tmp_path: Path) -> None:
    book.active.append(["Number", "Text"])
    for number in range(1200):
        book.active.append([number, f"row {number}"])
    tables = [text for kind, _, text in shape(read(saved(book, tmp_path), "a.xlsx")) if kind == "table"]
    assert len(tables) > 3
    assert all(text.startswith("| Number | Text |\n| --- | --- |\n| ") and len(text) < 4_100 for text in tables)
    rows = [line for text in tables for line in text.split("\n")[2:]]
    assert rows == [f"| {number} | row {number} |" for number in range(1200)]


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_is_read_and_says_so(book, tmp_path: Path, state: str) -> None:
    book.active["A1"] = "seen"
    hidden = book.create_sheet("Severance")
    hidden["A1"] = "Jane: 98,000"
    hidden.sheet_state = state
    extraction = read(saved(book, tmp_path), "a.xlsx")
    assert codes(extraction) == set()
    assert shape(extraction)[-1] == ("text", ("Severance (hidden sheet)",), "Jane: 98,000")


@pytest.mark.parametrize(("hide", "left"), [("row", "B1"), ("column", "A2"), ("none", None)])
def test_hidden_rows_and_columns_are_of_the_remainder(book, tmp_path: Path, hide: str, left: str | None) -> None:
    sheet = book.active
    for cell in ("A1", "A2", "B1", "B2"):
        sheet[cell] = f"in {cell}"
    if hide == "row":
        sheet.row_dimensions[2].hidden = True
    if hide == "column":
        sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[9].hidden = True  # an empty one hides nothing
    extraction = read(saved(book, tmp_path), "a.xlsx")
    assert codes(extraction) == set()
    assert ("in B2" in extraction.text) == (left is None)
    assert left is None or remains(extraction, "in B2")
    assert left is None or f"in {left}" in extraction.text


def test_a_formula_counts_as_its_value_and_without_one_it_is_named(book, tmp_path: Path) -> None:
    sheet = book.active
    sheet["A1"], sheet["A2"] = '=IF(B1>1,"High earner","Low")', "=cmd|'/c calc'!A0"
    path = saved(book, tmp_path)
    extraction = read(path, "a.xlsx")
    assert codes(extraction) == {"formula"}
    assert [p.text for p in extraction.paragraphs[1:]] == ['=IF(B1>1,"High earner","Low")', "=cmd|'/c calc'!A0"]

    kept = (
        part(path, SHEET).replace("<v/>", "<v>Low</v>").replace("<v></v>", "<v>Low</v>").replace("<v />", "<v>Low</v>")
    )
    kept = kept.replace('<c r="A1">', '<c r="A1" t="str">').replace('<c r="A2">', '<c r="A2" t="str">')
    extraction = read(exchange(path, {SHEET: kept}), "a.xlsx")
    assert codes(extraction) == set()
    assert [p.text for p in extraction.paragraphs[1:]] == ["Low", "Low"]
    assert remains(extraction, "High earner")


def test_words_that_no_cell_shows_are_of_the_remainder(book, tmp_path: Path) -> None:
    sheet = book.active
    sheet["A1"] = "seen"
    sheet["A1"].hyperlink = "https://example.org/jane"
    sheet.oddHeader.center.text = "Strictly for the board &P"
    rule = openpyxl.worksheet.datavalidation.DataValidation(type="list", formula1='"Dismissed,Promoted"', prompt="Why?")
    rule.add("B2")
    sheet.add_data_validation(rule)
    book.defined_names["bonus"] = openpyxl.workbook.defined_name.DefinedName("bonus", attr_text='"Jane 9,000"')
    extraction = read(saved(book, tmp_path), "a.xlsx")
    for words in ("https://example.org/jane", "Strictly for the board", "Dismissed,Promoted", "Why?", "Jane 9,000"):
        assert remains(extraction, words)
    assert codes(extraction) == set()


def test_descriptions_are_read_and_names_of_the_remainder(book, tmp_path: Path) -> None:
    from PIL import Image

    sheet = book.active
    sheet.append(["Role", "Base"])
    sheet.append(["Clerk", 30_000])
    names = {"Salary_JaneDoe": "185000", "Base": "'Pay 2026'!$B$2", "Rest": "Sheet1!$A:$B,Sheet1!$1:$2"}
    for name, stands_for in names.items():
        book.defined_names[name] = openpyxl.workbook.defined_name.DefinedName(name, attr_text=stands_for)
    sheet.print_area = "A1:B2"
    table = openpyxl.worksheet.table.Table(displayName="Severances", ref="A1:B2", comment="For the board")
    sheet.add_table(table)
    inputs = [openpyxl.worksheet.scenario.InputCells("B2", val="98000")]
    scenario = openpyxl.worksheet.scenario.Scenario(name="If she leaves", inputCells=inputs)
    sheet.scenarios = openpyxl.worksheet.scenario.ScenarioList([scenario])
    Image.new("RGB", (50, 50)).save(tmp_path / "a.png")
    sheet.add_image(openpyxl.drawing.image.Image(str(tmp_path / "a.png")), "C3")
    path = saved(book, tmp_path)
    undescribed = 'descr="Picture"'  # by the program that wrote it
    assert undescribed in part(path, DRAWING)
    assert "Picture" not in read(path, "a.xlsx").text
    drawn = part(path, DRAWING).replace(undescribed, 'descr="The crane at noon"')
    extraction = read(exchange(path, {DRAWING: drawn}), "a.xlsx")
    assert extraction.paragraphs[-1].text == "The crane at noon", "it lies on no row that has cells"
    for words in ("If she leaves", "Severances", "For the board", "Salary_JaneDoe"):
        assert remains(extraction, words)
    assert codes(extraction) == {"image"}


def test_a_sheet_that_only_the_relations_name_and_the_margin_of_a_chart(book, tmp_path: Path) -> None:
    book.active["A1"] = "seen"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    path = saved(book, tmp_path)
    rels = part(path, "xl/_rels/workbook.xml.rels")
    related = (
        f'<Relationship Id="x9" Type="{kind}/chartsheet" Target="chartsheets/sheet1.xml"/>'
        f'<Relationship Id="x8" Type="{kind}/worksheet" Target="worksheets/sheet8.xml"/></Relationships>'
    )
    chart = f'<sheet xmlns:r="{kind}" name="Chart" sheetId="9" r:id="x9"/></sheets>'
    margin = "<chartsheet><headerFooter><oddHeader>&amp;CFor the board</oddHeader></headerFooter></chartsheet>"
    changes = {
        "xl/_rels/workbook.xml.rels": rels.replace("</Relationships>", related),
        "xl/workbook.xml": part(path, "xl/workbook.xml").replace("</sheets>", chart),
        "xl/chartsheets/sheet1.xml": margin,
    }
    extraction = read(exchange(path, changes), "a.xlsx")
    assert remains(extraction, "For the board")
    assert codes(extraction) == set()
    changes["xl/worksheets/sheet8.xml"] = part(path, SHEET).replace("seen", "Jane: 98,000")
    extraction = read(exchange(path, changes), "a.xlsx")
    assert remains(extraction, "98,000")


def test_comments_are_read_and_pictures_named(book, tmp_path: Path) -> None:
    from PIL import Image

    book.active["A1"] = "seen"
    book.active["A1"].comment = Comment("Jane earns 98,000", "hr")
    Image.new("RGB", (50, 50)).save(tmp_path / "a.png")
    book.active.add_image(openpyxl.drawing.image.Image(str(tmp_path / "a.png")), "C3")
    extraction = read(saved(book, tmp_path), "a.xlsx")
    assert codes(extraction) == {"image"}
    assert ("text", ("Comments",), "Jane earns 98,000") in shape(extraction)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("xl/embeddings/letter.docx", "embedded_object"),
        ("xl/vbaProject.bin", "macros"),
        ("xl/somethingNew.bin", "unknown_part"),
        ("xl/charts/chart1.xml", None),
        ("xl/connections.xml", None),
    ],
)
def test_every_other_part_of_the_package_is_named_or_swept(book, tmp_path: Path, name: str, code: str | None) -> None:
    book.active["A1"] = "seen"
    content = "\0\1\2" if code else "<c><text>Jane Doe</text></c>"
    extraction = read(exchange(saved(book, tmp_path), {name: content}), "a.xlsx")
    assert codes(extraction) == ({code} if code else set())
    assert code or remains(extraction, "Jane Doe")


def test_cells_far_apart_cost_no_more_than_themselves(book, tmp_path: Path) -> None:
    """A diagonal of three thousand cells would be nine million cells as a table."""
    for number in range(1, 3001):
        book.active.cell(number, number, f"cell {number}")
    extraction = read(saved(book, tmp_path), "a.xlsx")
    assert len(extraction.text) < 200_000
    assert all(f"cell {number}" in extraction.text for number in (1, 2, 1500, 3000))


def test_a_header_as_long_as_a_book_is_not_repeated(book, tmp_path: Path) -> None:
    book.active.append(["x" * 30_000, "b"])
    for number in range(600):
        book.active.append([f"value {number} " * 5, "b"])
    assert len(read(saved(book, tmp_path), "a.xlsx").text) < 200_000


def test_an_empty_workbook_and_one_whose_sheet_is_there_twice(book, tmp_path: Path) -> None:
    path = saved(book, tmp_path)
    with pytest.raises(Quarantined) as caught:
        read(path, "a.xlsx")
    assert caught.value.code == "empty"
    book.active["A1"] = "seen"
    path = saved(book, tmp_path)
    listed = part(path, "xl/workbook.xml")
    sheet = listed[listed.index("<sheet ") : listed.index("</sheets>")]
    twice = listed.replace(sheet, sheet + sheet.replace("Pay 2026", "Again").replace('sheetId="1"', 'sheetId="2"'))
    with pytest.raises(Quarantined) as caught:
        read(exchange(path, {"xl/workbook.xml": twice}), "a.xlsx")
    assert caught.value.code == "corrupt"


@pytest.mark.parametrize(
    ("code", "raw", "text"),
    [
        ("General", "0.10000000000000001", "0.1"),
        ("General", "98000", "98000"),
        ("General", "1E+20", "1e+20"),
        ('"Jane earns "0', "98000", "Jane earns 98000"),
        (";;;", "98000", "98000"),
        ('0;"minus "0', "-5", "minus -5"),
        ("0%", "0.07", "7%"),
        ("yyyy-mm-dd", "60", "1900-02-28"),
        ("yyyy-mm-dd", "59", "1900-02-28"),
        ("yyyy-mm-dd", "61", "1900-03-01"),
        ("yyyy-mm-dd", "99999999", "99999999"),
        ("h:mm", "0.5", "12:00:00"),
        ('"days of rest" 0', "3", "days of rest 3"),
        ("[Red]0.00", "3", "3"),
        ("0", "no number", "no number"),
    ],
)
def test_numbers_say_what_their_format_says_and_lose_no_digit(code: str, raw: str, text: str) -> None:
    from lxml import etree

    styles = etree.Element("styleSheet")
    etree.SubElement(etree.SubElement(styles, "numFmts"), "numFmt", numFmtId="170", formatCode=code)
    etree.SubElement(etree.SubElement(styles, "cellXfs"), "xf", numFmtId="170")
    assert Formats(read_format_codes(styles), since_1904=False).number(raw, 0) == text


def test_strings_that_cells_share(book, tmp_path: Path) -> None:
    """As Excel itself writes them: rich text in runs, and the reading of East Asian words beside them."""
    book.active["A1"] = "inline"
    path = saved(book, tmp_path)
    rich = "<si><r><t>Jane </t></r><r><t>Doe</t></r><rPh><t>ジェーン</t></rPh></si>"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    rels = part(path, "xl/_rels/workbook.xml.rels")
    changes = {
        "xl/sharedStrings.xml": f"<sst><si><t>plain</t></si>{rich}</sst>",
        "xl/_rels/workbook.xml.rels": rels.replace(
            "</Relationships>", f'<Relationship Id="s" Type="{kind}" Target="sharedStrings.xml"/></Relationships>'
        ),
        SHEET: "<worksheet><sheetData><row><c t='s'><v>1</v></c><c t='s'><v>0</v></c></row></sheetData></worksheet>",
    }
    extraction = read(exchange(path, changes), "a.xlsx")
    assert extraction.paragraphs[-1].text == "Jane Doe | plain"
    changes[SHEET] = changes[SHEET].replace("<v>1", "<v>7")
    with pytest.raises(Quarantined):
        read(exchange(path, changes), "a.xlsx")
