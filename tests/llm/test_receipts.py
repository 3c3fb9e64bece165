"""Questions about receipts, invoices and bills: what was bought, where, for how much and how. No database is needed."""

import pytest

from llm.offline.answering import answer
from llm.offline.form_answers import find_address
from llm.offline.reading import PromptPassage
from llm.prompts import NumberedPassage, PromptDocument
from tests.llm.boat_yard import ask


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
