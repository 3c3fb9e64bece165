"""Sums of money in documents that are published are no finding; in others they are."""

import pytest

from entities.access import Scope
from entities.types import Contract
from ingestion.judging import HeadVotes, join_votes
from ingestion.models import Paragraph
from ingestion.votes import Vote
from tests.conftest import Person
from tests.ingestion.helpers import ready, texts
from tests.ingestion.test_resting import read

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed", "heads")]
TARIFF = """Opening hours and admission, municipal swimming pool

Adults pay €4.50, children under fourteen €2.20. A season ticket costs €86.00 and is sold at the desk.

Families with three children and more swim for €9.00 on Sundays.

The slide is closed when it thunders. Lockers take a coin of one euro.

All prices are valid from 1 May for everybody and hang out at the entrance.
"""
OFFER = """Quotation 2207 for Brandt Coldstores, for the attention of Ms Brandt only

Following our visit on Tuesday we can offer you the compressor at €48,300, nine per cent below last year.

If you take two of them we would go down to €44,900 each; please keep that between us.

Delivery takes eleven weeks from your order. Our margin leaves no room beyond that.

We hold this price for you until the end of the month.
"""


def open_texts(who: Person, file: str) -> list[str]:
    return [text for text in read(who, file) if not text.startswith("[")]


def test_a_tariff_is_open_and_an_offer_to_one_customer_is_not(alice: Person, staff: Person, contract: Contract) -> None:
    tariff = ready(alice, contract, "Tariff swimming pool.txt", TARIFF.encode())
    offer = ready(alice, contract, "Quotation 2207 Brandt.txt", OFFER.encode())
    assert len(open_texts(staff, tariff)) == 5
    assert not any("€" in text for text in open_texts(staff, offer))


def test_what_else_is_found_in_a_tariff_is_kept(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    account = "Pay the €86.00 to the account DE89 3704 0044 0532 0130 00."
    file = ready(alice, contract, "Tariff swimming pool.txt", f"{TARIFF}\n{account}\n".encode())
    assert account not in texts(staff, file)
    assert any("€4.50" in text for text in texts(staff, file))
    with service.open():
        assert Paragraph.objects.get(text=account).judged


def test_sums_are_kept_where_a_head_finds_something_or_rules_more() -> None:
    amount = Vote("rules", frozenset({5}), amounts=frozenset({5}))
    more = Vote("rules", frozenset({3, 5}), amounts=frozenset({5}))
    marked = Vote("rules", frozenset({5}))
    head = Vote("head", frozenset({5}))
    for published, given, by_head, left in (
        (True, amount, (), frozenset()),
        (False, amount, (), {5}),
        (True, amount, (head,), {5}),
        (True, more, (), {3, 5}),
        (True, marked, (), {5}),
    ):
        ((rules, *_),) = join_votes([[given]], HeadVotes("", (by_head,), published=published))
        assert rules.labels == left, (published, given, by_head)
