"""What nearly every contract says, asked for in a few words. Each paper has what looks like it, too."""

import pytest

from llm.quoting.answering import find_answer
from llm.quoting.asked import normalise_question
from llm.quoting.chatting import search_input
from llm.quoting.reading import PromptPassage

LEASE = """TENANCY AGREEMENT

This Agreement is made on 3 March 2025 between Harbour Homes Ltd ("the Landlord") of 4 Quay Street, Lund, and Anna Berg
("the Tenant").

1. The Landlord lets the flat at 12 Mill Lane to the Tenant for a term of twelve months beginning on 1 April 2025.

2. After the fixed term the tenancy continues from month to month until either party gives notice in writing.

3. The deposit is returned within 14 days of the end of the tenancy. Parking permit 12 expires on 30 June 2025.

4. This agreement is governed by the law of England and Wales.

Name: P. Holm"""
SERVICES = """Consultancy agreement

Between Nordlys AS, Bergen (the Client), and Kite Analytics Ltd, Leeds (the Consultant).

Term. This agreement starts on 1 May 2026 and runs until 31 October 2026. It may be extended once by six months by
written agreement of both sides.

Law. Norwegian law applies. Each party is an independent contractor.

Termination. Either party may terminate with one month's notice."""
EMPLOYMENT = """EMPLOYMENT CONTRACT

Employer: Fjord Foods GmbH, Kiel

Employee: Tom Brandt

The employment begins on 1 September 2026. The probation period ends on 28 February 2027.

The works council and the employer were parties to a dispute."""
MINUTES = """Minutes of the works meeting, 4 May 2026

The term of office of the chair ends on 31 December 2026. The parties discussed the crane licence, which expires on 1
June 2026. The contract between the board and Kite Ltd was not discussed. The law on noise was explained."""
SUPPLY = """SUPPLY AGREEMENT

The Supplier may terminate this Agreement if the Buyer fails to pay within thirty days of a reminder. The Buyer may
terminate this Agreement for any reason on ninety days' written notice.

Neither party may assign its rights or obligations under this Agreement without the prior written consent of the other.
The meaning assigned to a term in Schedule 1 applies.

The Buyer may audit the books and records of the Supplier once a year, during business hours and on reasonable notice.
The audited financial statements are published in May.

The Supplier shall maintain product liability insurance of at least five million euros. Health insurance is a benefit of
each employee.

The aggregate liability of the Supplier shall not exceed the amount paid in the twelve months before the claim.

During the term the Supplier shall not sell competing products, directly or indirectly, in the territory."""
LINES = """LEASE

between

Harbour Trust, registered charity 220441 (Landlord)

and

Maria Lindqvist trading as Soup Works (the "Tenant")

The keys were given to the cleaner (Tenant's sister). The lease runs from 1 March 2026 to 28 February 2029."""
SECRECY = """MUTUAL NON-DISCLOSURE AGREEMENT

(1) Aldgate Labs Limited, a company registered in England; and

(2) Prof. Maren Holt, Kiel.

2. Confidential information is used for the purpose only.

6. This agreement ends on 6 July 2028, or earlier by 30 days' notice. The obligations survive for five years."""
HANDBOOK = """Employees may terminate their membership of the sports club at any time by notice to HR.

Company cars are insured.

The term of the works council ends in March 2027. You may not assign your parking space without consent."""
PERIOD = """Framework contract

Contract period: 1 May 2026 to 30 April 2028

The warranty ends on 30 June 2027."""


@pytest.mark.parametrize(
    ("paper", "question", "part"),
    [
        (LEASE, "who are the parties", "between Harbour Homes Ltd"),
        (LEASE, "who is the agreement between", "between Harbour Homes Ltd"),
        (LEASE, "when does the lease expire", "for a term of twelve months"),
        (LEASE, "when does it end?", "for a term of twelve months"),
        (LEASE, "what is the term", "for a term of twelve months"),
        (LEASE, "which law governs the agreement", "law of England"),
        (LEASE, "what is the name of the contract", "TENANCY AGREEMENT"),
        (LEASE, "when does the parking permit expire", "Parking permit 12"),
        (SERVICES, "who are the parties to the contract?", "Between Nordlys AS"),
        (SERVICES, "when does the contract end?", "runs until 31 October 2026"),
        (SERVICES, "does it renew automatically?", "extended once by six months"),
        (SERVICES, "what law applies", "Norwegian law applies"),
        (SERVICES, "what is the title of the document", "Consultancy agreement"),
        (EMPLOYMENT, "who are the parties", "Employer: Fjord Foods GmbH"),
        (EMPLOYMENT, "when does the probation end", "28 February 2027"),
        (SUPPLY, "can we terminate without cause", "for any reason"),
        (SUPPLY, "can the contract be assigned", "Neither party may assign"),
        (SUPPLY, "do we have an audit right?", "The Buyer may audit"),
        (SUPPLY, "is insurance required?", "five million euros"),
        (SUPPLY, "is liability capped?", "shall not exceed"),
        (SUPPLY, "is there a non-compete", "competing products"),
        (SECRECY, "who are the parties", "Aldgate Labs"),
        (SECRECY, "when does the agreement end", "6 July 2028"),
        (HANDBOOK, "can i terminate my contract", ""),
        (HANDBOOK, "when does the contract end", ""),
        (HANDBOOK, "can the contract be assigned", ""),
        (HANDBOOK, "when does the term of the works council end", "March 2027"),
        (LINES, "who are the parties", "Harbour Trust"),
        (PERIOD, "when does the contract end?", "30 April 2028"),
        (MINUTES, "when does the crane licence expire?", "1 June 2026"),
        (SERVICES, "is there a non-compete", ""),
        (SERVICES, "do we have an audit right?", ""),
        (LEASE, "can the contract be assigned", ""),
        (EMPLOYMENT, "is insurance required?", ""),
        (LEASE, "does it renew automatically?", ""),
        (EMPLOYMENT, "when does the contract end?", ""),
        (EMPLOYMENT, "which law governs the contract?", ""),
        (MINUTES, "who are the parties", ""),
        (MINUTES, "when does the contract end?", ""),
        (MINUTES, "what law applies", ""),
        (MINUTES, "what is the name of the contract", ""),
    ],
)
def test_a_clause_is_found_by_how_it_is_written(paper: str, question: str, part: str) -> None:
    quotes = find_answer(normalise_question(question), [PromptPassage(1, "Paper.docx (Quay)", paper)]).quotes
    if part:
        assert part in quotes[0].sentence
        assert not any("Name:" in quote.sentence or "independent" in quote.sentence for quote in quotes)
    else:
        assert quotes == []


def test_each_side_has_its_line() -> None:
    quotes = find_answer("Who are the parties to the lease?", [PromptPassage(1, "Lease.docx (Quay)", LINES)]).quotes
    assert [quote.sentence[:5] for quote in quotes] == ["Harbo", "Maria"]


def test_of_several_contracts_each_is_quoted_once() -> None:
    passages = [PromptPassage(1, "Lease.docx (Quay)", LEASE), PromptPassage(2, "Services.docx (Quay)", SERVICES)]
    quotes = find_answer("Who are the parties?", [*passages, PromptPassage(3, "Minutes.docx (Quay)", MINUTES)]).quotes
    assert sorted(quote.n for quote in quotes) == [1, 2]


def test_what_else_a_question_names_is_not_passed_over() -> None:
    passages = [PromptPassage(1, "Lease.docx (Quay)", LEASE), PromptPassage(2, "Services.docx (Quay)", SERVICES)]
    assert [q.n for q in find_answer("When does the lease with Bluebell Ltd expire?", passages).quotes] == []


RULES = """Work ends at 5 p.m. You may leave work early on 24 December. The plan ends when you leave.

Either party may terminate the employment contract at any time by giving one month's written notice.

The Buyer may audit the records of the Supplier once a year on notice. The last audit took place on 3 February 2025."""
LOAN = (
    """The interest is fixed for an initial term of three years. The guarantee remains in force until 10 August 2029."""
)
BOOKS = """For three years after each quarter during the term of this Agreement, the Host keeps full books."""
MOVED = """1. Contract with Mowers Ltd

2. Complaint of Oak Bank

This agreement continues until 30 April 2028. The parking permit expires on 1 June 2026. Our lease was renewed last year
until 2031. We will be happy to renew your locker for a further year upon notice by e-mail.

Parking rights may be assigned to another employee with the consent of the office."""
SUBCONTRACT = """SUBCONTRACT No. 17

Contractor: Oakridge Build Ltd

Subcontractor: Petra Roofing Ltd

The main contract between Oakridge Build Ltd and Stadtwerke Ulm GmbH (the "Employer") was made on 4 January 2025 and
ends on 30 November 2026."""


@pytest.mark.parametrize(
    ("paper", "question", "part"),
    [
        (RULES, "can i leave work early", "24 December"),
        (RULES, "when does the plan end", "when you leave"),
        (RULES, "when was the last audit", "3 February 2025"),
        (RULES, "can we terminate the contract early", "one month's written notice"),
        (LOAN, "how long is the guarantee valid", "10 August 2029"),
        (LOAN, "when does the agreement end", ""),
        (BOOKS, "how long does the agreement run", ""),
        (MOVED, "when does the parking permit expire", "1 June 2026"),
        (MOVED, "will the lease be renewed", "until 2031"),
        (MOVED, "can the contract be assigned", ""),
        (MOVED, "who are the parties", ""),
        (SUBCONTRACT, "who are the parties", "Contractor: Oakridge"),
        (SUBCONTRACT, "what is the name of the subcontract", "SUBCONTRACT No. 17"),
        (SUBCONTRACT, "when does the subcontract end", ""),
    ],
)
def test_what_is_something_else_is_answered_as_that(paper: str, question: str, part: str) -> None:
    quotes = find_answer(normalise_question(question), [PromptPassage(1, "Paper.docx (Quay)", paper)]).quotes
    assert any(part in quote.sentence for quote in quotes) if part else quotes == []


@pytest.mark.parametrize(
    ("question", "of"),
    [
        ("who are the parties to the lease", [1]),
        ("when does the lease end", [1]),
        ("when does the nda expire", [3]),
        ("who are the parties to the licence", []),
    ],
)
def test_the_document_that_is_named_is_quoted(question: str, of: list[int]) -> None:
    passages = [
        PromptPassage(1, "Lease.docx (Quay)", LEASE),
        PromptPassage(2, "Services.docx (Quay)", SERVICES),
        PromptPassage(3, "NDA Brightwell.pdf (Quay)", SECRECY),
    ]
    assert [quote.n for quote in find_answer(normalise_question(question), passages).quotes] == of


@pytest.mark.parametrize(
    ("question", "is_asked"), [("when does the agreement end", True), ("who fixes the lift", False)]
)
def test_a_clause_is_searched_for_by_its_own_words(question: str, is_asked: bool) -> None:
    asked = search_input({"messages": [{"role": "user", "content": f"<question>{question}</question>"}]})["query"]
    assert ("commence" in asked.split()) is is_asked
