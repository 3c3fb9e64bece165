"""What of the demo workspace's documents is hidden, paragraph by paragraph, and why. All else in them is Public."""

from pathlib import Path

import pytest

from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PII_SENSITIVE, SECRET
from ingestion.classify import build_rules_vote
from ingestion.extract.inside import extract

DOCUMENTS = Path(__file__).parents[2] / "ingestion" / "demo" / "documents"
# By document: how each hidden paragraph begins, its labels, and words of the reason that stewards read.
HIDDEN = {
    "coordination-meeting-14.docx": [("For internal use only: the relationship", {INTERNAL}, "marked internal")],
    "document-control.md": [("For internal use only: drawings", {INTERNAL}, "marked internal")],
    "gannet-settlement-agreement.pdf": [
        ("| Buyer | Harbour & Vale", {CONFIDENTIAL}, "marked confidential"),
        ("Strictly confidential. The existence", {CONFIDENTIAL}, "marked confidential"),
        ("2.1 The Seller pays the Buyer £640,000", {FINANCIAL}, "amount of money"),
        ("3.1 The Buyer acquires all the shares", {FINANCIAL}, "amount of money"),
        ("3.2 Of that amount £400,000", {FINANCIAL}, "amount of money"),
        ("3.3 If the operating profit", {FINANCIAL}, "amount of money"),
        ("| Payment | When | Amount |", {FINANCIAL}, "amount of money"),
        ("6.2 The Seller's total liability", {FINANCIAL}, "financial figure"),
        ("7.2 The code name Gannet", {CONFIDENTIAL}, "marked confidential"),
    ],
    "ground-monitoring-q3-2026.pdf": [],
    "harbour-permit-correspondence.txt": [
        ("From: Sefa Lindqvist", {PII}, "e-mail address"),
        ("From: Luc Marchetti", {PII}, "e-mail address"),
        ("From: Devika Rao", {PII}, "e-mail address"),
        ("From: Sefa Lindqvist", {PII}, "e-mail address"),
        ("If anything is urgent you can reach me", {PII}, "phone number"),
    ],
    "incident-reporting.md": [("Out of hours, call Callum Finch", {PII}, "phone number")],
    "lantern-street-lessons-learned.md": [],
    "leave-and-travel.md": [],
    "method-statement-roof-trusses.docx": [],
    "pay-review-tomasz-wrona-2026.pdf": [
        ("| Employee | Tomasz Wrona", {PII}, "personnel number"),
        ("Tomasz Wrona, born 21 May 1984", {PII}, "date of birth"),
        ("The gross annual salary of Tomasz Wrona", {PII, FINANCIAL}, "pay of a person"),
        ("| Name | Site | Salary |", {PII, FINANCIAL}, "table of pay"),
        ("The panel noted", {FINANCIAL}, "amount of money"),
    ],
    "permit-to-work.md": [],
    "quay7-progress-report-2026-09.pdf": [("The average gross annual salary", {FINANCIAL}, "pay")],
    "return-to-work-callum-finch.md": [
        ("Callum Finch, employee number", {PII}, "personnel number"),
        ("Callum Finch was diagnosed", {PII, PII_SENSITIVE}, "health of a person"),
    ],
    "risk-review-2026-09.md": [
        ("The contingency of the project", {FINANCIAL}, "amount of money"),
        ("For internal use only: Brannock", {INTERNAL}, "marked internal"),
    ],
    "site-diary-week-38.txt": [],
    "site-office-systems.md": [("Example credentials", {SECRET}, "credential")],
    "site-safety-basics.md": [],
    "steel-subcontract-brannock.pdf": [
        ("3.3 If a section is late", {FINANCIAL}, "financial figure"),
        ("4.2 The Contractor retains 5 per cent", {FINANCIAL}, "financial figure"),
        ("4.3 A party that is late", {FINANCIAL}, "financial figure"),
        ("15.2 Notices to the Contractor", {PII}, "phone number"),
        ("| Item | Description | Unit rate |", {FINANCIAL}, "amount of money"),
        ("Insurance under clause 8", {FINANCIAL}, "amount of money"),
    ],
    "structural-inspection-2026-09.pdf": [],
    "tower-crane-hire-confirmation.md": [("The weekly hire is £6,850", {FINANCIAL}, "amount of money")],
}  # fmt: skip


def test_every_document_of_the_demo_is_named() -> None:
    assert sorted(HIDDEN) == sorted(path.name for path in DOCUMENTS.iterdir())


@pytest.mark.parametrize("name", HIDDEN)
def test_a_demo_document_is_hidden_where_a_careful_person_would_and_nowhere_else(name: str) -> None:
    before, found = "", []
    for paragraph in extract(DOCUMENTS / name, name).paragraphs:
        vote = build_rules_vote(paragraph.text, paragraph.lang, paragraph.heading_path, before)
        before = paragraph.text
        if vote.labels:
            found.append((" ".join(paragraph.text.split()), set(vote.labels), vote.reason))
    expected = HIDDEN[name]
    assert [labels for _, labels, _ in found] == [labels for _, labels, _ in expected], found
    for (text, _, reason), (opening, _, words) in zip(found, expected, strict=True):
        assert text.startswith(opening)
        assert words in reason


def test_what_everybody_may_know_of_the_progress_report_is_public() -> None:
    """Progress in per cent, and who prepared it: figures and a name are not yet a secret."""
    name = "quay7-progress-report-2026-09.pdf"
    texts = [" ".join(paragraph.text.split()) for paragraph in extract(DOCUMENTS / name, name).paragraphs]
    public = [text for text in texts if not text.startswith(HIDDEN[name][0][0])]
    assert any("Devika Rao" in text for text in public)
    assert any("per cent" in text for text in public)
