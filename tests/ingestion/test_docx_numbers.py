"""Numbers that Word sets before paragraphs by itself are part of what a reader sees, so they are read."""

from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from ingestion import drift
from ingestion.documents import Extraction
from llm.recognisers.marks import find_marks
from tests.ingestion.packages import read

W = nsdecls("w")
CLAUSES = (("decimal", "%1.", ""), ("decimal", "%1.%2", ""), ("lowerLetter", "(%3)", ""), ("upperRoman", "%4", ""))


class Made:
    """A document whose lists are declared by hand."""

    def __init__(self, path: Path, levels: Any = CLAUSES, more: str = "") -> None:
        self.path, self.document = path, docx.Document()
        root = self.document.part.numbering_part.element
        declared = "".join(
            f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>{extra}'
            f'<w:lvlText w:val="{text}"/></w:lvl>'
            for n, (kind, text, extra) in enumerate(levels)
        )
        root.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="90">{declared}{more}</w:abstractNum>'))
        self.use(70)

    def use(self, number: int, override: str = "", declared: int = 90) -> None:
        inner = f'<w:abstractNumId w:val="{declared}"/>{override}'
        self.document.part.numbering_part.element.append(
            parse_xml(f'<w:num {W} w:numId="{number}">{inner}</w:num>')
        )  # fmt: skip

    def add(self, text: str, level: int = 0, number: int = 70, style: str | None = None) -> None:
        element = self.document.add_paragraph(text, style=style)._p
        inner = f'<w:ilvl w:val="{level}"/><w:numId w:val="{number}"/>'
        element.get_or_add_pPr().append(parse_xml(f"<w:numPr {W}>{inner}</w:numPr>"))

    def read(self) -> Extraction:
        self.document.save(str(self.path / "upload"))
        return read(self.path / "upload", "a.docx")

    def texts(self) -> list[str]:
        return [paragraph.text for paragraph in self.read().paragraphs]


def test_clauses_have_the_numbers_that_word_shows(tmp_path: Path) -> None:
    made = Made(tmp_path)
    for text, level in (
        ("Term", 0), ("Rent", 0), ("Base", 1), ("Index", 1), ("of prices", 2), ("of wages", 2), ("IVth", 3),
        ("Deposit", 1), ("at signing", 2), ("", 0), ("Notice", 0), ("Form", 1),
    ):  # fmt: skip
        made.add(text, level)
    assert made.texts() == [
        "1. Term", "2. Rent", "2.1 Base", "2.2 Index", "(a) of prices", "(b) of wages", "I IVth", "2.3 Deposit",
        "(a) at signing", "4. Notice", "4.1 Form",
    ]  # fmt: skip


def test_headings_are_numbered_by_their_styles(tmp_path: Path) -> None:
    first, second = (f'<w:pStyle w:val="Heading{n}"/>' for n in (1, 2))
    made = Made(tmp_path, (("decimal", "Article %1", first), ("decimal", "%1.%2", second)))
    for style in ("Heading 1", "Heading 2"):
        numbering = parse_xml(f'<w:numPr {W}><w:numId w:val="70"/></w:numPr>')
        made.document.styles[style].element.get_or_add_pPr().append(numbering)
    for text, style in (
        ("Rent", "Heading 1"),
        ("Deposit", "Heading 2"),
        ("Three months.", None),
        ("Term", "Heading 1"),
    ):
        made.document.add_paragraph(text, style=style)
    assert [(p.heading_path, p.text) for p in made.read().paragraphs] == [
        ((), "Article 1 Rent"),
        (("Article 1 Rent",), "1.1 Deposit"),
        (("Article 1 Rent", "1.1 Deposit"), "Three months."),
        ((), "Article 2 Term"),
    ]


def test_the_level_of_a_style_is_the_one_that_names_it(tmp_path: Path) -> None:
    """Only the first heading's style names the list; the second one's is based on it, and the third's says a level."""
    names = [f'<w:pStyle w:val="Heading{n}"/>' for n in (1, 2)]
    made = Made(tmp_path, [("decimal", "%1.", names[0]), ("decimal", "%1.%2", names[1]), ("decimal", "%1.%2.%3", "")])
    for style, inner in ((1, '<w:numId w:val="70"/>'), (3, '<w:ilvl w:val="2"/>')):
        numbering = parse_xml(f"<w:numPr {W}>{inner}</w:numPr>")
        made.document.styles[f"Heading {style}"].element.get_or_add_pPr().append(numbering)
    for style in (2, 3):
        based = parse_xml(f'<w:basedOn {W} w:val="Heading1"/>')
        element = made.document.styles[f"Heading {style}"].element
        element.replace(element.find(based.tag), based)
    for text, style in (("Rent", 1), ("Deposit", 2), ("Return", 3), ("Term", 1)):
        made.document.add_paragraph(text, style=f"Heading {style}")
    own = made.document.add_paragraph("Notice", style="Heading 2")._p
    own.get_or_add_pPr().append(parse_xml(f'<w:numPr {W}><w:numId w:val="70"/></w:numPr>'))
    assert made.texts() == ["1. Rent", "1.1 Deposit", "1.1.1 Return", "2. Term", "2.1 Notice"]


@pytest.mark.parametrize("mark", ["del", "moveFrom", "vanish"])
def test_what_was_deleted_or_hidden_is_not_counted(tmp_path: Path, mark: str) -> None:
    made = Made(tmp_path)
    made.add("one")
    made.add("")
    made.document.paragraphs[-1]._p.get_or_add_pPr().append(parse_xml(f"<w:rPr {W}><w:{mark}/></w:rPr>"))
    made.add("two")
    assert made.texts() == ["1. one", "2. two"]


def test_where_a_use_begins_it_begins_every_time(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.use(71, "".join(f'<w:lvlOverride w:ilvl="{n}"><w:startOverride w:val="5"/></w:lvlOverride>' for n in (0, 1)))
    made.add("x")
    for level in (1, 0, 1):
        made.add("x", level, 71)
    assert made.texts() == ["1. x", "5.5 x", "5. x", "5.5 x"]


def test_a_long_heading_with_a_number_is_no_loss(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.add("The tenant pays " + "rent " * 56 + "ok", style="Heading 2")
    made.add("Short", style="Heading 2")
    assert drift.check_losses(tmp_path / "upload", made.read())


def test_a_list_goes_on_where_it_is_used_again_unless_it_says_otherwise(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.use(71)
    made.use(72, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>')
    made.use(73, declared=999)
    for text, number in (("one", 70), ("two", 71), ("five", 72), ("six", 72), ("seven", 70), ("none", 0), ("lost", 73)):
        made.add(text, number=number)
    assert made.texts() == ["1. one", "2. two", "5. five", "6. six", "7. seven", "none", "lost"]


@pytest.mark.parametrize(
    ("kind", "count", "shown"),
    [
        ("lowerLetter", 28, "bb"), ("upperLetter", 3, "C"), ("lowerRoman", 14, "xiv"), ("decimalZero", 7, "07"),
        ("none", 2, ""), ("ordinalText", 3, "3"),
    ],
)  # fmt: skip
def test_ways_of_writing_a_number(tmp_path: Path, kind: str, count: int, shown: str) -> None:
    made = Made(tmp_path, [(kind, "%1", "")])
    for _ in range(count):
        made.add("x")
    assert made.texts()[-1] == f"{shown} x".strip()


def test_levels_that_go_on_and_levels_in_plain_figures(tmp_path: Path) -> None:
    on = ("decimal", "%2)", '<w:lvlRestart w:val="0"/>')
    legal = ("decimal", "%1.%2.%3", "<w:isLgl/>")
    made = Made(tmp_path, [("upperRoman", "%1", ""), on, legal])
    for level in (0, 1, 1, 0, 1, 2):
        made.add("x", level)
    assert made.texts() == ["I x", "1) x", "2) x", "II x", "3) x", "2.3.1 x"]


def test_numbers_in_tables(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.add("Before")
    table = made.document.add_table(2, 2)
    for row in table.rows:
        row.cells[1].text = "crane"
        paragraph = row.cells[0].paragraphs[0]
        paragraph.text = "lift"
        paragraph._p.get_or_add_pPr().append(
            parse_xml(f'<w:numPr {W}><w:ilvl w:val="0"/><w:numId w:val="70"/></w:numPr>')
        )
    assert made.texts()[1] == "| 2. lift | crane |\n| --- | --- |\n| 3. lift | crane |"


JANE = "Severance of Jane Roe"


@pytest.mark.parametrize("text", ["x", ""])
def test_words_around_a_number_stand_where_they_are_shown_and_only_there(tmp_path: Path, text: str) -> None:
    made = Made(tmp_path, [("decimal", f"{JANE} %1:", ""), ("bullet", "Salary of Bo", ""), ("decimal", "Q" * 61, "")])
    made.add(text)
    for level in (1, 2):
        made.add("item", level)
    assert made.texts() == [f"{JANE} 1: {text}".strip(), "item", "item"]
    assert {"Salary of Bo", "Q" * 61} <= {*made.read().remainder}
    hidden = Made(tmp_path, [("decimal", f"{JANE} %1:", "")])
    hidden.document.add_paragraph("item")
    assert hidden.texts() == ["item"]
    assert any(JANE in text for text in hidden.read().remainder)


def test_what_lists_say_and_no_paragraph_shows(tmp_path: Path) -> None:
    levels = [("bullet", "98,000", ""), ("decimal", "S%1e%2v", ""), ("decimal", "(%3)", ""), ("bullet", "o", "")]
    made = Made(tmp_path, levels, '<w:name w:val="Severances"/><w:name w:val="WWNum12"/>')
    made.add("item")
    made.add("", 2)
    assert made.texts() == ["item"]
    assert {"98,000", "S%1e%2v", "Severances"} <= {*made.read().remainder}


def test_a_mark_behind_a_number_is_a_mark(tmp_path: Path) -> None:
    made = Made(tmp_path, [*CLAUSES[:3], ("decimal", "Article %4", "")])
    marked = ("Confidential", "Secret", "Internal", "Confidential: Falcon")
    for level in range(4):
        for text in marked:
            made.add(text, level)
        made.add("The rent is paid monthly.", level)
    for found in made.texts():
        assert bool(find_marks(found)) == (not found.endswith("monthly.")), found


@pytest.mark.parametrize(
    "hostile",
    [
        '<w:lvl w:ilvl="9"/>', '<w:lvl w:ilvl="-1"/>', '<w:lvl w:ilvl="³"/>', "<w:lvl/>", '<w:lvl w:ilvl="0"/>',
        '<w:lvl w:ilvl="0"><w:start w:val="99999999999999"/><w:lvlText w:val="%1%2%9%0%"/></w:lvl>',
        '<w:numStyleLink w:val="Own"/><w:styleLink w:val="Own"/>',
    ],
)  # fmt: skip
def test_whatever_is_declared_the_text_is_read(tmp_path: Path, hostile: str) -> None:
    made = Made(tmp_path, [], hostile)
    made.add("Rent", 0)
    made.add("Base", 8)
    found = made.texts()
    assert found[0].endswith("Rent")
    assert found[1].endswith("Base")
