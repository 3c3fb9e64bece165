"""The demo workspace's documents get the labels that its README states, and ordinary prose in them gets none."""

from pathlib import Path

import pytest

from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PII_SENSITIVE, SECRET
from ingestion.classify import rules_vote
from ingestion.extract.inside import extract

DOCUMENTS = Path(__file__).parents[2] / "ingestion" / "demo" / "documents"
# By document: the labels of its paragraphs that have some, in their order.
EXPECTED = {
    "quay7-progress-report-2026-09.pdf": [{FINANCIAL}],
    "structural-inspection-2026-09.pdf": [],
    "coordination-meeting-14.docx": [{INTERNAL}],
    "document-control.md": [{INTERNAL}],
    "risk-review-2026-09.md": [{FINANCIAL}, {INTERNAL}],
    "harbour-permit-correspondence.txt": [{PII}] * 5,
    "incident-reporting.md": [{PII}],
    "site-office-systems.md": [{SECRET}],
    "tower-crane-hire-confirmation.md": [{FINANCIAL}],
    "lantern-street-lessons-learned.md": [],
    "leave-and-travel.md": [],
    "method-statement-roof-trusses.docx": [],
    "permit-to-work.md": [],
    "site-diary-week-38.txt": [],
    "site-safety-basics.md": [],
    "ground-monitoring-q3-2026.pdf": [],
    "return-to-work-callum-finch.md": [{PII}, {PII, PII_SENSITIVE}],
    "gannet-settlement-agreement.pdf": [
        {CONFIDENTIAL}, {CONFIDENTIAL}, *[{FINANCIAL}] * 6, {CONFIDENTIAL},
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_a_demo_document_is_labelled_where_a_careful_person_would(name):
    before, found = "", []
    for paragraph in extract(DOCUMENTS / name, name).paragraphs:
        vote = rules_vote(paragraph.text, paragraph.lang, paragraph.heading_path, before)
        before = paragraph.text
        if vote.labels:
            found.append(set(vote.labels))
    assert found == EXPECTED[name]
