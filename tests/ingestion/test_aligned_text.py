"""Columns of plain text that blanks or tabs keep apart become tables; other text with blanks is read as before."""

import pytest

from ingestion.extract import plain
from ingestion.extract.aligned_text import MAX_LINES

STATEMENT = """
Date    Details                  Paid out    Balance
----------------------------------------------------
01 Nov  Card takings                       70,124.10
06 Nov  Beer duty October       58,640.00  24,669.10
28 Nov  Wages                   52,418.60  14,968.30
"""
STATEMENT_ROWS = """| Date | Details | Paid out | Balance |
| --- | --- | --- | --- |
| 01 Nov | Card takings | | 70,124.10 |
| 06 Nov | Beer duty October | 58,640.00 | 24,669.10 |
| 28 Nov | Wages | 52,418.60 | 14,968.30 |"""
FARES = """
FARES FROM MAY
Ticket            Gullane  Marrick
Adult single         8.40    12.60
Child single         4.20     6.30
Bicycle              free     free
Dog                  2.00     2.00
Vehicles check in early.
"""


def read_text(text: str) -> list[tuple[str, str]]:
    return [(paragraph.kind, paragraph.text) for paragraph in plain.extract(text).paragraphs]


def test_rows_under_a_head_with_a_line_are_a_table() -> None:
    assert read_text(f"Opening balance: 63,905.70\n{STATEMENT}\nClosing balance: 14,968.30\n") == [
        ("text", "Opening balance: 63,905.70"),
        ("table", STATEMENT_ROWS),
        ("text", "Closing balance: 14,968.30"),
    ]


def test_a_line_above_the_sum_is_no_end() -> None:
    rule = "-" * 52
    assert read_text(
        f"{STATEMENT}{rule}\nTotal                          110,000.00  14,968.30\n{rule}\nSigned: Mara"
    ) == [
        ("table", f"{STATEMENT_ROWS}\n| Total | | 110,000.00 | 14,968.30 |"),
        ("text", "Signed: Mara"),
    ]


def test_a_minus_sign_is_of_its_number() -> None:
    text = "Account       Jan     Feb\nSales      -12.50    3.00\nReturns     -4.00   -5.00\nNet        -16.50   -2.00"
    for sign in ("-", "\u2212"):
        assert [kind for kind, _ in read_text(text.replace("-", sign))] == ["table"]


def test_lines_around_a_table_stay_text() -> None:
    kinds = read_text(FARES)
    assert [kind for kind, _ in kinds] == ["heading", "table", "text"]
    assert kinds[1][1].splitlines()[0] == "| Ticket | Gullane | Marrick |"
    assert "| Bicycle | free | free |" in kinds[1][1]
    assert kinds[2][1] == "Vehicles check in early."


def test_what_a_spreadsheet_gives_is_a_table() -> None:
    text = "Berth\tLength\tHolder\nA1\t12 m\tMara\nA2\t\tJon\nA3\t9 m\tLise\nA4\t7 m\t"
    assert read_text(text) == [
        (
            "table",
            "| Berth | Length | Holder |\n| --- | --- | --- |\n"
            "| A1 | 12 m | Mara |\n| A2 | | Jon |\n| A3 | 9 m | Lise |\n| A4 | 7 m | |",
        )
    ]


def test_two_tables_without_a_blank_line_are_two() -> None:
    kinds = read_text(STATEMENT.strip() + "\n" + STATEMENT.strip())
    assert kinds == [("table", STATEMENT_ROWS), ("table", STATEMENT_ROWS)]


@pytest.mark.parametrize(
    "text",
    [
        "The sea is wide,   the boat is small\nand nobody   will come at all\nto find us   in the morning",
        "Name:      Anna Holt\nStreet:    12 Quay\nTown:      Dunmouth\nPhone:     01632 960111",  # no head of a column
        "Holt and Sons          Ferrydale Ltd\n12 Quay Street         1 Pier Road\nDunmouth               Dunmouth",
        "def run(boats):\n    for boat in boats:   # 1\n        boat.sail(4)     # 2\n    return 12           # 3",
        "Total  12\nPaid  4",
        "bob     hi all\nann     hello           10:02\nbob     bye             10:05\nann     yes             10:06",
        "名            Price   Due\nと            12,330  40.00\n給料家賃給料  61,732\n家賃給料              7",
        # Two numbers with one blank between them may be of one column or of two.
        "Details     VAT       Balance   Amount\nCard        25,393.00 7,632\nFuel        38,634.00           70.00\n"
        "Lane                  2,775     69,295",
        "one\ttwo\nthree\tfour\nfive\tsix\nseven\teight",  # no numbers
    ],
)
def test_other_text_with_blanks_is_no_table(text: str) -> None:
    found = read_text(text)
    assert all(kind != "table" for kind, _ in found)
    assert " ".join(said for _, said in found).split() == text.split(), "every word, in order"


def test_a_row_that_runs_through_the_columns_ends_the_table() -> None:
    """The twin is the table without it."""
    lines = FARES.strip().splitlines()
    through = "Prices of the winter are lower by a fifth"
    found = read_text("\n".join([*lines[1:6], through]))
    assert [kind for kind, _ in found] == ["table", "text"]
    assert found[1][1] == through
    assert read_text("\n".join(lines[1:6])) == found[:1]


def test_many_lines_are_read_in_time_that_grows_with_them() -> None:
    """Each line might be a head, and none has a table."""
    line = "a word  and  another  one  that  stands  here"
    assert all(kind != "table" for kind, _ in read_text("\n".join([line] * MAX_LINES)))


def test_a_line_that_is_nearly_drawn_is_looked_at_once() -> None:
    """With a pattern that goes back for each sign this takes a minute."""
    line = f"--  {'-' * 380}x"
    assert all(kind != "table" for kind, _ in read_text("\n".join([line] * MAX_LINES)))
