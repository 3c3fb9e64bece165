"""Exact kinds in the forms that people write them in, each beside a text that only looks like it. All made up."""

import re

import pytest

from entities.models.classification import CONFIDENTIAL, FINANCIAL, PII, PII_SENSITIVE, SECRET
from llm.recognisers.findings import phrases
from llm.rules import rule_votes

KINDS = [
    # text, what it needs, and a twin that needs nothing of that
    ('pass := "JWSw!mHCI5gM53Xj"', {SECRET}, 'pass := "<your password>"'),
    ("<password>Sunflower9</password>", {SECRET}, "<password>${DB_PASSWORD}</password>"),
    ("Authorization: Basic YWRtaW46c3VwZXJzZWNyZXQ=", {SECRET}, "Authorization: Basic is an old scheme."),
    ("mysql -u root -pS3cretPass prod", {SECRET}, "mysql -u root -p prod"),
    ("The code for the back gate is 4417, please.", {SECRET}, "The code for the back gate is known to the guard."),
    ("the door code changed, it's 2580 now", {SECRET}, "the door code changed in 2019"),
    ("Voicemail PIN 4410", {SECRET}, "Connect PIN 12 to ground."),
    ("guest wifi: HarbourGuest / plaice&chips", {SECRET}, "guest wifi: lobby / reception"),
    ("The spare key is taped under the second drawer.", {SECRET}, "The spare key is with the caretaker."),
    ("Log in with pass123word as the password.", {SECRET}, "Use a sentence as the password."),
    ("Please transfer it to account 40 12 77 91, sort code 20-14-53.", {FINANCIAL}, "On account of rain, 12 July."),
    ("12 TEUR in the first year, 9 TEUR in the second", {FINANCIAL}, "12 TEU in the first bay, 9 TEU in the second"),
    ("They want 40 grand for the boat.", {FINANCIAL}, "They want 2 grand pianos for the hall."),
    ("It came to forty-two thousand pounds.", {FINANCIAL}, "They came down in forty descents."),
    ("Membership card 2209-118 was issued to her.", {PII}, "Membership card holders get in free."),
    ("Driver licence MORGA 753116 SM9IJ", {PII, PII_SENSITIVE}, "A driver licence is needed for class 7."),
    ("Kennzeichen HB-KL 482, Halter ist unser Kollege Detlef Busch.", {PII}, "Das Kennzeichen ist zu reinigen."),
    ("contact_name,contact_mobile\nSefa Tuilagi,021 555 0137", {PII}, "part,quantity\nflange,021 555 0137"),
    ("Please ring Noor at home, 555 0182.", {PII}, "Please ring the bell, then take lift 555."),
    ("Jess is 34 and joined last week.", {PII}, "Unit 7 is 34 metres long."),
    ("He's thirty-three, and new here.", {PII}, "It is thirty-three, and rising."),
    ("Josefine Thal posts as @otterpaws on Instagram, Twitter name @otterpaws.", {PII}, "Twitter was sold."),
    ("Alert for Kevin Hill: access from 203.0.113.9", {PII}, "Alert at 12 Kevin Hill: access from the north"),
    ("Timo K. failed the test.", {PII}, "Pump K. failed the test."),
    ("Address: 4856 Juniper Way, Riverside, OH 34556", {PII}, "Address: Juniper Ltd, 4856 Juniper Way, Riverside"),
    ("c/o Thorsen, Strandvejen 41, 2900 Hellerup", {PII}, "c/o Thorsen Ltd, Strandvejen 41, 2900 Hellerup"),
    ("A/P: Asthma. Continue current regimen.", {PII_SENSITIVE}, "A/P: invoices are matched on Fridays."),
    ("I'm bipolar and sometimes need a day.", {PII_SENSITIVE}, "The relay is bipolar and sometimes sticks."),
    ("Payroll run: Abara 3,812.40; Szabo 3,104.77", {PII, FINANCIAL}, "Payroll run: Tuesday; postings: Friday"),
]


@pytest.mark.parametrize(("text", "needed", "twin"), KINDS, ids=lambda value: str(value)[:24])
def test_a_kind_is_found_and_its_twin_is_not(text, needed, twin):
    assert needed <= rule_votes(text).atoms
    assert needed.isdisjoint(rule_votes(twin).atoms)


def test_the_end_of_a_card_counts_beside_its_holder_alone():
    assert {PII, FINANCIAL} <= rule_votes("Card ending 4421, holder M. Oyelaran").atoms
    assert rule_votes("Card ending 4421").atoms == frozenset()


def test_a_semicolon_in_a_set_of_characters_parts_no_phrases():
    assert CONFIDENTIAL in rule_votes("The blend is our trade secret; suppliers see batch numbers.").atoms


@pytest.mark.parametrize(
    "listing",
    ["cost of; costs?; cost; cash", "a(?:b|c); \\d+; ab", "in the; (?:on|at) it; in a; x|y; inn", "a?b; ab?c; a"],
)
def test_patterns_that_are_tried_together_find_what_they_find_one_by_one(listing):
    plain = "|".join(r"\s+".join(part.split()) for part in listing.split(";"))
    text = "costs of cash in the inn, ab ac 12 abc; on it, at it, in a b, x or y, cost  of a"
    found = [match.span() for match in re.finditer(phrases(listing), text)]
    assert found
    assert found == [match.span() for match in re.finditer(f"(?:{plain})", text)]
