"""Exact kinds in the forms that people write them in, each beside a text that only looks like it. All made up."""

import re

import pytest

from entities.models.classification import CONFIDENTIAL, FINANCIAL, PII, PII_SENSITIVE, SECRET
from llm.recognisers.findings import phrases
from llm.rules import vote_by_rules

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
    ("Name des Kindes: Greta Dahl, geb. 03.06.1991", {PII}, "Name der Anlage: Greta, geb. am Rhein"),
    ("0171-3924223\n0160-8231118", {PII}, "0171-3924223 Flansch\n0160-8231118 Dichtung"),
    ("(M) 0412 345 667 Elin Keller", {PII}, "(N) 0412 345 667 bolts"),
    ("Farid Abbas\nPrinsengracht 68\n1015 DV Amsterdam", {PII}, "Kelby BV\nPrinsengracht 68\n1015 DV Amsterdam"),
    ("Send it to Sven Okoye, 2-14-63 Shibuya, Tokyo 150-0002.", {PII}, "Send it by 2-14-63 as part 150-0002."),
    (
        "The account of Dario Fontaine, no. 5465796739, was debited.",
        {PII, FINANCIAL},
        "The account of the journey, page 54.",
    ),
    ("Aadhaar 2345 6789 9651 belongs to Dario Hofer.", {PII, PII_SENSITIVE}, "Aadhaar is a system of India."),
    ("VIN: 1HGCM82633A004352, Rosa Moreau", {PII}, "VIN: stamped on the frame, Rosa Moreau"),
    ("Greta Jansen's username is anna_eriksen85.", {PII}, "Greta Jansen's username is missing."),
    ("Liam is on 54k, Jonas on 80k.", {PII, FINANCIAL}, "Liam is on 54, Jonas on 80."),
    ("I changed the shared password to blue-Harbour77 yesterday.", {SECRET}, "I changed the password to be safe."),
    (
        "BOARD PAPER - CONFIDENTIAL\nThe board is asked to agree.",
        {CONFIDENTIAL},
        "It is not confidential.\nThe board agrees.",
    ),
    ("Only the deal team is to know.", {CONFIDENTIAL}, "Only the engine room is to be cleaned."),
    ("Counsel advises that we settle with Ferrow.", {CONFIDENTIAL}, "Counsel for the plaintiff spoke first."),
    ("Lantern: our maximum price is six, and we open at five.", {CONFIDENTIAL}, "Lantern: the maximum load is six."),
    ("Ines Moreau underwent a colonoscopy.", {PII, PII_SENSITIVE}, "Colonoscopies are covered by the plan."),
    ("Procedure: appendectomy", {PII_SENSITIVE}, "Procedure: calibration of the pump"),
    ("Obs: BP 128/82, HR 76, SpO2 97", {PII_SENSITIVE}, "You can reach HR 24 hours a day."),
    ("Rosa Brandt was let go on Wednesday.", {PII}, "The rope was let down on Wednesday."),
    (
        "Revenue (m)\n| Region | Revenue |\n| North | 14.2 |",
        {FINANCIAL},
        "| Beam | Span (m) |\n| --- | --- |\n| B1 | 6.2 |",
    ),
    ("The flanges are 12.80 each.", {FINANCIAL}, "Printed 05/23/07"),
    (
        "Privileged and confidential: our view on Ferrow.",
        {CONFIDENTIAL},
        "This e-mail may hold privileged and confidential text for the use of the intended recipient.",
    ),
    (
        "Privileged and confidential: outside counsel advises that we settle with Ferrow for two. If you are not the"
        " intended recipient, delete it.",
        {CONFIDENTIAL},
        "The text is for the use of the addressee and may be legally privileged.",
    ),
    (
        "Our outside counsel believes we will lose. For use of the addressee.",
        {CONFIDENTIAL},
        "Our outside auditor believes we will move. For use of the addressee.",
    ),
    ("Triage: Rosa Brandt, HR: 132 RR: 28", {PII, PII_SENSITIVE}, "Rosa Brandt, HR: 24 hours a day"),
    ("Vitals: HR 112 RR 22 T 38.2", {PII_SENSITIVE}, "Contents: HR 12 Recruiting"),
    ("BP 128 over 82, HR 76.", {PII_SENSITIVE}, "BP 128 stations, HR 24/7."),
    ("bp 128/82, hr 76", {PII_SENSITIVE}, "hr 24 days"),
    ("Pat. HR: 88 120/80", {PII_SENSITIVE}, "Office: HR: 040 555 1234"),
    ("Pat. HR: 88", {PII_SENSITIVE}, "HR 7 Leave"),
    ("RR: 24", {PII_SENSITIVE}, "See form HR 24."),
    (
        "| Supplier | Net | Gross |\n| --- | --- | --- |\n| Kelby | 12,400 | 14,756 |",
        {FINANCIAL},
        "| Crate | Weight | Net | Gross |\n| --- | --- | --- | --- |\n| C1 | 20 | 12,400 | 14,756 |",
    ),
    (
        "| Contract | Value |\n| --- | --- |\n| Quay | 124,000 |",
        {FINANCIAL},
        "| Parameter | Value |\n| --- | --- |\n| Depth | 124,000 |",
    ),
    (
        "| Plan | Rate |\n| --- | --- |\n| Basic | 145.00 |",
        {FINANCIAL},
        "| Pump | Flow rate |\n| --- | --- |\n| P1 | 145.00 |",
    ),
    ("| Contract | Value |\n| Quay | 124,000 |", {FINANCIAL}, "| Contract | Value |\n| Quay | 124 |"),
    ("Sign in as user admin / xY7/kkP0aa!", {SECRET}, "Log in and open srv/reports/2024Annual"),
    ("Log in with rosa / Kelp7/Reef!9", {SECRET}, "Log in with rosa / /srv/Reports24"),
    ("Nothing of this may leave the room.", {CONFIDENTIAL}, "The dog must not leave the room."),
    ("This must never leave the room.", {CONFIDENTIAL}, "Never leave the room unlocked"),
    ("These papers must not leave the group.", {CONFIDENTIAL}, "Visitors must not leave the group."),
    ("It may not leave this meeting.", {CONFIDENTIAL}, "You may not leave this meeting early."),
    ("In confidence, the plant will be shut.", {CONFIDENTIAL}, "Annual dinner in confidence, she spoke"),
    ("Greta is now on 54k.", {PII, FINANCIAL}, "The amplifier is on 10k now."),
    ("His pay moves to 54k.", {FINANCIAL}, "The switch is on 48k baud."),
    ("PESEL 56497891563, Rosa Moreau", {PII, PII_SENSITIVE}, "Part 56497891563, Rosa Moreau"),
    ("CPF 529.982.247-25", {PII, PII_SENSITIVE}, "Part 529.982.247"),
    ("Travel document no. 442743335 of Rosa Moreau", {PII, PII_SENSITIVE}, "Travel document of Rosa Moreau, page 4427"),
    ("1 85 05 78 006 084 91", {PII, PII_SENSITIVE}, "1 85 05 78 006 084 00"),  # the check digits do not fit
    ("11010519491231002X", {PII, PII_SENSITIVE}, "110105194912310021"),
    ("library card 97893229 (Rosa Moreau)", {PII}, "library card holders: 97893229 (a record)"),
    ("Rosa Moreau: 0171 9134423", {PII}, "Rosa Moreau: 12 bolts"),
    ("Rosa Moreau\n33 Wattle Grove\nFitzroy VIC 3065", {PII}, "Mittwoch Mai 30, 2018 zen.txt"),
    (
        "| Name | Born |\n|---|---|\n| Rosa Moreau | 12.03.1984 |",
        {PII},
        "| Name | Built |\n|---|---|\n| Pier | 12.03.1984 |",
    ),
    ("employee,gross\nRosa Moreau,1267.00", {PII, FINANCIAL}, "pump,gross\nRosa,1267"),
    (
        "| Patient | Reason |\n|---|---|\n| Rosa Moreau | back |",
        {PII_SENSITIVE},
        "| Pump | Reason |\n|---|---|\n| P2 | back |",
    ),
    ("Rosa Moreau is on rivaroxaban.", {PII, PII_SENSITIVE}, "Rosa Moreau is on holiday."),
    ("Rosa Moreau has arthritis.", {PII, PII_SENSITIVE}, "Arthritis is common. Rosa Moreau spoke of it."),
    ("Rosa Moreau was signed off for three weeks.", {PII_SENSITIVE}, "Rosa Moreau signed off the drawings."),
    ("Rosa Moreau served two years for fraud.", {PII_SENSITIVE}, "Rosa Moreau served two terms for us."),
    ("We are buying Kelby Foods.", {CONFIDENTIAL}, "We are buying pallets."),
    ("Don't tell anyone, the yard is sold.", {CONFIDENTIAL}, "Tell everyone, the yard is open."),
    ("The wifi at the cabin is Zebra!Pine42", {SECRET}, "The wifi at the cabin is slow!"),
    ("PUK 71273739", {SECRET}, "Puk 7"),
]


@pytest.mark.parametrize(("text", "needed", "twin"), KINDS, ids=lambda value: str(value)[:24])
def test_a_kind_is_found_and_its_twin_is_not(text, needed, twin):
    assert needed <= vote_by_rules(text).atoms
    assert needed.isdisjoint(vote_by_rules(twin).atoms)


def test_the_end_of_a_card_counts_beside_its_holder_alone():
    assert {PII, FINANCIAL} <= vote_by_rules("Card ending 4421, holder M. Oyelaran").atoms
    assert vote_by_rules("Card ending 4421").atoms == frozenset()


def test_a_semicolon_in_a_set_of_characters_parts_no_phrases():
    assert CONFIDENTIAL in vote_by_rules("The blend is our trade secret; suppliers see batch numbers.").atoms


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


ASKED = [
    # question, answer, what it needs, and an answer or a question that needs nothing
    ("Can I get your DOB?", "1997-02-01", {PII}, "Can I get your order?"),
    ("How old are you?", "Thirty-four.", {PII}, "How many are there?"),
    ("Where do you presently reside?", "796 Mill Court, Skerrow.", {PII}, "Where does the valve sit?"),
    ("Have you ever been treated for depression?", "Yes, in 2019.", {PII_SENSITIVE}, "Has it ever been painted?"),
    ("What are the last four of your social?", "3184", {PII, PII_SENSITIVE}, "What are the last four of the batch?"),
    ("How much do you make?", "37,841 plus a car.", {PII, FINANCIAL}, "How much does it hold?"),
    ("Are you married?", "Yes, to Jonas.", {PII}, "Are you ready?"),
    ("Are you a member of a union?", "Yes, since 2014.", {PII_SENSITIVE}, "Are you a member of the crew?"),
    ("Have you ever been convicted of a crime?", "Yes. Burglary.", {PII_SENSITIVE}, "Have you ever been to Skerrow?"),
    ("What IP address do you connect from?", "81.2.69.64", {PII}, "Which version do you use?"),
    ("What is the plate of your car?", "KL6 XYZ", {PII}, "What is the colour of your car?"),
    ("Please state your date of birth for the record.", "October 18, 1971", {PII}, "Please state the day of delivery."),
    ("Could you read me the passport number?", "X86813585", {PII, PII_SENSITIVE}, "Could you read me the part number?"),
    ("¿Cuál es su fecha de nacimiento?", "4 de mayo de 1978", {PII}, "¿Cuál es la fecha de entrega?"),
    ("What's the code for the side door?", "2825", {SECRET}, "What's the weight of the side door?"),
    ("Can you take a look at it?", "It touches the parser.", set(), "Can you take a look at it?"),
]


@pytest.mark.parametrize(("question", "answer", "needed", "other"), ASKED, ids=lambda value: str(value)[:24])
def test_an_answer_is_labelled_by_what_was_asked_for(question, answer, needed, other):
    for text, before in ((f"Q: {question}\nA: {answer}", ""), (f"A: {answer}", question)):
        assert needed <= vote_by_rules(text, before=before).atoms
    assert needed.isdisjoint(vote_by_rules(f"A: {answer}", before=other).atoms)
    if needed:
        assert needed.isdisjoint(vote_by_rules("A: No.", before=question).atoms)
    else:
        assert vote_by_rules(answer, before=question).atoms == frozenset()


def test_a_number_to_call_has_the_form_of_the_country_whose_language_is_spoken():
    numbers = [("es", "612 34 56 78"), ("nl", "06 12345678"), ("pt", "(11) 96123-4567"), ("pl", "12 345 67 89")]
    for lang, number in numbers:
        assert PII in vote_by_rules(f"Call Jane at {number}", lang).atoms, number
        assert vote_by_rules(f"Jane packed {number}", lang).atoms == frozenset(), number
