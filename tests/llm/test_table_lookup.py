"""A row and a column of a table answer together, and nothing does where a word of the question stands nowhere."""

import pytest

from llm.quoting.answering import find_answer
from llm.quoting.asked import normalise_question
from llm.quoting.reading import PromptPassage
from llm.quoting.table_lookup import look_up
from text.pieces import write_cells

COSTS = PromptPassage(
    1,
    "ferries-q3-2023.md (Skerrow Ferries), Quarterly statement › Result",
    "| Line | Q3 2023 | Q3 2022 |\n| --- | --- | --- |\n| Passenger fares | 941,700 | 902,330 |\n"
    "| Crew wages | 441,650 | 419,080 |\n| Marine fuel | 318,460 | 336,900 |\n| Insurance | 46,900 | 44,100 |",
)
FLEET = PromptPassage(
    2,
    "fleet-list.csv (Skerrow Ferries)",
    "| vessel | year_built | home_port | next_dry_dock |\n| --- | --- | --- | --- |\n"
    "| MV Orlaith | 2006 | Port Anvil | April 2024 |\n| MV Corrigan | 1978 | Stennet | none planned |\n"
    "| Whelk | 2003 | Stennet | June 2024 |",
)
METERS = PromptPassage(
    3,
    "brewery-meters.csv (Kettle Row Brewery)",
    "| month | electricity_kwh | gas_kwh |\n| --- | --- | --- |\n| April 2023 | 40270 | 58300 |\n"
    "| May 2023 | 44980 | 55710 |\n| June 2023 | 47330 | 53880 |",
)
BANK = PromptPassage(
    4,
    "bank-2023-09.txt (Skerrow Ferries)",
    "| Date | Details | Paid out | Balance |\n| --- | --- | --- | --- |\n| 06 Sep | Card takings | | 148,809.60 |\n"
    "| 08 Sep | Seacrest Agency crew | 10,920.00 | 137,889.60 |\n| 11 Sep | Skua Freight 9 | 26,450.00 | 164,339.60 |",
)
STAFF = PromptPassage(
    5,
    "crew.csv (Skerrow Ferries)",
    "| name | role | start_date | holiday_days |\n| --- | --- | --- | --- |\n"
    "| Carl Dune | Engineer | 2015-11-02 | 30 |\n| Bob Cedar | Mate | 2021-06-15 | 25 |\n"
    "| Ann Birch | Cook | 2019-03-01 | 25 |",
)
TABLES = [COSTS, FLEET, METERS, BANK, STAFF]


def ask_tables(question: str, found: list[PromptPassage] = TABLES) -> list[str]:
    return [quote.sentence for quote in find_answer(normalise_question(question), found, []).quotes]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("what was the fuel bill in q3", "| Marine fuel | 318,460 | 336,900 |"),
        ("how much did the ferries spend on crew wages in the third quarter?", "| Crew wages | 441,650 | 419,080 |"),
        ("cost of insurance july to september", "| Insurance | 46,900 | 44,100 |"),
        ("when is Orlaith due in dry dock", "| MV Orlaith | 2006 | Port Anvil | April 2024 |"),
        ("gas of the brewery in may in kwh", "| May 2023 | 44980 | 55710 |"),
        ("how much went to Seacrest Agency on 8 sept", "| 08 Sep | Seacrest Agency crew | 10,920.00 | 137,889.60 |"),
    ],
)
def test_the_row_of_the_table_is_quoted(question: str, row: str) -> None:
    assert ask_tables(question) == [row]


@pytest.mark.parametrize(
    ("row", "text", "written"),
    [
        ("| Fuel | 420 | 380 |", "| Line | Q2 | Q3 |\n|---|---|---|\n| Fuel | 420 | 380 |", "Fuel · Q2: 420 · Q3: 380"),
        ("| Fuel | | 380 |", "| | Q2 | Q3 |\n|---|---|---|\n| Fuel | | 380 |", "Fuel · Q3: 380"),
        ("| VAT | 282.80 |", "| Item | Amount |\n|---|---|\n| VAT | 282.80 |", "VAT · 282.80"),
        ("| Weight | 12 kg |", "| | HX-40 |\n|---|---|\n| Weight | 12 kg |", "Weight · HX-40: 12 kg"),
        ("| Fuel | 420 | 380 |", "| Fuel | 420 | 380 |\n| Wages | 900 | 905 |", "Fuel · 420 · 380"),  # no head at hand
        ("| a_b | c_d | e |", "| x | y_z | w |\n|---|---|---|\n| a_b | c_d | e |", "a_b · y z: c_d · w: e"),
        ("Fuel is dear.", "Fuel is dear.", "Fuel is dear."),
        (
            "| Rent | 96 | 98 | 99 | 97 |",
            "| Cost | Q1 | | Q2 | |\n|---|---|---|---|---|\n| | Plan | Actual | Plan | Actual |\n"
            "| Rent | 96 | 98 | 99 | 97 |",
            "Rent · Q1 Plan: 96 · Q1 Actual: 98 · Q2 Plan: 99 · Q2 Actual: 97",
        ),
        (
            "| Rent | 96 | 98 |",
            "| | Plan | |\n|---|---|---|\n| Cost | 2025 | 2026 |\n| Rent | 96 | 98 |",
            "Rent · Plan 2025: 96 · Plan 2026: 98",
        ),
        (
            "| Rent | 96 | late |",  # a column without a name, over figures
            "| Cost | Plan | |\n|---|---|---|\n| | 12 | paid |\n| Rent | 96 | late |",
            "Rent · Plan: 96 · late",
        ),
        (
            "| Tuesday | Eve | Bob | Dan | Finn |",  # a first row of names, which do not repeat
            "| | Early | | Late | |\n|---|---|---|---|---|\n| Monday | Anna | Bob | Carla | Dan |\n"
            "| Tuesday | Eve | Bob | Dan | Finn |",
            "Tuesday · Early: Eve · Bob · Late: Dan · Finn",
        ),
        (
            "| Rent | 96 | late |",  # a first row that has a name of its own
            "| Cost | Plan | |\n|---|---|---|\n| Heating | none | none |\n| Rent | 96 | late |",
            "Rent · Plan: 96 · late",
        ),
    ],
)
def test_cells_are_written_with_the_names_of_their_columns(row: str, text: str, written: str) -> None:
    assert write_cells(row, text) == written


@pytest.mark.parametrize(
    "question",
    [
        "what was the fuel bill in q2",
        "how much did the ferries spend on crew wages in the fourth quarter?",
        "what was the fuel bill of the brewery in q3",
        "when is Petrel Light due in dry dock",
        "gas of the brewery in july in kwh",
        "water of the brewery in may",
        "how much went to Seacrest Agency on 9 sept",
        "when did Carl Dune leave",
        "how many holiday days did Bob Cedar use",
        "cost of insurance in july and september",
        "how many crew in q3",
        "how much went to Skua Freight on 9 september",
        "how many holiday days does Bob Cedar have left",
        "which ferry is the oldest by year built",  # what no single row says, where rows may be elsewhere
    ],
)
def test_another_quarter_company_thing_or_day_is_not_answered(question: str) -> None:
    assert ask_tables(question) == []


def test_days_that_one_gets_are_not_those_that_are_left() -> None:
    assert ask_tables("how many holiday days does Bob Cedar get")[-1] == "| Bob Cedar | Mate | 2021-06-15 | 25 |"


def test_a_month_is_no_verb() -> None:
    """Of "may we use gas" no row of May says anything."""
    assert ask_tables("may we use gas in the brewery") == []


def test_many_equal_rows_are_no_answer() -> None:
    text = "| Boat | Berth | Fee |\n| --- | --- | --- |\n" + "\n".join(
        f"| Anna {n} | North | {n}00 |" for n in range(4)
    )
    table = PromptPassage(1, "berths.md (Quay)", text + "\n| Berta | South | 900 |")
    assert [pair.text for pair in look_up("fee of the berth of Berta", None, [table])][-1] == "| Berta | South | 900 |"
    assert look_up("fee of the north berth", None, [table]) == []


PLAN = PromptPassage(
    1,
    "Budget.xlsx (Practice)",
    "| Cost centre | Q1 | | Q2 | |\n|---|---|---|---|---|\n| | Plan | Actual | Plan | Actual |\n"
    "| Laboratory | 120 | 134 | 120 | 118 |\n| Rent | 96 | 96 | 96 | 97 |\n| Training | 15 | 7 | 15 | 21 |",
)


def test_a_row_is_found_by_both_rows_of_a_head() -> None:
    assert [pair.text for pair in look_up("laboratory actual q1", None, [PLAN])] == [
        "| Laboratory | 120 | 134 | 120 | 118 |"
    ]
    assert look_up("laboratory forecast q1", None, [PLAN]) == []
    assert look_up("laboratory actual q3", None, [PLAN]) == []
