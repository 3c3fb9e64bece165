"""Questions about receipts, invoices and bills: what was bought, where, for how much and how. No database is needed."""

from dataclasses import replace

import pytest

from llm import prompts
from llm.prompts import NumberedPassage, PromptDocument, Record
from llm.quoting import engine
from llm.quoting.answering import answer
from llm.quoting.asked import normalise_question
from llm.quoting.form_answers import find_address
from llm.quoting.reading import PromptPassage
from tests.llm.boat_yard import ask
from text.pieces import split_items


@pytest.mark.parametrize("head", ["GOLDEN CRUST BAKERY", "GOLDEN CRUST BAKERY\nBill to: Mara Quill", "Mara Quill"])
@pytest.mark.parametrize(
    "line",
    [
        "88 Castle Street",
        "Catering 120.00",
        "Spring 2025",
        "Engineering 3",
        "30 days to close",
        "2 Castle Rolls Way 9.00",
    ],
)
def test_where_a_shop_is_says_the_address_right_below_its_name(head: str, line: str) -> None:
    receipt = PromptPassage(1, "Receipt.pdf (April)", f"{head}\n{line}\nThanks from the bakery\nTotal 3.20")
    is_address = (head, line) == ("GOLDEN CRUST BAKERY", "88 Castle Street")
    assert [pair.value for pair in find_address("Where is the bakery?", set(), [receipt])] == [line] * is_address
    assert find_address("Where is the crane?", set(), [receipt]) == find_address("Where is it?", set(), [receipt]) == []
    if is_address:
        assert [quote.sentence for quote in answer("Where is the bakery?", [receipt])] == [line]


def test_what_was_bought_is_every_line_with_a_price_that_adds_nothing_up() -> None:
    bought = ["TV 499.00", "Öl 12,50", "New Balance 574 shoes 99.00"]
    lines = [*bought, "7 12.00", "Estimated total 610.50", "Member discount -3.00", "Balance 610.50"]
    receipt = PromptDocument("Receipt.pdf (April)", [NumberedPassage(1, "\n\n".join(lines))])
    assert set(ask("What was bought?", [receipt])[0].splitlines()) == {f"- {line} [1]" for line in bought}


SHOP = PromptPassage(
    1,
    "Shop.txt (April)",
    "SWAN SHOP 9 Mill Lane Leeds Milk 1.65 Brown bread 1.40 Cheddar 400g 3.25 Subtotal 6.30 Bag charge 0.10 Total 6.40"
    " Paid by Mastercard ending 0932 Points earned: 6",
)
ESTIMATE = PromptPassage(
    2,
    "Estimate.pdf (April), BRASS AUTO REPAIR",
    "Certified repair 12 Main Street, Redmond\nClaim # SF-8 Make Jeep\nPolicy # POL-5 Model Grand Cherokee\n"
    "GRAND TOTAL 5,738\n\nParts prices may vary with the model and the vehicle. The vehicle may need other repairs.",
)
LEASE = PromptPassage(
    3,
    "Lease.md (April)",
    "The flat at 27 Canal Wharf, a corner, is let to Ada Brook from 1 to 5 May. Repair of the boiler at 27 "
    "Canal Wharf. The lift is out of order since 2 June. Take care when you choose a long password. In total "
    "the flat is fine. Work starts on 4 May. The rent is paid by bank transfer.\n\nFlat no. 5\n\nThe yard has "
    "40 m².",
)
PAPERS = [replace(passage, text=split_items(passage.text)) for passage in (SHOP, ESTIMATE, LEASE)]
PAPERS.append(PromptPassage(6, "Estimate.pdf (April), BRASS AUTO REPAIR › Vehicle information", "Color: White"))


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("How did they pay at the shop?", ["Paid by Mastercard ending 0932 Points earned: 6"]),
        ("How is the rent paid?", ["The rent is paid by bank transfer."]),
        ("How was the repair paid?", []),
        ("What is the total of the repair?", ["GRAND TOTAL 5,738"]),
        ("What did the bread cost?", ["Brown bread 1.40"]),
        ("What did the wine cost?", []),
        ("Which car was repaired?", ["Model Grand Cherokee"]),
        ("Which boat was repaired?", []),
        ("Which car was sold?", []),
        ("Which car was not repaired?", []),
        ("Where is the garage?", ["Certified repair 12 Main Street, Redmond"]),
        ("Where is the library?", []),
        # A figure is no size, a street nobody, since when something is so not when it ends, and "when" no length.
        ("How big is the flat?", []),
        ("What is the total of the flat?", []),
        ("How big is the yard?", ["The yard has 40 m²."]),
        ("Who repaired the boiler?", []),
        ("When will the lift be in order?", []),
        ("When will the lift be working?", []),
        ("How long should a password be?", []),
    ],
)
def test_what_is_asked_of_a_bill_is_of_the_kind_that_is_asked_for(question: str, quotes: list[str]) -> None:
    assert [quote.sentence for quote in answer(question, PAPERS)] == quotes
    telephone = PromptPassage(4, "Phone.txt (April)", "Order # T-1 Model Nova Twelve\nRepair address:\n3 Church Lane")
    if question.startswith(("Which car", "Where is the garage")):
        assert answer(question, [telephone]) == []


INVOICE = PromptPassage(
    4,
    "Invoice-A.pdf (April)",
    "Harrow Glass Ltd\nInvoice no. A-101\nInvoice date: 3 March 2026\nPanes 400.00\nFitting 150.00\nSubtotal 550.00\n"
    "VAT (20%) 110.00\nTotal 660.00\nDeposit paid 200.00\nBalance due 460.00",
)
STATEMENTS = (
    "Cedar is cheaper than Alder.",
    "Birch bids more.",
    "The total of the north wing is £4,000.",
    "The south wing has no roof.",
    "The bridge is 40 m long and 6 m wide.",
    "The tower has a height of 30 m.",
    "The report describes the bridge.",
    "The fax was sent: 3/9/2006 3:50:52 PM.",
    "The inspection took three days.",
    "The permit runs until 3 June 2026.",
    "The crane was not paid by card but in cash.",
    "Payment of the gravel by card is not accepted.",
)


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        # A part of a paper has a line of its own; the total is the paper's.
        ("What does the VAT come to?", ["VAT (20%) 110.00"]),
        ("What does the fitting cost in total?", ["Fitting 150.00"]),
        ("What is the total of the VAT?", ["VAT (20%) 110.00"]),
        ("What is the total without VAT?", []),
        ("What does the Harrow Glass invoice come to?", ["Total 660.00"]),
        ("What does it cost all in all?", ["Total 660.00"]),
        ("How much did they pay in total?", ["Deposit paid 200.00"]),
        ("When is the Harrow Glass invoice due?", []),
        ("What does the south wing cost all in all?", []),
        ("What does the north wing cost all in all?", ["The total of the north wing is £4,000."]),
        ("Is Birch cheaper than Alder?", []),
        ("Is Cedar cheaper than Alder?", ["Cedar is cheaper than Alder."]),
        # What is long is not deep, nor is a moment a duration.
        ("How deep is the bridge?", []),
        ("How big is the bridge?", ["The bridge is 40 m long and 6 m wide."]),
        ("How high is the tower?", ["The tower has a height of 30 m."]),
        ("How long is the bridge?", ["The bridge is 40 m long and 6 m wide."]),
        ("How long is the report?", []),
        ("How long did the fax take?", []),
        ("How long did the inspection take?", ["The inspection took three days."]),
        ("How long does the permit run?", ["The permit runs until 3 June 2026."]),
        ("How was the crane paid?", ["The crane was not paid by card but in cash."]),
        ("How is the gravel paid?", []),
    ],
)
def test_a_part_another_thing_and_what_is_not_so_are_no_answer(question: str, quotes: list[str]) -> None:
    papers = [PromptPassage(n, f"Report {n}.md (April)", text) for n, text in enumerate(STATEMENTS, start=5)]
    assert [quote.sentence for quote in answer(normalise_question(question), [INVOICE, *papers])] == quotes


@pytest.mark.parametrize(
    ("question", "restated"),
    [
        ("What does the repair cost all in all?", "What is the total of the repair?"),
        ("And how much did it come to in total?", "What is the total?"),
        ("How much did they pay altogether?", "How much did they pay altogether?"),
        ("What did the talks come to?", "What is the total of the talks?"),
        ("What does the repair cost?", "What does the repair cost?"),
        ("What is the budget in total?", "What is the budget in total?"),
        ("How did it come to an end?", "How did it come to an end?"),
    ],
)
def test_what_something_costs_all_in_all_is_its_total(question: str, restated: str) -> None:
    assert normalise_question(question) == restated


def test_a_receipt_in_one_line_is_read_item_by_item_and_prose_is_not() -> None:
    assert split_items(SHOP.text).splitlines()[1:4] == ["Brown bread 1.40", "Cheddar 400g 3.25", "Subtotal 6.30"]
    for prose in ("The fee is 3.00 Monday, 4.00 Tuesday and 5.00 Friday. It is due.", "| A 1.00 B 2.00 C 3.00 D |"):
        assert split_items(prose) == prose
    stock = PromptDocument(
        "Stock.csv (April)", [NumberedPassage(1, "| Item | Price |\n| --- | --- |\n| Rope | 9.00 |")]
    )
    bill = PromptDocument("Shop.txt (April)", [NumberedPassage(2, SHOP.text)])
    bought = ask("What was bought?", [stock, bill])[0]
    assert "Cheddar 400g 3.25 [2]" in bought
    assert not {"Rope", "Subtotal", "Total"} & set(bought.split())
    assert "Rope · 9.00 [1]" in ask("What was bought?", [stock])[0]


def test_a_pulse_says_what_an_invoice_is_about_and_not_what_might_be() -> None:
    note = "Note Rear bumper repair\nEstimator: Ellis Turner\nColor: White\n"
    document = PromptDocument("Estimate.pdf", [NumberedPassage(1, note + ESTIMATE.text)])
    prompt = prompts.build_pulse_prompt(Record("Project", "Bumper", {}), [document])
    lines = "".join(engine.answer({"messages": prompt.messages, "max_tokens": 900}).deltas).splitlines()
    assert lines[:2] == ["- Note Rear bumper repair [1]", "- GRAND TOTAL 5,738 [1]"]
    assert "may" not in " ".join(lines)
    for month in ("May", "June"):
        due = f"The balance of the estimate is due on 3 {month} 2026 at the office."
        document = PromptDocument("Estimate.pdf", [NumberedPassage(1, f"{note}{ESTIMATE.text}\n\n{due}")])
        prompt = prompts.build_pulse_prompt(Record("Project", "Bumper", {}), [document])
        assert f"- {due} [1]" in "".join(engine.answer({"messages": prompt.messages, "max_tokens": 900}).deltas)
    met = " ".join(f"The board met {n} times in the hall." for n in range(9))
    prose = f"The vehicle may be sold before the end of June. {met}"
    report = PromptDocument(
        "Report.pdf", [NumberedPassage(1, f"{note}Order: 5\nClaim: 8\nGRAND TOTAL 5,738\n\n{prose}")]
    )
    prompt = prompts.build_pulse_prompt(Record("Project", "Bumper", {}), [report])
    assert "may be sold" in "".join(engine.answer({"messages": prompt.messages, "max_tokens": 900}).deltas)
