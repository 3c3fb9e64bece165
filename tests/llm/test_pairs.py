"""Pairs of a label and a value: read by the form of a line, and quoted where a question asks for the label."""

import pytest

from llm.quoting import meaning
from llm.quoting.answering import answer
from llm.quoting.overview_questions import find_document
from llm.quoting.pairs import read_pairs
from llm.quoting.reading import PromptPassage

BILL = PromptPassage(
    1,
    "R-17.pdf (Shopping)",
    "Store #0342 - Harbour Row\n11/23/2024 14:32\nCashier: Emily Quist\n\nSUBTOTAL $90.00\nSales tax (10%) $9.00\n\n"
    "TOTAL $99.00\n\nPAYMENT METHOD Card ending in 4782\n\nBilling Type: Net 30 Payment Terms: Corporate"
    " Commission: 10%",
)
FORM = PromptPassage(
    2,
    "Cover.pdf (Club)",
    "10. Name of Federal Agency:\n\nHarbour Board\n\nInsured\nGannet Sailing Club\n\nPolicy # POL-22-5 of the club",
)
RECHNUNG = PromptPassage(
    3, "4711.pdf (Einkauf)", "Nettobetrag 465,00 EUR\nUmsatzsteuer 19 % 88,35 EUR\nRechnungsbetrag 553,35 EUR"
)
TABLE = PromptPassage(
    4, "Stock.xlsx (Store)", "| Code | Unit cost | Audit |\n| --- | --- | --- |\n| SKU-9 | $32.50 | 2024-10-22 |"
)


def quotes_of(question: str, *found: PromptPassage) -> list[str]:
    return [quote.sentence for quote in answer(question, list(found))]


@pytest.mark.parametrize(
    ("passage", "pairs"),
    [
        (
            BILL,
            [
                ("Store", "0342 - Harbour Row"),
                ("Cashier", "Emily Quist"),
                ("SUBTOTAL", "$90.00"),
                ("Sales tax (10%)", "$9.00"),
                ("TOTAL", "$99.00"),
                ("PAYMENT METHOD", "Card ending in 4782"),
                ("Billing Type", "Net 30"),
                ("Payment Terms", "Corporate"),
                ("Commission", "10%"),
            ],
        ),
        (
            FORM,
            [
                ("10. Name of Federal Agency", "Harbour Board"),
                ("Insured", "Gannet Sailing Club"),
                ("Policy", "POL-22-5 of the club"),
            ],
        ),
        (TABLE, [("Code", "SKU-9"), ("Unit cost", "$32.50"), ("Audit", "2024-10-22")]),
        (
            PromptPassage(5, "a.md", "Gesamtbetrag ........ 1.234,56 EUR\n\nContents ........ 7"),
            [("Gesamtbetrag", "1.234,56 EUR")],
        ),
        (PromptPassage(5, "a.md", "It has 3 parts and they are short, plain and few: all of it. Nothing else."), []),
    ],
)
def test_pairs_are_read_by_the_form_of_their_line(passage: PromptPassage, pairs: list[tuple[str, str]]) -> None:
    found = [(pair.label, pair.value) for pair in read_pairs(passage)]
    # Below each other, a value may be taken for the label of the next line as well.
    assert [pair for pair in found if pair in pairs] == pairs
    assert found == pairs or passage is FORM


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("What is the total?", ["TOTAL $99.00"]),
        ("How did they pay?", ["PAYMENT METHOD Card ending in 4782"]),
        ("Who was the cashier?", ["Cashier: Emily Quist"]),
        ("How much sales tax was paid?", ["Sales tax (10%) $9.00"]),
        ("Which agency is named in the form?", ["10. Name of Federal Agency: Harbour Board"]),
        ("Who is the insured?", ["Insured Gannet Sailing Club"]),
        ("What is the unit cost of SKU-9?", [TABLE.text.splitlines()[2]]),
        ("Wie hoch ist der Rechnungsbetrag?", ["Rechnungsbetrag 553,35 EUR"]),
        # An insurer is no insured, a cashier no phone, and one document's label no other's.
        ("Who is the insurer?", []),
        ("What is the phone number of the cashier?", []),
        ("What is the discount of SKU-9?", []),
        ("How much tax was paid by the club?", []),
    ],
)
def test_a_label_that_is_asked_for_is_quoted_with_its_value(question: str, quotes: list[str]) -> None:
    assert quotes_of(question, BILL, FORM, RECHNUNG, TABLE) == quotes


def test_a_total_is_what_adds_up_whatever_it_is_called() -> None:
    assert quotes_of("Wie hoch ist der Gesamtbetrag?", RECHNUNG) == ["Rechnungsbetrag 553,35 EUR"]
    assert quotes_of("What is the sum of the hotel?", RECHNUNG) == []
    wrong = PromptPassage(3, RECHNUNG.title, RECHNUNG.text.replace("553,35", "553,36"))
    assert quotes_of("Wie hoch ist der Gesamtbetrag?", wrong) == []


def test_a_label_may_mean_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "_embed", [])
    assert quotes_of("Where is the shop?", BILL) == []
    monkeypatch.setattr(meaning, "_embed", [lambda text: [1.0, 5.0 * (text not in ("shop", "Store"))]])
    assert quotes_of("Where is the shop?", BILL) == ["Store #0342 - Harbour Row"]
    monkeypatch.setattr(meaning, "_embed", [lambda text: ()])
    assert quotes_of("Where is the shop?", BILL) == []


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the total of the receipt?", "receipt"),
        ("When was the repair invoice issued?", "repair"),
        ("When was the invoice issued?", "invoice"),
        ("What is the Summe der Bestellung?", "Bestellung"),
        ("Who keeps the same anchors that lay beside two cranes of iron?", ""),
        ("Who signed?", ""),
    ],
)
def test_a_question_may_end_with_a_document(question: str, name: str) -> None:
    assert find_document(question, "Shopping project") == name


@pytest.mark.parametrize(
    ("text", "question", "quotes"),
    [
        # Totals with an abbreviation in their label, and a tax whose name is no currency.
        (
            "Total excl. VAT: EUR 100.00\nTotal incl. VAT: EUR 121.00",
            "What is the total incl. VAT?",
            ["Total incl. VAT: EUR 121.00"],
        ),
        ("VAT 20% 4.00\nTotal 24.00", "How much VAT was paid?", ["VAT 20% 4.00"]),
        # No time is an amount, and no code.
        ("Due Date: 3 June 2025\nBalance due: EUR 121.00", "When is it due?", ["Due Date: 3 June 2025"]),
        ("Date of birth: 3 May 1980\nDate of death:", "What is the date of death?", []),
        ("Date of birth: 3 May 1980\nDate of death:", "What is the date of birth?", ["Date of birth: 3 May 1980"]),
        ("Costs:\nRent costs 20.00: paid early", "What are the costs?", ["Rent costs 20.00: paid early"]),
        ("Tax code\n1257L\n\nIncome tax 800.00", "What is the tax code?", ["Tax code 1257L"]),
    ],
)
def test_no_other_label_or_value_answers(text: str, question: str, quotes: list[str]) -> None:
    assert quotes_of(question, PromptPassage(1, "a.pdf (Shop)", text)) == quotes


def test_the_paper_that_has_the_word_answers_before_others() -> None:
    receipt = PromptPassage(1, "A.pdf (Shop)", "Receipt of Kite\nTotal 24.00")
    invoice = PromptPassage(2, "B.pdf (Shop)", "Invoice of Gannet\nTotal 99.00")
    assert quotes_of("What is the total of the invoice?", receipt, invoice) == ["Total 99.00"]


def test_a_long_line_behind_a_label_and_an_empty_cell_are_no_values() -> None:
    note = PromptPassage(1, "a.md", "Note: " + "the quay is wet " * 60)
    assert read_pairs(note) == []
    assert [pair.value for pair in read_pairs(PromptPassage(1, "a.md", "| 1 | a |\n| Supplier | |\nDate:"))] == [
        "a",
        "",
        "",
    ]


def test_a_label_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def embed(text: str) -> list[float]:
        compared.append(text)
        return [1.0]

    monkeypatch.setattr(meaning, "_embed", [embed])
    for _ in range(2):
        assert meaning.measure_likeness("shop", ["Store"]) == [1.0]
    assert compared == ["shop", "Store"]


COUPLE = PromptPassage(
    5,
    "Cover.md (Club)",
    "Name: Ann Ray\nDate of birth: 3 May 1981\nPhone: 550 112\n\nEmergency contact: Bob Ray\nContact phone: 550 187\n\n"
    "Name: Carla Voss\nDate of birth: 9 June 1975",
)
CLAIM = PromptPassage(8, "Claim.md (Club)", "Insured name Denis Voss Year 2022\nClaim # SF-10 Make Jeep")
LEDGER = PromptPassage(
    6,
    "Ledger.csv (Club)",
    "| Invoice | Supplier | Status |\n| A-1 | Corless | Paid |\n| A-2 | Dunmore | Open |\n| A-3 | Farrow | Disputed |",
)
SHIPPED = PromptPassage(
    7,
    "Pump-invoice.md (Club)",
    "Bill to: Kelda plc, 1 Row Road\nShip to: Kelda Depot, Selby\nNext visit: 9 April",
)


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        # Whose it is: behind another's name it is the other's, and a mention of somebody begins nobody's form.
        ("What is the date of birth of Ann Ray?", ["Date of birth: 3 May 1981"]),
        ("What is the date of birth of Carla Voss?", ["Date of birth: 9 June 1975"]),
        ("What is the date of birth of Bob Ray?", []),
        ("What is the phone of Ann Ray?", ["Phone: 550 112"]),
        ("What is the phone of Bob Ray?", ["Contact phone: 550 187"]),
        ("Whose claim is SF-10?", ["Insured name Denis Voss Year 2022", "Claim # SF-10"]),
        # Which are so, and which are not.
        ("Which invoices are not paid?", LEDGER.text.splitlines()[2:]),
        ("Which invoices are unpaid?", LEDGER.text.splitlines()[2:]),
        ("Which invoices of the hotel are not paid?", []),
        # What is done with it is its label; a name in front of an address is one; another month is another visit.
        ("Where was the pump invoice shipped to?", ["Ship to: Kelda Depot, Selby"]),
        ("Who is billed for the pump?", ["Bill to: Kelda plc, 1 Row Road"]),
        ("When is the next visit in April?", ["Next visit: 9 April"]),
        ("When is the next visit in May?", []),
    ],
)
def test_a_value_is_of_whom_and_of_what_the_question_names(question: str, quotes: list[str]) -> None:
    found = [COUPLE] if "Ray" in question or "Voss" in question else [LEDGER, SHIPPED, CLAIM]
    assert quotes_of(question, *found) == quotes


LEAVE = "Employees can carry over five days of annual leave, to be taken by 31 March."
DATED = "Invoice date: 3 May 2021\nDue date: 2 June 2021"


@pytest.mark.parametrize(
    ("text", "question", "quotes"),
    [
        # "May" is a verb, and a year may only say which lease it is.
        (LEAVE, "How many days of annual leave may employees carry over?", [LEAVE]),
        (LEAVE, "May employees carry over annual leave?", [LEAVE]),
        (
            "The lease of 2019\n\nThe lease ends on 3 May 2029.",
            "When does the 2019 lease end?",
            ["The lease ends on 3 May 2029."],
        ),
        (
            "Invoice of 3 May 2021. The invoice is due on 2 June 2021.",
            "When is the invoice of May 2021 due?",
            ["The invoice is due on 2 June 2021."],
        ),
        (DATED, "What is the due date of the invoice of May 2021?", ["Due date: 2 June 2021"]),
        (DATED, "What is the date of the invoice?", ["Invoice date: 3 May 2021"]),
        ("Revenue was 5 million in May.", "What was the revenue in June?", []),
    ],
)
def test_a_month_or_year_is_compared_where_the_answer_must_be_of_it(
    text: str, question: str, quotes: list[str]
) -> None:
    assert quotes_of(question, PromptPassage(1, "a.pdf (Quay)", text)) == quotes


@pytest.mark.parametrize(
    ("text", "question", "quotes"),
    [
        # Of two people the claimant has the claim, and a form may begin with its number.
        (
            "Claimant: Ann Lee\nAdjuster: Bob Ray\nClaim number: SF-1008",
            "Whose claim is SF-1008?",
            ["Claimant: Ann Lee", "Claim number: SF-1008"],
        ),
        (
            "Claim number: SF-1008\nClaimant: Ann Lee\nClaim number: SF-1009\nClaimant: Bob Ray",
            "Whose claim is SF-1009?",
            ["Claimant: Bob Ray", "Claim number: SF-1009"],
        ),
        ("Insured: Ann Lee\nAdjuster: Bob Ray\nClaim number: SF-8", "Whose claim is SF-8?", []),
        (
            "Salary: 5,000.00\nEmployee: Bob Ray\nSalary: 6,000.00\nEmployee: Ann Lee",
            "What is the salary of Ann Lee?",
            ["Salary: 5,000.00", "Salary: 6,000.00"],
        ),
        (
            "Page: 3\nEmployee: Bob Ray\nSalary: 5,000.00\nEmployee: Ann Lee\nSalary: 6,000.00",
            "What is the salary of Ann Lee?",
            ["Salary: 6,000.00"],
        ),
        ("Total: 3.00\nOwner: Ann Lee", "Whose claim is SF-8?", []),
    ],
)
def test_a_form_tells_whose_it_is_or_does_not(text: str, question: str, quotes: list[str]) -> None:
    assert quotes_of(question, PromptPassage(1, "a.pdf (Quay)", text)) == quotes


@pytest.mark.parametrize(
    ("cells", "count"),
    [
        ("Paid", 0),
        ("paid in full", 0),
        ("Paid late", 0),
        ("Paid 3 May", 0),
        ("Paid by Will Parton", 0),
        ("Partially paid", 1),
        ("Not yet paid", 1),
        ("Open", 1),
        ("", 1),
        ("".join(f"Open | Ann |\n| B-{each} | " for each in range(12)) + "Open", 13),
        ("".join(f"Open | Ann |\n| B-{each} | " for each in range(40)) + "Open", 0),
    ],
)
def test_rows_that_are_not_so_are_listed_all_or_not_at_all(cells: str, count: int) -> None:
    text = f"| Invoice | Status | Owner |\n| A-1 | Paid | Ann |\n| A-2 | {cells} | Bob |\n| Total | | 300.00 |"
    assert len(quotes_of("Which invoices are not paid?", PromptPassage(1, "a.pdf (Quay)", text))) == count
